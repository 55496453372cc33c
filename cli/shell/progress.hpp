#pragma once

#include "engine/base/progress_hook.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace warpnet::cli {

/// If set, progress is logged when stderr is no terminal. The value is the time until the first line; each
/// interval is twice as long as the previous one, up to ten minutes.
using ProgressLines = std::optional<std::chrono::milliseconds>;

/// While this object exists, a line on stderr shows the progress, the rate and the time left. Nothing is
/// shown if the work takes less than half a second, or if stderr is no terminal and no lines are requested.
class Progress {
  public:
    /// `done` counts up to `total`, which is 0 if unknown; `unit` is the plural noun that is counted. `known`
    /// is printed before the count.
    Progress(std::string unit, std::uint64_t total, const std::atomic<std::uint64_t>& done,
             ProgressLines lines = {}, std::string known = {});
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

  private:
    void show_line();
    void log_lines(std::chrono::milliseconds interval);
    std::string text(std::chrono::steady_clock::time_point start) const;

    const std::string unit_;
    const std::string known_;
    const std::uint64_t total_;
    const std::atomic<std::uint64_t>& done_;
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

/// Makes a Progress from a total and a counter, for libraries without access to the terminal, with the text
/// that `known` has at that time.
ProgressHook progress_of(std::string unit, ProgressLines lines = {},
                         std::shared_ptr<const std::string> known = {});

/// "512 of 1000 runs, 51 %, 3400 runs/s, 0:12 left"; "512 runs, 3400 runs/s, 0:01" if `total` is 0.
std::string progress_line(const std::string& unit, std::uint64_t done, std::uint64_t total, double seconds);

}  // namespace warpnet::cli

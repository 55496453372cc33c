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

/// Whether progress goes to a log where stderr is no terminal: how long it takes until the first line; each
/// further one takes twice as long as the one before, up to ten minutes.
using ProgressLines = std::optional<std::chrono::milliseconds>;

/// A line on stderr with how much is done, the rate and the time left, while one of these exists; nothing
/// if stderr is no terminal (and no lines are wanted) or the work takes less than half a second.
class Progress {
  public:
    /// `done` counts up to `total`, 0 if that is not known; `unit` is what it counts, in the plural.
    /// `known` is before that.
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

/// What makes a Progress of a total and a counter, for libraries that know of no terminal; with the text that
/// `known` has by then.
ProgressHook progress_of(std::string unit, ProgressLines lines = {},
                         std::shared_ptr<const std::string> known = {});

/// "512 of 1000 runs, 51 %, 3400 runs/s, 0:12 left"; "512 runs, 3400 runs/s, 0:01" where `total` is 0.
std::string progress_line(const std::string& unit, std::uint64_t done, std::uint64_t total, double seconds);

}  // namespace warpnet::cli

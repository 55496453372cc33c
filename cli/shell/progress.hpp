#pragma once

#include "engine/base/progress_hook.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace warpnet::cli {

/// If set, progress is logged when stderr is no terminal. The value is the time until the first line; each
/// interval is twice as long as the previous one, up to ten minutes.
using ProgressLines = std::optional<std::chrono::milliseconds>;

/// While this object exists, a line on stderr shows a part of the work, and if something is counted, the rate
/// and the time left. A part within another one adds to the line of the outer part. Nothing is shown if the
/// work takes less than half a second, or if stderr is no terminal and no lines are requested.
class Progress {
  public:
    /// `before` is printed first.
    explicit Progress(WorkPart part, ProgressLines lines = {}, std::string before = {});
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

  private:
    void show_line();
    void log_lines(std::chrono::milliseconds interval);
    std::string text_of_all() const;
    std::string text_of_outer() const;

    const WorkPart part_;
    const std::string before_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;  // of the outermost part only
};

/// Makes a Progress from each part, for libraries without access to the terminal.
ProgressHook progress_of(ProgressLines lines = {}, const std::string& before = {});

/// "512 of 1,000 runs, 51 %, 3,400 runs/s, 0:12 left"; "512 runs, 3,400 runs/s, 0:01" if `total` is 0.
std::string progress_line(const std::string& unit, std::uint64_t done, std::uint64_t total, double seconds);

}  // namespace warpnet::cli

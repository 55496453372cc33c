#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace warpnet::cli {

/// A line on stderr with how much is done, the rate and the time left, while one of these exists; nothing
/// where stderr is no terminal or the work takes less than half a second.
class Progress {
  public:
    /// `done` counts up to `total`, 0 where that is not known; `unit` is what it counts, in the plural.
    Progress(std::string unit, std::uint64_t total, const std::atomic<std::uint64_t>& done);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

  private:
    void show();

    const std::string unit_;
    const std::uint64_t total_;
    const std::atomic<std::uint64_t>& done_;
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

/// "512 of 1000 runs, 51 %, 3400 runs/s, 0:12 left"; "512 runs, 3400 runs/s, 0:01" where `total` is 0.
std::string progress_line(const std::string& unit, std::uint64_t done, std::uint64_t total, double seconds);

}  // namespace warpnet::cli

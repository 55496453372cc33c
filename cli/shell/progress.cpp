// The progress of a long command, from a thread that reads a counter. A terminal gets one line on stderr that
// is overwritten and finally removed. It appears after half a second at the earliest. Without a terminal,
// lines are logged at growing intervals if the command requests them.

#include "cli/shell/progress.hpp"

#include "cli/output/notes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <unistd.h>

namespace warpnet::cli {

using namespace std::chrono_literals;

namespace {

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                        : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

ProgressHook progress_of(std::string unit, ProgressLines lines, std::shared_ptr<const std::string> known) {
    return [unit = std::move(unit), lines, known = std::move(known)](std::uint64_t total,
                                                                     const std::atomic<std::uint64_t>& done) {
        return std::make_shared<Progress>(unit, total, done, lines, known ? *known : "");
    };
}

std::string progress_line(const std::string& unit, std::uint64_t done, std::uint64_t total, double seconds) {
    if (total == 0) {
        return fmt::format("{} {}, {:.3g} {}/s, {}", done, unit, static_cast<double>(done) / seconds, unit,
                           clock_text(seconds));
    }
    if (done == 0) return fmt::format("0 of {} {}, {} so far", total, unit, clock_text(seconds));
    const double rate = static_cast<double>(done) / seconds;
    return fmt::format("{} of {} {}, {} %, {:.3g} {}/s, {} left", done, total, unit,
                       static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total)), rate,
                       unit, clock_text(static_cast<double>(total - done) / rate));
}

Progress::Progress(std::string unit, std::uint64_t total, const std::atomic<std::uint64_t>& done,
                   ProgressLines lines, std::string known)
    : unit_(std::move(unit)), known_(std::move(known)), total_(total), done_(done) {
    if (quiet()) return;
    if (isatty(STDERR_FILENO) != 0) {
        thread_ = std::thread([this] { show_line(); });
    } else if (lines) {
        thread_ = std::thread([this, interval = *lines] { log_lines(interval); });
    }
}

Progress::~Progress() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_one();
    thread_.join();
}

std::string Progress::text(std::chrono::steady_clock::time_point start) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return known_ + progress_line(unit_, done_.load(), total_, elapsed.count());
}

void Progress::show_line() {
    const auto start = std::chrono::steady_clock::now();
    bool shown = false;
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, shown ? 200ms : 500ms, [this] { return stopping_; })) {
        fmt::print(stderr, "\r\033[K{}", text(start));
        std::fflush(stderr);
        shown = true;
    }
    if (shown) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
    }
}

void Progress::log_lines(std::chrono::milliseconds interval) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, interval, [this] { return stopping_; })) {
        fmt::print(stderr, "{}\n", text(start));
        interval = std::min<std::chrono::milliseconds>(2 * interval, 10min);
    }
}

}  // namespace warpnet::cli

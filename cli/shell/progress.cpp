// The progress of a long command, from a thread that reads counters. A terminal gets one line on stderr that
// is overwritten and finally removed. It appears after half a second at the earliest. Without a terminal,
// lines are logged at growing intervals if the command requests them.
//
// Parts of the work may lie within each other, such as the searches of a sweep. The thread of the outermost
// part prints them all, so that there is one line.

#include "cli/shell/progress.hpp"

#include "cli/output/notes.hpp"
#include "cli/output/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warpnet::cli {

using namespace std::chrono_literals;

namespace {

/// The parts in progress, the outermost first.
struct PartsInProgress {
    std::mutex mutex;
    std::vector<const Progress*> parts;
};

PartsInProgress& in_progress() {
    static PartsInProgress all;
    return all;
}

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                        : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string rate_text(double per_second, const std::string& unit) {
    return per_second < 1000 ? fmt::format("{:.3g} {}/s", per_second, unit)
                             : fmt::format("{} {}/s", std::llround(per_second), unit);
}

/// The begin of a text that fits into one line of the terminal: a longer one would not be overwritten.
std::string fitting(std::string text) {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return text;
    if (text.size() >= size.ws_col) text.resize(size.ws_col - std::size_t{1});
    return text;
}

}  // namespace

ProgressHook progress_of(ProgressLines lines, const std::string& before) {
    return [=](const WorkPart& part) { return std::make_shared<Progress>(part, lines, before); };
}

std::string progress_line(const std::string& unit, std::uint64_t done, std::uint64_t total, double seconds) {
    const double rate = static_cast<double>(done) / std::max(seconds, 1e-3);
    std::string text;
    if (total == 0)
        text = fmt::format("{} {}, {}, {}", done, unit, rate_text(rate, unit), clock_text(seconds));
    else if (done == 0)
        text = fmt::format("0 of {} {}, {} so far", total, unit, clock_text(seconds));
    else
        text = fmt::format("{} of {} {}, {} %, {}, {} left", done, total, unit,
                           static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(total)),
                           rate_text(rate, unit), clock_text(static_cast<double>(total - done) / rate));
    return with_grouped_numbers(text);
}

Progress::Progress(WorkPart part, ProgressLines lines, std::string before)
    : part_(std::move(part)), before_(std::move(before)) {
    if (quiet()) return;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (!terminal && !lines) return;
    const std::lock_guard lock(in_progress().mutex);
    if (in_progress().parts.empty())
        thread_ = terminal ? std::thread([this] { show_line(); })
                           : std::thread([this, interval = *lines] { log_lines(interval); });
    in_progress().parts.push_back(this);
}

Progress::~Progress() {
    {
        const std::lock_guard lock(in_progress().mutex);
        std::erase(in_progress().parts, this);
        stopping_ = true;
    }
    if (!thread_.joinable()) return;
    stop_.notify_one();
    thread_.join();
}

/// The form of a part that has another one within it.
std::string Progress::text_of_outer() const {
    if (part_.done == nullptr) return part_.name + "; ";
    const std::uint64_t done = *part_.done;
    return with_grouped_numbers(part_.total == 0
                                    ? fmt::format("{} {}; ", done, part_.name)
                                    : fmt::format("{} of {} {}; ", done, part_.total, part_.name));
}

/// To be called with the mutex of the parts.
std::string Progress::text_of_all() const {
    std::string text = before_;
    const std::vector<const Progress*>& parts = in_progress().parts;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) text += parts[i]->text_of_outer();
    const Progress& last = parts.empty() ? *this : *parts.back();
    if (last.part_.known)
        if (const std::string known = last.part_.known(); !known.empty())
            text += with_grouped_numbers(known) + "; ";
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - last.start_;
    return text + (last.part_.done == nullptr
                       ? fmt::format("{}, {}", last.part_.name, clock_text(elapsed.count()))
                       : progress_line(last.part_.name, *last.part_.done, last.part_.total, elapsed.count()));
}

void Progress::show_line() {
    bool shown = false;
    std::unique_lock lock(in_progress().mutex);
    while (!stop_.wait_for(lock, shown ? 200ms : 500ms, [this] { return stopping_; })) {
        fmt::print(stderr, "\r\033[K{}", fitting(text_of_all()));
        std::fflush(stderr);
        shown = true;
    }
    if (shown) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
    }
}

void Progress::log_lines(std::chrono::milliseconds interval) {
    std::unique_lock lock(in_progress().mutex);
    while (!stop_.wait_for(lock, interval, [this] { return stopping_; })) {
        fmt::print(stderr, "{}\n", text_of_all());
        interval = std::min<std::chrono::milliseconds>(2 * interval, 10min);
    }
}

}  // namespace warpnet::cli

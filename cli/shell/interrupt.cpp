// Ctrl-C, SIGTERM and time limits. The first signal asks the work to end and to print the known results. A
// second signal, or the end of a grace period, ends the program. Signal handlers touch only atomic globals
// and call only functions that are safe in handlers.
//
// A handler may run at any instruction, also in the middle of malloc(). So it neither allocates nor prints
// with buffers, and the text of an answer at a limit is made beforehand. Two signals within a second count as
// one, because `timeout` sends its signal to the program and to its group.

#include "cli/shell/interrupt.hpp"

#include "cli/output/json_answer.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

namespace warpnet::cli {

namespace {

using Clock = std::chrono::steady_clock;

// A signal handler can reach only globals.
std::atomic<bool> interrupt_requested = false;
std::atomic<bool> listened_to = false;  // an Interrupt exists
std::atomic<bool> answering = false;    // … or existed when the signal came, and results are being printed
std::atomic<bool> silent = false;       // one of several ranks, but not the first
static_assert(std::atomic<bool>::is_always_lock_free);

// Enough time to print and save results. Sanitizers make everything slower and get more time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::chrono::seconds grace{60};
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::chrono::seconds grace{60};
#else
constexpr std::chrono::seconds grace{5};
#endif
#else
constexpr std::chrono::seconds grace{5};
#endif

[[noreturn]] void end_now(std::string_view message, ExitCode exit_code) {
    if (!silent.load()) {
        [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, message.data(), message.size());
    }
    ::_exit(static_cast<int>(exit_code));
}

/// Schedules SIGALRM; 0 cancels it.
void set_alarm(std::chrono::microseconds time) {
    struct itimerval timer {};
    timer.it_value.tv_sec = time.count() / 1'000'000;
    timer.it_value.tv_usec = static_cast<suseconds_t>(time.count() % 1'000'000);
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

// `timeout` sends its signal to a program and to the program's group, so the program receives it twice.
constexpr std::int64_t one_request = 1'000'000'000;  // nanoseconds
std::atomic<std::int64_t> first_request = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t nanoseconds_now() {
    struct timespec now {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// The first request ends the work, a later request the program.
void on_interrupt(int) {
    const std::int64_t now = nanoseconds_now();
    if (!listened_to.load()) end_now("warpnet: interrupted\n", ExitCode::interrupted);
    if (interrupt_requested.exchange(true)) {
        if (now - first_request.load() > one_request)
            end_now("warpnet: interrupted\n", ExitCode::interrupted);
        return;
    }
    first_request.store(now);
    answering.store(true);
    set_alarm(grace);
}

void on_alarm(int) {
    if (answering.load()) end_now("warpnet: interrupted, before anything was known\n", ExitCode::interrupted);
    if (const std::string* answer = answer_at_limit(); answer != nullptr && !silent.load()) {
        [[maybe_unused]] const ssize_t told = ::write(STDOUT_FILENO, answer->data(), answer->size());
    }
    end_now("warpnet: stopped at --time-limit, before there was a result\n", ExitCode::limit);
}

void install(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
}

/// Under nohup, a program ignores SIGHUP, because it outlives its terminal.
bool is_ignored(int signal) {
    struct sigaction action = {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void install_all() {
    install(SIGINT, on_interrupt);
    install(SIGTERM, on_interrupt);
    if (!is_ignored(SIGHUP)) install(SIGHUP, on_interrupt);
    install(SIGALRM, on_alarm);
}

std::optional<Clock::time_point>& start_of_program() {
    static std::optional<Clock::time_point> start;
    return start;
}

}  // namespace

void take_signals() {
    start_of_program() = Clock::now();
    install_all();
    install(SIGXFSZ, SIG_IGN);  // a file beyond the limit of its size is then an error of the write
}

void end_silently() { silent.store(true); }

std::chrono::steady_clock::time_point end_of(std::chrono::milliseconds limit) {
    const Clock::time_point start = start_of_program().value_or(Clock::now());
    // A limit beyond the range of the clock is no limit.
    const auto most = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::time_point::max() - start);
    return start + std::min(limit, most);
}

std::chrono::milliseconds time_left(std::chrono::milliseconds limit) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_of(limit) - Clock::now());
    return std::max(left, std::chrono::milliseconds(1));
}

void end_program_after(std::chrono::milliseconds limit, std::string answer) {
    keep_answer(std::move(answer));
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(end_of(limit) - Clock::now());
    constexpr std::chrono::microseconds least{1}, most = std::chrono::hours(24 * 365);
    set_alarm(std::clamp(left, least, most));
}

Interrupt::Interrupt() {
    interrupt_requested.store(false);
    answering.store(false);
    listened_to.store(true);
    install_all();
}

Interrupt::~Interrupt() {
    if (set_elsewhere_ != nullptr) return;
    listened_to.store(false);
    if (answering.exchange(false)) set_alarm(std::chrono::microseconds(0));
}

const std::atomic<bool>& Interrupt::flag() const noexcept {
    return set_elsewhere_ == nullptr ? interrupt_requested : *set_elsewhere_;
}

ExitCode interrupted_without_result() {
    fmt::print(stderr, "warpnet: interrupted before there was a result\n");
    return ExitCode::interrupted;
}

void limit_time(WorkLimits& limits, std::optional<std::chrono::milliseconds> time_limit,
                const Interrupt& interrupt) {
    limits.interrupt = &interrupt.flag();
    if (time_limit) limits.deadline = end_of(*time_limit);
}

}  // namespace warpnet::cli

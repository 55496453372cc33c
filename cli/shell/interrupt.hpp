#pragma once

#include "cli/shell/exit_code.hpp"
#include "engine/base/work_limits.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

namespace warpnet::cli {

/// From now on SIGINT (Ctrl-C), SIGTERM and SIGHUP end the program with exit code 130 and a message: at once,
/// or as an Interrupt specifies. A write beyond the limit of the size of a file (ulimit -f) fails, and no
/// signal ends the program. Time limits count from this call. Call it at the start of the program.
void take_signals();

/// If several ranks end together, only the first prints a message. This process is another rank.
void end_silently();

/// The end of a time limit that counts from take_signals() at the start of the program, or else from now.
std::chrono::steady_clock::time_point end_of(std::chrono::milliseconds limit);

/// The remaining time of the limit, at least a millisecond.
std::chrono::milliseconds time_left(std::chrono::milliseconds limit);

/// Ends the program with exit code 4 and a message when that limit is over, for commands that print nothing
/// before they finish. Files that they write keep their old content (write_file()). `answer` is printed on
/// the standard output, unless answer_begins() was called before.
void end_program_after(std::chrono::milliseconds limit, std::string answer = {});

/// While one of these exists, the first SIGINT, SIGTERM or SIGHUP sets a flag instead of ending the program.
/// So a long computation can stop and print its results. A signal more than a second later ends the program
/// at once, and so do five seconds without a reaction to the first signal. At most one exists at a time.
class Interrupt {
  public:
    Interrupt();
    /// Other code handles signals and sets this flag. Any number of these may exist.
    explicit Interrupt(const std::atomic<bool>& set_elsewhere) noexcept : set_elsewhere_(&set_elsewhere) {}
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    const std::atomic<bool>& flag() const noexcept;
    bool requested() const noexcept { return flag().load(); }

  private:
    const std::atomic<bool>* set_elsewhere_ = nullptr;
};

/// Prints a message. Returns the exit code of a command that was interrupted before it had a result.
ExitCode interrupted_without_result();

/// Sets the interrupt and, if given, the deadline of the limits, which counts from the start of the program.
void limit_time(WorkLimits& limits, std::optional<std::chrono::milliseconds> time_limit,
                const Interrupt& interrupt);

}  // namespace warpnet::cli

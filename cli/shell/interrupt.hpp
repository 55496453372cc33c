#pragma once

#include "cli/shell/exit_code.hpp"
#include "engine/base/work_limits.hpp"

#include <atomic>
#include <chrono>
#include <optional>

namespace warpnet::cli {

/// From now on SIGINT (Ctrl-C), SIGTERM and SIGHUP end the program with exit code 130 and a message: at once
/// or as an Interrupt says. This is the time from which limits of time count. For the start of the program.
void take_signals();

/// Of several ranks that are ended together the first says so: this is another one.
void end_silently();

/// When a limit of time is over that counts from the start of the program (if none was taken: from now).
std::chrono::steady_clock::time_point end_of(std::chrono::milliseconds limit);

/// What is left of it until then, at least a millisecond.
std::chrono::milliseconds time_left(std::chrono::milliseconds limit);

/// Ends the program with exit code 4 and a message when that limit is over: for commands that have nothing to
/// print before they are done. What they write to files is then the old content (write_file()).
void end_program_after(std::chrono::milliseconds limit);

/// While one of these exists, the first SIGINT, SIGTERM or SIGHUP sets a flag instead of ending the program,
/// so that a long computation can stop and print what it knows. Another one that comes more than a second
/// later ends the program at once, and so do five seconds in which nothing came of the first. At most one at
/// a time.
class Interrupt {
  public:
    Interrupt();
    /// Other code handles signals and sets this flag. Any number of them may exist.
    explicit Interrupt(const std::atomic<bool>& set_elsewhere) noexcept : set_elsewhere_(&set_elsewhere) {}
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    const std::atomic<bool>& flag() const noexcept;
    bool requested() const noexcept { return flag().load(); }

  private:
    const std::atomic<bool>* set_elsewhere_ = nullptr;
};

/// Says so; the exit code of a command that was interrupted before it had anything to print.
ExitCode interrupted_without_result();

/// Gives limits the deadline that counts from the start of the program, if there is one, and the interrupt.
void limit_time(WorkLimits& limits, std::optional<std::chrono::milliseconds> time_limit,
                const Interrupt& interrupt);

}  // namespace warpnet::cli

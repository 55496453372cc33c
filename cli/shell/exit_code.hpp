#pragma once

namespace warpnet::cli {

/// The exit codes, on which scripts rely.
enum class ExitCode : int {
    done = 0,
    no = 1,         ///< the answer to a question is 'no'
    usage = 2,      ///< wrong flags
    bad_input = 3,  ///< a file or a value is unusable, or a result cannot be written
    limit = 4,  ///< a limit (steps, time, memory) was reached before the answer; known results were printed
    internal_error = 70,
    interrupted = 130,
};

}  // namespace warpnet::cli

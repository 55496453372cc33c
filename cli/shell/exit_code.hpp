#pragma once

namespace warpnet::cli {

/// What scripts rely on.
enum class ExitCode : int {
    done = 0,
    no = 1,         ///< a question was asked and the answer is 'no'
    usage = 2,      ///< wrong flags
    bad_input = 3,  ///< a file or a value that cannot be used, or a result that cannot be written
    limit = 4,  ///< a limit (steps, time, memory) was reached before the answer; what is known was printed
    internal_error = 70,
    interrupted = 130,
};

}  // namespace warpnet::cli

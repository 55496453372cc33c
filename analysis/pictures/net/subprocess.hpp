#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pictures {

/// The exit and the output of a program.
struct ProcessResult {
    int exit_code = 0;  ///< 128 + signal if a signal ended it
    bool timed_out = false;
    bool interrupted = false;
    std::string output;
    std::string errors;
};

/// Runs a program with `input` on its standard input until it ends. Kills it and its processes after `limit`,
/// or if `interrupt` is set. `command` is its name, searched in PATH, and its arguments unchanged: there is
/// no shell. The program ends with this process, even if this process is killed. Throws std::system_error if
/// it cannot be started (no_such_file_or_directory: not installed).
ProcessResult run_process(const std::vector<std::string>& command, std::string_view input,
                          std::chrono::milliseconds limit, const std::atomic<bool>* interrupt = nullptr);

}  // namespace warpnet::pictures

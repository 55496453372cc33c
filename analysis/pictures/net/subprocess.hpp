#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// How a program ended and what it wrote.
struct ProcessResult {
    int exit_code = 0;  ///< 128 + signal where a signal ended it
    bool timed_out = false;
    bool interrupted = false;
    std::string output;
    std::string errors;
};

/// Runs a program with `input` on its standard input until it ends, or kills it and what it has started after
/// `limit`, or when `interrupt` is set. `command` is its name, looked up in PATH, and its arguments as they
/// are: no shell comes between. The program ends with this process, however that ends. Throws
/// std::system_error where it cannot be started (no_such_file_or_directory: not installed).
ProcessResult run_process(const std::vector<std::string>& command, std::string_view input,
                          std::chrono::milliseconds limit, const std::atomic<bool>* interrupt = nullptr);

}  // namespace warpnet

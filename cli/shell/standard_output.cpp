#include "cli/shell/standard_output.hpp"

#include "engine/base/text.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace warpnet::cli {

OutputError::OutputError(int error)
    : runtime_error("cannot write to the standard output" +
                    (error != 0 ? ": " + std::system_category().message(error) : std::string())) {}

void occupy_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) != -1) continue;
        // The lowest free number is this one. The wrong direction, so that using it is an error.
        if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1) return;
    }
}

void print_answer(std::string_view text) { fmt::print("{}", visible(text)); }

void flush_standard_output() {
    // std::cout has no buffer of its own, and would hide the reason.
    errno = 0;
    const int error = std::fflush(stdout) == 0 ? 0 : errno;
    std::cout.flush();
    if (error != 0 || !std::cout || std::ferror(stdout) != 0) throw OutputError(error);
}

}  // namespace warpnet::cli

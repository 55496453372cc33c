#pragma once

#include "cli/shell/exit_code.hpp"

#include <cstdio>

#include <fmt/core.h>

namespace warpnet::cli {

/// Says so; the exit code of a command that was interrupted before it had anything to print.
inline ExitCode interrupted_without_result() {
    fmt::print(stderr, "warpnet: interrupted before there was a result\n");
    return ExitCode::interrupted;
}

}  // namespace warpnet::cli

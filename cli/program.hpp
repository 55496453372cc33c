#pragma once

#include <string_view>

namespace warpnet::cli {

/// Runs the command line of `warpnet` and returns its exit code. --version prints the commit that was built,
/// in 12 hexadecimal digits; empty outside of a Git checkout.
int run_program(int argc, char** argv, std::string_view commit);

}  // namespace warpnet::cli

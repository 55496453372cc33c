#pragma once

namespace warpnet::cli {

/// Runs the command line of `warpnet` and returns its exit code.
int run_program(int argc, char** argv);

}  // namespace warpnet::cli

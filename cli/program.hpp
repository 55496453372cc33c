#pragma once

namespace warpnet::cli {

/// All that `warpnet` does with its command line; its exit code.
int run_program(int argc, char** argv);

}  // namespace warpnet::cli

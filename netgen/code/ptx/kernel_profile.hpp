#pragma once

#include "netgen/code/ptx/tally.hpp"

namespace warpnet {

/// What one warp of a program's kernel executes, and what its addresses and its conditions on the number of
/// the thread say of memory requests and of idle warps.
PtxExecution ptx_kernel_profile(const PtxProgram& program, const PtxOptions& options);

}  // namespace warpnet

#pragma once

#include "netgen/code/ptx/counts.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet {

/// A kernel for the family `sm` from its PTX: one block of as many threads as the PTX demands (else 32), its
/// requests coalesced (a word of n bytes a thread is n sectors a request) and served by DRAM. Launch shape,
/// registers and what is known better are set afterwards. What PTX leaves open and how it is taken:
/// netgen/sm/README.md; instructions without a unit in the model are named in KernelProfile::unknowns.
KernelProfile profile_of_ptx(const PtxExecution& ptx);

/// "3, 5, 8": line numbers for a message; of many the first.
std::string ptx_lines(const std::vector<std::uint32_t>& lines);

}  // namespace warpnet

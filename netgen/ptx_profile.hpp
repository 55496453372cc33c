#pragma once

#include "netgen/kernel_profile.hpp"
#include "netgen/ptx_counts.hpp"

namespace warpnet {

/// A kernel for the family `sm` from its PTX: one block of as many threads as the PTX demands (else 32), its
/// requests coalesced (a word of n bytes a thread is n sectors a request) and served by DRAM. Launch shape,
/// registers and what is known better are set afterwards. What PTX leaves open and how it is taken: SM.md;
/// instructions without a unit in the model are named in KernelProfile::unknowns.
KernelProfile profile_of_ptx(const PtxProfile& ptx);

}  // namespace warpnet

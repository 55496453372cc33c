#pragma once

#include "netgen/code/ptx/module.hpp"

namespace warpnet {

/// Gives accesses through generic addresses (`ld.f32`, which unoptimised PTX is full of) the class of the
/// state space they go to, by where their address can come from: `cvta.shared`, `cvta.local`, `cvta.global`,
/// or a 64-bit kernel parameter, which points to global memory. Registers are followed through moves and
/// arithmetic, whatever the path; an address that may come from two spaces, from memory or from a caller
/// stays global and is marked `unresolved_space`. Linear for what compilers write.
void resolve_ptx_spaces(PtxFunction& function);

}  // namespace warpnet

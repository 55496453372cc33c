#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

namespace warpnet {

class NetSymmetry;

/// Fields for the tokens that a few random runs meet: breadth-first the large counts would come late, when
/// packing again is dear. Under a symmetry (may be null) equivalent places have fields of equal width.
/// The runs end where the limits say so.
PackedLayout first_layout(const CompiledNet& net, Semantics semantics, const NetSymmetry* symmetry,
                          const WorkLimits& limits = {});

}  // namespace warpnet

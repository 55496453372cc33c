#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct DividedNet;

/// Makes each step of one net on all cores of the current arena, part by part. REQUIRES: maximal steps, no
/// stop condition and a policy other than replayed. Part i draws from seed hash_bits(seed, i). A step costs
/// the parts in which something changes, at the speed of the general executor, and the effects across
/// borders. Parts without changes sleep. `whole`: the net that was divided, if the run is observed.
std::unique_ptr<RunInProgress> begin_divided_run(const DividedNet& divided, const CompiledNet* whole,
                                                 const RunOptions& options, Observer* observer);

}  // namespace warpnet

#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct DividedNet;

/// Makes each step of one net on all cores of the present arena, part by part. Needs maximal steps, no stop
/// condition and a policy other than replayed. Part i draws from seed hash_bits(seed, i). Cost of a step:
/// that of the parts in which something changes, by the general executor, and of what crosses their borders;
/// parts in which nothing changes sleep. `whole`: the net that was divided, if the run is observed.
std::unique_ptr<RunInProgress> begin_divided_run(const DividedNet& divided, const CompiledNet* whole,
                                                 const RunOptions& options, Observer* observer);

}  // namespace warpnet

#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct RestartedParts;

/// Runs restarted parts lap by lap, over all cores of the present arena; a lap is a run of modules. Needs
/// what begin_module_run() needs. Lap k of part i draws from seed hash_bits(hash_bits(seed, i), k), unless
/// the draws are `keyed`. Cost: that of the laps, and of at most one more for each part.
std::unique_ptr<RunInProgress> begin_restarted_run(const CompiledNet& net, const RestartedParts& parts,
                                                   const RunOptions& options, Observer* observer);

}  // namespace warpnet

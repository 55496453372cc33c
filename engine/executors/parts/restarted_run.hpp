#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct RestartedParts;

/// Runs restarted parts block run by block run, over all cores of the present arena; a block run is a run of
/// modules. Needs what begin_module_run() needs. BlockRun k of part i draws from seed
/// hash_bits(hash_bits(seed, i), k), unless the draws are `keyed`. Cost: that of the block runs, and of at
/// most one more for each part.
std::unique_ptr<RunInProgress> begin_restarted_run(const CompiledNet& net, const RestartedParts& parts,
                                                   const RunOptions& options, Observer* observer);

}  // namespace warpnet

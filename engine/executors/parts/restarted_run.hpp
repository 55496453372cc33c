#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct RestartedParts;

/// Runs restarted parts block run by block run, on all cores of the current arena. Each block run is executed
/// by the module executor. The requirements are those of begin_module_run(). Block run k of part i draws from
/// seed hash_bits(hash_bits(seed, i), k), unless the draws are `keyed`. It costs the block runs, and at most
/// one unused block run per part.
std::unique_ptr<RunInProgress> begin_restarted_run(const CompiledNet& net, const RestartedParts& parts,
                                                   const RunOptions& options, Observer* observer);

}  // namespace warpnet

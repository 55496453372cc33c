#pragma once

#include "engine/run/execution.hpp"

namespace warpnet {

/// Runs the islands of a net side by side, each by the executor that suits it, over all cores of the present
/// arena. Needs CompiledNet::islands, maximal steps, no stop condition and a policy other than replayed.
/// Island i draws from seed hash_bits(seed, i). Cost: that of its islands, and a meeting of all every 1024
/// steps.
std::unique_ptr<Execution> begin_island_run(const CompiledNet& net, const RunOptions& options,
                                            Observer* observer);

}  // namespace warpnet

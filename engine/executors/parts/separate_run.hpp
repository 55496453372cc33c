#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct SeparateParts;

/// Runs the parts of a net side by side, each by the executor that suits it, over all cores of the present
/// arena. Needs maximal steps, no stop condition and a policy other than replayed. Part i draws from seed
/// hash_bits(seed, i). Cost: that of its parts, and a meeting of all every 1024 steps.
std::unique_ptr<RunInProgress> begin_separate_run(const CompiledNet& net, const SeparateParts& parts,
                                                  const RunOptions& options, Observer* observer);

}  // namespace warpnet

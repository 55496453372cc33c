#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct SeparateParts;

/// Runs the unconnected parts of a net in parallel, each with the executor that suits it, on all cores of the
/// current arena. REQUIRES: maximal steps, no stop condition and a policy other than replayed. Part i draws
/// from seed hash_bits(seed, i). It costs the parts, and a meeting of all parts every 1024 steps. The run
/// ends with the last part.
std::unique_ptr<RunInProgress> begin_separate_run(const CompiledNet& net, const SeparateParts& parts,
                                                  const RunOptions& options, Observer* observer);

}  // namespace warpnet

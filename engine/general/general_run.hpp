#pragma once

#include "engine/run/execution.hpp"

namespace warpnet {

/// The general executor: every net, semantics, policy and observer. Cost: see run().
std::unique_ptr<Execution> begin_general_run(const CompiledNet& net, const RunOptions& options,
                                             Observer* observer);

}  // namespace warpnet

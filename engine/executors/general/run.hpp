#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct GeneralNet;

/// The general executor, for every net, semantics, policy and observer. See ExecutorKind for its cost. Calls
/// prepare_general() if `general` is null.
std::unique_ptr<RunInProgress> begin_general_run(const CompiledNet& net,
                                                 std::shared_ptr<const GeneralNet> general,
                                                 const RunOptions& options, Observer* observer);

}  // namespace warpnet

#pragma once

#include "engine/run/executor.hpp"

namespace warpnet {

struct GeneralNet;

/// The general executor: every net, semantics, policy and observer. Cost: see ExecutorKind. Where `general`
/// is null, prepare_general() is called.
std::unique_ptr<RunInProgress> begin_general_run(const CompiledNet& net,
                                                 std::shared_ptr<const GeneralNet> general,
                                                 const RunOptions& options, Observer* observer);

}  // namespace warpnet

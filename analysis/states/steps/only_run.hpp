#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

/// A run to a dead marking and what fired in it.
struct CompleteRun {
    std::uint64_t steps = 0;
    Schedule schedule;
};

/// The only run of a net under a policy that serves parts (serves_parts()): none where the run does not die
/// within the options' limits, or where transitions of one part compete in it, so that the part has a choice
/// that the policy leaves open. Kernels given as instruction strings have no such choice. O(steps x arcs).
std::optional<CompleteRun> only_run(const CompiledNet& net, const RunOptions& options);

}  // namespace warpnet

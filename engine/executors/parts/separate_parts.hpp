#pragma once

#include "engine/executors/parts/net_part.hpp"
#include "engine/run/executor.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace warpnet {

/// A part of a net that no arc connects to the rest.
struct SeparatePart {
    NetPart nodes;
    std::shared_ptr<const Executor> executor;  ///< shared by equal parts
};

/// A net that consists of several unconnected parts.
struct SeparateParts {
    std::vector<SeparatePart> parts;  ///< every transition is in one of them
    std::size_t kinds = 0;            ///< distinct ones
};

/// Chooses the executor of a part.
using PlanPart = std::function<std::shared_ptr<const Executor>(NetArcs)>;

/// The unconnected parts of a net, with very small ones bundled. Equal parts share one compiled net: the 132
/// SMs of a whole GPU are one compiled SM and 132 runs. Returns null if there are fewer than two parts, or if
/// the net has immediate transitions or priorities. O(n log n) in arcs, plus plan_part() once per kind.
std::shared_ptr<const SeparateParts> find_separate_parts(const CompiledNet& net, const PartOptions& options,
                                                         const PlanPart& plan_part);

/// Runs the unconnected parts of a net in parallel, each with the executor that suits it, on all cores of the
/// current arena. REQUIRES: maximal steps, no stop condition and a policy other than replayed. Part i draws
/// from seed hash_bits(seed, i). It costs the parts, and a meeting of all parts every 1024 steps. The run
/// ends with the last part.
std::unique_ptr<RunInProgress> begin_separate_run(const CompiledNet& net, const SeparateParts& parts,
                                                  const RunOptions& options, Observer* observer);

}  // namespace warpnet

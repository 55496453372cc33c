#pragma once

#include "engine/executors/parts/net_part.hpp"
#include "engine/run/executor.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace warpnet {

/// A part of a net that no arc connects with the rest.
struct SeparatePart {
    NetPart nodes;
    std::shared_ptr<const Executor> executor;  ///< the same one for parts that are equal
};

/// A net that falls apart.
struct SeparateParts {
    std::vector<SeparatePart> parts;  ///< all transitions stand in one of them
    std::size_t kinds = 0;            ///< different ones
};

/// Finds out how a part is best run.
using PlanPart = std::function<std::shared_ptr<const Executor>(NetArcs)>;

/// The parts of a net that nothing connects, very small ones bundled; null where there are not two of them,
/// or where there are immediate transitions or priorities. O(n log n) in arcs, plus plan_part() once a kind.
std::shared_ptr<const SeparateParts> find_separate_parts(const CompiledNet& net, const PartOptions& options,
                                                         const PlanPart& plan_part);

}  // namespace warpnet

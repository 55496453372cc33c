#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// A basic block of a general control-flow graph.
struct CfgNode {
    std::string id;
    std::int64_t time = 0;                     ///< worst-case steps of the block alone
    std::vector<std::size_t> successors = {};  ///< indices of nodes; of two, the first is the true side
    std::optional<std::int64_t> loop_bound =
        {};  ///< of a loop header: how often it runs per entry, 1 or more
    bool operator==(const CfgNode&) const = default;
};

/// Nodes in any order but that the first is the entry. Nodes without successors leave the kernel.
struct ControlFlowGraph {
    std::vector<CfgNode> nodes;
    bool operator==(const ControlFlowGraph&) const = default;
};

}  // namespace warpnet

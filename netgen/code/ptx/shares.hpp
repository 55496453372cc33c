#pragma once

#include "netgen/code/ptx/report.hpp"
#include "netgen/code/ptx/values/flow.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::netgen {

/// A node of an acyclic graph: its successors, and the share of the first one if it chooses between two. A
/// node without a share leads to all successors, as a warp does whose lanes part.
struct PtxFork {
    std::vector<std::size_t> next = {};  ///< its successors; with a share exactly two
    std::optional<double> taken = {};    ///< 0 … 1
};

/// Of the passes that begin at node 0, the share that reaches each node, if choices are independent. Nodes
/// are in topological order. Exact: the condition for reaching a node is a binary decision diagram
/// [Bryant86], whose size for nested ifs is their depth. Throws InputError (with `where`) above a million
/// nodes of diagrams.
std::vector<double> reach_shares(const std::vector<PtxFork>& graph, const std::string& where);

/// The given share of executions in which the branch at the end of a block is taken, if there is one.
std::optional<double> given_ptx_share(const PtxOptions& options, const PtxFunction& function,
                                      const PtxFlow& flow, std::uint32_t block);

/// Whether a share can be given for the branch at the end of a block: it has a condition and a label, and
/// does not decide how often a loop runs.
bool takes_ptx_share(const PtxFunction& function, const PtxFlow& flow, std::uint32_t block);

/// Throws InputError if a share is given together with PtxPaths::longest, or for a label to which no such
/// branch of any function leads. The message names the valid labels.
void check_ptx_shares(const PtxModule& module, const PtxOptions& options);

}  // namespace warpnet::netgen

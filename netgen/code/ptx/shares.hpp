#pragma once

#include "netgen/code/ptx/report.hpp"
#include "netgen/code/ptx/values/flow.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::netgen {

/// A node of an acyclic graph: where it leads, and if it chooses between two ways, how often it takes the
/// first. A node without a share leads everywhere, as a warp does whose lanes part.
struct PtxFork {
    std::vector<std::size_t> next = {};  ///< nodes behind it; with a share exactly two
    std::optional<double> taken = {};    ///< 0 … 1
};

/// Of the passes that begin at node 0, the share that reaches each node, choices being independent of one
/// another. Nodes are in topological order. Exact: the condition under which a node is reached is a binary
/// decision diagram [Bryant86], whose size for nested ifs is their depth. Throws InputError (with `where`)
/// above a million nodes of diagrams.
std::vector<double> reach_shares(const std::vector<PtxFork>& graph, const std::string& where);

/// The share of executions in which the branch at the end of a block is taken, if one is given for it.
std::optional<double> given_ptx_share(const PtxOptions& options, const PtxFunction& function,
                                      const PtxFlow& flow, std::uint32_t block);

/// Whether a share can be given for the branch at the end of a block: it has a condition and a label, and
/// does not decide how often a loop runs.
bool takes_ptx_share(const PtxFunction& function, const PtxFlow& flow, std::uint32_t block);

/// Throws InputError if a share is given for a label to which no such branch of any function leads, naming
/// those that are there, or together with PtxPaths::longest.
void check_ptx_shares(const PtxModule& module, const PtxOptions& options);

}  // namespace warpnet::netgen

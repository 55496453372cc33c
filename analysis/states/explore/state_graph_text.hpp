#pragma once

#include "analysis/states/explore/coverability_graph.hpp"
#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/step_graph.hpp"

#include <cstdint>
#include <string>

namespace warpnet::states {

// The graph of an exploration, or a coverability graph, as text. States are numbered breadth-first from 0,
// the initial marking; edges carry the transitions that fire, joined by '+', repeated ones as in `2*t`.
// Quotation marks become apostrophes.

/// Aldebaran's format of labelled transition systems: `des (0, edges, states)`, then one line `(from,
/// "label", to)` per edge, with transitions by their ids.
std::string state_graph_aut(const Net& net, const CompiledNet& compiled, Semantics semantics,
                            const Exploration& explored, const StepGraph& graph);

/// Graphviz text: nodes show the marking, dead ones have a double border. For people: places and transitions
/// by their own names if they have any, see NodeNames.
std::string state_graph_dot(const Net& net, const CompiledNet& compiled, Semantics semantics,
                            const Exploration& explored, const StepGraph& graph);

std::string coverability_graph_aut(const Net& net, const CoverabilityGraph& graph);
/// With ω for any number of tokens.
std::string coverability_graph_dot(const Net& net, const CoverabilityGraph& graph);

/// Bytes of the text of state_graph_aut(), about.
std::uint64_t state_graph_aut_bytes(const Net& net, const Exploration& explored);

}  // namespace warpnet::states

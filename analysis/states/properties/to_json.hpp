#pragma once

#include "analysis/states/explore/coverability_graph.hpp"
#include "analysis/states/properties/answers.hpp"
#include "analysis/states/properties/figures.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::states {

/// The firings of each step: an array of arrays of ids.
nlohmann::ordered_json to_json(const Net& net, const Schedule& schedule);

/// The places that hold tokens.
nlohmann::ordered_json to_json(const Net& net, const Marking& marking);

nlohmann::ordered_json to_json(const Net& net, const StateFigures& figures);

/// Figures only: nodes, edges, and the bound of each place, null for any number.
nlohmann::ordered_json to_json(const Net& net, const CoverabilityGraph& graph);

/// `single`: the only question, with its witness, besides the states; otherwise an array of all.
nlohmann::ordered_json to_json(const Net& net, Semantics semantics, const std::vector<Property>& properties,
                               const Answers& answers, bool single);

}  // namespace warpnet::states

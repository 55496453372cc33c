#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/properties/answers.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::states {

/// How hard, and in which ways, the answers to questions are searched. Switching a part off changes no answer
/// that is known, but it may leave an answer unknown.
struct AskOptions {
    ExploreOptions explore = {};
    /// `one_by_one`: no decision diagram. `diagrams`: decision diagrams with any effort, after
    /// `first_states`, and nothing else; REQUIRES interleaving.
    ExploreEngine engine = ExploreEngine::automatic;
    /// The number of markings that are explored before any other part runs, for a shortest witness; fewer in
    /// a net of more than 500 nodes.
    std::uint64_t first_states = 10'000;
    bool witnesses = true;
    std::uint64_t seed = 1;  ///< of random runs
    /// Visits of nodes of decision diagrams, some millions per second; 0: no limit.
    std::uint64_t diagram_effort = 30'000'000;
    bool random_runs = true;  ///< which parts may run
    bool decision_diagrams = true;
    bool state_equation = true;
    bool guided_search = true;
    bool reductions = true;
    /// The number of markings of nets reduced for one question each, divided among the open ones; at least
    /// 20,000 for each. 0: only one net is reduced, for all questions together.
    std::uint64_t reduced_states = 2'000'000;
    bool path_rules = true;        ///< formulas about paths by rules of the net
    bool partial_graph = true;     ///< formulas about paths in the part that an exploration has seen
    bool local_evaluation = true;  ///< formulas about paths in the markings that they ask about
    bool stubborn_sets = true;     ///< within guided search
    bool symmetry = true;          ///< markings that no question distinguishes are explored as one
};

/// Answers questions about the reachable markings, all together. An answer that is unknown when a limit of
/// the options is reached stays open. Witnesses have been replayed. Threads, errors, ranks and costs are
/// those of explore(); formulas about paths take the memory of a StepGraph and a ModelChecker.
Answers ask(const Net& net, const std::vector<Property>& properties, const AskOptions& options);

}  // namespace warpnet::states

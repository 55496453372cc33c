#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/properties/answers.hpp"
#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

struct AskOptions {
    ExploreOptions explore = {};
    /// `one_by_one`: no decision diagram. `diagrams`: decision diagrams with any effort, after
    /// `first_states`, and nothing else; REQUIRES interleaving.
    ExploreEngine engine = ExploreEngine::automatic;
    /// So many markings are explored before any other part is tried, for a shortest witness.
    std::uint64_t first_states = 50'000;
    bool witnesses = true;
    std::uint64_t seed = 1;  ///< of random runs
    /// Looks at nodes of decision diagrams, some millions of them per second; 0: any number.
    std::uint64_t diagram_effort = 30'000'000;
    bool random_runs = true;  ///< which parts may be asked
    bool decision_diagrams = true;
    bool state_equation = true;
    bool guided_search = true;
    bool reductions = true;
    /// So many markings of nets reduced for one question, divided among those that are open; 20,000 for each
    /// at least. 0: one net is reduced for all questions together, no others.
    std::uint64_t reduced_states = 2'000'000;
    bool stubborn_sets = true;  ///< within guided search
    bool symmetry = true;       ///< markings that no question tells apart are explored as one
};

/// Answers questions about the reachable markings, all together. What is not known when a limit of the
/// options is reached stays open. Witnesses have been replayed. Threads, errors, ranks and costs are those of
/// explore(); formulas that speak of paths take the memory of a StepGraph and a ModelChecker.
Answers ask(const Net& net, const std::vector<Property>& properties, const AskOptions& options);

}  // namespace warpnet

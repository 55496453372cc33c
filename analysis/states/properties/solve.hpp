#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/properties/property_answer.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

struct SolveOptions {
    ExploreOptions explore = {};
    /// So many markings are explored before anything else is tried, for a shortest witness.
    std::uint64_t first_states = 50'000;
    bool witnesses = true;
    std::uint64_t seed = 1;  ///< of random runs
    /// Looks at nodes of decision diagrams, some millions of them a second; 0: any number.
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

/// How the exploration ended that answers rest on.
struct SolveSummary {
    std::vector<PropertyAnswer> answers;  ///< one for each property
    std::uint64_t states = 0;             ///< of the largest exploration; 2^64-1: so many or more
    std::uint64_t orbits = 0;             ///< so many of them were kept, by symmetry; 0: there was none
    std::optional<WorkEnd> stop = {};     ///< why it ended; nothing: none was needed
};

/// Answers questions about the reachable markings, all together. What is not known when a limit of the
/// options is reached stays open. Threads, errors and costs are those of explore(); formulas that speak of
/// paths take the memory of a StepGraph and a ModelChecker.
SolveSummary solve(const Net& net, const CompiledNet& compiled, const std::vector<Property>& properties,
                   const SolveOptions& options);

}  // namespace warpnet

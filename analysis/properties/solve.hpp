#pragma once

#include "analysis/explore/explore.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/condition/property.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet {

/// The parts that find answers, in the order in which they are asked.
enum class AnswerPart : std::uint8_t {
    initial_marking,    ///< the initial marking alone
    first_exploration,  ///< the markings near the initial one
    random_runs,        ///< runs that choose at random
    decision_diagrams,  ///< all markings at once, as a decision diagram
    state_equation,     ///< what no marking can be by the state equation and traps
    guided_search,      ///< the markings that seem nearest first, by stubborn sets
    reductions,         ///< smaller nets, each of which keeps what a question depends on
    exploration,        ///< all markings, or as many as were needed
    state_graph,        ///< the graph of all steps
};

std::string_view to_string(AnswerPart part);

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

/// What was found out about a property.
struct PropertyAnswer {
    std::optional<bool> holds = {};          ///< of all kinds but maximum and minimum; nothing: not known
    std::optional<std::int64_t> value = {};  ///< of maximum and minimum: the value, or the best one seen
    bool exact = false;                      ///< `value` is the maximum or minimum
    AnswerPart by = AnswerPart::initial_marking;   ///< who found out, where it is known
    std::optional<Schedule> witness = {};          ///< steps that show the answer, where steps do
    bool shortest = false;                         ///< no shorter witness exists
    std::optional<std::size_t> repeats_from = {};  ///< the witness goes on for ever: from after so many steps
    std::vector<std::uint32_t> nodes = {};         ///< stable places; transitions that are not (quasi-)live

    bool known() const noexcept { return holds.has_value() || exact; }
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

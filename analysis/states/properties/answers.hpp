#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/run/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet::states {

/// The parts that find answers, the first ones in the order in which they are asked.
enum class AnswerPart : std::uint8_t {
    initial_marking,    ///< the initial marking alone
    path_rules,         ///< rules about the paths of the net
    first_exploration,  ///< the markings near the initial one
    random_runs,        ///< runs that choose at random
    decision_diagrams,  ///< all markings at once, as a decision diagram
    state_equation,     ///< values that no marking can have by the state equation and traps
    guided_search,      ///< the markings that seem nearest first, with stubborn sets
    reductions,         ///< smaller nets, each of which preserves the answer to a question
    exploration,        ///< all markings, or as many as were needed
    state_graph,        ///< the graph of all steps
    local_evaluation,   ///< the markings that the operators of a formula ask about
    partial_graph,      ///< the graph of the steps between some markings
    invariants,         ///< of boundedness: weightings of the places that no transition adds to
    pumping,            ///< of boundedness and maxima: steps that add tokens each time they are repeated
};

std::string_view to_string(AnswerPart part);

/// The result for one property.
struct PropertyAnswer {
    std::optional<bool> holds = {};               ///< of all kinds but maximum and minimum; nothing: unknown
    std::optional<std::int64_t> value = {};       ///< of maximum and minimum: the value, or the best one seen
    bool exact = false;                           ///< `value` is the maximum or minimum
    bool unbounded = false;                       ///< there is no maximum or minimum: the witness shows it
    AnswerPart by = AnswerPart::initial_marking;  ///< the part that answered, if the answer is known
    std::optional<Schedule> witness = {};         ///< steps that prove the answer, if steps can
    bool shortest = false;                        ///< no shorter witness exists
    std::optional<std::size_t> repeats_from = {};  ///< the steps after this number repeat forever
    /// Stable places; transitions that are not (quasi-)live; places that grow when the witness repeats.
    std::vector<std::uint32_t> nodes = {};

    bool known() const noexcept { return holds.has_value() || exact || unbounded; }
};

/// The answers to some properties, and the end of the exploration on which they rest.
struct Answers {
    std::vector<PropertyAnswer> of;    ///< one for each property
    std::uint64_t states = 0;          ///< of the largest exploration; 2^64-1: that many or more
    std::uint64_t orbits = 0;          ///< markings that were kept, by symmetry; 0: there was none
    std::optional<WorkEnd> stop = {};  ///< why it ended; nothing: none was needed
};

}  // namespace warpnet::states

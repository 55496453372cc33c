#pragma once

#include "engine/run/replay.hpp"

#include <cstddef>
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

}  // namespace warpnet

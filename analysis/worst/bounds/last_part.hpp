#pragma once

#include "analysis/states/linear/linear_program.hpp"
#include "analysis/worst/bounds/module_steps.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace warpnet {

/// What the part that moves last remembers: for how many steps since it was last served after a wait, and
/// how many steps before the end of a wait it knows of it.
struct LastPartMemory {
    std::uint32_t steps_served;
    std::uint32_t steps_waiting;
};

/// The moves of the part that moves last, its states multiplied by what it remembers.
struct LastPart {
    struct Move {
        std::uint32_t from, to;
        std::uint32_t move;  ///< of its ModuleSteps
        bool ends;
    };
    std::vector<Move> moves;
    std::uint32_t states = 0;
    std::uint32_t start = 0;
};

LastPart last_part(const ModuleSteps& steps, std::uint32_t start, LastPartMemory memory);

/// The other parts, or those of one kind.
struct Others {
    const ModuleSteps* steps;
    std::int64_t parts;
    std::vector<std::pair<std::uint32_t, std::int64_t>> starts;  ///< state, how many begin there
    std::vector<Tokens> supplies;                                ///< of all together
};

/// Adds a column for each move of the part that moves last, worth a step, in their order, and a row for each
/// of its supplies.
void add_last_part(LinearProgram& program, const ModuleSteps& steps, const LastPart& last,
                   const std::vector<Tokens>& supplies);

/// A row for each supply: what is there of it, all of which is used up where that is so of every part.
std::vector<std::uint32_t> add_supply_rows(LinearProgram& program, const ModuleSteps& steps,
                                           const std::vector<Tokens>& supplies, std::int64_t times = 1);

}  // namespace warpnet

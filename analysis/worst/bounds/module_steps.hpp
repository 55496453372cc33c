#pragma once

#include "analysis/states/linear/linear_program.hpp"
#include "analysis/worst/bounds/module_graph.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpnet::worst {

/// The behaviour of the modules of one kind, step by step, without the rest of their supplies: every walk of
/// a module is a walk here, but not vice versa.
struct ModuleSteps {
    struct Move {
        std::uint32_t from, to;
        std::uint8_t holds;  ///< tokens of the hub held or taken in this step
        bool waits;          ///< for the hub
        bool rests;          ///< has ended
    };
    std::vector<Move> moves;
    Rows<PlaceWeight> uses;            ///< per move: tokens taken from supplies, by number of the supply
    std::vector<std::uint8_t> ended;   ///< per state: whether a module may have ended there
    std::vector<std::uint32_t> start;  ///< per class in `classes`: its first state
    std::vector<std::uint32_t> classes;
    /// Per supply: whether a module that has ended has used all of it.
    std::vector<std::uint8_t> used_up;
};

/// The numbers of the moves that leave each state.
template <class Move>
Rows<std::uint32_t> moves_by_state(const std::vector<Move>& moves, std::size_t states) {
    return Rows<std::uint32_t>::sorted(states, [&](auto put) {
        for (std::uint32_t move = 0; move < moves.size(); ++move) put(moves[move].from, move);
    });
}

/// One for each kind among the classes. `hub` is the number of the only hub for which modules wait. Nothing
/// if some module waits for more than one token of it or for another hub as well, or if there would be more
/// than `most_states` states. Waiting for the hubs marked in `ample` takes no time.
std::optional<std::vector<ModuleSteps>> module_steps(const CompiledNet& net, const ModuleNet& parts,
                                                     const ModuleGraph& graph,
                                                     const std::vector<ModuleClass>& classes,
                                                     std::uint32_t hub,
                                                     const std::vector<std::uint8_t>& ample,
                                                     std::size_t most_states);

/// The memory of the part that moves last: for how many steps since it was last served after a wait, and how
/// many steps before the end of a wait it knows of it.
struct LastPartMemory {
    std::uint32_t steps_served;
    std::uint32_t steps_waiting;
};

/// The moves of the part that moves last, its states multiplied by its memories.
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
    std::vector<std::pair<std::uint32_t, std::int64_t>> starts;  ///< state, number of parts that begin there
    std::vector<Tokens> supplies;                                ///< of all together
};

/// Adds a column for each move of the part that moves last, each worth one step, in order, and a row for each
/// of its supplies.
void add_last_part(states::LinearProgram& program, const ModuleSteps& steps, const LastPart& last,
                   const std::vector<Tokens>& supplies);

/// A row for each supply: its tokens, all of which are used if every part uses all of its own.
std::vector<std::uint32_t> add_supply_rows(states::LinearProgram& program, const ModuleSteps& steps,
                                           const std::vector<Tokens>& supplies, std::int64_t times = 1);

}  // namespace warpnet::worst

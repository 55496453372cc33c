#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace warpnet::states {

/// The places of a net divided among the levels of a decision diagram, lowest first, and the effects of
/// transitions there. Every condition and effect of an arc is about one place, so a transition can fire
/// exactly if it can on each level separately, and it changes each level separately.
///
/// The content of a level, a *state*, is numbered when it is first met.
class DiagramLevels {
  public:
    /// The effect of transitions on one level, by its position among the different ones of the level.
    struct Move {
        std::uint32_t level;
        std::uint32_t slot;
    };
    /// The effect on one level and on those below. Transitions with the same effects have the same tails, so
    /// they are fired as one.
    struct Tail {
        Move move;
        std::uint32_t rest;  ///< the tail on the levels below
    };
    static constexpr std::uint32_t no_tail = 0;  ///< no effect at all
    static constexpr std::uint32_t disabled = 0xFFFF'FFFE;

    /// `places`: per level, each place once. The net must outlive this.
    DiagramLevels(const CompiledNet& net, std::vector<std::vector<std::uint32_t>> places);

    std::size_t size() const noexcept { return levels_.size(); }
    std::span<const std::uint32_t> places(std::size_t level) const noexcept { return levels_[level].places; }
    std::uint32_t level_of(std::uint32_t place) const noexcept { return level_of_[place]; }
    std::uint32_t position_of(std::uint32_t place) const noexcept { return position_of_[place]; }
    std::size_t state_count(std::size_t level) const noexcept { return levels_[level].states.size(); }

    /// Bytes of all states, about.
    std::uint64_t bytes() const noexcept { return bytes_; }

    /// Sets the level's places in a marking to the tokens of a state.
    void put(std::size_t level, std::uint32_t state, std::span<Tokens> marking) const noexcept {
        const Level& here = levels_[level];
        for (std::size_t i = 0; i < here.places.size(); ++i)
            marking[here.places[i]] = (*here.states[state])[i];
    }
    Tokens tokens(std::size_t level, std::uint32_t state, std::uint32_t position) const noexcept {
        return (*levels_[level].states[state])[position];
    }
    /// The state of a level in a marking.
    std::uint32_t state_in(std::size_t level, std::span<const Tokens> marking);

    /// The whole effect of a transition, from the highest level on which it has arcs.
    std::uint32_t tail_of(std::uint32_t transition) const noexcept { return tail_of_[transition]; }
    /// REQUIRES: not `no_tail`.
    const Tail& tail(std::uint32_t number) const noexcept { return tails_[number]; }
    /// The tails of these transitions, each once, by the highest level; `no_tail` is left out.
    std::vector<std::vector<std::uint32_t>> tails_by_level(std::span<const std::uint32_t> transitions) const;
    /// The tails of all transitions.
    const std::vector<std::vector<std::uint32_t>>& tails_by_level() const noexcept { return tails_by_level_; }
    /// The state after the transition has fired in a state; `disabled` if it cannot. Throws LimitReached on
    /// overflow. Constant time except for the first time.
    std::uint32_t target(Move move, std::uint32_t state) {
        std::vector<std::uint32_t>& known = levels_[move.level].targets[move.slot];
        if (state >= known.size()) known.resize(levels_[move.level].states.size(), unknown);
        if (known[state] == unknown) {
            const std::uint32_t found = find_target(move, state);
            levels_[move.level].targets[move.slot][state] = found;
            return found;
        }
        return known[state];
    }
    bool enabled(Move move, std::uint32_t state) { return target(move, state) != disabled; }

  private:
    static constexpr std::uint32_t unknown = 0xFFFF'FFFF;

    struct Level {
        std::vector<std::uint32_t> places;
        CompiledNet part;  // these places and the transitions around them
        std::map<Marking, std::uint32_t> numbers;
        std::vector<const Marking*> states;               // keys of `numbers`
        std::vector<std::vector<std::uint32_t>> targets;  // per slot and state
    };
    std::uint32_t number(Level& level, Marking tokens);
    std::uint32_t find_target(Move move, std::uint32_t state);

    std::vector<Level> levels_;
    std::vector<std::uint32_t> level_of_, position_of_;  // per place
    std::vector<Tail> tails_ = {{{0, 0}, no_tail}};      // `no_tail` first
    std::vector<std::uint32_t> tail_of_;                 // per transition
    std::vector<std::vector<std::uint32_t>> tails_by_level_;
    std::uint64_t bytes_ = 0;
};

/// The places of each level of a decision diagram, lowest level first.
using LevelOrder = std::vector<std::vector<std::uint32_t>>;

/// Orders worth trying, all different: the size of the diagram cannot be predicted. First, places that share
/// few tokens by an invariant are one level; then each place is. For each, the first order is that of the
/// file, in which the places of a part are mostly together. In three further orders, levels that share
/// transitions are near each other. They come from Sloan's algorithm on the graph of places and transitions
/// [Meijer16], from the file, and from the algorithm of Cuthill and McKee. FORCE [Aloul03] improves all
/// three. Each order has that end up with which transitions reach less high, weighted by their spans
/// [Siminiceanu06]. O(arcs) per round of FORCE, 100 rounds at most.
std::vector<LevelOrder> level_orders(const CompiledNet& net);

}  // namespace warpnet::states

#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Finds sets of places that share one token. Such a set holds at most one token in the initial marking, and
/// no firing gives it a token without taking one from it. The program counters of a warp are an example. (The
/// place `wait` of a delay gadget counts as holding one token, although the gadget keeps more tokens there
/// while it runs.)
///
/// Every set that is found is proven, because the two conditions above form an inductive invariant (a place
/// invariant with weights 0 and 1 in which the firings may lose tokens). The search is incomplete: it grows a
/// set from one place and never backtracks. All sets of a net together cost O(arcs) work, since a budget ends
/// the search.
class ExclusivePlaces {
  public:
    explicit ExclusivePlaces(const CompiledNet& net);

    /// A set that contains this place, ascending; empty if none is found.
    std::vector<std::uint32_t> around(std::uint32_t place);
    /// The consumers of a place.
    std::span<const std::uint32_t> consumers(std::uint32_t place) const { return consumers_[place]; }

  private:
    bool add(std::uint32_t place);
    bool balance(std::uint32_t transition);
    std::uint32_t choose_input(std::uint32_t transition);
    bool is_hopeless(std::uint32_t place);
    std::uint32_t nearest_candidate();
    void reach(std::uint32_t place);
    bool is_inside(std::uint32_t place) const { return set_of_[place] == set_; }
    bool is_balanced_with(std::uint32_t place);
    /// The token that waits in a gadget has become `length` tokens when the gadget ends.
    Tokens taken_by(std::uint32_t transition, std::int32_t weight) const {
        return is_done_[transition] != 0 ? 1 : weight;
    }
    Tokens taken(std::uint32_t transition) const;
    Tokens given(std::uint32_t transition) const;
    Tokens tokens_in(std::uint32_t place) const { return is_wait_[place] != 0 ? 1 : net_.initial[place]; }

    const CompiledNet& net_;
    Rows<std::uint32_t> consumers_;           // per place
    Rows<std::uint32_t> producers_;           // per place; without the tick of a gadget
    std::vector<std::uint8_t> is_done_;       // per transition: it ends a gadget
    std::vector<std::uint8_t> is_wait_;       // per place: it belongs to a gadget that runs initially
    std::vector<std::uint32_t> set_of_;       // per place: the last set that contained it
    std::vector<std::uint32_t> hopeless_in_;  // per place: the last set that could not contain it
    /// Per place: the producer that was last found unbalanced. It is checked first.
    std::vector<std::uint32_t> unbalanced_;
    std::vector<std::uint32_t> reached_in_;  // per place: the last set whose search reached it
    std::vector<std::size_t> distance_;      // per place: position in reached_
    std::size_t work_left_;                  // rows of transitions that may still be read
    // The set under construction.
    std::uint32_t set_ = 0;
    Tokens tokens_ = 0;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> candidates_;
    std::vector<std::uint32_t> reached_;  // nearest first
    std::size_t expanded_ = 0;            // how many of them have been expanded
};

}  // namespace warpnet

#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Finds places that share one token: sets that hold at most one in the initial marking, and get none from a
/// firing that does not take one from them. The program counters of a warp are such a set. (In the place
/// `wait` of a delay gadget there is one token, however many the gadget keeps there while it runs.)
///
/// What is found is proven. Not all that could be proven is found: a set is grown from one place and never
/// looks back, and all sets together take O(arcs of the net) work.
class ExclusivePlaces {
  public:
    explicit ExclusivePlaces(const CompiledNet& net);

    /// Such a set with this place in it, ascending; empty where none is found.
    std::vector<std::uint32_t> around(std::uint32_t place);
    /// The transitions that take from a place.
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
    /// Of a token that waits in a gadget when it ends there are `length` in the net.
    Tokens taken_by(std::uint32_t transition, std::int32_t weight) const {
        return is_done_[transition] != 0 ? 1 : weight;
    }
    Tokens taken(std::uint32_t transition) const;
    Tokens given(std::uint32_t transition) const;
    Tokens tokens_in(std::uint32_t place) const { return is_wait_[place] != 0 ? 1 : net_.initial[place]; }

    const CompiledNet& net_;
    Rows<std::uint32_t> consumers_;           // per place
    Rows<std::uint32_t> producers_;           // per place; the tick of a gadget is none
    std::vector<std::uint8_t> is_done_;       // per transition: of a gadget
    std::vector<std::uint8_t> is_wait_;       // per place: of a gadget that runs initially
    std::vector<std::uint32_t> set_of_;       // per place: the number of the last set it was in
    std::vector<std::uint32_t> hopeless_in_;  // per place: the last set that it could not be in
    /// Per place: which of its producers was found unbalanced last, to be looked at first.
    std::vector<std::uint32_t> unbalanced_;
    std::vector<std::uint32_t> reached_in_;  // per place: the last set from whose first place it was reached
    std::vector<std::size_t> distance_;      // per place: position in reached_
    std::size_t work_left_;                  // rows of transitions to be looked at
    // The set that is grown.
    std::uint32_t set_ = 0;
    Tokens tokens_ = 0;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> candidates_;
    std::vector<std::uint32_t> reached_;  // nearest first
    std::size_t expanded_ = 0;            // how many of these have been left along all arcs
};

}  // namespace warpnet

#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/general/candidate_sets.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Which transitions are *candidates*, all of whose conditions hold but those on hubs, and what they want of
/// shared places together. A shared place is *over* while that is more than it has: only transitions that
/// take from such a place are in conflict.
class Candidates {
  public:
    /// All conditions count as unmet. `marking`: the tokens of the places, where they are looked up. `rows`:
    /// the row in which a place is listed where it is over, below `row_count`; none: row 0.
    Candidates(const CompiledNet& net, const Tokens* marking, std::span<const std::uint32_t> rows,
               std::size_t row_count);

    CandidateSets& sets() noexcept { return sets_; }
    bool contains(std::uint32_t transition) const noexcept { return unmet_[transition] == 0; }

    /// For shared places, hubs included.
    bool is_over(std::uint32_t place) const noexcept { return demand_[place] > marking_[place]; }
    /// What the candidates want of a shared place together.
    Tokens demand(std::uint32_t place) const noexcept { return demand_[place]; }
    /// The rows in which shared places may be over, hubs left out; valid until the next change.
    std::span<const std::uint32_t> over_rows() const noexcept { return over_rows_; }
    /// Those of a row that are; valid until the next change.
    std::span<const std::uint32_t> over_places(std::uint32_t row) {
        drop_served(over_[row]);
        return over_[row];
    }
    /// Takes rows out of over_rows() in which over_places() found none.
    void drop_served_rows() {
        std::erase_if(over_rows_, [&](std::uint32_t row) { return over_[row].empty(); });
    }
    /// Whether its demand is kept: a place with several takers that is no hub.
    bool is_contestable(std::uint32_t place) const noexcept { return (contest_[place] & contestable) != 0; }
    /// A contestable place has fewer tokens than before, or is wanted by more.
    void note_demand(std::uint32_t place) {
        if (!is_over(place) || (contest_[place] & listed) != 0) return;
        contest_[place] |= listed;
        const std::uint32_t row = rows_.empty() ? 0 : rows_[place];
        if (over_[row].empty()) over_rows_.push_back(row);
        over_[row].push_back(place);
    }

    /// Conditions of a transition that do not hold.
    std::uint32_t unmet(std::uint32_t transition) const noexcept { return unmet_[transition]; }
    void set_unmet(std::uint32_t transition, std::uint32_t unmet) {
        const std::uint32_t before = unmet_[transition];
        unmet_[transition] = unmet;
        if (before == 0) {
            leave(transition);
        } else if (unmet == 0) {
            enter(transition);
        }
    }
    void condition_met(std::uint32_t transition) {
        if (--unmet_[transition] == 0) enter(transition);
    }
    void condition_lost(std::uint32_t transition) {
        if (unmet_[transition]++ == 0) leave(transition);
    }
    /// A condition has become true (`met`) or false.
    void turn_condition(std::uint32_t transition, bool met) {
        if (met) {
            condition_met(transition);
        } else {
            condition_lost(transition);
        }
    }
    /// The same without a change of the sets: for one that is no candidate, before or after.
    void recount(std::uint32_t transition, std::uint32_t unmet) { unmet_[transition] = unmet; }
    void enter_if_met(std::uint32_t transition) {
        if (contains(transition)) enter(transition);
    }

  private:
    enum Contest : std::uint8_t { contestable = 1, listed = 2 };  // listed: stands in over_

    void enter(std::uint32_t transition) {
        sets_.insert(slots_[transition]);
        for_each_shared_input(transition, [this](std::uint32_t place, Tokens weight) {
            demand_[place] += weight;
            if (is_contestable(place)) note_demand(place);
        });
    }
    void leave(std::uint32_t transition) {
        sets_.erase(slots_[transition]);
        for_each_shared_input(transition,
                              [this](std::uint32_t place, Tokens weight) { demand_[place] -= weight; });
    }
    template <class Visit>
    void for_each_shared_input(std::uint32_t transition, Visit&& visit) const {
        const PlaceWeight* const inputs = inputs_ + first_input_[transition];
        const std::uint8_t shared = shared_[transition];
        const PlaceWeight* const end =
            shared < 255 ? inputs + shared : inputs_ + first_input_[transition + 1];
        for (const PlaceWeight* input = inputs; input != end; ++input) visit(input->place, input->weight);
    }
    void drop_served(std::vector<std::uint32_t>& places);

    const CompiledNet& net_;
    const Tokens* marking_;
    // Of net_, within easy reach.
    const GroupSlot* slots_;
    const PlaceWeight* inputs_;
    const std::uint32_t* first_input_;
    const std::uint8_t* shared_;

    std::vector<std::uint32_t> unmet_;  // per transition
    CandidateSets sets_;
    std::vector<Tokens> demand_;         // per shared place: what the candidates want together
    std::vector<std::uint8_t> contest_;  // per place
    std::span<const std::uint32_t> rows_;
    std::vector<std::vector<std::uint32_t>>
        over_;                              // per row: contestable places that are over, and some that were
    std::vector<std::uint32_t> over_rows_;  // rows of over_ that are not empty, and some that were not
};

}  // namespace warpnet

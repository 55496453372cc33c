#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/general/candidate_sets.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The *candidates* and their demand on shared places. A transition is a candidate if all its conditions
/// hold, demands on hubs excluded. A shared place is *over* while the candidates demand more tokens than it
/// holds. Only transitions that take from a place that is over are in conflict, so a net without such places
/// fires all its candidates without any check.
class Candidates {
  public:
    /// Counts all conditions as unmet. `marking`: the tokens of the places, which must outlive this object.
    /// `rows`: the row that lists a place while it is over, below `row_count`; if empty, all places use row
    /// 0.
    Candidates(const CompiledNet& net, const Tokens* marking, std::span<const std::uint32_t> rows,
               std::size_t row_count);

    CandidateSets& sets() noexcept { return sets_; }
    bool contains(std::uint32_t transition) const noexcept { return unmet_[transition] == 0; }

    /// REQUIRES: the place is shared. It may be a hub.
    bool is_over(std::uint32_t place) const noexcept { return demand_[place] > marking_[place]; }
    /// The total demand of the candidates on a shared place.
    Tokens demand(std::uint32_t place) const noexcept { return demand_[place]; }
    /// The rows that may list a place that is over, without hubs. Valid until the next change.
    std::span<const std::uint32_t> over_rows() const noexcept { return over_rows_; }
    /// The places of a row that are over. Valid until the next change.
    std::span<const std::uint32_t> over_places(std::uint32_t row) {
        drop_served(over_[row]);
        return over_[row];
    }
    /// Removes the rows from over_rows() for which over_places() was empty.
    void drop_served_rows() {
        std::erase_if(over_rows_, [&](std::uint32_t row) { return over_[row].empty(); });
    }
    /// Whether the place has several consumers and is no hub, so its demand is tracked.
    bool is_contestable(std::uint32_t place) const noexcept { return (contest_[place] & contestable) != 0; }
    /// To be called after a contestable place has lost tokens or gained demand.
    void note_demand(std::uint32_t place) {
        if (!is_over(place) || (contest_[place] & listed) != 0) return;
        contest_[place] |= listed;
        const std::uint32_t row = rows_.empty() ? 0 : rows_[place];
        if (over_[row].empty()) over_rows_.push_back(row);
        over_[row].push_back(place);
    }

    /// The number of unmet conditions of a transition.
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
    /// Notes that a condition has become true (`met`) or false.
    void turn_condition(std::uint32_t transition, bool met) {
        if (met) {
            condition_met(transition);
        } else {
            condition_lost(transition);
        }
    }
    /// Sets the number of unmet conditions without updating the sets. REQUIRES: the transition is no
    /// candidate, neither before nor after.
    void recount(std::uint32_t transition, std::uint32_t unmet) { unmet_[transition] = unmet; }
    void enter_if_met(std::uint32_t transition) {
        if (contains(transition)) enter(transition);
    }

  private:
    enum Contest : std::uint8_t { contestable = 1, listed = 2 };  // listed: in over_

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
    // Pointers into net_.
    const GroupSlot* slots_;
    const PlaceWeight* inputs_;
    const std::uint32_t* first_input_;
    const std::uint8_t* shared_;

    std::vector<std::uint32_t> unmet_;  // per transition
    CandidateSets sets_;
    std::vector<Tokens> demand_;         // per shared place: the total demand of the candidates
    std::vector<std::uint8_t> contest_;  // per place
    std::span<const std::uint32_t> rows_;
    std::vector<std::vector<std::uint32_t>> over_;  // per row: contestable places that are or were over
    std::vector<std::uint32_t> over_rows_;          // rows of over_ that are or were not empty
};

}  // namespace warpnet

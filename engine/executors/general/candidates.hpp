#pragma once

#include "engine/base/bits.hpp"
#include "engine/compile/compiled_net.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The candidates of each conflict group of a net. A set is always in ascending order, whatever the order of
/// insertion, so a draw from a set depends on its content alone.
///
/// Insertion and removal take constant time. Selection and iteration cost one step per 4096 members of the
/// group and one per non-empty word of 64 bits.
class CandidateSets {
  public:
    explicit CandidateSets(const CompiledNet& net) : groups_(net.groups.size()) {
        std::size_t words = 0, blocks = 0;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            const std::size_t group_words = (net.groups[g].members.size() + 63) / 64;
            groups_[g].first_word = static_cast<std::uint32_t>(words);
            groups_[g].first_block = static_cast<std::uint32_t>(blocks);
            words += group_words;
            blocks += (group_words + 63) / 64;
            groups_[g].end_block = static_cast<std::uint32_t>(blocks);
        }
        words_.assign(words, 0);
        occupied_.assign((groups_.size() + 63) / 64, 0);
        used_.assign(blocks, 0);
    }

    std::uint32_t count(std::uint32_t group) const noexcept { return groups_[group].count; }

    /// The groups 64·word to 64·word + 63 that have candidates, one bit each.
    std::uint64_t occupied(std::size_t word) const noexcept { return occupied_[word]; }

    /// REQUIRES: not contained.
    void insert(GroupSlot group_slot) noexcept {
        Group& group = groups_[group_slot.group];
        words_[group.first_word + group_slot.slot / 64] |= bit(group_slot.slot);
        used_[group.first_block + group_slot.slot / 4096] |= bit(group_slot.slot / 64);
        ++group.count;
        occupied_[group_slot.group / 64] |= bit(group_slot.group);
    }

    /// REQUIRES: contained.
    void erase(GroupSlot group_slot) noexcept {
        Group& group = groups_[group_slot.group];
        words_[group.first_word + group_slot.slot / 64] &= ~bit(group_slot.slot);
        if (--group.count == 0) occupied_[group_slot.group / 64] &= ~bit(group_slot.group);
    }

    /// The slot of the candidate with `rank` smaller ones. REQUIRES: rank < count(group).
    std::uint32_t select(std::uint32_t group, std::uint32_t rank) const noexcept {
        const Group& in = groups_[group];
        std::uint32_t word = 0;
        std::uint64_t members = words_[in.first_word];
        if (!has_one_word(in)) {
            for (;; members = words_[in.first_word + word]) {
                const std::uint32_t here = count_bits(members);
                if (rank < here) break;
                rank -= here;
                word = next_used(in, word + 1);
            }
        }
        return word * 64 + select_bit(members, rank);
    }

    /// The slots of the smallest and the largest candidate. REQUIRES: count(group) > 0.
    std::uint32_t lowest(std::uint32_t group) const noexcept { return select(group, 0); }
    std::uint32_t highest(std::uint32_t group) const noexcept { return select(group, count(group) - 1); }

    /// Draws `some` distinct candidates. Each draw calls pick(n) for the n candidates that are left and then
    /// visit(slot) for the candidate of this rank. Costs one select() per draw. REQUIRES: some <=
    /// count(group).
    template <class Pick, class Visit>
    void draw(std::uint32_t group, std::uint32_t some, Pick&& pick, Visit&& visit) {
        const Group& in = groups_[group];
        std::uint32_t left = in.count;
        if (has_one_word(in)) {
            for (std::uint64_t members = words_[in.first_word]; some > 0; --some) {
                const std::uint32_t slot = select_bit(members, pick(left--));
                members &= ~bit(slot);
                visit(slot);
            }
            return;
        }
        drawn_.clear();
        for (; some > 0; --some) {
            const std::uint32_t slot = select(group, pick(left--));
            visit(slot);
            if (some == 1) break;
            erase({group, slot});
            drawn_.push_back(slot);
        }
        for (const std::uint32_t slot : drawn_) insert({group, slot});
    }

    /// Calls visit(slot) for every candidate in ascending order. The sets must not change meanwhile.
    template <class Visit>
    void for_each(std::uint32_t group, Visit&& visit) {
        const Group& in = groups_[group];
        const std::uint64_t* words = words_.data() + in.first_word;
        std::uint32_t slot = 0;
        for (std::uint32_t block = in.first_block; block != in.end_block;
             ++block, words += 64, slot += 64 * 64) {
            std::uint64_t empty = 0;
            for (std::uint64_t rest = used_[block]; rest != 0; rest &= rest - 1) {
                const auto word = static_cast<std::uint32_t>(std::countr_zero(rest));
                std::uint64_t members = words[word];
                if (members == 0) empty |= rest & -rest;
                for (; members != 0; members &= members - 1)
                    visit(slot + word * 64 + static_cast<std::uint32_t>(std::countr_zero(members)));
            }
            used_[block] &= ~empty;
        }
    }

  private:
    struct Group {
        std::uint32_t first_word = 0;
        std::uint32_t first_block = 0, end_block = 0;  // in used_
        std::uint32_t count = 0;
    };

    /// Whether all candidates are among the first 64 members.
    bool has_one_word(const Group& group) const noexcept {
        return group.end_block - group.first_block == 1 && used_[group.first_block] <= 1;
    }

    static std::uint64_t bit(std::uint32_t number) noexcept { return std::uint64_t{1} << (number % 64); }

    /// The first used word of a group from `word` on. REQUIRES: there is one.
    std::uint32_t next_used(const Group& in, std::uint32_t word) const noexcept {
        std::uint32_t block = in.first_block + word / 64;
        std::uint64_t rest = word % 64 == 0 ? used_[block] : used_[block] & ~(bit(word) - 1);
        while (rest == 0) rest = used_[++block];
        return (block - in.first_block) * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> used_;  // a bit per word; an emptied word keeps it until for_each()
    std::vector<Group> groups_;
    std::vector<std::uint64_t> occupied_;  // a bit per group
    std::vector<std::uint32_t> drawn_;
};

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

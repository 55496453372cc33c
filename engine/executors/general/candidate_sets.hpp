#pragma once

#include "engine/base/bits.hpp"
#include "engine/compile/compiled_net.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
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

}  // namespace warpnet

// Wide markings as trees [Laarman11]. The words of a marking are the leaves of a binary tree. A node is the
// pair of the numbers of its two parts, and distinct words and pairs are kept once, in one table for all
// markings. Only the root of a marking remains, 8 bytes, and two markings are equal exactly if their roots
// are equal. A successor that differs from its parent in three words of a hundred is found by about twenty
// look-ups, most of them in a cache of the thread. Its hash follows from that of the parent, so neither the
// other words nor known markings are touched.

#include "analysis/states/explore/marking_tree.hpp"

#include "engine/base/no_index.hpp"

#include <algorithm>

namespace warpnet::states {

namespace {

constexpr std::size_t first_slots_of_a_stripe = 16;
constexpr std::uint32_t stripe_number_mask = (1u << 24) - 1;

/// The part of a hash that a slot keeps: bits that determine neither the stripe nor, in small tables, the
/// position.
std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 24) & ~stripe_number_mask;
}

}  // namespace

WordTable::WordTable(std::uint32_t most_of_a_stripe, ranks::ScratchMemory* scratch)
    : most_of_a_stripe_(most_of_a_stripe), scratch_(scratch), stripes_(stripe_count) {
    for (Stripe& stripe : stripes_) stripe.slots.resize(first_slots_of_a_stripe);
}

std::optional<std::uint32_t> WordTable::add(Word word, std::uint64_t hash) {
    const std::size_t number_of_stripe = stripe_of(hash);
    Stripe& stripe = stripes_[number_of_stripe];
    const std::lock_guard lock(stripe.mutex);
    std::size_t at = 0;
    if (const auto position = stripe.find(word, hash, at)) return number(number_of_stripe, *position);
    if (stripe.size == most_of_a_stripe_) return std::nullopt;
    const std::uint32_t position = stripe.size;
    const Location location(position);
    if (location.offset == 0) {
        stripe.chunks[location.chunk] =
            ranks::make_chunk<Word>(std::size_t{1} << (location.chunk + first_chunk_bits), scratch_);
    }
    stripe.chunks[location.chunk][location.offset] = word;
    stripe.slots[at] = tag_of(hash) | (position + 1);
    ++stripe.size;
    if (std::uint64_t{3} * stripe.size > 2 * stripe.slots.size()) stripe.grow();
    return number(number_of_stripe, position);
}

std::optional<std::uint32_t> WordTable::find(Word word, std::uint64_t hash) const {
    const std::size_t number_of_stripe = stripe_of(hash);
    const Stripe& stripe = stripes_[number_of_stripe];
    const std::lock_guard lock(stripe.mutex);
    std::size_t at = 0;
    const auto position = stripe.find(word, hash, at);
    return position ? std::optional(number(number_of_stripe, *position)) : std::nullopt;
}

std::size_t WordTable::size() const noexcept {
    std::size_t size = 0;
    for (const Stripe& stripe : stripes_) size += stripe.size;
    return size;
}

std::size_t WordTable::bytes() const noexcept {
    return all_bytes() - (scratch_ != nullptr ? size() * sizeof(Word) : 0);
}

std::size_t WordTable::all_bytes() const noexcept {
    std::size_t bytes = stripes_.size() * sizeof(Stripe);
    for (const Stripe& stripe : stripes_) {
        // The rest of the last chunk has never been touched.
        bytes += stripe.size * sizeof(Word) + stripe.slots.size() * sizeof(std::uint32_t);
    }
    return bytes;
}

Word WordTable::Stripe::word(std::uint32_t position) const noexcept {
    const Location location(position);
    return chunks[location.chunk][location.offset];
}

/// If it is not found, `at` is the free slot for it.
std::optional<std::uint32_t> WordTable::Stripe::find(Word word, std::uint64_t hash,
                                                     std::size_t& at) const noexcept {
    const std::size_t mask = slots.size() - 1;
    for (at = hash & mask; slots[at] != 0; at = (at + 1) & mask) {
        if (((slots[at] ^ tag_of(hash)) & ~stripe_number_mask) != 0) continue;
        const std::uint32_t position = (slots[at] & stripe_number_mask) - 1;
        if (this->word(position) == word) return position;
    }
    return std::nullopt;
}

void WordTable::Stripe::grow() {
    const std::size_t count = 2 * slots.size();
    slots = {};  // freed before the larger ones are allocated
    slots.resize(count);
    for (std::uint32_t position = 0; position < size; ++position) {
        const std::uint64_t hash = WordTable::hash(word(position));
        std::size_t at = hash & (count - 1);
        while (slots[at] != 0) at = (at + 1) & (count - 1);
        slots[at] = tag_of(hash) | (position + 1);
    }
}

MarkingTree::MarkingTree(WordTable& table, std::size_t words)
    : table_(&table),
      words_(words),
      base_(words, 0),
      numbers_(2 * words, no_index),
      changed_(words / 64 + 1, 0) {
    for (std::size_t i = 0; i < words; ++i) base_sum_ += StateHash::term(i, 0);
}

const Word* MarkingTree::unfold(Word root) {
    load(2, static_cast<std::uint32_t>(root >> 32));
    load(3, static_cast<std::uint32_t>(root));
    has_base_ = true;
    return base_.data();
}

/// A node that has the number that it had in the last base is unchanged.
void MarkingTree::load(std::size_t node, std::uint32_t number) {
    if (numbers_[node] == number) return;
    numbers_[node] = number;
    const Word word = (*table_)[number];
    if (node < words_) {
        load(2 * node, static_cast<std::uint32_t>(word >> 32));
        load(2 * node + 1, static_cast<std::uint32_t>(word));
        return;
    }
    Word& leaf = base_[node - words_];
    base_sum_ += StateHash::term(node - words_, word) - StateHash::term(node - words_, leaf);
    leaf = word;
}

void MarkingTree::restore_base() {
    for (const auto& [node, number] : replaced_) numbers_[node] = number;
    replaced_.clear();
    std::fill(changed_.begin(), changed_.end(), 0);
}

}  // namespace warpnet::states

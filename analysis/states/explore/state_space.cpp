// A hash set of markings in 64 shards. Slots of 4 bytes hold some bits of the hash and the number of a
// marking, so a look-up touches a marking only if these bits agree. Markings lie in chunks that never move,
// in the order of their numbers, each with the number of its parent.
//
// A look-up or an insertion takes O(words of a marking) expected time. Each marking takes its packed words,
// or a root of a tree [Laarman11], 4 bytes for its parent, and two to three slots of 4 bytes. A shard that
// doubles its slots frees the old ones first and hashes all markings again, so that both never exist at once.
// One thread at a time fills a shard (explore.cpp), so shards need no locks, and the numbers of markings do
// not depend on the threads.

#include "analysis/states/explore/state_space.hpp"

#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::states {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr std::size_t first_slots = 64;

}  // namespace

StateShard::StateShard(std::size_t words, Hashed hashed, ranks::ScratchMemory* scratch)
    : words_(words), hashed_(hashed), scratch_(scratch), slot_mask_(first_slots - 1), slots_(first_slots) {
    chunk_shift_ = 3;
    while ((std::size_t{2} << chunk_shift_) * words * sizeof(Word) <= chunk_bytes) ++chunk_shift_;
    chunk_mask_ = (1u << chunk_shift_) - 1;
}

std::size_t StateShard::slot_bytes() const noexcept {
    const bool soon_full = std::uint64_t{5} * size_ > 3 * slots_.size();
    return slots_.size() * (soon_full ? 3 : 1) * sizeof(std::uint32_t);
}

void StateShard::add_chunk() {
    const std::size_t states = std::size_t{1} << chunk_shift_;
    chunks_.push_back(ranks::make_chunk<Word>(states * words_, scratch_));
    parents_.push_back(ranks::make_chunk<std::uint32_t>(states, scratch_));
    if (hashed_ == Hashed::other) hashes_.push_back(ranks::make_chunk<std::uint32_t>(states, scratch_));
}

/// Hashes of words are not kept: reading the markings in order and hashing them again is faster than storing
/// more.
void StateShard::grow() {
    const std::size_t count = 2 * slots_.size();
    slots_ = {};  // freed before the larger ones are allocated
    slots_.resize(count);
    slot_mask_ = count - 1;
    const auto fill = [this](const auto& hash_of) {
        for (std::uint32_t state = 0; state < size_; ++state) {
            const std::uint32_t hash = hash_of(state);
            std::size_t at = home(hash);
            while (slots_[at] != 0) at = (at + 1) & slot_mask_;
            slots_[at] = (hash & ~number_mask) | (state + 1);
        }
    };
    if (hashed_ == Hashed::other) {
        fill([this](std::uint32_t state) { return hashes_[state >> chunk_shift_][state & chunk_mask_]; });
    } else {
        fill([this](std::uint32_t state) { return StateHash((*this)[state], AnyWords{words_}).in_shard(); });
    }
}

StateSpace::StateSpace(PackedLayout layout, Form form, const std::string& scratch)
    : layout_(std::move(layout)) {
    if (!scratch.empty()) scratch_ = std::make_unique<ranks::ScratchMemory>(scratch);
    if (form == Form::trees)
        tree_words_ = std::make_unique<WordTable>(WordTable::most_in_a_stripe, scratch_.get());
    const auto hashed = in_trees() ? StateShard::Hashed::other : StateShard::Hashed::words;
    for (std::uint32_t s = 0; s < shard_count; ++s)
        shards_.emplace_back(kept_words(), hashed, scratch_.get());
}

std::uint64_t StateSpace::size() const noexcept {
    std::uint64_t size = 0;
    for (const StateShard& shard : shards_) size += shard.size();
    return size;
}

std::size_t StateSpace::bytes() const noexcept {
    std::size_t bytes = in_trees() ? tree_words_->bytes() : 0;
    for (const StateShard& shard : shards_) bytes += shard.bytes();
    return bytes;
}

std::size_t StateSpace::all_bytes() const noexcept {
    std::size_t bytes = in_trees() ? tree_words_->all_bytes() : 0;
    for (const StateShard& shard : shards_) bytes += shard.all_bytes();
    return bytes;
}

Marking StateSpace::marking(StateId state) const {
    Marking marking(layout_.places());
    if (in_trees()) {
        layout_.unpack(MarkingTree(*tree_words_, layout_.words()).unfold(*kept(state)), marking);
    } else {
        layout_.unpack(kept(state), marking);
    }
    return marking;
}

std::optional<StateId> StateSpace::find(const Marking& marking) const {
    std::vector<Word> packed(layout_.words());
    if (!layout_.pack(marking, packed.data())) return std::nullopt;
    const AnyWords words{packed.size()};
    const StateHash hash(packed.data(), words);
    if (in_trees()) {
        const std::optional<Word> root = MarkingTree(*tree_words_, packed.size()).known_root(packed.data());
        if (!root) return std::nullopt;
        packed.front() = *root;
    }
    const auto number = with_kept_words(words, [&](auto kept_words) {
        return shards_[hash.shard()].find(hash.in_shard(), packed.data(), kept_words);
    });
    return number ? std::optional(id(hash.shard(), *number)) : std::nullopt;
}

void DeadMarkings::see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) {
    if (found_.size() + seen_[shard].size() >= most_) return;
    Marking marking(layout.places());
    layout.unpack(packed, marking);
    for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
        if (enabled(net_, marking, t)) return;
    seen_[shard].push_back(std::move(marking));
}

void DeadMarkings::gather() {
    for (std::vector<Marking>& seen : seen_) {
        for (Marking& marking : seen)
            if (found_.size() < most_) found_.push_back(std::move(marking));
        seen.clear();
    }
}

bool DeadMarkings::satisfied() {
    gather();
    return false;  // the other figures need all markings
}

std::vector<Marking> DeadMarkings::nearest() {
    gather();
    return std::move(found_);
}

}  // namespace warpnet::states

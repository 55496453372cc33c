#include "analysis/states/explore/state_space.hpp"

#include "analysis/states/explore/marking_tree.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

namespace {

constexpr std::size_t first_slots_of_a_stripe = 16;
constexpr std::uint32_t stripe_number_mask = (1u << 24) - 1;

/// What a slot keeps of a hash: bits that say neither the stripe nor, in small tables, the position.
std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 24) & ~stripe_number_mask;
}

}  // namespace

WordTable::WordTable(std::uint32_t most_of_a_stripe, ScratchMemory* scratch)
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
            make_chunk<Word>(std::size_t{1} << (location.chunk + first_chunk_bits), scratch_);
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

/// Where it is not found, `at` is the free slot for it.
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
    slots = {};  // before the larger ones are there
    slots.resize(count);
    for (std::uint32_t position = 0; position < size; ++position) {
        const std::uint64_t hash = WordTable::hash(word(position));
        std::size_t at = hash & (count - 1);
        while (slots[at] != 0) at = (at + 1) & (count - 1);
        slots[at] = tag_of(hash) | (position + 1);
    }
}

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr std::size_t first_slots = 64;

}  // namespace

StateShard::StateShard(std::size_t words, Hashed hashed, ScratchMemory* scratch)
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
    chunks_.push_back(make_chunk<Word>(states * words_, scratch_));
    parents_.push_back(make_chunk<std::uint32_t>(states, scratch_));
    if (hashed_ == Hashed::other) hashes_.push_back(make_chunk<std::uint32_t>(states, scratch_));
}

/// Hashes of words are not kept: reading the markings in order and hashing them again is faster than storing
/// more.
void StateShard::grow() {
    const std::size_t count = 2 * slots_.size();
    slots_ = {};  // before the larger ones are there
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
    if (!scratch.empty()) scratch_ = std::make_unique<ScratchMemory>(scratch);
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

}  // namespace warpnet

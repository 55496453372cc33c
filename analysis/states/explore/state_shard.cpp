#include "analysis/states/explore/state_shard.hpp"

#include <algorithm>

namespace warpnet {

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

}  // namespace warpnet

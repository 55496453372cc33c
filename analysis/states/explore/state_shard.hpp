#pragma once

#include "analysis/ranks/scratch_memory.hpp"
#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/words.hpp"
#include "engine/base/random.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace warpnet {

/// Where a packed marking belongs: a shard by the top bits of its hash, and in it a position by the others.
///
/// Of many words it is a function of a sum with a term a word, so that the hash of a marking follows from
/// that of another and what is different.
struct StateHash {
    static constexpr unsigned shard_bits = 6;

    std::uint64_t bits;

    static std::uint64_t term(std::size_t at, Word word) noexcept {
        return mix_bits(word + (at + 1) * golden_ratio_64);
    }
    static StateHash of_sum(std::uint64_t sum) noexcept { return StateHash(mix_bits(sum)); }

    template <class Words>
    StateHash(const Word* packed, Words words) noexcept : bits(0) {
        if (words() > most_fixed_words) {
            for (std::size_t i = 0; i < words(); ++i) bits += term(i, packed[i]);
            bits = mix_bits(bits);
            return;
        }
        for (std::size_t i = 0; i + 1 < words(); ++i) {
            bits = (bits ^ packed[i]) * golden_ratio_64;
            bits ^= bits >> 32;  // so that high bits of a word reach low bits of the hash
        }
        bits = mix_bits((bits ^ packed[words() - 1]) + golden_ratio_64);
    }
    std::uint32_t shard() const noexcept { return static_cast<std::uint32_t>(bits >> (64 - shard_bits)); }
    std::uint32_t in_shard() const noexcept { return static_cast<std::uint32_t>(bits); }

  private:
    explicit StateHash(std::uint64_t all_bits) noexcept : bits(all_bits) {}
};

/// Some of the markings met, each once, numbered in the order of their insertion, with the marking that each
/// was first reached from. Open addressing with linear probing over slots of 4 bytes (6 bits of the hash, 26
/// bits of number + 1), between a third and two thirds full.
///
/// A marking costs its words, 4 bytes for its parent and 6 to 12 bytes for its slot. `Words` is a function
/// that returns the number of words, so that common numbers are known to the compiler.
class StateShard {
  public:
    static constexpr std::uint32_t most_states = (1u << 26) - 2;

    /// What a hash is made of.
    enum class Hashed : std::uint8_t {
        words,  ///< the words that are kept
        other,  ///< something else that they stand for: hashes are kept too, 4 bytes a marking
    };
    /// With `scratch`, which may be null and must outlive it, all but the slots lies there.
    explicit StateShard(std::size_t words, Hashed hashed = Hashed::words, ScratchMemory* scratch = nullptr);

    std::uint32_t size() const noexcept { return size_; }
    const Word* operator[](std::uint32_t state) const noexcept {
        return chunks_[state >> chunk_shift_].get() + (state & chunk_mask_) * words_;
    }
    std::uint32_t parent(std::uint32_t state) const noexcept {
        return parents_[state >> chunk_shift_][state & chunk_mask_];
    }
    void set_parent(std::uint32_t state, std::uint32_t parent) noexcept {
        parents_[state >> chunk_shift_][state & chunk_mask_] = parent;
    }

    /// The bytes of memory that this takes, and half as many slots again where they will soon have to be
    /// doubled.
    std::size_t bytes() const noexcept {
        return slot_bytes() + (scratch_ == nullptr ? size_ * state_bytes() : 0);  // the rest is untouched
    }
    /// The same wherever it lies.
    std::size_t all_bytes() const noexcept { return slot_bytes() + size_ * state_bytes(); }

    void prefetch_slot(std::uint32_t hash) const noexcept { __builtin_prefetch(&slots_[home(hash)]); }

    /// After prefetch_slot() has had its time: the marking that the slot refers to, if it may be this one.
    void prefetch_state(std::uint32_t hash) const noexcept {
        const std::uint32_t slot = slots_[home(hash)];
        if (slot != 0 && (slot ^ hash) >> number_bits == 0)
            __builtin_prefetch((*this)[(slot & number_mask) - 1]);
    }

    /// True where the marking is new; its number is then size() - 1. REQUIRES: size() < most_states.
    template <class Words>
    bool insert(std::uint32_t hash, const Word* packed, std::uint32_t parent, Words words) {
        std::size_t at = home(hash);
        for (; slots_[at] != 0; at = (at + 1) & slot_mask_) {
            if (is(slots_[at], hash, packed, words)) return false;
        }
        slots_[at] = (hash & ~number_mask) | (size_ + 1);
        append(packed, parent, hash);
        return true;
    }

    template <class Words>
    std::optional<std::uint32_t> find(std::uint32_t hash, const Word* packed, Words words) const noexcept {
        for (std::size_t at = home(hash); slots_[at] != 0; at = (at + 1) & slot_mask_) {
            if (is(slots_[at], hash, packed, words)) return (slots_[at] & number_mask) - 1;
        }
        return std::nullopt;
    }

  private:
    static constexpr unsigned number_bits = 26;
    static constexpr std::uint32_t number_mask = (1u << number_bits) - 1;

    std::size_t home(std::uint32_t hash) const noexcept { return hash & slot_mask_; }

    template <class Words>
    bool is(std::uint32_t slot, std::uint32_t hash, const Word* packed, Words words) const noexcept {
        if ((slot ^ hash) >> number_bits != 0) return false;
        const Word* known = (*this)[(slot & number_mask) - 1];
        for (std::size_t i = 0; i < words(); ++i) {
            if (known[i] != packed[i]) return false;
        }
        return true;
    }
    void append(const Word* packed, std::uint32_t parent, std::uint32_t hash) {
        if ((size_ & chunk_mask_) == 0) add_chunk();
        Word* place = chunks_[size_ >> chunk_shift_].get() + (size_ & chunk_mask_) * words_;
        for (std::size_t i = 0; i < words_; ++i) place[i] = packed[i];
        parents_[size_ >> chunk_shift_][size_ & chunk_mask_] = parent;
        if (hashed_ == Hashed::other) hashes_[size_ >> chunk_shift_][size_ & chunk_mask_] = hash;
        ++size_;
        if (std::uint64_t{3} * size_ > 2 * slots_.size()) grow();
    }
    std::size_t slot_bytes() const noexcept;
    std::size_t state_bytes() const noexcept {
        return words_ * sizeof(Word) + (hashed_ == Hashed::other ? 2 : 1) * sizeof(std::uint32_t);
    }
    void add_chunk();
    void grow();

    std::size_t words_ = 1;
    Hashed hashed_ = Hashed::words;
    ScratchMemory* scratch_ = nullptr;
    unsigned chunk_shift_ = 0;
    std::uint32_t chunk_mask_ = 0;
    std::uint32_t size_ = 0;
    std::size_t slot_mask_ = 0;
    std::vector<std::uint32_t> slots_;
    std::vector<Chunk<Word>> chunks_;
    std::vector<Chunk<std::uint32_t>> parents_;
    std::vector<Chunk<std::uint32_t>> hashes_;  // Hashed::other alone
};

}  // namespace warpnet

#pragma once

#include "analysis/ranks/scratch_memory.hpp"
#include "analysis/states/explore/packed_layout.hpp"
#include "engine/base/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace warpnet {

/// Distinct words, each kept once and known by a number of 32 bits from then on. Threads may add, find and
/// read at the same time; which number a word gets depends on who comes first.
///
/// A word costs 8 bytes and 6 to 12 bytes for its slot: 256 stripes, each with a lock and open addressing
/// with linear probing over slots of 4 bytes (8 bits of the hash, 24 bits of number + 1), between a third and
/// two thirds full.
class WordTable {
  public:
    static constexpr std::uint32_t no_number = UINT32_MAX;  ///< of no word
    static constexpr unsigned stripe_bits = 8;
    static constexpr std::uint32_t most_in_a_stripe = (1u << 24) - 2;

    /// With `scratch`, which may be null and must outlive it, all but the slots lies there.
    explicit WordTable(std::uint32_t most_of_a_stripe = most_in_a_stripe, ScratchMemory* scratch = nullptr);

    static std::uint64_t hash(Word word) noexcept {
        const std::uint64_t bits = (word ^ word >> 32) * golden_ratio_64;
        return bits ^ bits >> 32;  // so that all bits of the word reach low bits too
    }

    /// The number of a word, which is added where it is new; nothing where there is no room.
    std::optional<std::uint32_t> add(Word word, std::uint64_t hash);
    std::optional<std::uint32_t> find(Word word, std::uint64_t hash) const;

    /// REQUIRES: a number that add() or find() gave to this thread, or to one that it has waited for.
    Word operator[](std::uint32_t number) const noexcept {
        const Place place(number >> stripe_bits);
        return stripes_[number & (stripe_count - 1)].chunks[place.chunk][place.offset];
    }

    std::size_t size() const noexcept;       ///< words
    std::size_t bytes() const noexcept;      ///< of memory, not while words are added
    std::size_t all_bytes() const noexcept;  ///< wherever they lie

  private:
    static constexpr std::size_t stripe_count = std::size_t{1} << stripe_bits;
    static constexpr unsigned number_bits = 24;
    static constexpr unsigned first_chunk_bits = 6;
    static constexpr std::size_t chunk_count = number_bits - first_chunk_bits + 1;

    /// Each chunk is twice as large as the one before, so that none moves and few pointers are needed.
    struct Place {
        explicit Place(std::uint32_t position) noexcept;
        std::uint32_t chunk;
        std::uint32_t offset;
    };

    struct alignas(64) Stripe {
        mutable std::mutex mutex;  // of all but words that are there
        std::uint32_t size = 0;
        std::vector<std::uint32_t> slots;
        std::array<Chunk<Word>, chunk_count> chunks;

        Word word(std::uint32_t position) const noexcept;
        std::optional<std::uint32_t> find(Word word, std::uint64_t hash, std::size_t& at) const noexcept;
        void grow();
    };

    static std::size_t stripe_of(std::uint64_t hash) noexcept { return hash >> (64 - stripe_bits); }
    static std::uint32_t number(std::size_t stripe, std::uint32_t position) noexcept {
        return position << stripe_bits | static_cast<std::uint32_t>(stripe);
    }

    std::uint32_t most_of_a_stripe_;
    ScratchMemory* scratch_;
    std::vector<Stripe> stripes_;
};

inline WordTable::Place::Place(std::uint32_t position) noexcept {
    const std::uint32_t shifted = position + (1u << first_chunk_bits);
    const auto top = static_cast<std::uint32_t>(31 - __builtin_clz(shifted));
    chunk = top - first_chunk_bits;
    offset = shifted ^ 1u << top;
}

}  // namespace warpnet

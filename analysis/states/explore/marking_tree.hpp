#pragma once

#include "analysis/ranks/scratch.hpp"
#include "analysis/states/explore/packed_layout.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpnet::states {

/// Distinct words, each kept once and identified by a 32-bit number from then on. Threads may add, find and
/// read at the same time; the number of a word depends on which thread comes first.
///
/// A word costs 8 bytes and 6 to 12 bytes for its slot: 256 stripes, each with a lock and open addressing
/// with linear probing over slots of 4 bytes (8 bits of the hash, 24 bits of number + 1), between a third and
/// two thirds full.
class WordTable {
  public:
    static constexpr unsigned stripe_bits = 8;
    static constexpr std::uint32_t most_in_a_stripe = (1u << 24) - 2;

    /// With `scratch`, which may be null and must outlive it, everything but the slots is stored there.
    explicit WordTable(std::uint32_t most_of_a_stripe = most_in_a_stripe,
                       ranks::ScratchMemory* scratch = nullptr);

    static std::uint64_t hash(Word word) noexcept {
        const std::uint64_t bits = (word ^ word >> 32) * golden_ratio_64;
        return bits ^ bits >> 32;  // so that all bits of the word reach low bits too
    }

    /// The number of a word, which is added if it is new; nothing if the table is full.
    std::optional<std::uint32_t> add(Word word, std::uint64_t hash);
    std::optional<std::uint32_t> find(Word word, std::uint64_t hash) const;

    /// REQUIRES: a number that add() or find() gave to this thread, or to a thread that this one has waited
    /// for.
    Word operator[](std::uint32_t number) const noexcept {
        const Location at(number >> stripe_bits);
        return stripes_[number & (stripe_count - 1)].chunks[at.chunk][at.offset];
    }

    std::size_t size() const noexcept;       ///< words
    std::size_t bytes() const noexcept;      ///< of memory; not while words are added
    std::size_t all_bytes() const noexcept;  ///< in memory and in the scratch folder

  private:
    static constexpr std::size_t stripe_count = std::size_t{1} << stripe_bits;
    static constexpr unsigned number_bits = 24;
    static constexpr unsigned first_chunk_bits = 6;
    static constexpr std::size_t chunk_count = number_bits - first_chunk_bits + 1;

    /// Each chunk is twice as large as the one before, so that none moves and few pointers are needed.
    struct Location {
        explicit Location(std::uint32_t position) noexcept;
        std::uint32_t chunk;
        std::uint32_t offset;
    };

    struct alignas(64) Stripe {
        mutable std::mutex mutex;  // of everything but words that are already stored
        std::uint32_t size = 0;
        std::vector<std::uint32_t> slots;
        std::array<ranks::Chunk<Word>, chunk_count> chunks;

        Word word(std::uint32_t position) const noexcept;
        std::optional<std::uint32_t> find(Word word, std::uint64_t hash, std::size_t& at) const noexcept;
        void grow();
    };

    static std::size_t stripe_of(std::uint64_t hash) noexcept { return hash >> (64 - stripe_bits); }
    static std::uint32_t number(std::size_t stripe, std::uint32_t position) noexcept {
        return position << stripe_bits | static_cast<std::uint32_t>(stripe);
    }

    std::uint32_t most_of_a_stripe_;
    ranks::ScratchMemory* scratch_;
    std::vector<Stripe> stripes_;
};

inline WordTable::Location::Location(std::uint32_t position) noexcept {
    const std::uint32_t shifted = position + (1u << first_chunk_bits);
    const auto top = static_cast<std::uint32_t>(31 - __builtin_clz(shifted));
    chunk = top - first_chunk_bits;
    offset = shifted ^ 1u << top;
}

/// The location of a packed marking: the top bits of its hash select a shard, the other bits a position in
/// it.
///
/// The hash of a wide marking is a function of a sum with one term per word. So the hash of a marking follows
/// from that of another one and the words that differ.
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

/// Packed markings as binary trees with words as leaves [Laarman11]. A node is the pair of the numbers of its
/// two parts, and so a word itself. Words are kept once, in a table for all markings and all positions in the
/// tree. Two markings have equal roots exactly if they are equal, and similar markings share all nodes except
/// those from the differing words to the root.
///
/// One object per thread. It unfolds a marking, the *base*, and then finds the roots of other markings at a
/// cost that depends on the differences. That is O(words) comparisons and, per changed word, up to
/// log2(words) + 1 look-ups, mostly in a cache.
class MarkingTree {
  public:
    /// `words` of a marking, at least 2. The table must outlive it, and is not owned.
    MarkingTree(WordTable& table, std::size_t words);

    /// The words of the marking with this root, which becomes the base. They stay at the same address.
    const Word* unfold(Word root);

    /// The root of a marking, after its words are added to the table; nothing if the table is full.
    std::optional<Word> root(const Word* marking) {
        return root_by(marking, [this](Word word, std::uint64_t hash) { return table_->add(word, hash); });
    }
    /// Adds nothing. Nothing if no marking with this root can have been folded.
    std::optional<Word> known_root(const Word* marking) {
        return root_by(marking, [this](Word word, std::uint64_t hash) { return table_->find(word, hash); });
    }
    /// Of the marking last passed to root() or known_root().
    StateHash hash() const noexcept { return StateHash::of_sum(asked_sum_); }

  private:
    /// Numbers of recently used words, by hash.
    struct Cached {
        Word word = 0;
        std::uint32_t number = no_index;
    };
    static constexpr std::size_t cache_size = 2048;
    static constexpr std::size_t compared_at_once = 8;

    template <class LookUp>
    std::optional<Word> root_by(const Word* marking, LookUp&& look_up);
    template <class LookUp>
    bool renumber(std::size_t node, Word word, LookUp& look_up);
    template <class LookUp>
    bool fold_changes(LookUp& look_up);
    void restore_base();

    void load(std::size_t node, std::uint32_t number);
    Word pair(std::size_t node) const noexcept {
        return Word{numbers_[2 * node]} << 32 | numbers_[2 * node + 1];
    }
    void mark(std::size_t node) noexcept { changed_[node / 64] |= std::uint64_t{1} << node % 64; }

    WordTable* table_;
    std::size_t words_;
    bool has_base_ = false;
    std::vector<Word> base_;
    std::uint64_t base_sum_ = 0, asked_sum_ = 0;  // of StateHash
    /// Node 1 is the root, 2 i and 2 i + 1 are the parts of node i, the leaves are words_ and up.
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint64_t> changed_;  // one bit per node: a part has a new number
    std::vector<std::pair<std::size_t, std::uint32_t>> replaced_;  // nodes and their numbers in the base
    std::vector<Cached> cache_;                                    // empty until the first root is computed
};

template <class LookUp>
std::optional<Word> MarkingTree::root_by(const Word* marking, LookUp&& look_up) {
    if (cache_.empty()) cache_.resize(cache_size);
    bool found = true;
    asked_sum_ = base_sum_;
    for (std::size_t begin = 0; begin < words_; begin += compared_at_once) {
        const std::size_t end = std::min(begin + compared_at_once, words_);
        Word differences = 0;
        for (std::size_t i = begin; i < end; ++i) differences |= marking[i] ^ base_[i];
        if (differences == 0 && has_base_) continue;
        for (std::size_t i = begin; i < end; ++i) {
            if (marking[i] == base_[i] && has_base_) continue;
            asked_sum_ += StateHash::term(i, marking[i]) - StateHash::term(i, base_[i]);
            found = found && renumber(words_ + i, marking[i], look_up);
        }
    }
    found = found && fold_changes(look_up);
    const std::optional<Word> root = found ? std::optional(pair(1)) : std::nullopt;
    restore_base();
    return root;
}

template <class LookUp>
bool MarkingTree::renumber(std::size_t node, Word word, LookUp& look_up) {
    const std::uint64_t hash = WordTable::hash(word);
    Cached& cached = cache_[hash % cache_size];
    if (cached.word != word || cached.number == no_index) {
        const std::optional<std::uint32_t> number = look_up(word, hash);
        if (!number) return false;
        cached = {word, *number};
    }
    replaced_.emplace_back(node, numbers_[node]);
    numbers_[node] = cached.number;
    mark(node / 2);
    return true;
}

/// Gives new numbers to all nodes above changed ones, the lower ones first.
template <class LookUp>
bool MarkingTree::fold_changes(LookUp& look_up) {
    for (std::size_t block = changed_.size(); block-- > 0;) {
        while (changed_[block] != 0) {
            const auto bit = static_cast<std::size_t>(63 - __builtin_clzll(changed_[block]));
            changed_[block] ^= std::uint64_t{1} << bit;
            const std::size_t node = block * 64 + bit;
            if (node > 1 && !renumber(node, pair(node), look_up)) return false;
        }
    }
    return true;
}

}  // namespace warpnet::states

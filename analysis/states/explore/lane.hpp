#pragma once

#include "analysis/states/explore/state_coder.hpp"
#include "analysis/states/explore/state_space.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace warpnet {

/// Words of memory that is not initialised.
class WordBuffer {
  public:
    Word* append(std::size_t count) {
        if (size_ + count > capacity_) grow(count);
        Word* place = words_.get() + size_;
        size_ += count;
        return place;
    }
    std::span<const Word> words() const noexcept { return {words_.get(), size_}; }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    void clear() noexcept { size_ = 0; }

  private:
    void grow(std::size_t count) {
        capacity_ = std::max(2 * capacity_, size_ + count);
        auto larger = std::make_unique_for_overwrite<Word[]>(capacity_);
        std::copy_n(words_.get(), size_, larger.get());
        words_ = std::move(larger);
    }

    std::unique_ptr<Word[]> words_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// How a marking that was found is noted until it is taken in.
enum class EntryKind : std::uint8_t {
    packed,        ///< its packed words, which are what is kept
    with_root,     ///< what is kept, the root of its tree, and then its packed words
    to_be_folded,  ///< its packed words; whoever takes it in finds the root of its tree
};

/// An entry of a buffer: the hash within the shard and the parent in one word, then what its kind says.
template <class Words, EntryKind entry_kind>
struct EntryForm {
    static constexpr EntryKind kind = entry_kind;
    static constexpr std::size_t roots = kind == EntryKind::with_root ? 1 : 0;
    static constexpr bool in_trees = kind != EntryKind::packed;
    Words words;

    std::size_t size() const noexcept { return 1 + roots + words(); }
    static std::uint32_t hash(const Word* entry) noexcept { return static_cast<std::uint32_t>(entry[0]); }
    static std::uint32_t parent(const Word* entry) noexcept {
        return static_cast<std::uint32_t>(entry[0] >> 32);
    }
    static const Word* root(const Word* entry) noexcept { return entry + 1; }  // of kind with_root
    static const Word* packed(const Word* entry) noexcept { return entry + 1 + roots; }

    /// `root` is looked at where the kind has one.
    void append(WordBuffer& buffer, StateId parent, StateHash hash, const Word* root,
                const Word* packed_words) const {
        Word* entry = buffer.append(size());
        entry[0] = Word{hash.in_shard()} | Word{static_cast<std::uint32_t>(parent)} << 32;
        if constexpr (roots > 0) entry[1] = *root;
        for (std::size_t i = 0; i < words(); ++i) entry[1 + roots + i] = packed_words[i];
    }
};

/// What came of expanding some markings.
struct ExpansionFigures {
    bool overflow = false;
    std::vector<std::uint8_t> wanted_bits = {};  ///< per place; empty: the layout was large enough
    std::uint64_t entries = 0;                   ///< in all buffers
    std::uint64_t edges = 0;                     ///< the same, and dead markings, of all equivalent ones
    std::uint64_t deadlocks = 0;
    std::optional<StateId> deadlock = {};  ///< the first one

    /// Those of the markings that come next.
    void add(const ExpansionFigures& next);
};

/// Part of a round: some markings in their order, and their successors by shard.
struct Lane {
    std::array<WordBuffer, StateSpace::shard_count> successors;
    std::optional<StateCoder> coder;
    std::vector<std::uint8_t> fired;
    ExpansionFigures figures;

    void clear() {
        for (WordBuffer& buffer : successors) buffer.clear();
        figures = {};
    }
};

}  // namespace warpnet

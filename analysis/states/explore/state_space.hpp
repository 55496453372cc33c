#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/state_shard.hpp"
#include "analysis/states/explore/word_table.hpp"
#include "analysis/states/explore/words.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace warpnet {

/// A marking of a StateSpace: its shard in the top bits, its number in the shard in the others.
enum class StateId : std::uint32_t {};

/// Distinct markings, packed, in shards by hash that can be filled in parallel. Each knows its parent: the
/// marking that it was first reached from.
///
/// What the shards keep of a marking is its packed words or, of wide ones, the root of their tree
/// (MarkingTree); StateCoder turns one into the other.
class StateSpace {
  public:
    static constexpr std::uint32_t shard_count = 1u << StateHash::shard_bits;

    enum class Form : std::uint8_t {
        packed,  ///< each marking by itself: 8 bytes a word
        trees,   ///< parts that several markings have in common once: 8 to 12 bytes, and those parts
    };
    /// REQUIRES: for trees, may_be_trees(layout).
    /// With the name of a folder, all but the slots lies in a file there (ScratchMemory). Throws InputError
    /// where it cannot be written; so does adding markings where the disk is full.
    explicit StateSpace(PackedLayout layout, Form form = Form::packed, const std::string& scratch = {});

    /// Whether markings of so many words are ever kept as trees.
    static bool may_be_trees(const PackedLayout& layout) noexcept {
        return layout.words() > most_fixed_words;
    }

    const PackedLayout& layout() const noexcept { return layout_; }
    bool in_trees() const noexcept { return tree_words_ != nullptr; }
    WordTable* tree_words() const noexcept { return tree_words_.get(); }  ///< null: not in trees
    std::size_t kept_words() const noexcept { return in_trees() ? 1 : layout_.words(); }
    StateShard& shard(std::uint32_t number) noexcept { return shards_[number]; }
    const StateShard& shard(std::uint32_t number) const noexcept { return shards_[number]; }

    static constexpr StateId id(std::uint32_t shard, std::uint32_t number) noexcept {
        return StateId{shard << in_shard_bits | number};
    }
    static constexpr std::uint32_t shard_of(StateId state) noexcept {
        return static_cast<std::uint32_t>(state) >> in_shard_bits;
    }
    static constexpr std::uint32_t number_of(StateId state) noexcept {
        return static_cast<std::uint32_t>(state) & ((1u << in_shard_bits) - 1);
    }

    std::uint64_t size() const noexcept;
    std::size_t bytes() const noexcept;      ///< of memory
    std::size_t all_bytes() const noexcept;  ///< and of the scratch folder

    const Word* kept(StateId state) const noexcept { return shards_[shard_of(state)][number_of(state)]; }
    Marking marking(StateId state) const;
    /// The initial marking is its own parent.
    StateId parent(StateId state) const noexcept {
        return StateId{shards_[shard_of(state)].parent(number_of(state))};
    }

    std::optional<StateId> find(const Marking& marking) const;

    /// Calls work(words) with the number of words that are kept of a marking of so many packed ones.
    template <class Words, class Work>
    decltype(auto) with_kept_words(Words words, Work&& work) const {
        if constexpr (std::is_same_v<Words, AnyWords>)
            if (in_trees()) return work(FixedWords<1>());
        return work(words);
    }

  private:
    static constexpr unsigned in_shard_bits = 32 - StateHash::shard_bits;

    PackedLayout layout_;
    std::unique_ptr<ScratchMemory> scratch_;
    std::unique_ptr<WordTable> tree_words_;
    std::vector<StateShard> shards_;
};

}  // namespace warpnet

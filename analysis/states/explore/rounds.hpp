#pragma once

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/base/work_limits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::states {

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

/// The form of a new marking until a shard adds it.
enum class EntryKind : std::uint8_t {
    packed,        ///< its packed words, in the form that is kept
    with_root,     ///< the root of its tree, which is kept, and then its packed words
    to_be_folded,  ///< its packed words; the shard that takes it in finds the root of its tree
};

/// An entry of a buffer: the hash within the shard and the parent in one word, then the data of its kind.
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

    /// `root` is used if the kind has one.
    void append(WordBuffer& buffer, StateId parent, StateHash hash, const Word* root,
                const Word* packed_words) const {
        Word* entry = buffer.append(size());
        entry[0] = Word{hash.in_shard()} | Word{static_cast<std::uint32_t>(parent)} << 32;
        if constexpr (roots > 0) entry[1] = *root;
        for (std::size_t i = 0; i < words(); ++i) entry[1 + roots + i] = packed_words[i];
    }
};

/// The result of expanding some markings.
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

/// The outcome of the expansion of a round of markings, on one rank or on all.
struct RoundReport {
    WorkEnd stop = WorkEnd::complete;  ///< a limit was reached: the round does not count
    ExpansionFigures figures = {};
    std::array<std::uint64_t, StateSpace::shard_count> incoming = {};  ///< entries for each shard
    std::array<std::uint32_t, StateSpace::shard_count> sizes = {};     ///< of the shards, before they come

    void add(const Lane& lane, std::size_t words_of_entry);
    /// The report of the next rank.
    void add(const RoundReport& other);

    void write(ranks::ByteWriter& writer) const;
    static RoundReport read(ranks::ByteReader& reader);
};

/// The knowledge of a rank about the markings in its own shards.
struct ShardTotals {
    std::uint64_t markings = 0;        ///< these and all equivalent ones
    std::uint64_t space_markings = 0;  ///< these
    std::uint64_t most_tokens = 0;
    std::vector<Tokens> bounds = {};       ///< per place
    std::vector<std::uint8_t> fired = {};  ///< per transition
};

/// The exchanges between the ranks of a divided exploration. All ranks call each function, in the same order.
/// If the exploration is not divided, the functions return their arguments.
class RoundExchange {
  public:
    /// Null: not divided. `watch` may be null.
    RoundExchange(ranks::Collectives* ranks, MarkingWatch* watch);

    bool divided() const noexcept { return ranks_ != nullptr; }
    std::uint32_t first_shard() const noexcept { return owners_.first(rank_); }
    std::uint32_t end_shard() const noexcept { return owners_.end(rank_); }
    bool own(std::uint32_t shard) const noexcept { return owners_.owner(shard) == rank_; }

    using ShardSizes = decltype(RoundReport::sizes);
    ShardSizes sizes_of_all(const ShardSizes& own_sizes) const;

    /// Sends the markings that belong to other ranks and receives those that belong here; returns the report
    /// of all ranks.
    RoundReport exchange(const RoundReport& report, std::span<const Lane> lanes, std::size_t words_of_entry);

    /// Calls visit(words) with all entries that arrived for a shard of this rank, including those of `lanes`,
    /// in the order of the markings that they come from, until it returns false.
    template <class Visit>
    void for_each_buffer(std::uint32_t shard, std::span<const Lane> lanes, Visit&& visit) const {
        const auto shows_lanes = [&] {
            for (const Lane& lane : lanes)
                if (!visit(lane.successors[shard].words())) return false;
            return true;
        };
        if (!divided()) {
            shows_lanes();
            return;
        }
        for (std::size_t from = 0; from < received_.size(); ++from) {
            if (static_cast<int>(from) == rank_) {
                if (!shows_lanes()) return;
            } else if (!visit(received_[from].of(shard))) {
                return;
            }
        }
    }

    /// The number of markings that the lower ranks have left; and the number that is left for higher ranks.
    std::uint64_t take_room(std::uint64_t of_first) const;
    void pass_room(std::uint64_t left) const;
    /// Whether the condition holds on all ranks.
    bool all(bool own_answer) const;

    /// The figures of all ranks together. Calls the watch's take().
    ShardTotals totals_of_all(ShardTotals own_totals) const;

    std::size_t bytes() const noexcept;

  private:
    /// The entries that a rank sent in this round.
    struct Received {
        std::vector<Word> words;
        std::array<std::size_t, StateSpace::shard_count + 1> first = {};  // per shard
        std::span<const Word> of(std::uint32_t shard) const noexcept {
            return std::span(words).subspan(first[shard], first[shard + 1] - first[shard]);
        }
    };
    std::vector<std::string> letters(const RoundReport& report, std::span<const Lane> lanes,
                                     std::size_t words_of_entry) const;
    void receive(Received& received, const RoundReport& report, std::size_t words_of_entry,
                 ranks::ByteReader& reader) const;

    ranks::Collectives* ranks_;
    MarkingWatch* watch_;
    int rank_;
    ranks::ShardOwners owners_;
    std::vector<Received> received_;  // per rank
};

}  // namespace warpnet::states

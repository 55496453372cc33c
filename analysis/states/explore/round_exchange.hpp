#pragma once

#include "analysis/ranks/shard_owners.hpp"
#include "analysis/states/explore/lane.hpp"
#include "analysis/states/explore/marking_watch.hpp"
#include "analysis/states/explore/round_report.hpp"
#include "analysis/states/explore/state_space.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

class ByteReader;
class Collectives;

/// What a rank knows of the markings in its own shards.
struct ShardTotals {
    std::uint64_t markings = 0;        ///< these and all equivalent ones
    std::uint64_t space_markings = 0;  ///< these
    std::uint64_t most_tokens = 0;
    std::vector<Tokens> bounds = {};       ///< per place
    std::vector<std::uint8_t> fired = {};  ///< per transition
};

/// What the ranks of a divided exploration tell each other. Each function is called on all of them, in the
/// same order; of an exploration that is not divided they return what they are given.
class RoundExchange {
  public:
    /// Null: not divided. `watch` may be null.
    RoundExchange(Collectives* ranks, MarkingWatch* watch);

    bool divided() const noexcept { return ranks_ != nullptr; }
    std::uint32_t first_shard() const noexcept { return owners_.first(rank_); }
    std::uint32_t end_shard() const noexcept { return owners_.end(rank_); }
    bool own(std::uint32_t shard) const noexcept { return owners_.owner(shard) == rank_; }

    using ShardSizes = decltype(RoundReport::sizes);
    ShardSizes sizes_of_all(const ShardSizes& own_sizes) const;

    /// Sends the markings that belong to others, receives those that belong here; the report of all ranks.
    RoundReport exchange(const RoundReport& report, std::span<const Lane> lanes, std::size_t words_of_entry);

    /// Calls visit(words) with all entries that came for a shard of this rank, those of `lanes` among them,
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

    /// The room for markings that is left by lower ranks; and what is left for higher ones.
    std::uint64_t take_room(std::uint64_t of_first) const;
    void pass_room(std::uint64_t left) const;
    /// Whether it is so on all ranks.
    bool all(bool own_answer) const;

    /// Those of all ranks together. Calls the watch's take().
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
                 ByteReader& reader) const;

    Collectives* ranks_;
    MarkingWatch* watch_;
    int rank_;
    ShardOwners owners_;
    std::vector<Received> received_;  // per rank
};

}  // namespace warpnet

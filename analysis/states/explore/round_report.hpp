#pragma once

#include "analysis/ranks/bytes.hpp"
#include "analysis/states/explore/lane.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/base/work_limits.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpnet {

/// How the expansion of a round of markings went, on one rank or on all.
struct RoundReport {
    WorkEnd stop = WorkEnd::complete;  ///< a limit was reached: the round does not count
    ExpansionFigures figures = {};
    std::array<std::uint64_t, StateSpace::shard_count> incoming = {};  ///< entries for each shard
    std::array<std::uint32_t, StateSpace::shard_count> sizes = {};     ///< of the shards, before they come

    void add(const Lane& lane, std::size_t words_of_entry);
    /// That of the next rank.
    void add(const RoundReport& other);

    void write(ByteWriter& writer) const;
    static RoundReport read(ByteReader& reader);
};

}  // namespace warpnet

#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::states {

class NetSymmetry;

/// Fields wide enough for the token counts of a few random runs. A breadth-first search finds large counts
/// late, when packing again is expensive. Under a symmetry (may be null) equivalent places have fields of
/// equal width. The limits can end the runs.
PackedLayout first_layout(const CompiledNet& net, Semantics semantics, const NetSymmetry* symmetry,
                          const WorkLimits& limits = {});

/// The data gathered per shard from new markings.
struct ShardFigures {
    std::vector<Word> maxima;
    std::uint64_t most_tokens = 0;
    std::uint64_t markings = 0;
    std::uint32_t expanded = 0;   // markings before it have been expanded
    std::uint32_t round_end = 0;  // … or are in this round
    std::uint32_t level_end = 0;  // those before it are no farther than the current level

    /// Copies everything that does not depend on the positions of markings, in fields of another layout.
    void take_over(const ShardFigures& before, const PackedLayout& from, const PackedLayout& to);
};

/// Everything that is known about markings during an exploration.
struct StateStore {
    StateSpace space;
    std::vector<ShardFigures> figures;
    StateId initial = {};
    std::optional<StateId> deadlock = {};

    /// Appends a new marking.
    static void keep(StateSpace& space, const KeptForm& form, std::uint32_t parent);
};

/// The same markings in wider fields, in `wider`, which is empty. Hashes and therefore shards change. Parents
/// still precede their children, and expanded markings those that are not. Nothing if the memory does not
/// suffice.
std::optional<StateStore> repacked(const StateStore& store, StateSpace wider);

/// The same for a store that is divided among ranks: each marking is sent to its new rank, in the order of
/// repacked(). Called on all ranks.
std::optional<StateStore> repacked(const StateStore& store, StateSpace wider, ranks::Collectives& ranks);

}  // namespace warpnet::states

#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

class NetSymmetry;

/// Fields for the tokens that a few random runs meet: breadth-first the large counts would come late, when
/// packing again is dear. Under a symmetry (may be null) equivalent places have fields of equal width.
/// The runs end where the limits say so.
PackedLayout first_layout(const CompiledNet& net, Semantics semantics, const NetSymmetry* symmetry,
                          const WorkLimits& limits = {});

class Collectives;

/// What is gathered per shard from new markings.
struct ShardFigures {
    std::vector<Word> maxima;
    std::uint64_t most_tokens = 0;
    std::uint64_t markings = 0;
    std::uint32_t expanded = 0;   // markings before it have been expanded
    std::uint32_t round_end = 0;  // … or are in this round
    std::uint32_t level_end = 0;  // those before it are no farther than the current level

    /// Takes over what does not depend on where markings stand, in fields of another layout.
    void take_over(const ShardFigures& before, const PackedLayout& from, const PackedLayout& to);
};

/// All that is known of markings while they are explored.
struct StateStore {
    StateSpace space;
    std::vector<ShardFigures> figures;
    StateId initial = {};
    std::optional<StateId> deadlock = {};

    /// Appends a marking that is not there yet.
    static void keep(StateSpace& space, const KeptForm& form, std::uint32_t parent);
};

/// The same markings in wider fields, in `wider`, which is empty. Hashes and so shards change; that parents
/// come before their children, and what is expanded before what is not, is kept. Nothing where there is no
/// room for them.
std::optional<StateStore> repacked(const StateStore& store, StateSpace wider);

/// The same of a store of which each rank has some shards: markings are sent to where they belong. The order
/// is that of repacked(). On all ranks.
std::optional<StateStore> repacked(const StateStore& store, StateSpace wider, Collectives& ranks);

}  // namespace warpnet

#pragma once

#include "analysis/ranks/task_farm.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace warpnet {

/// The chains of a search on rank 0, as a farm needs to see them.
struct FarmedChains {
    std::size_t count = 0;
    std::uint64_t until = 0;             ///< the iteration that all shall reach
    std::uint64_t shortest_stretch = 1;  ///< iterations that are worth a message
    std::function<std::uint64_t(std::size_t chain)> iteration;
    /// Chains [begin, end) as text, and back from what advance() returned.
    std::function<std::string(std::size_t begin, std::size_t end)> write;
    std::function<void(std::size_t begin, std::string_view text)> read;
    std::function<void()> save = {};  ///< called now and then, to save all chains; may be empty
};

/// Advances chains, given as text, to iteration `until` as far as the signals let it; returns them as text.
using AdvanceChains = std::function<std::string(std::string_view chains, std::uint64_t until)>;

/// Rank 0: groups of chains are advanced a stretch at a time, by whoever is free, those first that are
/// behind. `threads`: of a rank; a group has chains for all of them.
WorkEnd lead_chains(Team& team, int threads, const FarmedChains& chains, const AdvanceChains& advance,
                    FarmSignals& signals);

/// All other ranks, until rank 0 dismisses them. False: it has left instead.
bool follow_chains(Team& team, const AdvanceChains& advance, FarmSignals& signals);

}  // namespace warpnet

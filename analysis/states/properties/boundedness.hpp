#pragma once

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/properties/answers.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

/// Whether the places of a net can hold only so many tokens.
struct BoundednessAnswer {
    std::optional<bool> bounded = {};         ///< nothing: not known
    AnswerPart by = AnswerPart::exploration;  ///< or invariants, pumping
    /// Of an unbounded net: the steps to a marking, and steps that can be repeated from it for ever, each
    /// time with more tokens in the places that grow.
    Schedule prefix = {}, pump = {};
    std::vector<std::uint32_t> growing = {};
    std::uint64_t states = 0;
    std::optional<WorkEnd> stop = {};  ///< why the exploration ended, if there was one
};

/// By weightings of the places that no transition adds to, which holds under every semantics; else by a
/// search for a marking that has at least the tokens of one before it and more in some place (Karp and
/// Miller, JCSS 3, 1969; of the tree of first ways every infinite branch has such a pair); else by an
/// exploration that ends.
///
/// The pair is believed where what led from the first to the second can be done again: under interleaving
/// without priorities where no growing place inhibits, under every semantics where nothing looks at the
/// growing places. Without inhibitor arcs, priorities and maximal steps that decides every net that is small
/// enough.
BoundednessAnswer decide_boundedness(const Net& net, const CompiledNet& compiled,
                                     const ExploreOptions& options, std::uint64_t search_states = 100'000);

}  // namespace warpnet

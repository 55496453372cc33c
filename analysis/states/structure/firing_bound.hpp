#pragma once

#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::states {

/// The maximal number of timed steps of any run under maximal steps, from the state equation. Such a bound
/// proves that every run ends.
struct FiringBound {
    std::optional<std::uint64_t> steps;
    /// The proof, or why the state equation gives none, in words.
    std::string argument;
    std::optional<std::uint32_t> changes_nothing = {};  ///< a transition that forbids the proof
};

/// The most timed firings of any solution of the state equation "initial marking plus effects of firings
/// leaves no place with fewer than 0 tokens" bounds the steps of every run, since each timed step has a
/// firing [Silva98]. A linear program, whose bound is checked in whole numbers.
///
/// Two refinements. A delay gadget is two counters, of the tokens inside and of the ticks that they allow.
/// The state equation alone would let its timer tokens multiply. If only transitions with inhibitor arcs on a
/// place add tokens to it, it cannot hold many. That gives a further inequality.
///
/// Indistinguishable nodes share one variable (colour refinement [Grohe14]). The bound adds up the steps of
/// parallel parts. It is close if little happens in parallel, as in `cfg` nets, and otherwise too high by up
/// to the number of parts. There is no bound if a transition can fire without changing anything, or if
/// transitions undo the effects of other transitions. Nor is there one if the program has more than 25
/// million entries, or takes more than 100 million units of effort (certified_maximum(); some 5 s) or more
/// than the limits.
FiringBound firing_bound(const CompiledNet& net, const WorkLimits& limits = {});

}  // namespace warpnet::states

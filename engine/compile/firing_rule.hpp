#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <span>

namespace warpnet {

// The meaning of a net, in one place ([Gogolinska17] section 3, with weights and read arcs; a-priori step
// semantics). A step is judged against the marking before it: `enabled` looks at that marking alone,
// inhibitor and read arcs included. Members of the step share its tokens: each must find its input demand in
// what the others have left (`fits`). Produced tokens (`give`) are usable only in the next step. A maximal
// step is one to which no enabled transition can be added that fits.

/// Whether the inputs of a transition find their tokens in `residual`: the marking less what the step has
/// taken.
inline bool fits(const CompiledNet& net, std::span<const Tokens> residual, std::uint32_t transition) {
    for (const auto [place, weight] : net.inputs[transition]) {
        if (residual[place] < weight) return false;
    }
    return true;
}

/// Whether a transition alone could fire from `marking`.
inline bool enabled(const CompiledNet& net, std::span<const Tokens> marking, std::uint32_t transition) {
    for (const auto [place, weight] : net.reads[transition]) {
        if (marking[place] < weight) return false;
    }
    for (const auto [place, weight] : net.inhibitors[transition]) {
        if (marking[place] >= weight) return false;
    }
    return fits(net, marking, transition);
}

/// Takes the input tokens; needs fits().
inline void take(const CompiledNet& net, std::span<Tokens> residual, std::uint32_t transition) {
    for (const auto [place, weight] : net.inputs[transition]) residual[place] -= weight;
}

/// Adds the output tokens; false (and nothing sensible in `marking`) where a count would exceed max_tokens.
inline bool give(const CompiledNet& net, std::span<Tokens> marking, std::uint32_t transition) {
    bool in_range = true;
    for (const auto [place, weight] : net.outputs[transition]) {
        in_range &= !__builtin_add_overflow(marking[place], Tokens{weight}, &marking[place]);
    }
    return in_range;
}

}  // namespace warpnet

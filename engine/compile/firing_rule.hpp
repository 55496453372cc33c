#pragma once

#include "engine/compile/compiled_net.hpp"

#include <cstdint>
#include <span>

namespace warpnet {

// The firing rule, in one place ([Gogolinska17] section 3, with weights and read arcs; a-priori step
// semantics). A step is judged by the marking before it: `enabled` depends on that marking alone, including
// inhibitor and read arcs. The members of a step share its tokens, so the inputs of each member must be
// covered by the tokens that the other members leave (`fits`). Produced tokens (`give`) can be consumed in
// the next step at the earliest. A step is maximal if no enabled transition that fits can be added.

/// Whether `residual`, the marking without the tokens that the step has taken, covers the inputs of a
/// transition.
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

/// Takes the input tokens. REQUIRES: fits().
inline void take(const CompiledNet& net, std::span<Tokens> residual, std::uint32_t transition) {
    for (const auto [place, weight] : net.inputs[transition]) residual[place] -= weight;
}

/// Adds the output tokens. Returns false if a token count would exceed max_tokens; `marking` is then
/// unusable.
inline bool give(const CompiledNet& net, std::span<Tokens> marking, std::uint32_t transition) {
    bool in_range = true;
    for (const auto [place, weight] : net.outputs[transition]) {
        in_range &= !__builtin_add_overflow(marking[place], Tokens{weight}, &marking[place]);
    }
    return in_range;
}

}  // namespace warpnet

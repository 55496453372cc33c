#pragma once

#include "engine/general/firing_list.hpp"
#include "engine/run/conflict_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Chooses multiset steps, in which a transition fires as often as its tokens allow.
class MultisetChoice {
  public:
    MultisetChoice(const CompiledNet& net, RunState& state, ConflictOrder& order)
        : net_(net), state_(state), order_(order) {}

    /// Adds to the firings those of the next step of some strata, in the order of service. Whether it is the
    /// only one possible. O(candidates + firings in conflicts · competitors).
    bool choose(std::span<const Stratum> strata, FiringList& firings);

  private:
    void find_candidates(std::span<const Stratum> strata);
    void fire_uncontested(FiringList& firings);
    void fire_contested(std::span<std::uint32_t> competitors, FiringList& firings);

    const CompiledNet& net_;
    RunState& state_;
    ConflictOrder& order_;
    std::vector<std::uint32_t> contested_;  // first: all candidates
    std::vector<Tokens> residual_;          // per place of theirs: what the step has left of its tokens
    std::vector<std::uint32_t> takers_;     // per shared place: how many want something of it
};

}  // namespace warpnet

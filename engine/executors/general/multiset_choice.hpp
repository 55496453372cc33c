#pragma once

#include "engine/executors/general/firing_list.hpp"
#include "engine/executors/loop/conflict_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Chooses multiset steps, in which a transition fires as often as its tokens allow.
class MultisetChoice {
  public:
    MultisetChoice(const CompiledNet& net, RunState& state, ConflictOrder& order)
        : net_(net), state_(state), order_(order) {}

    /// Adds to the firings those of the next step of some priority levels, in the order of service. Whether
    /// it is the only one possible. O(candidates + firings in conflicts · competitors).
    bool choose(std::span<const PriorityLevel> priority_levels, FiringList& firings);

    /// A step can have as many firings as there are tokens. From now on one is left unfinished where these
    /// limits, which must outlive this, say that the work must end.
    void obey(const WorkLimits& limits) noexcept { limits_ = &limits; }
    bool left_unfinished() const noexcept { return left_unfinished_; }

  private:
    void find_candidates(std::span<const PriorityLevel> priority_levels);
    void fire_uncontested(FiringList& firings);
    void fire_contested(std::span<std::uint32_t> competitors, FiringList& firings);

    const CompiledNet& net_;
    RunState& state_;
    ConflictOrder& order_;
    const WorkLimits* limits_ = nullptr;
    std::uint64_t firings_ = 0;  // in conflicts, of all steps
    bool left_unfinished_ = false;
    std::vector<std::uint32_t> contested_;  // first: all candidates
    std::vector<Tokens> residual_;          // per place of theirs: what the step has left of its tokens
    std::vector<std::uint32_t> takers_;     // per shared place: how many want something of it
};

}  // namespace warpnet

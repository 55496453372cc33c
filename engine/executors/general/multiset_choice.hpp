#pragma once

#include "engine/executors/general/run_state.hpp"
#include "engine/executors/loop/conflict_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Chooses multiset steps, in which a transition fires as often as its tokens allow. Candidates without
/// competitors fire at once. Candidates with competitors fire one at a time, since each firing changes which
/// competitors still fit.
class MultisetChoice {
  public:
    MultisetChoice(const CompiledNet& net, RunState& state, ConflictOrder& order)
        : net_(net), state_(state), order_(order) {}

    /// Adds the firings of the next step for some priority levels, in the order of service. Returns whether
    /// the step is the only possible one. O(candidates + firings in conflicts · competitors).
    bool choose(std::span<const PriorityLevel> priority_levels, FiringList& firings);

    /// A step can have as many firings as there are tokens. From now on a step is left unfinished if these
    /// limits end the work. They must outlive this object.
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
    std::uint64_t firings_ = 0;  // in conflicts, over all steps
    bool left_unfinished_ = false;
    std::vector<std::uint32_t> contested_;  // all candidates at first
    std::vector<Tokens> residual_;          // per input place of theirs: the tokens that the step has left
    std::vector<std::uint32_t> takers_;     // per shared place: the number of competitors
};

}  // namespace warpnet

#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/formula/formula.hpp"

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace warpnet::states {

/// Estimates the firings from a marking to a condition: those that would be needed if no firing took tokens,
/// with each of its needs on its own [Bonet01]. Under interleaving, without priorities.
class RelaxedDistance {
  public:
    /// The net must outlive it.
    explicit RelaxedDistance(const CompiledNet& net);

    /// Nothing: the condition cannot be reached from the marking. REQUIRES: simplified and without
    /// transitions. O(arcs log arcs).
    std::optional<std::int64_t> operator()(const Formula& condition, std::span<const Tokens> marking);

  private:
    void find_costs(std::span<const Tokens> marking);
    void reach(std::uint32_t transition);
    std::int64_t cost_of(const Formula& condition, std::span<const Tokens> marking) const;
    std::int64_t cost_of(const LinearSum& sum, bool upwards, WideSum missing) const;

    struct Need {
        std::uint32_t transition;
        std::int32_t tokens;
    };

    const CompiledNet& net_;
    Rows<Need> needs_;                    // per place
    Rows<std::uint32_t> lowered_by_;      // per place: transitions
    std::vector<std::int64_t> of_place_;  // of one more token
    std::vector<std::int64_t> of_transition_;
    std::vector<std::uint32_t> unmet_;  // per transition: needs without a cost
    using Costly = std::pair<std::int64_t, std::uint32_t>;
    std::priority_queue<Costly, std::vector<Costly>, std::greater<>> open_;  // places
};

}  // namespace warpnet::states

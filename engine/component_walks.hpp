#pragma once

#include "engine/component_net.hpp"
#include "engine/run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Where the components of a net are, each on its way along a segment to the next node or arrived there, and
/// what that means for the net: firings, counts and marking after any step on the way.
class ComponentWalks {
  public:
    explicit ComponentWalks(const CompiledNet& net);

    std::uint32_t node(std::uint32_t component) const noexcept { return walks_[component].node; }

    /// A component goes along segment `number`; `step` is its first step.
    void begin(std::uint32_t component, std::uint32_t number, const Segment& segment,
               std::uint64_t step) noexcept;

    /// Adds what a component does in its walk up to a step to counts per transition.
    void count(std::uint32_t component, std::uint64_t step, std::vector<std::uint64_t>& counts) const;
    /// Appends what the components fire in a step.
    void fired_in(std::uint64_t step, std::vector<Firing>& firings) const;
    /// Firings after a step in walks that have begun.
    std::uint64_t firings_after(std::uint64_t step) const;
    /// Puts the tokens of all components after a step into `marking`.
    void settle(std::uint64_t step, Marking& marking) const;

  private:
    static constexpr std::uint32_t no_segment = 0xffffffff;
    struct Walk {
        std::uint64_t begun = 0;  // the first step
        std::uint32_t segment = no_segment;
        std::uint32_t node = 0;  // at its end
    };

    std::uint64_t steps_until(const Walk& walk, std::uint64_t step) const;
    template <class Visit>
    void for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps, Visit&& visit) const;

    const CompiledNet& net_;
    const ComponentNet& parts_;
    const SupplyUse* uses_;
    const std::uint32_t* targets_;
    std::size_t most_supplies_;
    std::vector<Walk> walks_;
    std::vector<Tokens> supplies_;  // per component: what is left at the end of its walk
};

inline void ComponentWalks::begin(std::uint32_t component, std::uint32_t number, const Segment& segment,
                                  std::uint64_t step) noexcept {
    std::size_t target = segment.first_target;
    Tokens* const supplies = supplies_.data() + component * most_supplies_;
    const auto apply = [&](const SupplyUse& use) {
        const Tokens left = supplies[use.supply] -= use.weight;
        if (left < use.capacity) target += use.stride * static_cast<std::size_t>(use.capacity - left);
    };
    apply(segment.use);
    for (std::uint32_t i = 1; i < segment.uses; ++i) apply(uses_[segment.first_use + i]);
    walks_[component] = {step, number, targets_[target]};
}

}  // namespace warpnet

#pragma once

#include "engine/modules/component_net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Where the components of a net are, each on its way along a segment to the next node or arrived there, and
/// what that means for the net: firings, counts and marking after any step on the way.
class ComponentWalks {
  public:
    ComponentWalks(const CompiledNet& net, const ComponentNet& parts);

    const RouteNode& node(std::uint32_t component) const noexcept { return *walks_[component].node; }

    /// A component sets out; `step` is its first step.
    void begin(std::uint32_t component, const Route& route, std::uint64_t step) noexcept;

    /// Adds what a component does in its walk up to a step to counts per transition.
    void count(std::uint32_t component, std::uint64_t step, std::vector<std::uint64_t>& counts) const;
    /// Appends what the components fire in a step.
    void fired_in(std::uint64_t step, std::vector<Firing>& firings) const;
    /// Firings after a step in walks that have begun.
    std::uint64_t firings_after(std::uint64_t step) const;
    /// Puts the tokens of all components after a step into `marking`.
    void settle(std::uint64_t step, Marking& marking) const;

  private:
    struct Walk {
        std::uint64_t begun = 0;          // the first step
        const Route* route = nullptr;     // null: has not set out yet
        const RouteNode* node = nullptr;  // at its end
    };

    std::uint64_t steps_until(const Walk& walk, std::uint64_t step) const;
    template <class Visit>
    void for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps, Visit&& visit) const;

    const CompiledNet& net_;
    const ComponentNet& parts_;
    std::size_t most_supplies_;
    std::vector<Walk> walks_;
    std::vector<Tokens> supplies_;  // per component: what is left at the end of its walk
};

inline void ComponentWalks::begin(std::uint32_t component, const Route& route, std::uint64_t step) noexcept {
    Tokens* const supplies = supplies_.data() + component * most_supplies_;
    std::size_t target = 0;
    const auto use = [&](std::uint32_t supply, std::uint32_t stride, Tokens weight, Tokens capacity) {
        const Tokens left = supplies[supply] -= weight;
        if (left < capacity) target += stride * static_cast<std::size_t>(capacity - left);
    };
    use(route.supply, route.stride, route.weight, route.capacity);
    if (route.more) [[unlikely]] {
        const Segment& segment = parts_.automaton.segments[route.segment];
        for (std::uint32_t i = 1; i < segment.uses; ++i) {
            const SupplyUse& next = parts_.automaton.uses[segment.first_use + i];
            use(next.supply, next.stride, next.weight, next.capacity);
        }
    }
    walks_[component] = {step, &route, route.targets[target]};
}

}  // namespace warpnet

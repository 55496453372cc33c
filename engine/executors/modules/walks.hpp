#pragma once

#include "engine/executors/modules/net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Where the modules of a net are, each on its way along a segment to the next node or arrived there, and
/// what that means for the net: firings, counts and marking after any step on the way.
class ModuleWalks {
  public:
    ModuleWalks(const CompiledNet& net, const ModuleNet& parts);
    ModuleWalks(const ModuleWalks&) = delete;
    ModuleWalks& operator=(const ModuleWalks&) = delete;
    ~ModuleWalks() = default;

    const RouteNode& node(std::uint32_t module) const noexcept { return walks_[module].node; }

    /// Aligned, so that a shift finds it, in one cache line.
    struct alignas(64) Walk {
        std::uint64_t begun = 0;       ///< the first step
        const Route* route = nullptr;  ///< null: has not set out yet
        RouteNode node{};              ///< at its end; a copy, so that its routes are one load away
        Tokens* supplies = nullptr;    ///< what is left at the end

        /// A module sets out; `step` is its first step.
        void start(const Route& along, std::uint64_t step, const ModuleAutomaton& automaton) noexcept {
            begun = step;
            route = &along;
            node = *along.follow(automaton, supplies);
        }
    };
    /// Per module, for a loop that keeps the pointer in a register.
    Walk* data() noexcept { return walks_.data(); }

    /// Adds what a module does in its walk up to a step to counts per transition.
    void count(std::uint32_t module, std::uint64_t step, std::vector<std::uint64_t>& counts) const;
    /// Appends what the modules fire in a step.
    void fired_in(std::uint64_t step, std::vector<Firing>& firings) const;
    /// Firings after a step in walks that have begun.
    std::uint64_t firings_after(std::uint64_t step) const;
    /// Puts the tokens of all modules after a step into `marking`.
    void settle(std::uint64_t step, Marking& marking) const;

  private:
    std::uint64_t steps_until(const Walk& walk, std::uint64_t step) const;
    template <class Visit>
    void for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps, Visit&& visit) const;

    const CompiledNet& net_;
    const ModuleNet& parts_;
    std::vector<Walk> walks_;
    std::vector<Tokens> supplies_;  // per module: what is left at the end of its walk
};

}  // namespace warpnet

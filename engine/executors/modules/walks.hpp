#pragma once

#include "engine/executors/modules/net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The positions of the modules of a net: each is on a segment or has arrived at its end. Derives the
/// firings, counts and markings of the net at any step on the way.
class ModuleWalks {
  public:
    ModuleWalks(const CompiledNet& net, const ModuleNet& modules);
    ModuleWalks(const ModuleWalks&) = delete;
    ModuleWalks& operator=(const ModuleWalks&) = delete;
    ~ModuleWalks() = default;

    const RouteNode& node(std::uint32_t module) const noexcept { return walks_[module].node; }

    /// In one cache line, and aligned so that the index is computed by a shift.
    struct alignas(64) Walk {
        std::uint64_t begun = 0;       ///< the first step
        const Route* route = nullptr;  ///< null: the module has not started yet
        RouteNode node{};              ///< at its end; a copy, which saves a load on the way to its routes
        Tokens* supplies = nullptr;    ///< what is left at its end

        /// Starts a segment; `step` is its first step.
        void start(const Route& along, std::uint64_t step, const ModuleAutomaton& automaton) noexcept {
            begun = step;
            route = &along;
            node = *along.follow(automaton, supplies);
        }
    };
    /// Per module, for a loop that keeps the pointer in a register.
    Walk* data() noexcept { return walks_.data(); }

    /// Adds the firings of a module in its walk up to a step to the counts per transition.
    void count(std::uint32_t module, std::uint64_t step, std::vector<std::uint64_t>& counts) const;
    /// Appends the firings of the modules in a step.
    void fired_in(std::uint64_t step, std::vector<Firing>& firings) const;
    /// The number of firings after a step in walks that have begun.
    std::uint64_t firings_after(std::uint64_t step) const;
    /// Writes the tokens of all modules after a step to `marking`.
    void settle(std::uint64_t step, Marking& marking) const;

  private:
    std::uint64_t steps_until(const Walk& walk, std::uint64_t step) const;
    template <class Visit>
    void for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps, Visit&& visit) const;

    const CompiledNet& net_;
    const ModuleNet& modules_;
    std::vector<Walk> walks_;
    std::vector<Tokens> supplies_;  // per module: what is left at the end of its walk
};

}  // namespace warpnet

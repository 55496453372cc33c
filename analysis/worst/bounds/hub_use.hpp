#pragma once

#include "analysis/worst/bounds/module_graph.hpp"
#include "analysis/worst/bounds/step_bound.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::worst {

/// The proof that nothing fires after no part of a net can move. Only parts_at_rest() makes one.
class EndsWithParts {
  public:
    /// A bound on the moves of the parts bounds every run.
    StepBound every_run(LastMoveBound bound) const { return {bound.steps, std::move(bound.argument)}; }

  private:
    EndsWithParts() = default;
    friend class RestExaminer;
};

/// The transitions that can fire after no part of a net can move. These are only hub loops, which change
/// nothing, so a loop that can fire then fires forever.
struct PartsAtRest {
    std::optional<EndsWithParts> proof;  ///< no loop can fire
    /// A transition that certainly can: no run ends.
    std::optional<std::uint32_t> fires_forever;
    /// If neither is proved: a transition that is undecided.
    std::optional<std::uint32_t> undecided;
};

/// A part at rest has ended, or with `may_wait` waits for a hub. Each part can be at any such node of its
/// automaton, independent of the other parts; the hubs have the tokens that the parts do not hold there.
/// O(classes x automaton x (loops + hubs)).
PartsAtRest parts_at_rest(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
                          const std::vector<ModuleClass>& classes, bool may_wait);

/// The role of each hub in the waiting of a net's modules.
struct HubUse {
    enum class Kind : std::uint8_t {
        ample,   ///< never short of tokens: no module ever waits for it
        shared,  ///< can be short; no module holds it while it waits or after it has ended
        tied,    ///< can be short; a module may keep its tokens, wait with them, or add some
    };
    std::vector<Kind> kinds;            ///< per hub
    std::vector<std::uint32_t> shared;  ///< hubs of that kind
    bool any_tied = false;
    /// The reason for which a module may wait forever while the net continues: a hub loop takes the tokens it
    /// waits for. Empty: no module can wait forever.
    std::string starved;
};

HubUse hub_use(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
               const std::vector<ModuleClass>& classes);

}  // namespace warpnet::worst

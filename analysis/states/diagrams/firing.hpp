#pragma once

#include "analysis/states/diagrams/levels.hpp"
#include "analysis/states/diagrams/nodes.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpnet {

/// Firing transitions from all markings of a set at once.
class DiagramFiring {
  public:
    DiagramFiring(DiagramLevels& levels, DiagramNodes& nodes, std::size_t transition_count);

    /// Every marking that can be reached from one, by saturation [Ciardo01]: a node is made only after all
    /// transitions that reach no higher than it have been fired in it until nothing is added. States of
    /// levels that appear on the way are included [Ciardo03]. Throws LimitReached.
    DiagramNode reachable_from(std::span<const Tokens> marking);

    /// The markings after one firing, of any transition, from any of a set. Throws LimitReached.
    DiagramNode after_one_firing(DiagramNode markings);

    /// The markings of a set from which a firing of a transition leads into another set. Throws LimitReached.
    DiagramNode before_firing(std::uint32_t transition, DiagramNode markings, DiagramNode targets);

  private:
    /// A node under construction, one per level at a time.
    struct Open {
        std::vector<DiagramNode> children;   // per state
        std::vector<std::uint32_t> filled;   // states with a child
        std::vector<std::uint32_t> waiting;  // states whose child has grown
        std::vector<std::uint8_t> waits;     // per state
    };

    void fill(std::size_t level, std::uint32_t state, DiagramNode more);
    DiagramNode fire(std::uint32_t transition, DiagramNode node, std::size_t level, std::size_t move,
                     bool saturating);
    DiagramNode into(std::uint32_t transition, DiagramNode node, DiagramNode target, std::size_t levels,
                     std::size_t move);
    void saturate(std::size_t level);
    DiagramNode close(std::size_t level);

    DiagramLevels& levels_;
    DiagramNodes& nodes_;
    std::vector<std::vector<std::uint32_t>> highest_;  // per level the transitions that reach no higher
    std::vector<Open> open_;                           // per level
    std::vector<DiagramNodes::Edge> edges_;
    DiagramCache fired_, stepped_;
    std::unordered_map<std::uint64_t, DiagramNode> before_;  // by node and target, of one transition
};

}  // namespace warpnet

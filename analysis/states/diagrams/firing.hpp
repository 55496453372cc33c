#pragma once

#include "analysis/states/diagrams/levels.hpp"
#include "analysis/states/diagrams/nodes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace warpnet::states {

/// The effects of some transitions that the states of levels permit. Each level has many transitions, but a
/// state permits few of them.
class PermittedEffects {
  public:
    struct Effect {
        std::uint32_t target, rest;  ///< the next state of the level, and the tail on the levels below
        auto operator<=>(const Effect&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
    };

    /// `tails`: those of the transitions, by level. The other two must outlive this.
    PermittedEffects(DiagramLevels& levels, DiagramNodes& nodes,
                     std::vector<std::vector<std::uint32_t>> tails);

    /// Of the tails that begin on a level, each effect once.
    const std::vector<Effect>& operator()(std::size_t level, std::uint32_t state);
    std::uint64_t bytes() const noexcept { return bytes_; }

  private:
    DiagramLevels& levels_;
    DiagramNodes& nodes_;
    std::vector<std::vector<std::uint32_t>> tails_;
    std::vector<std::vector<std::optional<std::vector<Effect>>>> known_;  // per level and state
    std::uint64_t bytes_ = 0;
};

/// Firing transitions from all markings of a set at once.
class DiagramFiring {
  public:
    DiagramFiring(DiagramLevels& levels, DiagramNodes& nodes);

    /// Every marking that can be reached from one, by saturation [Ciardo01]: a node is made only after all
    /// transitions that reach no higher than it have been fired in it until nothing is added. States of
    /// levels that appear on the way are included [Ciardo03]. Throws LimitReached.
    DiagramNode reachable_from(std::span<const Tokens> marking);

    /// The markings after one firing, of any transition, from any of a set. Throws LimitReached.
    DiagramNode after_one_firing(DiagramNode markings);

  private:
    /// A node under construction, one per level at a time.
    struct Open {
        std::vector<DiagramNode> children;   // per state
        std::vector<std::uint32_t> filled;   // states with a child
        std::vector<std::uint32_t> waiting;  // states whose child has grown
        std::vector<std::uint8_t> waits;     // per state
    };

    void fill(std::size_t level, std::uint32_t state, DiagramNode more);
    DiagramNode fire(std::uint32_t tail, DiagramNode node, std::size_t levels, bool saturating);
    void saturate(std::size_t level);
    DiagramNode close(std::size_t level);

    DiagramLevels& levels_;
    DiagramNodes& nodes_;
    PermittedEffects permitted_;
    std::vector<Open> open_;  // per level
    std::vector<DiagramNodes::Edge> edges_;
    DiagramCache fired_, stepped_;
};

/// Firing some transitions backwards into all markings of a set at once. The functions throw LimitReached.
class BackwardFiring {
  public:
    /// `tails`: those of the transitions, by level. The other two must outlive this.
    BackwardFiring(DiagramLevels& levels, DiagramNodes& nodes, std::vector<std::vector<std::uint32_t>> tails);

    /// The markings of `hold` from which one firing leads into `targets`.
    DiagramNode one(DiagramNode hold, DiagramNode targets) { return one(hold, targets, levels_.size()); }
    /// `targets`, and the markings of `hold` from which firings lead there with all markings on the way in
    /// `hold`.
    DiagramNode any(DiagramNode hold, DiagramNode targets) { return any(hold, targets, levels_.size()); }

  private:
    enum class Firings : std::uint8_t { one, any };
    struct Pair;
    DiagramNode one(DiagramNode hold, DiagramNode targets, std::size_t levels);
    DiagramNode any(DiagramNode hold, DiagramNode reached, std::size_t levels);
    DiagramNode before(Firings firings, std::uint32_t tail, DiagramNode hold, DiagramNode targets,
                       std::size_t levels);
    void grow(std::size_t level, std::vector<Pair>& pairs);
    std::uint32_t number_of(DiagramNode first, DiagramNode second);

    DiagramLevels& levels_;
    DiagramNodes& nodes_;
    PermittedEffects permitted_;
    std::unordered_map<std::uint64_t, std::uint32_t> pairs_;
    DiagramCache one_, any_, before_one_, before_any_;
};

}  // namespace warpnet::states

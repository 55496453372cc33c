#pragma once

#include "analysis/states/diagrams/firing.hpp"
#include "analysis/states/diagrams/levels.hpp"
#include "analysis/states/diagrams/nodes.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/formula.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace warpnet::states {

/// A number of markings of any size.
using MarkingCount = boost::multiprecision::cpp_int;

/// Every reachable marking of a net under interleaving as one decision diagram, and queries on it. Costs grow
/// with the nodes of the diagram and not with the markings. Sets of markings are nodes that stay valid as
/// long as this object. Functions on sets throw LimitReached at the limits.
class MarkingDiagram {
  public:
    /// The diagram over some order of levels. Throws LimitReached at the limits, and on overflow. The net
    /// must outlive this, be timed (is_timed()) and have the places of the order.
    MarkingDiagram(const CompiledNet& net, const LevelOrder& order, const WorkLimits& limits);

    /// Limits of the queries from now on.
    void allow(const WorkLimits& limits) { nodes_.allow(limits); }

    DiagramNode reachable() const noexcept { return reachable_; }
    /// Nodes of the diagram of all reachable markings, and the number of nodes that were made on the way to
    /// it.
    std::size_t reachable_nodes() const noexcept { return reachable_nodes_; }
    std::size_t made_nodes() const noexcept { return made_nodes_; }

    MarkingCount count(DiagramNode markings) const;
    /// Per transition the number of reachable markings in which it is enabled; their sum is the number of
    /// edges of the state graph.
    std::vector<MarkingCount> count_enabled();
    bool contains(DiagramNode markings, const Marking& marking);
    /// A marking of a set that is not empty.
    Marking some(DiagramNode markings) const;

    /// The markings in which none of these transitions is enabled.
    DiagramNode without_enabled(DiagramNode markings, const std::vector<std::uint32_t>& transitions);
    DiagramNode dead(DiagramNode markings);
    /// The markings with a condition. Of a set of reachable markings if it speaks of paths. REQUIRES: no
    /// firings.
    DiagramNode select(DiagramNode markings, const Formula& condition);

    /// Per place the least and the most tokens in the reachable markings.
    struct Bounds {
        std::vector<Tokens> least, most;
    };
    Bounds bounds() const;
    struct Maximum {
        WideSum value;
        Marking marking;  ///< one that has it
    };
    /// The extremes of a sum over the reachable markings.
    Maximum maximum(const LinearSum& sum) const;

    /// A shortest path from the initial marking into a set of reachable markings that is not empty:
    /// breadth-first, one set of markings per step, which can take far longer than the diagram did.
    Schedule shortest_way(DiagramNode markings);

  private:
    DiagramNode temporal(const Formula& formula);
    BackwardFiring& before();
    DiagramNode some_next(DiagramNode targets);
    DiagramNode some_globally(DiagramNode hold);
    void find_feedback();
    DiagramNode complement(DiagramNode markings) { return nodes_.subtract(reachable_, markings); }
    std::vector<std::vector<DiagramNode>> nodes_by_level(DiagramNode root) const;
    /// Removes the part that enables transitions that reach no higher than a level; the lower levels come
    /// first.
    class Disabler;

    const CompiledNet& net_;
    DiagramLevels levels_;
    DiagramNodes nodes_;  // at first only those of the reachable markings
    DiagramFiring firing_;
    /// Once they are needed: of all transitions, of some of which every cycle fires one, and of the others.
    std::optional<BackwardFiring> before_, before_feedback_, before_others_;
    bool stays_ = false;  // a transition without arcs leads from each marking to itself
    DiagramNode reachable_;
    std::size_t reachable_nodes_, made_nodes_;
};

struct DiagramResult {
    std::unique_ptr<MarkingDiagram> diagram;  ///< null if `stop` is not `complete`
    WorkEnd stop = WorkEnd::complete;
};

/// Whether the diagram of a net is supported: it has neither immediate transitions nor priorities, and at
/// most 10,000 places.
bool has_diagram(const CompiledNet& net);

/// The reachable markings, by the orders of level_orders() in turn with more work in each round, until one
/// finishes; so no bad order costs much. `not_applicable` without has_diagram(). Limits: effort counts visits
/// of nodes, some millions per second.
DiagramResult diagram_of(const CompiledNet& net, const WorkLimits& limits);

}  // namespace warpnet::states

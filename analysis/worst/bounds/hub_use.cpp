// Classifies hubs for the bounds. A hub is ample if the most that all modules can hold together leaves enough
// for every demand, so no module ever waits for it. It is shared if modules hold none of it while they wait
// or after they end; then Graham's argument counts its token-steps. Otherwise it is tied, and only the sum of
// all work is a bound. Hub loops that compete with modules for a hub can keep a module waiting forever. Cost:
// linear in the automata, times the hubs.

#include "analysis/worst/bounds/hub_use.hpp"

#include "engine/base/no_index.hpp"
#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <limits>

namespace warpnet::worst {

// A bound on the moves of the parts bounds every run only if nothing fires after the parts have stopped. Then
// only hub loops could fire. For each loop and each hub, the tokens of the hub at rest are bounded from both
// sides: every part is at some resting node, and the hub has the tokens that the parts do not hold there. If
// these intervals exclude the loop, that is a proof; if the loop fires for all values in them, no run ends.

class RestExaminer {
  public:
    RestExaminer(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
                 const std::vector<ModuleClass>& classes, bool may_wait)
        : net_(net), modules_(parts), graph_(graph), classes_(classes), may_wait_(may_wait) {
        leaving_ = Rows<std::uint32_t>::sorted(graph.reached.size(), [&](auto put) {
            for (const ModuleGraph::Edge& edge : graph.edges) put(edge.from, edge.to);
        });
        if (parts.loops.empty()) return;
        for (const ModuleClass& same : classes) rests_.push_back(rests_of(same.start));
    }

    PartsAtRest examine() const {
        PartsAtRest result;
        for (const HubLoop& loop : modules_.loops) {
            const Fires fires = fires_at_rest(loop);
            if (fires == Fires::always && !result.fires_forever) result.fires_forever = loop.transition;
            if (fires == Fires::perhaps && !result.undecided) result.undecided = loop.transition;
        }
        if (!result.fires_forever && !result.undecided) result.proof = EndsWithParts();
        return result;
    }

  private:
    enum class Fires : std::uint8_t { never, perhaps, always };

    /// The range of tokens of a hub at rest.
    struct Left {
        std::int64_t least, most;
    };

    std::vector<std::uint32_t> rests_of(std::uint32_t start) const {
        std::vector<std::uint8_t> seen(graph_.reached.size(), 0);
        std::vector<std::uint32_t> open = {start}, rests;
        seen[start] = 1;
        while (!open.empty()) {
            const std::uint32_t node = open.back();
            open.pop_back();
            const ModuleNode::Kind kind = modules_.automaton.nodes[node].kind;
            if (kind == ModuleNode::Kind::over || (may_wait_ && kind == ModuleNode::Kind::waiting))
                rests.push_back(node);
            for (const std::uint32_t to : leaving_[node]) {
                if (seen[to] != 0) continue;
                seen[to] = 1;
                open.push_back(to);
            }
        }
        return rests;
    }

    Fires fires_at_rest(const HubLoop& loop) const {
        std::vector<Left> left;
        for (const std::uint32_t hub : modules_.hubs) left.push_back({net_.initial[hub], net_.initial[hub]});
        bool always = true;
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            std::vector<std::uint32_t> nodes = rests_[i];
            std::erase_if(nodes, [&](std::uint32_t node) {
                return stops_loop(net_, modules_, classes_[i].first, node, loop);
            });
            if (nodes.empty()) return Fires::never;
            always = always && nodes.size() == rests_[i].size();
            take_held(nodes, static_cast<std::int64_t>(classes_[i].modules), left);
        }
        const auto at_least = [&](std::uint32_t hub, std::int64_t tokens) {
            always = always && left[hub].least >= tokens;
            return left[hub].most >= tokens;
        };
        const auto fewer_than = [&](std::uint32_t hub, std::int64_t tokens) {
            always = always && left[hub].most < tokens;
            return left[hub].least < tokens;
        };
        for (const auto [hub, weight] : loop.takes)
            if (!at_least(hub, weight)) return Fires::never;
        for (const Watch& test : loop.hub_tests) {
            const bool can = test.threshold > 0 ? at_least(test.transition, test.threshold)
                                                : fewer_than(test.transition, -std::int64_t{test.threshold});
            if (!can) return Fires::never;
        }
        return always ? Fires::always : Fires::perhaps;
    }

    /// The tokens that this many modules hold if each is at any of the given nodes.
    void take_held(const std::vector<std::uint32_t>& nodes, std::int64_t modules,
                   std::vector<Left>& left) const {
        for (std::size_t hub = 0; hub < left.size(); ++hub) {
            if (!graph_.unclear.empty()) {
                left[hub] = {0, std::numeric_limits<std::int64_t>::max()};
                continue;
            }
            std::int64_t least = graph_.held_at(nodes.front(), hub), most = least;
            for (const std::uint32_t node : nodes) {
                least = std::min(least, graph_.held_at(node, hub));
                most = std::max(most, graph_.held_at(node, hub));
            }
            left[hub].least -= most * modules;
            left[hub].most -= least * modules;
        }
    }

    const CompiledNet& net_;
    const ModuleNet& modules_;
    const ModuleGraph& graph_;
    const std::vector<ModuleClass>& classes_;
    bool may_wait_;
    Rows<std::uint32_t> leaving_;                    // per node: targets of its edges
    std::vector<std::vector<std::uint32_t>> rests_;  // per class: nodes
};

PartsAtRest parts_at_rest(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
                          const std::vector<ModuleClass>& classes, bool may_wait) {
    return RestExaminer(net, parts, graph, classes, may_wait).examine();
}

namespace {

class HubExaminer {
  public:
    HubExaminer(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
                const std::vector<ModuleClass>& classes)
        : net_(net), modules_(parts), graph_(graph), most_(graph.hubs, 0), taken_by_loops_(graph.hubs, 0) {
        for (const ModuleClass& same : classes) follow(same);
    }

    HubUse examine() {
        HubUse use;
        use.kinds.resize(graph_.hubs);
        for (std::size_t loop = 0; loop < modules_.loops.size(); ++loop) find_competition(loop);
        for (std::uint32_t hub = 0; hub < graph_.hubs; ++hub) {
            const Tokens tokens = net_.initial[modules_.hubs[hub]];
            HubUse::Kind& kind = use.kinds[hub];
            if (graph_.unclear.empty() && most_[hub] + taken_by_loops_[hub] <= tokens) {
                kind = HubUse::Kind::ample;
                continue;
            }
            if (taken_by_loops_[hub] > 0)
                use.starved = "a transition that only borrows from hubs can take what a part waits for";
            kind = is_tied(hub) ? HubUse::Kind::tied : HubUse::Kind::shared;
            if (kind == HubUse::Kind::tied) use.any_tied = true;
            if (kind == HubUse::Kind::shared) use.shared.push_back(hub);
        }
        return use;
    }

  private:
    /// The nodes that modules of a class can reach, each with an example, and the most that they hold.
    void follow(const ModuleClass& same) {
        example_.resize(graph_.reached.size(), no_index);
        std::vector<std::uint8_t> seen(graph_.reached.size(), 0);
        std::vector<std::int64_t> most(graph_.hubs, 0);
        std::vector<std::uint32_t> open = {same.start};
        seen[same.start] = 1;
        if (leaving_.size() == 0) {
            leaving_ = Rows<std::uint32_t>::sorted(graph_.reached.size(), [&](auto put) {
                for (const ModuleGraph::Edge& edge : graph_.edges) put(edge.from, edge.to);
            });
        }
        while (!open.empty()) {
            const std::uint32_t node = open.back();
            open.pop_back();
            example_[node] = same.first;
            for (std::size_t hub = 0; hub < graph_.hubs; ++hub)
                most[hub] = std::max({most[hub], graph_.most_held_at(node, hub), graph_.held_at(node, hub)});
            for (const std::uint32_t to : leaving_[node]) {
                if (seen[to] != 0) continue;
                seen[to] = 1;
                open.push_back(to);
            }
        }
        for (std::size_t hub = 0; hub < graph_.hubs; ++hub)
            most_[hub] += most[hub] * static_cast<std::int64_t>(same.modules);
    }

    /// Adds the tokens that a loop takes from hubs for which a module may wait while the loop fires.
    void find_competition(std::size_t loop) {
        for (const auto [hub, weight] : modules_.loops[loop].takes) {
            for (std::uint32_t node = 0; node < graph_.reached.size(); ++node) {
                if (example_[node] == no_index || !wants(node, hub) ||
                    stops_loop(net_, modules_, example_[node], node, modules_.loops[loop]))
                    continue;
                taken_by_loops_[hub] += weight;
                break;
            }
        }
    }

    bool wants(std::uint32_t number, std::uint32_t hub) const {
        const ModuleNode& node = modules_.automaton.nodes[number];
        if (node.kind != ModuleNode::Kind::waiting) return false;
        const auto& demands = modules_.automaton.demand_classes[node.demand_class];
        return std::any_of(demands.begin(), demands.end(),
                           [&](PlaceWeight demand) { return demand.place == hub; });
    }

    bool is_tied(std::uint32_t hub) const {
        if (!graph_.unclear.empty()) return true;
        for (std::uint32_t node = 0; node < graph_.reached.size(); ++node) {
            if (graph_.reached[node] == 0) continue;
            const std::int64_t held = graph_.held_at(node, hub);
            const bool moves_on = modules_.automaton.nodes[node].kind == ModuleNode::Kind::choosing;
            if (held < 0 || (held > 0 && !moves_on)) return true;
        }
        return false;
    }

    const CompiledNet& net_;
    const ModuleNet& modules_;
    const ModuleGraph& graph_;
    std::vector<std::int64_t> most_;            // per hub: tokens that all modules can hold together
    std::vector<std::int64_t> taken_by_loops_;  // per hub: by loops that compete with modules
    std::vector<std::uint32_t> example_;        // per node: a module that can be there, or none
    Rows<std::uint32_t> leaving_;               // per node: targets of its edges
};

}  // namespace

HubUse hub_use(const CompiledNet& net, const ModuleNet& parts, const ModuleGraph& graph,
               const std::vector<ModuleClass>& classes) {
    return HubExaminer(net, parts, graph, classes).examine();
}

}  // namespace warpnet::worst

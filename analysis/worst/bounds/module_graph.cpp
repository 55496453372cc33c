#include "analysis/worst/bounds/module_graph.hpp"

#include "engine/executors/modules/moves.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpnet {

namespace {

class GraphBuilder {
  public:
    explicit GraphBuilder(const ModuleNet& parts) : parts_(parts), automaton_(parts.automaton) {
        graph_.hubs = parts.hubs.size();
        graph_.held.assign(automaton_.nodes.size() * graph_.hubs, 0);
        graph_.most_held = graph_.held;
        graph_.reached.assign(automaton_.nodes.size(), 0);
    }

    ModuleGraph build() {
        for (const std::uint32_t start : parts_.start)
            reach(start, std::vector<std::int64_t>(graph_.hubs, 0));
        while (!open_.empty()) {
            const std::uint32_t node = open_.back();
            open_.pop_back();
            leave(node);
        }
        return std::move(graph_);
    }

  private:
    void reach(std::uint32_t node, const std::vector<std::int64_t>& held) {
        const auto known = graph_.held.begin() + static_cast<std::ptrdiff_t>(node * graph_.hubs);
        if (graph_.reached[node] == 0) {
            graph_.reached[node] = 1;
            std::copy(held.begin(), held.end(), known);
            open_.push_back(node);
        } else if (!std::equal(held.begin(), held.end(), known)) {
            graph_.unclear = "what a module holds depends on how it came to where it is";
        }
    }

    /// The edges from a node: one for each segment that can be chosen there and each place where it leads.
    void leave(std::uint32_t number) {
        const ModuleNode& node = automaton_.nodes[number];
        const auto row = static_cast<std::ptrdiff_t>(number * graph_.hubs);
        std::vector<std::int64_t> taken(graph_.held.begin() + row,
                                        graph_.held.begin() + row + static_cast<std::ptrdiff_t>(graph_.hubs));
        if (node.kind == ModuleNode::Kind::waiting) {
            for (const auto [hub, weight] : automaton_.demand_classes[node.demand_class])
                taken[hub] += weight;
        }
        for (const std::uint32_t order : moves_from(automaton_, node))
            follow(number, automaton_.segments[automaton_.orders[node.first_order + order]], taken);
    }

    void follow(std::uint32_t number, const Segment& segment, std::vector<std::int64_t> holds) {
        std::vector<std::int64_t> hub_steps(graph_.hubs), most = holds;
        for (std::size_t hub = 0; hub < graph_.hubs; ++hub) hub_steps[hub] = holds[hub] * segment.steps;
        for (std::uint32_t i = 0; i < segment.at_once + segment.later; ++i) {
            const TimedEffect& effect = automaton_.effects[segment.first_effect + i];
            if (effect.counter >= graph_.hubs) continue;  // a hub loop
            // What is given in a step is free from the next one on.
            const std::int64_t rest = std::int64_t{segment.steps} - 1 - effect.offset;
            hub_steps[effect.counter] -= effect.delta * rest;
            holds[effect.counter] -= effect.delta;
            if (rest > 0) most[effect.counter] = std::max(most[effect.counter], holds[effect.counter]);
        }
        for (std::size_t hub = 0; hub < graph_.hubs; ++hub) {
            std::int64_t& known = graph_.most_held[number * graph_.hubs + hub];
            known = std::max(known, most[hub]);
        }
        for_each_target(segment, [&](std::uint32_t target, std::span<const PlaceWeight> uses) {
            graph_.edges.push_back({number, target, segment.steps});
            for (const PlaceWeight use : uses) graph_.uses.append(use);
            graph_.uses.close_row();
            graph_.hub_steps.insert(graph_.hub_steps.end(), hub_steps.begin(), hub_steps.end());
            reach(target, holds);
        });
    }

    /// Where a segment leads, whatever is left in the supplies that it uses.
    template <class Visit>
    void for_each_target(const Segment& segment, Visit&& visit) const {
        std::vector<PlaceWeight> uses;
        std::size_t targets = 1;
        for (std::uint32_t i = 0; i < segment.uses; ++i) {
            const SupplyUse& use = automaton_.uses[segment.first_use + i];
            uses.push_back({use.supply, static_cast<std::int32_t>(use.weight)});
            if (use.stride > 0) targets *= static_cast<std::size_t>(use.weight) + 1;
        }
        std::vector<std::uint32_t> known;
        for (std::size_t i = 0; i < targets; ++i) {
            const std::uint32_t target = automaton_.targets[segment.first_target + i];
            if (std::find(known.begin(), known.end(), target) != known.end()) continue;
            known.push_back(target);
            visit(target, uses);
        }
    }

    const ModuleNet& parts_;
    const ModuleAutomaton& automaton_;
    ModuleGraph graph_;
    std::vector<std::uint32_t> open_;
};

}  // namespace

ModuleGraph module_graph(const ModuleNet& parts) { return GraphBuilder(parts).build(); }

std::vector<ModuleClass> module_classes(const ModuleNet& parts) {
    std::vector<ModuleClass> classes;
    const std::vector<std::uint32_t> class_of = classes_of_modules(parts);
    for (std::uint32_t module = 0; module < parts.size(); ++module) {
        if (class_of[module] == classes.size()) {
            const auto supplies = parts.start_supplies_of(module).first(parts.supplies[module].size());
            classes.push_back({parts.start[module], {supplies.begin(), supplies.end()}, 0, module});
        }
        ++classes[class_of[module]].modules;
    }
    std::ranges::sort(classes, {}, [](const ModuleClass& one) { return std::tie(one.start, one.supplies); });
    return classes;
}

}  // namespace warpnet

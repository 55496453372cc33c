// Labels of ways. A service order must mean something at every node, also after a change that leads a part
// along other nodes. So ways get labels that, as far as possible, are equal for equal firings at different
// nodes, and a table per node maps every label to one of its ways. Equal ways of a node are one way. If
// the tables would exceed a limit, labels are only numbers of ways.

#include "analysis/worst/search/service_net.hpp"

#include "engine/executors/modules/net.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace warpnet::worst {

// The changes between two service orders, as one range per row. They are found by comparing both orders from
// both ends.

std::vector<ServiceChange> changes(const ServiceOrder& from, const ServiceOrder& to) {
    std::vector<ServiceChange> result;
    for (std::uint32_t row = 0; row < from.rows(); ++row) {
        ServiceChange change{row};
        const auto compare = [&](const auto& before, const auto& after, std::uint32_t& first) {
            const auto differs = std::mismatch(before.begin(), before.end(), after.begin()).first;
            if (differs == before.end()) return;
            const auto same = std::mismatch(before.rbegin(), before.rend(), after.rbegin()).first;
            first = static_cast<std::uint32_t>(differs - before.begin());
            change.end = std::max(change.end, static_cast<std::uint32_t>(before.rend() - same));
        };
        compare(from.priorities(row), to.priorities(row), change.first_priority);
        compare(from.choices(row), to.choices(row), change.first_choice);
        if (change.end > 0) result.push_back(change);
    }
    return result;
}

namespace {

constexpr std::size_t most_labels = 128;
constexpr std::size_t most_entries = std::size_t{1}
                                     << 20;  // of all tables together, while labels have a meaning

using Fired = std::vector<std::uint32_t>;

/// The competitors at a node that fire on a way.
Fired fired_of(const ModuleAutomaton& automaton, const ModuleNode& node, const Segment& segment) {
    std::uint32_t skip = node.choice_offset;
    for (std::uint32_t i = 0; i < segment.parts; ++i) {
        const PathPart& part = automaton.parts[segment.first_part + i];
        if (skip >= part.repeats) {
            skip -= part.repeats;
            continue;
        }
        const auto fired = std::span(automaton.fired).subspan(part.first_fired, part.fired);
        const auto competitors =
            std::span(automaton.competitors).subspan(node.first_competitor, node.competitors);
        Fired both;
        std::set_intersection(fired.begin(), fired.end(), competitors.begin(), competitors.end(),
                              std::back_inserter(both));
        return both;
    }
    return {};
}

/// The ways of a node, each once.
std::vector<const Route*> ways_of(const ModuleNet& parts, std::uint32_t number) {
    std::vector<const Route*> ways;
    for (const std::uint32_t order : moves_from(parts.automaton, parts.automaton.nodes[number]))
        ways.push_back(parts.routes.node(number).routes + order);
    return ways;
}

}  // namespace

ServiceNet::ServiceNet(const CompiledNet& net, const ModuleNet& parts)
    : net_(net), modules_(parts), likeness_(classes_of_modules(parts)) {
    label_ways();
    find_private_classes();
}

void ServiceNet::label_ways() {
    const ModuleAutomaton& automaton = parts().automaton;
    const auto count = static_cast<std::uint32_t>(automaton.nodes.size());
    std::map<Fired, std::uint32_t> known;
    std::size_t choosing = 0, most_ways = 1;
    for (std::uint32_t number = 0; number < count; ++number) {
        const auto ways = ways_of(parts(), number);
        if (ways.size() < 2) continue;
        ++choosing;
        most_ways = std::max(most_ways, ways.size());
        for (const Route* way : ways) {
            known.try_emplace(fired_of(automaton, automaton.nodes[number], automaton.segments[way->segment]),
                              static_cast<std::uint32_t>(known.size()));
        }
    }
    const bool by_meaning = known.size() <= most_labels && choosing * known.size() <= most_entries;
    const auto table = static_cast<std::uint32_t>(std::bit_ceil(by_meaning ? known.size() : most_ways));
    labels_ = std::max(1u, static_cast<std::uint32_t>(by_meaning ? known.size() : most_ways));
    ways_.reserve(count + choosing * table);
    nodes_.resize(count);
    for (std::uint32_t number = 0; number < count; ++number) {
        const RouteNode& route_node = parts().routes.node(number);
        const ModuleNode& node = automaton.nodes[number];
        const auto ways = ways_of(parts(), number);
        const std::size_t first = ways_.size();
        ServiceNode& result = nodes_[number];
        result = {ways_.data() + first, 0, unlabelled, route_node.demand_class, route_node.kind};
        if (ways.size() < 2) {
            if (ways.empty()) continue;
            ways_.push_back(ways.front());
            // A transition that fires alone here may be a choice elsewhere.
            const Segment& segment = automaton.segments[ways.front()->segment];
            for (const auto& [fired, label] : known) {
                for (std::uint32_t i = 0; by_meaning && i < segment.parts; ++i) {
                    const PathPart& part = automaton.parts[segment.first_part + i];
                    const auto all = std::span(automaton.fired).subspan(part.first_fired, part.fired);
                    if (std::includes(all.begin(), all.end(), fired.begin(), fired.end()))
                        result.only = static_cast<std::uint8_t>(label);
                }
            }
            continue;
        }
        result.mask = table - 1;
        for (std::uint32_t label = 0; label < table; ++label) ways_.push_back(ways[label % ways.size()]);
        for (const Route* way : ways) {
            if (by_meaning)
                ways_[first + known.at(fired_of(automaton, node, automaton.segments[way->segment]))] = way;
        }
    }
}

std::uint8_t ServiceNet::label_of(const ServiceNode& node, const Route& way) const {
    if (node.mask == 0) return node.only;
    const auto at = std::find(node.ways, node.ways + node.mask + 1, &way);
    return static_cast<std::uint8_t>(at - node.ways);
}

void ServiceNet::find_private_classes() {
    const auto& classes = parts().automaton.demand_classes;
    std::vector<std::uint32_t> users(parts().hubs.size(), 0);
    for (const auto& demands : classes) {
        for (const PlaceWeight demand : demands) ++users[demand.place];
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes[i].size() == 1 && users[classes[i].front().place] == 1) private_ |= std::uint64_t{1} << i;
    }
}

}  // namespace warpnet::worst

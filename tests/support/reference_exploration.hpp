#pragma once

#include "engine/net/net.hpp"
#include "engine/run/run.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpnet::testing {

/// A step as the number of firings of each transition.
using Firings = std::vector<Tokens>;

struct ReferenceEdge {
    Firings firings;
    Marking after;
    bool immediate;
};

/// Judges every exploration. It works on the Net itself, shares no code with the engine, and follows the
/// definition: a step is any multiset of enabled transitions that share the marking's tokens and to which,
/// priority by priority, none can be added.
class ReferenceSteps {
  public:
    ReferenceSteps(const Net& net, Semantics semantics) : net_(net), semantics_(semantics) {}

    std::vector<ReferenceEdge> operator()(const Marking& marking) const {
        std::vector<std::size_t> able;
        for (std::size_t t = 0; t < net_.transitions().size(); ++t)
            if (enabled(marking, t)) able.push_back(t);
        const bool immediate =
            std::ranges::any_of(able, [&](std::size_t t) { return net_.transitions()[t].immediate; });
        std::erase_if(able, [&](std::size_t t) { return net_.transitions()[t].immediate != immediate; });
        std::vector<ReferenceEdge> edges;
        Firings firings(net_.transitions().size(), 0);
        choose(marking, marking, able, 0, firings, immediate, edges);
        return edges;
    }

  private:
    bool enabled(const Marking& marking, std::size_t t) const {
        return std::ranges::all_of(net_.arcs_of(TransitionId(t)), [&](const Arc& arc) {
            const Tokens tokens = marking[index(arc.place)];
            if (arc.kind == ArcKind::inhibitor) return tokens < arc.weight;
            return arc.kind == ArcKind::output || tokens >= arc.weight;
        });
    }
    bool fits(const Marking& left, std::size_t t) const {
        return std::ranges::all_of(net_.arcs_of(TransitionId(t)), [&](const Arc& arc) {
            return arc.kind != ArcKind::input || left[index(arc.place)] >= arc.weight;
        });
    }
    void change(Marking& marking, std::size_t t, ArcKind kind, Tokens times) const {
        for (const Arc& arc : net_.arcs_of(TransitionId(t)))
            if (arc.kind == kind) marking[index(arc.place)] += times * arc.weight;
    }

    void choose(const Marking& marking, const Marking& left, const std::vector<std::size_t>& able,
                std::size_t at, Firings& firings, bool immediate, std::vector<ReferenceEdge>& edges) const {
        if (at == able.size()) {
            if (!allowed(marking, able, firings)) return;
            Marking after = left;
            for (const std::size_t t : able) change(after, t, ArcKind::output, firings[t]);
            edges.push_back({firings, after, immediate});
            return;
        }
        Marking rest = left;
        const std::size_t t = able[at];
        const Tokens most = semantics_ == Semantics::multiset ? max_tokens : 1;
        for (firings[t] = 0;; ++firings[t]) {
            choose(marking, rest, able, at + 1, firings, immediate, edges);
            if (firings[t] == most || !fits(rest, t)) break;
            change(rest, t, ArcKind::input, -1);
        }
        firings[t] = 0;
    }

    bool allowed(const Marking& marking, const std::vector<std::size_t>& able, const Firings& firings) const {
        const auto priority = [&](std::size_t t) { return net_.transitions()[t].priority; };
        if (semantics_ == Semantics::interleaving) {
            Tokens total = 0;
            bool highest = true;
            for (const std::size_t t : able) {
                total += firings[t];
                for (const std::size_t other : able)
                    highest = highest && (firings[t] == 0 || priority(other) <= priority(t));
            }
            return total == 1 && highest;
        }
        if (able.empty()) return false;
        // A transition with room must be kept out by transitions of its own and of higher priorities.
        return std::ranges::all_of(able, [&](std::size_t t) {
            if (semantics_ == Semantics::maximal && firings[t] == 1) return true;
            Marking left = marking;
            for (const std::size_t other : able)
                if (priority(other) >= priority(t)) change(left, other, ArcKind::input, -firings[other]);
            return !fits(left, t);
        });
    }

    const Net& net_;
    Semantics semantics_;
};

struct ReferenceSpace {
    std::map<Marking, std::size_t> numbers;
    std::vector<Marking> markings;
    std::vector<std::vector<ReferenceEdge>> edges;  // per marking
    std::vector<std::size_t> distance;              // steps from the initial marking
    std::uint64_t edge_count = 0;
};

/// Every reachable marking; nothing if there are more than `most`, more than 40 times as many edges, or
/// more than 12 tokens in a place (multisets could then be too many).
inline std::optional<ReferenceSpace> reference_space(const Net& net, Semantics semantics, std::size_t most) {
    const ReferenceSteps steps(net, semantics);
    ReferenceSpace space;
    space.markings = {net.initial_marking()};
    space.numbers[space.markings[0]] = 0;
    space.distance = {0};
    for (std::size_t state = 0; state < space.markings.size(); ++state) {
        space.edges.push_back(steps(space.markings[state]));
        space.edge_count += space.edges.back().size();
        for (const ReferenceEdge& edge : space.edges.back()) {
            if (std::ranges::any_of(edge.after, [](Tokens tokens) { return tokens > 12; }))
                return std::nullopt;
            if (!space.numbers.try_emplace(edge.after, space.markings.size()).second) continue;
            space.markings.push_back(edge.after);
            space.distance.push_back(space.distance[state] + 1);
        }
        if (space.markings.size() > most || space.edge_count > 40 * most) return std::nullopt;
    }
    return space;
}

}  // namespace warpnet::testing

// Both formats are written in one pass over the states in breadth-first order. The numbers of an exploration
// depend on hashes; breadth-first numbers do not, so equal nets give equal text.
//
// Edges have no stored labels. The steps of each state are enumerated again in the order of the exploration,
// which gives the targets of StepGraph their labels. That takes the time of a second exploration without its
// hash table, and saves a label per edge. Memory: the text, and two numbers per state.
// state_graph_aut_bytes() estimates the text before it is made.

#include "analysis/states/explore/state_graph_text.hpp"

#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/explore/successors.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/text.hpp"
#include "engine/net/node_names.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::states {

namespace {

/// Breadth-first numbers of the states, and the states in that order.
struct Numbering {
    std::vector<std::uint32_t> number, order;

    explicit Numbering(const StepGraph& graph) : number(graph.size(), no_index) {
        order.reserve(graph.size());
        add(graph.initial());
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            for (const std::uint32_t target : graph.targets(order[i])) {
                if (number[target] == no_index) add(target);
            }
        }
    }

  private:
    void add(std::uint32_t state) {
        number[state] = static_cast<std::uint32_t>(order.size());
        order.push_back(state);
    }
};

std::string quotable(std::string_view word) {
    std::string text = visible(word);
    for (char& c : text) {
        if (c == '"') c = '\'';
        if (c == '\n' || c == '\t') c = ' ';
    }
    return text;
}

/// In a quoted text of DOT a backslash begins an escape.
std::string for_dot(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\') escaped += '\\';
        escaped += c;
    }
    return escaped;
}

/// for_each_edge() of an exploration: states by their breadth-first numbers.
class Edges {
  public:
    Edges(const CompiledNet& compiled, Semantics semantics, const Exploration& explored,
          const StepGraph& graph)
        : explored_(explored),
          graph_(graph),
          numbers_(graph),
          firing_(compiled, explored.space.layout()),
          successors_(compiled, semantics, explored.space.layout(), firing_),
          coder_(explored.space) {}

    const Numbering& numbering() const { return numbers_; }

    template <class NameOf, class Visit>
    void operator()(std::uint32_t number, NameOf&& name_of, Visit&& visit) {
        const std::uint32_t state = numbers_.order[number];
        std::size_t at = 0;
        successors_.for_each(coder_.unpack_kept(graph_.id(state)), AnyWords{explored_.space.layout().words()},
                             [&](const Word*, std::span<const std::uint32_t> fired) {
                                 visit(label(fired, name_of), numbers_.number[graph_.targets(state)[at++]]);
                                 return true;
                             });
    }

  private:
    template <class NameOf>
    static std::string label(std::span<const std::uint32_t> fired, NameOf&& name_of) {
        std::string text;
        for (std::size_t i = 0; i < fired.size();) {
            std::size_t end = i;
            while (end < fired.size() && fired[end] == fired[i]) ++end;
            if (!text.empty()) text += '+';
            if (end - i > 1) text += fmt::format("{}*", end - i);
            text += quotable(name_of(fired[i]));
            i = end;
        }
        return text;
    }

    const Exploration& explored_;
    const StepGraph& graph_;
    Numbering numbers_;
    PackedFiring firing_;
    Successors successors_;
    StateCoder coder_;
};

std::string marking_text(const NodeNames& names, const Marking& marking) {
    std::string text;
    for (std::size_t place = 0; place < marking.size(); ++place) {
        if (marking[place] == 0) continue;
        if (!text.empty()) text += ", ";
        if (marking[place] == any_number)
            text += "ω ";
        else if (marking[place] > 1)
            text += fmt::format("{} ", marking[place]);
        text += quotable(names.place(place));
    }
    return text.empty() ? "(empty)" : for_dot(text);
}

// Both formats take the states in order, and for_each_edge(state, name_of, visit), which calls
// visit(label, target) for the edges of a state; `name_of(transition)` is the name of a transition in the
// label.

template <class ForEachEdge>
std::string aut(const Net& net, std::uint32_t states, std::uint64_t edges, ForEachEdge&& for_each_edge) {
    const auto id = [&](std::uint32_t transition) -> const std::string& {
        return net.transitions()[transition].id;
    };
    std::string text = fmt::format("des (0, {}, {})\n", edges, states);
    for (std::uint32_t state = 0; state < states; ++state) {
        for_each_edge(state, id, [&](const std::string& label, std::uint32_t target) {
            text += fmt::format("({}, \"{}\", {})\n", state, label, target);
        });
    }
    return text;
}

/// State 0 is the initial one.
template <class MarkingOf, class ForEachEdge>
std::string dot(const Net& net, std::uint32_t states, MarkingOf&& marking_of, ForEachEdge&& for_each_edge) {
    const NodeNames names(net);
    const auto name = [&](std::uint32_t transition) -> const std::string& {
        return names.transition(transition);
    };
    std::string nodes, edges;
    for (std::uint32_t state = 0; state < states; ++state) {
        bool dead = true;
        for_each_edge(state, name, [&](const std::string& label, std::uint32_t target) {
            dead = false;
            edges += fmt::format("  s{} -> s{} [label=\"{}\"];\n", state, target, for_dot(label));
        });
        nodes += fmt::format("  s{} [label=\"{}\"{}{}];\n", state, marking_text(names, marking_of(state)),
                             state == 0 ? ", penwidth=2" : "", dead ? ", peripheries=2" : "");
    }
    return "digraph states {\n  node [shape=box, style=rounded];\n" + nodes + edges + "}\n";
}

/// for_each_edge() of a coverability graph.
auto edges_of(const CoverabilityGraph& graph) {
    std::vector<std::size_t> first(graph.nodes.size() + 1, 0);
    for (const CoverabilityGraph::Edge& edge : graph.edges) ++first[edge.from + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    return [&graph, first = std::move(first)](std::uint32_t node, auto&& name_of, auto&& visit) {
        for (std::size_t i = first[node]; i < first[node + 1]; ++i)
            visit(quotable(name_of(graph.edges[i].transition)), graph.edges[i].to);
    };
}

}  // namespace

std::string state_graph_aut(const Net& net, const CompiledNet& compiled, Semantics semantics,
                            const Exploration& explored, const StepGraph& graph) {
    Edges edges(compiled, semantics, explored, graph);
    return aut(net, graph.size(), graph.edges(), edges);
}

std::string state_graph_dot(const Net& net, const CompiledNet& compiled, Semantics semantics,
                            const Exploration& explored, const StepGraph& graph) {
    Edges edges(compiled, semantics, explored, graph);
    return dot(
        net, graph.size(),
        [&](std::uint32_t state) { return explored.space.marking(graph.id(edges.numbering().order[state])); },
        edges);
}

std::string coverability_graph_aut(const Net& net, const CoverabilityGraph& graph) {
    return aut(net, graph.nodes.size(), graph.edges.size(), edges_of(graph));
}

std::string coverability_graph_dot(const Net& net, const CoverabilityGraph& graph) {
    return dot(
        net, graph.nodes.size(), [&](std::uint32_t node) { return graph.nodes[node]; }, edges_of(graph));
}

std::uint64_t state_graph_aut_bytes(const Net& net, const Exploration& explored) {
    std::uint64_t longest = 0;
    for (const Transition& transition : net.transitions())
        longest = std::max<std::uint64_t>(longest, transition.id.size());
    constexpr std::uint64_t numbers =
        24;  // two of them and punctuation; then the name of a transition or more
    return explored.edges * (numbers + longest);
}

}  // namespace warpnet::states

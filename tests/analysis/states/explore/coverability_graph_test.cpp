#include "analysis/states/explore/coverability_graph.hpp"

#include "analysis/states/explore/state_graph_text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_exploration.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Tokens per place; infinity for ω.
using Counts = std::vector<double>;

Counts counts_of(const Marking& marking) {
    Counts counts;
    for (const Tokens tokens : marking)
        counts.push_back(tokens == states::any_number ? std::numeric_limits<double>::infinity()
                                                      : static_cast<double>(tokens));
    return counts;
}

bool covers(const Counts& more, const Counts& less) {
    return std::ranges::equal(more, less, std::greater_equal<>());
}

std::set<Counts> maximal(const std::set<Counts>& nodes) {
    std::set<Counts> result;
    for (const Counts& node : nodes)
        if (std::ranges::none_of(nodes,
                                 [&](const Counts& other) { return other != node && covers(other, node); }))
            result.insert(node);
    return result;
}

/// The tree of Karp and Miller by the book: a node ends a branch only if it is on the path to itself.
class PlainTree {
  public:
    explicit PlainTree(const Net& net) : net_(net) { expand({counts_of(net.initial_marking())}); }
    bool complete() const { return nodes_.size() < most_nodes && calls_ < most_calls; }
    const std::set<Counts>& nodes() const { return nodes_; }

  private:
    static constexpr std::size_t most_nodes = 300, most_calls = 20'000;

    void expand(const std::vector<Counts>& path) {
        nodes_.insert(path.back());
        ++calls_;
        for (std::size_t t = 0; t < net_.transitions().size() && complete(); ++t) {
            Counts after = path.back();
            bool enabled = true;
            for (const Arc& arc : net_.arcs_of(TransitionId(t))) {
                const double tokens = path.back()[index(arc.place)], weight = static_cast<double>(arc.weight);
                if (arc.kind != ArcKind::output) enabled = enabled && tokens >= weight;
                if (arc.kind == ArcKind::input) after[index(arc.place)] -= weight;
                if (arc.kind == ArcKind::output) after[index(arc.place)] += weight;
            }
            if (!enabled) continue;
            for (const Counts& before : path)
                if (covers(after, before))
                    for (std::size_t p = 0; p < after.size(); ++p)
                        if (after[p] > before[p]) after[p] = std::numeric_limits<double>::infinity();
            if (std::ranges::find(path, after) != path.end()) continue;
            std::vector<Counts> longer = path;
            longer.push_back(after);
            expand(longer);
        }
    }

    const Net& net_;
    std::set<Counts> nodes_;
    std::size_t calls_ = 0;
};

bool has_inhibitors(const Net& net) {
    for (std::size_t t = 0; t < net.transitions().size(); ++t)
        for (const Arc& arc : net.arcs_of(TransitionId(t)))
            if (arc.kind == ArcKind::inhibitor) return true;
    return false;
}

}  // namespace

TEST_CASE(
    "a coverability graph covers all markings, is exact for bounded nets, and has the maximal nodes of the "
    "tree") {
    std::size_t bounded = 0, unbounded = 0, trees = 0;
    for (std::uint64_t seed = 0; seed < case_count(6000); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed, {.places = 4,
                                          .transitions = 5,
                                          .gadgets = seed % 2 == 0 ? 0U : 1U,
                                          .immediates = false,
                                          .priorities = false});
        const CompiledNet compiled = compile(net);
        const states::CoverabilityGraph graph = states::coverability_graph(compiled, 1000, {});
        std::set<Counts> nodes;
        bool grows = false;
        for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
            const Marking marking = graph.nodes[node];
            grows = grows || std::ranges::find(marking, states::any_number) != marking.end();
            REQUIRE(nodes.insert(counts_of(marking)).second);
        }
        const auto space = reference_space(net, Semantics::interleaving, 400);
        if (space) {  // all markings, and nothing else
            REQUIRE(graph.complete());
            REQUIRE_FALSE(grows);
            REQUIRE(nodes.size() == space->markings.size());
        }
        if (!graph.complete()) continue;
        (grows ? unbounded : bounded) += 1;
        if (has_inhibitors(net)) continue;
        const PlainTree tree(net);
        if (!tree.complete()) continue;
        REQUIRE(maximal(nodes) == maximal(tree.nodes()));
        ++trees;
    }
    CAPTURE(bounded, unbounded, trees);
    CHECK(bounded >= least_count(2000));
    CHECK(unbounded >= least_count(500));
    CHECK(trees >= least_count(1000));
}

TEST_CASE("a producer fills a buffer with any number of tokens, unless an inhibitor arc limits it") {
    NetBuilder builder("producer");
    const PlaceId ready = builder.add_place("ready", 1), buffer = builder.add_place("buffer");
    const PlaceId taken = builder.add_place("taken");
    const TransitionId produce = builder.add_transition("produce"), take = builder.add_transition("take");
    builder.add_input(ready, produce);
    builder.add_output(produce, ready);
    builder.add_output(produce, buffer);
    builder.add_input(buffer, take, 2);
    builder.add_inhibitor(taken, take);
    builder.add_output(take, taken);
    const Net net = builder.build();
    const states::CoverabilityGraph graph = states::coverability_graph(compile(net), 100, {});
    CHECK(graph.bounds() == std::vector<Tokens>{1, states::any_number, 1});
    CHECK(states::coverability_graph_dot(net, graph) ==
          "digraph states {\n"
          "  node [shape=box, style=rounded];\n"
          "  s0 [label=\"ready\", penwidth=2];\n"
          "  s1 [label=\"ready, ω buffer\"];\n"
          "  s2 [label=\"ready, ω buffer, taken\"];\n"
          "  s0 -> s1 [label=\"produce\"];\n"
          "  s1 -> s1 [label=\"produce\"];\n"
          "  s1 -> s2 [label=\"take\"];\n"
          "  s2 -> s2 [label=\"produce\"];\n"
          "}\n");
    CHECK(states::coverability_graph_aut(net, graph) ==
          "des (0, 4, 3)\n"
          "(0, \"produce\", 1)\n"
          "(1, \"produce\", 1)\n"
          "(1, \"take\", 2)\n"
          "(2, \"produce\", 2)\n");
}

TEST_CASE("a place that inhibits and grows forever ends at a limit, as counts beyond 2^62 do") {
    const auto stop_with = [](Tokens initial) {
        NetBuilder builder;
        const PlaceId p = builder.add_place("p", initial);
        builder.add_output(builder.add_transition("grow"), p);
        builder.add_inhibitor(p, builder.add_transition("never"), 1000);
        return states::coverability_graph(compile(builder.build()), 50, {}).stop;
    };
    CHECK(stop_with(0) == WorkEnd::state_limit);
    CHECK(stop_with(states::any_number - 1) == WorkEnd::overflow);
    CHECK_THROWS_AS(stop_with(states::any_number), InputError);
}

TEST_CASE("immediate transitions and priorities have no coverability graph") {
    NetBuilder builder;
    builder.set_immediate(builder.add_transition("t"));
    CHECK_THROWS_AS(states::coverability_graph(compile(builder.build()), 50, {}), InputError);
}

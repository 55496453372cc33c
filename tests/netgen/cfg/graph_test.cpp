#include "netgen/cfg/graph.hpp"

#include "engine/base/random.hpp"
#include "netgen/cfg/text.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <algorithm>
#include <utility>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

// The blocks as nested text: "b1:1(b2:3|b3:2) b10:1".
std::string shape(const netgen::StructuredCfg& cfg, std::span<const netgen::BlockId> sequence) {
    std::string text;
    for (const netgen::BlockId at : sequence) {
        const netgen::CfgBlock& block = cfg[at];
        text += (text.empty() ? "" : " ") + block.id + ":" + std::to_string(block.time);
        if (block.is_branch())
            text += "(" + shape(cfg, block.true_side) + "|" + shape(cfg, block.false_side) + ")";
    }
    return text;
}

std::string structured(std::string_view text) {
    const netgen::StructuredCfg cfg = netgen::read_cfg(text, "g");
    return shape(cfg, cfg.root());
}

std::string refusal(std::string_view text) {
    return input_error_of([&] { netgen::read_cfg(text, "g"); }, "accepted");
}

// Random nested sequences of blocks, branches and loops, as a graph with jumps and, next to it, as the text
// that shape() must return for it.
class RandomProgram {
  public:
    explicit RandomProgram(std::uint64_t seed) : random_(seed, 1), left_(random_.below(25)) {}

    std::pair<netgen::ControlFlowGraph, std::string> build() {
        const Laid end = block({}, 1);  // the kernel's last block
        Laid all = sequence(end.entry, 1, 0);
        const std::string text = all.text.empty() ? end.text : all.text + " " + end.text;
        move_to_front(all.entry);
        return {graph_, text};
    }

  private:
    using Node = std::size_t;
    struct Laid {
        Node entry;
        std::string text;
    };

    Laid block(std::vector<Node> successors, std::int64_t runs) {
        const auto time = static_cast<std::int64_t>(random_.below(9));
        const Node node = graph_.nodes.size();
        graph_.nodes.push_back({std::string("n").append(std::to_string(node)), time, std::move(successors)});
        return {node, graph_.nodes[node].id + ":" + std::to_string(time * runs)};
    }

    // Pieces that end in `next`, built from the last to the first; everything runs `runs` times.
    Laid sequence(Node next, std::int64_t runs, int depth) {
        Laid laid{next, ""};
        for (std::uint32_t n = random_.below(depth == 0 ? 5 : 3); n > 0 && left_ > 0; --n) {
            --left_;
            const std::uint32_t kind = random_.below(4);
            const Laid piece = kind == 0   ? block({laid.entry}, runs)
                               : kind == 1 ? loop(laid.entry, runs, depth)
                                           : branch(laid.entry, runs, depth);
            laid = {piece.entry, piece.text + (laid.text.empty() ? "" : " ") + laid.text};
        }
        return laid;
    }

    Laid branch(Node next, std::int64_t runs, int depth) {
        const Laid left = sequence(next, runs, depth + 1);
        const Laid right = sequence(next, runs, depth + 1);
        const Laid head = block({left.entry, right.entry}, runs);
        if (left.text.empty() && right.text.empty()) return head;
        return {head.entry, head.text + "(" + left.text + "|" + right.text + ")"};
    }

    // head, some pieces, the block that may leave, more pieces, back to head. If the last piece is a branch,
    // there are several jumps back. The head itself may be the block that leaves.
    Laid loop(Node next, std::int64_t runs, int depth) {
        const auto bound = static_cast<std::int64_t>(1 + random_.below(4));
        const Laid head = block({}, runs * bound);
        const bool head_leaves = random_.below(2) == 0;
        const Laid behind = sequence(head.entry, runs * (bound - 1), depth + 1);
        std::string text = head.text;
        graph_.nodes[head.entry].loop_bound = bound;
        if (head_leaves) {
            graph_.nodes[head.entry].successors = {next, behind.entry};
        } else {
            const Laid leaving = block({behind.entry, next}, runs * bound);
            const Laid before = sequence(leaving.entry, runs * bound, depth + 1);
            graph_.nodes[head.entry].successors = {before.entry};
            text += (before.text.empty() ? "" : " ") + before.text + " " + leaving.text;
        }
        return {head.entry, text + (behind.text.empty() ? "" : " ") + behind.text};
    }

    void move_to_front(Node entry) {
        std::swap(graph_.nodes[0], graph_.nodes[entry]);
        for (netgen::CfgNode& node : graph_.nodes) {
            for (Node& next : node.successors) next = next == 0 ? entry : next == entry ? 0 : next;
        }
    }

    CounterRandom random_;
    std::uint32_t left_;
    netgen::ControlFlowGraph graph_;
};

// `depth` two-way branches one inside the other, each with its own join.
netgen::ControlFlowGraph deep_graph(std::size_t depth) {
    netgen::ControlFlowGraph graph;
    for (std::size_t i = 0; i < depth; ++i)
        graph.nodes.push_back({std::string("h").append(std::to_string(i)), 1, {i + 1, 2 * depth - i}});
    graph.nodes.push_back({"core", 1, {depth + 1}});
    for (std::size_t i = 0; i < depth; ++i)
        graph.nodes.push_back({std::string("j").append(std::to_string(i)), 1, {depth + 2 + i}});
    graph.nodes.back().successors.clear();
    return graph;
}

}  // namespace

TEST_CASE("Figure 2 as a graph") {
    const netgen::StructuredCfg cfg = figure_2();
    CHECK(structured("b1 1 b2 b3\nb2 3 b4\nb3 2 b4\nb4 1 b5 b6\nb5 2 b10\nb6 1 b7 b8\nb7 3 b9\nb8 5 b9\n"
                     "b9 1 b10\nb10 1\n") == shape(cfg, cfg.root()));
}

TEST_CASE("one-sided branches, shared joins, and branches of nothing") {
    CHECK(structured("a 1 b c\nb 2 c\nc 3") == "a:1(b:2|) c:3");
    CHECK(structured("a 1 c b\nb 2 c\nc 3") == "a:1(|b:2) c:3");
    CHECK(structured("a 1 b d\nb 2 c d\nc 3 d\nd 4") == "a:1(b:2(c:3|)|) d:4");
    CHECK(structured("a 1 b b\nb 2") == "a:1 b:2");
    CHECK(structured("a 1") == "a:1");
}

TEST_CASE("several ways out join behind the kernel") {
    CHECK(structured("a 1 b c\nb 2\nc 3") == "a:1(b:2|c:3)");
    CHECK(structured("a 1 b c\nb 2\nc 3 d e\nd 4\ne 5") == "a:1(b:2|c:3(d:4|e:5))");
}

TEST_CASE("loops: blocks up to the last way out run n times, those behind it once less") {
    // while: the head decides
    CHECK(structured("a 1 h\nh 2 body z loop=10\nbody 5 h\nz 1") == "a:1 h:20 body:45 z:1");
    // do-while: the latch decides
    CHECK(structured("a 1 h\nh 2 body loop=10\nbody 5 h z\nz 1") == "a:1 h:20 body:50 z:1");
    // in the middle, and in two places
    CHECK(structured("h 2 m loop=3\nm 5 t z\nt 7 h\nz 1") == "h:6 m:15 t:14 z:1");
    CHECK(structured("h 2 m z loop=3\nm 5 t z\nt 7 h\nz 1") == "h:6 m:15 t:14 z:1");
    // alone
    CHECK(structured("h 2 h z loop=4\nz 1") == "h:8 z:1");
    CHECK(structured("h 2 b z loop=1\nb 3 h\nz 1") == "h:2 b:0 z:1");
}

TEST_CASE("branches and loops within loops") {
    CHECK(structured("h 1 c z loop=3\nc 2 x y\nx 4 l\ny 5 l\nl 1 h\nz 1") == "h:3 c:4(x:8|y:10) l:2 z:1");
    // continue: both paths lead back to the head
    CHECK(structured("h 1 c z loop=3\nc 2 h y\ny 5 h\nz 1") == "h:3 c:4(|y:10) z:1");
    // inner loop of 4 in an outer one of 3, left through its head to the outer head
    CHECK(structured("o 1 i z loop=3\ni 2 b o loop=4\nb 5 i\nz 1") == "o:3 i:16 b:30 z:1");
    // a loop in one side of a branch in a loop
    CHECK(structured("o 1 c loop=2\nc 1 i y\ni 2 i l loop=5\ny 3 l\nl 1 o z\nz 1") ==
          "o:2 c:2(i:20|y:6) l:2 z:1");
}

TEST_CASE("random programs of branches and loops are recognised") {
    for (std::uint64_t seed = 0; seed < case_count(2000); ++seed) {
        CAPTURE(seed);
        const auto [graph, expected] = RandomProgram(seed).build();
        const netgen::StructuredCfg cfg = netgen::structure(graph);
        REQUIRE(shape(cfg, cfg.root()) == expected);
    }
}

TEST_CASE("what is not structured is refused with the edge") {
    // short-circuit: c belongs to both sides of a
    CHECK_THAT(refusal("a 1 b c\nb 1 c d\nc 1 d\nd 1"),
               Contains("edge 'a' -> 'c' is not structured") && Contains("also reached from 'b'"));
    // a jump from one side into the other
    CHECK_THAT(refusal("a 1 b c\nb 1 x z\nx 1 z\nc 1 x z\nz 1"),
               Contains("'c' -> 'x'") && Contains("from 'b'"));
    // a jump into a loop
    CHECK_THAT(refusal("a 1 h x\nh 1 x z loop=2\nx 1 h\nz 1"),
               Contains("'a' -> 'x'") && Contains("enters the loop headed by 'h'"));
    // exits of a loop to two places, and one out of a branch in the loop
    CHECK_THAT(refusal("h 1 x y loop=2\nx 1 h z\ny 1 z\nz 1"),
               Contains("'x' -> 'z'") && Contains("'h' -> 'y'"));
    CHECK_THAT(refusal("h 1 c loop=2\nc 1 x y\nx 1 l z\ny 1 l\nl 1 h z\nz 1"),
               Contains("'x' -> 'z'") && Contains("from inside a branch"));
    CHECK_THAT(refusal("h 1 b c loop=2\nb 1 h\nc 1 h"), Contains("headed by 'h' has no way out"));
    CHECK_THAT(refusal("a 1 b c d\nb 1\nc 1\nd 1"), Contains("'a' has 3 successors") && Contains("chain"));
    CHECK_THAT(refusal("a 1\nb 1 a"), Contains("'b' cannot be reached from the entry 'a'"));
}

TEST_CASE("loops need a bound, and only loops have one") {
    CHECK_THAT(refusal("h 1 b z\nb 1 h\nz 1"), Contains("'h' heads a loop without a bound"));
    CHECK_THAT(refusal("h 1 z loop=3\nz 1"), Contains("'h' has a loop bound but heads no loop"));
    netgen::ControlFlowGraph graph{{{"h", 1, {0}, 0}}};
    CHECK_THROWS_WITH(netgen::structure(graph), Contains("loop bound 0"));
}

TEST_CASE("times in loops do not overflow unseen") {
    const std::string big = "4611686018427387904";  // 2^62
    CHECK_THAT(refusal("h 2 h z loop=" + big + "\nz 1"), Contains("'h'") && Contains("overflows"));
    CHECK_THAT(refusal("o 0 h z loop=" + big + "\nh 1 h o loop=" + big + "\nz 1"), Contains("overflows"));
    CHECK(structured("o 0 h z loop=" + big + "\nh 0 h o loop=" + big + "\nz 1") == "o:0 h:0 z:1");
    CHECK(structured("o 0 h z loop=1\nh 7 h o loop=" + big + "\nz 1") == "o:0 h:0 z:1");
}

TEST_CASE("text is read line by line") {
    CHECK(structured("  # a comment\n\n\ta 1   b # to b\r\nb 2\r\n") == "a:1 b:2");
}

TEST_CASE("text of another form is refused with its line") {
    CHECK_THAT(refusal(""), Contains("without nodes"));
    CHECK_THAT(refusal("# nothing\n"), Contains("without nodes"));
    CHECK_THAT(refusal("a"), Contains("line 1: expected a time after node 'a'"));
    CHECK_THAT(refusal("\na x"), Contains("line 2: expected a time") && Contains("found 'x'"));
    CHECK_THAT(refusal("a -1"), Contains("found '-1'"));
    CHECK_THAT(refusal("a 1.5"), Contains("found '1.5'"));
    CHECK_THAT(refusal("a 9223372036854775808"), Contains("to 9223372036854775807"));
    CHECK_THAT(refusal("a 1 loop=0"), Contains("expected a loop bound, a whole number from 1"));
    CHECK_THAT(refusal("a 1 loop=2 loop=3"), Contains("two loop bounds"));
    CHECK_THAT(refusal("a 1\nb 1\na 2"), Contains("line 3: node 'a' is described a second time"));
    CHECK_THAT(refusal("a 1 b\n"), Contains("line 1: successor 'b' of 'a' has no line of its own"));
    CHECK_THAT(refusal("a\xc3\xa4 1"), Contains("printable ASCII"));
    CHECK_THAT(refusal("loop=3 1"), Contains("expected a node's name"));
    CHECK_THAT(refusal(std::string("a \0 1", 5)), Contains("found a binary file"));
    CHECK_THAT(refusal("a 9223372036854775807 b\nb 1"), Contains("add up to more"));
}

TEST_CASE("graphs of the largest size, in the shapes that nest deepest") {
    const netgen::ControlFlowGraph deep = deep_graph((netgen::max_cfg_nodes - 2) / 2);
    CHECK(netgen::structure(deep).nesting_depth() == (netgen::max_cfg_nodes - 2) / 2);

    netgen::ControlFlowGraph chain;
    for (std::size_t i = 0; i + 1 < netgen::max_cfg_nodes; ++i)
        chain.nodes.push_back({std::string("n").append(std::to_string(i)), 1, {i + 1}});
    chain.nodes.push_back({"end", 1});
    CHECK(netgen::structure(chain).root().size() == netgen::max_cfg_nodes);

    // every node may leave the kernel directly: i -> i + 1, end
    netgen::ControlFlowGraph leaving = chain;
    for (std::size_t i = 0; i + 2 < netgen::max_cfg_nodes; ++i)
        leaving.nodes[i].successors.push_back(netgen::max_cfg_nodes - 1);
    CHECK(netgen::structure(leaving).nesting_depth() == netgen::max_cfg_nodes - 2);

    chain.nodes.push_back({"one more", 1, {0}});
    CHECK_THROWS_WITH(netgen::structure(chain), Contains("expected at most 50000"));
}

TEST_CASE("loops nested hundreds deep") {
    // h0 { h1 { … } } with one iteration each except the innermost: every block of a loop comes after its
    // head.
    netgen::ControlFlowGraph graph;
    const std::size_t depth = 500;
    for (std::size_t i = 0; i < depth; ++i) {
        const std::size_t out = i == 0 ? depth : i - 1;
        graph.nodes.push_back(
            {std::string("h").append(std::to_string(i)), 1, {i + 1 == depth ? i : i + 1, out}, 2});
    }
    graph.nodes.push_back({"end", 1});
    const netgen::StructuredCfg cfg = netgen::structure(graph);
    CHECK(cfg.root().size() == depth + 1);
    CHECK(cfg[cfg.root()[3]].time == 2);
}

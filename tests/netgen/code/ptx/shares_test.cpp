#include "netgen/code/ptx/shares.hpp"

#include "engine/base/random.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/ptx_lines.hpp"

#include <functional>
#include <map>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

netgen::PtxReport report_of(const std::string& body, const netgen::PtxOptions& options) {
    const netgen::PtxModule module = netgen::read_ptx(kernel_text(body), "k.ptx");
    netgen::check_ptx_shares(module, options);
    return netgen::analyse_ptx(module, "k", options);
}

std::string error_of(const std::string& body, const netgen::PtxOptions& options) {
    return input_error_of([&] { report_of(body, options); });
}

/// The probability that each node is reached, by trying every choice.
std::vector<double> shares_by_enumeration(const std::vector<netgen::PtxFork>& graph) {
    std::vector<std::size_t> choices;
    for (std::size_t i = 0; i < graph.size(); ++i)
        if (graph[i].taken) choices.push_back(i);
    std::vector<double> shares(graph.size(), 0);
    for (std::uint32_t made = 0; made < (1U << choices.size()); ++made) {
        double probability = 1;
        std::vector<std::vector<std::size_t>> next;
        next.reserve(graph.size());
        for (const netgen::PtxFork& fork : graph) next.push_back(fork.next);
        for (std::size_t c = 0; c < choices.size(); ++c) {
            const bool taken = ((made >> c) & 1U) != 0;
            probability *= taken ? *graph[choices[c]].taken : 1 - *graph[choices[c]].taken;
            next[choices[c]] = {graph[choices[c]].next[taken ? 0 : 1]};
        }
        std::vector<bool> reached(graph.size(), false);
        const std::function<void(std::size_t)> visit = [&](std::size_t at) {
            if (reached[at]) return;
            reached[at] = true;
            for (const std::size_t to : next[at]) visit(to);
        };
        visit(0);
        for (std::size_t i = 0; i < graph.size(); ++i) shares[i] += reached[i] ? probability : 0;
    }
    return shares;
}

// Two nested branches: 10 adds behind neither, 20 behind the outer alone, 40 behind both.
const std::string nested =
    "@%p bra Outer;\n"
    "@%q bra Inner;\n"
    "add.s32 %a, %a, 1;\nbra.uni Join;\n"
    "Inner:\nmul.lo.s32 %a, %a, 3;\n"
    "Join:\nshl.b32 %a, %a, 1;\n"
    "Outer:\nadd.f32 %f, %f, %f;\n";

}  // namespace

TEST_CASE("shares of reaching the nodes of random graphs are those of all choices") {
    CounterRandom random(11, 0);
    for (std::uint64_t round = 0; round < case_count(2000); ++round) {
        std::vector<netgen::PtxFork> graph(2 + random.below(9));
        for (std::size_t i = 0; i + 1 < graph.size(); ++i) {
            const auto later = [&] {
                return i + 1 + random.below(static_cast<std::uint32_t>(graph.size() - i - 1));
            };
            graph[i].next.push_back(later());
            const std::size_t other = later();
            if (other == graph[i].next[0]) continue;
            graph[i].next.push_back(other);
            if (random.below(3) > 0) graph[i].taken = random.below(11) / 10.0;
        }
        const std::vector<double> expected = shares_by_enumeration(graph);
        const std::vector<double> found = netgen::reach_shares(graph, "k.ptx");
        CAPTURE(round);
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-12));
    }
}

TEST_CASE("a share of 60 branches one behind the other takes no time") {
    std::vector<netgen::PtxFork> graph;
    for (std::size_t i = 0; i < 60; ++i) {
        graph.push_back({{3 * i + 1, 3 * i + 2}, 0.25});
        graph.push_back({{3 * i + 3}, {}});
        graph.push_back({{3 * i + 3}, {}});
    }
    graph.emplace_back();
    const std::vector<double> shares = netgen::reach_shares(graph, "k.ptx");
    CHECK(shares[3 * 59 + 1] == Approx(0.25));
    CHECK(shares.back() == Approx(1));
}

TEST_CASE("shares multiply through nested branches, and both sides count of the others") {
    const auto of = [&](const std::map<std::string, double>& taken) {
        netgen::PtxOptions options;
        options.taken = taken;
        return report_of(nested, options);
    };
    CHECK_FALSE(of({}).profile.averaged);
    CHECK(of({}).profile.both_sides == std::vector<std::string>{"Outer", "Inner"});
    const netgen::PtxReport both = of({{"Outer", 0.25}, {"Inner", 0.2}});
    REQUIRE(both.profile.mix);
    CHECK((*both.profile.mix)[netgen::PtxClass::integer] == Approx(0.75 * 0.8));
    CHECK((*both.profile.mix)[netgen::PtxClass::multiply] == Approx(0.75 * 0.2));
    CHECK((*both.profile.mix)[netgen::PtxClass::shift] == Approx(0.75));
    CHECK((*both.profile.mix)[netgen::PtxClass::float32] == Approx(1));
    CHECK(both.profile.both_sides.empty());
    const netgen::PtxReport outer = of({{"Outer", 0.25}});
    CHECK((*outer.profile.mix)[netgen::PtxClass::integer] == Approx(0.75));
    CHECK((*outer.profile.mix)[netgen::PtxClass::multiply] == Approx(0.75));
    CHECK(outer.profile.both_sides == std::vector<std::string>{"Inner"});
    // The model uses the fractions, not their rounded values.
    CHECK(netgen::kernel_profile_from_ptx(both.profile).shifts == Approx(0.75));
    CHECK(both.profile.counts[netgen::PtxClass::multiply] == 0);
    // The same by the line of the branch.
    CHECK((*of({{"Outer@5", 1}}).profile.mix)[netgen::PtxClass::shift] == Approx(0).margin(1e-12));
}

TEST_CASE("a share inside a loop counts for every trip, one of what is called for every call") {
    netgen::PtxOptions options;
    options.taken = {{"Skip", 0.5}};
    options.trips = {{"L", 8}};
    const std::string loop =
        "L:\nadd.f32 %f, %f, %f;\n@%p bra Skip;\nmul.lo.s32 %a, %a, 3;\nSkip:\nshl.b32 %a, %a, 1;\n@%q bra "
        "L;\n";
    const netgen::PtxReport report = report_of(loop, options);
    CHECK((*report.profile.mix)[netgen::PtxClass::multiply] == Approx(4));
    CHECK((*report.profile.mix)[netgen::PtxClass::shift] == Approx(8));
    CHECK(report.loops.at(0).trips == 8);
    const std::string text =
        ".version 9.0\n.target sm_80\n.func f()\n{\n@%p bra Out;\nmul.lo.s32 %a, %a, 3;\nOut:\nret;\n}\n"
        ".entry k()\n{\n@%p bra Past;\ncall f;\ncall f;\nPast:\nret;\n}\n";
    options.trips.clear();
    options.taken = {{"Out", 0.75}, {"Past", 0.5}};
    const netgen::PtxReport called = netgen::analyse_ptx(netgen::read_ptx(text, "k.ptx"), "k", options);
    CHECK((*called.profile.mix)[netgen::PtxClass::multiply] == Approx(0.25));
}

TEST_CASE("with shares of 0 and 1 the counts are those of the program with those sides") {
    // Random nested ifs: the text and its expected counts are made together.
    CounterRandom random(12, 0);
    for (std::uint64_t round = 0; round < case_count(300); ++round) {
        std::string body;
        double expected = 0;
        std::size_t labels = 0;
        netgen::PtxOptions options;
        const std::function<void(int, double)> add = [&](int depth, double weight) {
            for (std::uint64_t part = 1 + random.below(3); part > 0; --part) {
                body += "shl.b32 %a, %a, 1;\n";
                expected += weight;
                if (depth == 4 || random.below(2) == 0) continue;
                const std::string label = "S" + std::to_string(labels++);
                const bool given = random.below(4) > 0;
                const double share = random.below(5) / 4.0;
                if (given) options.taken[label] = share;
                body += "@%p bra " + label + ";\n";
                add(depth + 1, given ? weight * (1 - share) : weight);
                body += label + ":\n";
            }
        };
        add(0, 1);
        if (options.taken.empty()) continue;
        CAPTURE(round, body);
        const netgen::PtxReport report = report_of(body, options);
        CHECK((*report.profile.mix)[netgen::PtxClass::shift] == Approx(expected));
    }
}

TEST_CASE("what no share can be given for is refused") {
    netgen::PtxOptions options;
    options.taken = {{"Nowhere", 0.5}};
    CHECK(error_of(nested, options) ==
          "k.ptx: no branch with a condition leads to 'Nowhere'; there are those to Inner, Outer");
    options.taken = {{"Join", 0.5}};
    CHECK(error_of(nested, options).find("there are those to Inner, Outer") != std::string::npos);
    options.taken = {{"L", 0.5}};
    CHECK(error_of("L:\nadd.s32 %a, %a, 1;\n@%p bra L;\n", options) ==
          "k.ptx: the branch to 'L' decides how often a loop runs: give --trips instead of a share");
    options.taken = {{"Outer", 0.5}};
    options.paths = netgen::PtxPaths::longest;
    CHECK(error_of(nested, options) ==
          "shares of branches decide which sides count; they cannot be combined with the longest path");
    options.paths = netgen::PtxPaths::all_sides;
    const netgen::PtxModule module = netgen::read_ptx(kernel_text(nested), "k.ptx");
    CHECK_THROWS(netgen::expand_ptx_string(module, "k", options));
    CHECK_THROWS(netgen::ptx_control_flow(module, "k", options));
}

// Nets whose inhibitor or read arcs were removed have the state spaces of the original nets.

#include "pnml/rewrite.hpp"

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/structure/timed_net.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/write_pnml.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/shared_data.hpp"

#include <cstdlib>
#include <fstream>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string figures(const Net& net, Semantics semantics) {
    const states::Exploration explored =
        states::explore(compile(net), {.semantics = semantics, .max_states = 200'000});
    return std::string(to_string(explored.stop)) + " " + std::to_string(explored.space.size()) + " states " +
           std::to_string(explored.edges) + " edges " + std::to_string(explored.deadlocks) + " deadlocks";
}

bool has(const Net& net, ArcKind kind) {
    return std::ranges::any_of(net.arcs(), [&](const Arc& arc) { return arc.kind == kind; });
}

}  // namespace

TEST_CASE("complement places keep the state space") {
    std::size_t with_inhibitors = 0, same_steps = 0;
    for (std::uint64_t seed = 1; seed <= case_count(3000); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        if (!has(net, ArcKind::inhibitor)) continue;
        const states::PlaceBounds bounds = states::bounds_of_inhibitors(net, {.max_states = 2000});
        states::Exploration explored = states::explore(compile(net), {.max_states = 2000});
        if (!explored.complete()) continue;
        for (std::size_t p = 0; p < bounds.of.size(); ++p)
            if (bounds.of[p]) REQUIRE(explored.bounds[p] <= *bounds.of[p]);
        const pnml::RewrittenNet rewritten = pnml::without_inhibitors(net, bounds.of);
        REQUIRE_FALSE(has(rewritten.net, ArcKind::inhibitor));
        REQUIRE(figures(rewritten.net, Semantics::interleaving) == figures(net, Semantics::interleaving));
        ++with_inhibitors;
        if (!rewritten.contested.empty() || !bounds.structural) continue;
        const states::Exploration steps =
            states::explore(compile(net), {.semantics = Semantics::maximal, .max_states = 2000});
        if (!steps.complete()) continue;
        REQUIRE(figures(rewritten.net, Semantics::maximal) == figures(net, Semantics::maximal));
        ++same_steps;
    }
    CHECK(with_inhibitors >= least_count(600));
    CHECK(same_steps >= least_count(100));
}

TEST_CASE("loops in place of read arcs keep the state space") {
    std::size_t compared = 0, same_steps = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1500); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        if (!has(net, ArcKind::read) || !states::explore(compile(net), {.max_states = 2000}).complete())
            continue;
        const pnml::RewrittenNet rewritten = pnml::without_reads(net);
        REQUIRE_FALSE(has(rewritten.net, ArcKind::read));
        REQUIRE(figures(rewritten.net, Semantics::interleaving) == figures(net, Semantics::interleaving));
        ++compared;
        if (!rewritten.contested.empty()) continue;
        const states::Exploration steps =
            states::explore(compile(net), {.semantics = Semantics::maximal, .max_states = 2000});
        if (!steps.complete()) continue;
        REQUIRE(figures(rewritten.net, Semantics::maximal) == figures(net, Semantics::maximal));
        ++same_steps;
    }
    CHECK(compared >= least_count(300));
    CHECK(same_steps >= least_count(50));
}

TEST_CASE("places unfolded for their weights keep the state space") {
    std::size_t compared = 0, same_steps = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1500); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        const bool weighted = std::ranges::any_of(net.arcs(), [](const Arc& arc) { return arc.weight > 1; });
        if (!weighted || !states::explore(compile(net), {.max_states = 2000}).complete()) continue;
        const states::PlaceBounds bounds = states::bounds_of_weights(net, {.max_states = 2000});
        const pnml::RewrittenNet rewritten = pnml::without_weights(net, bounds.of);
        REQUIRE(std::ranges::all_of(rewritten.net.arcs(), [](const Arc& arc) { return arc.weight == 1; }));
        REQUIRE(figures(rewritten.net, Semantics::interleaving) == figures(net, Semantics::interleaving));
        ++compared;
        if (!rewritten.contested.empty() || !bounds.structural) continue;
        const states::Exploration steps =
            states::explore(compile(net), {.semantics = Semantics::maximal, .max_states = 2000});
        if (!steps.complete()) continue;
        REQUIRE(figures(rewritten.net, Semantics::maximal) == figures(net, Semantics::maximal));
        ++same_steps;
    }
    CHECK(compared >= least_count(300));
    CHECK(same_steps >= least_count(20));
}

TEST_CASE("a net that would become too large without its weights is refused") {
    NetBuilder builder;
    const TransitionId t = builder.add_transition("t");
    for (const char* id : {"a", "b", "c", "d"}) builder.add_input(builder.add_place(id, 99), t, 2);
    const Net net = builder.build();
    CHECK_THROWS_AS(pnml::without_weights(net, states::bounds_of_weights(net, {}).of), InputError);
    CHECK_THROWS_AS(pnml::without_weights(net, std::vector<std::optional<Tokens>>(4)), InputError);
}

TEST_CASE("two transitions that wait for one place compete for its complement") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p"), q = builder.add_place("q", 1), r = builder.add_place("r", 1);
    const TransitionId a = builder.add_transition("a"), b = builder.add_transition("b");
    const TransitionId c = builder.add_transition("c");
    builder.add_input(q, a);
    builder.add_inhibitor(p, a);
    builder.add_input(r, b);
    builder.add_inhibitor(p, b);
    builder.add_input(p, c);
    const Net net = builder.build();
    const states::PlaceBounds bounds = states::bounds_of_inhibitors(net, {});
    CHECK(bounds.structural);
    CHECK(bounds.of[0] == 0);  // no transition gives to p: its inhibitor arcs never take effect
    CHECK(pnml::without_inhibitors(net, bounds.of).added_places == 0);
    const pnml::RewrittenNet rewritten =
        pnml::without_inhibitors(net, std::vector<std::optional<Tokens>>(3, 1));
    CHECK(rewritten.contested == std::vector<std::string>{"p_free"});
    CHECK(figures(net, Semantics::maximal) == "complete 2 states 1 edges 1 deadlocks");
    CHECK(figures(rewritten.net, Semantics::maximal) == "complete 4 states 4 edges 1 deadlocks");
    CHECK(figures(rewritten.net, Semantics::interleaving) == figures(net, Semantics::interleaving));
}

TEST_CASE("an inhibiting place without a bound is refused") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p");
    const TransitionId grow = builder.add_transition("grow"), test = builder.add_transition("test");
    builder.add_output(grow, p);
    builder.add_inhibitor(p, test, 3);
    const Net net = builder.build();
    const states::PlaceBounds bounds = states::bounds_of_inhibitors(net, {.max_states = 100});
    CHECK_THROWS_AS(pnml::without_inhibitors(net, bounds.of), InputError);
}

TEST_CASE("nets of other tools keep their state spaces when they are rewritten") {
    const auto folder = shared_data("pnml");
    SKIP_WITHOUT(folder, "pnml");
    const auto grammar = shared_data("pnml_grammar/ptnet.pntd");
    const bool validate = grammar && std::system("command -v xmllint >/dev/null") == 0;
    std::size_t compared = 0;
    for (const TsvRow& row : read_tsv_table(*folder / "MANIFEST.tsv")) {
        const std::string file = row.at("file");
        CAPTURE(file);
        const bool wanted = file.starts_with("inh_") || file == "pipe_readers_writers.xml" ||
                            file == "epnk_samplePTnet.pnml" || file == "mcc_TokenRing-PT-005.pnml";
        const std::string reference = row.at("measured_by_naive_reference(interleaving,cap 3e6 states)");
        if (!wanted || reference.find('+') != std::string::npos) continue;
        const Net net = pnml::read_pnml_file(*folder / file);
        const states::Exploration explored = states::explore(compile(net));
        if (explored.space.size() > 130'000) continue;
        const Net plain = pnml::without_inhibitors(net, states::bounds_of_inhibitors(net, {}).of).net;
        const std::string expected = figures(net, Semantics::interleaving);
        const std::string strict = pnml::write_pnml(plain, pnml::PnmlFlavour::strict);
        CHECK(figures(pnml::read_pnml(strict, "strict"), Semantics::interleaving) == expected);
        CHECK(figures(pnml::read_lola(pnml::write_lola(plain), "lola"), Semantics::interleaving) == expected);
        CHECK(figures(pnml::read_tina(pnml::write_tina(net), "tina"), Semantics::interleaving) == expected);
        ++compared;
        if (!validate) continue;
        const auto written = std::filesystem::temp_directory_path() / "warpnet_rewrite_test.pnml";
        std::ofstream(written, std::ios::binary) << strict;
        const std::string command = "xmllint --noout --relaxng '" + grammar->string() + "' '" +
                                    written.string() + "' >/dev/null 2>&1";
        CHECK(std::system(command.c_str()) == 0);
        std::filesystem::remove(written);
    }
    CHECK(compared >= 10);
}

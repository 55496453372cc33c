#include "analysis/states/linear/invariants.hpp"

#include "analysis/states/explore/explore.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "pnml/read_pnml.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net tiny_net(std::uint64_t seed) {
    RandomNetOptions options;
    options.places = 4;
    options.transitions = 4;
    options.gadgets = 1;
    return random_net(seed, options);
}

std::set<std::uint32_t> support(const states::Invariant& invariant) {
    std::set<std::uint32_t> nodes;
    for (const states::InvariantTerm& term : invariant) nodes.insert(term.node);
    return nodes;
}

/// Supports of all minimal solutions with weights up to `most`: tries every weighting of `rows` rows.
std::set<std::set<std::uint32_t>> supports_by_trying(const std::vector<states::SparseRow>& matrix,
                                                     std::size_t columns, Tokens most) {
    std::set<std::set<std::uint32_t>> found;
    std::vector<Tokens> weights(matrix.size(), 0);
    for (;;) {
        std::size_t i = 0;
        while (i < weights.size() && weights[i] == most) weights[i++] = 0;
        if (i == weights.size()) break;
        ++weights[i];
        std::vector<Tokens> sums(columns, 0);
        std::set<std::uint32_t> nodes;
        for (std::uint32_t r = 0; r < matrix.size(); ++r) {
            if (weights[r] > 0) nodes.insert(r);
            for (const auto [at, value] : matrix[r]) sums[at] += weights[r] * value;
        }
        if (std::ranges::all_of(sums, [](Tokens sum) { return sum == 0; })) found.insert(nodes);
    }
    std::set<std::set<std::uint32_t>> minimal;
    for (const auto& nodes : found) {
        const bool larger = std::ranges::any_of(found, [&](const auto& other) {
            return other.size() < nodes.size() && std::ranges::includes(nodes, other);
        });
        if (!larger) minimal.insert(nodes);
    }
    return minimal;
}

}  // namespace

TEST_CASE("invariants are the minimal ones that trying all weightings finds") {
    std::size_t compared = 0, found_any = 0;
    for (std::uint64_t seed = 1; seed <= case_count(400); ++seed) {
        CAPTURE(seed);
        const Net net = tiny_net(seed);
        const std::size_t places = net.places().size(), transitions = net.transitions().size();
        const auto matrix = states::incidence_matrix(net);
        for (const bool of_places : {true, false}) {
            if ((of_places ? places : transitions) > 6) continue;
            const states::Invariants found =
                of_places ? states::p_invariants(net) : states::t_invariants(net);
            REQUIRE(found.complete);
            // Weights above 4 are possible but rare. Nets with such weights are left out.
            const bool small = std::ranges::all_of(found.all, [](const states::Invariant& invariant) {
                return std::ranges::all_of(invariant,
                                           [](states::InvariantTerm term) { return term.weight <= 4; });
            });
            if (!small) continue;
            std::set<std::set<std::uint32_t>> supports;
            for (const states::Invariant& invariant : found.all)
                REQUIRE(supports.insert(support(invariant)).second);
            REQUIRE(supports ==
                    supports_by_trying(of_places ? matrix : states::transposed(matrix, transitions),
                                       of_places ? transitions : places, 4));
            ++compared;
            found_any += supports.empty() ? 0U : 1U;
        }
    }
    CHECK(compared >= least_count(300));
    CHECK(found_any >= least_count(80));
}

TEST_CASE("a compiled net has the invariants of the net") {
    for (std::uint64_t seed = 0; seed < case_count(500); ++seed) {
        CAPTURE(seed);
        const Net net = tiny_net(seed);
        REQUIRE(states::p_invariants(compile(net)).all == states::p_invariants(net).all);
    }
}

TEST_CASE("no marking exceeds the bounds of invariants, under any semantics") {
    for (std::uint64_t seed = 1; seed <= case_count(300); ++seed) {
        CAPTURE(seed);
        const Net net = tiny_net(seed);
        const auto bounds = states::invariant_bounds(net, states::p_invariants(net));
        for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
            const states::Exploration explored =
                states::explore(compile(net), {.semantics = semantics, .max_states = 2000});
            for (std::size_t p = 0; p < bounds.size(); ++p)
                if (bounds[p]) REQUIRE(explored.bounds[p] <= *bounds[p]);
        }
    }
}

TEST_CASE("an invariant with weights") {
    NetBuilder builder;
    const PlaceId a = builder.add_place("a", 6), b = builder.add_place("b", 1);
    const TransitionId t = builder.add_transition("t"), back = builder.add_transition("back");
    builder.add_input(a, t, 6);
    builder.add_output(t, b, 4);
    builder.add_input(b, back, 2);
    builder.add_output(back, a, 3);
    const Net net = builder.build();
    CHECK(states::p_invariants(net).all == std::vector<states::Invariant>{{{0, 2}, {1, 3}}});
    CHECK(states::t_invariants(net).all == std::vector<states::Invariant>{{{0, 1}, {1, 2}}});
    CHECK(states::invariant_bounds(net, states::p_invariants(net)) ==
          std::vector<std::optional<Tokens>>{7, 5});
    CHECK(states::matrix_rank(states::incidence_matrix(net)) == 1);
}

TEST_CASE("limits are reported, and the listed invariants are right") {
    netgen::WarpsSpec spec;
    spec.warps.assign(4, {5, 5, 5});
    const Net net = netgen::warps_net(spec);
    const states::Invariants all = states::p_invariants(net);
    CHECK(all.complete);
    const states::Invariants some = states::p_invariants(net, {.max_rows = 60, .max_work = 500});
    CHECK_FALSE(some.complete);
    for (const states::Invariant& invariant : some.all) CHECK(std::ranges::count(all.all, invariant) == 1);
}

TEST_CASE("a thousand philosophers have their invariants") {
    const auto file = shared_data("pnml/mcc_Philosophers-PT-001000.pnml");
    SKIP_WITHOUT(file, "pnml/mcc_Philosophers-PT-001000.pnml");
    const Net net = pnml::read_pnml_file(*file);
    const states::Invariants invariants = states::p_invariants(net);
    CHECK(invariants.complete);
    CHECK(invariants.all.size() == 2000);  // one per philosopher and one per fork
    CHECK(states::matrix_rank(states::incidence_matrix(net)) == 3000);
}

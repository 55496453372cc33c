#include "analysis/states/structure/net_class.hpp"

#include "analysis/states/linear/invariants.hpp"
#include "engine/base/random.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/text/net_file.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

states::NetClass class_of_text(const char* text) { return states::class_of(pnml::read_tina(text, "net")); }

/// The rank of a dense matrix by Gaussian elimination in floating point.
std::size_t dense_rank(const std::vector<states::SparseRow>& rows, std::size_t columns) {
    std::vector<std::vector<double>> matrix(rows.size(), std::vector<double>(columns, 0));
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (const auto [at, value] : rows[r]) matrix[r][at] = static_cast<double>(value);
    std::size_t rank = 0;
    for (std::size_t c = 0; c < columns && rank < matrix.size(); ++c) {
        std::size_t best = rank;
        for (std::size_t r = rank; r < matrix.size(); ++r)
            if (std::abs(matrix[r][c]) > std::abs(matrix[best][c])) best = r;
        if (std::abs(matrix[best][c]) < 1e-9) continue;
        std::swap(matrix[best], matrix[rank]);
        for (std::size_t r = rank + 1; r < matrix.size(); ++r) {
            const double factor = matrix[r][c] / matrix[rank][c];
            for (std::size_t k = c; k < columns; ++k) matrix[r][k] -= factor * matrix[rank][k];
        }
        ++rank;
    }
    return rank;
}

}  // namespace

TEST_CASE("classes of nets, each by a net that is in no narrower one") {
    CHECK(class_of_text("tr t p -> q\ntr u p -> q\n") == states::NetClass::state_machine);
    CHECK(class_of_text("tr t p -> q r\ntr u q r -> p\n") == states::NetClass::marked_graph);
    CHECK(class_of_text("tr t p -> q r\ntr u p -> r\ntr v q r -> p\n") == states::NetClass::free_choice);
    CHECK(class_of_text("tr t p q -> p\ntr u p q -> q\n") == states::NetClass::extended_free_choice);
    CHECK(class_of_text("tr t p q -> p\ntr u q -> q p\n") == states::NetClass::asymmetric_choice);
    CHECK(class_of_text("tr t p q -> p\ntr u q r -> q p\ntr v p -> r\n") == states::NetClass::ordinary);
    CHECK(class_of_text("tr t p*2 -> q\n") == states::NetClass::general);
    CHECK(class_of_text("tr t p q?-1 -> q\n") == states::NetClass::general);
}

TEST_CASE("conflict clusters are closed under sharing an input place") {
    const Net net =
        pnml::read_tina("tr a p -> q\ntr b p q -> q\ntr c r -> q\ntr d q -> r\ntr e -> r\n", "net");
    const auto clusters = states::conflict_clusters(net);
    REQUIRE(clusters.size() == 3);
    CHECK(clusters[0] == std::vector<TransitionId>{TransitionId(0), TransitionId(1), TransitionId(3)});
}

TEST_CASE("structural boundedness") {
    const auto bounded = [](const char* text) {
        const Net net = pnml::read_tina(text, "net");
        return states::boundedness(net, states::p_invariants(net));
    };
    const states::Boundedness ring = bounded("tr t p -> q\ntr u q -> p\n");
    CHECK(ring.conservative == true);
    CHECK(ring.structurally_bounded == true);
    const states::Boundedness sink = bounded("tr t p -> q\ntr u q ->\n");
    CHECK(sink.conservative == false);
    CHECK(sink.structurally_bounded == true);
    const states::Boundedness growing = bounded("tr t p -> p q\n");
    CHECK(growing.conservative == false);
    CHECK(growing.structurally_bounded == false);
    // Bounded from its initial marking, but not from every marking.
    CHECK(bounded("tr t p -> q r\ntr u q -> p\npl p (0)\n").structurally_bounded == false);
}

TEST_CASE("weightings by a linear program agree with the enumeration of all minimal ones") {
    std::uint64_t yes = 0, no = 0, open = 0;
    for (std::uint64_t seed = 1; seed <= case_count(400); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        const states::Boundedness known = states::boundedness(net, states::p_invariants(net));
        const auto agrees = [&](const std::optional<bool>& expected, states::WeightedSum sum) {
            const auto found = states::has_weighting(net, sum);
            if (found && expected) CHECK(*found == *expected);
            ++(found == true ? yes : found == false ? no : open);
        };
        agrees(known.conservative, states::WeightedSum::stays);
        agrees(known.structurally_bounded, states::WeightedSum::never_grows);
    }
    CHECK(yes >= least_count(20));
    CHECK(no >= least_count(100));
    CHECK(open == 0);
}

TEST_CASE("a net with more invariants than can be enumerated is conservative by weights of 1") {
    // A ring of pairs: each transition takes the pair of a stage in one of two ways and fills the pair of the
    // next stage.
    std::string text;
    constexpr int stages = 18;
    for (int i = 0; i < stages; ++i) {
        text += fmt::format("tr t{0} a{0} b{0} -> a{1} b{1}\n", i, (i + 1) % stages);
    }
    const Net net = pnml::read_tina(text, "net");
    const states::Boundedness bounded =
        states::boundedness(net, states::p_invariants(net, {.max_rows = 100}), {.max_rows = 100});
    CHECK(bounded.conservative == true);
    CHECK(bounded.structurally_bounded == true);
}

TEST_CASE("the rank of random incidence matrices") {
    for (std::uint64_t seed = 1; seed <= case_count(500); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        const auto matrix = states::incidence_matrix(net);
        REQUIRE(states::matrix_rank(matrix) == dense_rank(matrix, net.transitions().size()));
    }
}

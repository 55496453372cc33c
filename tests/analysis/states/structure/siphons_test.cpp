#include "analysis/states/explore/explore.hpp"
#include "analysis/states/structure/net_structure.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Whether every transition that gives to the set takes from it (traps: every transition that takes also
/// gives).
bool is_siphon(const Net& net, std::uint32_t set, bool trap) {
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        bool gives = false, takes = false;
        for (const Arc& arc : net.arcs_of(TransitionId(t))) {
            if ((set >> index(arc.place) & 1) == 0) continue;
            gives |= arc.kind == (trap ? ArcKind::input : ArcKind::output);
            takes |= arc.kind == (trap ? ArcKind::output : ArcKind::input);
        }
        if (gives && !takes) return false;
    }
    return true;
}

std::uint32_t bits(const states::PlaceSet& places) {
    std::uint32_t set = 0;
    for (const std::uint32_t p : places) set |= 1u << p;
    return set;
}

bool has_marked_trap(const Net& net, std::uint32_t siphon) {
    for (std::uint32_t trap = siphon; trap != 0; trap = (trap - 1) & siphon) {
        if (!is_siphon(net, trap, true)) continue;
        for (std::size_t p = 0; p < net.places().size(); ++p)
            if ((trap >> p & 1) != 0 && net.places()[p].initial > 0) return true;
    }
    return false;
}

/// The minimal sets in ascending order, by checking every set.
std::vector<std::uint32_t> minimal_sets(const Net& net, bool traps) {
    std::vector<std::uint32_t> minimal;
    for (std::uint32_t set = 1; set < 1u << net.places().size(); ++set) {
        if (!is_siphon(net, set, traps)) continue;
        std::erase_if(minimal, [&](std::uint32_t other) { return (other & set) == set; });
        if (std::ranges::none_of(minimal, [&](std::uint32_t other) { return (other & set) == other; }))
            minimal.push_back(set);
    }
    std::ranges::sort(minimal);
    return minimal;
}

std::vector<std::uint32_t> sorted_bits(const states::MinimalSets& found) {
    std::vector<std::uint32_t> sets;
    for (const states::PlaceSet& places : found.minimal) sets.push_back(bits(places));
    std::ranges::sort(sets);
    return sets;
}

}  // namespace

TEST_CASE("minimal siphons and traps are those among all sets of places, and Commoner's property is theirs") {
    std::size_t found_any = 0, with_property = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1500); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        if (net.places().size() > 10) continue;
        const std::vector<std::uint32_t> expected = minimal_sets(net, false);
        const states::Siphons found = states::minimal_siphons(net);
        REQUIRE(found.complete);
        REQUIRE(sorted_bits(found) == expected);
        const states::MinimalSets traps = states::minimal_traps(net);
        REQUIRE(traps.complete);
        REQUIRE(sorted_bits(traps) == minimal_sets(net, true));
        const bool commoner =
            std::ranges::all_of(expected, [&](std::uint32_t siphon) { return has_marked_trap(net, siphon); });
        REQUIRE(found.without_marked_trap.has_value() == !commoner);
        found_any += expected.empty() ? 0U : 1U;
        with_property += commoner ? 1U : 0U;
    }
    CHECK(found_any >= least_count(300));
    CHECK(with_property >= least_count(20));
}

TEST_CASE("an enumeration of siphons that is cut off says so") {
    std::uint64_t seed = 0;  // of a net with several sets
    while (states::minimal_siphons(random_net(seed)).minimal.size() < 2) ++seed;
    const states::Siphons found = states::minimal_siphons(random_net(seed), 1);
    CHECK_FALSE(found.complete);
    CHECK(found.minimal.size() <= 1);
}

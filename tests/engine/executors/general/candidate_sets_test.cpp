#include "engine/executors/general/candidate_sets.hpp"

#include "engine/base/random.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// A net of which only the sizes of its groups matter.
CompiledNet groups_of(std::initializer_list<std::size_t> sizes) {
    CompiledNet net;
    for (const std::size_t size : sizes) net.groups.push_back({0, {}, std::vector<std::uint32_t>(size)});
    return net;
}

}  // namespace

TEST_CASE("Candidate sets hold what was put into them, in ascending order") {
    const CompiledNet net = groups_of({1, 64, 5, 65, 20'000});
    CandidateSets sets(net);
    std::vector<std::set<std::uint32_t>> expected(net.groups.size());
    CounterRandom random(1, 0);
    for (int round = 0; round < 20'000; ++round) {
        const std::uint32_t group = random.below(static_cast<std::uint32_t>(net.groups.size()));
        const std::uint32_t slot = random.below(static_cast<std::uint32_t>(net.groups[group].members.size()));
        if (expected[group].insert(slot).second) {
            sets.insert({group, slot});
        } else {
            expected[group].erase(slot);
            sets.erase({group, slot});
        }
        if (round % 100 != 0) continue;
        CAPTURE(round, group);
        REQUIRE(sets.count(group) == expected[group].size());
        std::uint32_t rank = 0;
        for (const std::uint32_t member : expected[group]) REQUIRE(sets.select(group, rank++) == member);
        std::vector<std::uint32_t> visited;
        sets.for_each(group, [&](std::uint32_t member) { visited.push_back(member); });
        REQUIRE(visited == std::vector(expected[group].begin(), expected[group].end()));
    }
}

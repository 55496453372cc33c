// Whom hubs serve, against the demands themselves.

#include "engine/executors/pivots/hub_levels.hpp"

#include "tests/support/random_demands.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::random_demands;

TEST_CASE("hub levels: the classes served with any number of tokens") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CounterRandom random(seed, 45);
        const std::uint32_t hubs = 1 + random.below(5), classes = 1 + random.below(150);
        const Rows<HubDemand> demands = random_demands(random, hubs, classes);
        const HubLevels levels(hubs, demands);
        REQUIRE(levels.words() == (classes + 63) / 64);
        bool right = true;
        for (std::uint32_t hub = 0; hub < hubs; ++hub) {
            const HubLevels::Levels of_hub = levels.of(hub);
            for (const Tokens tokens : std::vector<Tokens>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3'000'000'000}) {
                const std::uint64_t* const words = of_hub.served + of_hub.at(tokens) * levels.words();
                for (std::uint32_t number = 0; number < classes; ++number) {
                    const auto wants = demands[number];
                    const bool served = std::none_of(wants.begin(), wants.end(), [&](const HubDemand& one) {
                        return one.hub == hub && one.weight > tokens;
                    });
                    right &= (words[number / 64] >> number % 64 & 1) == (served ? 1U : 0U);
                }
            }
        }
        for (std::uint32_t number = 0; number < classes; ++number) {
            const auto known = levels.hubs_of(number / 64);
            for (const HubDemand& one : demands[number])
                right &= std::binary_search(known.begin(), known.end(), one.hub);
        }
        CAPTURE(seed);
        CHECK(right);
    }
}

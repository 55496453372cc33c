#include "engine/base/random.hpp"
#include "engine/executors/pivots/net.hpp"
#include "engine/executors/pivots/state.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

// The served classes and the low hubs, compared with their tokens.

namespace {

/// The demands of the members of each class: one to nine tokens of every third hub.
Rows<HubDemand> random_demands(CounterRandom& random, std::uint32_t hubs, std::uint32_t classes) {
    Rows<HubDemand> demands;
    for (std::uint32_t number = 0; number < classes; ++number) {
        for (std::uint32_t hub = 0; hub < hubs; ++hub) {
            if (random.below(3) == 0) demands.append({hub, static_cast<std::int32_t>(1 + random.below(9))});
        }
        demands.close_row();
    }
    return demands;
}

std::int32_t up_to(CounterRandom& random, std::uint32_t most) {
    return static_cast<std::int32_t>(1 + random.below(most));
}

/// Hubs alone: every third is refilled, every fifth is watched.
PivotNet random_hubs(CounterRandom& random) {
    PivotNet net;
    const std::uint32_t hubs = 1 + random.below(6), classes = 1 + random.below(150);
    net.demands = random_demands(random, hubs, classes);
    net.classes.resize(classes);
    for (std::uint32_t hub = 0; hub < hubs; ++hub) {
        net.hubs.push_back(hub);
        const bool watched = random.below(5) == 0;
        net.places.emplace_back().kind = watched ? PivotNet::hub | PivotNet::watched : PivotNet::hub;
        if (random.below(3) != 0) continue;
        const std::int32_t cap = up_to(random, 9);
        for (std::uint32_t i = 1 + random.below(2); i > 0; --i)
            net.refills.push_back({0, hub, up_to(random, 4), cap});
    }
    net.levels = HubLevels(hubs, net.demands);
    return net;
}

}  // namespace

TEST_CASE("hubs: the classes that are served, the refills that are due, the changes that are noted") {
    std::uint64_t noted = 0;
    for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
        CounterRandom random(seed, 53);
        const PivotNet net = random_hubs(random);
        Marking tokens;
        for (std::size_t hub = 0; hub < net.hubs.size(); ++hub) tokens.push_back(random.below(12));
        Hubs hubs(net, tokens);
        const auto served = [&](std::uint32_t number, Tokens members) {
            const auto wanted = net.demands[number];
            return std::all_of(wanted.begin(), wanted.end(),
                               [&](const HubDemand& one) { return tokens[one.hub] >= one.weight * members; });
        };
        bool right = true;
        for (int step = 0; step < 40; ++step) {
            std::map<std::uint32_t, Tokens> watched;
            const auto before_change = [&](std::uint32_t hub) {
                if ((net.places[hub].kind & PivotNet::watched) != 0) watched.try_emplace(hub, tokens[hub]);
            };
            for (std::size_t word = 0; word < net.levels.words(); ++word) hubs.served(word);
            for (int taken = 0; taken < 4; ++taken) {
                for (std::uint32_t number = 0; number < net.classes.size(); ++number) {
                    right &= hubs.serve(number) == served(number, 1);
                    right &= (hubs.served(number / 64) >> number % 64 & 1) == (served(number, 1) ? 1U : 0U);
                    right &= hubs.serve_all(net.demands[number], 3) == served(number, 3);
                }
                const auto all = net.demands.all();
                if (all.empty()) break;
                const HubDemand demand = all[random.below(static_cast<std::uint32_t>(all.size()))];
                if (tokens[demand.hub] < demand.weight) continue;
                before_change(demand.hub);
                tokens[demand.hub] -= demand.weight;
                hubs.take({&demand, 1});
            }
            const std::uint64_t low = hubs.low();
            for (std::uint32_t i = 0; i < net.refills.size(); ++i) {
                const HubRefill& refill = net.refills[i];
                right &= (low >> i & 1) == (tokens[refill.hub] < refill.cap ? 1U : 0U);
            }
            for (std::uint32_t i = 0; i < net.refills.size(); ++i) {
                if ((low >> i & 1) == 0) continue;
                before_change(net.refills[i].hub);
                tokens[net.refills[i].hub] += net.refills[i].gives;
            }
            hubs.refill(low);
            const std::uint32_t hub = random.below(static_cast<std::uint32_t>(net.hubs.size()));
            before_change(hub);
            const std::int32_t given = up_to(random, 5);
            tokens[hub] += given;
            right &= hubs.give(hub, given);
            right &= hubs.changes().size() == watched.size();
            for (const auto [changed, before] : hubs.changes())
                right &= watched.contains(changed) && watched.at(changed) == before;
            noted += watched.size();
            hubs.forget_changes();
            for (std::uint32_t one = 0; one < net.hubs.size(); ++one)
                right &= hubs.tokens(one) == tokens[one];
        }
        CAPTURE(seed);
        CHECK(right);
    }
    CHECK(noted >= least_count(500));
}

TEST_CASE("hubs: more tokens than can be counted are refused") {
    PivotNet net;
    net.hubs = {0};
    net.places.emplace_back().kind = PivotNet::hub;
    net.demands.append({0, 1});
    net.demands.close_row();
    net.levels = HubLevels(1, net.demands);
    Hubs hubs(net, {max_tokens});
    CHECK_FALSE(hubs.give(0, 1));
}

// The served classes, compared with the demands.

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

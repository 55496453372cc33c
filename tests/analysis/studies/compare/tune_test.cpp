#include "analysis/studies/compare/tune.hpp"

#include "engine/base/random.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;

namespace {

studies::TunedLaunch tuned(const std::string& block, double low, double us, double high,
                           std::optional<double> measured = {}) {
    studies::TunedLaunch one;
    one.values = {block};
    one.predicted.kernel.name = "k";
    one.predicted.prediction.us = us;
    one.predicted.prediction.low_us = low;
    one.predicted.prediction.high_us = high;
    one.measured_us = measured;
    return one;
}

}  // namespace

TEST_CASE("launches of a space are in the order of their predicted times") {
    studies::TunedSpace space;
    space.axes = {"block"};
    space.launches = {tuned("64", 5, 6, 7), tuned("128", 3, 4, 5), tuned("256", 3.5, 4, 4.5),
                      tuned("512", 5.1, 8, 9)};
    studies::rank_launches(space);
    std::vector<std::string> order;
    std::vector<bool> ties;
    for (const studies::TunedLaunch& one : space.launches) {
        order.push_back(one.values.front());
        ties.push_back(one.ties_with_best);
    }
    CHECK(order == std::vector<std::string>{"128", "256", "64", "512"});
    CHECK(ties == std::vector<bool>{true, true, true, false});
    CHECK_FALSE(space.quality);
    CHECK(
        studies::to_csv(space).starts_with("rank,block,blocks,threads,registers,shared_bytes,predicted_us,"));
    const auto json = to_json(netgen::preset_devices().at("GTX950"), space);
    CHECK(json["rows"][0]["values"]["block"] == "128");
    CHECK(json["rows"][3]["rank"] == 4);
    CHECK_FALSE(json.contains("quality"));
}

TEST_CASE("the quality of an order is that of pairs compared one by one") {
    CounterRandom random(7, 0);
    for (std::uint64_t round = 0; round < testing::case_count(200); ++round) {
        studies::TunedSpace space;
        space.axes = {"n"};
        const std::uint32_t n = 2 + random.below(8);
        for (std::uint32_t i = 0; i < n; ++i) {
            const double us = 1 + static_cast<double>(random.below(100));
            std::optional<double> measured;
            if (random.below(4) > 0) measured = 1 + static_cast<double>(random.below(5));
            space.launches.push_back(tuned(std::to_string(i), us, us, us, measured));
        }
        const std::vector<studies::TunedLaunch> before = space.launches;
        studies::rank_launches(space);
        std::size_t known = 0;
        const studies::TunedLaunch* best = nullptr;
        double least = 1e9;
        for (const studies::TunedLaunch& one : before) {
            if (!one.measured_us) continue;
            ++known;
            least = std::min(least, *one.measured_us);
            if (best == nullptr || one.predicted.prediction.us < best->predicted.prediction.us) best = &one;
        }
        REQUIRE(space.quality.has_value() == (known >= 2));
        if (!space.quality) continue;
        std::size_t rank = 1;
        for (const studies::TunedLaunch& one : before)
            if (one.measured_us && *one.measured_us < *best->measured_us) ++rank;
        CHECK(space.quality->launches == known);
        CHECK(space.quality->measured_rank_of_best == rank);
        CHECK(space.quality->loss == Approx(*best->measured_us / least - 1));
    }
}

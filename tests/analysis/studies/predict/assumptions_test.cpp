#include "analysis/studies/predict/assumptions.hpp"

#include "analysis/studies/predict/predict.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "engine/input/usage_error.hpp"
#include "netgen/sm/presets.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

netgen::KernelProfile small_kernel() {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "small";
    kernel.blocks = 40;
    kernel.threads = 128;
    kernel.fp32 = 60;
    kernel.logic = 20;
    kernel.loads.requests = 3;
    kernel.stores.requests = 1;
    return kernel;
}

bool mentions(const std::vector<studies::Assumption>& list, const std::string& about,
              const std::string& text) {
    return std::ranges::any_of(list, [&](const studies::Assumption& one) {
        return one.about == about && one.text.find(text) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("margins make latencies longer and rates lower, and the largest of several counts") {
    const netgen::Device& device = netgen::preset_devices().at("JetsonOrin");
    const netgen::Device worse =
        studies::pessimistic_device(device, studies::parse_margins("latencies=10%,lat_dram=50%,dram_gbs=25"));
    CHECK(worse.at("lat_dram") == Approx(1.5 * device.at("lat_dram")));
    CHECK(worse.at("lat_alu") == Approx(1.1 * device.at("lat_alu")));
    CHECK(worse.at("dram_gbs") == Approx(device.at("dram_gbs") / 1.25));
    CHECK(worse.at("fp32") == device.at("fp32"));
    CHECK(worse.at("sms") == device.at("sms"));
    const netgen::Device unsure =
        studies::pessimistic_device(device, studies::parse_margins("unverified=20%"));
    for (const auto& [name, fact] : device.facts) {
        CAPTURE(name);
        if (fact.verified) CHECK(unsure.at(name) == fact.value);
    }
    CHECK(unsure.at("int32") == Approx(device.at("int32") / 1.2));
    for (const char* const bad :
         {"sms=10%", "lat_dram", "lat_dram=-1%", "lat_dram=2000%", "lat_dram=1%,lat_dram=2%", "unknown=3%"})
        CHECK_THROWS_AS(studies::parse_margins(bad), UsageError);
}

TEST_CASE("a certificate grows with its margins, and lists all that it rests on") {
    const netgen::Device& device = netgen::preset_devices().at("JetsonOrin");
    const netgen::KernelProfile kernel = small_kernel();
    studies::SmPredictOptions options;
    options.worst = true;
    const auto plain = studies::predict_sm(netgen::sm_device(device), kernel, options);
    REQUIRE(plain);
    REQUIRE(plain->worst);
    double before = plain->worst->us;
    for (const char* const margins :
         {"unverified=10%", "unverified=30%,clock_mhz=20%", "rates=50%,latencies=50%"}) {
        CAPTURE(margins);
        const auto parsed = studies::parse_margins(margins);
        options.worst_device = netgen::sm_device(studies::pessimistic_device(device, parsed));
        const auto worse = studies::predict_sm(netgen::sm_device(device), kernel, options);
        REQUIRE(worse);
        REQUIRE(worse->worst);
        CHECK(worse->us == plain->us);
        CHECK(worse->worst->us > before);
        before = worse->worst->us;
        studies::PredictedLaunch launch{{kernel}, *worse};
        const auto list = studies::assumptions_of(device, parsed, launch);
        for (const char* const about : {"machine", "dispatcher", "counts", "clock", "caches", "bandwidth",
                                        "alone", "code", "launch", "unverified", "margin"}) {
            CAPTURE(about);
            CHECK(std::ranges::count(list, about, &studies::Assumption::about) >= 1);
        }
    }
    studies::PredictedLaunch launch{{kernel}, *plain};
    launch.assumed = {"blocks"};
    CHECK(
        mentions(studies::assumptions_of(device, {}, launch), "launch", "blocks of the launch are assumed"));
    CHECK(mentions(studies::assumptions_of(device, {}, launch), "counts", "mean"));
    launch.longest = kernel;
    CHECK(mentions(studies::assumptions_of(device, {}, launch), "counts", "the most"));
    CHECK_FALSE(mentions(studies::assumptions_of(device, {}, launch), "margin", ""));
}

TEST_CASE("a deadline is certified, exceeded or open") {
    studies::PredictedLaunch launch{{small_kernel()}, {}};
    launch.deadline_us = 10;
    CHECK(launch.verdict() == worst::DeadlineVerdict::open);
    launch.prediction.worst = studies::SmWorstCase{9, {}, 1000, 8};
    CHECK(launch.verdict() == worst::DeadlineVerdict::certified);
    launch.prediction.worst = studies::SmWorstCase{12, {}, 1000, 8};
    CHECK(launch.verdict() == worst::DeadlineVerdict::open);
    launch.prediction.worst->found_us = 11;
    CHECK(launch.verdict() == worst::DeadlineVerdict::exceeded);
    launch.prediction.worst->found_us.reset();
    CHECK(launch.verdict() == worst::DeadlineVerdict::open);
}

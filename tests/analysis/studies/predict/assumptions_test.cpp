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

KernelProfile small_kernel() {
    KernelProfile kernel = streaming_profile();
    kernel.name = "small";
    kernel.blocks = 40;
    kernel.threads = 128;
    kernel.fp32 = 60;
    kernel.logic = 20;
    kernel.loads.requests = 3;
    kernel.stores.requests = 1;
    return kernel;
}

bool mentions(const std::vector<Assumption>& list, const std::string& about, const std::string& text) {
    return std::ranges::any_of(list, [&](const Assumption& one) {
        return one.about == about && one.text.find(text) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("margins make latencies longer and rates lower, and the largest of several counts") {
    const Device& device = preset_devices().at("JetsonOrin");
    const Device worse = pessimistic_device(device, parse_margins("latencies=10%,lat_dram=50%,dram_gbs=25"));
    CHECK(worse.at("lat_dram") == Approx(1.5 * device.at("lat_dram")));
    CHECK(worse.at("lat_alu") == Approx(1.1 * device.at("lat_alu")));
    CHECK(worse.at("dram_gbs") == Approx(device.at("dram_gbs") / 1.25));
    CHECK(worse.at("fp32") == device.at("fp32"));
    CHECK(worse.at("sms") == device.at("sms"));
    const Device unsure = pessimistic_device(device, parse_margins("unverified=20%"));
    for (const auto& [name, fact] : device.facts) {
        CAPTURE(name);
        if (fact.verified) CHECK(unsure.at(name) == fact.value);
    }
    CHECK(unsure.at("int32") == Approx(device.at("int32") / 1.2));
    for (const char* const bad :
         {"sms=10%", "lat_dram", "lat_dram=-1%", "lat_dram=2000%", "lat_dram=1%,lat_dram=2%", "unknown=3%"})
        CHECK_THROWS_AS(parse_margins(bad), UsageError);
}

TEST_CASE("a certificate grows with its margins, and lists all that it rests on") {
    const Device& device = preset_devices().at("JetsonOrin");
    const KernelProfile kernel = small_kernel();
    SmPredictOptions options;
    options.worst = true;
    const auto plain = predict_sm(sm_device(device), kernel, options);
    REQUIRE(plain);
    REQUIRE(plain->worst);
    double before = plain->worst->us;
    for (const char* const margins :
         {"unverified=10%", "unverified=30%,clock_mhz=20%", "rates=50%,latencies=50%"}) {
        CAPTURE(margins);
        const auto parsed = parse_margins(margins);
        options.worst_device = sm_device(pessimistic_device(device, parsed));
        const auto worse = predict_sm(sm_device(device), kernel, options);
        REQUIRE(worse);
        REQUIRE(worse->worst);
        CHECK(worse->us == plain->us);
        CHECK(worse->worst->us > before);
        before = worse->worst->us;
        PredictedLaunch launch{kernel, 1, *worse};
        const auto list = assumptions_of(device, parsed, launch);
        for (const char* const about : {"machine", "dispatcher", "counts", "clock", "caches", "bandwidth",
                                        "alone", "code", "launch", "unverified", "margin"}) {
            CAPTURE(about);
            CHECK(std::ranges::count(list, about, &Assumption::about) >= 1);
        }
    }
    PredictedLaunch launch{kernel, 1, *plain};
    launch.assumed = {"blocks"};
    CHECK(mentions(assumptions_of(device, {}, launch), "launch", "blocks of the launch are assumed"));
    CHECK(mentions(assumptions_of(device, {}, launch), "counts", "mean"));
    launch.longest = kernel;
    CHECK(mentions(assumptions_of(device, {}, launch), "counts", "the most"));
    CHECK_FALSE(mentions(assumptions_of(device, {}, launch), "margin", ""));
}

TEST_CASE("a deadline is certified, exceeded or open") {
    PredictedLaunch launch{small_kernel(), 1, {}};
    launch.deadline_us = 10;
    CHECK(launch.verdict() == DeadlineVerdict::open);
    launch.prediction.worst = SmWorstCase{9, {}, 1000, 8};
    CHECK(launch.verdict() == DeadlineVerdict::certified);
    launch.prediction.worst = SmWorstCase{12, {}, 1000, 8};
    CHECK(launch.verdict() == DeadlineVerdict::open);
    launch.prediction.worst->found_us = 11;
    CHECK(launch.verdict() == DeadlineVerdict::exceeded);
    launch.prediction.worst->found_us.reset();
    CHECK(launch.verdict() == DeadlineVerdict::open);
}

#include "analysis/studies/predict/assumptions.hpp"
#include "analysis/studies/predict/closed_form.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("occupancy: the residency of a kernel is the least of what each resource alone allows") {
    netgen::SmDevice device;
    device.name = "any";
    netgen::KernelProfile kernel;
    kernel.name = "test";
    const std::int64_t threads = GENERATE(32, 96, 128, 256, 1024);
    const std::int64_t registers = GENERATE(0, 16, 33, 64);
    const std::int64_t shared = GENERATE(0, 1000, 20'000, 49'152);
    CAPTURE(threads, registers, shared);
    kernel.threads = threads;
    kernel.registers = registers;
    kernel.shared_bytes = shared;
    const studies::Occupancy occupancy = studies::occupancy(device, kernel);
    CHECK(occupancy.blocks == netgen::resident_blocks(device, kernel));
    CHECK(occupancy.warps == occupancy.blocks * threads / 32);
    std::int64_t least = 1'000'000;
    for (const auto& limit : occupancy.limits) least = std::min(least, limit.blocks.value_or(least));
    CHECK(least == occupancy.blocks);
    CHECK(occupancy.limits[2].blocks.has_value() == (registers > 0));
    CHECK(occupancy.limits[3].blocks.has_value() == (shared > 0));
    CHECK_FALSE(occupancy.limited_by().empty());
}

TEST_CASE("what-if: each answer is the prediction on a device with that fact doubled, the shortest first") {
    const netgen::DeviceInput device{.name = "GTX950", .file = ""};
    netgen::KernelProfile kernel;
    kernel.name = "test";
    kernel.blocks = 60;
    kernel.threads = 128;
    kernel.fp32 = 40;
    kernel.loads.requests = 2;
    studies::SmPredictOptions options;
    options.seeds = 1;
    const auto answers =
        studies::what_if(device, kernel, options, studies::predict_sm(device.sm(), kernel, options)->us);
    REQUIRE(answers.size() > 3);
    CHECK(std::ranges::is_sorted(answers, {}, &studies::WhatIf::us));
    for (const studies::WhatIf& answer : answers) {
        CAPTURE(answer.fact);
        netgen::DeviceInput changed = device;
        changed.changes.emplace_back(answer.fact, 2 * device.device().at(answer.fact));
        CHECK(answer.value == changed.changes.front().second);
        CHECK(answer.us == studies::predict_sm(changed.sm(), kernel, options)->us);
    }
}

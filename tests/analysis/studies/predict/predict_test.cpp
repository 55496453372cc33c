#include "analysis/studies/predict/predict.hpp"

#include "engine/base/random.hpp"
#include "netgen/sm/costs.hpp"
#include "netgen/sm/presets.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// A kernel like those of real programs, of at most a few thousand instructions per warp and 14 to 34 waves.
netgen::KernelProfile typical_kernel(std::uint64_t seed) {
    CounterRandom random(seed, 1);
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "typical";
    kernel.threads = 32 << random.below(5);
    kernel.blocks = 6 * (64 * 1024 / 32 / kernel.threads) * (14 + random.below(20)) + random.below(50);
    kernel.registers = 16 + random.below(24);
    const double size = std::pow(10, 1 + 1.8 * random.uniform());
    kernel.fp32 = size * random.uniform();
    kernel.integer = size * random.uniform() + 5;
    kernel.branches = size * 0.1 * random.uniform();
    kernel.shared_loads = random.below(2) * size * 0.2 * random.uniform();
    kernel.shared_stores = kernel.shared_loads * 0.3;
    kernel.barriers = std::floor(kernel.shared_stores * 0.3);
    kernel.loads.requests = 1 + size * 0.05 * random.uniform();
    kernel.stores.requests = 1 + size * 0.02 * random.uniform();
    kernel.loads.dram_share = random.uniform();
    kernel.stores.dram_share = random.uniform();
    return kernel;
}

netgen::SmDevice gtx950() {
    netgen::SmDevice device;
    device.name = "GTX950";
    device.sms = 6;
    device.issue = 2;
    device.clock_mhz = 1188;
    device.limits.shared_bytes = 96 * 1024;
    device.dram_gbs = 105.8;
    device.dram_efficiency = 0.89;
    return device;
}

}  // namespace

TEST_CASE("the extrapolated time is that of the long run") {
    if (testing::sanitized()) return;  // sanitizers take a minute
    // Stated tolerance (docs/reference/family-sm.md): median deviation below 1 %, none above 4 %, from the
    // median of many runs. Two small samples of a small kernel differ more.
    std::vector<double> deviations;
    for (std::uint64_t seed = 1; seed <= 14; ++seed) {
        CAPTURE(seed);
        const netgen::KernelProfile kernel = typical_kernel(seed);
        studies::SmPredictOptions options;
        options.seeds = 51;
        const studies::SmPrediction quick = studies::predict_sm(gtx950(), kernel, options).value();
        options.full = true;
        const studies::SmPrediction whole = studies::predict_sm(gtx950(), kernel, options).value();
        CHECK(quick.extrapolated);
        CHECK_FALSE(whole.extrapolated);
        CHECK(whole.firings > quick.firings);
        CAPTURE(quick.steps, whole.steps);
        deviations.push_back(std::abs(quick.steps / whole.steps - 1));
        CHECK(deviations.back() < 0.04);
    }
    std::sort(deviations.begin(), deviations.end());
    CHECK(deviations[deviations.size() / 2] < 0.01);
}

TEST_CASE("a kernel of 10^9 warp instructions costs no more than a small one") {
    netgen::KernelProfile kernel = typical_kernel(3);
    kernel.threads = 256;
    kernel.blocks = 125'000;
    kernel.fp32 = 600;
    kernel.integer = 400;
    REQUIRE(kernel.instructions() * static_cast<double>(kernel.blocks * 8) >= 1e9);
    studies::SmPredictOptions options;
    options.seeds = 1;
    // A firing costs 0.1 to 0.3 microseconds.
    CHECK(studies::predict_sm(gtx950(), kernel, options).value().firings < 2'500'000);
}

TEST_CASE("predictions depend on the seed alone") {
    const netgen::KernelProfile kernel = typical_kernel(5);
    studies::SmPredictOptions options;
    options.seeds = 4;
    options.threads = 1;
    const studies::SmPrediction one = studies::predict_sm(gtx950(), kernel, options).value();
    options.threads = 3;
    const studies::SmPrediction three = studies::predict_sm(gtx950(), kernel, options).value();
    CHECK(one.us == three.us);
    CHECK(one.low_us == three.low_us);
    CHECK(one.high_us == three.high_us);
    CHECK(one.low_us <= one.us);
    CHECK(one.us <= one.high_us);
    CHECK(one.high_us < 1.05 * one.low_us);
}

TEST_CASE("a prediction shows its runs and its certificate while they are made") {
    studies::SmPredictOptions options;
    options.worst = true;
    std::set<std::string> parts;
    options.progress = [&](const WorkPart& part) {
        parts.insert(part.name);
        return std::shared_ptr<void>();
    };
    REQUIRE(studies::predict_sm(gtx950(), typical_kernel(5), options));
    CHECK(parts == std::set<std::string>{"runs", "bound"});
}

TEST_CASE("a kernel that only moves data takes what DRAM needs") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "copy";
    kernel.blocks = 4096;
    kernel.threads = 256;
    kernel.integer = 10;
    kernel.loads.requests = kernel.stores.requests = 1;
    const netgen::SmDevice device = gtx950();
    const double us =
        2.0 * 4096 * 256 * 4 / (device.dram_gbs * device.dram_efficiency * 1000) + device.launch_us;
    const studies::SmPrediction prediction = studies::predict_sm(device, kernel).value();
    CHECK(prediction.us == Approx(us).epsilon(0.02));
    CHECK(prediction.closed.binding == studies::SmBound::dram);
    CHECK(prediction.closed.us == Approx(us).epsilon(0.005));
    CHECK(prediction.outside.empty());
    // Traffic that counters of loads and stores do not include is a bound as well.
    kernel.dram_bytes = 3 * 2.0 * 4096 * 256 * 4;
    const studies::SmPrediction texture = studies::predict_sm(device, kernel).value();
    CHECK(texture.traffic);
    CHECK(texture.us == Approx(3 * (us - 1.4) + 1.4).epsilon(0.001));
}

TEST_CASE("the closed form, by hand") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "hand";
    kernel.blocks = 60;  // 10 per SM, 2 at a time
    kernel.threads = 1024;
    kernel.fp32 = 100;
    kernel.integer = 50;
    kernel.fp64 = 10;
    kernel.branches = 5;
    kernel.shared_loads = 30;
    kernel.shared_load_transactions = 2;
    kernel.loads.requests = 4;
    kernel.loads.dram_share = 0.25;
    const studies::SmClosedForm form = studies::sm_closed_form(gtx950(), kernel);
    const auto cycles = [&](studies::SmBound bound) { return form.cycles[static_cast<std::size_t>(bound)]; };
    CHECK(cycles(studies::SmBound::issue) == Approx(320 * 199 / 4.0));
    CHECK(cycles(studies::SmBound::alu) == Approx(320 * 200 / 4.0));
    CHECK(cycles(studies::SmBound::fp64) == Approx(320 * 10 * 8));
    CHECK(cycles(studies::SmBound::lsu) ==
          Approx(320 * (60 + 4)));  // requests to global memory use the lanes too
    CHECK(cycles(studies::SmBound::l2) == Approx(320 * 16));
    CHECK(cycles(studies::SmBound::load_path) == Approx(320 * 8));
    CHECK(cycles(studies::SmBound::dram) == Approx(320 * 4 * 32 / (105.8 * 0.89 * 1000 / 1188 / 6)));
    // 150 * 6 + 10 * 48 + 5 * 12 + 30 * 24 in 5 waves; the loads need at least 4 / 2 * (0.25 * 379 + 0.75 *
    // 225).
    CHECK(cycles(studies::SmBound::latency) == Approx(5 * (900 + 480 + 60 + 720)));
    CHECK(cycles(studies::SmBound::block_launch) == Approx(250));
    CHECK(form.binding == studies::SmBound::fp64);
    CHECK(form.us == Approx(25600 / 1188.0 + 1.4));
}

TEST_CASE("the estimate adds instructions and loads, the limit is the longer of them") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "both";
    kernel.blocks = 6;
    kernel.fp32 = 100;
    kernel.loads.requests = 10;
    const studies::SmClosedForm form = studies::sm_closed_form(gtx950(), kernel);
    CHECK(form.cycles[static_cast<std::size_t>(studies::SmBound::latency)] == Approx(5 * 379));
    CHECK(form.us == Approx((600 + 5 * 379) / 1188.0 + 1.4));
    CHECK(form.binding == studies::SmBound::latency);
    CHECK(form.wave_cycles >= 5 * 379);
}

namespace {

/// Counts of an arbitrary kernel on any preset: fractions, rare classes, partial waves.
struct RandomLaunch {
    netgen::SmDevice device;
    netgen::KernelProfile kernel;
};
constexpr std::array<double netgen::KernelProfile::*, 14> counts_of_kernels = {
    &netgen::KernelProfile::fp32,          &netgen::KernelProfile::integer,
    &netgen::KernelProfile::fp64,          &netgen::KernelProfile::convert,
    &netgen::KernelProfile::convert64,     &netgen::KernelProfile::special,
    &netgen::KernelProfile::other,         &netgen::KernelProfile::shuffles,
    &netgen::KernelProfile::branches,      &netgen::KernelProfile::shared_loads,
    &netgen::KernelProfile::shared_stores, &netgen::KernelProfile::local_accesses,
    &netgen::KernelProfile::local_stores,  &netgen::KernelProfile::barriers};

RandomLaunch random_launch(std::uint64_t seed) {
    CounterRandom random(seed, 3);
    std::vector<const netgen::Device*> known;
    for (const netgen::Device& device : netgen::preset_devices().devices)
        if (netgen::missing_facts(device).empty()) known.push_back(&device);
    RandomLaunch launch{netgen::sm_device(*known[random.below(static_cast<std::uint32_t>(known.size()))]),
                        netgen::streaming_profile()};
    netgen::KernelProfile& kernel = launch.kernel;
    kernel.name = "random";
    kernel.threads = 32 << random.below(5);
    kernel.blocks = 1 + static_cast<std::int64_t>(std::pow(10, 4.5 * random.uniform()) * 32 /
                                                  static_cast<double>(kernel.threads));
    const double size = std::pow(10, 2.5 * random.uniform());
    const bool whole = random.below(2) == 0;
    const auto count = [&](double share) {
        if (random.below(2) == 0) return 0.0;
        const double value = size * share * random.uniform();
        return whole ? std::ceil(value) : value;
    };
    for (const auto member : counts_of_kernels) kernel.*member = count(0.2);
    kernel.fp32 = 1 + count(1);
    kernel.barriers = std::floor(count(0.05));
    kernel.shared_load_transactions = 1 + random.below(4);
    for (netgen::MemoryRequests* requests : {&kernel.loads, &kernel.stores}) {
        requests->requests = count(0.1);
        requests->sectors = 1 + random.below(16);
        requests->dram_share = 0.25 * random.below(5);
    }
    return launch;
}

}  // namespace

TEST_CASE("no prediction is below a limit that is next to it") {
    studies::SmPredictOptions options;
    options.seeds = 3;
    const std::uint64_t cases = testing::case_count(100);
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        const auto [device, kernel] = random_launch(seed);
        CAPTURE(seed, device.name, kernel.blocks, kernel.threads, kernel.instructions());
        const studies::SmPrediction prediction = studies::predict_sm(device, kernel, options).value();
        for (std::size_t i = 0; i < studies::sm_bound_count; ++i) {
            CAPTURE(to_string(static_cast<studies::SmBound>(i)));
            CHECK(prediction.low_us >= prediction.closed.cycles[i] / device.clock_mhz);
        }
    }
}

TEST_CASE("more work takes no less time, but for what whole steps leave open") {
    // Each block may end a step or two earlier or later than its latencies, and small blocks take few steps.
    constexpr double whole_steps = 0.04;
    studies::SmPredictOptions options;
    options.seeds = 3;
    const std::uint64_t cases = testing::case_count(100);
    std::uint64_t less_time = 0;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        const auto [device, kernel] = random_launch(seed);
        CounterRandom random(seed, 4);
        netgen::KernelProfile more = kernel;
        const std::uint32_t which = random.below(counts_of_kernels.size() + 2);
        double& count = which < counts_of_kernels.size()    ? more.*counts_of_kernels[which]
                        : which == counts_of_kernels.size() ? more.loads.requests
                                                            : more.stores.requests;
        count += 1 + random.below(3);
        CAPTURE(seed, device.name, kernel.blocks, kernel.threads, which, count);
        const double low = studies::predict_sm(device, kernel, options).value().low_us;
        const double high = studies::predict_sm(device, more, options).value().high_us;
        CHECK(high >= (1 - whole_steps) * low);
        if (high < low) ++less_time;
    }
    CHECK(less_time <= cases / 20);
}

TEST_CASE("one more store does not change how arithmetic is cut, nor one load where its sectors come from") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "issue";
    kernel.threads = 512;
    kernel.blocks = 4096;
    kernel.fp32 = 400;
    kernel.fp64 = 1;
    kernel.loads.requests = 2;
    kernel.shared_loads = 8;
    const netgen::SmDevice quadro = netgen::sm_device(netgen::preset_devices().at("QuadroM"));
    const double without = studies::predict_sm(quadro, kernel).value().low_us;
    kernel.stores.requests = 1;
    CHECK(studies::predict_sm(quadro, kernel).value().high_us >= without);

    netgen::KernelProfile half = netgen::streaming_profile();  // one load; DRAM serves half of them
    half.name = "half";
    half.threads = 256;
    half.blocks = 65'536;
    half.fp32 = 5;
    half.loads.requests = 1;
    half.loads.sectors = 16;
    half.loads.dram_share = 0.5;
    const studies::SmPrediction prediction =
        studies::predict_sm(netgen::sm_device(netgen::preset_devices().at("RTX3080")), half).value();
    CHECK(prediction.closed.binding == studies::SmBound::dram);
    CHECK(prediction.us == Approx(prediction.closed.us).epsilon(0.01));
}

TEST_CASE("an access to shared memory of several passes takes longer") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "conflicts";
    kernel.shared_loads = 1000;
    kernel.shared_load_transactions = 3;
    netgen::SmDevice device = gtx950();
    const auto us = [&] { return studies::predict_sm(device, kernel).value().us; };
    const auto form_us = [&] { return studies::sm_closed_form(device, kernel).us; };
    const double net = us(), form = form_us();
    device.conflict_latency = 14;
    const double longer = 1000 * 2 * 14 / device.clock_mhz;
    CHECK(form_us() == Approx(form + longer));
    CHECK(us() == Approx(net + longer).epsilon(0.01));
    device.mechanisms.conflict_latency = false;
    CHECK(us() == net);
}

TEST_CASE("on compute capability 7.x and 8.0 the busier of two pipes limits arithmetic") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "pipes";
    kernel.fp32 = 300;
    kernel.compares = 100;
    kernel.multiplies = 50;
    const auto slots = [&](const char* preset, bool two_pipes = true) {
        netgen::SmDevice device = netgen::sm_device(netgen::preset_devices().at(preset));
        device.mechanisms.two_pipes = two_pipes;
        return netgen::alu_slots(device, kernel);
    };
    CHECK(slots("GTX980") == Approx(300 + 100 * 2 + 50 * 3).epsilon(0.01));  // one pipe
    CHECK(slots("RTX2080Ti") == 350);                                        // FMA: fp32, multiplications
    CHECK(slots("RTX2080Ti", false) == 450);
    CHECK(slots("A100") == 350);
    CHECK(slots("RTX3090") == Approx(300 + 100 * 2 + 50 * 2));
    CHECK(slots("H100SXM") == Approx(slots("H100SXM", false)));
    kernel.fp32_any = 300;  // maybe comparisons
    CHECK(slots("RTX2080Ti") == 225);
    kernel.compares = 400;
    CHECK(slots("RTX2080Ti") == 400);
}

TEST_CASE("wide accesses to shared memory: lanes for addresses, a cycle for each 128 bytes") {
    const auto cycles = [](const char* preset, double passes, bool wide = true) {
        netgen::SmDevice device = netgen::sm_device(netgen::preset_devices().at(preset));
        device.mechanisms.wide_shared = wide;
        return netgen::shared_access_cycles(device, passes);
    };
    CHECK(cycles("RTX3090", 1) == 2);
    CHECK(cycles("RTX3090", 4) == 4);
    CHECK(cycles("RTX3090", 4, false) == 8);
    CHECK(cycles("RTX2080Ti", 4) == 8);  // 64 bytes per cycle
    CHECK(cycles("V100", 4) == 4);
    CHECK(cycles("GTX980", 4) == 4);
}

TEST_CASE("what a block asks for again is in L1, and no wave of blocks fetches a byte twice") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "rows";
    kernel.blocks = 68 * 4 * 10;  // 10 waves
    kernel.threads = 256;
    kernel.fp32 = 1;
    kernel.loads.requests = 100;
    kernel.loads.repeated = 0.75;
    kernel.loads.live_bytes = 8192;
    const netgen::SmDevice turing = netgen::sm_device(netgen::preset_devices().at("RTX2080Ti"));
    netgen::KernelProfile executed = netgen::executed_profile(turing, kernel);
    CHECK(executed.loads.sectors == 1);
    CHECK(executed.loads.l1_share == 0.75);
    CHECK(executed.loads.dram_share == 0.25);
    CHECK(executed.loads.dram_part() == 1);
    // Earlier devices keep no global loads in L1, and L2 does not fetch them again.
    executed = netgen::executed_profile(netgen::sm_device(netgen::preset_devices().at("GTX980")), kernel);
    CHECK(executed.loads.sectors == 4);
    CHECK(executed.loads.dram_share == 0.25);
    kernel.loads.live_bytes = 32768;  // 4 blocks need more than the size of L1
    CHECK(netgen::executed_profile(turing, kernel).loads.sectors == 4);
    netgen::SmDevice device = turing;
    device.mechanisms.sectors_once = false;
    CHECK(netgen::executed_profile(device, kernel).loads.dram_share == 1);
    // 68 * 4 * 10 * 8 warps request 400 sectors each.
    kernel.loads.footprint = 68 * 4 * 8 * 400 * 32 / 5.0;
    kernel.loads.repeated = 0;
    CHECK(netgen::executed_profile(turing, kernel).loads.dram_share == Approx(0.2));
    device.mechanisms.footprint = false;
    CHECK(netgen::executed_profile(device, kernel).loads.dram_share == 1);
}

TEST_CASE("divisions and roots of PTX take the instructions that ptxas makes of them") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "divides";
    kernel.special = 10;
    kernel.integer = 20;
    kernel.routines.add({.fp32 = 5, .integer = -20, .multiplies = 7}, 2);
    netgen::SmDevice device = gtx950();
    const netgen::KernelProfile executed = netgen::executed_profile(device, kernel);
    CHECK(executed.fp32 == 10);
    CHECK(executed.integer == 0);
    CHECK(executed.multiplies == 14);
    CHECK(studies::sm_closed_form(device, kernel).us >
          studies::sm_closed_form(device,
                                  [&] {
                                      netgen::KernelProfile plain = kernel;
                                      plain.routines = {};
                                      plain.integer = 0;
                                      return plain;
                                  }())
              .us);
    device.mechanisms.routines = false;
    CHECK(netgen::executed_profile(device, kernel).fp32 == 0);
    // Counts of ptxas 13.0 hold for the devices that it compiles for.
    kernel.logic = 10;
    kernel.fused.logic = -4;
    CHECK(netgen::executed_profile(device, kernel).logic == 10);
    CHECK(netgen::executed_profile(netgen::sm_device(netgen::preset_devices().at("V100")), kernel).logic ==
          10);
    device = netgen::sm_device(netgen::preset_devices().at("RTX2080Ti"));
    CHECK(netgen::executed_profile(device, kernel).logic == 6);
    CHECK(netgen::executed_profile(device, netgen::executed_profile(device, kernel)).logic == 6);
    device.mechanisms.fused = false;
    CHECK(netgen::executed_profile(device, kernel).logic == 10);
}

TEST_CASE("lines that every block reads are served by the slices of L2 they lie in") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "hot";
    kernel.blocks = 4096;
    kernel.threads = 256;
    kernel.fp32 = 10;
    kernel.loads.requests = 3;
    kernel.loads.dram_share = 0;
    kernel.common_sectors = 4;  // of 12
    netgen::SmDevice device = gtx950();
    const double spread = studies::predict_sm(device, kernel).value().us;
    device.l2_slices = 8;
    // One sector per cycle: 4 sectors, and an eighth of the remaining 8, for each of 32768 warps.
    const double us = 32768 * 5 / device.clock_mhz + device.launch_us;
    REQUIRE(spread < us);
    CHECK(studies::predict_sm(device, kernel).value().us == Approx(us));
    CHECK(studies::sm_closed_form(device, kernel).us == Approx(us));
    CHECK(studies::sm_closed_form(device, kernel).binding == studies::SmBound::l2_slice);
    kernel.common_lines = 100;  // in all slices
    CHECK(studies::predict_sm(device, kernel).value().us == spread);
    kernel.common_lines = 1;
    device.mechanisms.common_lines = false;
    CHECK(studies::predict_sm(device, kernel).value().us == spread);
}

TEST_CASE("atomics on one word take turns, if the device's rate of them is known") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "sum";
    kernel.blocks = 4096;
    kernel.threads = 256;
    kernel.fp32 = 10;
    kernel.stores.requests = 1;
    kernel.stores.dram_share = 0;
    kernel.one_word_atomics = 32;
    netgen::SmDevice device = gtx950();
    const double apart = studies::predict_sm(device, kernel).value().us;
    device.atomic_cycles = 1.5;
    const double us = 4096 * 256 * 1.5 / device.clock_mhz + device.launch_us;
    REQUIRE(apart < us);
    CHECK(studies::predict_sm(device, kernel).value().us == Approx(us));
    CHECK(studies::sm_closed_form(device, kernel).us == Approx(us));
    CHECK(studies::sm_closed_form(device, kernel).binding == studies::SmBound::atomics);
    // Single-precision ones have their own rate.
    kernel.one_word_float_atomics = std::exchange(kernel.one_word_atomics, 0);
    CHECK(studies::one_word_atomics_us(device, kernel) == Approx(4096 * 256 * 1.5 / device.clock_mhz));
    device.float_atomic_cycles = 3.5;
    CHECK(studies::one_word_atomics_us(device, kernel) == Approx(4096 * 256 * 3.5 / device.clock_mhz));
    device.mechanisms.atomics = false;
    CHECK(studies::predict_sm(device, kernel).value().us == apart);
}

TEST_CASE("registers that ptxas spilled are accesses to local memory") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.fp32 = 10;
    kernel.local_accesses = 1;
    kernel.spill_loads = 5;
    kernel.spill_stores = 3;
    netgen::SmDevice device = gtx950();
    const netgen::KernelProfile executed = netgen::executed_profile(device, kernel);
    CHECK(executed.local_accesses == 6);
    CHECK(executed.local_stores == 3);
    CHECK(netgen::executed_profile(device, executed).local_accesses == 6);
    device.mechanisms.spills = false;
    CHECK(netgen::executed_profile(device, kernel).local_accesses == 1);
}

TEST_CASE("one block more than there are SMs costs its own time, not that of a wave") {
    if (testing::sanitized()) return;  // sanitizers take a minute
    netgen::SmDevice device;
    device.name = "V100";
    device.sms = 80;
    device.issue = 1;
    device.clock_mhz = 1380;
    device.dram_gbs = 900;
    device.dram_efficiency = 0.89;
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "loads";
    kernel.threads = 1024;
    kernel.registers = 64;  // one block at a time
    kernel.loads.requests = 2000;
    studies::SmPredictOptions options;
    options.seeds = 1;
    const auto us = [&](std::int64_t blocks) {
        kernel.blocks = blocks;
        return studies::predict_sm(device, kernel, options).value().us;
    };
    const double one = us(1), full = us(80), more = us(81);
    CHECK(one < 0.5 * full);
    CHECK(more == Approx(full + one - device.launch_us).epsilon(0.02));
    kernel.registers = 32;  // two blocks at a time: the total bandwidth suffices for one more
    CHECK(us(81) == Approx(us(80)).epsilon(0.05));
    device.mechanisms.last_wave = false;
    CHECK(us(81) > 1.9 * us(80));
}

TEST_CASE("very short kernels find in L2 what counters show as DRAM traffic") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "short";
    kernel.blocks = 40;
    kernel.threads = 256;
    kernel.integer = 10;
    kernel.loads.requests = 2;
    kernel.dram_bytes = 100'000;
    netgen::SmDevice device = gtx950();
    const double warm = studies::predict_sm(device, kernel).value().us;
    device.mechanisms.warm_caches = false;
    CHECK(warm < studies::predict_sm(device, kernel).value().us);
    device = gtx950();
    kernel.dram_bytes = 0;  // no counters: nothing is known to be wrong
    CHECK(warm < studies::predict_sm(device, kernel).value().us);
}

TEST_CASE("facts that the model cannot know are reported") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "small";
    kernel.threads = 64;
    kernel.fp32 = 10;
    const studies::SmPrediction one = studies::predict_sm(gtx950(), kernel).value();
    CHECK(one.outside.size() == 2);
    CHECK(one.outside[0].starts_with("one block"));
    CHECK(one.closed.binding == studies::SmBound::launch);
    kernel.uneven = true;
    CHECK(studies::predict_sm(gtx950(), kernel).value().outside.size() == 3);
}

TEST_CASE("an interrupt ends a prediction") {
    const std::atomic<bool> flag = true;
    studies::SmPredictOptions options;
    options.interrupt = &flag;
    CHECK_FALSE(studies::predict_sm(gtx950(), typical_kernel(1), options).has_value());
}

#include "netgen/sm/device.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/costs.hpp"
#include "netgen/sm/device_input.hpp"
#include "netgen/sm/presets.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/occupancy_calculator.hpp"

#include <array>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::int64_t blocks_or_none(const netgen::SmLimits& limits, const netgen::BlockShape& block) {
    try {
        return netgen::resident_blocks(limits, block);
    } catch (const InputError&) {
        return 0;
    }
}

const netgen::SmLimits& limits_of(const char* compute_capability) {
    const netgen::SmLimits* limits = netgen::find_limits(compute_capability);
    REQUIRE(limits != nullptr);
    return *limits;
}

}  // namespace

TEST_CASE("residency is that of NVIDIA's occupancy calculator on every preset and compute capability") {
    CounterRandom random(1, 0);
    std::uint64_t pairs = 0, failed = 0;
    const auto check = [&](const std::string& cc, const netgen::SmLimits& limits) {
        CAPTURE(cc);
        for (std::uint64_t i = 0; i < case_count(400); ++i, ++pairs) {
            netgen::BlockShape block;
            block.threads = 1 + static_cast<std::int64_t>(random.below(1024));
            if (random.below(2) == 0) block.threads = 32 * (1 + static_cast<std::int64_t>(random.below(32)));
            if (random.below(4) != 0) block.registers = static_cast<std::int64_t>(random.below(257));
            const std::array<std::uint32_t, 4> ranges = {1, 4096, 49153, 235000};
            block.shared_bytes = static_cast<std::int64_t>(random.below(ranges[random.below(4)]));
            CAPTURE(block.threads, block.registers, block.shared_bytes);
            const int expected =
                active_blocks(cc, static_cast<int>(block.threads), static_cast<int>(block.registers),
                              static_cast<int>(block.shared_bytes));
            REQUIRE(blocks_or_none(limits, block) == expected);
            failed += expected == 0 ? 1 : 0;
        }
    };
    CHECK(netgen::compute_capabilities().size() == device_queries().size());
    for (const netgen::ComputeCapability& one : netgen::compute_capabilities())
        check(std::string(one.name), one.limits);
    for (const netgen::Device& device : netgen::preset_devices().devices)
        check(device.compute_capability, netgen::sm_limits(device));
    CHECK(pairs >= least_count(20'000));
    CHECK(failed >= least_count(2'000));
    CHECK(pairs - failed >= least_count(10'000));
}

TEST_CASE("limits from 7.5 on are those of the CUDA Programming Guide") {
    struct Published {
        const char* cc;
        std::int64_t blocks, warps, shared_kb, block_shared_kb;
    };
    // Tables 30 and 31 of version 13; cuda_occupancy.h of CUDA 13.0 has the units and the partitions.
    for (const Published& row : {Published{"7.5", 16, 32, 64, 64}, Published{"8.0", 32, 64, 164, 163},
                                 Published{"8.6", 16, 48, 100, 99}, Published{"8.7", 16, 48, 164, 163},
                                 Published{"8.9", 24, 48, 100, 99}, Published{"9.0", 32, 64, 228, 227},
                                 Published{"10.0", 32, 64, 228, 227}, Published{"10.3", 32, 64, 228, 227},
                                 Published{"11.0", 24, 48, 228, 227}, Published{"12.0", 24, 48, 100, 99},
                                 Published{"12.1", 24, 48, 100, 99}}) {
        CAPTURE(row.cc);
        const bool reserved = row.shared_kb > row.block_shared_kb;
        CHECK(limits_of(row.cc) == netgen::SmLimits{.warps = row.warps,
                                                    .blocks = row.blocks,
                                                    .registers = 65536,
                                                    .shared_bytes = row.shared_kb * 1024,
                                                    .block_registers = 65536,
                                                    .thread_registers = 255,
                                                    .block_shared_bytes = row.block_shared_kb * 1024,
                                                    .partitions = 4,
                                                    .register_unit = 256,
                                                    .warp_unit = 4,
                                                    .shared_unit = reserved ? 128 : 256,
                                                    .reserved_shared_bytes = reserved ? 1024 : 0});
    }
    CHECK(netgen::compute_capabilities().back().name == "12.1");
}

TEST_CASE("published residencies") {
    // kokkos#5739: a quarter of the registers holds 5 warps of 96 registers, an SM 20, and 2 blocks of 7.
    CHECK(netgen::resident_blocks(limits_of("8.0"), {224, 92, 0}) == 2);
    // The driver reserves 1 KiB per block.
    CHECK(netgen::resident_blocks(limits_of("8.0"), {128, 0, 41984}) == 3);
    CHECK(netgen::resident_blocks(limits_of("7.0"), {128, 0, 32768}) == 3);
    // All of it for one block, with the opt-in attribute: 163, 99 and 227 KiB.
    CHECK(netgen::resident_blocks(limits_of("8.0"), {128, 0, 163 * 1024}) == 1);
    CHECK(netgen::resident_blocks(limits_of("8.9"), {128, 0, 99 * 1024}) == 1);
    CHECK(netgen::resident_blocks(limits_of("9.0"), {128, 0, 227 * 1024}) == 1);
    // The K80 has twice the registers.
    CHECK(netgen::resident_blocks(limits_of("3.7"), {256, 64, 0}) == 8);
    CHECK(netgen::resident_blocks(limits_of("3.5"), {256, 64, 0}) == 4);
    // Fermi: 21 registers count as 24 (128 per unit), 20 as 20.
    CHECK(netgen::resident_blocks(limits_of("2.0"), {192, 20, 0}) == 8);
    CHECK(netgen::resident_blocks(limits_of("2.0"), {192, 21, 0}) == 7);
}

TEST_CASE("a launch that fails names the limit") {
    const auto error = [](const char* cc, const netgen::BlockShape& block) {
        return input_error_of([&] { netgen::resident_blocks(limits_of(cc), block); });
    };
    CHECK(error("8.0", {1025, 0, 0}) ==
          "the launch fails: a block has 1025 threads, and 1 to 1024 are possible");
    CHECK(error("8.0", {0, 0, 0}) == "the launch fails: a block has 0 threads, and 1 to 1024 are possible");
    CHECK(error("8.0", {800, 80, 0}) ==
          "the launch fails: a block of 25 warps counts as 28 warps of 2560 registers, 71680 in all, and "
          "65536 is the limit of a block");
    CHECK(error("3.0", {32, 64, 0}) ==
          "the launch fails: a thread has 64 registers, and 63 is the limit of the device");
    CHECK(error("6.2", {1024, 33, 0}) ==
          "the launch fails: a block of 32 warps counts as 32 warps of 1280 registers, 40960 in all, and "
          "32768 is the limit of a block");
    CHECK(error("8.6", {32, 0, 101377}) ==
          "the launch fails: a block has 101377 bytes of shared memory, and 101376 is the limit of a block");
    netgen::SmLimits narrow;
    narrow.warps = 16;
    CHECK(input_error_of([&] {
              netgen::resident_blocks(narrow, {1024, 0, 0});
          }) == "the launch fails: a block has 32 warps, and an SM of the device 16");
    narrow.blocks = 0;  // of a table of one's own, rounded
    CHECK(input_error_of([&] {
              netgen::resident_blocks(narrow, {32, 0, 0});
          }) == "the launch fails: an SM of the device holds no block");
}

TEST_CASE("every fact of a device has an effect") {
    const netgen::DeviceInput preset{.name = "A100", .file = ""};
    const netgen::SmDevice before = preset.sm();
    for (const netgen::DeviceColumn& column : netgen::device_columns()) {
        INFO(column.name);
        const auto changed = [&](double factor) {
            netgen::DeviceInput input = preset;
            const double value = preset.device().find(column.name).value_or(1) * factor;
            input.changes.emplace_back(column.name, column.name == "dram_efficiency" ? value / 8 : value);
            return input.sm() != before;
        };
        CHECK((changed(2) || changed(0.5)));
    }
    netgen::DeviceInput fewer = preset, more = preset;
    fewer.changes.emplace_back("max_threads", 512);
    CHECK(netgen::resident_blocks(fewer.sm().limits, {256, 0, 0}) == 2);
    more.changes.emplace_back("max_warps", 80);
    CHECK(netgen::resident_blocks(more.sm().limits, {256, 0, 0}) == 10);
}

TEST_CASE("what holds on compute capability 9.0 alone, by hand") {
    netgen::SmDevice h100 = netgen::DeviceInput{.name = "H100SXM", .file = ""}.sm();
    netgen::SmDevice a100 = netgen::DeviceInput{.name = "A100", .file = ""}.sm();
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.fp32 = 10;
    kernel.logic = 30;
    kernel.compares = 8;
    kernel.multiplies = 18;
    CHECK(netgen::alu_slots(h100, kernel) == Approx(66 / 1.5));  // the whole pipe, on 192 lanes
    kernel.multiplies = 40;
    CHECK(netgen::alu_slots(h100, kernel) == 80);  // half of the FMA lanes multiply
    kernel.alu_pipe = 45;
    kernel.fma_pipe = 60;
    kernel.fma_heavy_pipe = 20;
    CHECK(netgen::alu_slots(h100, kernel) == 90);
    kernel.fma_pipe = 95;
    CHECK(netgen::alu_slots(h100, kernel) == 95);
    CHECK(netgen::alu_slots(a100, kernel) < 90);  // knows nothing of such counters
    h100.mechanisms.fma_halves = false;
    CHECK(netgen::alu_slots(h100, kernel) == netgen::integer_slots(h100, kernel) + 10);

    netgen::MemoryRequests requests = {.requests = 1, .transactions = 8, .sectors = 8, .passes = 5};
    CHECK(netgen::request_cycles(h100, requests) == 5);
    CHECK(netgen::load_path_cycles(h100, requests) == 0);
    CHECK(netgen::request_cycles(a100, requests) == 1);
    CHECK(netgen::load_path_cycles(a100, requests) == 4);
    requests.passes = 0;
    CHECK(netgen::request_cycles(h100, requests) == 1);
    CHECK(netgen::load_path_cycles(h100, requests) == 4);

    kernel.stores = {.requests = 3, .sectors = 4};
    kernel.atomic_sectors = 7;
    CHECK(netgen::l2_store_sectors(h100, kernel) == Approx(3 * 4 * 2.03 + 7));
    CHECK(netgen::l2_store_sectors(a100, kernel) == 19);
    kernel.stores.sectors = 32;
    CHECK(netgen::dram_scatter_factor(h100, kernel, kernel.stores) == 2);
    kernel.dram_bytes = 1;
    CHECK(netgen::dram_scatter_factor(h100, kernel, kernel.stores) == 1);
    CHECK(netgen::dram_scatter_factor(a100, kernel, kernel.stores) == 2);

    CHECK(netgen::launch_us(h100) == Approx(h100.launch_us + 2 * 276 / 1980.0));
    CHECK(netgen::launch_us(a100) == a100.launch_us);
    h100.mechanisms.cold_start = false;
    CHECK(netgen::launch_us(h100) == h100.launch_us);
}

TEST_CASE("a load that L1 serves while another warp fetches it takes as long as that") {
    netgen::SmDevice device = netgen::DeviceInput{.name = "A100", .file = ""}.sm();
    device.l1_latency = 30;
    device.l2_latency = 200;
    device.dram_latency = 500;
    netgen::KernelProfile kernel;
    kernel.loads = {.requests = 1, .l1_share = 0.75, .dram_share = 0.05};
    const double hits = 0.75 * 30 + 0.05 * 500 + 0.2 * 200;
    CHECK(netgen::mean_load_latency(device, kernel) == Approx(hits));  // nothing is known about them
    kernel.loads.again = 0.5;  // a fifth of the other half waits for DRAM, like the misses
    CHECK(netgen::mean_load_latency(device, kernel) == Approx(0.5 * 30 + 0.1 * 500 + 0.4 * 200));
    kernel.loads.again = 0.9;
    CHECK(netgen::mean_load_latency(device, kernel) == Approx(hits));
    kernel.loads.again = 0.5;
    device.mechanisms.pending_hits = false;
    CHECK(netgen::mean_load_latency(device, kernel) == Approx(hits));
}

TEST_CASE("counters take from the code what they do not have") {
    netgen::KernelProfile counted = netgen::streaming_profile(), code = counted;
    counted.fp32 = 50;
    counted.integer = 30;
    counted.other = 6;
    code.fp32 = 5;
    code.logic = 2;
    code.multiplies = 1;
    code.barriers = 2;
    code.waiting = {.alu = 0.5, .loads = 0.25, .known = true};
    code.loads.again = 0.5;
    code.one_word_float_atomics = 32;
    const netgen::KernelProfile both = netgen::with_code(counted, code);
    CHECK(both.fp32 == 50);
    CHECK(both.integer == 0);
    CHECK(both.logic == 20);
    CHECK(both.multiplies == 10);
    CHECK(both.barriers == 2);
    CHECK(both.other == 4);
    CHECK(both.instructions() == counted.instructions());
    CHECK(both.waiting == code.waiting);
    CHECK(both.loads.again == 0.5);
    CHECK(both.one_word_float_atomics == 32);
    counted.barriers = 1;
    CHECK(netgen::with_code(counted, code).barriers == 1);
}

TEST_CASE("limits that a device does not give are those of its compute capability") {
    const auto read = [](const std::string& row) {
        return netgen::read_devices("device\tcc\tmax_blocks\tmax_warps\tregisters\tshared_kb\n" + row + "\n",
                                    "mine.tsv");
    };
    const netgen::Device device = read("A\t8.6\t-\t-\t-\t-").devices.front();
    CHECK(netgen::sm_limits(device) == limits_of("8.6"));
    CHECK(device.facts.at("max_threads") == netgen::DeviceFact{1536, "cc", true});
    CHECK(netgen::sm_limits(read("A\t8.6\t8@me\t-\t-\t-").devices.front()).blocks == 8);
    CHECK(netgen::sm_limits(read("A\t8.6\t-\t64\t-\t-").devices.front()).warps == 64);
    const netgen::Device own = read("A\t-\t8\t32\t32768\t64").devices.front();
    CHECK(own.compute_capability.empty());
    CHECK(netgen::sm_limits(own).block_shared_bytes == 65536);
    CHECK(netgen::sm_limits(own).block_registers == 32768);
    CHECK(input_error_of([&] {
              read("A\t9.9\t-\t-\t-\t-");
          }).starts_with("mine.tsv:2: cc: expected 2.0, 2.1, 3.0,"));
}

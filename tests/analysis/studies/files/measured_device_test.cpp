#include "analysis/studies/files/measured_device.hpp"

#include "engine/net/error.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

const std::string driver =
    "fact,value,unit\nname,\"NVIDIA H100 small\",\ncompute_capability,9.0,\nsms,100,\n"
    "memory_clock_max,1000,MHz\nmemory_bus_width,4000,bit\nwarps_per_sm,64,\nblocks_per_sm,32,\n"
    "threads_per_sm,2048,\nregisters_per_sm,65536,\nshared_memory_per_sm,233472,bytes\ndate,2026-01-02,\n"
    "nvidia-smi,\"NVIDIA H100 small, 1.2.3, 345 MHz\",\n";

const std::string measured =
    "name,value,unit,how,spread\n"
    "scheduler_warp_0,1.1,cycles,,0\nscheduler_warps_0_1,1.1,,,0\nscheduler_warps_0_2,2.1,,,0\n"
    "scheduler_warps_0_3,1.1,,,0\nscheduler_warps_0_4,2.1,,,0\n"
    "one_warp_ffma,0.93,,,0\nthroughput_ffma,125.9,,,0\nthroughput_logic,63.8,,,0\n"
    "throughput_convert_f32_u32,15.99,,,0\nthroughput_convert_u32_f32,63.6,,,0\n"
    "throughput_convert_u64_f64,14.2205,,,0\n"
    "throughput_shared_load_32,126.3,,,0\nlatency_shared_1_way,29,,,0\nlatency_shared_32_way,91,,,0\n"
    "latency_global_past_l1_4096_KiB,269.5,,,0\nlatency_global_past_l1_65536_KiB,483.4,,,0\n"
    "latency_global_past_l1_262144_KiB,626.44,,,0\n"
    "atomic_global_all_sms_0_apart,38400,cycles,,0\nreduction_global_f32_1_words_1_apart,3.5,cycles/"
    "thread,,0\n"
    "store_32_1_apart,8,cycles/warp instruction,,0\nl2_load_32_1_apart,4,cycles/warp instruction,,0\n"
    "bandwidth_dram_read,900,GB/s,,0\nthroughput_l2_all_sms,48,,,0\nlaunch_back_to_back,2.75,us,,0\n"
    "empty_kernel_64_blocks_per_sm_256_threads,7,us,,0\nempty_kernel_512_blocks_per_sm_256_threads,51.8,us,,"
    "0\nclock_under_load,1500,MHz,,0\n";

studies::MeasuredDevice read(const std::string& device, const std::string& microbenchmarks) {
    return studies::read_measured_device({device, "device.csv"}, {microbenchmarks, "microbenchmarks.csv"});
}

}  // namespace

TEST_CASE("a measured value in another unit than that of its row is refused") {
    std::string kilo = measured;
    kilo.replace(kilo.find("2.75,us"), 7, "2.75,ms");
    CHECK(testing::input_error_of([&] { read(driver, kilo); }) ==
          "microbenchmarks.csv:25: launch_back_to_back: expected the unit 'us', found 'ms'");
}

TEST_CASE("a measured device has the facts of its rows") {
    const studies::MeasuredDevice made = read(driver, measured);
    CHECK(made.device.name == "NVIDIA H100 small");
    CHECK(made.device.compute_capability == "9.0");
    CHECK(made.device.architecture == "Hopper");
    for (const auto& [column, value] :
         {std::pair("sms", 100.0),          std::pair("schedulers", 2.0),
          std::pair("issue", 1.0),          std::pair("fp32", 128.0),
          std::pair("int32", 64.0),         std::pair("integer_cost", 2.0),
          std::pair("convert", 16.0),       std::pair("convert64", 14.22),
          std::pair("ldst", 32.0),          std::pair("lat_conflict", 2.0),
          std::pair("lat_l2", 269.5),       std::pair("lat_dram", 626.4),
          std::pair("dram_gbs", 1000.0),    std::pair("dram_efficiency", 0.9),
          std::pair("l2_sectors", 1.5),     std::pair("launch_us", 2.75),
          std::pair("block_launch", 150.0), std::pair("clock_mhz", 1500.0),
          std::pair("registers", 65536.0),  std::pair("shared_kb", 228.0),
          std::pair("atomic_cycles", 1.5),  std::pair("float_atomic_cycles", 3.5),
          std::pair("store_cost", 2.0)}) {
        INFO(column);
        CHECK(made.device.at(column) == Approx(value).epsilon(1e-12));
    }
    CHECK(made.sources.at("MEASURED") == "collect.sh, NVIDIA H100 small, driver 1.2.3, 2026-01-02");
    CHECK(made.device.facts.at("lat_dram").source == "MEASURED/TLB");
    CHECK(made.sources.at("TLB") == "with misses of the TLB: a pointer chase through 262144 KiB");
    CHECK(made.ignored.empty());
    // The row can be read back.
    const netgen::DeviceTable table =
        netgen::read_devices(netgen::write_device_table(made.device, made.sources), "row");
    CHECK(table.devices.front() == made.device);
}

TEST_CASE("the launch of a measured device is that of a profiler, and events add the rest") {
    CHECK_FALSE(read(driver, measured).device.find("event_us"));
    const studies::MeasuredDevice made =
        read(driver, measured + "launch_alone,5.5,us,,0\nlaunch_profiled,1.25,us,,0\n");
    CHECK(made.device.at("launch_us") == 1.25);
    CHECK(made.device.at("event_us") == 4.25);
    CHECK(made.ignored.empty());
}

TEST_CASE("a row that is missing leaves its fact out") {
    const studies::MeasuredDevice made = read(driver, measured);
    CHECK_FALSE(made.device.find("lat_l1"));
    CHECK_FALSE(made.device.find("fp64"));
    CHECK(made.missing == std::vector<std::string>{
                              "fp64: no row throughput_dfma", "special: no row throughput_ex2",
                              "compare: no row throughput_compare_select",
                              "shift: no row throughput_funnel_shift", "multiply: no row throughput_imad",
                              "lat_alu: no row latency_ffma", "lat_fp64: no row latency_dfma",
                              "lat_l1: no row latency_global_through_l1_16_KiB"});
    CHECK(read("fact,value\nname,X\ncompute_capability,99.0\n", "").device.compute_capability.empty());
    CHECK_FALSE(read("fact,value\nname,X\n", "").missing.empty());
}

TEST_CASE("files of a measured device are checked") {
    CHECK(read("fact,value,mood\nname,X,good\n", measured).ignored == std::vector<std::string>{"mood"});
    CHECK_THROWS_WITH(read("fact,number\nname,X\n", measured),
                      "device.csv:1: expected the columns fact and value, found fact, number");
    CHECK_THROWS_WITH(read("fact,value\nsms,3\nsms,4\n", measured), "device.csv:3: row 'sms' appears twice");
    CHECK_THROWS_AS(read("fact,value\nsms,many\n", measured), InputError);
}

TEST_CASE("differences to a preset name both values") {
    const netgen::Device* preset = netgen::preset_devices().nearest(read(driver, measured).device);
    REQUIRE(preset != nullptr);
    CHECK(preset->name == "H100PCIe");  // the preset with 114 SMs is nearer to 100 than the preset with 132
    netgen::Device device = *preset;
    device.facts["lat_l1"].value += 1;
    device.facts.erase("lat_l2");
    const auto differences = studies::device_differences(device, *preset);
    REQUIRE(differences.size() == 2);
    CHECK(differences[0].column == "lat_l1");
    CHECK(*differences[0].measured == *differences[0].preset + 1);
    CHECK(differences[1].column == "lat_l2");
    CHECK_FALSE(differences[1].measured);
    device.name = "Nothing alike";
    CHECK(netgen::preset_devices().nearest(device) == nullptr);
}

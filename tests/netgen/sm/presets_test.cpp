#include "netgen/sm/presets.hpp"

#include "netgen/kernel/kernel.hpp"
#include "tests/support/bad_input.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string error_of(std::string_view text) {
    return input_error_of([&] { netgen::read_devices(text, "mine.tsv"); });
}

}  // namespace

TEST_CASE("every preset reads, and every fact of it has a source that the table explains") {
    const netgen::DeviceTable& table = netgen::preset_devices();
    CHECK(table.devices.size() >= 19);
    for (const netgen::Device& device : table.devices) {
        CHECK_FALSE(device.architecture.empty());
        for (const auto& [column, fact] : device.facts) {
            INFO(device.name << " " << column);
            REQUIRE_FALSE(fact.source.empty());
            for (std::size_t begin = 0; begin < fact.source.size();) {
                const std::size_t end = std::min(fact.source.find('/', begin), fact.source.size());
                CHECK(table.sources.count(fact.source.substr(begin, end - begin)) == 1);
                begin = end + 1;
            }
        }
    }
}

TEST_CASE("the GTX 950 has the constants of its measurements") {
    const netgen::SmDevice device = netgen::sm_device(netgen::preset_devices().at("gtx950"));
    CHECK(device.name == "GTX950");
    CHECK(device.sms == 6);
    CHECK(device.schedulers == 4);
    CHECK(device.clock_mhz == 1188);
    CHECK(device.limits.shared_bytes == 96 * 1024);
    CHECK(device.l2_latency == 225);
    CHECK(device.dram_latency == 379);
    CHECK(device.dram_gbs == Approx(105.8));
    CHECK(device.dram_efficiency == Approx(0.89));
    CHECK(device.launch_us == Approx(1.4));
    CHECK(device.block_launch == 25);
    CHECK(device.integer_cost == 2);
    CHECK_FALSE(netgen::preset_devices().at("GTX950").facts.at("lat_l2").verified);  // of a Quadro
}

TEST_CASE("the Jetson TX2, the V100 and the H200 have all that the family sm needs") {
    for (const char* name : {"JetsonTX2", "V100", "H200", "A100", "H100SXM", "P100", "TitanV"})
        CHECK_NOTHROW(netgen::sm_device(netgen::preset_devices().at(name)));
    for (const char* name : {"RTX 3090",
                             "rtx4090",
                             "A10",
                             "L4",
                             "L40",
                             "Tesla T4",
                             "NVIDIA A100 80GB",
                             "H100PCIe",
                             "B200",
                             "Jetson Orin",
                             "Jetson Xavier",
                             "RTX A4000",
                             "RTX A6000",
                             "GeForce RTX 4070",
                             "RTX 5070",
                             "RTX 5090",
                             "GTX 1650",
                             "T1000",
                             "Jetson AGX Orin 32GB",
                             "Jetson Orin NX 16GB",
                             "Jetson Orin NX 8GB",
                             "Jetson Orin Nano 8GB",
                             "Jetson Orin Nano 4GB"})
        CHECK_NOTHROW(netgen::sm_device(netgen::preset_devices().at(name)));
    CHECK_THROWS_WITH(
        netgen::sm_device(netgen::preset_devices().at("GTX480")),
        Catch::StartsWith("device GTX480: unknown facts: lat_l2; give it by --set lat_l2=VALUE"));
    for (const char* name : {"rtx 2080 ti", "NVIDIA GeForce RTX 2080 Ti", "rtx-2080-Ti"})
        CHECK(netgen::preset_devices().at(name).name == "RTX2080Ti");
    CHECK(netgen::preset_devices().at("Tesla P100").name == "P100");
    CHECK_THROWS_WITH(netgen::preset_devices().at("H100"),
                      Catch::EndsWith("did you mean H100PCIe or H100SXM?"));
    CHECK_THROWS_WITH(netgen::preset_devices().at("Tesla V100-SXM2-16GB"),
                      Catch::EndsWith("did you mean V100?"));
    CHECK_THROWS_WITH(netgen::preset_devices().at("NVIDIA A100-SXM4-80GB"),
                      Catch::EndsWith("did you mean A100 or A100-80GB?"));
    CHECK_THROWS_WITH(netgen::preset_devices().at("Jetson AGX Orin"),
                      Catch::EndsWith("did you mean JetsonOrin or JetsonAGXOrin32GB?"));
    CHECK_THROWS_WITH(netgen::preset_devices().at("TX2"), Catch::EndsWith("did you mean JetsonTX2?"));
    CHECK_THROWS_WITH(netgen::preset_devices().at(""), Catch::EndsWith("found ''"));
    for (const auto& [name, nearest] :
         {std::pair("RTX 4080", "RTX4090 or RTX4070"),
          std::pair("NVIDIA GeForce RTX 5060", "RTX5070 or RTX5090"), std::pair("GTX 1660", "GTX1650"),
          std::pair("NVIDIA RTX A5000", "RTXA4000 or RTXA6000"), std::pair("A5000", "RTXA4000 or RTXA6000"),
          std::pair("RTX 5070 Ti", "RTX5070"), std::pair("GTX 960", "GTX950 or GTX970 or GTX980")}) {
        INFO(name);
        CHECK_THROWS_WITH(netgen::preset_devices().at(name),
                          Catch::EndsWith("; did you mean " + std::string(nearest) + "?"));
    }
    CHECK_THROWS_WITH(netgen::preset_devices().at("banana"), Catch::EndsWith("found 'banana'"));
    CHECK_THROWS_WITH(netgen::preset_devices().at("GTX9000"), Catch::Contains("GTX950"));
}

TEST_CASE("units of an instruction string come from the lanes") {
    const auto units = netgen::units_per_warp(netgen::preset_devices().at("GTX950"));
    CHECK(units.at('C') == "4");
    CHECK(units.at('L') == "1");
    CHECK(units.at('S') == "1");
    CHECK(units.at('D') == "1/8");
    for (const auto& [letter, text] : units) CHECK_NOTHROW(netgen::parse_units_per_warp(text));
}

TEST_CASE("since compute capability 5.0 a scheduler has units of its own, unless there are too few") {
    const auto of = [](const char* name) {
        return netgen::units_per_scheduler(netgen::preset_devices().at(name));
    };
    CHECK(of("K40m").empty());
    CHECK(of("GTX950") == std::map<char, std::string>{{'C', "1"}, {'S', "1/4"}, {'D', "1/32"}});
    CHECK(of("V100") == std::map<char, std::string>{{'C', "1/2"}, {'S', "1/8"}, {'D', "1/4"}});
    CHECK(of("T4") == std::map<char, std::string>{{'C', "1/2"}, {'S', "1/8"}});
    CHECK(netgen::dispatch_units(netgen::preset_devices().at("GTX950")) == 2);
    CHECK(netgen::dispatch_units(netgen::preset_devices().at("V100")) == 1);
}

TEST_CASE("a table of one's own") {
    const netgen::DeviceTable table = netgen::read_devices(
        "# mine\r\n#source M = my bench\ndevice\tclock_mhz\tsms\nA\t1500@M?\t-\nB\t900\t4@M\n", "mine.tsv");
    REQUIRE(table.devices.size() == 2);
    CHECK(table.devices[0].facts.at("clock_mhz") == netgen::DeviceFact{1500, "M", false});
    CHECK(table.devices[0].find("sms") == std::nullopt);
    CHECK(table.devices[1].at("sms") == 4);
    CHECK(table.sources.at("M") == "my bench");
    CHECK_THROWS_WITH(table.devices[0].at("sms"), Catch::Contains("device A") && Catch::Contains("'sms'"));
}

TEST_CASE("all facts that are missing are named in one message") {
    netgen::Device device = netgen::preset_devices().at("GTX950");
    CHECK(netgen::missing_facts(device).empty());
    for (const char* fact : {"lat_shared", "sms", "l2_slices", "lat_fp64"}) device.facts.erase(fact);
    CHECK(netgen::missing_facts(device) == std::vector<std::string_view>{"sms", "lat_shared"});
    CHECK_THROWS_WITH(netgen::sm_device(device),
                      Catch::Contains("unknown facts: sms, lat_shared; give them by --set "
                                      "sms=VALUE,lat_shared=VALUE, or"));
    // A fact that is marked as unnecessary is really unnecessary.
    for (const netgen::DeviceColumn& column : netgen::device_columns()) {
        netgen::Device without = netgen::preset_devices().at("GTX950");
        without.facts.erase(std::string(column.name));
        INFO(column.name);
        CHECK(netgen::missing_facts(without).size() == (column.needed ? 1 : 0));
        if (!column.needed) CHECK_NOTHROW(netgen::sm_device(without));
    }
}

TEST_CASE("a device that is written as a table reads back to the same facts and sources") {
    for (const netgen::Device& device : netgen::preset_devices().devices) {
        const std::string text = netgen::write_device_table(device, netgen::preset_devices().sources);
        const netgen::DeviceTable table = netgen::read_devices(text, device.name);
        REQUIRE(table.devices.size() == 1);
        CHECK(table.devices.front() == device);
        for (const auto& [key, meaning] : table.sources)
            CHECK(netgen::preset_devices().sources.at(key) == meaning);
        for (const auto& [column, fact] : device.facts)
            CHECK(table.sources.count(fact.source.substr(0, fact.source.find('/'))) == 1);
    }
}

TEST_CASE("a malformed table is refused with its line") {
    CHECK(error_of("") == "mine.tsv:1: expected a row of column names that begins with 'device', found none");
    CHECK(error_of("device\tsms\n") ==
          "mine.tsv:2: expected a row for each device, found column names alone");
    CHECK(error_of("device,sms\nA,3\n") ==
          "mine.tsv:1: expected column names with tabs between them, found 'device,sms'");
    CHECK(error_of("device\tspeed\n").starts_with("mine.tsv:1: there is no column 'speed'"));
    CHECK(error_of("device\tsms\tsms\n").starts_with("mine.tsv:1: column 'sms' appears twice"));
    CHECK(error_of("sms\tdevice\n").starts_with("mine.tsv:1: expected 'device' first"));
    CHECK(error_of("device\tsms\nA\n").starts_with("mine.tsv:2: expected 2 columns"));
    CHECK(error_of("device\tsms\nA\tfive\n").starts_with("mine.tsv:2: sms: expected a number above 0"));
    CHECK(error_of("device\tsms\nA\t-3\n").starts_with("mine.tsv:2: sms: expected a number above 0"));
    CHECK(error_of("device\tsms\nA\tinf\n").starts_with("mine.tsv:2: sms: expected a number above 0"));
    CHECK(error_of("device\tsms\nA\t108.5\n") == "mine.tsv:2: sms: expected a whole number, found 108.5");
    CHECK(error_of("device\tdram_efficiency\nA\t89\n") ==
          "mine.tsv:2: dram_efficiency: expected a share above 0 and up to 1, found 89");
    CHECK(error_of("device\tclock_mhz\nA\t1410000\n") ==
          "mine.tsv:2: clock_mhz: expected a number above 0 and up to 100000, found 1410000");
    CHECK(error_of("device\tsms\nA\t?\n").starts_with("mine.tsv:2: sms: expected a number above 0"));
    CHECK(error_of("device\tsms\nA\t3\na\t4\n") == "mine.tsv:3: device 'a' appears twice");
    CHECK(error_of("#source X\ndevice\n").starts_with("mine.tsv:1: expected '#source KEY = MEANING'"));
}

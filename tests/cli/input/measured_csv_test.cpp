#include "cli/input/measured_csv.hpp"

#include "engine/net/error.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using cli::MeasuredFormat;
using cli::read_measured_csv;

namespace {

std::string error_of(std::string_view text) {
    try {
        read_measured_csv(text, "m.csv");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a plain table: counts of a warp, cycles or microseconds") {
    const auto table =
        read_measured_csv("kernel,warps,arith,shared,global,note,cycles\nk<1>,8,414,0,129,x,5400\n", "m.csv");
    CHECK(table.format == MeasuredFormat::plain);
    CHECK(table.unit == "cycles");
    CHECK(table.ignored == std::vector<std::string>{"note"});
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].function == "k");
    CHECK(table.measurements[0].warps == 8);
    CHECK(table.measurements[0].counts == WarpCounts{414, 0, 129});
    CHECK(table.measurements[0].measured == 5400);
    CHECK_FALSE(table.measurements[0].profile);
}

TEST_CASE("a plain table with a launch shape serves all families") {
    const auto table = read_measured_csv(
        "kernel,blocks,threads,fp32,loads,load_sectors,global,time_us\nk,96,256,40,,16,3,12.5\n", "m.csv");
    const KernelProfile& kernel = table.measurements[0].profile.value();
    CHECK(kernel.blocks == 96);
    CHECK(kernel.threads == 256);
    CHECK(kernel.fp32 == 40);
    CHECK(kernel.loads.requests == 3);  // 'loads' is empty: what 'global' says
    CHECK(kernel.loads.sectors == 16);
    CHECK(kernel.stores.sectors == 4);
    CHECK(table.measurements[0].measured == 12.5);
}

TEST_CASE("launches of nvprof with one shape are one measurement, the median") {
    const std::string head = "kernel,grid,block,inst_executed,dur_med_us,launches\n";
    const auto table = read_measured_csv(
        head + "k,10x1x1,64x1x1,2000,5,3\nk,20x1x1,32x1x1,2000,8,1\nk,10x1x1,64x1x1,2000,7,2\n", "m.csv");
    CHECK(table.format == MeasuredFormat::nvprof);
    REQUIRE(table.measurements.size() == 2);
    CHECK(table.measurements[0].measured == 6);
    CHECK(table.measurements[0].launches == 5);
    CHECK(table.measurements[0].kernel == "k 10x1x1 64x1x1");
    CHECK(table.measurements[0].profile->instructions() == Approx(100));
}

TEST_CASE("Nsight Compute, one metric a row") {
    const std::string text =
        "==PROF== Connected to process 1\n"
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Unit\",\"Metric "
        "Value\"\n"
        "\"0\",\"k(int, int)\",\"(64, 1, 1)\",\"(10, 1, "
        "1)\",\"gpu__time_duration.sum\",\"nsecond\",\"5,000\"\n"
        "\"0\",\"k(int, int)\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"smsp__inst_executed.sum\",\"inst\",\"2,000\"\n"
        "\"1\",\"k(int, int)\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"gpu__time_duration.sum\",\"usecond\",\"7\"\n"
        "\"1\",\"k(int, int)\",\"(64, 1, 1)\",\"(10, 1, "
        "1)\",\"smsp__inst_executed.sum\",\"inst\",\"9,999\"\n";
    const auto table = read_measured_csv(text, "m.csv");
    CHECK(table.format == MeasuredFormat::nsight);
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].measured == 6);
    CHECK(table.measurements[0].launches == 2);
    CHECK(table.measurements[0].function == "k");
    CHECK(table.measurements[0].profile->instructions() == Approx(100));  // of the first launch
}

TEST_CASE("Nsight Compute, one launch a row with a row of units") {
    const auto table = read_measured_csv(
        "\"ID\",\"Kernel Name\",\"Grid Size\",\"Block "
        "Size\",\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\"\n"
        "\"\",\"\",\"\",\"\",\"msecond\",\"inst\"\n"
        "\"0\",\"k\",\"(10, 1, 1)\",\"(64, 1, 1)\",\"0.5\",\"2000\"\n",
        "m.csv");
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].measured == 500);
    CHECK(table.measurements[0].profile->instructions() == Approx(100));
}

TEST_CASE("malformed tables are refused with file and line") {
    CHECK(error_of("") == "m.csv: expected a table of measurements, found nothing");
    CHECK(error_of("kernel,arith,time_us\n") ==
          "m.csv: expected at least one row of measurements, found none");
    CHECK(error_of("kernel,arith\nk,1\n") == "m.csv:1: expected one column 'time_us' or 'cycles'");
    CHECK(error_of("kernel,arith,time_us,cycles\nk,1,1,1\n") ==
          "m.csv:1: expected one column 'time_us' or 'cycles'");
    CHECK(
        error_of("kernel,time_us\nk,1\n").starts_with("m.csv:1: expected the columns arith, shared, global"));
    CHECK(error_of("kernel,arith,time_us\nk,1\n") ==
          "m.csv:2: expected 3 fields as in the head of the table, found 2");
    CHECK(error_of("kernel,arith,time_us\nk,many,1\n") == "m.csv:2: arith: expected a number, found 'many'");
    CHECK(error_of("kernel,arith,time_us\nk,-4,1\n") == "m.csv:2: arith: expected a count, found -4");
    CHECK(error_of("kernel,arith,time_us\nk,1,0\n") == "m.csv:2: expected a measured time above 0");
    CHECK(error_of("kernel,blocks,threads,fp32,time_us\nk,1,4096,1,1\n")
              .starts_with("m.csv:2: k: threads of a block"));
    CHECK(error_of("kernel,grid,block,inst_executed\nk,1,1,1\n") ==
          "m.csv:1: expected a column 'dur_med_us' or 'time_us'");
    CHECK(error_of("kernel,grid,block,inst_executed,dur_med_us\nk,1,1,1,\n") ==
          "m.csv:2: expected a time in 'dur_med_us', found none");
    CHECK(error_of("kernel,grid,block,inst_executed,dur_med_us\nk,,1,1,5\n") ==
          "m.csv:2: expected a 'grid', found none");
    CHECK(error_of("Kernel Name,Metric Name\nk,m\n")
              .starts_with("m.csv:1: expected the columns Kernel Name, Grid Size"));
    CHECK(error_of("Kernel Name,Grid Size,Block Size,gpu__time_duration.sum\n,,,furlong\nk,1,1,2\n") ==
          "m.csv:3: expected a unit of time, found 'furlong'");
}

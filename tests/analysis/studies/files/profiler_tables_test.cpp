// Unusual forms of the output of profilers, each with its right value, and constructs that no reader knows,
// which must never be dropped silently.
#include "analysis/studies/files/read_measurements.hpp"
#include "engine/base/random.hpp"
#include "netgen/sm/kernel_metrics.hpp"
#include "netgen/sm/nsight_metrics.hpp"
#include "netgen/sm/presets.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string quoted(const std::vector<std::string>& fields) {
    return fmt::format("\"{}\"\n", fmt::join(fields, "\",\""));
}

const std::vector<std::string> ncu_head = {"ID",          "Kernel Name", "Block Size",   "Grid Size",
                                           "Device",      "CC",          "Section Name", "Metric Name",
                                           "Metric Unit", "Metric Value"};

std::string ncu_row(const std::string& metric, const std::string& unit, const std::string& value,
                    const std::string& id = "0", const std::string& kernel = "saxpy(int, float *)",
                    const std::string& device = "0", const std::string& cc = "8.0") {
    return quoted({id, kernel, "(256, 1, 1)", "(4096, 1, 1)", device, cc, "Section", metric, unit, value});
}

std::string ncu_launch(const std::string& id, const std::string& kernel, const std::string& device,
                       const std::string& cc, const std::string& time) {
    return ncu_row("gpu__time_duration.sum", "nsecond", time, id, kernel, device, cc) +
           ncu_row("smsp__inst_executed.sum", "inst", "3,276,800", id, kernel, device, cc) +
           ncu_row("gpc__cycles_elapsed.avg.per_second", "hz", "1,410,000,000", id, kernel, device, cc);
}

studies::MeasuredTable on_device(const std::string& text, const std::string& cc) {
    studies::MeasuredOptions options;
    options.compute_capability = cc;
    return studies::read_measured(text, "m.csv", options);
}

const std::string nsys_head =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes "
    "(MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n";
const std::string nsys_kernels =
    "9000,25000,2,4096,1,1,256,1,1,32,0.001,0.000,,,,,NVIDIA A100 (0),1,,7,\"saxpy(int, float *)\"\n"
    "40000,1200,3,,,,,,,,,,4.2,12000,Pageable,Device,NVIDIA A100 (0),1,,7,[CUDA memcpy Host-to-Device]\n"
    "99000,27000,5,4096,1,1,256,1,1,32,0.001,0.000,,,,,NVIDIA A100 (0),1,,7,\"saxpy(int, float *)\"\n";

}  // namespace

TEST_CASE("a comma in a shape separates thousands") {
    const std::string head = quoted({"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"});
    const auto profile = [&](const std::string& grid, const std::string& block) {
        const auto row = [](const std::string& metric, const std::string& unit, const std::string& value) {
            return quoted({"0", "k", metric, unit, value});
        };
        return studies::read_measured(
                   head + row("gpu__time_duration.sum", "us", "25") + row("launch__grid_size", "", grid) +
                       row("launch__block_size", "", block) + row("smsp__inst_executed.sum", "inst", "1"),
                   "m.csv")
            .measurements.at(0)
            .profile.value();
    };
    CHECK(profile("4,096", "1,024").blocks == 4096);
    CHECK(profile("4,096", "1,024").threads == 1024);
    CHECK(profile("4096", "1024").blocks == 4096);
    for (const auto& [text, product] :
         {std::pair("(4,096, 1, 1)", 4096), std::pair("(4096, 2, 1)", 8192), std::pair("4,096x2x1", 8192),
          std::pair("(16,16,1)", 256), std::pair("1,048,576", 1048576), std::pair("16 16", 256)})
        CHECK(netgen::metric_extent(text, "") == product);
    for (const char* bad :
         {"16,16", "4,96", "4,0960", "(4096, 1, 1, 1)", "1.5", "1e3", "(0, 1, 1)", "(1, 1", ",096"})
        CHECK_THROWS_AS(netgen::metric_extent(bad, "b"), InputError);
    CHECK(netgen::metric_number("-1,234.5", "") == -1234.5);
    for (const char* bad : {"1,23", "1,2345", "1234,567", "1.5,000", ",5", "1,", "1e3,000"})
        CHECK_THROWS_AS(netgen::metric_number(bad, "b"), InputError);
}

TEST_CASE("a counter that one launch lacks is named with its line, and the launches are judged anyway") {
    const std::string both = quoted(ncu_head) + ncu_launch("0", "saxpy(int)", "0", "8.0", "25,000") +
                             ncu_launch("1", "other(int)", "0", "8.0", "5,000") +
                             ncu_row("smsp__inst_executed_pipe_xu.sum", "inst", "9", "0", "saxpy(int)");
    std::vector<std::string> texts = {both};
    for (const char* none : {"", "-", "(!) n/a", "n/a", "N/A", "nan", "inf", "-inf", "(!) nan"})
        texts.push_back(both + ncu_row("smsp__inst_executed_pipe_xu.sum", "inst", none, "1", "other(int)"));
    for (const std::string& text : texts) {
        const studies::MeasuredTable table = studies::read_measured(text, "m.csv");
        REQUIRE(table.measurements.size() == 2);
        CHECK(table.faults.empty());
        CHECK(table.warnings.back() ==
              "m.csv: counters that are missing for some launches, and the consequences:\n"
              "  smsp__inst_executed_pipe_xu.sum (line 5): special functions count as computing");
    }
    // nvprof: a log, and one kernel per row.
    const std::string head =
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Min\",\"Max\",\"Avg\"\n";
    const auto counter = [](const std::string& kernel, const std::string& name) {
        return fmt::format("\"A (0)\",\"{}\",1,\"{}\",9,9,9\n", kernel, name);
    };
    const std::string trace =
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "
        "Z\",\"Device\","
        "\"Name\"\nms,us,,,,,,,,\n1,5,10,1,1,64,1,1,\"A (0)\",\"k [1]\"\n2,5,10,1,1,64,1,1,\"A (0)\",\"j "
        "[2]\"\n";
    const studies::MeasuredTable log = studies::read_measured(std::vector<studies::SourceText>{
        {head + counter("k", "inst_executed") + counter("k", "ldst_executed") + counter("j", "inst_executed"),
         "l.csv"},
        {trace, "t.csv"}});
    CHECK(log.measurements.size() == 2);
    CHECK_THAT(log.warnings.back(), Catch::EndsWith("\n  ldst_executed (line 4): barriers are not seen"));
    const studies::MeasuredTable rows = studies::read_measured(
        "kernel,grid,block,inst_executed,ldst_executed,dur_med_us,launches\na,1,32,10,4,5,2\nb,1,32,10,,5,\n",
        "m.csv");
    CHECK_THAT(rows.warnings.at(1), Catch::EndsWith("\n  ldst_executed (line 3): barriers are not seen"));
    CHECK(rows.warnings.at(2) ==
          "m.csv: cells without a value count as unknown, and 'launches' as 1: launches (line 3)");
}

TEST_CASE(
    "sessions of Nsight Compute in one file are apart, and values that contradict each other are named") {
    const auto session = [](const std::string& process, const std::string& time) {
        const auto row = [&](const std::string& metric, const std::string& unit, const std::string& value) {
            return quoted({process, "0", "k", "(64, 1, 1)", "(10, 1, 1)", metric, unit, value});
        };
        return row("gpu__time_duration.sum", "us", time) + row("smsp__inst_executed.sum", "inst", "2000");
    };
    const std::string head = quoted({"Process ID", "ID", "Kernel Name", "Block Size", "Grid Size",
                                     "Metric Name", "Metric Unit", "Metric Value"});
    for (const std::string& text : {head + session("1", "4") + session("2", "8"),            // two processes
                                    head + session("1", "4") + head + session("1", "8")}) {  // two outputs
        const studies::MeasuredTable table = studies::read_measured(text, "m.csv");
        REQUIRE(table.measurements.size() == 1);
        CHECK(table.faults.empty());
        CHECK(table.measurements[0].launches == 2);
        CHECK(table.measurements[0].measured == Approx(6));
    }
    CHECK_THAT(input_error_of(
                   [&] { studies::read_measured(head + session("1", "4") + session("1", "8"), "m.csv"); }),
               Catch::Contains("m.csv:4: expected gpu__time_duration.sum of a launch once, found 4 and 8"));
    const std::string wide =
        quoted({"ID", "Kernel Name", "Block Size", "Grid Size", "gpu__time_duration.sum"}) +
        quoted({"", "", "", "", "us"});
    const auto launch = [](const std::string& id, const std::string& time) {
        return quoted({id, "k", "(64, 1, 1)", "(10, 1, 1)", time});
    };
    const studies::MeasuredTable twice = studies::read_measured(
        wide + launch("0", "4") + launch("0", "8") + launch("0", "4") + launch("1", "0"), "m.csv");
    CHECK(twice.measurements.at(0).measured == Approx(4));
    CHECK(twice.faults == std::vector<std::string>{"m.csv:4: repeats the launch of line 3 with other values",
                                                   "m.csv:6: expected a measured time above 0",
                                                   "m.csv:5: repeats line 3"});
    const studies::SourceText file{wide + launch("0", "4"), "m.csv"};
    const studies::MeasuredTable copied =
        studies::read_measured(std::vector<studies::SourceText>{file, {file.text, "n.csv"}});
    CHECK(copied.measurements.size() == 1);
    CHECK(copied.warnings.at(0) == "n.csv: has the same content as m.csv: ignored");
}

TEST_CASE("cells of plain tables that have no value are named") {
    const studies::MeasuredTable table = studies::read_measured(
        "kernel,blocks,threads,fp32,loads,clock_mhz,time_us\na,10,32,40,,1000,5\nb,10,32,40,N/A,1000,5\n"
        "c,10,32,40,-,1000,5\nd,10,32,nan,2,1000,5\ne,10,32,40,2,0,5\nf,,32,40,2,,5\ng,10,32,12%,2,1000,5\n"
        "h,10,32,40,2,,5\ni,10,32,40,2,1000,\n,10,32,40,2,1000,5\n",
        "m.csv");
    CHECK(table.measurements.size() == 2);
    CHECK(table.faults ==
          std::vector<std::string>{
              "m.csv:3: loads: expected a number, found 'N/A'",
              "m.csv:4: loads: expected a number, found '-'", "m.csv:5: fp32: expected a number, found 'nan'",
              "m.csv:6: clock_mhz: expected a clock above 0 and up to 100000 MHz, found 0 MHz",
              "m.csv:7: expected a number of blocks, found none",
              "m.csv:8: fp32: expected a number, found '12%'", "m.csv:10: expected a measured time above 0",
              "m.csv:11: expected a 'kernel', found none"});
    CHECK(table.warnings ==
          std::vector<std::string>{"m.csv: cells without a value count as if the table had no such column "
                                   "('compare --columns'): loads (line 2), clock_mhz (line 7, 9)"});
    CHECK(input_error_of([] {
              studies::read_measured("kernel,blocks,grid,threads,fp32,time_us\na,10,2x4,32,40,5\n", "m.csv");
          }) == "m.csv:2: blocks and grid differ: 10 and 8");
    CHECK(studies::read_measured("kernel,arith,ptx,trips,time_us\na,4,k.ptx,#1=2,5\nb,4,,#1=2,5\n", "m.csv")
              .ignored == std::vector<std::string>{"arith in rows with ptx", "trips in rows without ptx"});
}

TEST_CASE("a time that is not above 0, and one outside its own range, take out the row alone") {
    const std::string log =
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Min\",\"Max\",\"Avg\"\n\"A (0)\",\"k\",3,"
        "\"inst_executed\",9,9,9\n";
    const std::string head =
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "
        "Z\",\"Device\","
        "\"Name\"\n";
    const std::string kernels =
        "1,5,10,1,1,64,1,1,\"A (0)\",\"k [1]\"\n1,0,10,1,1,64,1,1,\"A (0)\",\"k [2]\"\n"
        "1,-3,10,1,1,64,1,1,\"A (0)\",\"k [3]\"\n1,9,,,,,,,\"A (0)\",[CUDA memset]\n"
        "1,5,,1,1,64,1,1,\"A (0)\",\"k [4]\"\n9,5,10,1,1,64,1,1,\"A (0)\",\"other [5]\"\n";
    const studies::MeasuredTable table = studies::read_measured(
        std::vector<studies::SourceText>{{log, "l.csv"}, {head + "ms,us,,,,,,,,\n" + kernels, "t.csv"}});
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].measured == 5);
    CHECK(table.faults ==
          std::vector<std::string>{"t.csv:4: expected a measured time above 0",
                                   "t.csv:5: expected a measured time above 0",
                                   "t.csv:7: Grid X: expected a shape such as 40x20x1, found ''"});
    const std::string said = fmt::format("{}", fmt::join(table.warnings, "\n"));
    CHECK_THAT(said, Catch::Contains("l.csv:2: the log has 3 launches of 'k', and the trace 1"));
    CHECK_THAT(said, Catch::Contains("t.csv:8: the log has no counters of 'other': left out"));
    // Without its row of units a trace may be in milliseconds.
    CHECK_THAT(input_error_of([&] {
                   studies::read_measured(
                       std::vector<studies::SourceText>{{log, "l.csv"}, {head + kernels, "t.csv"}});
               }),
               Catch::Contains("t.csv:2: Duration: expected a unit of time, found ''"));
    CHECK(studies::read_measured("kernel,grid,block,inst_executed,dur_min_us,dur_med_us,dur_max_us\n"
                                 "a,1,32,10,4,5,6\nb,1,32,10,6,5,7\nc,1,32,10,4,0,5\nd,1,32,-10,4,5,6\n",
                                 "m.csv")
              .faults == std::vector<std::string>{"m.csv:3: expected the shortest, the median and the "
                                                  "longest time above 0 and rising, found 6, 5, 7",
                                                  "m.csv:4: expected a measured time above 0",
                                                  "m.csv:5: inst_executed: expected a count, found '-10'"});
}

TEST_CASE("per cent belongs to rates, and a rate that looks like a share is named") {
    const auto rate = [](const std::string& value, const std::string& count = "10") {
        return studies::read_measured(
            "kernel,grid,block,inst_executed,global_hit_rate,gld_transactions,"
            "gld_transactions_per_request,dur_med_us\na,1,32," +
                count + "," + value + ",8,4,5\n",
            "m.csv");
    };
    CHECK(rate("75%").measurements.at(0).profile->loads.l1_share == Approx(0.5));
    CHECK(rate("75").measurements.at(0).profile->loads.l1_share == Approx(0.5));
    CHECK(rate("75").warnings.size() == 1);
    CHECK(rate("0.75").warnings.back() ==
          "m.csv: global_hit_rate is at most 0.75 everywhere and has no '%': it is taken as per cent, and "
          "not as a "
          "share");
    CHECK(rate("0.75%").warnings.size() == 1);
    CHECK(input_error_of([&] { rate("75", "10%"); }) ==
          "m.csv:2: inst_executed: expected a number, found '10%'");
}

TEST_CASE("measurements of another GPU than the device are named") {
    const auto said = [](const std::string& text, const char* device) {
        const studies::MeasuredTable table = studies::read_measured(text, "m.csv");
        return studies::warn_of_gpus(table.gpus, netgen::preset_devices().at(device));
    };
    const std::string rows =
        "kernel,device,grid,block,inst_executed,dur_med_us\na,GeForce GTX 950 (0),1,32,10,5\n";
    CHECK(said(rows, "GTX950").empty());
    CHECK(said(rows, "A100") ==
          std::vector<std::string>{
              "m.csv:2: measured on 'GeForce GTX 950 (0)', and the device is A100: unless both "
              "names are of one GPU, the predictions are those of another GPU"});
    const std::string two = rows + "a,NVIDIA A100-SXM4-80GB (1),1,32,10,7\n";
    CHECK(studies::read_measured(two, "m.csv").measurements.size() == 2);
    CHECK(said(two, "A100-80GB").size() == 1);
    CHECK_THAT(said(two, "GTX950").at(0),
               Catch::StartsWith("m.csv:3: 1 of 2 launches were measured on 'NVIDIA A100"));
    const std::string nsys = nsys_head + nsys_kernels;
    CHECK(said(nsys, "A100").empty());
    CHECK(said(nsys, "GTX950").size() == 1);
    const std::string ncu = quoted(ncu_head) + ncu_launch("0", "saxpy(int)", "0", "8.0", "25,000");
    CHECK(said(ncu, "A100").empty());
    CHECK(said(ncu, "V100") ==
          std::vector<std::string>{
              "m.csv:2: measured on compute capability 8.0, and the device is V100, which has "
              "7.0: the predictions are those of another GPU"});
}

TEST_CASE("a bad value takes out its row, and names line and column") {
    const studies::MeasuredTable table = studies::read_measured(
        quoted(ncu_head) + ncu_launch("0", "saxpy(int)", "0", "8.0", "25,000") +
            ncu_launch("1", "other(int)", "0", "8.0", "5,000") +
            ncu_row("smsp__inst_executed_pipe_xu.sum", "inst", "12a", "1", "other(int)"),
        "m.csv");
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].function == "saxpy");
    CHECK(table.faults == std::vector<std::string>{
                              "m.csv:8: smsp__inst_executed_pipe_xu.sum: expected a number, found '12a'"});
    const studies::MeasuredTable plain = studies::read_measured(
        "kernel,arith,warps,time_us\na,1,1,5\nb,many,1,5\nc,1,1.5,5\nd,1,0,5\ne,1,1\nf,2,1,6\n", "m.csv");
    CHECK(plain.measurements.size() == 2);
    CHECK(plain.faults ==
          std::vector<std::string>{"m.csv:3: arith: expected a number, found 'many'",
                                   "m.csv:4: warps: expected a whole number, found 1.5",
                                   "m.csv:5: warps: expected a count, found 0",
                                   "m.csv:6: expected 4 fields as in the header of the table, found 3"});
    const studies::MeasuredTable rows = studies::read_measured(
        "kernel,grid,block,inst_executed,dur_med_us,launches\na,1,32,10,5,1\nb,1,32,ten,5,1\nc,1,32,10,,1\nd,"
        "1,32,10,5,0\n",
        "m.csv");
    CHECK(rows.measurements.size() == 1);
    CHECK(rows.faults == std::vector<std::string>{"m.csv:3: inst_executed: expected a number, found 'ten'",
                                                  "m.csv:4: expected a time in 'dur_med_us', found none",
                                                  "m.csv:5: launches: expected a count, found 0"});
}

TEST_CASE("a point that may separate thousands is rejected in whole numbers") {
    const auto fault = [](const std::string& text) {
        return input_error_of([&] { studies::read_measured(text, "m.csv"); });
    };
    const auto ncu = [&](const std::string& metric, const std::string& unit, const std::string& value) {
        return quoted(ncu_head) +
               (metric.starts_with("gpu") ? "" : ncu_row("gpu__time_duration.sum", "usecond", "25.856")) +
               ncu_row(metric, unit, value);
    };
    const std::string point =
        ": expected a whole number, found '25.000': does the point separate thousands? Expected 25000";
    for (const auto& [metric, unit] :
         {std::pair("gpu__time_duration.sum", "nsecond"), std::pair("smsp__inst_executed.sum", "inst"),
          std::pair("launch__shared_mem_per_block_static", "byte/block"),
          std::pair("dram__bytes_read.sum", "byte")}) {
        const std::string text = fault(ncu(metric, unit, "25.000"));
        CHECK_THAT(text, Catch::Contains(metric + point));
    }
    CHECK(
        studies::read_measured(ncu("dram__bytes_read.sum", "Kbyte", "25.000"), "m.csv").measurements.size() ==
        1);
    CHECK(studies::read_measured(ncu("L1/TEX Hit Rate", "%", "25.000"), "m.csv").measurements.size() == 1);
    for (const auto& [metric, unit] :
         {std::pair("smsp__inst_executed.sum", "inst"), std::pair("dram__bytes_read.sum", "byte")})
        CHECK_THAT(fault(ncu(metric, unit, "2000000.5")),
                   Catch::Contains(metric + std::string(": expected a whole number, found 2000000.5")));
    CHECK(
        studies::read_measured(ncu("dram__bytes_read.sum", "Kbyte", "2000.5"), "m.csv").measurements.size() ==
        1);
    CHECK(studies::read_measured(ncu("SM Frequency", "cycle/second", "1410000000.5"), "m.csv")
              .measurements.size() == 1);
    CHECK_THAT(
        fault(ncu("SM Frequency", "cycle/nsecond", "1,410")),
        Catch::Contains("SM Frequency: expected a clock above 0 and up to 100000 MHz, found 1410000 MHz"));
    for (const char* text :
         {"kernel,grid,block,inst_executed,dur_med_us\nk,1,32,25.000,5\n",
          "kernel,arith,cycles\nk,1,25.000\n", "kernel,blocks,threads,fp32,time_us\nk,25.000,32,1,5\n",
          "kernel,arith,warps,time_us\nk,25.000,1,5\n", "kernel,arith,warps,time_us\nk,1,25.000,5\n"}) {
        INFO(text);
        CHECK_THAT(fault(text), Catch::Contains(point));
    }
    CHECK_THAT(fault("kernel,arith,warps,time_us\nk,2.5,1,5\n"),
               Catch::Contains("expected a whole number, found 2.5"));
    CHECK_THAT(fault("kernel,arith,warps,time_us,clock_mhz\nk,2,1,5,1e6\n"),
               Catch::Contains("up to 100000 MHz"));
    const auto nsys = [](const std::string& ns, const std::string& grid) {
        return "Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Device,Name\n" +
               ns + "," + grid + ",1,1,256,1,1,32,0.001,0.000,A100,k\n";
    };
    CHECK(studies::read_measured(nsys("25000", "4096"), "m.csv").measurements.size() == 1);
    CHECK_THAT(fault(nsys("25.000", "4096")), Catch::Contains("Duration (ns)" + point));
    CHECK_THAT(fault(nsys("25000", "4.096")), Catch::Contains("GrdX: expected a shape such as"));
    CHECK_THAT(input_error_of([] { studies::read_kernel_facts("kernel,registers\nk,25.000\n", "f.csv"); }),
               Catch::Contains(point));
}

TEST_CASE("a launch that the device rejects takes out itself alone") {
    const auto left_out = [](std::string text) {
        studies::MeasuredTable table = studies::read_measured(text, "m.csv");
        const std::vector<std::string> faults =
            studies::take_out_failing(table, netgen::sm_device(netgen::preset_devices().at("A100")), true);
        CHECK(table.measurements.size() == 1);
        REQUIRE(faults.size() == 1);
        return faults[0];
    };
    const auto ncu = [&](const std::string& block, const std::vector<std::array<const char*, 3>>& rows) {
        std::string text = quoted(ncu_head) + ncu_launch("0", "saxpy(int)", "0", "8.0", "25,000");
        for (const auto& [metric, unit, value] : rows)
            text += quoted(
                {"1", "other(int)", block, "(4096, 1, 1)", "0", "8.0", "Section", metric, unit, value});
        return left_out(text);
    };
    const std::array<const char*, 3> time = {"gpu__time_duration.sum", "nsecond", "5,000"},
                                     work = {"smsp__inst_executed.sum", "inst", "3,276,800"};
    CHECK(ncu("(2048, 1, 1)", {time, work}) ==
          "m.csv:5: other(int) (4096, 1, 1) (2048, 1, 1): threads of a block must lie in 1 … 1024, not 2048");
    CHECK_THAT(ncu("(256, 1, 1)", {time, work, {"launch__registers_per_thread", "", "300"}}),
               Catch::Contains("m.csv:5: ") && Catch::Contains("registers of a thread must lie in 0 … 255"));
    CHECK_THAT(ncu("(256, 1, 1)", {time, work, {"launch__shared_mem_per_block_dynamic", "byte", "900000"}}),
               Catch::Contains("m.csv:5: ") && Catch::Contains("166912 is the limit of a block"));
    CHECK_THAT(ncu("(256, 1, 1)", {time, {"smsp__inst_executed.sum", "inst", "99999999999999999999999"}}),
               Catch::Contains("m.csv:5: ") && Catch::Contains("must lie in 0 … 1000000000000"));
    CHECK_THAT(left_out("kernel,time_us,blocks,threads,fp32,registers\na,10,9,256,9,32\nb,10,9,1024,9,100\n"),
               Catch::Contains("m.csv:3: b on A100: the launch fails: a block of 32 warps"));
    CHECK_THAT(
        left_out("kernel,grid,block,inst_executed,dur_med_us,regs\na,9,256,9,5,32\nb,9,1024,9,5,100\n"),
        Catch::Contains("m.csv:3: b on A100: the launch fails"));
    // One launch without a shape, while another launch has one.
    studies::MeasuredTable mixed =
        studies::read_measured("kernel,time_us,arith,warps\na,10,5,1\nb,10,5,1\n", "m.csv");
    const netgen::SmDevice a100 = netgen::sm_device(netgen::preset_devices().at("A100"));
    CHECK(studies::take_out_failing(mixed, a100, true).empty());
    mixed.measurements[0].profile = netgen::streaming_profile();
    mixed.measurements[0].profile->fp32 = 1;
    CHECK(studies::take_out_failing(mixed, a100, false).empty());
    CHECK(studies::take_out_failing(mixed, a100, true) ==
          std::vector<std::string>{"m.csv:3: b: expected the launch shape (blocks, threads), found none"});
    mixed.measurements[0].profile->threads = 2048;
    CHECK_THAT(input_error_of([&] { studies::take_out_failing(mixed, a100, true); }),
               Catch::StartsWith("m.csv:2: "));
}

TEST_CASE("counters that contradict each other take out their launch") {
    const auto fault = [](std::vector<std::array<const char*, 3>> rows) {
        std::string text = quoted(ncu_head) + ncu_row("gpu__time_duration.sum", "usecond", "25") +
                           ncu_row("smsp__inst_executed.sum", "inst", "2,000,000");
        for (const auto& [metric, unit, value] : rows) text += ncu_row(metric, unit, value);
        return input_error_of([&] { studies::read_measured(text, "m.csv"); });
    };
    CHECK(fault({{"Duration", "usecond", "25.04"}}).empty());
    CHECK(fault({{"Duration", "usecond", "50"}}) ==
          "m.csv:2: expected one time of the launch, found gpu__time_duration.sum 25 us and Duration 50 us");
    CHECK(fault({{"Executed Instructions", "inst", "1,000,000"}}) ==
          "m.csv:2: expected smsp__inst_executed.sum and Executed Instructions to say the same, found "
          "2000000 and "
          "1000000");
    CHECK_THAT(fault({{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", "3,000,000"}}),
               Catch::Contains("more memory requests than instructions"));
    CHECK_THAT(fault({{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "1,000"},
                      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector", "2,000"}}),
               Catch::Contains("_lookup_hit.sum is 2000, above"));
    CHECK_THAT(fault({{"L1/TEX Hit Rate", "%", "133"}}), Catch::Contains("expected up to 100 %, found 133"));
    CHECK(fault({{"L1/TEX Hit Rate", "%", "100.2"}}).empty());
    const auto nvprof = [](const std::string& instructions, const std::string& loads) {
        return input_error_of([&] {
            studies::read_measured(
                "kernel,grid,block,dur_med_us,inst_executed,gld_transactions,gld_transactions_per_"
                "request\nk,100,256,5," +
                    instructions + "," + loads + "\n",
                "m.csv");
        });
    };
    CHECK(nvprof("8000", "32000,4").empty());
    CHECK(
        nvprof("100", "32000,4") ==
        "m.csv:2: expected no more memory requests than instructions, found 8000 requests and inst_executed "
        "100");
    for (const char* loads : {"0,4", "32000,0"})
        CHECK_THAT(nvprof("80000", loads),
                   Catch::Contains("gld_transactions_per_request to be both 0 or neither, found"));
    CHECK_THAT(input_error_of([] {
                   studies::read_measured(
                       "kernel,grid,block,inst_executed,gld_transactions,gld_transactions_per_request,global_"
                       "hit_rate,dur_med_us\n"
                       "k,1,32,100,8,8,133%,5\n",
                       "m.csv");
               }),
               Catch::Contains("global_hit_rate: expected up to 100 %, found 133"));
}

TEST_CASE("a unit is understood or named") {
    const auto table = [](const std::string& unit, const std::string& value) {
        return studies::read_measured(quoted(ncu_head) + ncu_row("gpu__time_duration.sum", "usecond", "25") +
                                          ncu_row("smsp__inst_executed.sum", "inst", "2,000,000") +
                                          ncu_row("gpc__cycles_elapsed.avg.per_second", unit, value),
                                      "m.csv");
    };
    for (const auto& [unit, value] :
         {std::pair("hz", "1410000000"), std::pair("Hz", "1,410,000,000"), std::pair("Ghz", "1.41"),
          std::pair("GHz", "1.41"), std::pair("MHz", "1410"), std::pair("kHz", "1,410,000"),
          std::pair("cycle/nsecond", "1.41"), std::pair("cycle/usecond", "1410"),
          std::pair("", "1410000000")}) {
        INFO(unit);
        CHECK(table(unit, value).measurements.at(0).clock_mhz == Approx(1410));
    }
    CHECK(table("", "1410000000").warnings.at(0) ==
          "m.csv: gpc__cycles_elapsed.avg.per_second has no unit (line 4): taken as Hz");
    CHECK(input_error_of([&] { table("furlong", "1.41"); }) ==
          "m.csv:4: gpc__cycles_elapsed.avg.per_second: expected a unit of frequency, found 'furlong'");
    CHECK(input_error_of([&] { table("nsecond", "1.41"); }).ends_with("frequency, found 'nsecond'"));
    CHECK(netgen::profiler_unit("KiB/block") == netgen::ProfilerUnit{1024, 1, 0});
    CHECK(netgen::profiler_unit("KB") == netgen::ProfilerUnit{1000, 1, 0});
    CHECK(netgen::profiler_unit("GB/s") == netgen::ProfilerUnit{1e9, 1, -1});
    CHECK(netgen::profiler_unit("byte") == netgen::ProfilerUnit{1, 1, 0});
    CHECK(netgen::profiler_unit("%") == netgen::ProfilerUnit{});
    CHECK(netgen::profiler_unit("Ksector") == netgen::ProfilerUnit{1000, 0, 0});
    for (const char* second : {"ms", "msecond", "millisecond", "msec"})
        CHECK(netgen::profiler_unit(second) == netgen::ProfilerUnit{1e-3, 0, 1});
    for (const char* second : {"us", "usecond", "microsecond", "\u00b5s", "\u03bcs"})
        CHECK(netgen::profiler_unit(second) == netgen::ProfilerUnit{1e-6, 0, 1});
    for (const char* unknown : {"furlong", "KB/", "/s", "Ks", "nB", "b", "m", "us/us/us"})
        CHECK(netgen::profiler_unit(unknown) == std::nullopt);
}

TEST_CASE("a summary of Nsight Compute has means") {
    const std::vector<std::string> head = {"Process ID",  "Kernel Name", "Block Size",  "Grid Size",
                                           "Device",      "CC",          "Invocations", "Metric Name",
                                           "Metric Unit", "Minimum",     "Maximum",     "Average"};
    std::string launches = "10";
    const auto row = [&](const std::string& metric, const std::string& unit, const std::string& least,
                         const std::string& most, const std::string& mean) {
        return quoted({"42", "saxpy(int)", "(256, 1, 1)", "(4096, 1, 1)", "0", "8.0", launches, metric, unit,
                       least, most, mean});
    };
    const studies::MeasuredTable table = studies::read_measured(
        quoted(head) + row("gpu__time_duration.sum", "nsecond", "24,000", "27,000", "25,000") +
            row("smsp__inst_executed.sum", "inst", "3,276,800", "3,276,800", "3,276,800"),
        "m.csv");
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].measured == Approx(25));
    CHECK(table.measurements[0].least == Approx(24));
    CHECK(table.measurements[0].most == Approx(27));
    CHECK(table.measurements[0].launches == 10);
    CHECK(table.measurements[0].profile->instructions() == Approx(100));
    CHECK(table.ignored.empty());
    CHECK(input_error_of([&] {
              studies::read_measured(
                  quoted(head) + row("gpu__time_duration.sum", "nsecond", "30,000", "27,000", "25,000"),
                  "m.csv");
          }) ==
          "m.csv:2: gpu__time_duration.sum: expected a mean between the least and the greatest value, found "
          "30, "
          "25, 27");
    // A mean over launches may have a fraction, the count of one launch may not.
    const auto fractional = [&] {
        return quoted(head) + row("gpu__time_duration.sum", "nsecond", "24,000", "27,000", "25,000") +
               row("smsp__inst_executed.sum", "inst", "3,276,800", "3,276,801", "3,276,800.5");
    };
    CHECK(studies::read_measured(fractional(), "m.csv").measurements.size() == 1);
    launches = "1";
    CHECK_THAT(input_error_of([&] { studies::read_measured(fractional(), "m.csv"); }),
               Catch::Contains("expected a whole number, found 3,276,800.5"));
}

TEST_CASE("of two columns of one name neither counts unless they say the same") {
    const auto error = [](const std::string& text) {
        return input_error_of([&] { studies::read_measured(text, "m.csv"); });
    };
    const std::string wide =
        "ID,Kernel Name,Block Size,Grid Size,gpu__time_duration.sum,smsp__inst_executed."
        "sum,gpu__time_duration.sum\n,,,,us,inst,us\n0,k,32,9,25,100,";
    CHECK(error(wide + "25\n").empty());
    CHECK(error(wide + "9\n") ==
          "m.csv:1: expected one column 'gpu__time_duration.sum', found two, with '25' and '9' in line 3");
    CHECK(error("kernel,time_us,arith,arith\na,5,1,1\n") == "m.csv:1: column 'arith' appears twice");
}

TEST_CASE("several GPUs in a file are apart, and only those like the device are judged") {
    const std::string text = quoted(ncu_head) + ncu_launch("0", "saxpy(int)", "0", "8.0", "25,000") +
                             ncu_launch("1", "saxpy(int)", "1", "7.0", "75,000");
    const studies::MeasuredTable both = studies::read_measured(text, "m.csv");
    REQUIRE(both.measurements.size() == 2);
    CHECK(both.measurements[0].measured == Approx(25));
    CHECK(both.measurements[1].measured == Approx(75));
    CHECK(both.measurements[1].kernel ==
          "saxpy(int) (4096, 1, 1) (256, 1, 1) [device 1, compute capability 7.0]");
    const studies::MeasuredTable one = on_device(text, "8.0");
    REQUIRE(one.measurements.size() == 1);
    CHECK(one.measurements[0].measured == Approx(25));
    CHECK(one.measurements[0].kernel == "saxpy(int) (4096, 1, 1) (256, 1, 1)");
    CHECK(one.warnings.at(0) ==
          "m.csv:5: measured on compute capability 7.0, and the device has 8.0: 1 of 2 launches is left out");
    const studies::MeasuredTable none = on_device(text, "9.0");
    CHECK(none.measurements.size() == 2);
    CHECK(studies::warn_of_gpus(none.gpus, netgen::preset_devices().at("H100SXM")).size() == 2);
    CHECK(on_device(text, "").measurements.size() == 2);
}

TEST_CASE("nvprof's files with two GPUs are refused by kernel") {
    const std::string log =
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
        "Description\",\"Min\",\"Max\",\"Avg\"\n\"A (0)\",\"k\",1,\"inst_executed\",\"\",9,9,9\n";
    const std::string trace =
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "
        "Z\",\"Registers Per "
        "Thread\",\"Static SMem\",\"Dynamic SMem\",\"Device\",\"Name\"\nms,us,,,,,,,,B,B,,\n"
        "1,5,\"1,000\",1,1,64,1,1,24,0,0,\"A (0)\",\"k [1]\"\n";
    const auto read = [](const std::string& metrics, const std::string& launches) {
        return studies::read_measured(
            std::vector<studies::SourceText>{{metrics, "l.csv"}, {launches, "t.csv"}});
    };
    CHECK(read(log, trace).measurements.at(0).profile->blocks == 1000);
    CHECK(read(log + "\"B (1)\",\"k\",1,\"inst_executed\",\"\",7,7,7\n", trace).faults ==
          std::vector<std::string>{"l.csv:3: expected one GPU per kernel, found 'A (0)' and 'B (1)'"});
    CHECK(read(log, trace + "1,5,10,1,1,64,1,1,24,0,0,\"B (1)\",\"k [1]\"\n").faults ==
          std::vector<std::string>{"t.csv:4: expected one GPU per kernel, found 'A (0)' and 'B (1)'"});
    std::string unit = trace;
    unit.replace(unit.find(",B,B,"), 5, ",B,acre,");
    CHECK_THAT(input_error_of([&] { read(log, unit); }),
               Catch::Contains("t.csv:3: Dynamic SMem: expected a unit of memory, found 'acre'"));
}

TEST_CASE("nvprof's events are in a table of their own, before or behind the metrics") {
    const std::string metrics =
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
        "Description\",\"Min\",\"Max\",\"Avg\"\n"
        "\"A (0)\",\"k\",2,\"inst_executed\",\"\",9,9,9\n";
    const std::string events =
        "==1== Event result:\n"
        "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n"
        "\"A (0)\",\"k\",2,\"elapsed_cycles_sm\",40,60,50,100\n"
        "\"A (0)\",\"k\",2,\"warps_launched\",4,4,4,8\n";
    const std::string trace =
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "
        "Z\",\"Device\",\"Name\"\n"
        "ms,us,,,,,,,,\n1,5,10,1,1,64,1,1,\"A (0)\",\"k [1]\"\n1,6,10,1,1,64,1,1,\"A (0)\",\"k [2]\"\n";
    for (const std::string& log : {metrics + events, events + metrics}) {
        const studies::MeasuredTable table =
            studies::read_measured(std::vector<studies::SourceText>{{log, "l.csv"}, {trace, "t.csv"}});
        REQUIRE(table.measurements.size() == 1);
        CHECK(table.measurements[0].elapsed_cycles == 50);
        CHECK(table.measurements[0].profile->instructions() > 0);
        CHECK(table.ignored == std::vector<std::string>{"warps_launched"});
        CHECK(table.faults.empty());
    }
    const studies::MeasuredTable companion = studies::read_measured(std::vector<studies::SourceText>{
        {metrics, "l.csv"}, {trace + "\"Time(%)\",\"Calls\",\"Avg\",\"Name\"\n100,1,5,\"k\"\n", "t.csv"}});
    CHECK(companion.measurements.size() == 1);
    CHECK(companion.warnings.at(0) == "t.csv:5: a summary of nvprof, which has no launch shapes, is ignored");
}

TEST_CASE("a trace of Nsight Systems has times and shapes") {
    const studies::MeasuredTable table = studies::read_measured(nsys_head + nsys_kernels, "t.csv");
    REQUIRE(table.measurements.size() == 1);
    const studies::Measurement& one = table.measurements[0];
    CHECK(one.measured == Approx(26));
    CHECK(one.least == Approx(25));
    CHECK(one.launches == 2);
    CHECK(one.function == "saxpy");
    CHECK_FALSE(one.profile);
    CHECK(table.device == "NVIDIA A100 (0)");
    CHECK(table.ignored.empty());
    REQUIRE(table.ptx_rows.size() == 1);
    CHECK(table.ptx_rows[0].file.empty());
    CHECK(table.ptx_rows[0].fields ==
          std::vector<std::pair<std::string, double>>{
              {"blocks", 4096}, {"threads", 256}, {"registers", 32}, {"shared_bytes", 1000}});
    CHECK(table.warnings.size() == 1);
    std::string bytes = nsys_head;  // sizes in bytes are exact
    for (std::size_t at = 0; (at = bytes.find("(MB)")) != std::string::npos;) bytes.replace(at, 4, "(B)");
    CHECK(studies::read_measured(bytes + nsys_kernels, "t.csv").warnings.empty());
    std::string furlong = nsys_head;
    furlong.replace(furlong.find("Duration (ns)"), 13, "Duration (acre)");
    CHECK_THAT(input_error_of([&] { studies::read_measured(furlong + nsys_kernels, "t.csv"); }),
               Catch::Contains("t.csv:1: Duration: expected a unit of time, found 'acre'"));

    // Next to a table of Nsight Compute it gives the times.
    const std::string ncu = quoted(ncu_head) + ncu_launch("0", "saxpy(int, float *)", "0", "8.0", "90,000");
    const studies::MeasuredTable both = studies::read_measured(
        std::vector<studies::SourceText>{{nsys_head + nsys_kernels, "t.csv"}, {ncu, "m.csv"}});
    REQUIRE(both.measurements.size() == 1);
    CHECK(both.measurements[0].measured == Approx(26));
    CHECK(both.measurements[0].profile->instructions() == Approx(100));
    CHECK(both.ptx_rows.empty());
}

TEST_CASE("a trace of Nsight Systems has units without a blank in older versions") {
    std::string trace = nsys_head + nsys_kernels;
    for (const auto& [now, before] :
         {std::pair("Start (ns)", "Start(nsec)"), std::pair("Duration (ns)", "Duration(nsec)")})
        trace.replace(trace.find(now), std::string(now).size(), before);
    const studies::MeasuredTable table = studies::read_measured(trace, "t.csv");
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].measured == Approx(26));
    CHECK(table.ignored.empty());
}

TEST_CASE("a profiler's table whose commas another program has replaced is refused") {
    for (const auto& [separator, name] : {std::pair(';', "semicolons"), std::pair('\t', "tabs")}) {
        std::string text = quoted(ncu_head) + ncu_launch("0", "saxpy", "0", "8.0", "25000");
        std::replace(text.begin(), text.end(), ',', separator);
        CHECK(input_error_of([&] { studies::read_measured("==PROF== Connected\n" + text, "m.csv"); }) ==
              fmt::format(
                  "m.csv:2: expected commas between the fields of a profiler's table, found {}; expected "
                  "the file as the profiler writes it",
                  name));
    }
}

TEST_CASE("a table of counts names its GPU, and cases tell its rows apart") {
    const studies::MeasuredTable table = studies::read_measured(
        "kernel,time_us,blocks,threads,fp32,device,case\na,5,9,32,9,A100,x\na,6,9,32,9,V100,y\n", "m.csv");
    REQUIRE(table.measurements.size() == 2);
    CHECK(table.measurements[0].kernel == "a [case x]");
    CHECK(table.measurements[1].kernel == "a [case y]");
    CHECK(table.measurements[1].function == "a");
    CHECK(table.device == "A100");
    CHECK(table.ignored.empty());
    const auto warnings = studies::warn_of_gpus(table.gpus, netgen::preset_devices().at("A100"));
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], Catch::StartsWith("m.csv:3: 1 of 2 launches were measured on 'V100'"));
}

TEST_CASE("a report that has no launches is named with what would work") {
    const std::string nsys = "nsys stats -r cuda_gpu_trace --format csv REPORT",
                      nvprof = "nvprof --csv --log-file trace.csv --print-gpu-trace ./program";
    struct Report {
        std::string head, found, expected;
    };
    for (const Report& report : std::vector<Report>{
             // nsys: cuda_gpu_kern_sum, gpukernsum of old versions, its sums per shape, cuda_gpu_sum.
             {"Time (%),Total Time (ns),Instances,Avg (ns),Name\n1,5,1,5,k\n", "a summary of nsys", nsys},
             {"Time(%),Total Time (ns),Instances,Average,Minimum,Name\n1,5,1,5,5,k\n", "a summary of nsys",
              nsys},
             {"Time (%),Total Time (ns),Instances,Avg (ns),GridXYZ,BlockXYZ,Name\n1,5,1,5,1,1,k\n",
              "a summary of nsys", nsys},
             {"Time (%),Total Time (ns),Instances,Avg (ns),Category,Operation\n1,5,1,5,CUDA_KERNEL,k\n",
              "a summary of nsys", nsys},
             // cuda_kern_exec_trace, cuda_api_sum, cuda_api_trace, cuda_gpu_mem_size_sum, nvtx_sum.
             {"Kernel Start (ns),Kernel Dur (ns),GridXYZ,BlockXYZ,Kernel Name\n1,5,1 1 1,1 1 1,k\n",
              "launches with their calls from nsys", nsys},
             {"Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n1,5,1,5,cudaFree\n", "a report of nsys",
              nsys},
             {"Start (ns),Duration (ns),Name,Result,CorrID\n1,5,cudaFree,0,1\n", "a report of nsys", nsys},
             {"Total (MB),Count,Avg (MB),Operation\n1,5,1,[CUDA memset]\n", "a report of nsys", nsys},
             {"Time (%),Total Time (ns),Instances,Avg (ns),Style,Range\n1,5,1,5,PushPop,r\n",
              "a report of nsys", nsys},
             {quoted({"Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"}),
              "a summary of nvprof", nvprof},
             {quoted({"Start", "Duration", "Name", "Correlation_ID"}), "calls of the API from nvprof",
              nvprof},
             {quoted({"Device", "Metric Name", "Metric Unit", "Average"}), "a summary of ncu per GPU",
              "--print-summary per-kernel, or none"},
             // rocprof, its statistics, rocprofv3.
             {quoted({"Index", "KernelName", "gpu-id", "grd", "wgr", "DurationNs"}), "a table of rocprof",
              "a table of counts (kernel, time_us, blocks, threads"},
             {quoted({"Name", "Calls", "TotalDurationNs", "AverageNs"}), "a table of rocprof",
              "a table of counts (kernel, time_us, blocks, threads"},
             {quoted({"Kind", "Kernel_Name", "Start_Timestamp", "Workgroup_Size_X", "Grid_Size_X"}),
              "a table of rocprof", "a table of counts (kernel, time_us, blocks, threads"}}) {
        INFO(report.head);
        const std::string error = input_error_of([&] { studies::read_measured(report.head, "r.csv"); });
        CHECK_THAT(error, Catch::StartsWith("r.csv:1: found " + report.found));
        CHECK_THAT(error, Catch::Contains(report.expected));
    }
    // A trace of nsys without units is named as one.
    CHECK_THAT(input_error_of([] {
                   studies::read_measured(
                       "Start,Length,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Name\n1,5,1,1,1,1,1,1,k\n", "r.csv");
               }),
               Catch::StartsWith("r.csv:1: expected a column 'Duration (UNIT)', found Start, Length, GrdX"));
}

TEST_CASE("the forms in which Nsight Compute prints values are read alike") {
    const auto measured = [](const std::string& time_unit, const std::string& time, const std::string& inst,
                             const std::string& clock_unit, const std::string& clock) {
        return studies::read_measured(
            quoted({"ID", "Kernel Name", "Grid Size", "Block Size", "gpu__time_duration.sum",
                    "smsp__inst_executed.sum", "gpc__cycles_elapsed.avg.per_second"}) +
                quoted({"", "", "", "", time_unit, "inst", clock_unit}) +
                quoted({"0", "k(int)", "(4096, 1, 1)", "(256, 1, 1)", time, inst, clock}),
            "m.csv");
    };
    for (const studies::MeasuredTable& table :
         {measured("us", "25", "3,276,800", "Ghz", "1.41"),                 // --print-units auto
          measured("ns", "25,000", "3,276,800", "hz", "1,410,000,000"),     // --print-units base
          measured("ns", "25000.00", "3276800.00", "hz", "1410000000.00"),  // --print-fp
          measured("ns", "25,000", "3,276,800 (1,638,400; 1,638,400)",
                   "hz",  // --print-metric-instances values
                   "1,410,000,000 (1,400,000,000; 1,420,000,000)"),
          measured("ns", "25,000", "3,276,800 (0: 1,638,400; 1: 1,638,400)", "hz", "1,410,000,000")}) {
        CHECK(table.faults.empty());
        REQUIRE(table.measurements.size() == 1);
        CHECK(table.measurements[0].measured == Approx(25));
        CHECK(table.measurements[0].clock_mhz == Approx(1410));
        CHECK(table.measurements[0].profile->instructions() == Approx(100));
    }
    CHECK_THAT(input_error_of([&] { measured("ns", "25,000", "(1,638,400; 1,638,400)", "hz", "1"); }),
               Catch::EndsWith("smsp__inst_executed.sum: expected a number, found '(1,638,400; 1,638,400)'"));
    CHECK_THAT(fmt::format("{}", fmt::join(measured("ns", "25,000", "no data", "hz", "1").warnings, "\n")),
               Catch::Contains("\n  smsp__inst_executed.sum: instructions are not counted"));
}

namespace {

// nvbench does not quote. Two columns are called Noise and Samples, and 'T' is an axis of the second
// benchmark.
const std::string nvbench_head =
    "Benchmark,Device,Device Name,BlockSize (pow2),BlockSize,NumBlocks,Skipped,Samples,CPU Time (sec),Noise,"
    "GPU Time (sec),Noise,Elem/s (elem/sec),GlobalMem BW (bytes/sec),BWUtil,Samples,Batch GPU (sec),T\n";

std::string nvbench_row(const std::string& name, const std::string& device, const std::string& axes,
                        const std::string& time, const std::string& type = "") {
    return fmt::format("{},{},NVIDIA A100,{},No,480,1,0.01,{},inf,6e9,4e11,0.3,500,2,{}\n", name, device,
                       axes, time, type);
}

using NamedValues = std::vector<std::pair<std::string, double>>;

std::string tuner_results(const std::string& results, const std::string& unit = "milliseconds") {
    return fmt::format(R"({{"results": [{}], "schema_version": "1.0.0", "metadata": {{"timeunit": "{}"}}}})",
                       results, unit);
}

std::string tuner_result(const std::string& configuration, const std::string& runtimes,
                         const std::string& time, const std::string& unit = "",
                         const std::string& invalidity = "correct") {
    return fmt::format(
        R"({{"timestamp": "2024", "configuration": {{{}}}, "objectives": ["time"], "times": {{"compilation": 9,)"
        R"( "framework": 1, "search_algorithm": 0, "validation": 0, "benchmark": 7, "runtimes": [{}]}},)"
        R"( "invalidity": "{}", "correctness": 1, "measurements": [{{"name": "time", "value": {}, "unit": "{}"}},)"
        R"( {{"name": "GFLOP/s", "value": 5, "unit": ""}}]}})",
        configuration, runtimes, invalidity, time, unit);
}

}  // namespace

TEST_CASE("nvbench's benchmarks have times, and a launch shape where their axes give it") {
    const studies::MeasuredTable table = studies::read_measured(
        nvbench_head + nvbench_row("copy", "0", "2^6,64,10", "2.5e-05") +
            "copy,0,NVIDIA A100,2^10,1024,10,Yes,,,,,,,,,,,\n" +
            nvbench_row("copy", "1", "2^6,64,10", "3e-05") + nvbench_row("scan", "0", ",,", "1e-06", "I32") +
            nvbench_row("scan", "0", ",,", "3e-06", "I64") + nvbench_row("scan", "0", ",,", "0", "I8"),
        "b.csv");
    REQUIRE(table.measurements.size() == 4);
    CHECK(table.device == "NVIDIA A100 (0)");
    CHECK(table.measurements[0].kernel == "copy BlockSize=64 NumBlocks=10");
    CHECK(table.measurements[0].function == "copy");
    CHECK(table.measurements[0].measured == Approx(25));
    CHECK(table.measurements[1].kernel == "copy BlockSize=64 NumBlocks=10 [NVIDIA A100 (1)]");
    CHECK(table.measurements[2].kernel == "scan T=I32");
    CHECK(table.ptx_rows.at(0).fields == NamedValues{{"blocks", 10}, {"threads", 64}});
    CHECK(table.ptx_rows.at(2).fields.empty());
    CHECK(table.ptx_rows.at(3).where == "b.csv:6");
    CHECK(table.ignored.empty());
    CHECK(table.faults == std::vector<std::string>{"b.csv:3: the benchmark was skipped",
                                                   "b.csv:7: expected a measured time above 0"});
    CHECK(table.warnings ==
          std::vector<std::string>{"b.csv: nothing is predicted from T: rows that differ in nothing else get "
                                   "the same prediction"});

    // Columns that nvbench hides by default.
    const studies::MeasuredTable more = studies::read_measured(
        "Benchmark,Device,Device Name,Skipped,GPU Time (sec),Min GPU Time (sec),Max GPU Time (sec),Median "
        "GPU "
        "Time (ms),Clock Rate,L1HitRate\nk,0,A,No,1,2e-6,9e-6,0.004,1.41e9,5\n",
        "b.csv");
    CHECK(more.measurements.at(0).measured == Approx(4));
    CHECK(more.measurements[0].least == Approx(2));
    CHECK(more.measurements[0].most == Approx(9));
    CHECK(more.measurements[0].clock_mhz == Approx(1410));
    CHECK(more.ignored == std::vector<std::string>{"L1HitRate"});

    const auto error = [](const std::string& text) {
        return input_error_of([&] { studies::read_measured(text, "b.csv"); });
    };
    std::string acre = nvbench_head;
    acre.replace(acre.find("GPU Time (sec)"), 14, "GPU Time (acre)");
    CHECK(error(acre) == "b.csv:1: GPU Time: expected a unit of time, found 'acre'");
    CHECK_THAT(
        error("Benchmark,Device,Device Name,Skipped,CPU Time (sec)\nk,,,No,1\n"),
        Catch::StartsWith("b.csv:1: expected a column 'GPU Time (UNIT)', which nvbench has for kernels"));
    CHECK(error("Benchmark,Device,Device Name,Skipped,GPU Time (sec)\nk,0,A,Maybe,1\n") ==
          "b.csv:2: Skipped: expected Yes or No, found 'Maybe'");
    CHECK(error("Benchmark,Device,Device Name,Skipped,GPU Time (sec)\nk,0,A,No,\n") ==
          "b.csv:2: expected a time in 'GPU Time (sec)', found none");
}

TEST_CASE("an auto-tuner's results have times, and the block of each configuration") {
    const studies::MeasuredTable table = studies::read_measured(
        tuner_results(
            tuner_result(R"("block_size_x": 32, "block_size_y": 4, "tile": 2)", "4, 3, 5, 3.5, 6", "4.1") +
            ",\n" + tuner_result(R"("block_size_x": 64, "block_size_y": 4, "tile": 2)", "", "7000", "us") +
            ", " +
            tuner_result(R"("block_size_x": 1024, "block_size_y": 4, "tile": 2)", "",
                         R"("RuntimeFailedConfig")", "", "runtime") +
            ", " +
            tuner_result(R"("block_size_x": 96, "block_size_y": 1, "tile": true)", "1, 1", "50", "ms")),
        "some/conv.json");
    REQUIRE(table.measurements.size() == 3);
    CHECK(table.measurements[0].kernel == "conv block_size_x=32 block_size_y=4 tile=2");
    CHECK(table.measurements[0].function == "conv");
    CHECK(table.measurements[0].measured == Approx(4000));
    CHECK(table.measurements[0].least == Approx(3000));
    CHECK(table.measurements[0].most == Approx(6000));
    CHECK(table.measurements[0].launches == 1);
    CHECK(table.measurements[1].measured == Approx(7000));
    CHECK(table.ptx_rows.at(0).fields == NamedValues{{"threads", 128}});
    CHECK(table.ptx_rows[0].block == std::array<std::int64_t, 3>{32, 4, 1});
    CHECK(table.faults ==
          std::vector<std::string>{"some/conv.json: results[2]: an invalid configuration (runtime)"});
    CHECK(table.ignored == std::vector<std::string>{"GFLOP/s"});
    CHECK(table.warnings ==
          std::vector<std::string>{
              "some/conv.json: results[3]: the measurement 'time' is not among the runtimes, whose median is "
              "taken",
              "some/conv.json: nothing is predicted from tile: rows that differ in nothing else get the same "
              "prediction"});
    CHECK(studies::read_measured(tuner_results(tuner_result("", "2", "2", "miliseconds"), "Miliseconds"),
                                 "a.json")
              .measurements.at(0)
              .measured == Approx(2000));

    const auto error = [](const std::string& text) {
        return input_error_of([&] { studies::read_measured(text, "r"); });
    };
    CHECK_THAT(error(tuner_results(tuner_result("", "1", "1"), "furlongs")),
               Catch::StartsWith("r:1: metadata.timeunit: expected a unit of time, found"));
    CHECK_THAT(error(tuner_results(tuner_result("", "1", "1", "furlongs"))),
               Catch::Contains("results[0].measurements[0].unit: expected a unit of time, found"));
    CHECK_THAT(error(R"({"schema_version": "2.0", "results": []})"),
               Catch::Contains("schema_version: expected version 1"));
    CHECK_THAT(error(R"({"schema_version": "1.0", "results": [)" + tuner_result("", "1", "1") + "]}"),
               Catch::Contains("results[0]: expected a unit of its times in metadata.timeunit"));
    CHECK_THAT(error(tuner_results(tuner_result(R"("block_size_x": "wide")", "1", "1"))),
               Catch::Contains("results[0]: block_size_x"));
    CHECK_THAT(error(tuner_results(tuner_result(
                   R"("grid_size_x": 2000000000, "grid_size_y": 2000000000, "grid_size_z": 4)", "1", "1"))),
               Catch::Contains("results[0]: blocks"));
    CHECK_THAT(error(R"({"cache": {}})"), Catch::EndsWith("its store_output_file() writes T4"));
    CHECK_THAT(error(R"({"benchmarks": [], "devices": []})"), Catch::EndsWith("its --csv is read"));
    CHECK_THAT(error(R"({"a": 1})"), Catch::EndsWith("found other JSON"));
}

TEST_CASE("a benchmark gives its time to the one launch next to it that fits") {
    const std::string ncu = quoted(ncu_head) + ncu_launch("0", "saxpy(int, float *)", "0", "8.0", "90,000");
    const auto read = [&](const std::string& benchmark, const std::string& profile) {
        return studies::read_measured(
            std::vector<studies::SourceText>{{benchmark, "b.csv"}, {profile, "m.csv"}});
    };
    const std::string benchmark = nvbench_head + nvbench_row("saxpy", "0", ",256,4096", "2.5e-05");
    CHECK(read(benchmark, ncu).measurements.at(0).measured == Approx(25));
    CHECK(read(benchmark, ncu).ptx_rows.empty());
    // Without a shape, and with the name of the benchmark only.
    const std::string other = nvbench_head + nvbench_row("bench", "0", ",,", "2.5e-05");
    const studies::MeasuredTable renamed = read(other, ncu);
    CHECK(renamed.measurements.at(0).measured == Approx(25));
    CHECK(renamed.measurements[0].function == "saxpy");
    CHECK_THAT(fmt::format("{}", fmt::join(renamed.warnings, "\n")),
               Catch::Contains("b.csv:2: 'bench' is taken for 'saxpy', the only kernel of the other tables"));
    CHECK(read(nvbench_head + nvbench_row("saxpy", "0", ",256,1", "2.5e-05"), ncu).ptx_rows.size() == 1);
    // Several rows for one launch, and several launches for one row.
    CHECK(
        read(other + nvbench_row("bench", "0", ",,", "5e-05", "I8"), ncu).faults ==
        std::vector<std::string>{
            "b.csv:2: expected one row for 'saxpy(int, float *) (4096, 1, 1) (256, 1, 1)', found 2, b.csv:2 "
            "and b.csv:3 among them",
            "b.csv:3: expected one row for 'saxpy(int, float *) (4096, 1, 1) (256, 1, 1)', found 2, b.csv:2 "
            "and b.csv:3 among them"});
    CHECK(read(other + nvbench_row("bench", "0", ",,", "5e-05", "I8"), ncu).measurements.at(0).measured ==
          Approx(90));
    // The same with rows of two files.
    const studies::MeasuredTable both = studies::read_measured(std::vector<studies::SourceText>{
        {other, "b.csv"}, {nsys_head + nsys_kernels, "t.csv"}, {ncu, "m.csv"}});
    CHECK(both.faults.size() == 2);
    CHECK(both.measurements.at(0).measured == Approx(90));
    // The trace is of another build of the kernel.
    const auto traced = [&](const std::string& registers, const std::string& value) {
        std::string trace = nsys_head + nsys_kernels;
        for (std::size_t at = 0; (at = trace.find(",32,0.001", at)) != std::string::npos; ++at)
            trace.replace(at, 9, registers);
        return studies::read_measured(std::vector<studies::SourceText>{
            {trace, "t.csv"},
            {ncu + ncu_row("launch__registers_per_thread", "register/thread", "32") +
                 ncu_row("launch__shared_mem_per_block_static", "byte/block", value),
             "m.csv"}});
    };
    CHECK(traced(",32,0.001", "1,024").measurements.at(0).measured == Approx(26));
    CHECK(traced(",40,0.001", "1,024").measurements.at(0).measured == Approx(90));
    CHECK(
        traced(",40,0.001", "1,024").faults ==
        std::vector<std::string>{
            "t.csv:2: expected 'saxpy(int, float *) (4096, 1, 1) (256, 1, 1)' as m.csv:2 counts it, found 40 "
            "registers and not 32"});
    CHECK_THAT(traced(",32,0.020", "1,024").faults.at(0),
               Catch::EndsWith("found 20000 bytes of shared memory and not 1024"));
    std::string small = ncu_launch("1", "saxpy(int, float *)", "0", "8.0", "9,000");
    for (std::size_t at = 0; (at = small.find("(4096, 1, 1)")) != std::string::npos;)
        small.replace(at, 12, "(16, 1, 1)");
    CHECK_THAT(read(nvbench_head + nvbench_row("saxpy", "0", ",256,", "2.5e-05"), ncu + small).faults.at(0),
               Catch::StartsWith("b.csv:2: 2 launches of the other tables fit 'saxpy BlockSize=256'"));
}

TEST_CASE("of many rows that are left out the first are listed") {
    std::string rows;
    for (int i = 0; i < 30; ++i) rows += fmt::format("k{},0,A,Yes,\n", i);
    const std::string error = input_error_of([&] {
        studies::read_measured("Benchmark,Device,Device Name,Skipped,GPU Time (sec)\n" + rows, "b.csv");
    });
    CHECK(std::count(error.begin(), error.end(), '\n') == 21);
    CHECK_THAT(error, Catch::EndsWith("b.csv:21: the benchmark was skipped\n  and 10 more rows"));
}

TEST_CASE("what a profiler complains of and what is no row is reported") {
    const studies::MeasuredTable table = studies::read_measured(
        "==PROF== Connected\n==ERROR== No metrics to collect\n" + quoted(ncu_head) +
            ncu_launch("0", "saxpy(int)", "0", "8.0", "25,000") + "bye\n==7== Warning: too few passes\n",
        "m.csv");
    REQUIRE(table.warnings.size() >= 3);
    CHECK(table.warnings[0] == "m.csv:2: the profiler reports: ==ERROR== No metrics to collect");
    CHECK(table.warnings[1] == "m.csv:8: the profiler reports: ==7== Warning: too few passes");
    CHECK(table.warnings[2] ==
          "m.csv:7: a line below the header of the table is no row of it and is ignored: output "
          "of the program, or a table that was cut");
}

namespace {

/// A table as fields, into which tests insert constructs.
struct Format {
    const char* name;
    std::vector<std::vector<std::string>> rows;  // the head first
    std::string companion;                       // a second file that it needs
    std::vector<std::size_t> units;  // columns that contain a unit, in the row of units or in all rows
    std::size_t unit_row = 0;        // 0: all rows
    std::size_t metric = 0;          // the column with the names of metrics; 0: none
};

std::vector<Format> formats() {
    const std::string log = quoted({"Device", "Kernel", "Invocations", "Metric Name", "Metric Description",
                                    "Min", "Max", "Avg"}) +
                            quoted({"A (0)", "k", "1", "inst_executed", "", "9", "9", "9"});
    const std::vector<std::vector<std::string>> trace = {
        {"Start", "Duration", "Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z",
         "Registers Per Thread", "Static SMem", "Dynamic SMem", "Device", "Name"},
        {"ms", "us", "", "", "", "", "", "", "", "KB", "B", "", ""},
        {"1", "5", "10", "1", "1", "64", "1", "1", "24", "1", "0", "A (0)", "k [1]"}};
    std::string trace_text;
    for (const auto& row : trace) trace_text += quoted(row);
    return {
        {"plain",
         {{"kernel", "blocks", "threads", "fp32", "time_us"},
          {"a", "1", "32", "4", "5"},
          {"b", "2", "32", "4", "5"}},
         "",
         {}},
        {"nvprof rows",
         {{"kernel", "grid", "block", "inst_executed", "dur_med_us"},
          {"a", "1", "32", "4", "5"},
          {"b", "2", "32", "4", "5"}},
         "",
         {}},
        {"nvprof log",
         {{"Device", "Kernel", "Invocations", "Metric Name", "Metric Description", "Min", "Max", "Avg"},
          {"A (0)", "k", "1", "inst_executed", "", "9", "9", "9"}},
         trace_text,
         {},
         0,
         3},
        {"nvprof trace", trace, log, {1, 9, 10}, 1},
        {"ncu long",
         {{"ID", "Kernel Name", "Block Size", "Grid Size", "Metric Name", "Metric Unit", "Metric Value"},
          {"0", "k", "(64, 1, 1)", "(10, 1, 1)", "gpu__time_duration.sum", "us", "5"},
          {"0", "k", "(64, 1, 1)", "(10, 1, 1)", "smsp__inst_executed.sum", "inst", "2,000"}},
         "",
         {5},
         0,
         4},
        {"ncu summary",
         {{"Kernel Name", "Block Size", "Grid Size", "Invocations", "Metric Name", "Metric Unit", "Minimum",
           "Maximum", "Average"},
          {"k", "(64, 1, 1)", "(10, 1, 1)", "3", "gpu__time_duration.sum", "us", "5", "5", "5"},
          {"k", "(64, 1, 1)", "(10, 1, 1)", "3", "smsp__inst_executed.sum", "inst", "9", "9", "9"}},
         "",
         {5},
         0,
         4},
        {"ncu wide",
         {{"ID", "Kernel Name", "Grid Size", "Block Size", "gpu__time_duration.sum",
           "smsp__inst_executed.sum"},
          {"", "", "", "", "us", "inst"},
          {"0", "k", "(10, 1, 1)", "(64, 1, 1)", "5", "2000"}},
         "",
         {4, 5},
         1},
        {"nsys trace",
         {{"Start (ns)", "Duration (ns)", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd",
           "StcSMem (MB)", "DymSMem (MB)", "Device", "Name"},
          {"9", "5000", "4", "1", "1", "64", "1", "1", "24", "0.001", "0", "A (0)", "k"}},
         "",
         {}},
        {"nvbench",
         {{"Benchmark", "Device", "Device Name", "BlockSize", "NumBlocks", "Skipped", "GPU Time (sec)"},
          {"k", "0", "A", "64", "4", "No", "5"}},
         "",
         {}},
    };
}

/// All messages of the reader: an error, or ignored and omitted parts and warnings.
std::string said(const Format& format) {
    std::string text;
    for (const auto& row : format.rows) text += quoted(row);
    std::vector<studies::SourceText> files = {{text, "m.csv"}};
    if (!format.companion.empty()) files.push_back({format.companion, "companion.csv"});
    try {
        const studies::MeasuredTable table = studies::read_measured(files);
        return fmt::format("{}\n{}\n{}", fmt::join(table.ignored, "\n"), fmt::join(table.faults, "\n"),
                           fmt::join(table.warnings, "\n"));
    } catch (const InputError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("an unknown column, metric, unit, row or value in any table is named in a message") {
    CounterRandom random(7, 0);
    std::array<int, 5> kinds = {};
    for (const Format& format : formats()) REQUIRE_THAT(said(format), !Catch::Contains("zz"));
    for (std::uint64_t i = 0; i < case_count(2'000); ++i) {
        const std::vector<Format> all = formats();
        Format format = all[random.below(static_cast<std::uint32_t>(all.size()))];
        const auto some = [&](std::size_t size) {
            return static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(size)));
        };
        const std::size_t rows = format.rows.size(), width = format.rows[0].size();
        const std::size_t kind = random.below(5);
        const std::string made = fmt::format("zz{}", random.below(1000));
        const std::size_t first = format.unit_row == 0 ? 1 : format.unit_row + 1;
        if (kind == 0) {  // a column
            const auto at = static_cast<std::ptrdiff_t>(some(width + 1));
            for (std::size_t r = 0; r < rows; ++r)
                format.rows[r].insert(format.rows[r].begin() + at, r == 0                 ? made
                                                                   : r == format.unit_row ? ""
                                                                                          : "1");
        } else if (kind == 1) {  // a metric
            if (format.metric == 0) continue;
            std::vector<std::string> row = format.rows.back();
            row[format.metric] = made;
            format.rows.insert(format.rows.begin() + 1 + static_cast<std::ptrdiff_t>(some(rows)), row);
        } else if (kind == 2) {  // a unit
            if (format.units.empty()) continue;
            const std::size_t row = format.unit_row == 0 ? 1 + some(rows - 1) : format.unit_row;
            format.rows[row][format.units[some(format.units.size())]] = made;
        } else if (kind == 3) {  // a row that is too long, and not quoted like the rows of the table
            format.rows.insert(format.rows.begin() + 1 + static_cast<std::ptrdiff_t>(some(rows)),
                               std::vector<std::string>(width + 1, made));
        } else {  // a value in place of a number
            const std::size_t row = first + some(rows - first), at = some(width);
            const std::string& before = format.rows[row][at];
            if (before.empty() || before.find_first_not_of("0123456789.,") != std::string::npos) continue;
            const std::string& column = format.rows[0][at];
            // Values that distinguish launches may be arbitrary, and the start times are not read.
            if (column == "ID" || column == "Device" || column.starts_with("Start") ||
                column == "Invocations")
                continue;
            format.rows[row][at] = made;
        }
        ++kinds[kind];
        INFO(format.name << ", kind " << kind << ", " << made);
        const std::string message = said(format);
        const bool named = message.find(made) != std::string::npos ||
                           (kind == 3 && message.find("m.csv:") != std::string::npos);
        if (!named) UNSCOPED_INFO(message);
        REQUIRE(named);
    }
    for (const int count : kinds) CHECK(count >= static_cast<int>(least_count(50)));
}

TEST_CASE("an unknown member or value anywhere in an auto-tuner's results is named in a message") {
    const std::string text =
        tuner_results(tuner_result(R"("block_size_x": 32, "tile": 2)", "4, 3", "3.5", "ms") + ", " +
                      tuner_result(R"("block_size_x": 64, "tile": 2)", "7", "7", "ms"));
    const auto message = [](const std::string& json) {
        try {
            const studies::MeasuredTable table = studies::read_measured(json, "r.json");
            return fmt::format("{}\n{}\n{}", fmt::join(table.ignored, "\n"), fmt::join(table.faults, "\n"),
                               fmt::join(table.warnings, "\n"));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
    };
    REQUIRE_THAT(message(text), !Catch::Contains("zz"));
    std::size_t members = 0, values = 0;
    // Inserts a member at the beginning of every object.
    for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1), ++members) {
        std::string with = text;
        with.insert(at + 1, R"("zz": 1, )");
        INFO(with);
        REQUIRE_THAT(message(with), Catch::Contains("zz"));
    }
    // Replaces every number that is not ignored, and every unit, by a text.
    for (std::size_t at = text.find(": "); at != std::string::npos; at = text.find(": ", at + 1)) {
        const std::size_t end = text.find_first_of(",}", at);
        const std::string key = text.substr(text.rfind('"', at - 2) + 1, at - text.rfind('"', at - 2) - 2);
        if (key != "value" && key != "unit" && key != "timeunit" && key != "correctness" &&
            key != "invalidity" && key != "block_size_x")
            continue;
        if (text.substr(0, at).ends_with("\"value\"") && text.substr(at, 3) == ": 5") continue;  // of GFLOP/s
        if (text.substr(at, 4) == ": \"\"") continue;                                            // its unit
        std::string with = text;
        with.replace(at + 2, end - at - 2, "\"zz\"");
        INFO(with);
        REQUIRE_THAT(message(with), Catch::Contains("zz"));
        ++values;
    }
    CHECK(members == 12);
    CHECK(values == 11);
}

#include "analysis/studies/files/read_measured.hpp"

#include "engine/base/random.hpp"
#include "tests/support/bad_input.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string error_of(std::string_view text) {
    return input_error_of([&] { studies::read_measured(text, "m.csv"); });
}

}  // namespace

TEST_CASE("a plain table: counts of a warp, cycles or microseconds") {
    const auto table = studies::read_measured(
        "kernel,warps,arith,shared,global,note,cycles\nk<1>,8,414,0,129,x,5400\n", "m.csv");
    CHECK(table.format == studies::MeasuredFormat::plain);
    CHECK(table.unit == "cycles");
    CHECK(table.ignored == std::vector<std::string>{"note"});
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].function == "k");
    CHECK(table.measurements[0].warps == 8);
    CHECK(table.measurements[0].counts == netgen::WarpCounts{414, 0, 129});
    CHECK(table.measurements[0].measured == 5400);
    CHECK_FALSE(table.measurements[0].profile);
}

TEST_CASE("a plain table with a launch shape serves all families") {
    const auto table = studies::read_measured(
        "kernel,blocks,threads,fp32,loads,load_sectors,global,time_us\nk,96,256,40,,16,3,12.5\n", "m.csv");
    const netgen::KernelProfile& kernel = table.measurements[0].profile.value();
    CHECK(kernel.blocks == 96);
    CHECK(kernel.threads == 256);
    CHECK(kernel.fp32 == 40);
    CHECK(kernel.loads.requests == 3);  // 'loads' is empty, so 'global' counts
    CHECK(kernel.loads.sectors == 16);
    CHECK(kernel.stores.sectors == 4);
    CHECK(table.measurements[0].measured == 12.5);
}

TEST_CASE("launches of nvprof with one shape are one measurement, the median") {
    const std::string head = "kernel,grid,block,inst_executed,dur_med_us,launches\n";
    const auto table = studies::read_measured(
        head + "k,10x1x1,64x1x1,2000,5,3\nk,20x1x1,32x1x1,2000,8,1\nk,10x1x1,64x1x1,2000,7,2\n", "m.csv");
    CHECK(table.format == studies::MeasuredFormat::nvprof);
    REQUIRE(table.measurements.size() == 2);
    CHECK(table.measurements[0].measured == 6);
    CHECK(table.measurements[0].launches == 5);
    CHECK(table.measurements[0].mean == Approx(5.8));  // 3 launches of 5 us, 2 of 7 us
    CHECK(table.measurements[0].kernel == "k 10x1x1 64x1x1");
    CHECK(table.measurements[0].profile->instructions() == Approx(100));
}

TEST_CASE("launches of one shape that do other work have counters of their own") {
    const std::string head =
        "kernel,grid,block,inst_executed,ldst_executed,dram_read_transactions,gld_transactions,"
        "gld_transactions_per_request,dur_med_us,launches\n";
    const std::string shape = "k,10x1x1,64x1x1,";
    const auto table = studies::read_measured(
        head + shape + "2000,100,100,400,4,5,3\n" + shape + "20000,100,100,400,4,50,1\n" + shape +
            "2020,100,400,400,4,7,1\n" + shape + "2000,100,100,3200,32,9,1\n",
        "m.csv");
    REQUIRE(table.measurements.size() == 3);
    CHECK(table.measurements[0].kernel == "k 10x1x1 64x1x1");
    CHECK(table.measurements[0].launches == 4);
    CHECK(table.measurements[0].profile->instructions() == Approx(100.25));
    CHECK(table.measurements[0].profile->dram_bytes == Approx(32 * 175));
    CHECK(table.measurements[1].kernel == "k 10x1x1 64x1x1 [20000 instructions, 400 sectors]");
    CHECK(table.measurements[1].measured == 50);
    CHECK(table.measurements[1].profile->instructions() == Approx(1000));
    CHECK(table.measurements[2].kernel == "k 10x1x1 64x1x1 [2000 instructions, 3200 sectors]");
    CHECK(table.measurements[2].profile->loads.transactions == 32);
    CHECK(std::any_of(table.warnings.begin(), table.warnings.end(), [](const std::string& warning) {
        return warning ==
               "m.csv: counters that differ by more than a tenth from launch to launch, of which the means "
               "are "
               "taken:\n  k 10x1x1 64x1x1: dram_read_transactions 100 to 400";
    }));
}

TEST_CASE("which launches do the same work does not depend on the order of the rows") {
    const std::string head =
        "kernel,grid,block,inst_executed,ldst_executed,gld_transactions,gld_transactions_per_request,dur_med_"
        "us\n";
    std::vector<std::string> rows;
    for (const int instructions : {2000, 2300, 2600, 2900, 3300})
        rows.push_back(fmt::format("k,10x1x1,64x1x1,{},100,400,4,{}\n", instructions, instructions / 100));
    do {
        const auto table = studies::read_measured(head + fmt::format("{}", fmt::join(rows, "")), "m.csv");
        std::vector<double> times;
        for (const studies::Measurement& measurement : table.measurements)
            times.push_back(measurement.measured);
        std::ranges::sort(times);
        REQUIRE(times == std::vector<double>{21.5, 27.5, 33});  // 2000 and 2300, 2600 and 2900, 3300
    } while (std::ranges::next_permutation(rows).found);
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
    const auto table = studies::read_measured(text, "m.csv");
    CHECK(table.format == studies::MeasuredFormat::nsight);
    REQUIRE(table.measurements.size() == 2);
    CHECK(table.measurements[0].measured == 5);
    CHECK(table.measurements[0].launches == 1);
    CHECK(table.measurements[0].function == "k");
    CHECK(table.measurements[0].profile->instructions() == Approx(100));
    CHECK(table.measurements[1].measured == 7);
    CHECK(table.measurements[1].profile->instructions() == Approx(499.95));
}

TEST_CASE("Nsight Compute, one launch a row with a row of units") {
    const auto table = studies::read_measured(
        "\"ID\",\"Kernel Name\",\"Grid Size\",\"Block "
        "Size\",\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\"\n"
        "\"\",\"\",\"\",\"\",\"msecond\",\"inst\"\n"
        "\"0\",\"k\",\"(10, 1, 1)\",\"(64, 1, 1)\",\"0.5\",\"2000\"\n",
        "m.csv");
    REQUIRE(table.measurements.size() == 1);
    CHECK(table.measurements[0].measured == 500);
    CHECK(table.measurements[0].profile->instructions() == Approx(100));
}

TEST_CASE("launches of different cases stay apart") {
    const auto table = studies::read_measured(
        "\"case\",\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
        "Size\",\"gpu__time_duration.sum\",\"smsp__inst_"
        "executed.sum\"\n"
        "\"\",\"\",\"\",\"\",\"\",\"us\",\"inst\"\n"
        "\"7\",\"0\",\"k\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"2\",\"2000\"\n"
        "\"7\",\"1\",\"k\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"4\",\"2000\"\n"
        "\"9\",\"2\",\"k\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"8\",\"9000\"\n",
        "m.csv");
    REQUIRE(table.measurements.size() == 2);
    CHECK(table.measurements[0].measured == 3);
    CHECK(table.measurements[1].measured == 8);
    CHECK(table.measurements[1].function == "k");
    CHECK(table.measurements[1].kernel == "k (10, 1, 1) (64, 1, 1) [case 9]");
    CHECK(table.ignored.empty());
}

TEST_CASE("a plain table gives the launch shape in up to three dimensions") {
    const auto table = studies::read_measured(
        "id,kernel,grid,block,dynamic_shared,fp32,time_us,least_us,most_us,clock_mhz\n"
        "1,k,8x4x1,32x8x1,512,40,12.5,12,14,1980\n",
        "m.csv");
    const studies::Measurement& row = table.measurements.at(0);
    CHECK(row.profile->blocks == 32);
    CHECK(row.profile->threads == 256);
    CHECK(row.profile->shared_bytes == 512);
    CHECK(row.least == 12);
    CHECK(row.most == 14);
    CHECK(row.clock_mhz == 1980);
    CHECK(table.ignored.empty());
    const auto coded = studies::read_measured(
        "kernel,grid,block,dynamic_shared,ptx,time_us\nk,8x4,32x8,64,k.ptx,1\n", "m.csv");
    const studies::PtxRow& code = coded.ptx_rows.at(0);
    CHECK(code.grid == std::array<std::int64_t, 3>{8, 4, 1});
    CHECK(code.block == std::array<std::int64_t, 3>{32, 8, 1});
    CHECK(code.dynamic_shared == 64);
    CHECK(code.fields == std::vector<std::pair<std::string, double>>{{"blocks", 32.0}, {"threads", 256.0}});
}

TEST_CASE("malformed tables are refused with file and line") {
    CHECK(error_of("") == "m.csv: expected a table of measurements, found nothing");
    CHECK(error_of("kernel,arith,time_us\n") ==
          "m.csv: expected at least one row of measurements, found none");
    CHECK(error_of("kernel,arith\nk,1\n") ==
          "m.csv:1: expected one column 'time_us' or 'cycles', found kernel, arith ('compare --columns' "
          "lists the supported columns)");
    CHECK(
        error_of("kernel,arith,time_us,cycles\nk,1,1,1\n")
            .starts_with(
                "m.csv:1: expected one column 'time_us' or 'cycles', found kernel, arith, time_us, cycles"));
    CHECK(
        error_of("kernel,time_us\nk,1\n").starts_with("m.csv:1: expected the columns arith, shared, global"));
    CHECK(error_of("kernel,arith,time_us\nk,1\n") ==
          "m.csv:2: expected 3 fields as in the header of the table, found 2");
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
              .starts_with("m.csv:2: expected the columns Grid Size and Block Size"));
    CHECK(error_of("Kernel Name,Grid Size,Block Size,gpu__time_duration.sum\n,,,furlong\nk,1,1,2\n") ==
          "m.csv:3: gpu__time_duration.sum: expected a unit of time, found 'furlong'");
}

namespace {

// A log of metrics and a trace of nvprof, with output of a program and a shell around them.
const std::string log_text =
    "\xEF\xBB\xBF==1== NVPROF is profiling process 1, command: ./p\n"
    "result, with a comma: 5\n"
    "==1== Metric result:\n"
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\r\n"
    "\"GeForce GTX 950 (0)\",\"k(int*, int)\",2,\"inst_executed\",\"Instructions "
    "Executed\",2000,2000,2000\r\n"
    "\"GeForce GTX 950 (0)\",\"two(int)\",2,\"inst_executed\",\"Instructions Executed\",10,90,50\r\n"
    "\"GeForce GTX 950 (0)\",\"gone(int)\",1,\"inst_executed\",\"Instructions Executed\",10,10,10\r\n";
const std::string trace_head =
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers "
    "Per "
    "Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Device\",\"Name\"\n";
const std::string trace_text =
    trace_head +
    "ms,us,,,,,,,,KB,B,MB,,\n"
    "1.0,9.5,,,,,,,,,,4.0,\"GeForce GTX 950 (0)\",\"[CUDA memcpy HtoD]\"\n"
    "2.0,5.0,10,1,1,64,1,1,24,1.500000,256,,\"GeForce GTX 950 (0)\",\"k(int*, int) [7]\"\n"
    "3.0,7.0,10,1,1,64,1,1,24,1.500000,256,,\"GeForce GTX 950 (0)\",\"k(int*, int) [9]\"\n"
    "4.0,7.0,10,1,1,64,1,1,24,0,0,,\"GeForce GTX 950 (0)\",\"two(int) [11]\"\n"
    "5.0,7.0,20,1,1,64,1,1,24,0,0,,\"GeForce GTX 950 (0)\",\"two(int) [12]\"\n";

studies::MeasuredTable joined(const std::string& first, const std::string& second) {
    const std::vector<studies::SourceText> files = {{first, "a.csv"}, {second, "b.csv"}};
    return studies::read_measured(files);
}

}  // namespace

TEST_CASE("a log of nvprof's metrics and its trace are joined by the kernel's name, in any order") {
    for (const bool log_first : {true, false}) {
        const studies::MeasuredTable table =
            log_first ? joined(log_text, trace_text) : joined(trace_text, log_text);
        REQUIRE(table.measurements.size() == 1);
        const studies::Measurement& one = table.measurements[0];
        CHECK(one.kernel == "k(int*, int) 10x1x1 64x1x1");
        CHECK(one.measured == 6);
        CHECK(one.least == 5);
        CHECK(one.most == 7);
        CHECK(one.launches == 2);
        CHECK(one.profile->registers == 24);
        CHECK(one.profile->shared_bytes == 1536 + 256);
        CHECK(one.profile->instructions() == Approx(100));
        CHECK(table.device == "GeForce GTX 950 (0)");
        // Ignored parts are reported, and missing parts with their consequence, all of it at once.
        REQUIRE(table.warnings.size() == 3);
        CHECK_THAT(table.warnings[0], Catch::Contains("'two(int)' was launched in 2 shapes"));
        CHECK_THAT(table.warnings[1], Catch::Contains("no kernel 'gone(int)'"));
        CHECK_THAT(table.warnings[2],
                   Catch::Contains("gld_transactions, gld_transactions_per_request: global loads"));
        CHECK_THAT(table.warnings[2], Catch::Contains("dram_read_transactions"));
        CHECK_THAT(table.warnings[2], Catch::Contains("--metrics-for nvprof"));
    }
}

TEST_CASE("one of nvprof's two files alone is refused with the command that makes the other") {
    CHECK_THAT(error_of(log_text), Catch::Contains("--print-gpu-trace"));
    CHECK_THAT(error_of(trace_text), Catch::Contains("--metrics inst_executed"));
    CHECK_THAT(error_of("\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"),
               Catch::Contains("summary"));
}

TEST_CASE("a file of UTF-16, as a redirection of PowerShell makes it") {
    std::string wide = "\xFF\xFE";
    for (const char c : log_text.substr(3)) {
        wide += c;
        wide += '\0';
    }
    CHECK(joined(wide, trace_text).measurements.size() == 1);
}

TEST_CASE("units of Nsight Compute: kilobytes are not bytes, and differ from row to row") {
    const std::string head =
        "program output\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric "
        "Unit\",\"Metric Value\"\n";
    const auto row = [](const std::string& name, const std::string& unit, const std::string& value) {
        return "\"0\",\"k(int)\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"" + name + "\",\"" + unit + "\",\"" + value +
               "\"\n";
    };
    const studies::MeasuredTable table = studies::read_measured(
        head + row("Duration", "usecond", "12.5") + row("SM Frequency", "cycle/nsecond", "1.25") +
            row("Executed Instructions", "inst", "2,000") +
            row("Registers Per Thread", "register/thread", "32") +
            row("Static Shared Memory Per Block", "Kbyte/block", "48.00") +
            row("Dynamic Shared Memory Per Block", "byte/block", "512") +
            row("dram__bytes_read.sum", "Mbyte", "1.6") + "the program says goodbye\n",
        "m.csv");
    REQUIRE(table.measurements.size() == 1);
    const studies::Measurement& one = table.measurements[0];
    CHECK(one.measured == 12.5);
    CHECK(one.clock_mhz == Approx(1250));
    CHECK(one.profile->shared_bytes == 48000 + 512);
    CHECK(one.profile->registers == 32);
    CHECK(one.profile->dram_bytes == Approx(1.6e6));
    CHECK(one.profile->instructions() == Approx(100));
    REQUIRE(table.warnings.size() == 2);
    CHECK_THAT(table.warnings[0], Catch::StartsWith("m.csv:10: a line below the header of the table"));
    CHECK_THAT(table.warnings[1], Catch::Contains("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"));
    CHECK_THAT(table.warnings[1], !Catch::Contains("launch__registers_per_thread"));
}

TEST_CASE("without the number of instructions only memory requests are known, and a warning says so") {
    const studies::MeasuredTable table = studies::read_measured(
        "\"ID\",\"Kernel Name\",\"Grid Size\",\"Block "
        "Size\",\"gpu__time_duration.sum\",\"l1tex__t_requests_pipe_lsu_mem_"
        "global_op_ld.sum\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n"
        "\"\",\"\",\"\",\"\",\"ms\",\"request\",\"Ksector\"\n"
        "\"0\",\"k\",\"(10, 1, 1)\",\"(64, 1, 1)\",\"0.5\",\"200\",\"1.6\"\n",
        "m.csv");
    const netgen::KernelProfile& kernel = table.measurements.at(0).profile.value();
    CHECK(kernel.loads.requests == 10);
    CHECK(kernel.loads.sectors == 8);
    REQUIRE(kernel.unknowns.size() == 1);
    CHECK_THAT(kernel.unknowns[0], Catch::Contains("smsp__inst_executed.sum is missing"));
}

TEST_CASE("a profiler's table that was cut is refused with its line") {
    CHECK(error_of(log_text + "\"GeForce GTX 950 (0)\",\"k\",2,\"ipc\"\n") ==
          "m.csv:8: expected 8 fields as in the header of the table (line 4), found 4");
    CHECK(error_of(log_text + "\"GeForce GTX 950 (0)\",\"k") == "m.csv:8: a quote is opened and not closed");
}

TEST_CASE("tables with a character changed are read or refused, never worse") {
    for (const bool log : {true, false}) {
        read_damaged(log ? log_text : trace_text, CounterRandom(11, 5), 600, [&](const std::string& text) {
            const studies::MeasuredTable table = joined(text, log ? trace_text : log_text);
            CHECK_FALSE(table.measurements.empty());
        });
    }
}

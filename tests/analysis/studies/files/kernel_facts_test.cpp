#include "analysis/studies/files/kernel_facts.hpp"

#include "analysis/studies/files/read_measured.hpp"
#include "analysis/studies/files/read_measurements.hpp"
#include "engine/net/error.hpp"
#include "tests/support/shared_data.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

// 16 warps with 10 loads; 2 lines of 128 bytes per load, of which L2 counted 5 sectors.
const std::string table =
    "kernel,grid,block,dur_med_us,inst_executed,gld_transactions,gld_transactions_per_request,"
    "l2_read_transactions\n"
    "void copy<int>(int*),4x1x1,128x1x1,10,1600,320,2,800\n";

netgen::KernelProfile profile(const std::string& facts, studies::MeasuredOptions options = {}) {
    options.line_transactions = true;
    if (!facts.empty()) options.facts = studies::read_kernel_facts(facts, "facts.csv");
    return studies::read_measured(table, "table.csv", options).measurements.at(0).profile.value();
}

}  // namespace

TEST_CASE("facts override what counters say") {
    CHECK(profile("").barriers == 0);
    const netgen::KernelProfile kernel = profile("kernel,barriers,common_sectors,common_lines\ncopy,3,,\n");
    CHECK(kernel.barriers == 3);
    CHECK(kernel.common_sectors == 0);
    CHECK(kernel.loads.sectors == Approx(8));  // an empty cell is ignored
    CHECK(profile("kernel,barriers\nother,3\n").barriers == 0);
}

TEST_CASE("facts override what a table of counts says") {
    studies::MeasuredOptions options;
    options.facts = studies::read_kernel_facts("kernel,barriers\ncopy,3\n", "facts.csv");
    const studies::MeasuredTable table = studies::read_measured(
        "kernel,blocks,threads,fp32,barriers,time_us\ncopy,4,64,9,1,10\nother,4,64,9,1,10\n", "table.csv",
        options);
    REQUIRE(table.measurements.size() == 2);
    CHECK(table.measurements[0].profile->barriers == 3);
    CHECK(table.measurements[1].profile->barriers == 1);
}

TEST_CASE("where common lines are known, a line has the sectors that L2 counted") {
    CHECK(profile("").loads.sectors == Approx(8));
    const std::string facts = "kernel,common_sectors\ncopy,1\n";
    CHECK(profile(facts).loads.sectors == Approx(5));
    CHECK(profile(facts).common_sectors == 1);
    studies::MeasuredOptions without;
    without.l2_counters = false;
    CHECK(profile(facts, without).loads.sectors == Approx(8));
}

TEST_CASE("the function of a kernel is its name without types, arguments and shape") {
    CHECK(studies::fact_function("void copy<int>(int*) 4x1x1 32x1x1") == "copy");
    CHECK(studies::fact_function("copy(int*)") == "copy");
    CHECK(studies::fact_function("copy 4x1x1 32x1x1") == "copy");
}

TEST_CASE("broken facts are refused") {
    CHECK_THROWS_WITH(studies::read_kernel_facts("", "f.csv"),
                      "f.csv: expected a table of facts, found nothing");
    CHECK_THROWS_WITH(studies::read_kernel_facts("name,barriers\nk,1\n", "f.csv"),
                      "f.csv:1: expected a column 'kernel', found name, barriers");
    CHECK_THROWS_WITH(studies::read_kernel_facts("kernel,speed\nk,1\n", "f.csv"),
                      Catch::Contains("found 'speed'"));
    CHECK_THROWS_WITH(studies::read_kernel_facts("kernel,barriers\nk,many\n", "f.csv"),
                      "f.csv:2: barriers: expected a number, found 'many'");
    CHECK_THROWS_WITH(studies::read_kernel_facts("kernel,barriers\nk,1\nk,2\n", "f.csv"),
                      "f.csv:3: kernel 'k' appears twice");
    CHECK_THROWS_WITH(studies::read_kernel_facts("kernel,barriers\n,1\n", "f.csv"),
                      "f.csv:2: expected a 'kernel', found none");
    CHECK_THROWS_AS(studies::read_kernel_facts("kernel,barriers\nk\n", "f.csv"), InputError);
    CHECK_THROWS_WITH(profile("kernel,barriers\ncopy,-1\n"), Catch::Contains("barriers must lie in"));
}

TEST_CASE("a folder has the tables that exist, and the registers in resources.txt") {
    const testing::ScratchFolder folder;
    CHECK_THROWS_WITH(studies::read_measured_folder(folder.path()),
                      Catch::Contains("expected counters.csv or times.csv in the folder, found neither"));
    std::ofstream(folder.path() + "/times.csv") << "kernel\n";
    const studies::MeasuredFolder without = studies::read_measured_folder(folder.path());
    REQUIRE(without.tables.size() == 1);
    CHECK(without.tables[0].name == "times.csv");
    CHECK(without.tables[0].between_events);
    CHECK(without.resources.functions().empty());
    std::ofstream(folder.path() + "/counters.csv") << "kernel\n";
    std::ofstream(folder.path() + "/resources.txt")
        << "ptxas info    : Compiling entry function 'copy' for 'sm_90'\nptxas info    : Used 18 registers\n";
    const studies::MeasuredFolder all = studies::read_measured_folder(folder.path());
    CHECK(all.tables.size() == 2);
    CHECK_FALSE(all.tables[0].between_events);
    CHECK(all.resources.functions() == std::vector<std::string>{"copy"});
    CHECK(all.launches == folder.path() + "/times.csv");
}

TEST_CASE("launches in a folder's counters take from the code of the same id what counters do not have") {
    const testing::ScratchFolder folder;
    std::ofstream(folder.path() + "/k.ptx")
        << ".version 9.0\n.target sm_90\n.entry k(.param .u64 p)\n{\nld.param.u64 %rd1, [k_param_0];\n"
           "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+64];\nadd.f32 %f3, %f1, %f2;\n"
           "bar.sync 0;\nred.global.add.f32 [%rd1], %f3;\nret;\n}\n";
    const std::string times = folder.path() + "/times.csv";
    std::ofstream(times) << "id,kernel,ptx,block,grid,time_us\n7,k,k.ptx,64x1x1,10x1x1,5\n";
    const std::string counters =
        "\"case\",\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
        "Size\",\"gpu__time_duration.sum\",\"smsp__inst_"
        "executed.sum\",\"smsp__sass_thread_inst_executed_op_misc_pred_on.sum\"\n"
        "\"\",\"\",\"\",\"\",\"\",\"us\",\"inst\",\"inst\"\n"
        "\"7\",\"0\",\"k\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"2\",\"200\",\"6400\"\n"
        "\"9\",\"1\",\"k\",\"(64, 1, 1)\",\"(10, 1, 1)\",\"8\",\"9000\",\"6400\"\n";
    const studies::SourceText text{counters, "counters.csv"};
    studies::MeasuredOptions options;
    const auto read = [&] { return studies::read_measurements({&text, 1}, options, {.launches = times}); };
    const studies::MeasuredTable with = read();
    REQUIRE(with.measurements.size() == 2);
    CHECK(with.measurements[0].id == "7");
    // Two loads at a time, and nothing waits for the reduction: one wait for two requests.
    CHECK(with.measurements[0].profile->waiting.loads == Approx(1 / 2.0));
    CHECK(with.measurements[0].profile->barriers == 1);
    CHECK(with.measurements[0].profile->one_word_float_atomics == 32);
    CHECK_FALSE(with.measurements[1].profile->waiting.known);
    CHECK_THAT(with.warnings.back(), Catch::EndsWith("for 1 of 2 measurements"));
    options.code = false;
    CHECK_FALSE(read().measurements[0].profile->waiting.known);
}

TEST_CASE("registers are those that ptxas prints for the architecture of the device") {
    const auto entry = [](const std::string& kernel, const std::string& target, const std::string& used) {
        return "ptxas info    : Compiling entry function '" + kernel + "' for '" + target +
               "'\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : " +
               used + ", used 0 barriers\n";
    };
    std::vector<std::string> warnings;
    const std::string both =
        entry("copy", "sm_90a", "Used 18 registers") + entry("copy", "sm_50", "Used 255 registers");
    const studies::KernelFacts facts = studies::read_resources(both, "r.txt", "9.0", warnings);
    CHECK(warnings.empty());
    CHECK(facts.functions() == std::vector<std::string>{"copy"});
    netgen::KernelProfile kernel = profile("");
    facts.apply("copy", kernel);
    CHECK(kernel.registers == 18);
    CHECK(studies::read_resources(both, "r.txt", "5.0", warnings).find("copy", "registers") == 255);
    CHECK(warnings.empty());
    const auto said = [&](const std::string& text, bool registers) {
        warnings.clear();
        CHECK(studies::read_resources(text, "r.txt", "8.0", warnings).functions().empty() != registers);
        REQUIRE(warnings.size() == 1);
        return warnings.front();
    };
    CHECK(said(both, false) ==
          "r.txt: expected one line \"Used N registers\" per kernel for sm_80, found none or several for "
          "1 kernel, whose registers count as unknown: copy");
    CHECK(said(entry("copy", "sm_50", "Used 30 registers"), true) ==
          "r.txt: compiled for sm_50, and the device has compute capability 8.0: its register counts may "
          "differ");
    CHECK_THAT(said(entry("copy", "sm_80", "used 30 regs"), false), Catch::Contains("unknown: copy"));
    CHECK_THAT(said(entry("copy", "sm_80", "Used 30 registers") + entry("copy", "sm_80", "Used 31 registers"),
                    false),
               Catch::Contains("unknown: copy"));
    CHECK_THROWS_WITH(studies::read_resources("nvcc: done\n", "r.txt", "8.0", warnings),
                      Catch::StartsWith("r.txt: ") && Catch::EndsWith("found no kernel"));
}

TEST_CASE("shared memory and spills are read as well, also as cuobjdump lists them") {
    std::vector<std::string> warnings;
    const studies::KernelFacts ptxas = studies::read_resources(
        "ptxas info    : Compiling entry function 'k' for 'sm_86'\nptxas info    : Function properties for "
        "k\n"
        "    168 bytes stack frame, 312 bytes spill stores, 316 bytes spill loads\n"
        "ptxas info    : Used 64 registers, used 1 barriers, 168 bytes cumulative stack size, 1024 bytes "
        "smem\n",
        "r.txt", "8.6", warnings);
    const studies::KernelFacts listed = studies::read_resources(
        "Fatbin elf code:\n================\narch = sm_86\n\nResource usage:\n Common:\n  GLOBAL:0\n "
        "Function k:\n"
        "  REG:64 STACK:168 SHARED:2048 LOCAL:0 CONSTANT[0]:364 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
        "Fatbin elf code:\narch = sm_52\n Function k:\n  REG:40 STACK:0 SHARED:1024 LOCAL:0\n",
        "r.txt", "8.6", warnings);
    CHECK(warnings.empty());
    for (const studies::KernelFacts* facts : {&ptxas, &listed}) {
        CHECK(facts->find("k", "registers") == 64);
        CHECK(facts->find("k", "shared_bytes") == 1024);
    }
    netgen::KernelProfile kernel = profile("");
    kernel.shared_bytes = 4096;  // declared
    studies::apply_resources(ptxas, "k", kernel);
    CHECK(kernel.registers == 64);
    CHECK(kernel.shared_bytes == 4096);
    CHECK(kernel.spill_loads == 79);
    CHECK(kernel.spill_stores == 78);
    CHECK_THAT(kernel.unknowns.back(), Catch::Contains("79 loads and 78 stores of 4 bytes count once"));
    kernel = profile("");
    studies::apply_resources(listed, "k", kernel);
    CHECK(kernel.shared_bytes == 1024);
    CHECK(kernel.unknowns.empty());
    CHECK(studies::read_resources("arch = sm_52\n Function k:\n  REG:40 STACK:0 SHARED:1024 LOCAL:0\n",
                                  "r.txt", "5.2", warnings)
              .find("k", "shared_bytes") == 1024);
}

#include "netgen/sm/kernel_metrics.hpp"

#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// 10 blocks of 64 threads: 20 warps of 100 instructions.
netgen::KernelMetrics plain_kernel() {
    return {{"kernel", "k(int*)"},
            {"grid", "10x1x1"},
            {"block", "64x1x1"},
            {"regs", "24"},
            {"static_smem", "0"},
            {"inst_executed", "2000"},
            {"inst_issued", "2000"},
            {"issue_slots", "1800"},
            {"inst_fp_32", "12800"},  // 20 of each thread
            {"inst_fp_64", "0"},
            {"inst_integer", "25600"},  // 40
            {"inst_bit_convert", "0"},
            {"inst_misc", "6400"},  // 10
            {"inst_inter_thread_communication", "0"},
            {"inst_compute_ld_st", "5120"},  // 8
            {"cf_executed", "200"},          // 10
            {"ldst_executed", "200"},        // 10: 8 accesses, and the indices of the thread and of the block
            {"gld_transactions", "960"},
            {"gld_transactions_per_request", "8"},  // 6 a warp
            {"gst_transactions", "160"},
            {"gst_transactions_per_request", "4"},  // 2 a warp
            {"global_hit_rate", "50.0%"},
            {"l2_tex_read_hit_rate", "25%"},
            {"dram_read_transactions", "360"},
            {"dram_write_transactions", "80"}};
}

}  // namespace

TEST_CASE("counters of a kernel become what a warp executes") {
    const netgen::KernelProfile kernel = netgen::profile_of_metrics(plain_kernel(), "row 2");
    CHECK(kernel.name == "k(int*)");
    CHECK(kernel.blocks == 10);
    CHECK(kernel.threads == 64);
    CHECK(kernel.registers == 24);
    CHECK(kernel.instructions() == Approx(100));
    CHECK(kernel.dual_issue == Approx(0.1));
    CHECK(kernel.branches == Approx(10));
    CHECK(kernel.barriers == 0);
    // 80 instructions compute, divided as 20 : 40 : 10; in addition two positions are read.
    CHECK(kernel.fp32 == Approx(80 * 2 / 7.0));
    CHECK(kernel.integer == Approx(80 * 4 / 7.0));
    CHECK(kernel.other == Approx(80 / 7.0 + 2));
    CHECK(kernel.loads.requests == Approx(6));
    CHECK(kernel.stores.requests == Approx(2));
    CHECK(kernel.stores.sectors == Approx(4));
    CHECK(kernel.stores.dram_share == Approx(0.5));
    CHECK(kernel.dram_bytes == Approx(32 * 440));
}

TEST_CASE("half of the transactions of a load seem to hit L1: they are 4 sectors from L2") {
    const netgen::KernelProfile kernel = netgen::profile_of_metrics(plain_kernel(), "row");
    CHECK(kernel.loads.transactions == Approx(8));
    CHECK(kernel.loads.sectors == Approx(4));
    CHECK(kernel.loads.l1_share == 0);
    CHECK(kernel.loads.dram_share == Approx(0.75));  // 360 of 480 sectors, and 75 % miss L2
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["global_hit_rate"] = "80%";
    CHECK(netgen::profile_of_metrics(metrics, "row").loads.l1_share == Approx(0.6));
}

TEST_CASE("static shared memory is kilobytes with a decimal point and bytes without") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["static_smem"] = "2.000000";
    CHECK(netgen::profile_of_metrics(metrics, "row").shared_bytes == 2048);
    metrics["static_smem"] = "128";
    CHECK(netgen::profile_of_metrics(metrics, "row").shared_bytes == 128);
}

TEST_CASE("atomics on shared memory count twice and with absurd transactions a request") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["shared_load_transactions"] = metrics["shared_store_transactions"] = "6000";
    metrics["shared_load_transactions_per_request"] = metrics["shared_store_transactions_per_request"] =
        "644.2";
    const netgen::KernelProfile kernel = netgen::profile_of_metrics(metrics, "row");
    CHECK(kernel.shared_loads * kernel.shared_load_transactions == Approx(300));
    CHECK(kernel.shared_stores == 0);
}

TEST_CASE("what is left of the load/store counter are barriers") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["ldst_executed"] = "260";  // 3 more per warp than accesses and positions
    CHECK(netgen::profile_of_metrics(metrics, "row").barriers == 3);
    metrics["block"] = "8x8x1";  // two more positions are read
    CHECK(netgen::profile_of_metrics(metrics, "row").barriers == 1);
    CHECK(netgen::profile_of_metrics(metrics, "row").instructions() == Approx(100));
}

TEST_CASE("classes of half-empty warps are scaled to whole instructions") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["block"] = "16x1x1";
    metrics["inst_executed"] = "1000";
    metrics["cf_executed"] = metrics["ldst_executed"] = "0";
    for (const char* name : {"gld_transactions", "gld_transactions_per_request", "gst_transactions",
                             "gst_transactions_per_request", "inst_compute_ld_st"})
        metrics[name] = "0";
    CHECK(netgen::profile_of_metrics(metrics, "row").instructions() == Approx(100));
}

TEST_CASE("malformed counters are refused with their row and name") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["inst_executed"] = "many";
    CHECK_THROWS_WITH(netgen::profile_of_metrics(metrics, "row 7"),
                      "row 7: inst_executed: expected a number, found 'many'");
    metrics.erase("inst_executed");
    CHECK(netgen::profile_of_metrics(metrics, "row 7").unknowns ==
          std::vector<std::string>{"inst_executed is missing: only memory requests are counted"});
    metrics.erase("grid");
    CHECK_THROWS_WITH(netgen::profile_of_metrics(metrics, "row 7"),
                      "row 7: expected a value for 'grid', found none");
    CHECK(netgen::metric_number("1,234.5", "") == 1234.5);
    CHECK(netgen::metric_percent("99.6%", "") == 99.6);
    CHECK(netgen::metric_percent("99.6", "") == 99.6);
    CHECK_THROWS_AS(netgen::metric_percent("99.6%%", ""), InputError);
    CHECK_THROWS_AS(netgen::metric_number("99.6%", ""), InputError);
    CHECK(netgen::metric_extent("40x20x1", "") == 800);
    CHECK(netgen::metric_extent("(16, 16, 1)", "") == 256);
    CHECK(netgen::metric_shape("(16, 8, 1)", "") == std::array<std::int64_t, 3>{16, 8, 1});
    CHECK(netgen::metric_shape("40x20", "") == std::array<std::int64_t, 3>{40, 20, 1});
    for (const char* bad : {"", "x", "0x1", "axb", "1x2x3x4", "-3x1"})
        CHECK_THROWS_AS(netgen::metric_extent(bad, "b"), InputError);
}

TEST_CASE("the metrics of Nsight Compute give the same kernel") {
    const netgen::KernelMetrics metrics = {
        {"Grid Size", "(10, 1, 1)"},
        {"Block Size", "(64, 1, 1)"},
        {"smsp__inst_executed.sum", "2,000"},
        {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "12800"},
        {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "25600"},
        {"smsp__sass_thread_inst_executed_op_control_pred_on.sum", "6400"},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "120"},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "480"},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "48"},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "40"},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "160"},
        {"dram__sectors_read.sum", "216"},
        {"dram__sectors_write.sum", "n/a"},
        {"launch__registers_per_thread", "24"},
        {"launch__shared_mem_per_block_static", "1024"}};
    const netgen::KernelProfile kernel = netgen::profile_of_nsight(metrics, "id 0");
    CHECK(kernel.instructions() == Approx(100));
    CHECK(kernel.branches == Approx(10));
    CHECK(kernel.loads.requests == Approx(6));
    CHECK(kernel.loads.l1_share == Approx(0.1));
    CHECK(kernel.loads.sectors == Approx(3.6));
    CHECK(kernel.loads.dram_share == Approx(0.45));  // half of the misses of L1
    CHECK(kernel.loads.dram_part() == Approx(0.5));
    CHECK(kernel.fp32 * 2 == Approx(kernel.integer));
    CHECK(kernel.shared_bytes == 1024);
    CHECK(netgen::nsight_value("Duration", "1,500", "nsecond", "", false) == Approx(1.5));
    CHECK(netgen::nsight_value("Duration", "2", "ms", "", false) == Approx(2000));
    CHECK_THROWS_WITH(netgen::nsight_value("Duration", "2", "cycle", "m.csv:3", false),
                      "m.csv:3: Duration: expected a unit of time, found 'cycle'");
}

TEST_CASE("pipes, passes and atomics of Nsight Compute are next to the classes") {
    // 20 warps of 100 instructions: 4 loads, 2 stores, 1 reduction and 3 shared loads each.
    netgen::KernelMetrics metrics = {{"Grid Size", "(10, 1, 1)"},
                                     {"Block Size", "(64, 1, 1)"},
                                     {"smsp__inst_executed.sum", "2000"},
                                     {"smsp__inst_executed_op_shared_ld.sum", "60"},
                                     {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "120"},
                                     {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "80"},
                                     {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "320"},
                                     {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "40"},
                                     {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "20"},
                                     {"lts__t_sectors_op_red.sum", "480"},
                                     {"smsp__inst_executed_pipe_alu.sum", "600"},
                                     {"smsp__inst_executed_pipe_fma.sum", "400"},
                                     {"smsp__inst_executed_pipe_fmaheavy.sum", "100"}};
    netgen::KernelProfile kernel = netgen::profile_of_nsight(metrics, "id 0");
    CHECK(kernel.instructions() == Approx(100));
    CHECK(kernel.alu_pipe == 30);
    CHECK(kernel.fma_pipe == 20);
    CHECK(kernel.fma_heavy_pipe == 5);
    CHECK(kernel.atomics == 1);
    CHECK(kernel.atomic_sectors == 24);
    CHECK(kernel.loads.passes == 0);
    // Shared memory takes 120 of 540 passes: 420 remain for 140 requests.
    metrics["l1tex__data_pipe_lsu_wavefronts.sum"] = "540";
    kernel = netgen::profile_of_nsight(metrics, "id 0");
    CHECK(kernel.loads.passes == Approx(3));
    CHECK(kernel.stores.passes == Approx(3));
}

TEST_CASE("counters of Nsight Compute imply others that were not collected") {
    const std::string fp32 = "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum";
    netgen::KernelMetrics metrics = {
        {"Grid Size", "(10, 1, 1)"},  // 20 warps
        {"Block Size", "(64, 1, 1)"},
        {"smsp__inst_executed.sum", "2000"},
        {fp32, "12800"},
        {"smsp__sass_thread_inst_executed_op_memory_pred_on.sum", "25600"},  // 40
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "120"},          // 6
        {"lts__t_sectors_op_read.sum", "360"},
        {"lts__t_sectors_op_write.sum", "160"},  // 2 stores
        {"dram__sectors_read.sum", "90"},
        {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "160"},         // 2
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "900"},  // 45
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "300"}};
    const netgen::KernelProfile kernel = netgen::profile_of_nsight(metrics, "row");
    CHECK(kernel.loads.requests == Approx(6));
    CHECK(kernel.loads.sectors == Approx(3));
    CHECK(kernel.loads.dram_share == Approx(0.25));
    CHECK(kernel.stores.requests == Approx(2));
    CHECK(kernel.stores.sectors == Approx(4));
    CHECK(kernel.local_accesses == Approx(2));
    // 30 of the 40 remain for shared memory, with 60 passes.
    CHECK(kernel.shared_loads == Approx(22.5));
    CHECK(kernel.shared_stores == Approx(7.5));
    CHECK(kernel.shared_load_transactions == Approx(2));
    CHECK(kernel.instructions() == Approx(100));
    CHECK(kernel.fp32_any == kernel.fp32);
    metrics["smsp__inst_issued.sum"] = "3000";
    CHECK(netgen::profile_of_nsight(metrics, "row").replays == Approx(0.5));
    for (const char* part : {"fadd", "fmul", "ffma"})
        metrics["smsp__sass_thread_inst_executed_op_" + std::string(part) + "_pred_on.sum"] = "3200";
    const netgen::KernelProfile parts = netgen::profile_of_nsight(metrics, "row");
    CHECK(parts.fp32_any == Approx(parts.fp32 / 4));
    const netgen::KernelProfile alone = netgen::profile_of_nsight(metrics, "row", {.other_counters = false});
    CHECK(alone.shared_loads == 0);
    CHECK(alone.loads.sectors == 0);
    CHECK(alone.replays == 0);
}

TEST_CASE("lines of 128 bytes are four sectors") {
    const netgen::KernelProfile kernel =
        netgen::profile_of_metrics(plain_kernel(), "row", {.line_transactions = true});
    CHECK(kernel.loads.requests == Approx(6));
    CHECK(kernel.loads.sectors == Approx(8 * 4 * 0.5));
    CHECK(kernel.stores.sectors == Approx(16));
}

TEST_CASE("lines have no more sectors than L2 counted") {
    const netgen::CounterOptions counted{.line_transactions = true, .l2_counters = true};
    netgen::KernelMetrics metrics = plain_kernel();
    CHECK(netgen::profile_of_metrics(metrics, "row", counted).loads.sectors == Approx(16));  // not counted
    metrics["l2_read_transactions"] = "1200";  // 10 for each of 120 requests
    metrics["l2_write_transactions"] = "200";  // 5 for each of 40
    netgen::KernelProfile kernel = netgen::profile_of_metrics(metrics, "row", counted);
    CHECK(kernel.loads.sectors == Approx(10));
    CHECK(kernel.loads.dram_share == Approx(0.3));
    CHECK(kernel.stores.sectors == Approx(5));
    metrics["l2_write_transactions"] = "100";  // fewer than lines: some were counted elsewhere
    CHECK(netgen::profile_of_metrics(metrics, "row", counted).stores.sectors == Approx(4));
    CHECK(netgen::profile_of_metrics(metrics, "row", {.line_transactions = true}).loads.sectors ==
          Approx(16));
}

TEST_CASE("sectors that L2 saw stand for a hit rate that is missing") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics.erase("global_hit_rate");
    CHECK(netgen::profile_of_metrics(metrics, "row").loads.sectors == Approx(8));
    metrics["l2_read_transactions"] = "420";  // 3.5 for each of 120 requests
    CHECK(netgen::profile_of_metrics(metrics, "row").loads.sectors == Approx(3.5));
}

TEST_CASE("conversions in kernels with double precision are wide, and found where their counter is missing") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["inst_fp_64"] = "3200";         // 5 of each thread
    metrics["inst_bit_convert"] = "12800";  // 20
    netgen::KernelProfile kernel = netgen::profile_of_metrics(metrics, "row");
    CHECK(kernel.convert64 == Approx(2 * kernel.fp64));
    CHECK(kernel.convert == Approx(2 * kernel.fp64));
    metrics.erase("inst_bit_convert");
    metrics["inst_control"] = "6400";  // 10; with 20 + 5 + 40 + 10 + 8 of 100: 7 are left
    kernel = netgen::profile_of_metrics(metrics, "row");
    CHECK(kernel.convert64 / kernel.fp64 == Approx(7.0 / 5));
    CHECK(kernel.convert == 0);
    metrics["inst_fp_64"] = "0";
    CHECK(netgen::profile_of_metrics(metrics, "row").convert64 == 0);
}

TEST_CASE("instructions that are issued again, and stores to local memory") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics["inst_issued"] = "3000";
    metrics["issue_slots"] = "2700";
    metrics["local_load_transactions"] = "20";
    metrics["local_store_transactions"] = "40";
    const netgen::KernelProfile kernel = netgen::profile_of_metrics(metrics, "row");
    CHECK(kernel.replays == Approx(0.5));
    CHECK(kernel.dual_issue == Approx(0.1));
    CHECK(kernel.local_accesses == Approx(1));
    CHECK(kernel.local_stores == Approx(2));
}

TEST_CASE("units of Nsight Compute") {
    CHECK(netgen::profiler_unit("Kbyte/block")->scale == 1000);
    CHECK(netgen::profiler_unit("byte/block")->scale == 1);
    CHECK(netgen::profiler_unit("Gbyte/second")->scale == 1e9);
    CHECK(netgen::profiler_unit("cycle/nsecond")->scale == Approx(1e9));
    CHECK(netgen::profiler_unit("Ghz")->scale == 1e9);
    CHECK(netgen::profiler_unit("%")->scale == 1);
    CHECK(netgen::profiler_unit("register/thread")->scale == 1);
}

TEST_CASE("every need that is missing is named, unless another counter says the same") {
    netgen::KernelMetrics metrics = plain_kernel();
    metrics.erase("global_hit_rate");
    const auto misses = [](std::span<const netgen::CounterNeed> needs, const netgen::KernelMetrics& of,
                           std::string_view name) {
        const auto missing = netgen::missing_counters(needs, of);
        return std::any_of(missing.begin(), missing.end(),
                           [name](const netgen::CounterNeed& need) { return need.name == name; });
    };
    CHECK(misses(netgen::nvprof_needs(), metrics, "global_hit_rate"));
    CHECK_FALSE(misses(netgen::nvprof_needs(), metrics, "gld_transactions"));
    const std::string stem = "smsp__sass_thread_inst_executed_op_";
    netgen::KernelMetrics ncu = {{"sm__inst_executed.sum", "1"}, {stem + "ffma_pred_on.sum", "1"}};
    CHECK_FALSE(misses(netgen::nsight_needs(), ncu, "smsp__inst_executed.sum"));
    // The missing parts of a sum are named.
    CHECK_FALSE(misses(netgen::nsight_needs(), ncu, stem + "fp32_pred_on.sum"));
    CHECK(misses(netgen::nsight_needs(), ncu, stem + "fadd_pred_on.sum"));
    CHECK(misses(netgen::nsight_needs(), ncu, stem + "fp64_pred_on.sum"));
    ncu[stem + "fp32_pred_on.sum"] = "1";
    CHECK_FALSE(misses(netgen::nsight_needs(), ncu, stem + "fadd_pred_on.sum"));
    CHECK(netgen::nvprof_command().find("dram_read_transactions") != std::string::npos);
    CHECK(netgen::nsight_command().find("gpu__time_duration.sum,smsp__inst_executed.sum") !=
          std::string::npos);
}

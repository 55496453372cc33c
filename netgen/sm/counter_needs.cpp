#include "netgen/sm/counter_needs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet {

namespace {

constexpr std::string_view no_instructions =
    "instructions are not counted: the prediction is that of the memory requests alone, a lower bound";
constexpr std::string_view no_class = "its instructions count as the other classes do";
constexpr std::string_view no_loads = "global loads count as none";
constexpr std::string_view no_stores = "global stores count as none";
constexpr std::string_view no_shared_loads = "loads from shared memory count as none";
constexpr std::string_view no_shared_stores = "stores to shared memory count as none";
constexpr std::string_view no_local = "thread-local memory counts as unused";
constexpr std::string_view no_dram = "requests are taken as served by L2, and DRAM limits nothing";
constexpr std::string_view no_registers = "registers limit no residency";
constexpr std::string_view no_shared_size = "shared memory limits no residency";
constexpr std::string_view no_clock = "the clock of the preset is used, which may not be that of the run";

const std::vector<CounterNeed>& nvprof_table() {
    static const std::vector<CounterNeed> table = {
        {"inst_executed", "", "instructions of all warps", no_instructions},
        {"inst_issued", "", "instructions issued, replays among them",
         "replays and pairs of instructions issued together are not seen"},
        {"issue_slots", "", "issue slots that were used",
         "pairs of instructions issued together are not seen"},
        {"inst_fp_32", "by thread", "single-precision instructions", no_class},
        {"inst_fp_64", "by thread", "double-precision instructions", no_class},
        {"inst_integer", "by thread", "integer instructions", no_class},
        {"inst_bit_convert", "by thread", "conversions",
         "conversions are what the other classes leave, in kernels with double precision"},
        {"inst_misc", "by thread", "moves and the like", no_class},
        {"inst_inter_thread_communication", "by thread", "shuffles", "shuffles count as none"},
        {"cf_executed", "", "branches of all warps", "branches count as computing"},
        {"ldst_executed", "", "loads, stores, barriers and reads of positions", "barriers are not seen"},
        {"gld_transactions", "", "transactions of loads from global memory", no_loads},
        {"gld_transactions_per_request", "/request", "the same for each load", no_loads},
        {"gst_transactions", "", "transactions of stores to global memory", no_stores},
        {"gst_transactions_per_request", "/request", "the same for each store", no_stores},
        {"shared_load_transactions", "", "passes of loads from shared memory", no_shared_loads},
        {"shared_load_transactions_per_request", "/request", "the same for each load", no_shared_loads},
        {"shared_store_transactions", "", "passes of stores to shared memory", no_shared_stores},
        {"shared_store_transactions_per_request", "/request", "the same for each store", no_shared_stores},
        {"local_load_transactions", "", "transactions of loads from thread-local memory", no_local},
        {"local_store_transactions", "", "transactions of stores to it", no_local},
        {"atomic_transactions", "", "transactions of atomics on global memory",
         "atomics on global memory count as none"},
        {"global_hit_rate", "%", "of loads in L1", "L1 is taken to serve nothing", {"l2_read_transactions"}},
        {"l2_tex_read_hit_rate", "%", "of reads in L2",
         "what L2 serves is known from the DRAM traffic alone"},
        {"dram_read_transactions", "32 bytes", "read from DRAM", no_dram},
        {"dram_write_transactions", "32 bytes", "written to DRAM", no_dram},
        {"regs", "", "registers of a thread", no_registers},
        {"static_smem",
         "bytes",
         "static shared memory of a block; KiB with a decimal point",
         no_shared_size,
         {"dynamic_smem"}},
    };
    return table;
}

const std::vector<CounterNeed>& nsight_table() {
    static const std::vector<CounterNeed> table = {
        {"smsp__inst_executed.sum",
         "",
         "instructions of all warps",
         no_instructions,
         {"sm__inst_executed.sum", "Executed Instructions"}},
        {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
         "by thread",
         "single-precision instructions",
         no_class,
         {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
          "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
          "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}},
        {"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum",
         "by thread",
         "double-precision instructions",
         no_class,
         {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
          "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
          "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"}},
        {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "by thread", "integer instructions",
         no_class},
        {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "by thread", "conversions",
         "conversions count as none"},
        {"smsp__sass_thread_inst_executed_op_control_pred_on.sum", "by thread", "branches",
         "branches count as computing"},
        {"smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum", "by thread", "shuffles",
         "shuffles count as none"},
        {"smsp__sass_thread_inst_executed_op_misc_pred_on.sum", "by thread", "moves and the like", no_class},
        {"smsp__inst_executed_pipe_xu.sum", "", "instructions of the special-function unit",
         "special functions count as computing"},
        {"smsp__inst_executed_op_shared_ld.sum", "", "loads from shared memory", no_shared_loads},
        {"smsp__inst_executed_op_shared_st.sum", "", "stores to shared memory", no_shared_stores},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "", "passes of loads from shared memory",
         "bank conflicts of loads are not seen"},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "", "passes of stores to shared memory",
         "bank conflicts of stores are not seen"},
        {"smsp__inst_executed_op_barrier.sum", "", "barriers", "barriers are not seen"},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", "loads from global memory", no_loads},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "", "stores to global memory", no_stores},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "32 bytes", "sectors of these loads", no_loads},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "32 bytes", "sectors of these stores", no_stores},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
         "32 bytes",
         "sectors that L1 served",
         "L1 is taken to serve nothing",
         {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "l1tex__t_sector_hit_rate.pct",
          "L1/TEX Hit Rate"}},
        {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "", "loads from thread-local memory", no_local},
        {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "", "stores to thread-local memory", no_local},
        {"dram__sectors_read.sum",
         "32 bytes",
         "read from DRAM",
         no_dram,
         {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
        {"dram__sectors_write.sum",
         "32 bytes",
         "written to DRAM",
         no_dram,
         {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
        {"launch__registers_per_thread", "", "registers of a thread", no_registers, {"Registers Per Thread"}},
        {"launch__shared_mem_per_block_static",
         "bytes",
         "static shared memory of a block",
         no_shared_size,
         {"Static Shared Memory Per Block"}},
        {"launch__shared_mem_per_block_dynamic",
         "bytes",
         "dynamic shared memory of a block",
         no_shared_size,
         {"Dynamic Shared Memory Per Block"}},
        {"gpc__cycles_elapsed.avg.per_second",
         "Hz",
         "clock of the run",
         no_clock,
         {"smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second", "SM Frequency"}},
    };
    return table;
}

}  // namespace

std::span<const CounterNeed> nvprof_needs() { return nvprof_table(); }
std::span<const CounterNeed> nsight_needs() { return nsight_table(); }

std::vector<CounterNeed> missing_counters(std::span<const CounterNeed> needs, const KernelMetrics& metrics) {
    std::vector<CounterNeed> missing;
    for (const CounterNeed& need : needs) {
        const bool there = metric_is_there(metrics, need.name) ||
                           std::any_of(need.instead.begin(), need.instead.end(),
                                       [&](std::string_view name) { return metric_is_there(metrics, name); });
        if (!there) missing.push_back(need);
    }
    return missing;
}

std::string nvprof_command() {
    std::vector<std::string_view> names;
    for (const CounterNeed& need : nvprof_needs()) {
        if (need.name != "regs" && need.name != "static_smem") names.push_back(need.name);
    }
    return fmt::format(
        "nvprof --csv --log-file trace.csv --print-gpu-trace ./program\n"
        "nvprof --csv --log-file metrics.csv --metrics {} --events elapsed_cycles_sm ./program\n",
        fmt::join(names, ","));
}

std::string nsight_command() {
    std::vector<std::string_view> names = {"gpu__time_duration.sum"};
    for (const CounterNeed& need : nsight_needs()) names.push_back(need.name);
    return fmt::format("ncu --csv --page raw --metrics {} ./program > metrics.csv\n", fmt::join(names, ","));
}

}  // namespace warpnet

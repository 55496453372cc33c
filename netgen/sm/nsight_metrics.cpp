#include "netgen/sm/nsight_metrics.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace warpnet {

namespace {

// Names: Nsight Compute documentation, "Metrics Comparison" with nvprof.
constexpr std::string_view executed = "smsp__inst_executed.sum";
constexpr std::string_view fp32 = "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum";
constexpr std::string_view fp64 = "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum";
constexpr std::string_view integer = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum";
constexpr std::string_view convert = "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum";
constexpr std::string_view control = "smsp__sass_thread_inst_executed_op_control_pred_on.sum";
constexpr std::string_view shuffle =
    "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum";
constexpr std::string_view misc = "smsp__sass_thread_inst_executed_op_misc_pred_on.sum";
constexpr std::string_view special = "smsp__inst_executed_pipe_xu.sum";
constexpr std::string_view shared_load = "smsp__inst_executed_op_shared_ld.sum";
constexpr std::string_view shared_store = "smsp__inst_executed_op_shared_st.sum";
constexpr std::string_view shared_load_waves = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
constexpr std::string_view shared_store_waves = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
constexpr std::string_view load = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view store = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr std::string_view load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr std::string_view load_hits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum";
constexpr std::string_view local_load = "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum";
constexpr std::string_view local_store = "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum";
constexpr std::string_view dram_read = "dram__sectors_read.sum";
constexpr std::string_view dram_write = "dram__sectors_write.sum";
constexpr std::string_view registers = "launch__registers_per_thread";
constexpr std::string_view shared_static = "launch__shared_mem_per_block_static";
constexpr std::string_view shared_dynamic = "launch__shared_mem_per_block_dynamic";
constexpr std::string_view barriers = "smsp__inst_executed_op_barrier.sum";

constexpr std::array used = {executed,
                             fp32,
                             fp64,
                             integer,
                             convert,
                             control,
                             shuffle,
                             misc,
                             special,
                             shared_load,
                             shared_store,
                             shared_load_waves,
                             shared_store_waves,
                             load,
                             store,
                             load_sectors,
                             store_sectors,
                             load_hits,
                             local_load,
                             local_store,
                             dram_read,
                             dram_write,
                             registers,
                             shared_static,
                             shared_dynamic,
                             barriers};

class Reader {
  public:
    Reader(const KernelMetrics& metrics, const std::string& where) : metrics_(metrics), where_(where) {}

    const std::string& text(std::string_view name) const {
        const auto found = metrics_.find(name);
        if (found == metrics_.end() || found->second.empty())
            throw InputError(fmt::format("{}: expected a value for '{}', found none", where_, name));
        return found->second;
    }
    double number(std::string_view name) const {
        return metric_number(text(name), fmt::format("{}: {}", where_, name));
    }
    double number_or_0(std::string_view name) const {
        const auto found = metrics_.find(name);
        return found == metrics_.end() || found->second.empty() || found->second == "n/a" ? 0 : number(name);
    }

  private:
    const KernelMetrics& metrics_;
    const std::string& where_;
};

double share(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0; }

}  // namespace

std::string nsight_metric_list() { return fmt::format("gpu__time_duration.sum,{}", fmt::join(used, ",")); }

std::optional<double> nsight_microseconds(double value, std::string_view unit) {
    if (unit == "nsecond" || unit == "ns") return value / 1000;
    if (unit == "usecond" || unit == "us") return value;
    if (unit == "msecond" || unit == "ms") return value * 1000;
    if (unit == "second" || unit == "s") return value * 1e6;
    return std::nullopt;
}

KernelProfile profile_of_nsight(const KernelMetrics& metrics, const std::string& where) {
    const Reader reader(metrics, where);
    KernelProfile kernel;
    kernel.name = where;
    kernel.blocks = metric_extent(reader.text("Grid Size"), where + ": Grid Size");
    kernel.threads = metric_extent(reader.text("Block Size"), where + ": Block Size");
    kernel.registers = std::llround(reader.number_or_0(registers));
    kernel.shared_bytes =
        std::llround(reader.number_or_0(shared_static) + reader.number_or_0(shared_dynamic));
    const double warps = static_cast<double>(kernel.blocks) * static_cast<double>(kernel.warps_per_block());
    const auto per_warp = [&](std::string_view name) { return reader.number_or_0(name) / warps; };
    const double lanes = static_cast<double>(std::min<std::int64_t>(32, kernel.threads));

    kernel.shared_loads = per_warp(shared_load);
    kernel.shared_stores = per_warp(shared_store);
    if (kernel.shared_loads > 0)
        kernel.shared_load_transactions = std::max(1.0, per_warp(shared_load_waves) / kernel.shared_loads);
    if (kernel.shared_stores > 0)
        kernel.shared_store_transactions = std::max(1.0, per_warp(shared_store_waves) / kernel.shared_stores);
    kernel.local_accesses = per_warp(local_load) + per_warp(local_store);
    kernel.barriers = per_warp(barriers);

    kernel.loads.requests = per_warp(load);
    if (kernel.loads.requests > 0) {
        kernel.loads.transactions = per_warp(load_sectors) / kernel.loads.requests;
        kernel.loads.l1_share = share(reader.number_or_0(load_hits), reader.number_or_0(load_sectors));
        kernel.loads.sectors = kernel.loads.transactions * (1 - kernel.loads.l1_share);
        const double to_l2 = reader.number_or_0(load_sectors) - reader.number_or_0(load_hits);
        kernel.loads.dram_share =
            std::min(1 - kernel.loads.l1_share, share(reader.number_or_0(dram_read), to_l2));
    }
    kernel.stores.requests = per_warp(store);
    if (kernel.stores.requests > 0) {
        kernel.stores.transactions = per_warp(store_sectors) / kernel.stores.requests;
        kernel.stores.sectors = kernel.stores.transactions;
        kernel.stores.dram_share = share(reader.number_or_0(dram_write), reader.number_or_0(store_sectors));
    }
    kernel.dram_bytes = 32 * (reader.number_or_0(dram_read) + reader.number_or_0(dram_write));

    kernel.shuffles = per_warp(shuffle) / lanes;
    kernel.branches = per_warp(control) / lanes;
    kernel.special = per_warp(special);
    const double memory = kernel.shared_loads + kernel.shared_stores + kernel.local_accesses +
                          kernel.loads.requests + kernel.stores.requests;
    // Conversions run on the pipe of the special functions as well.
    const double compute = std::max(0.0, reader.number(executed) / warps - memory - kernel.shuffles -
                                             kernel.branches - kernel.barriers - kernel.special);
    kernel.special = std::max(0.0, kernel.special - per_warp(convert) / lanes);
    kernel.convert = per_warp(convert) / lanes;
    const double sum = reader.number_or_0(fp32) + reader.number_or_0(fp64) + reader.number_or_0(integer) +
                       reader.number_or_0(misc);
    if (sum > 0) {
        kernel.fp32 = compute * reader.number_or_0(fp32) / sum;
        kernel.fp64 = compute * reader.number_or_0(fp64) / sum;
        kernel.integer = compute * reader.number_or_0(integer) / sum;
        kernel.other = compute * reader.number_or_0(misc) / sum;
    } else {
        kernel.other = compute;
    }
    return kernel;
}

}  // namespace warpnet

// Counters of Nsight Compute as a profile, and the counters that either profiler has to collect. A table has
// the meaning of each metric, the metrics with the same meaning, and the assumption without it. The profile
// divides sums over all warps by their number. Metrics that contradict each other are errors, because they
// belong to different launches.

#include "netgen/sm/nsight_metrics.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::netgen {

namespace {

constexpr std::string_view no_instructions =
    "instructions are not counted: the prediction is that of the memory requests alone";
constexpr std::string_view no_class = "its instructions count as the other classes do";
constexpr std::string_view no_loads = "global loads count as none";
constexpr std::string_view no_stores = "global stores count as none";
constexpr std::string_view no_shared_loads = "loads from shared memory count as none";
constexpr std::string_view no_shared_stores = "stores to shared memory count as none";
constexpr std::string_view no_local = "thread-local memory counts as unused";
constexpr std::string_view no_dram = "requests are taken as served by L2, and DRAM limits nothing";
constexpr std::string_view no_pipe = "pipes are taken to execute what the classes of instructions say";
constexpr std::string_view no_atomics = "atomics on global memory count as none";
constexpr std::string_view no_registers = "registers limit no residency";
constexpr std::string_view no_shared_size = "shared memory limits no residency";
constexpr std::string_view no_clock = "the clock of the preset is used, which may not be that of the run";

CounterNeed safe(CounterNeed need) {
    need.safe = true;
    return need;
}

const std::vector<CounterNeed>& nvprof_table() {
    static const std::vector<CounterNeed> table = {
        {"inst_executed", "", "instructions of all warps", no_instructions},
        {"inst_issued", "", "instructions issued, replays among them",
         "replays and pairs of instructions issued together are not seen"},
        safe({"issue_slots", "", "issue slots that were used",
              "pairs of instructions issued together are not seen"}),
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
        {"global_hit_rate", "%", "of loads in L1",
         "L1 is taken to serve what the reads of L2 leave (l2_read_transactions), or nothing"},
        {"l2_tex_read_hit_rate", "%", "of reads in L2",
         "what L2 serves is known from the DRAM traffic alone"},
        {"dram_read_transactions", "32 bytes", "read from DRAM", no_dram},
        {"dram_write_transactions", "32 bytes", "written to DRAM", no_dram},
        {"regs", "", "registers of a thread", no_registers},
        {"static_smem", "bytes", "static shared memory of a block; KiB with a decimal point",
         "static shared memory counts as none"},
        {"dynamic_smem", "bytes", "dynamic shared memory of a block", "dynamic shared memory counts as none"},
    };
    return table;
}

const std::vector<CounterNeed>& nvprof_extra_table() {
    constexpr std::string_view no_sectors = "sectors of requests are those of their transactions";
    static const std::vector<CounterNeed> table = {
        {"elapsed_cycles_sm", "cycles", "of one launch, summed over the SMs: the clock of the run",
         "the clock of the runs is that of the other kernels"},
        {"inst_control", "by thread", "branches", "conversions without a counter of their own count as none"},
        {"inst_compute_ld_st", "by thread", "accesses to memory",
         "accesses are those that the counters of transactions have"},
        {"inst_vary", "0 or 1", "whether launches executed different numbers of instructions",
         "all warps are taken to execute as many instructions"},
        {"l2_read_transactions", "32 bytes", "read from L2", no_sectors},
        {"l2_write_transactions", "32 bytes", "written to L2", no_sectors},
    };
    return table;
}

// Names: Nsight Compute documentation, "Metrics Comparison" with nvprof.
constexpr std::string_view executed = "smsp__inst_executed.sum";
constexpr std::string_view fp32 = "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum";
constexpr std::string_view fp64 = "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum";
constexpr std::string_view integer = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum";
constexpr std::string_view convert_threads = "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum";
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
constexpr std::string_view issued = "smsp__inst_issued.sum";
constexpr std::string_view memory_threads = "smsp__sass_thread_inst_executed_op_memory_pred_on.sum";
constexpr std::string_view alu_pipe = "smsp__inst_executed_pipe_alu.sum";
constexpr std::string_view fma_pipe = "smsp__inst_executed_pipe_fma.sum";
constexpr std::string_view fma_heavy_pipe = "smsp__inst_executed_pipe_fmaheavy.sum";
constexpr std::string_view wavefronts = "l1tex__data_pipe_lsu_wavefronts.sum";
constexpr std::string_view atomics = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
constexpr std::string_view reductions = "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum";
constexpr std::string_view atomic_sectors = "lts__t_sectors_op_atom.sum";
constexpr std::string_view reduction_sectors = "lts__t_sectors_op_red.sum";
constexpr std::string_view l2_read = "lts__t_sectors_op_read.sum";
constexpr std::string_view l2_write = "lts__t_sectors_op_write.sum";
constexpr std::string_view local_load_sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
constexpr std::string_view local_store_sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";

using Names = std::vector<std::string_view>;

CounterNeed same_as(CounterNeed need, Names instead) {
    need.instead = std::move(instead);
    return need;
}
CounterNeed sum_of(CounterNeed need, Names parts) {
    need.sum = true;
    return same_as(std::move(need), std::move(parts));
}
CounterNeed implied(CounterNeed need, Names by) {
    need.implied_by = std::move(by);
    return need;
}

const std::vector<CounterNeed>& nsight_table() {
    static const std::vector<CounterNeed> table = {
        same_as({executed, "", "instructions of all warps", no_instructions},
                {"sm__inst_executed.sum", "Executed Instructions"}),
        sum_of({fp32, "by thread", "single-precision instructions", no_class},
               {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}),
        sum_of({fp64, "by thread", "double-precision instructions", no_class},
               {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
                "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"}),
        {integer, "by thread", "integer instructions", no_class},
        {convert_threads, "by thread", "conversions", "conversions count as none"},
        {control, "by thread", "branches", "branches count as computing"},
        {shuffle, "by thread", "shuffles", "shuffles count as none"},
        {misc, "by thread", "moves and the like", no_class},
        {special, "", "instructions of the special-function unit", "special functions count as computing"},
        implied({shared_load, "", "loads from shared memory", no_shared_loads}, {shared_load_waves}),
        implied({shared_store, "", "stores to shared memory", no_shared_stores}, {shared_store_waves}),
        {shared_load_waves, "", "passes of loads from shared memory", "bank conflicts of loads are not seen"},
        {shared_store_waves, "", "passes of stores to shared memory",
         "bank conflicts of stores are not seen"},
        {barriers, "", "barriers", "barriers are not seen"},
        {issued, "", "instructions issued, replays among them", "replays are not seen"},
        {load, "", "loads from global memory", no_loads},
        implied({store, "", "stores to global memory", no_stores}, {l2_write}),
        implied({load_sectors, "32 bytes", "sectors of these loads", no_loads}, {l2_read}),
        implied({store_sectors, "32 bytes", "sectors of these stores", no_stores}, {l2_write}),
        same_as(safe({load_hits, "32 bytes", "sectors that L1 served", "L1 is taken to serve nothing"}),
                {"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "l1tex__t_sector_hit_rate.pct",
                 "L1/TEX Hit Rate"}),
        implied({local_load, "", "loads from thread-local memory", no_local}, {local_load_sectors}),
        implied({local_store, "", "stores to thread-local memory", no_local}, {local_store_sectors}),
        {alu_pipe, "", "instructions of the ALU pipe", no_pipe},
        {fma_pipe, "", "instructions of the FMA pipe", no_pipe},
        {fma_heavy_pipe, "", "of these, on its half that multiplies integers", no_pipe},
        {wavefronts, "", "passes of all accesses", "a request to global memory counts as one pass"},
        {atomics, "", "atomics on global memory with a result", no_atomics},
        {reductions, "", "atomics on global memory without a result", no_atomics},
        {atomic_sectors, "32 bytes", "sectors of atomics with a result", no_atomics},
        {reduction_sectors, "32 bytes", "sectors of atomics without a result", no_atomics},
        same_as({dram_read, "32 bytes", "read from DRAM", no_dram},
                {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}),
        same_as({dram_write, "32 bytes", "written to DRAM", no_dram},
                {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}),
        same_as({registers, "", "registers of a thread", no_registers}, {"Registers Per Thread"}),
        same_as({shared_static, "bytes", "static shared memory of a block", no_shared_size},
                {"Static Shared Memory Per Block"}),
        same_as({shared_dynamic, "bytes", "dynamic shared memory of a block", no_shared_size},
                {"Dynamic Shared Memory Per Block"}),
        same_as(safe({"gpc__cycles_elapsed.avg.per_second", "Hz", "clock of the run", no_clock}),
                {"smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second", "SM Frequency"}),
    };
    return table;
}

}  // namespace

std::span<const CounterNeed> nvprof_needs() { return nvprof_table(); }
std::span<const CounterNeed> nvprof_extras() { return nvprof_extra_table(); }
std::span<const CounterNeed> nsight_needs() { return nsight_table(); }

std::vector<CounterNeed> missing_counters(std::span<const CounterNeed> needs, const KernelMetrics& metrics) {
    std::vector<CounterNeed> missing;
    for (const CounterNeed& need : needs) {
        if (metric_is_there(metrics, need.name)) continue;
        std::vector<std::string_view> absent;
        for (const std::string_view name : need.instead)
            if (!metric_is_there(metrics, name)) absent.push_back(name);
        if (absent.size() == need.instead.size()) {
            missing.push_back(need);
            if (std::ranges::any_of(need.implied_by,
                                    [&](std::string_view name) { return metric_is_there(metrics, name); }))
                missing.back().consequence = "estimated from other counters, unless --without other-counters";
        } else if (need.sum) {
            for (const std::string_view part : absent)
                missing.push_back({part, need.unit, need.meaning, need.consequence});
        }
    }
    return missing;
}

std::string unseen_work(std::span<const CounterNeed> needs, const KernelMetrics& metrics) {
    std::vector<std::string_view> names;
    for (const CounterNeed& need : missing_counters(needs, metrics))
        if (!need.safe) names.push_back(need.name);
    return names.empty() ? "" : fmt::format("counters that are missing: {}", fmt::join(names, ", "));
}

std::string nvprof_command() {
    std::vector<std::string_view> names;
    for (const CounterNeed& need : nvprof_needs()) {
        if (need.name != "regs" && !need.name.ends_with("_smem")) names.push_back(need.name);
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

namespace {

constexpr std::array times = {std::string_view("gpu__time_duration.sum"),
                              std::string_view("gpu__time_duration.avg"), std::string_view("Duration")};
constexpr std::array clocks = {std::string_view("gpc__cycles_elapsed.avg.per_second"),
                               std::string_view("smsp__cycles_elapsed.avg.per_second"),
                               std::string_view("sm__cycles_elapsed.avg.per_second"),
                               std::string_view("SM Frequency")};

const CounterNeed* nsight_need(std::string_view name) {
    const auto found = std::ranges::find(nsight_table(), name, &CounterNeed::name);
    return found == nsight_table().end() ? nullptr : &*found;
}

class Reader {
  public:
    Reader(const KernelMetrics& metrics, const std::string& where) : metrics_(metrics), where_(where) {}

    bool has(std::string_view name) const { return metric_is_there(metrics_, name); }
    const std::string& text(std::string_view name, std::string_view instead) const {
        if (has(name)) return metrics_.find(name)->second;
        if (has(instead)) return metrics_.find(instead)->second;
        throw InputError(
            fmt::format("{}: expected a value for '{}' or '{}', found none", where_, name, instead));
    }
    /// Nothing if both the metric and all metrics with the same meaning are missing.
    std::optional<double> find(std::string_view name) const {
        if (has(name)) return own(name);
        const CounterNeed* const need = nsight_need(name);
        if (need == nullptr) return std::nullopt;
        if (need->sum) return sum(need->instead);
        for (const std::string_view other : need->instead)
            if (has(other)) return instead(name, other);
        return std::nullopt;
    }
    double number_or_0(std::string_view name) const { return find(name).value_or(0); }
    /// The single-precision instructions that may be comparisons, minima or selections.
    double fp32_of_unknown_kind() const {
        if (!has(fp32)) return 0;
        const Names& parts = nsight_need(fp32)->instead;
        const bool known = std::ranges::all_of(parts, [&](std::string_view part) { return has(part); });
        return known ? std::max(0.0, own(fp32) - sum(parts).value_or(0)) : own(fp32);
    }

    /// Throws InputError for counters that contradict each other by more than their passes may differ.
    void check() const {
        for (const CounterNeed& need : nsight_table())
            for (const std::string_view other : need.instead)
                if (!need.sum && need.name != load_hits && need.unit != "Hz" && has(other))
                    check_same(need.name, other);
        for (const std::string_view time : times) {
            const auto best = std::find_if(times.begin(), times.end(), [&](auto name) { return has(name); });
            if (has(time) && std::abs(own(time) - own(*best)) > 0.01 * own(*best))
                throw InputError(
                    fmt::format("{}: expected one time of the launch, found {} {} us and {} {} us", where_,
                                *best, own(*best), time, own(time)));
        }
        constexpr double most = 1.05;
        for (const std::string_view rate : nsight_need(load_hits)->instead)
            if (has(rate) && own(rate) > 100 * most)
                throw InputError(
                    fmt::format("{}: {}: expected up to 100 %, found {}", where_, rate, own(rate)));
        if (number_or_0(load_hits) > most * number_or_0(load_sectors) && has(load_sectors))
            throw InputError(fmt::format("{}: {} is {}, above {} with {}", where_, load_hits,
                                         number_or_0(load_hits), load_sectors, number_or_0(load_sectors)));
        double requests = 0;
        for (const std::string_view access :
             {load, store, shared_load, shared_store, local_load, local_store})
            requests += number_or_0(access);
        if (const auto all = find(executed); all && requests > most * *all)
            throw InputError(fmt::format(
                "{}: expected no more memory requests than instructions, found {} requests and {} {}", where_,
                requests, executed, *all));
    }

  private:
    /// The value of a metric, derived from another one that replaces it.
    double instead(std::string_view name, std::string_view other) const {
        if (name == load_hits) return number_or_0(load_sectors) * std::clamp(own(other) / 100, 0.0, 1.0);
        return name == dram_read || name == dram_write ? own(other) / 32 : own(other);
    }
    void check_same(std::string_view name, std::string_view other) const {
        const double tolerance = name == dram_read || name == dram_write ? 0.1 : 0.01;
        const double one = number_or_0(name), two = instead(name, other);
        if (std::abs(one - two) > tolerance * std::max(one, two))
            throw InputError(fmt::format("{}: expected {} and {} to say the same, found {} and {}", where_,
                                         name, other, one, two));
    }
    double own(std::string_view name) const {
        return metric_number(metrics_.find(name)->second, fmt::format("{}: {}", where_, name));
    }
    std::optional<double> sum(std::span<const std::string_view> parts) const {
        std::optional<double> result;
        for (const std::string_view part : parts)
            if (has(part)) result = result.value_or(0) + own(part);
        return result;
    }

    const KernelMetrics& metrics_;
    const std::string& where_;
};

/// A unit without '/'.
std::optional<ProfilerUnit> single_unit(std::string_view text) {
    constexpr std::array counts = {
        std::string_view("inst"),      std::string_view("cycle"),  std::string_view("sector"),
        std::string_view("request"),   std::string_view("block"),  std::string_view("warp"),
        std::string_view("wavefront"), std::string_view("thread"), std::string_view("register")};
    if (text.empty() || text == "%") return ProfilerUnit{};
    // 1: a count; 2: bytes; 3: Hertz; 4: seconds.
    const auto stem = [&](std::string_view name) {
        std::string low(name);
        for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (name == "B") return 2;
        if (low.ends_with('s') && low.size() > 1) low.pop_back();
        if (std::find(counts.begin(), counts.end(), low) != counts.end()) return 1;
        if (low == "byte") return 2;
        if (low == "hz") return 3;
        return low == "second" || low == "s" || low == "sec" ? 4 : 0;
    };
    struct Prefix {
        std::string_view text;
        double scale;
        bool time;  // for seconds; otherwise for all units except seconds
    };
    constexpr std::array prefixes = {
        Prefix{"", 1, true},         Prefix{"", 1, false},         Prefix{"nano", 1e-9, true},
        Prefix{"micro", 1e-6, true}, Prefix{"milli", 1e-3, true},  Prefix{"n", 1e-9, true},
        Prefix{"u", 1e-6, true},     Prefix{"\u00b5", 1e-6, true}, Prefix{"\u03bc", 1e-6, true},
        Prefix{"m", 1e-3, true},     Prefix{"Ki", 1024.0, false},  Prefix{"Mi", 0x1p20, false},
        Prefix{"Gi", 0x1p30, false}, Prefix{"Ti", 0x1p40, false},  Prefix{"K", 1e3, false},
        Prefix{"k", 1e3, false},     Prefix{"M", 1e6, false},      Prefix{"G", 1e9, false},
        Prefix{"T", 1e12, false}};
    for (const Prefix& prefix : prefixes) {
        if (!text.starts_with(prefix.text)) continue;
        const int kind = stem(text.substr(prefix.text.size()));
        if (kind == 0 || (kind == 4) != prefix.time) continue;
        return ProfilerUnit{prefix.scale, kind == 2 ? 1 : 0, kind == 4 ? 1 : kind == 3 ? -1 : 0};
    }
    return std::nullopt;
}

/// Pipes, passes and atomics, which are counted in addition to the classes of instructions.
void add_units(const Reader& reader, double warps, KernelProfile& kernel) {
    const auto per_warp = [&](std::string_view name) { return reader.number_or_0(name) / warps; };
    kernel.alu_pipe = per_warp(alu_pipe);
    kernel.fma_pipe = per_warp(fma_pipe);
    kernel.fma_heavy_pipe = per_warp(fma_heavy_pipe);
    kernel.atomics = per_warp(atomics) + per_warp(reductions);
    kernel.atomic_sectors = per_warp(atomic_sectors) + per_warp(reduction_sectors);
    // A shuffle and an access to local memory take one pass each. The passes of shared memory are counted.
    const double requests = kernel.loads.requests + kernel.stores.requests + kernel.atomics;
    if (!reader.has(wavefronts) || !(requests > 0)) return;
    const double others = per_warp(shared_load_waves) + per_warp(shared_store_waves) + kernel.shuffles +
                          kernel.local_accesses + kernel.local_stores;
    kernel.loads.passes = kernel.stores.passes = std::max(1.0, (per_warp(wavefronts) - others) / requests);
}

double share(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0; }

/// Sets requests to memory that were not counted, from the counters that imply them. L2 counts the sectors
/// that leave L1. A request of neighbouring words to L2 or to local memory has 4 sectors. Instructions that
/// access memory are counted by thread. Those that access neither global nor local memory access shared
/// memory, except for atomics and constants, so that no access has less than one pass.
void add_implied(const Reader& reader, double warps, double lanes, KernelProfile& kernel) {
    const auto per_warp = [&](std::string_view name) { return reader.number_or_0(name) / warps; };
    constexpr double sectors = 4;
    if (!reader.has(local_load)) kernel.local_accesses = per_warp(local_load_sectors) / sectors;
    if (!reader.has(local_store)) kernel.local_stores = per_warp(local_store_sectors) / sectors;
    MemoryRequests& loads = kernel.loads;
    if (loads.requests > 0 && !reader.find(load_sectors)) {
        loads.sectors = loads.transactions = per_warp(l2_read) / loads.requests;
        loads.dram_share = share(reader.number_or_0(dram_read), reader.number_or_0(l2_read));
    }
    MemoryRequests& stores = kernel.stores;
    if (!reader.has(store_sectors) && reader.has(l2_write)) {
        if (!reader.has(store)) stores.requests = per_warp(l2_write) / sectors;
        if (stores.requests > 0) stores.sectors = stores.transactions = per_warp(l2_write) / stores.requests;
        stores.dram_share = share(reader.number_or_0(dram_write), reader.number_or_0(l2_write));
    }
    const double load_waves = reader.has(shared_load) ? 0 : per_warp(shared_load_waves);
    const double store_waves = reader.has(shared_store) ? 0 : per_warp(shared_store_waves);
    const double waves = load_waves + store_waves;
    if (!(waves > 0)) return;
    double accesses = waves;
    if (reader.has(memory_threads))
        accesses = std::clamp(per_warp(memory_threads) / lanes - loads.requests - stores.requests -
                                  kernel.local_accesses - kernel.local_stores - kernel.shared_loads -
                                  kernel.shared_stores,
                              waves / 32, waves);
    for (const auto& [own, count, passes] :
         {std::tuple(load_waves, &kernel.shared_loads, &kernel.shared_load_transactions),
          std::tuple(store_waves, &kernel.shared_stores, &kernel.shared_store_transactions)}) {
        if (!(own > 0)) continue;
        *count = accesses * own / waves;
        *passes = waves / accesses;
    }
}

}  // namespace

std::optional<ProfilerUnit> profiler_unit(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return single_unit(text);
    if (slash == 0 || slash + 1 == text.size()) return std::nullopt;
    const auto above = single_unit(text.substr(0, slash)), below = single_unit(text.substr(slash + 1));
    if (!above || !below) return std::nullopt;
    return ProfilerUnit{above->scale / below->scale, above->bytes - below->bytes,
                        above->seconds - below->seconds};
}

double nvprof_value(std::string_view counter, std::string_view value, const std::string& where, bool mean) {
    const auto needs = nvprof_needs();
    const bool rate = std::any_of(needs.begin(), needs.end(), [&](const CounterNeed& need) {
        return need.name == counter && need.unit == "%";
    });
    const std::string at = fmt::format("{}: {}", where, counter);
    // Kilobytes and means per request have a point.
    const bool whole = !counter.ends_with("_smem") && !counter.ends_with("_per_request");
    const double number = rate    ? metric_percent(value, at)
                          : whole ? (mean ? metric_count(value, at) : metric_whole(value, at))
                                  : metric_number(value, at);
    if (number < 0) throw InputError(fmt::format("{}: expected a count, found '{}'", at, value));
    return number;
}

double to_microseconds(double value, const ProfilerUnit& unit) {
    // 1 / 1000 is no binary fraction, and 1000 is.
    const double factor = unit.scale * 1e6;
    return factor < 1 ? value / std::round(1 / factor) : value * std::round(factor);
}

double nsight_value(std::string_view metric, std::string_view value, std::string_view unit,
                    const std::string& where, bool mean) {
    const auto known = profiler_unit(unit);
    const std::string_view kind = nsight_unit(metric);
    const bool time = kind == "us", clock = kind == "Hz", bytes = kind == "bytes";
    // A value without a unit is in the base unit, except for times, which have too many possible units.
    const bool fits = known && ((unit.empty() && !time) || (known->seconds == (time    ? 1
                                                                               : clock ? -1
                                                                                       : 0) &&
                                                            known->bytes == (bytes ? 1 : 0)));
    if (!fits)
        throw InputError(fmt::format("{}: {}: expected a unit of {}, found '{}'", where, metric,
                                     time    ? "time"
                                     : clock ? "frequency"
                                     : bytes ? "memory"
                                             : "count or per cent",
                                     unit));
    const std::string at = fmt::format("{}: {}", where, metric);
    const bool rate = unit == "%" || metric.ends_with(".pct") || metric.ends_with("Hit Rate");
    const bool whole = !rate && known->scale == (time ? 1e-9 : 1);
    const bool count = !mean && !time && !clock;
    const double number = !whole  ? metric_number(value, at)
                          : count ? metric_whole(value, at)
                                  : metric_count(value, at);
    if (clock) check_clock(number * known->scale / 1e6, at);
    if (number < 0)
        throw InputError(
            fmt::format("{}: {}: expected no negative number, found '{}'", where, metric, value));
    return time ? to_microseconds(number, *known) : number * known->scale;
}

std::string_view nsight_unit(std::string_view metric) {
    const auto one_of = [&](std::span<const std::string_view> names) {
        return std::find(names.begin(), names.end(), metric) != names.end();
    };
    if (one_of(times)) return "us";
    if (one_of(clocks)) return "Hz";
    const bool bytes = metric.find("bytes") != std::string_view::npos ||
                       metric.find("shared_mem_per_block") != std::string_view::npos ||
                       metric.ends_with("Shared Memory Per Block");
    return bytes ? "bytes" : "";
}

std::span<const std::string_view> nsight_times() { return times; }
std::span<const std::string_view> nsight_clocks() { return clocks; }

bool is_nsight_metric(std::string_view name) {
    const auto one_of = [&](const auto& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (one_of(times) || name == "launch__grid_size" || name == "launch__block_size" ||
        name == memory_threads)
        return true;
    const auto needs = nsight_needs();
    return std::any_of(needs.begin(), needs.end(), [&](const CounterNeed& need) {
        return need.name == name || one_of(need.instead) || one_of(need.implied_by);
    });
}

KernelProfile profile_of_nsight(const KernelMetrics& metrics, const std::string& where,
                                const CounterOptions& options) {
    const Reader reader(metrics, where);
    reader.check();
    KernelProfile kernel;
    kernel.name = where;
    kernel.blocks = metric_extent(reader.text("Grid Size", "launch__grid_size"), where + ": Grid Size");
    kernel.threads = metric_extent(reader.text("Block Size", "launch__block_size"), where + ": Block Size");
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
    kernel.local_accesses = per_warp(local_load);
    kernel.local_stores = per_warp(local_store);
    kernel.barriers = per_warp(barriers);

    kernel.loads.requests = per_warp(load);
    if (kernel.loads.requests > 0) {
        kernel.loads.transactions = per_warp(load_sectors) / kernel.loads.requests;
        kernel.loads.l1_share = share(reader.number_or_0(load_hits), reader.number_or_0(load_sectors));
        kernel.loads.sectors = kernel.loads.transactions * (1 - kernel.loads.l1_share);
        const double to_l2 = reader.number_or_0(load_sectors) - reader.number_or_0(load_hits);
        kernel.loads.dram_share = (1 - kernel.loads.l1_share) * share(reader.number_or_0(dram_read), to_l2);
    }
    kernel.stores.requests = per_warp(store);
    if (kernel.stores.requests > 0) {
        kernel.stores.transactions = per_warp(store_sectors) / kernel.stores.requests;
        kernel.stores.sectors = kernel.stores.transactions;
        kernel.stores.dram_share = share(reader.number_or_0(dram_write), reader.number_or_0(store_sectors));
    }
    if (options.other_counters) add_implied(reader, warps, lanes, kernel);
    kernel.dram_bytes = 32 * (reader.number_or_0(dram_read) + reader.number_or_0(dram_write));

    kernel.shuffles = per_warp(shuffle) / lanes;
    kernel.branches = per_warp(control) / lanes;
    kernel.special = per_warp(special);
    add_units(reader, warps, kernel);
    const double memory = kernel.shared_loads + kernel.shared_stores + kernel.local_accesses +
                          kernel.local_stores + kernel.loads.requests + kernel.stores.requests +
                          kernel.atomics;
    const auto all = reader.find(executed);
    if (!all)
        kernel.unknowns.push_back(fmt::format("{} is missing: only memory requests are counted", executed));
    if (options.other_counters && all && *all > 0 && reader.has(issued))
        kernel.replays = std::clamp(reader.number_or_0(issued) / *all - 1, 0.0, 1000.0);
    // Conversions also run on the pipe of the special functions.
    const double compute = std::max(0.0, all.value_or(0) / warps - memory - kernel.shuffles -
                                             kernel.branches - kernel.barriers - kernel.special);
    const double convert = per_warp(convert_threads) / lanes;
    kernel.special = std::max(0.0, kernel.special - convert);
    // Kernels that compute in double precision convert its operands and results.
    kernel.convert64 = std::min(convert, 2 * per_warp(fp64) / lanes);
    kernel.convert = convert - kernel.convert64;
    const double sum = reader.number_or_0(fp32) + reader.number_or_0(fp64) + reader.number_or_0(integer) +
                       reader.number_or_0(misc);
    if (sum > 0) {
        kernel.fp32 = compute * reader.number_or_0(fp32) / sum;
        kernel.fp32_any = compute * reader.fp32_of_unknown_kind() / sum;
        kernel.fp64 = compute * reader.number_or_0(fp64) / sum;
        kernel.integer = compute * reader.number_or_0(integer) / sum;
        kernel.other = compute * reader.number_or_0(misc) / sum;
    } else {
        kernel.other = compute;
    }
    return kernel;
}

}  // namespace warpnet::netgen

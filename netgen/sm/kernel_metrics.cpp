#include "netgen/sm/kernel_metrics.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace warpnet {

namespace {

class Counters {
  public:
    Counters(const KernelMetrics& metrics, const std::string& where) : metrics_(metrics), where_(where) {}

    bool has(std::string_view name) const {
        const auto found = metrics_.find(name);
        return found != metrics_.end() && !found->second.empty() && found->second != "-";
    }
    const std::string& text(std::string_view name) const {
        if (!has(name))
            throw InputError(fmt::format("{}: expected a value for '{}', found none", where_, name));
        return metrics_.find(name)->second;
    }
    double number(std::string_view name) const {
        return metric_number(text(name), fmt::format("{}: {}", where_, name));
    }
    double number_or(std::string_view name, double otherwise) const {
        return has(name) ? number(name) : otherwise;
    }
    std::int64_t extent(std::string_view name) const {
        return metric_extent(text(name), fmt::format("{}: {}", where_, name));
    }
    /// Dimensions of a grid or block that are larger than 1, at least 1.
    int dimensions(std::string_view name) const;

  private:
    const KernelMetrics& metrics_;
    const std::string& where_;
};

template <class Use>
void each_dimension(std::string_view text, std::string_view where, Use use) {
    const auto fail = [&] {
        throw InputError(fmt::format("{}: expected a shape such as 40x20x1, found '{}'", where, text));
    };
    int dimensions = 0;
    std::size_t i = 0;
    while (i < text.size()) {
        if (text[i] < '0' || text[i] > '9') {
            if (std::string_view("x(), ").find(text[i]) == std::string_view::npos) fail();
            ++i;
            continue;
        }
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
        if (error != std::errc() || value < 1 || value > 2'147'483'647 || ++dimensions > 3) fail();
        i = static_cast<std::size_t>(end - text.data());
        use(value);
    }
    if (dimensions == 0) fail();
}

int Counters::dimensions(std::string_view name) const {
    int used = 0;
    each_dimension(text(name), where_, [&](std::int64_t size) { used += size > 1 ? 1 : 0; });
    return std::max(1, used);
}

double per_request(double transactions, double each) { return each > 0 ? transactions / each : 0; }

/// The requests of one direction, without the level that serves them.
MemoryRequests requests(const Counters& counters, std::string_view prefix, double warps) {
    MemoryRequests result;
    result.transactions = counters.number_or(fmt::format("{}_transactions_per_request", prefix), 0);
    result.requests =
        per_request(counters.number_or(fmt::format("{}_transactions", prefix), 0), result.transactions) /
        warps;
    result.sectors = result.transactions;
    return result;
}

// A warp's 128 bytes are counted as 8 transactions of which half "hit", though nothing was in L1: what is
// left are the 4 sectors that really go to L2, and only hits beyond one half are hits.
void set_levels(const Counters& counters, KernelProfile& kernel, double warps) {
    MemoryRequests& loads = kernel.loads;
    if (loads.requests > 0) {
        const double hit = std::clamp(counters.number_or("global_hit_rate", 0) / 100, 0.0, 1.0);
        loads.sectors = loads.transactions * (1 - hit);
        loads.l1_share = std::max(0.0, 2 * hit - 1);
        const double to_l2 = std::max(1.0, loads.requests * loads.sectors * warps);
        const double miss = 1 - std::clamp(counters.number_or("l2_tex_read_hit_rate", 0) / 100, 0.0, 1.0);
        loads.dram_share =
            std::min({1 - loads.l1_share, miss, counters.number_or("dram_read_transactions", 0) / to_l2});
    }
    MemoryRequests& stores = kernel.stores;
    if (stores.requests > 0) {
        stores.dram_share = std::min(1.0, counters.number_or("dram_write_transactions", 0) /
                                              std::max(1.0, stores.requests * stores.sectors * warps));
    }
    kernel.dram_bytes = 32 * (counters.number_or("dram_read_transactions", 0) +
                              counters.number_or("dram_write_transactions", 0));
}

void set_shared(const Counters& counters, KernelProfile& kernel, double warps) {
    const double loads = counters.number_or("shared_load_transactions", 0) / warps;
    const double stores = counters.number_or("shared_store_transactions", 0) / warps;
    const double per_load = counters.number_or("shared_load_transactions_per_request", 0);
    const double per_store = counters.number_or("shared_store_transactions_per_request", 0);
    // Atomics on shared memory count as loads and as stores, with hundreds of transactions a request, of
    // which a request can have 32 at most.
    const bool atomics = per_load > 32 || per_store > 32;
    kernel.shared_loads = atomics ? std::max(loads, stores) : per_request(loads, per_load);
    kernel.shared_load_transactions = atomics || per_load <= 0 ? 1 : per_load;
    kernel.shared_stores = atomics ? 0 : per_request(stores, per_store);
    kernel.shared_store_transactions = per_store <= 0 ? 1 : per_store;
}

/// Atomics on global memory are done in L2: like stores, no warp waits for them.
void add_stores(MemoryRequests& stores, double requests, double transactions) {
    if (requests <= 0) return;
    const double all = stores.requests + requests;
    stores.dram_share *= stores.requests * stores.sectors / (stores.requests * stores.sectors + transactions);
    stores.transactions = (stores.requests * stores.transactions + transactions) / all;
    stores.sectors = (stores.requests * stores.sectors + transactions) / all;
    stores.requests = all;
}

}  // namespace

double metric_number(std::string_view text, std::string_view where) {
    std::string digits;
    for (const char c : text) {
        if (c != ',') digits += c;
    }
    if (!digits.empty() && digits.back() == '%') digits.pop_back();
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
        !std::isfinite(value))
        throw InputError(fmt::format("{}: expected a number, found '{}'", where, text));
    return value;
}

std::int64_t metric_extent(std::string_view text, std::string_view where) {
    std::int64_t product = 1;
    each_dimension(text, where, [&](std::int64_t size) {
        if (__builtin_mul_overflow(product, size, &product))
            throw InputError(fmt::format("{}: '{}' is too large", where, text));
    });
    return product;
}

KernelProfile profile_of_metrics(const KernelMetrics& metrics, const std::string& where) {
    const Counters counters(metrics, where);
    KernelProfile kernel;
    kernel.name = counters.has("kernel") ? counters.text("kernel") : where;
    kernel.blocks = counters.extent("grid");
    kernel.threads = counters.extent("block");
    kernel.registers = static_cast<std::int64_t>(counters.number_or("regs", 0));
    if (counters.has("static_smem")) {
        // The profiler prints kilobytes with a decimal point, and bytes without.
        const bool kilobytes = counters.text("static_smem").find('.') != std::string::npos;
        kernel.shared_bytes =
            static_cast<std::int64_t>(std::llround(counters.number("static_smem") * (kilobytes ? 1024 : 1)));
    }
    kernel.shared_bytes += static_cast<std::int64_t>(counters.number_or("dynamic_smem", 0));
    const double warps = static_cast<double>(kernel.blocks) * static_cast<double>(kernel.warps_per_block());
    const double executed = counters.number("inst_executed") / warps;
    const double issued = counters.number_or("inst_issued", 0) / warps;
    const double issue_slots = counters.number_or("issue_slots", issued * warps) / warps;
    if (issued > 0) kernel.dual_issue = std::clamp(1 - issue_slots / issued, 0.0, 0.5);
    kernel.branches = counters.number_or("cf_executed", 0) / warps;
    kernel.uneven = counters.number_or("inst_vary", 0) > 0;

    kernel.loads = requests(counters, "gld", warps);
    kernel.stores = requests(counters, "gst", warps);
    set_levels(counters, kernel, warps);
    set_shared(counters, kernel, warps);
    const double local = (counters.number_or("local_load_transactions", 0) +
                          counters.number_or("local_store_transactions", 0)) /
                         warps;
    kernel.local_accesses = local;

    // Instruction classes are counted by thread. Their shares are taken, not their sums: threads that a
    // branch has switched off are missing in those.
    const double lanes = static_cast<double>(std::min<std::int64_t>(32, kernel.threads)) * warps;
    const double ldst = counters.number_or("ldst_executed", 0) / warps;
    kernel.shuffles = counters.number_or("inst_inter_thread_communication", 0) / lanes;
    // Beside accesses and shuffles, this counter holds reads of the thread's position (a thread and a block
    // index for each dimension) and barriers.
    const double accesses = std::max(
        kernel.loads.requests + kernel.stores.requests + kernel.shared_loads + kernel.shared_stores + local,
        counters.number_or("inst_compute_ld_st", 0) / lanes);
    const double rest = std::max(0.0, ldst - accesses - kernel.shuffles);
    const double positions = std::min(rest, 2.0 * counters.dimensions("block"));
    const double atomics = counters.number_or("atomic_transactions", 0) / warps;
    const double atomic_requests = atomics > 0 ? std::clamp(rest - positions, atomics / 32, atomics) : 0;
    add_stores(kernel.stores, atomic_requests, atomics);
    kernel.barriers = std::floor(std::max(0.0, rest - positions - atomic_requests) + 0.1);

    const double compute = std::max(0.0, executed - kernel.branches - ldst);
    const double fp32 = counters.number_or("inst_fp_32", 0);
    const double fp64 = counters.number_or("inst_fp_64", 0);
    const double integer = counters.number_or("inst_integer", 0);
    const double convert = counters.number_or("inst_bit_convert", 0);
    const double misc = counters.number_or("inst_misc", 0);
    const double sum = fp32 + fp64 + integer + convert + misc;
    if (sum > 0) {
        kernel.fp32 = compute * fp32 / sum;
        kernel.fp64 = compute * fp64 / sum;
        kernel.integer = compute * integer / sum;
        kernel.convert = compute * convert / sum;
        kernel.other = compute * misc / sum;
    } else {
        kernel.other = compute;
    }
    kernel.other += std::max(0.0, rest - atomic_requests - kernel.barriers);
    return kernel;
}

}  // namespace warpnet

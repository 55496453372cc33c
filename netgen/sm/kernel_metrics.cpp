// Counters of nvprof as a profile. Counts of all warps are divided by the number of warps; rates become
// shares. Counters of this generation are misleading in known ways, and each correction names one: replays
// count as transactions, half of the hits are none, atomics count twice. Numbers are parsed strictly, because
// locales and spreadsheets change points and commas.

#include "netgen/sm/kernel_metrics.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

class Counters {
  public:
    Counters(const KernelMetrics& metrics, const std::string& where) : metrics_(metrics), where_(where) {}

    bool has(std::string_view name) const { return metric_is_there(metrics_, name); }
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
    /// A rate as a share.
    double share(std::string_view name) const {
        if (!has(name)) return 0;
        const double percent = metric_percent(text(name), fmt::format("{}: {}", where_, name));
        if (percent > 105)  // small excesses are noise between the passes of the profiler
            throw InputError(fmt::format("{}: {}: expected up to 100 %, found {}", where_, name, percent));
        return std::clamp(percent / 100, 0.0, 1.0);
    }
    std::int64_t extent(std::string_view name) const {
        return metric_extent(text(name), fmt::format("{}: {}", where_, name));
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(fmt::format("{}: {}", where_, what));
    }
    /// Dimensions of a grid or block that are larger than 1, at least 1.
    int dimensions(std::string_view name) const;

  private:
    const KernelMetrics& metrics_;
    const std::string& where_;
};

/// The sizes in "40x20x1", "(40, 20, 1)" or "4096". A comma without a following blank separates thousands,
/// unless all commas between parentheses are like that: "(40,20,1)".
template <class Use>
void each_dimension(std::string_view text, std::string_view where, Use use) {
    const auto fail = [&] {
        throw InputError(fmt::format("{}: expected a shape such as 40x20x1, found '{}'", where, text));
    };
    std::string_view rest = text;
    const bool brackets = rest.starts_with('(') && rest.ends_with(')');
    if (brackets) rest = rest.substr(1, rest.size() - 2);
    std::string_view separator = ",";
    if (rest.find('x') != std::string_view::npos) {
        separator = "x";
    } else if (rest.find(", ") != std::string_view::npos) {
        separator = ", ";
    } else if (!brackets) {
        separator = " ";
    }
    for (int dimensions = 1;; ++dimensions) {
        const std::size_t end = rest.find(separator);
        const std::string part(rest.substr(0, end));
        if (part.find_first_not_of("0123456789,") != std::string::npos || dimensions > 3) fail();
        double value = 0;
        try {
            value = metric_number(part, where);
        } catch (const InputError&) {  // two sizes with a comma between them
            fail();
        }
        if (value < 1 || value > 2147483647) fail();
        use(static_cast<std::int64_t>(value));
        if (end == std::string_view::npos) return;
        rest.remove_prefix(end + separator.size());
    }
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

/// Sectors of a request as L2 counted them; a line of 128 bytes has no fewer than one.
double l2_sectors(const Counters& counters, std::string_view name, const MemoryRequests& requests,
                  double warps) {
    if (!counters.has(name)) return std::numeric_limits<double>::infinity();
    return std::max(requests.transactions, counters.number(name) / (requests.requests * warps));
}

// The 128 bytes of a warp count as 8 transactions of which half "hit", although nothing was in L1. The
// remaining 4 are the sectors that really go to L2, and only hits beyond one half are hits. If that rate is
// missing, the sectors at L2 give the same information.
void set_levels(const Counters& counters, KernelProfile& kernel, double warps,
                const CounterOptions& options) {
    const double sectors = options.line_transactions ? 4 : 1;  // of a transaction
    MemoryRequests& loads = kernel.loads;
    if (loads.requests > 0) {
        const double hit = counters.share("global_hit_rate");
        loads.sectors = loads.transactions * sectors * (1 - hit);
        if (!options.line_transactions) loads.l1_share = std::max(0.0, 2 * hit - 1);
        if (options.line_transactions && options.l2_counters)
            loads.sectors =
                std::min(loads.sectors, l2_sectors(counters, "l2_read_transactions", loads, warps));
        if (!options.line_transactions && !counters.has("global_hit_rate") &&
            counters.has("l2_read_transactions")) {
            loads.sectors = std::min(loads.sectors, counters.number("l2_read_transactions") /
                                                        std::max(1.0, loads.requests * warps));
        }
        const double to_l2 = std::max(1.0, loads.requests * loads.sectors * warps);
        const double miss = 1 - counters.share("l2_tex_read_hit_rate");
        loads.dram_share =
            (1 - loads.l1_share) * std::min(miss, counters.number_or("dram_read_transactions", 0) / to_l2);
    }
    MemoryRequests& stores = kernel.stores;
    if (stores.requests > 0) {
        stores.sectors = stores.transactions * sectors;
        if (options.line_transactions && options.l2_counters)
            stores.sectors =
                std::min(stores.sectors, l2_sectors(counters, "l2_write_transactions", stores, warps));
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
    // Atomics on shared memory count as loads and as stores, with hundreds of transactions per request,
    // although a request can have 32 at most.
    const bool atomics = per_load > 32 || per_store > 32;
    kernel.shared_loads = atomics ? std::max(loads, stores) : per_request(loads, per_load);
    kernel.shared_load_transactions = atomics || per_load <= 0 ? 1 : per_load;
    kernel.shared_stores = atomics ? 0 : per_request(stores, per_store);
    kernel.shared_store_transactions = per_store <= 0 ? 1 : per_store;
}

/// Throws InputError for counters that cannot be those of one launch.
void check_together(const Counters& counters, const KernelProfile& kernel, double warps) {
    for (const char* access : {"gld", "gst", "shared_load", "shared_store"}) {
        const std::string all = fmt::format("{}_transactions", access), each = all + "_per_request";
        if (!counters.has(all) || !counters.has(each)) continue;
        const double transactions = counters.number(all), per_request = counters.number(each);
        if ((transactions > 0) != (per_request > 0))
            counters.fail(fmt::format("expected {} and {} to be both 0 or neither, found {} and {}", all,
                                      each, transactions, per_request));
    }
    constexpr double most = 1.05;  // the profiler's passes are separate runs
    // Atomics on shared memory have no number of requests (set_shared()).
    const bool atomics = counters.number_or("shared_load_transactions_per_request", 0) > 32 ||
                         counters.number_or("shared_store_transactions_per_request", 0) > 32;
    const double shared = atomics ? 0 : kernel.shared_loads + kernel.shared_stores;
    const double requests = warps * (kernel.loads.requests + kernel.stores.requests + shared);
    if (counters.has("inst_executed") && requests > most * counters.number("inst_executed"))
        counters.fail(fmt::format(
            "expected no more memory requests than instructions, found {} requests and inst_executed {}",
            requests, counters.number("inst_executed")));
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

/// Conversions per thread if their counter is missing: all instructions minus those of the remaining classes.
/// Only kernels with double precision need this estimate, and an operation has two operands to convert.
double conversions_left(const Counters& counters, double all_threads, double fp64) {
    if (fp64 <= 0 || !counters.has("inst_control") || !counters.has("inst_compute_ld_st")) return 0;
    double others = 0;
    for (const char* name : {"inst_fp_32", "inst_fp_64", "inst_integer", "inst_misc", "inst_control",
                             "inst_compute_ld_st", "inst_inter_thread_communication"})
        others += counters.number_or(name, 0);
    return std::clamp(all_threads - others, 0.0, 2 * fp64);
}

/// Divides the instructions that are neither branches nor memory accesses among the classes. Classes are
/// counted by thread. Only their shares are used, because their sums omit threads that a branch has switched
/// off.
void set_compute(const Counters& counters, KernelProfile& kernel, double compute, double all_threads) {
    const double fp32 = counters.number_or("inst_fp_32", 0);
    const double fp64 = counters.number_or("inst_fp_64", 0);
    const double integer = counters.number_or("inst_integer", 0);
    const double convert = counters.has("inst_bit_convert") ? counters.number("inst_bit_convert")
                                                            : conversions_left(counters, all_threads, fp64);
    const double misc = counters.number_or("inst_misc", 0);
    const double sum = fp32 + fp64 + integer + convert + misc;
    if (!(sum > 0)) {
        kernel.other = compute;
        return;
    }
    kernel.fp32 = kernel.fp32_any = compute * fp32 / sum;  // the counter includes comparisons
    kernel.fp64 = compute * fp64 / sum;
    kernel.integer = compute * integer / sum;
    // Kernels that compute in double precision convert its operands and results.
    const double wide = std::min(convert, 2 * fp64);
    kernel.convert64 = compute * wide / sum;
    kernel.convert = compute * (convert - wide) / sum;
    kernel.other = compute * misc / sum;
}

/// Bytes of a block. The profiler prints kilobytes with a decimal point, and bytes without.
std::int64_t shared_bytes(const Counters& counters) {
    double bytes = counters.number_or("dynamic_smem", 0);
    if (counters.has("static_smem")) {
        const bool kilobytes = counters.text("static_smem").find('.') != std::string::npos;
        bytes += counters.number("static_smem") * (kilobytes ? 1024 : 1);
    }
    return static_cast<std::int64_t>(std::llround(bytes));
}

}  // namespace

bool metric_is_there(const KernelMetrics& metrics, std::string_view name) {
    const auto found = metrics.find(name);
    return found != metrics.end() && is_metric_value(found->second);
}

bool is_metric_value(std::string_view text) {
    if (text.starts_with("(!) ")) text.remove_prefix(4);
    std::string low;
    for (const char c : text) low += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    constexpr std::array none = {"", "-", "n/a", "nan", "-nan", "inf", "-inf", "<overflow>", "no data"};
    return std::find(none.begin(), none.end(), low) == none.end();
}

double metric_number(std::string_view text, std::string_view where) {
    // Thousands: three digits behind each comma, up to the decimal point.
    std::string digits;
    const std::size_t begin = text.starts_with('-') ? 1 : 0;
    const std::size_t whole = std::min(text.find_first_not_of("0123456789,", begin), text.size());
    bool commas = text.find(',') == std::string_view::npos || text.find(',') <= begin + 3;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != ',') {
            digits += text[i];
            continue;
        }
        const std::size_t next = std::min(text.find(',', i + 1), whole);
        commas = commas && i > begin && i < whole && next - i == 4;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || !commas || error != std::errc() || end != digits.data() + digits.size() ||
        !std::isfinite(value))
        throw InputError(fmt::format("{}: expected a number, found '{}'", where, text));
    return value;
}

double metric_count(std::string_view text, std::string_view where) {
    const double value = metric_number(text, where);
    std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    const std::size_t point = digits.find('.');
    if (point <= 3 && point > 0 && digits.size() == point + 4 &&
        digits.substr(point + 1).find_first_not_of("0123456789") == std::string_view::npos)
        throw InputError(
            fmt::format("{}: expected a whole number, found '{}': does the point separate thousands? "
                        "Expected {}{}",
                        where, text, text.substr(0, text.find('.')), digits.substr(point + 1)));
    return value;
}

double metric_whole(std::string_view text, std::string_view where) {
    const double value = metric_count(text, where);
    if (value != std::floor(value))
        throw InputError(fmt::format("{}: expected a whole number, found {}", where, text));
    return value;
}

double profile_number(std::string_view field, std::string_view text, std::string_view where) {
    return is_whole_profile_field(field) ? metric_whole(text, where) : metric_number(text, where);
}

void check_clock(double mhz, std::string_view where) {
    if (!(mhz > 0 && mhz <= 100'000))
        throw InputError(
            fmt::format("{}: expected a clock above 0 and up to 100000 MHz, found {:.7g} MHz", where, mhz));
}

double metric_percent(std::string_view text, std::string_view where) {
    try {
        return metric_number(text.ends_with('%') ? text.substr(0, text.size() - 1) : text, where);
    } catch (const InputError&) {
        throw InputError(fmt::format("{}: expected a number of per cent, found '{}'", where, text));
    }
}

std::int64_t metric_extent(std::string_view text, std::string_view where) {
    std::int64_t product = 1;
    each_dimension(text, where, [&](std::int64_t size) {
        if (__builtin_mul_overflow(product, size, &product))
            throw InputError(fmt::format("{}: '{}' is too large", where, text));
    });
    return product;
}

std::array<std::int64_t, 3> metric_shape(std::string_view text, std::string_view where) {
    std::array<std::int64_t, 3> sizes = {1, 1, 1};
    std::size_t axis = 0;
    each_dimension(text, where, [&](std::int64_t size) { sizes[axis++] = size; });
    return sizes;
}

KernelProfile profile_of_metrics(const KernelMetrics& metrics, const std::string& where,
                                 const CounterOptions& options) {
    const Counters counters(metrics, where);
    KernelProfile kernel;
    kernel.name = counters.has("kernel") ? counters.text("kernel") : where;
    kernel.blocks = counters.extent("grid");
    kernel.threads = counters.extent("block");
    kernel.registers = static_cast<std::int64_t>(counters.number_or("regs", 0));
    kernel.shared_bytes = shared_bytes(counters);
    const double warps = static_cast<double>(kernel.blocks) * static_cast<double>(kernel.warps_per_block());
    const double issued = counters.number_or("inst_issued", 0) / warps;
    const double issue_slots = counters.number_or("issue_slots", issued * warps) / warps;
    if (issued > 0) kernel.dual_issue = std::clamp(1 - issue_slots / issued, 0.0, 0.5);
    kernel.branches = counters.number_or("cf_executed", 0) / warps;
    kernel.uneven = counters.number_or("inst_vary", 0) > 0;

    kernel.loads = requests(counters, "gld", warps);
    kernel.stores = requests(counters, "gst", warps);
    set_levels(counters, kernel, warps, options);
    set_shared(counters, kernel, warps);
    check_together(counters, kernel, warps);
    kernel.local_accesses = counters.number_or("local_load_transactions", 0) / warps;
    kernel.local_stores = counters.number_or("local_store_transactions", 0) / warps;

    const double lanes = static_cast<double>(std::min<std::int64_t>(32, kernel.threads)) * warps;
    const double ldst = counters.number_or("ldst_executed", 0) / warps;
    kernel.shuffles = counters.number_or("inst_inter_thread_communication", 0) / lanes;
    // Besides accesses and shuffles, this counter includes reads of the thread's position (a thread and a
    // block index for each dimension) and barriers.
    const double accesses = std::max(kernel.loads.requests + kernel.stores.requests + kernel.shared_loads +
                                         kernel.shared_stores + kernel.local_accesses + kernel.local_stores,
                                     counters.number_or("inst_compute_ld_st", 0) / lanes);
    const double rest = std::max(0.0, ldst - accesses - kernel.shuffles);
    const double positions = std::min(rest, 2.0 * counters.dimensions("block"));
    const double atomics = counters.number_or("atomic_transactions", 0) / warps;
    const double atomic_requests = atomics > 0 ? std::clamp(rest - positions, atomics / 32, atomics) : 0;
    add_stores(kernel.stores, atomic_requests, atomics);
    kernel.barriers = std::floor(std::max(0.0, rest - positions - atomic_requests) + 0.1);

    if (counters.has("inst_executed")) {
        const double executed = counters.number("inst_executed") / warps;
        if (executed > 0) kernel.replays = std::max(0.0, issued / executed - 1);
        set_compute(counters, kernel, std::max(0.0, executed - kernel.branches - ldst), executed * lanes);
    } else {
        kernel.unknowns.emplace_back("inst_executed is missing: only memory requests are counted");
    }
    kernel.other += std::max(0.0, rest - atomic_requests - kernel.barriers);
    return kernel;
}

}  // namespace warpnet::netgen

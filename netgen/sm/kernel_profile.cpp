#include "netgen/sm/kernel_profile.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr double most = 1e12;  // instructions of a warp, transactions of a request

void check(const KernelProfile& kernel, std::string_view what, double value, double greatest) {
    if (std::isfinite(value) && value >= 0 && value <= greatest) return;
    throw InputError(fmt::format("{}: {} must lie in 0 … {}, not {}",
                                 kernel.name.empty() ? "kernel" : kernel.name, what, greatest, value));
}

void check(const KernelProfile& kernel, std::string_view what, const MemoryRequests& requests) {
    check(kernel, fmt::format("{} requests", what), requests.requests, most);
    check(kernel, fmt::format("transactions of a {} request", what), requests.transactions, most);
    check(kernel, fmt::format("sectors of a {} request", what), requests.sectors, most);
    check(kernel, fmt::format("the share of {} requests that L1 serves", what), requests.l1_share, 1);
    check(kernel, fmt::format("the share of {} requests that DRAM serves", what), requests.dram_share, 1);
}

constexpr std::array field_names = {
    std::string_view("blocks"),
    std::string_view("threads"),
    std::string_view("registers"),
    std::string_view("shared_bytes"),
    std::string_view("fp32"),
    std::string_view("integer"),
    std::string_view("logic"),
    std::string_view("compares"),
    std::string_view("shifts"),
    std::string_view("multiplies"),
    std::string_view("fp64"),
    std::string_view("convert"),
    std::string_view("convert64"),
    std::string_view("special"),
    std::string_view("other"),
    std::string_view("shuffles"),
    std::string_view("branches"),
    std::string_view("barriers"),
    std::string_view("shared_loads"),
    std::string_view("shared_stores"),
    std::string_view("shared_load_transactions"),
    std::string_view("shared_store_transactions"),
    std::string_view("local_accesses"),
    std::string_view("local_stores"),
    std::string_view("loads"),
    std::string_view("load_transactions"),
    std::string_view("load_sectors"),
    std::string_view("load_l1_share"),
    std::string_view("load_dram_share"),
    std::string_view("stores"),
    std::string_view("store_sectors"),
    std::string_view("store_dram_share"),
    std::string_view("dual_issue"),
    std::string_view("replays"),
    std::string_view("dram_bytes"),
    std::string_view("common_sectors"),
    std::string_view("common_lines"),
    std::string_view("idle_share"),
};

double* real_field(KernelProfile& kernel, std::string_view field) {
    const std::array<std::pair<std::string_view, double*>, 34> fields = {{
        {"fp32", &kernel.fp32},
        {"integer", &kernel.integer},
        {"logic", &kernel.logic},
        {"compares", &kernel.compares},
        {"shifts", &kernel.shifts},
        {"multiplies", &kernel.multiplies},
        {"fp64", &kernel.fp64},
        {"convert", &kernel.convert},
        {"convert64", &kernel.convert64},
        {"special", &kernel.special},
        {"other", &kernel.other},
        {"shuffles", &kernel.shuffles},
        {"branches", &kernel.branches},
        {"barriers", &kernel.barriers},
        {"shared_loads", &kernel.shared_loads},
        {"shared_stores", &kernel.shared_stores},
        {"shared_load_transactions", &kernel.shared_load_transactions},
        {"shared_store_transactions", &kernel.shared_store_transactions},
        {"local_accesses", &kernel.local_accesses},
        {"local_stores", &kernel.local_stores},
        {"loads", &kernel.loads.requests},
        {"load_transactions", &kernel.loads.transactions},
        {"load_sectors", &kernel.loads.sectors},
        {"load_l1_share", &kernel.loads.l1_share},
        {"load_dram_share", &kernel.loads.dram_share},
        {"stores", &kernel.stores.requests},
        {"store_sectors", &kernel.stores.sectors},
        {"store_dram_share", &kernel.stores.dram_share},
        {"dual_issue", &kernel.dual_issue},
        {"replays", &kernel.replays},
        {"dram_bytes", &kernel.dram_bytes},
        {"common_sectors", &kernel.common_sectors},
        {"common_lines", &kernel.common_lines},
        {"idle_share", &kernel.idle_share},
    }};
    for (const auto& [name, target] : fields) {
        if (name == field) return target;
    }
    return nullptr;
}

std::int64_t* whole_field(KernelProfile& kernel, std::string_view field) {
    if (field == "blocks") return &kernel.blocks;
    if (field == "threads") return &kernel.threads;
    if (field == "registers") return &kernel.registers;
    if (field == "shared_bytes") return &kernel.shared_bytes;
    return nullptr;
}

}  // namespace

KernelProfile streaming_profile() {
    KernelProfile kernel;
    kernel.loads = {.requests = 0, .transactions = 4, .sectors = 4, .l1_share = 0, .dram_share = 1};
    kernel.stores = kernel.loads;
    return kernel;
}

KernelProfile working_profile(KernelProfile kernel) {
    if (!(kernel.idle_share > 0)) return kernel;
    const auto all = static_cast<double>(kernel.warps_per_block());
    kernel.working = std::max<std::int64_t>(1, std::llround(all * (1 - kernel.idle_share)));
    kernel.idle_share = 0;
    const double more = all / static_cast<double>(kernel.working);
    for (double* count : {&kernel.fp32,
                          &kernel.integer,
                          &kernel.logic,
                          &kernel.compares,
                          &kernel.shifts,
                          &kernel.multiplies,
                          &kernel.fp64,
                          &kernel.convert,
                          &kernel.convert64,
                          &kernel.special,
                          &kernel.other,
                          &kernel.shuffles,
                          &kernel.branches,
                          &kernel.shared_loads,
                          &kernel.shared_stores,
                          &kernel.local_accesses,
                          &kernel.local_stores,
                          &kernel.loads.requests,
                          &kernel.stores.requests,
                          &kernel.common_sectors})
        *count *= more;
    return kernel;
}

std::span<const std::string_view> profile_fields() { return field_names; }

bool set_profile_field(KernelProfile& kernel, std::string_view field, double value) {
    if (std::int64_t* target = whole_field(kernel, field)) {
        *target = std::abs(value) < 9e18 ? std::llround(value) : -1;
        return true;
    }
    if (double* target = real_field(kernel, field)) {
        *target = value;
        return true;
    }
    return false;
}

void validate(const KernelProfile& kernel) {
    const auto whole = [&](std::string_view what, std::int64_t value, std::int64_t least,
                           std::int64_t greatest) {
        if (value < least || value > greatest) {
            throw InputError(fmt::format("{}: {} must lie in {} … {}, not {}",
                                         kernel.name.empty() ? "kernel" : kernel.name, what, least, greatest,
                                         value));
        }
    };
    whole("blocks", kernel.blocks, 1, 1'000'000'000'000);
    whole("threads of a block", kernel.threads, 1, 1024);
    whole("registers of a thread", kernel.registers, 0, 255);
    whole("shared memory of a block", kernel.shared_bytes, 0, 1'000'000'000);
    check(kernel, "fp32", kernel.fp32, most);
    check(kernel, "integer", kernel.integer, most);
    check(kernel, "fp64", kernel.fp64, most);
    check(kernel, "logic", kernel.logic, most);
    check(kernel, "compares", kernel.compares, most);
    check(kernel, "shifts", kernel.shifts, most);
    check(kernel, "multiplies", kernel.multiplies, most);
    check(kernel, "convert", kernel.convert, most);
    check(kernel, "convert64", kernel.convert64, most);
    check(kernel, "special", kernel.special, most);
    check(kernel, "other", kernel.other, most);
    check(kernel, "shuffles", kernel.shuffles, most);
    check(kernel, "branches", kernel.branches, most);
    check(kernel, "barriers", kernel.barriers, most);
    check(kernel, "shared loads", kernel.shared_loads, most);
    check(kernel, "shared stores", kernel.shared_stores, most);
    check(kernel, "transactions of a shared load", kernel.shared_load_transactions, most);
    check(kernel, "transactions of a shared store", kernel.shared_store_transactions, most);
    check(kernel, "local accesses", kernel.local_accesses, most);
    check(kernel, "local stores", kernel.local_stores, most);
    check(kernel, "load", kernel.loads);
    check(kernel, "store", kernel.stores);
    check(kernel, "the dual-issue share", kernel.dual_issue, 1);
    check(kernel, "replays", kernel.replays, 1000);
    check(kernel, "the share of idle warps", kernel.idle_share, 0.999);
    check(kernel, "DRAM bytes", kernel.dram_bytes, 1e18);
    check(kernel, "sectors that every block reads", kernel.common_sectors, most);
    check(kernel, "lines that every block reads", kernel.common_lines, most);
    if (!(kernel.instructions() > 0))
        throw InputError(fmt::format("{}: expected at least one instruction", kernel.name));
}

}  // namespace warpnet

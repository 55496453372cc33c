#include "netgen/kernel_profile.hpp"

#include "engine/error.hpp"

#include <cmath>
#include <string_view>

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

}  // namespace

void validate(const KernelProfile& kernel) {
    const auto whole = [&](std::string_view what, std::int64_t value, std::int64_t least, std::int64_t greatest) {
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
    check(kernel, "convert", kernel.convert, most);
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
    check(kernel, "load", kernel.loads);
    check(kernel, "store", kernel.stores);
    check(kernel, "the dual-issue share", kernel.dual_issue, 1);
    check(kernel, "DRAM bytes", kernel.dram_bytes, 1e18);
    if (!(kernel.instructions() > 0))
        throw InputError(fmt::format("{}: expected at least one instruction", kernel.name));
}

}  // namespace warpnet

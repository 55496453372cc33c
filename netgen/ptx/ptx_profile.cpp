#include "netgen/ptx/ptx_profile.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet {

namespace {

/// Machine instructions of an integer division, about: a routine with a reciprocal, corrections and a test.
constexpr double divide_instructions = 20;

}  // namespace

KernelProfile profile_of_ptx(const PtxProfile& ptx) {
    using enum PtxClass;
    const auto sum = [&](std::initializer_list<PtxClass> classes) {
        double result = 0;
        for (const PtxClass c : classes) result += static_cast<double>(ptx.counts[c]);
        return result;
    };
    KernelProfile kernel = streaming_profile();
    kernel.name = ptx.kernel;
    if (ptx.max_threads > 0) kernel.threads = ptx.max_threads;
    kernel.shared_bytes = ptx.static_shared_bytes;
    kernel.fp32 = sum({float32, float16});
    // A division is a routine of additions, multiplications and tests, of unknown shares.
    kernel.integer = divide_instructions * sum({divide});
    kernel.logic = sum({integer, logic}) + static_cast<double>(ptx.integer_conversions);
    kernel.compares = sum({compare});
    kernel.shifts = sum({shift});
    kernel.multiplies = sum({multiply});
    kernel.fp64 = sum({double_});
    kernel.special = sum({special});
    kernel.convert64 = static_cast<double>(ptx.wide_conversions);
    kernel.convert = sum({convert}) - static_cast<double>(ptx.wide_conversions + ptx.integer_conversions);
    // Moves rename registers and parameters are operands from constant memory: neither is left in machine
    // code.
    kernel.other = sum({constant_load, vote, warp_barrier, fence, tensor, other, unknown});
    if (ptx.machine_code) kernel.other += sum({move, param_load, param_store});
    kernel.shuffles = sum({shuffle});
    kernel.branches = sum({branch, call, leave});
    kernel.barriers = sum({barrier});
    kernel.shared_loads = sum({shared_load, shared_atomic});
    kernel.shared_stores = sum({shared_store});
    kernel.local_accesses = sum({local_load});
    kernel.local_stores = sum({local_store});
    // A warp's access passes 32 words at a time: one of 16 bytes a thread takes four passes.
    const auto passes = [](std::int64_t bytes, double accesses) {
        return bytes > 0 && accesses > 0 ? std::max(1.0, static_cast<double>(bytes) / accesses / 4) : 1;
    };
    kernel.shared_load_transactions = passes(ptx.shared_load_bytes, sum({shared_load}));
    kernel.shared_store_transactions = passes(ptx.shared_store_bytes, sum({shared_store}));
    kernel.loads.requests = sum({global_load, async_copy, texture});
    kernel.stores.requests = sum({global_store, global_atomic});
    const auto set_width = [](MemoryRequests& requests, std::int64_t bytes, double accesses) {
        if (bytes > 0 && accesses > 0)
            requests.sectors = std::max(1.0, static_cast<double>(bytes) / accesses);
        requests.transactions = requests.sectors;
    };
    set_width(kernel.loads, ptx.global_load_bytes, sum({global_load}));
    set_width(kernel.stores, ptx.global_store_bytes, sum({global_store}));
    if (kernel.loads.requests > 0 || kernel.stores.requests > 0) {
        kernel.unknowns.emplace_back(
            "PTX does not say what caches serve, nor which addresses of a warp are neighbours: requests are "
            "taken as "
            "coalesced and served by DRAM");
    }
    if (!ptx.some_threads.empty()) {
        kernel.unknowns.push_back(
            fmt::format("only some threads of a block run the loop at {}: their warps take longer than the "
                        "others, and than the mean",
                        fmt::join(ptx.some_threads, ", ")));
    }
    if (ptx.indexed_constants > 0) {
        kernel.unknowns.push_back(
            fmt::format("{} loads of a warp from constant memory at addresses that depend on the thread: "
                        "each may take up to 32 "
                        "passes, and counts as one",
                        ptx.indexed_constants));
    }
    const double without_unit = sum({tensor, other, unknown});
    if (without_unit > 0) {
        kernel.unknowns.push_back(
            fmt::format("{:.0f} instructions of a warp (tensor cores, programmed delays, prefetches, unknown "
                        "opcodes) have no unit in "
                        "the model",
                        without_unit));
    }
    if (sum({texture}) > 0) kernel.unknowns.emplace_back("texture reads are taken as loads from DRAM");
    return kernel;
}

}  // namespace warpnet

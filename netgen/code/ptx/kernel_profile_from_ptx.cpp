// A kernel in PTX as a profile of the family `sm`. Classes of instructions become pipes, and operations that
// ptxas expands become their routines (chains.cpp). Requests without a known address count as neighbouring
// words. The profile lists the facts that PTX leaves open, and the assumptions that replace them.
//
// Parameters and moves do not become instructions, because ptxas renames registers and reads parameters from
// constant memory. Machine code contains its moves, and there they count. The kinds of integer instructions
// of a measured kernel follow from its code with guessed_trips for unknown loops. Only their shares are used,
// for which the trips cancel out if one loop dominates. Cost: that of the analysis, and O(classes) for the
// profile.

#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"

#include "netgen/code/ptx/chains.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::netgen {

namespace {

/// If few warps of a block execute most of its instructions, the remaining warps count as idle, and these few
/// warps execute all instructions.
void set_idle_warps(KernelProfile& kernel, double busy_share) {
    constexpr double most_busy = 0.75;  // above it the mean is accurate enough
    if (busy_share > most_busy) return;
    kernel.idle_share = 1 - busy_share;
    kernel.unknowns.push_back(fmt::format(
        "by their numbers, the threads of {:.0f} % of a block's warps have nothing to do: the model "
        "gives all work to the others",
        100 * kernel.idle_share));
}

double sum_of(const PtxMix& mix, std::initializer_list<PtxClass> classes) {
    double result = 0;
    for (const PtxClass c : classes) result += mix[c];
    return result;
}

void set_memory_requests(const PtxMix& mix, KernelProfile& kernel) {
    const auto each = [](double transactions, double accesses, double otherwise) {
        return accesses > 0 ? std::max(1.0, transactions / accesses) : otherwise;
    };
    const auto each_of = [&](AccessKind kind) { return each(mix.transactions[kind], mix.requests[kind], 1); };
    kernel.shared_load_transactions = each_of(AccessKind::shared_load);
    kernel.shared_store_transactions = each_of(AccessKind::shared_store);
    for (const AccessKind kind : {AccessKind::global_load, AccessKind::global_store}) {
        MemoryRequests& requests = kind == AccessKind::global_load ? kernel.loads : kernel.stores;
        requests.requests = mix.requests[kind];
        requests.sectors = each(mix.transactions[kind], mix.requests[kind], requests.sectors);
        requests.transactions = requests.sectors;
        requests.dense_sectors = each(mix.dense_sectors[kind], mix.requests[kind], requests.dense_sectors);
        if (const double sectors = mix.transactions[kind]; sectors > 0)
            requests.repeated = std::min(1.0, mix.repeated_sectors[kind] / sectors);
        if (mix.passes[kind] > 0) requests.passes = mix.passes[kind] / requests.requests;
    }
    kernel.loads.live_bytes = mix.live_bytes;
    if (kernel.loads.requests > 0 && mix.passes[AccessKind::global_load] > 0)
        kernel.loads.again = std::min(1.0, mix.again / kernel.loads.requests);
    if (const double sectors = mix.transactions[AccessKind::global_load]; sectors > 0)
        kernel.loads.dram_share = std::min(1.0, mix.dram_sectors / sectors);
    const auto share = [&](double PtxChain::*kind) {
        const double all = mix.chains.all.*kind;
        return all > 0 ? std::min(1.0, mix.chains.longest.*kind / all) : 1;
    };
    kernel.waiting = {share(&PtxChain::alu),    share(&PtxChain::fp64),  share(&PtxChain::special),
                      share(&PtxChain::shared), share(&PtxChain::loads), mix.chains.all != PtxChain{}};
    kernel.routines = mix.routines;
    kernel.fused = mix.fused;
    kernel.one_word_atomics = mix.one_word_atomics;
    kernel.one_word_float_atomics = mix.one_word_float_atomics;
    kernel.common_sectors = mix.common_sectors;
    kernel.common_lines = std::max(1.0, mix.common_lines);
}

/// Lists the facts that PTX leaves open, and the assumptions about them.
void name_unknowns(const PtxExecution& ptx, const PtxMix& mix, KernelProfile& kernel) {
    using enum PtxClass;
    if (kernel.loads.requests > 0 || kernel.stores.requests > 0) {
        kernel.unknowns.emplace_back(
            "PTX does not say what caches serve: L2 is taken to keep what warps of a block, and blocks in a "
            "row or column of the "
            "grid, both ask for; all else comes from DRAM");
    }
    if (ptx.needs_shape)
        kernel.unknowns.emplace_back(
            "threads have more than one coordinate, and the shape of a block is not known (--block X,Y)");
    if (!ptx.unknown_accesses.empty()) {
        kernel.unknowns.push_back(fmt::format(
            "the addresses of {} accesses to memory are not known (line {}): they count as neighbouring "
            "words (--conflicts, --sectors)",
            ptx.unknown_accesses.size(), ptx_lines(ptx.unknown_accesses)));
    }
    if (!ptx.unfollowed_conditions.empty()) {
        kernel.unknowns.push_back(fmt::format(
            "conditions and calls in called functions are not followed per warp (line {}): what is "
            "behind them counts for all warps",
            ptx_lines(ptx.unfollowed_conditions)));
    }
    if (!ptx.both_sides.empty()) {
        kernel.unknowns.push_back(
            fmt::format("both sides count for the branches to {} (--taken says how often each is taken)",
                        fmt::join(ptx.both_sides, ", ")));
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
    const double without_unit = sum_of(mix, {tensor, other, unknown});
    if (without_unit > 0) {
        kernel.uncounted.emplace_back("instructions without a unit in the model, whose time is not known");
        kernel.unknowns.push_back(
            fmt::format("{:.3g} instructions of a warp (tensor cores and their memory, programmed delays, "
                        "prefetches, unknown "
                        "opcodes) have no unit in "
                        "the model",
                        without_unit));
    }
    const double one_word = mix.one_word_atomics + mix.one_word_float_atomics;
    if (one_word > 0)
        kernel.unknowns.push_back(fmt::format(
            "all threads use one word in {:.3g} atomics of a thread: they take turns, and count as accesses "
            "without conflicts on a device without the fact atomic_cycles",
            one_word / 32));
    if (const double atomics = sum_of(mix, {global_atomic, shared_atomic}) - one_word / 32; atomics > 0)
        kernel.unknowns.push_back(fmt::format(
            "{:.3g} atomics of a warp are taken as accesses without conflicts: those on one address "
            "take turns, which can take a hundred times as long",
            atomics));
    if (sum_of(mix, {texture}) > 0) kernel.unknowns.emplace_back("texture reads count as loads from DRAM");
}

}  // namespace

bool take_longest_warp(PtxExecution& ptx) {
    using enum PtxClass;
    if (!ptx.mix || ptx.averaged) return false;
    PtxMix& mix = *ptx.mix;
    // The largest ratio of the longest warp to the mean in any of these classes.
    const auto factor = [&](std::initializer_list<PtxClass> classes) {
        double most = 1;
        for (const PtxClass c : classes)
            if (mix[c] > 0) most = std::max(most, static_cast<double>(ptx.counts[c]) / mix[c]);
        return most;
    };
    double of_all = 1;
    for (std::size_t c = 0; c < ptx_class_count; ++c)
        of_all = std::max(of_all, factor({static_cast<PtxClass>(c)}));
    const ByAccess<double> of_access = {{factor({global_load, async_copy, texture}),
                                         factor({global_store, global_atomic}),
                                         factor({shared_load, shared_atomic}), factor({shared_store})}};
    const double of_conversions = factor({convert});
    bool longer = ptx.busy_share < 1;
    for (std::size_t c = 0; c < ptx_class_count; ++c) {
        const double most = std::max(mix.by_class[c], static_cast<double>(ptx.counts.by_class[c]));
        longer |= most > mix.by_class[c];
        mix.by_class[c] = most;
    }
    if (!longer) return false;
    for (const AccessKind kind : access_kinds)
        for (ByAccess<double>* const numbers : {&mix.bytes, &mix.requests, &mix.transactions,
                                                &mix.dense_sectors, &mix.repeated_sectors, &mix.passes})
            (*numbers)[kind] *= of_access[kind];
    mix.dram_sectors *= of_access[AccessKind::global_load];
    mix.again *= of_access[AccessKind::global_load];
    mix.common_sectors *= of_access[AccessKind::global_load];
    mix.wide_conversions *= of_conversions;
    mix.integer_conversions = 0;  // operations that are no machine instruction reduce the count
    MachineRoutines routines;
    routines.add(mix.routines, of_all);
    mix.routines = routines;
    ptx.busy_share = 1;
    return true;
}

std::string ptx_lines(const std::vector<std::uint32_t>& lines) {
    constexpr std::size_t most = 12;
    const auto shown = static_cast<std::ptrdiff_t>(std::min(most, lines.size()));
    return fmt::format("{}{}", fmt::join(lines.begin(), lines.begin() + shown, ", "),
                       lines.size() > most ? ", …" : "");
}

KernelProfile kernel_profile_from_ptx(const PtxExecution& ptx) {
    using enum PtxClass;
    const PtxMix mix = ptx.averages();
    const auto sum = [&](std::initializer_list<PtxClass> classes) { return sum_of(mix, classes); };
    KernelProfile kernel = streaming_profile();
    kernel.name = ptx.kernel;
    if (ptx.max_threads > 0) kernel.threads = ptx.max_threads;
    kernel.shared_bytes = ptx.static_shared_bytes;
    kernel.fp32 = sum({float32, float16});
    // A division is a routine of additions, multiplications and tests in unknown proportions.
    kernel.integer = divide_instructions * sum({divide});
    kernel.logic = sum({integer, logic}) + mix.integer_conversions;
    kernel.compares = sum({compare});
    kernel.shifts = sum({shift});
    kernel.multiplies = sum({multiply});
    kernel.fp64 = sum({double_});
    kernel.special = sum({special});
    kernel.convert64 = mix.wide_conversions;
    kernel.convert = std::max(0.0, sum({convert}) - mix.wide_conversions - mix.integer_conversions);
    // Moves rename registers, and parameters are operands from constant memory. Machine code has neither.
    kernel.other = sum({constant_load, vote, warp_barrier, fence, tensor, other, unknown});
    if (ptx.machine_code) kernel.other += sum({move, param_load, param_store});
    kernel.shuffles = sum({shuffle});
    // A skipped guarded instruction takes the pipe of a branch around it.
    kernel.branches = sum({branch, call, leave, skipped});
    kernel.barriers = sum({barrier});
    kernel.shared_loads = sum({shared_load, shared_atomic});
    kernel.shared_stores = sum({shared_store});
    kernel.local_accesses = sum({local_load});
    kernel.local_stores = sum({local_store});
    set_memory_requests(mix, kernel);
    set_idle_warps(kernel, ptx.busy_share);
    name_unknowns(ptx, mix, kernel);
    return kernel;
}

namespace {

constexpr std::int64_t guessed_trips = 10;

KernelProfile counts_of(const PtxModule& module, const std::string& kernel) {
    PtxOptions options;
    options.follow_addresses = false;
    for (const PtxLoopReport& loop : analyse_ptx(module, kernel, options).loops)
        if (!loop.trips) options.trips.emplace(loop.label, guessed_trips);
    return kernel_profile_from_ptx(analyse_ptx(module, kernel, options).profile);
}

}  // namespace

std::vector<PtxKernelName> ptx_kernels_of(std::span<const PtxModule> modules, std::string_view function,
                                          std::string_view written) {
    std::vector<PtxKernelName> found;
    for (const PtxModule& module : modules)
        for (const std::string& kernel : module.kernels())
            if (is_ptx_name(kernel, function) && may_be_one_kernel(kernel, written))
                found.push_back({&module, kernel});
    return found;
}

bool take_integer_kinds(KernelProfile& profile, std::span<const PtxModule> modules, std::string_view function,
                        std::string_view written) {
    constexpr std::array kinds = {&KernelProfile::integer, &KernelProfile::logic, &KernelProfile::compares,
                                  &KernelProfile::shifts, &KernelProfile::multiplies};
    std::array<double, kinds.size()> shares = {};
    double kernels = 0;
    for (const PtxKernelName& one : ptx_kernels_of(modules, function, written)) {
        const KernelProfile counts = counts_of(*one.module, one.kernel);
        const double total = counts.integer_instructions();
        if (!(total > 0)) continue;
        for (std::size_t k = 0; k < kinds.size(); ++k) shares[k] += counts.*kinds[k] / total;
        ++kernels;
    }
    if (!(kernels > 0) || !(profile.integer > 0)) return false;
    const double integer = profile.integer;
    profile.integer = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) profile.*kinds[k] += integer * shares[k] / kernels;
    return true;
}

}  // namespace warpnet::netgen

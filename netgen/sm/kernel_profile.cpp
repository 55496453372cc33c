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
    check(kernel, fmt::format("the share of {} sectors that repeat", what), requests.repeated, 1);
    check(kernel, fmt::format("the footprint of the {}s", what), requests.footprint, 1e18);
}

constexpr std::array fields_of_profile = {
    ProfileField{"blocks", "", "blocks of the launch"},
    ProfileField{"threads", "", "threads of a block"},
    ProfileField{"registers", "", "registers of a thread"},
    ProfileField{"shared_bytes", "bytes", "shared memory of a block"},
    ProfileField{"fp32", "/warp", "single-precision instructions"},
    ProfileField{"integer", "/warp", "integer instructions of unknown kind"},
    ProfileField{"logic", "/warp", "integer additions, subtractions, bitwise logic"},
    ProfileField{"compares", "/warp", "integer comparisons, minima, maxima, selections"},
    ProfileField{"shifts", "/warp", "shifts and bit fields"},
    ProfileField{"multiplies", "/warp", "integer multiplications and multiply-additions"},
    ProfileField{"fp64", "/warp", "double-precision instructions"},
    ProfileField{"convert", "/warp", "conversions between types of at most 32 bits"},
    ProfileField{"convert64", "/warp", "conversions from and to 64-bit types"},
    ProfileField{"special", "/warp", "sine, logarithm, reciprocal and the like"},
    ProfileField{"other", "/warp", "moves and the like: one ALU slot each"},
    ProfileField{"shuffles", "/warp", "exchanges between the threads of a warp"},
    ProfileField{"branches", "/warp", "branches"},
    ProfileField{"barriers", "/warp", "barriers of a block"},
    ProfileField{"shared_loads", "/warp", "loads from shared memory"},
    ProfileField{"shared_stores", "/warp", "stores to shared memory"},
    ProfileField{"shared_load_transactions", "/request",
                 "passes of a load from shared memory; 1: no bank conflict"},
    ProfileField{"shared_store_transactions", "/request", "passes of a store to shared memory"},
    ProfileField{"local_accesses", "/warp", "loads from thread-local memory"},
    ProfileField{"local_stores", "/warp", "stores to thread-local memory"},
    ProfileField{"spill_loads", "/warp", "further ones of spilled registers, 4 bytes each"},
    ProfileField{"spill_stores", "/warp", "further stores of spilled registers, 4 bytes each"},
    ProfileField{"loads", "/warp", "loads from global memory"},
    ProfileField{"load_transactions", "/request", "transactions of a load in the load path"},
    ProfileField{"load_sectors", "/request", "sectors of 32 bytes of a load that reach L2"},
    ProfileField{"load_l1_share", "0 to 1", "share of the loads that L1 serves"},
    ProfileField{"load_dram_share", "0 to 1", "share of the loads that DRAM serves"},
    ProfileField{"load_footprint", "bytes", "bytes that all loads of the kernel touch; 0: not known"},
    ProfileField{"stores", "/warp", "stores to global memory"},
    ProfileField{"store_sectors", "/request", "sectors of 32 bytes of a store"},
    ProfileField{"store_dram_share", "0 to 1", "share of the stores that go to DRAM"},
    ProfileField{"store_footprint", "bytes", "bytes that all stores of the kernel touch; 0: not known"},
    ProfileField{"dual_issue", "0 to 1", "share of the instructions that are issued with the one before"},
    ProfileField{"replays", "", "issues of an instruction beyond the first, on average"},
    ProfileField{"dram_bytes", "bytes", "DRAM traffic of the whole kernel"},
    ProfileField{"common_sectors", "/warp",
                 "sectors asked of L2 at addresses that are the same in every block"},
    ProfileField{"common_lines", "", "lines of 128 bytes on which they lie"},
    ProfileField{"one_word_atomics", "/warp",
                 "atomics of the threads of a warp on a word that all threads use"},
    ProfileField{"idle_share", "0 to 1", "share of the warps of a block that has nothing to do"},
};

constexpr auto field_names = [] {
    std::array<std::string_view, fields_of_profile.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = fields_of_profile[i].name;
    return names;
}();

double* real_field(KernelProfile& kernel, std::string_view field) {
    const std::array<std::pair<std::string_view, double*>, 39> fields = {{
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
        {"spill_loads", &kernel.spill_loads},
        {"spill_stores", &kernel.spill_stores},
        {"loads", &kernel.loads.requests},
        {"load_transactions", &kernel.loads.transactions},
        {"load_sectors", &kernel.loads.sectors},
        {"load_l1_share", &kernel.loads.l1_share},
        {"load_dram_share", &kernel.loads.dram_share},
        {"load_footprint", &kernel.loads.footprint},
        {"stores", &kernel.stores.requests},
        {"store_sectors", &kernel.stores.sectors},
        {"store_dram_share", &kernel.stores.dram_share},
        {"store_footprint", &kernel.stores.footprint},
        {"dual_issue", &kernel.dual_issue},
        {"replays", &kernel.replays},
        {"dram_bytes", &kernel.dram_bytes},
        {"common_sectors", &kernel.common_sectors},
        {"common_lines", &kernel.common_lines},
        {"one_word_atomics", &kernel.one_word_atomics},
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
    for (double* count :
         {&kernel.fp32,           &kernel.fp32_any,     &kernel.integer,        &kernel.logic,
          &kernel.compares,       &kernel.shifts,       &kernel.multiplies,     &kernel.fp64,
          &kernel.convert,        &kernel.convert64,    &kernel.special,        &kernel.other,
          &kernel.shuffles,       &kernel.branches,     &kernel.shared_loads,   &kernel.shared_stores,
          &kernel.local_accesses, &kernel.local_stores, &kernel.loads.requests, &kernel.stores.requests,
          &kernel.common_sectors, &kernel.spill_loads,  &kernel.spill_stores})
        *count *= more;
    return kernel;
}

namespace {

constexpr std::array routine_counts = {std::pair(&MachineRoutines::fp32, &KernelProfile::fp32),
                                       std::pair(&MachineRoutines::integer, &KernelProfile::integer),
                                       std::pair(&MachineRoutines::logic, &KernelProfile::logic),
                                       std::pair(&MachineRoutines::compares, &KernelProfile::compares),
                                       std::pair(&MachineRoutines::shifts, &KernelProfile::shifts),
                                       std::pair(&MachineRoutines::multiplies, &KernelProfile::multiplies),
                                       std::pair(&MachineRoutines::fp64, &KernelProfile::fp64),
                                       std::pair(&MachineRoutines::convert, &KernelProfile::convert),
                                       std::pair(&MachineRoutines::special, &KernelProfile::special),
                                       std::pair(&MachineRoutines::other, &KernelProfile::other),
                                       std::pair(&MachineRoutines::branches, &KernelProfile::branches)};

}  // namespace

void MachineRoutines::add(const MachineRoutines& routines, double times) {
    for (const auto& [member, count] : routine_counts) this->*member += times * routines.*member;
}

KernelProfile with_routines(KernelProfile kernel, const MachineRoutines& routines) {
    for (const auto& [member, count] : routine_counts)
        kernel.*count = std::max(0.0, kernel.*count + routines.*member);
    return kernel;
}

std::span<const std::string_view> profile_fields() { return field_names; }

std::span<const ProfileField> described_profile_fields() { return fields_of_profile; }

bool is_whole_profile_field(std::string_view field) {
    KernelProfile kernel;
    return whole_field(kernel, field) != nullptr;
}

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
    check(kernel, "fp32 of unknown kind", kernel.fp32_any, most);
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
    check(kernel, "loads of spilled registers", kernel.spill_loads, most);
    check(kernel, "stores of spilled registers", kernel.spill_stores, most);
    check(kernel, "load", kernel.loads);
    check(kernel, "store", kernel.stores);
    for (const double share : {kernel.waiting.alu, kernel.waiting.fp64, kernel.waiting.special,
                               kernel.waiting.shared, kernel.waiting.loads})
        check(kernel, "the share of instructions that wait for one another", share, 1);
    check(kernel, "the dual-issue share", kernel.dual_issue, 1);
    check(kernel, "replays", kernel.replays, 1000);
    check(kernel, "the share of idle warps", kernel.idle_share, 0.999);
    check(kernel, "DRAM bytes", kernel.dram_bytes, 1e18);
    check(kernel, "sectors that every block reads", kernel.common_sectors, most);
    check(kernel, "atomics on one word", kernel.one_word_atomics, most);
    check(kernel, "lines that every block reads", kernel.common_lines, most);
    if (!(kernel.instructions() > 0))
        throw InputError(fmt::format("{}: expected at least one instruction", kernel.name));
}

}  // namespace warpnet

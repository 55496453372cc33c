// One table has the name, unit, meaning, member and range of each number of a KernelProfile. Names for tables
// and flags, checks and changes of all counts are read from it.
//
// A new number needs one row, and all of its uses follow: flags, columns of tables, JSON, checks, and the
// scaling of counts for idle warps. Members are template arguments, so that a row can also refer to a member
// of a member. Ranges reject NaN, since a comparison with it is false. Rows are searched linearly, which is
// cheap for about 50 of them.

#include "netgen/sm/kernel_profile.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

constexpr double most = 1e12;  // instructions of a warp, transactions of a request

struct WholeField {
    ProfileField field;
    std::int64_t KernelProfile::*member;
    std::int64_t least, greatest;
};

struct RealField {
    ProfileField field;
    double& (*of)(KernelProfile& kernel);
    double greatest = most;
};

template <auto... members>
double& at(KernelProfile& kernel) {
    return (kernel.*....*members);
}

constexpr std::array whole_fields = {
    WholeField{{"blocks", "", "blocks of the launch"}, &KernelProfile::blocks, 1, 1'000'000'000'000},
    WholeField{{"threads", "", "threads of a block"}, &KernelProfile::threads, 1, 1024},
    WholeField{{"registers", "", "registers of a thread"}, &KernelProfile::registers, 0, 255},
    WholeField{{"shared_bytes", "bytes", "shared memory of a block"},
               &KernelProfile::shared_bytes,
               0,
               1'000'000'000},
};

constexpr std::array real_fields = {
    RealField{{"fp32", "/warp", "single-precision instructions"}, at<&KernelProfile::fp32>},
    RealField{{"integer", "/warp", "integer instructions of unknown kind"}, at<&KernelProfile::integer>},
    RealField{{"logic", "/warp", "integer additions, subtractions, bitwise logic"},
              at<&KernelProfile::logic>},
    RealField{{"compares", "/warp", "integer comparisons, minima, maxima, selections"},
              at<&KernelProfile::compares>},
    RealField{{"shifts", "/warp", "shifts and bit fields"}, at<&KernelProfile::shifts>},
    RealField{{"multiplies", "/warp", "integer multiplications and multiply-additions"},
              at<&KernelProfile::multiplies>},
    RealField{{"fp64", "/warp", "double-precision instructions"}, at<&KernelProfile::fp64>},
    RealField{{"convert", "/warp", "conversions between types of at most 32 bits"},
              at<&KernelProfile::convert>},
    RealField{{"convert64", "/warp", "conversions from and to 64-bit types"}, at<&KernelProfile::convert64>},
    RealField{{"special", "/warp", "sine, logarithm, reciprocal and the like"}, at<&KernelProfile::special>},
    RealField{{"other", "/warp", "moves and the like: one ALU slot each"}, at<&KernelProfile::other>},
    RealField{{"alu_pipe", "/warp", "instructions of the ALU pipe (9.0)"}, at<&KernelProfile::alu_pipe>},
    RealField{{"fma_pipe", "/warp", "instructions of both halves of the FMA pipe (9.0)"},
              at<&KernelProfile::fma_pipe>},
    RealField{{"fma_heavy_pipe", "/warp", "of these, on the half that multiplies integers (9.0)"},
              at<&KernelProfile::fma_heavy_pipe>},
    RealField{{"shuffles", "/warp", "exchanges between the threads of a warp"}, at<&KernelProfile::shuffles>},
    RealField{{"branches", "/warp", "branches"}, at<&KernelProfile::branches>},
    RealField{{"barriers", "/warp", "barriers of a block"}, at<&KernelProfile::barriers>},
    RealField{{"shared_loads", "/warp", "loads from shared memory"}, at<&KernelProfile::shared_loads>},
    RealField{{"shared_stores", "/warp", "stores to shared memory"}, at<&KernelProfile::shared_stores>},
    RealField{
        {"shared_load_transactions", "/request", "passes of a load from shared memory; 1: no bank conflict"},
        at<&KernelProfile::shared_load_transactions>},
    RealField{{"shared_store_transactions", "/request", "passes of a store to shared memory"},
              at<&KernelProfile::shared_store_transactions>},
    RealField{{"local_accesses", "/warp", "loads from thread-local memory"},
              at<&KernelProfile::local_accesses>},
    RealField{{"local_stores", "/warp", "stores to thread-local memory"}, at<&KernelProfile::local_stores>},
    RealField{{"spill_loads", "/warp", "further ones of spilled registers, 4 bytes each"},
              at<&KernelProfile::spill_loads>},
    RealField{{"spill_stores", "/warp", "further stores of spilled registers, 4 bytes each"},
              at<&KernelProfile::spill_stores>},
    RealField{{"loads", "/warp", "loads from global memory"},
              at<&KernelProfile::loads, &MemoryRequests::requests>},
    RealField{{"load_transactions", "/request", "transactions of a load in the load path"},
              at<&KernelProfile::loads, &MemoryRequests::transactions>},
    RealField{{"load_sectors", "/request", "sectors of 32 bytes of a load that reach L2"},
              at<&KernelProfile::loads, &MemoryRequests::sectors>},
    RealField{{"load_passes", "/request", "passes of a load in the load/store path; 0: not known"},
              at<&KernelProfile::loads, &MemoryRequests::passes>},
    RealField{{"load_l1_share", "0 to 1", "share of the loads that L1 serves"},
              at<&KernelProfile::loads, &MemoryRequests::l1_share>,
              1},
    RealField{{"load_dram_share", "0 to 1", "share of the loads that DRAM serves"},
              at<&KernelProfile::loads, &MemoryRequests::dram_share>,
              1},
    RealField{{"load_footprint", "bytes", "bytes that all loads of the kernel touch; 0: not known"},
              at<&KernelProfile::loads, &MemoryRequests::footprint>,
              1e18},
    RealField{{"stores", "/warp", "stores to global memory"},
              at<&KernelProfile::stores, &MemoryRequests::requests>},
    RealField{{"store_sectors", "/request", "sectors of 32 bytes of a store"},
              at<&KernelProfile::stores, &MemoryRequests::sectors>},
    RealField{{"store_passes", "/request", "passes of a store in the load/store path; 0: not known"},
              at<&KernelProfile::stores, &MemoryRequests::passes>},
    RealField{{"store_dram_share", "0 to 1", "share of the stores that go to DRAM"},
              at<&KernelProfile::stores, &MemoryRequests::dram_share>,
              1},
    RealField{{"store_footprint", "bytes", "bytes that all stores of the kernel touch; 0: not known"},
              at<&KernelProfile::stores, &MemoryRequests::footprint>,
              1e18},
    RealField{{"dual_issue", "0 to 1", "share of the instructions that are issued with the one before"},
              at<&KernelProfile::dual_issue>,
              1},
    RealField{{"replays", "", "issues of an instruction beyond the first, on average"},
              at<&KernelProfile::replays>,
              1000},
    RealField{
        {"dram_bytes", "bytes", "DRAM traffic of the whole kernel"}, at<&KernelProfile::dram_bytes>, 1e18},
    RealField{
        {"common_sectors", "/warp", "sectors asked of L2 at addresses that are the same in every block"},
        at<&KernelProfile::common_sectors>},
    RealField{{"common_lines", "", "lines of 128 bytes on which they lie"}, at<&KernelProfile::common_lines>},
    RealField{
        {"one_word_atomics", "/warp", "atomics of the threads of a warp on a word that all threads use"},
        at<&KernelProfile::one_word_atomics>},
    RealField{{"one_word_float_atomics", "/warp", "the same, of those in single precision"},
              at<&KernelProfile::one_word_float_atomics>},
    RealField{{"atomics", "/warp", "atomics on global memory that are not among the stores"},
              at<&KernelProfile::atomics>},
    RealField{{"atomic_sectors", "/warp", "sectors that they ask of L2"}, at<&KernelProfile::atomic_sectors>},
    RealField{{"idle_share", "0 to 1", "share of the warps of a block that has nothing to do"},
              at<&KernelProfile::idle_share>,
              0.999},
};

constexpr auto all_fields = [] {
    std::array<ProfileField, whole_fields.size() + real_fields.size()> all{};
    std::size_t count = 0;
    for (const WholeField& row : whole_fields) all[count++] = row.field;
    for (const RealField& row : real_fields) all[count++] = row.field;
    return all;
}();

constexpr auto field_names = [] {
    std::array<std::string_view, all_fields.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = all_fields[i].name;
    return names;
}();

/// The row of a field; null if there is none.
template <class Rows>
auto find_row(const Rows& rows, std::string_view field) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.field.name == field; });
    return found == rows.end() ? nullptr : &*found;
}

template <class Number>
void check(const KernelProfile& kernel, std::string_view what, Number value, Number least, Number greatest) {
    if (value >= least && value <= greatest) return;  // false for NaN
    throw InputError(fmt::format("{}: {} must lie in {} … {}, not {}",
                                 kernel.name.empty() ? "kernel" : kernel.name, what, least, greatest, value));
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
    kernel.fp32_any *= more;
    for (const RealField& row : real_fields)
        if (row.field.unit == "/warp" && row.field.name != "barriers" &&
            !row.field.name.starts_with("one_word"))
            row.of(kernel) *= more;
    return kernel;
}

KernelProfile with_code(KernelProfile counted, const KernelProfile& code) {
    counted.waiting = code.waiting;
    counted.loads.again = code.loads.again;
    counted.one_word_atomics = code.one_word_atomics;
    counted.one_word_float_atomics = code.one_word_float_atomics;
    const double integer = code.integer_instructions();
    if (counted.integer > 0 && integer > 0) {
        const double each = counted.integer / integer;
        counted.integer = each * code.integer;
        counted.logic += each * code.logic;
        counted.compares += each * code.compares;
        counted.shifts += each * code.shifts;
        counted.multiplies += each * code.multiplies;
    }
    // Instructions that no counter distinguishes count as moves and similar ones, or as the remaining
    // classes.
    if (counted.barriers > 0) return counted;
    counted.barriers = std::min(code.barriers, counted.other);
    counted.other -= counted.barriers;
    return counted;
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

std::span<const ProfileField> described_profile_fields() { return all_fields; }

bool is_whole_profile_field(std::string_view field) { return find_row(whole_fields, field) != nullptr; }

bool set_profile_field(KernelProfile& kernel, std::string_view field, double value) {
    if (const WholeField* row = find_row(whole_fields, field)) {
        kernel.*row->member = std::abs(value) < 9e18 ? std::llround(value) : -1;
        return true;
    }
    const RealField* row = find_row(real_fields, field);
    if (row != nullptr) row->of(kernel) = value;
    return row != nullptr;
}

void validate(const KernelProfile& kernel) {
    for (const WholeField& row : whole_fields)
        check(kernel, row.field.meaning, kernel.*row.member, row.least, row.greatest);
    KernelProfile copy = kernel;
    for (const RealField& row : real_fields) check(kernel, row.field.name, row.of(copy), 0.0, row.greatest);
    check(kernel, "fp32 of unknown kind", kernel.fp32_any, 0.0, most);
    check(kernel, "transactions of a store", kernel.stores.transactions, 0.0, most);
    for (const MemoryRequests* requests : {&kernel.loads, &kernel.stores}) {
        check(kernel, "the share of requests that L1 serves", requests->l1_share, 0.0, 1.0);
        check(kernel, "the share of sectors that repeat", requests->repeated, 0.0, 1.0);
        check(kernel, "the share of requests that repeat", requests->again, 0.0, 1.0);
    }
    for (const double share : {kernel.waiting.alu, kernel.waiting.fp64, kernel.waiting.special,
                               kernel.waiting.shared, kernel.waiting.loads})
        check(kernel, "the share of instructions that wait for one another", share, 0.0, 1.0);
    if (!(kernel.instructions() > 0))
        throw InputError(fmt::format("{}: expected at least one instruction", kernel.name));
}

}  // namespace warpnet::netgen

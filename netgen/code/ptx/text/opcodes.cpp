// The opcodes of PTX ISA 9.0 as tables. The class table has the kind of work of an opcode, by its base and a
// rule for its type, its state space or its later parts. The table of memory operations has the location of
// the data, the bytes per execution and the executing threads. A third table has the numbers of operands.
// Models use only these tables, so an opcode counts alike everywhere. An opcode that is not in the class
// table is `unknown`, never a guess. A look-up is a binary search in the class table, and linear in both
// other tables.

#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace warpnet::netgen {

namespace {

constexpr std::array<std::string_view, ptx_class_count> class_names = {
    "float32",       "float16",      "double",      "special",      "integer",    "multiply",
    "divide",        "logic",        "shift",       "compare",      "move",       "convert",
    "global_load",   "global_store", "shared_load", "shared_store", "local_load", "local_store",
    "constant_load", "param_load",   "param_store", "texture",      "async_copy", "global_atomic",
    "shared_atomic", "shuffle",      "vote",        "tensor",       "barrier",    "warp_barrier",
    "fence",         "branch",       "call",        "leave",        "skipped",    "other",
    "unknown"};

using enum PtxClass;

// The way in which the parts after its base determine the class of an opcode.
enum class Rule : std::uint8_t {
    plain,         // the class in the table
    by_type,       // the class of a floating-point type, otherwise the class in the table
    f64_or_plain,  // double_ if it computes f64, otherwise the class in the table
    load,
    store,
    atomic,
    copy,      // cp: copies, and waits for them
    barrier_,  // bar: also of warps
    matrix,    // wmma, wgmma, tcgen05: arithmetic, memory and waits
    multimem,
};

struct Entry {
    std::string_view base;
    Rule rule;
    PtxClass ptx_class;
};

// Sorted by base. The class of a 'video instruction' of PTX ISA 9.0 is that of its integer counterpart.
constexpr std::array table = {
    Entry{"abs", Rule::by_type, integer},
    Entry{"activemask", Rule::plain, vote},
    Entry{"add", Rule::by_type, integer},
    Entry{"addc", Rule::plain, integer},
    Entry{"alloca", Rule::plain, integer},
    Entry{"and", Rule::plain, logic},
    Entry{"applypriority", Rule::plain, other},
    Entry{"atom", Rule::atomic, unknown},
    Entry{"bar", Rule::barrier_, barrier},
    Entry{"barrier", Rule::plain, barrier},
    Entry{"bfe", Rule::plain, integer},
    Entry{"bfi", Rule::plain, integer},
    Entry{"bfind", Rule::plain, integer},
    Entry{"bmsk", Rule::plain, integer},
    Entry{"bra", Rule::plain, branch},
    Entry{"brev", Rule::plain, integer},
    Entry{"brkpt", Rule::plain, other},
    Entry{"brx", Rule::plain, branch},
    Entry{"call", Rule::plain, call},
    Entry{"clusterlaunchcontrol", Rule::plain, other},
    Entry{"clz", Rule::plain, integer},
    Entry{"cnot", Rule::plain, logic},
    Entry{"copysign", Rule::by_type, integer},
    Entry{"cos", Rule::plain, special},
    Entry{"cp", Rule::copy, async_copy},
    Entry{"createpolicy", Rule::plain, other},
    Entry{"cvt", Rule::plain, convert},
    Entry{"cvta", Rule::plain, move},
    Entry{"discard", Rule::plain, other},
    Entry{"div", Rule::f64_or_plain, special},
    Entry{"dp2a", Rule::plain, multiply},
    Entry{"dp4a", Rule::plain, multiply},
    Entry{"elect", Rule::plain, vote},
    Entry{"ex2", Rule::plain, special},
    Entry{"exit", Rule::plain, leave},
    Entry{"fence", Rule::plain, fence},
    Entry{"fma", Rule::by_type, multiply},
    Entry{"fns", Rule::plain, integer},
    Entry{"getctarank", Rule::plain, move},
    Entry{"griddepcontrol", Rule::plain, fence},
    Entry{"isspacep", Rule::plain, move},
    Entry{"istypep", Rule::plain, move},
    Entry{"ld", Rule::load, unknown},
    Entry{"ldmatrix", Rule::plain, shared_load},
    Entry{"ldu", Rule::load, unknown},
    Entry{"lg2", Rule::plain, special},
    Entry{"lop3", Rule::plain, logic},
    Entry{"mad", Rule::by_type, multiply},
    Entry{"mad24", Rule::plain, multiply},
    Entry{"madc", Rule::plain, multiply},
    Entry{"mapa", Rule::plain, move},
    Entry{"match", Rule::plain, vote},
    Entry{"max", Rule::f64_or_plain, compare},
    Entry{"mbarrier", Rule::plain, barrier},
    Entry{"membar", Rule::plain, fence},
    Entry{"min", Rule::f64_or_plain, compare},
    Entry{"mma", Rule::plain, tensor},
    Entry{"mov", Rule::plain, move},
    Entry{"movmatrix", Rule::plain, shuffle},
    Entry{"mul", Rule::by_type, multiply},
    Entry{"mul24", Rule::plain, multiply},
    Entry{"multimem", Rule::multimem, unknown},
    Entry{"nanosleep", Rule::plain, other},
    Entry{"neg", Rule::by_type, integer},
    Entry{"not", Rule::plain, logic},
    Entry{"or", Rule::plain, logic},
    Entry{"pmevent", Rule::plain, other},
    Entry{"popc", Rule::plain, integer},
    Entry{"prefetch", Rule::plain, other},
    Entry{"prefetchu", Rule::plain, other},
    Entry{"prmt", Rule::plain, logic},
    Entry{"rcp", Rule::f64_or_plain, special},
    Entry{"red", Rule::atomic, unknown},
    Entry{"redux", Rule::plain, vote},
    Entry{"rem", Rule::plain, divide},
    Entry{"ret", Rule::plain, leave},
    Entry{"rsqrt", Rule::f64_or_plain, special},
    Entry{"sad", Rule::plain, integer},
    Entry{"selp", Rule::plain, compare},
    Entry{"set", Rule::f64_or_plain, compare},
    Entry{"setmaxnreg", Rule::plain, other},
    Entry{"setp", Rule::f64_or_plain, compare},
    Entry{"shf", Rule::plain, shift},
    Entry{"shfl", Rule::plain, shuffle},
    Entry{"shl", Rule::plain, shift},
    Entry{"shr", Rule::plain, shift},
    Entry{"sin", Rule::plain, special},
    Entry{"slct", Rule::plain, compare},
    Entry{"sqrt", Rule::f64_or_plain, special},
    Entry{"st", Rule::store, unknown},
    Entry{"stackrestore", Rule::plain, integer},
    Entry{"stacksave", Rule::plain, integer},
    Entry{"stmatrix", Rule::plain, shared_store},
    Entry{"sub", Rule::by_type, integer},
    Entry{"subc", Rule::plain, integer},
    Entry{"suld", Rule::plain, texture},
    Entry{"suq", Rule::plain, texture},
    Entry{"sured", Rule::plain, texture},
    Entry{"sust", Rule::plain, texture},
    Entry{"szext", Rule::plain, integer},
    Entry{"tanh", Rule::plain, special},
    Entry{"tcgen05", Rule::matrix, unknown},
    Entry{"tensormap", Rule::plain, other},
    Entry{"testp", Rule::f64_or_plain, compare},
    Entry{"tex", Rule::plain, texture},
    Entry{"tld4", Rule::plain, texture},
    Entry{"trap", Rule::plain, leave},
    Entry{"txq", Rule::plain, texture},
    Entry{"vabsdiff", Rule::plain, integer},
    Entry{"vabsdiff2", Rule::plain, integer},
    Entry{"vabsdiff4", Rule::plain, integer},
    Entry{"vadd", Rule::plain, integer},
    Entry{"vadd2", Rule::plain, integer},
    Entry{"vadd4", Rule::plain, integer},
    Entry{"vavrg2", Rule::plain, integer},
    Entry{"vavrg4", Rule::plain, integer},
    Entry{"vmad", Rule::plain, multiply},
    Entry{"vmax", Rule::plain, compare},
    Entry{"vmax2", Rule::plain, compare},
    Entry{"vmax4", Rule::plain, compare},
    Entry{"vmin", Rule::plain, compare},
    Entry{"vmin2", Rule::plain, compare},
    Entry{"vmin4", Rule::plain, compare},
    Entry{"vote", Rule::plain, vote},
    Entry{"vset", Rule::plain, compare},
    Entry{"vset2", Rule::plain, compare},
    Entry{"vset4", Rule::plain, compare},
    Entry{"vshl", Rule::plain, shift},
    Entry{"vshr", Rule::plain, shift},
    Entry{"vsub", Rule::plain, integer},
    Entry{"vsub2", Rule::plain, integer},
    Entry{"vsub4", Rule::plain, integer},
    Entry{"wgmma", Rule::matrix, unknown},
    Entry{"wmma", Rule::matrix, unknown},
    Entry{"xor", Rule::plain, logic},
};
static_assert(std::is_sorted(table.begin(), table.end(),
                             [](const Entry& a, const Entry& b) { return a.base < b.base; }));

bool starts_part(std::string_view opcode, std::string_view begin) {
    return any_ptx_part(opcode, [&](std::string_view part) { return part.starts_with(begin); });
}

PtxClass float_class(std::string_view opcode, PtxClass otherwise) {
    PtxClass result = otherwise;
    any_ptx_part(opcode, [&](std::string_view part) {
        if (part == "f64") {
            result = double_;
        } else if (part == "f16" || part == "f16x2" || part == "bf16" || part == "bf16x2") {
            result = float16;
        } else if (part == "f32" || part == "f32x2") {
            result = float32;
        } else {
            return false;
        }
        return true;
    });
    return result;
}

struct Spaces {
    PtxClass global;
    PtxClass shared;
    PtxClass local;
    PtxClass constant;
    PtxClass param;
};

// `.shared`, `.shared::cta`, `.shared::cluster` …; an address without a space is generic and counts
// as global here.
PtxClass by_space(std::string_view opcode, const Spaces& spaces) {
    PtxClass result = spaces.global;
    any_ptx_part(opcode, [&](std::string_view part) {
        if (part == "global") return true;
        if (part.starts_with("shared")) {
            result = spaces.shared;
        } else if (part == "local") {
            result = spaces.local;
        } else if (part == "const") {
            result = spaces.constant;
        } else if (part.starts_with("param")) {
            result = spaces.param;
        } else {
            return false;
        }
        return true;
    });
    return result;
}

constexpr Spaces loads = {global_load, shared_load, local_load, constant_load, param_load};
constexpr Spaces stores = {global_store, shared_store, local_store, global_store, param_store};
constexpr Spaces atomics = {global_atomic, shared_atomic, global_atomic, global_atomic, global_atomic};

PtxClass matrix_class(std::string_view opcode) {
    if (starts_part(opcode, "mma")) return tensor;
    if (opcode.starts_with("wmma.load")) return by_space(opcode, loads);
    if (opcode.starts_with("wmma.store")) return by_space(opcode, stores);
    if (opcode.starts_with("wgmma.")) return fence;
    // Tensor memory is neither shared nor global memory.
    if (opcode.starts_with("tcgen05.") && find_memory_row(opcode) != nullptr) return other;
    return opcode.starts_with("tcgen05.") ? fence : unknown;
}

PtxClass class_of(const Entry& entry, std::string_view opcode) {
    switch (entry.rule) {
        case Rule::plain:
            return entry.ptx_class;
        case Rule::by_type:
            return float_class(opcode, entry.ptx_class);
        case Rule::f64_or_plain: {
            const PtxClass of_type = float_class(opcode, integer);
            if (of_type == double_) return double_;
            return entry.base == "div" && of_type == integer ? divide : entry.ptx_class;
        }
        case Rule::load:
            return by_space(opcode, loads);
        case Rule::store:
            if (has_ptx_part(opcode, "async") && !starts_part(opcode, "shared")) return async_copy;
            return has_ptx_part(opcode, "bulk") ? shared_store : by_space(opcode, stores);
        case Rule::atomic:
            if (has_ptx_part(opcode, "async") && !starts_part(opcode, "shared")) return async_copy;
            return by_space(opcode, atomics);
        case Rule::copy:
            if (starts_part(opcode, "prefetch")) return other;
            for (const std::string_view part : {"wait_group", "wait_all", "commit_group", "mbarrier"})
                if (has_ptx_part(opcode, part)) return fence;
            if (find_memory_row(opcode) == nullptr) return unknown;
            // From shared memory to that of another block of the cluster.
            return starts_part(opcode, "shared") && !has_ptx_part(opcode, "global") ? shared_store
                                                                                    : async_copy;
        case Rule::barrier_:
            return has_ptx_part(opcode, "warp") ? warp_barrier : barrier;
        case Rule::matrix:
            return matrix_class(opcode);
        case Rule::multimem:
            if (has_ptx_part(opcode, "ld_reduce")) return global_load;
            if (has_ptx_part(opcode, "st")) return global_store;
            if (has_ptx_part(opcode, "red")) return global_atomic;
            return find_memory_row(opcode) != nullptr ? async_copy : unknown;
    }
    return unknown;
}

}  // namespace

std::string_view ptx_base(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

std::string_view ptx_type(std::string_view opcode) {
    const std::size_t dot = opcode.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : opcode.substr(dot + 1);
}

bool has_ptx_part(std::string_view opcode, std::string_view part) {
    return any_ptx_part(opcode, [&](std::string_view own) { return own == part; });
}

std::string_view to_string(PtxClass ptx_class) { return class_names[static_cast<std::size_t>(ptx_class)]; }

PtxClass ptx_class_of(std::string_view opcode) {
    const std::string_view base = ptx_base(opcode);
    const auto found =
        std::lower_bound(table.begin(), table.end(), base,
                         [](const Entry& entry, std::string_view b) { return entry.base < b; });
    return found != table.end() && found->base == base ? class_of(*found, opcode) : unknown;
}

PtxMemory ptx_memory(PtxClass ptx_class) {
    switch (ptx_class) {
        case shared_load:
        case shared_store:
        case shared_atomic:
        case shuffle:
            return PtxMemory::shared;
        case global_load:
        case global_store:
        case global_atomic:
        case local_load:
        case local_store:
        case texture:
        case async_copy:
            return PtxMemory::dram;
        default:
            return PtxMemory::none;
    }
}

bool ptx_has_unit(PtxClass ptx_class) {
    switch (ptx_class) {
        case special:
        case double_:
        case tensor:
        case barrier:
        case warp_barrier:
        case call:
            return true;
        default:
            return ptx_memory(ptx_class) != PtxMemory::none;
    }
}

char ptx_letter(PtxClass ptx_class, PtxLetters letters) {
    if (ptx_memory(ptx_class) != PtxMemory::none) return 'L';
    switch (ptx_class) {
        case constant_load:
        case param_load:
        case param_store:
            return letters == PtxLetters::of_device ? 'C' : 'L';
        case special:
            return 'S';
        case double_:
            return 'D';
        case barrier:
        case warp_barrier:
        case fence:
        case branch:
        case call:
        case leave:
        case skipped:
        case other:
            return letters == PtxLetters::paper ? '-' : 'C';
        case unknown:
            return '?';
        default:
            return 'C';
    }
}

bool is_ptx_generic_access(std::string_view opcode, PtxClass ptx_class) {
    const std::string_view base = ptx_base(opcode);
    if (base != "ld" && base != "ldu" && base != "st" && base != "atom" && base != "red" && base != "wmma")
        return false;
    const bool accesses = ptx_class == global_load || ptx_class == global_store || ptx_class == global_atomic;
    return accesses && !has_ptx_part(opcode, "global");
}

std::int64_t ptx_access_bytes(std::string_view opcode) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> widths = {
        {{"8", 8}, {"16", 16}, {"32", 32}, {"64", 64}, {"128", 128}, {"16x2", 32}}};
    std::int64_t bits = 0;
    std::int64_t elements = 1;
    any_ptx_part(opcode, [&](std::string_view part) {
        if (part.empty()) return false;
        if (part == "v2") elements = 2;
        if (part == "v3") elements = 3;  // of GCN
        if (part == "v4") elements = 4;
        if (part == "v8") elements = 8;
        for (const std::string_view byte : {"e5m2", "e4m3"}) {
            if (part == byte) bits = 8;
            if (part.starts_with(byte) && part.substr(byte.size()) == "x4") bits = 32;
            if (part.starts_with(byte) && part.substr(byte.size()) == "x2") bits = 16;
        }
        const std::string_view number =
            part.substr(std::min<std::size_t>(part.starts_with("bf") ? 2 : 1, part.size()));
        if (std::string_view("bsuf").find(part.front()) == std::string_view::npos) return false;
        for (const auto& [suffix, size] : widths)
            if (number == suffix) bits = size;
        return false;
    });
    return bits / 8 * elements;
}

namespace {

using enum MemoryExecutor;

// Sorted, so the last row that fits an opcode is the most specific one. Prefetches move nothing here, because
// the later access counts the same bytes.
constexpr std::array rows = {
    MemoryRow{"applypriority", MemoryTraffic::none, MemoryWidth::nothing, thread, true},
    MemoryRow{"atom", MemoryTraffic::by_class, MemoryWidth::type, thread, false},
    MemoryRow{"cp.async.bulk", MemoryTraffic::copy, MemoryWidth::operand2, one_thread, true},
    MemoryRow{"cp.async.bulk.prefetch", MemoryTraffic::none, MemoryWidth::nothing, one_thread, true},
    MemoryRow{"cp.async.bulk.tensor", MemoryTraffic::copy, MemoryWidth::box, one_thread, true},
    MemoryRow{"cp.async.ca", MemoryTraffic::copy, MemoryWidth::operand2, thread, true},
    MemoryRow{"cp.async.cg", MemoryTraffic::copy, MemoryWidth::operand2, thread, true},
    MemoryRow{"cp.reduce.async.bulk", MemoryTraffic::copy, MemoryWidth::operand2, one_thread, true},
    MemoryRow{"cp.reduce.async.bulk.tensor", MemoryTraffic::copy, MemoryWidth::box, one_thread, true},
    MemoryRow{"discard", MemoryTraffic::none, MemoryWidth::nothing, thread, true},
    MemoryRow{"ld", MemoryTraffic::by_class, MemoryWidth::type, thread, false},
    MemoryRow{"ldmatrix", MemoryTraffic::by_class, MemoryWidth::matrices, warp, false},
    MemoryRow{"ldu", MemoryTraffic::by_class, MemoryWidth::type, thread, false},
    MemoryRow{"multimem.cp.async.bulk", MemoryTraffic::copy, MemoryWidth::operand2, one_thread, true},
    MemoryRow{"multimem.cp.reduce.async.bulk", MemoryTraffic::copy, MemoryWidth::operand2, one_thread, true},
    MemoryRow{"multimem.ld_reduce", MemoryTraffic::global_load, MemoryWidth::type, thread, false},
    MemoryRow{"multimem.red", MemoryTraffic::global_store, MemoryWidth::type, thread, true},
    MemoryRow{"multimem.st", MemoryTraffic::global_store, MemoryWidth::type, thread, true},
    MemoryRow{"prefetch", MemoryTraffic::none, MemoryWidth::nothing, thread, true},
    MemoryRow{"prefetchu", MemoryTraffic::none, MemoryWidth::nothing, thread, true},
    MemoryRow{"red", MemoryTraffic::by_class, MemoryWidth::type, thread, true},
    MemoryRow{"red.async", MemoryTraffic::copy, MemoryWidth::type, thread, true},
    MemoryRow{"st", MemoryTraffic::by_class, MemoryWidth::type, thread, true},
    MemoryRow{"st.async", MemoryTraffic::copy, MemoryWidth::type, thread, true},
    MemoryRow{"st.bulk", MemoryTraffic::by_class, MemoryWidth::operand1, one_thread, true},
    MemoryRow{"stmatrix", MemoryTraffic::by_class, MemoryWidth::matrices, warp, true},
    MemoryRow{"suld", MemoryTraffic::global_load, MemoryWidth::type, thread, false},
    MemoryRow{"suq", MemoryTraffic::none, MemoryWidth::nothing, thread, false},
    MemoryRow{"sured", MemoryTraffic::global_store, MemoryWidth::type, thread, true},
    MemoryRow{"sust", MemoryTraffic::global_store, MemoryWidth::type, thread, true},
    MemoryRow{"tcgen05.cp", MemoryTraffic::none, MemoryWidth::nothing, one_thread, true},
    MemoryRow{"tcgen05.ld", MemoryTraffic::none, MemoryWidth::nothing, warp, true},
    MemoryRow{"tcgen05.shift", MemoryTraffic::none, MemoryWidth::nothing, one_thread, true},
    MemoryRow{"tcgen05.st", MemoryTraffic::none, MemoryWidth::nothing, warp, true},
    MemoryRow{"tensormap.cp_fenceproxy", MemoryTraffic::copy, MemoryWidth::operand2, one_thread, false},
    MemoryRow{"tex", MemoryTraffic::global_load, MemoryWidth::texel, thread, false},
    MemoryRow{"tld4", MemoryTraffic::global_load, MemoryWidth::texel, thread, false},
    MemoryRow{"txq", MemoryTraffic::none, MemoryWidth::nothing, thread, false},
    MemoryRow{"wmma.load", MemoryTraffic::by_class, MemoryWidth::fragment, warp, false},
    MemoryRow{"wmma.store", MemoryTraffic::by_class, MemoryWidth::fragment, warp, true},
};
static_assert(std::is_sorted(rows.begin(), rows.end(),
                             [](const MemoryRow& a, const MemoryRow& b) { return a.family < b.family; }));

}  // namespace

bool is_ptx_family(std::string_view opcode, std::string_view family) {
    return opcode.starts_with(family) && (opcode.size() == family.size() || opcode[family.size()] == '.');
}

const MemoryRow* find_memory_row(std::string_view opcode) {
    const MemoryRow* found = nullptr;
    for (const MemoryRow& row : rows)
        if (is_ptx_family(opcode, row.family)) found = &row;
    return found;
}

bool is_gpu_architecture(std::string_view number) {
    constexpr std::string_view known[] = {"30", "32",  "35",  "37",  "50",  "52",  "53", "60", "61",
                                          "62", "70",  "72",  "75",  "80",  "86",  "87", "88", "89",
                                          "90", "100", "101", "103", "110", "120", "121"};
    return std::find(std::begin(known), std::end(known), number) != std::end(known);
}

// PTX ISA, "Instruction Set": a destination with a predicate, as in p|q, is one operand.
std::optional<std::pair<int, int>> ptx_operands_of(std::string_view opcode) {
    struct Row {
        std::string_view base;
        int least, most;
    };
    constexpr Row rows[] = {{"add", 3, 3},        {"addc", 3, 3},
                            {"sub", 3, 3},        {"subc", 3, 3},
                            {"mul", 3, 3},        {"mul24", 3, 3},
                            {"mad", 4, 4},        {"mad24", 4, 4},
                            {"madc", 4, 4},       {"fma", 4, 4},
                            {"div", 3, 3},        {"rem", 3, 3},
                            {"abs", 2, 2},        {"neg", 2, 2},
                            {"rcp", 2, 2},        {"sqrt", 2, 2},
                            {"rsqrt", 2, 2},      {"sin", 2, 2},
                            {"cos", 2, 2},        {"lg2", 2, 2},
                            {"ex2", 2, 2},        {"tanh", 2, 2},
                            {"sad", 4, 4},        {"popc", 2, 2},
                            {"clz", 2, 2},        {"brev", 2, 2},
                            {"bfind", 2, 2},      {"bfe", 4, 4},
                            {"bfi", 5, 5},        {"prmt", 4, 4},
                            {"min", 3, 4},        {"max", 3, 4},
                            {"and", 3, 3},        {"or", 3, 3},
                            {"xor", 3, 3},        {"not", 2, 2},
                            {"cnot", 2, 2},       {"shl", 3, 3},
                            {"shr", 3, 3},        {"shf", 4, 4},
                            {"selp", 4, 4},       {"slct", 4, 4},
                            {"set", 3, 4},        {"setp", 3, 4},
                            {"mov", 2, 2},        {"cvta", 2, 2},
                            {"lop3", 5, 6},       {"testp", 2, 2},
                            {"ld", 2, 3},         {"ldu", 2, 2},
                            {"st", 2, 3},         {"ret", 0, 0},
                            {"exit", 0, 0},       {"trap", 0, 0},
                            {"membar", 0, 0},     {"cvt", 2, 4},
                            {"szext", 3, 3},      {"bmsk", 3, 3},
                            {"fns", 4, 4},        {"dp4a", 4, 4},
                            {"dp2a", 4, 4},       {"copysign", 3, 3},
                            {"isspacep", 2, 2},   {"activemask", 1, 1},
                            {"vote", 2, 3},       {"match", 3, 3},
                            {"redux", 3, 3},      {"elect", 2, 2},
                            {"nanosleep", 1, 1},  {"shfl", 4, 5},
                            {"atom", 3, 5},       {"red", 2, 3},
                            {"bar", 1, 4},        {"barrier", 0, 4},
                            {"fence", 0, 2},      {"mapa", 3, 3},
                            {"getctarank", 2, 2}, {"prefetch", 1, 1},
                            {"prefetchu", 1, 1},  {"ldmatrix", 2, 2},
                            {"stmatrix", 2, 2},   {"movmatrix", 2, 2},
                            {"wmma", 2, 4},       {"mma", 4, 10},
                            {"discard", 2, 2},    {"applypriority", 2, 2},
                            {"brkpt", 0, 0},      {"griddepcontrol", 0, 0},
                            {"setmaxnreg", 1, 1}, {"pmevent", 1, 1}};
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    const auto found =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.base == base; });
    if (found == std::end(rows)) return std::nullopt;
    return std::pair(found->least, found->most);
}

}  // namespace warpnet::netgen

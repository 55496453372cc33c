// The memory operations of PTX: one row per family of opcodes says where the data lie, which way they go, how
// many bytes an execution moves and which threads execute it. Everything that counts traffic asks this table.

#include "netgen/code/ptx/memory_table.hpp"

#include <algorithm>
#include <array>

namespace warpnet {

namespace {

using enum MemoryExecutor;

// Sorted; of two rows that fit an opcode the longer one counts. Prefetches move nothing here: the access
// behind them counts the same bytes.
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

// Whether `family` is the first parts of the opcode.
bool is_of_family(std::string_view opcode, std::string_view family) {
    return opcode.starts_with(family) && (opcode.size() == family.size() || opcode[family.size()] == '.');
}

}  // namespace

const MemoryRow* find_memory_row(std::string_view opcode) {
    const MemoryRow* found = nullptr;
    for (const MemoryRow& row : rows)
        if (is_of_family(opcode, row.family)) found = &row;
    return found;
}

}  // namespace warpnet

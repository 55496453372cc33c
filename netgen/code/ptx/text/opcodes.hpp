#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace warpnet::netgen {

/// What a PTX instruction asks of the hardware, as far as its opcode says (netgen/code/ptx/README.md lists
/// which opcode is what). Every instruction has exactly one class.
enum class PtxClass : std::uint8_t {
    float32,        ///< add, sub, mul, fma, … of f32
    float16,        ///< the same of f16, bf16 and their pairs
    double_,        ///< all that computes or compares f64
    special,        ///< sin, cos, lg2, ex2, tanh, rcp, rsqrt, sqrt, div of f32 or f16
    integer,        ///< add, sub, abs, neg, popc, bit fields, video
    multiply,       ///< mul, mad, dp4a of integers
    divide,         ///< div, rem of integers: a routine of many machine instructions
    logic,          ///< and, or, xor, not, lop3, prmt; of predicates too
    shift,          ///< shl, shr, shf
    compare,        ///< setp, set, selp, slct, min, max, but for f64
    move,           ///< mov, cvta and what else only renames
    convert,        ///< cvt, f64 included
    global_load,    ///< ld, ldu of .global, or of a generic address not known to be elsewhere
    global_store,   ///< st of the same
    shared_load,    ///< ld.shared, ldmatrix
    shared_store,   ///< st.shared, stmatrix; st.async and bulk copies from shared to shared memory
    local_load,     ///< ld.local
    local_store,    ///< st.local
    constant_load,  ///< ld.const
    param_load,     ///< ld.param: the kernel's arguments, the results of a call
    param_store,    ///< st.param: the arguments of a call
    texture,        ///< tex, tld4, suld, sust, …
    async_copy,     ///< cp.async, cp.async.bulk: the copies from or to global memory, not their waits
    global_atomic,  ///< atom, red of the same
    shared_atomic,  ///< atom, red, red.async of .shared
    shuffle,        ///< shfl, movmatrix
    vote,           ///< vote, match, redux, activemask, elect
    tensor,         ///< mma, wmma.mma, wgmma, tcgen05.mma
    barrier,        ///< bar, barrier, mbarrier, but for
    warp_barrier,   ///< bar.warp.sync
    fence,          ///< membar, fence, waits for copies
    branch,         ///< bra, brx
    call,           ///< call; what is called is counted as well where the file has it
    leave,          ///< ret, exit, trap
    skipped,        ///< of any class with ptx_has_unit(): no lane of the warp has its guard
    other,          ///< known, none of these: nanosleep, prefetch, tcgen05.ld, setmaxnreg, …
    unknown,        ///< an opcode that the table does not have
};
inline constexpr std::size_t ptx_class_count = static_cast<std::size_t>(PtxClass::unknown) + 1;

/// The name in JSON and messages: "float32", "global_load", "double" ….
std::string_view to_string(PtxClass ptx_class);

/// The accesses whose traffic is counted.
enum class AccessKind : std::uint8_t { global_load, global_store, shared_load, shared_store };
inline constexpr std::array access_kinds = {AccessKind::global_load, AccessKind::global_store,
                                            AccessKind::shared_load, AccessKind::shared_store};
constexpr bool is_global(AccessKind kind) { return kind <= AccessKind::global_store; }

/// A number for each of them.
template <class Number>
struct ByAccess {
    std::array<Number, access_kinds.size()> numbers = {};

    Number& operator[](AccessKind kind) { return numbers[static_cast<std::size_t>(kind)]; }
    Number operator[](AccessKind kind) const { return numbers[static_cast<std::size_t>(kind)]; }
    bool operator==(const ByAccess&) const = default;
};

/// The class of a whole opcode such as "ld.global.nc.v4.f32"; PtxClass::unknown where the table lacks its
/// first part (PTX ISA 9.0; netgen/code/ptx/README.md). O(length).
PtxClass ptx_class_of(std::string_view opcode);

/// The memory that a warp waits for after an instruction, in all models. Constants and parameters come from
/// the constant bank, like operands; local memory lies in DRAM; shuffles take the path of shared memory.
enum class PtxMemory : std::uint8_t { none, shared, dram };
PtxMemory ptx_memory(PtxClass ptx_class);

/// Whether an instruction goes to a unit besides the cores, meets other warps, or calls: if its guard is
/// false for all lanes of a warp, nothing of that happens, and it takes an issue slot alone
/// (PtxClass::skipped).
bool ptx_has_unit(PtxClass ptx_class);

/// What the letters of a string mean.
enum class PtxLetters : std::uint8_t {
    paper,         ///< [Berezovskyi13] section III-D: every load and store is an L, ld.param too
    with_control,  ///< the same, and what no unit executes (branches, barriers, fences, hints) is a C
    of_device,     ///< what a GPU issues: with_control, and an L is only what ptx_memory() waits for
};

/// The unit of an instruction in a kernel instruction string: C, L, S or D; '-' for what no such unit
/// executes; '?' for PtxClass::unknown.
char ptx_letter(PtxClass ptx_class, PtxLetters letters = PtxLetters::paper);

/// Whether the opcode reads or writes memory through an address without a state space: `ld.f32`.
bool is_ptx_generic_access(std::string_view opcode, PtxClass ptx_class);

/// Bytes that one thread moves: element type times vector length; 0 if the opcode does not say.
std::int64_t ptx_access_bytes(std::string_view opcode);

/// Calls visit(part) for every dotted part behind the base, until it returns true.
template <class Visit>
bool any_ptx_part(std::string_view opcode, Visit visit) {
    for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
        const std::size_t end = opcode.find('.', dot + 1);
        if (visit(opcode.substr(dot + 1, end == std::string_view::npos ? end : end - dot - 1))) return true;
        dot = end;
    }
    return false;
}

/// Whether one of the dotted parts of the opcode is `part`.
bool has_ptx_part(std::string_view opcode, std::string_view part);

/// Whether the first dotted parts of the opcode are those of `family`: "cp.async" of "cp.async.ca".
bool is_ptx_family(std::string_view opcode, std::string_view family);

/// The first dotted part, and the last: "ld", "f32".
std::string_view ptx_base(std::string_view opcode);
std::string_view ptx_type(std::string_view opcode);

/// The threads of a warp that carry out a memory operation.
enum class MemoryExecutor : std::uint8_t {
    thread,      ///< each active thread, at its own address
    warp,        ///< all 32 threads together, at addresses that the opcode arranges
    one_thread,  ///< one thread for the warp
};

/// The data that the model counts.
enum class MemoryTraffic : std::uint8_t {
    by_class,  ///< load, store or atomic in the space that the class of the instruction names
    copy,      ///< the global side of a copy between global and shared memory, if there is one
    global_load,
    global_store,
    none,
};

/// What gives the bytes.
enum class MemoryWidth : std::uint8_t {
    type,      ///< element type times vector
    texel,     ///< a word: the format of a texture is not part of the program
    operand2,  ///< the third operand, of the whole copy
    operand1,  ///< the second operand, of the whole copy
    matrices,  ///< number of 8x8 or 16x16 matrices
    fragment,  ///< shape of the tile
    box,       ///< the box of a tensor map, which the host makes
    nothing,
};

/// A family of opcodes in the table of memory operations.
struct MemoryRow {
    std::string_view family;  ///< a prefix of the opcode, whole dotted parts
    MemoryTraffic traffic;
    MemoryWidth width;
    MemoryExecutor executor;
    bool asynchronous;
};

/// The row of the most specific family that the opcode belongs to; null if it is no memory operation of PTX
/// ISA 9.0. O(rows).
const MemoryRow* find_memory_row(std::string_view opcode);

/// Whether NVIDIA has an architecture of that number since Kepler: "30" to "121".
bool is_gpu_architecture(std::string_view number);

/// The least and the most operands that an opcode has; nothing if its forms are not in the table.
std::optional<std::pair<int, int>> ptx_operands_of(std::string_view opcode);

}  // namespace warpnet::netgen

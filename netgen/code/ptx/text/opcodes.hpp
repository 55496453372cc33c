#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace warpnet::netgen {

/// The use of the hardware by a PTX instruction, as far as its opcode determines it
/// (docs/reference/ptx.md lists the opcodes). Every instruction has exactly one class.
enum class PtxClass : std::uint8_t {
    float32,        ///< add, sub, mul, fma, … of f32
    float16,        ///< the same for f16, bf16 and their pairs
    double_,        ///< all arithmetic and comparisons of f64
    special,        ///< sin, cos, lg2, ex2, tanh, rcp, rsqrt, sqrt, div of f32 or f16
    integer,        ///< add, sub, abs, neg, popc, bit fields, video
    multiply,       ///< mul, mad, dp4a of integers
    divide,         ///< div, rem of integers: a routine of many machine instructions
    logic,          ///< and, or, xor, not, lop3, prmt; also of predicates
    shift,          ///< shl, shr, shf
    compare,        ///< setp, set, selp, slct, min, max, except for f64
    move,           ///< mov, cvta and similar renaming
    convert,        ///< cvt, f64 included
    global_load,    ///< ld, ldu of .global, or of a generic address not known to be elsewhere
    global_store,   ///< st to the same
    shared_load,    ///< ld.shared, ldmatrix
    shared_store,   ///< st.shared, stmatrix; st.async and bulk copies from shared to shared memory
    local_load,     ///< ld.local
    local_store,    ///< st.local
    constant_load,  ///< ld.const
    param_load,     ///< ld.param: the kernel's arguments, the results of a call
    param_store,    ///< st.param: the arguments of a call
    texture,        ///< tex, tld4, suld, sust, …
    async_copy,     ///< cp.async, cp.async.bulk: the copies from or to global memory, not their waits
    global_atomic,  ///< atom, red in the same
    shared_atomic,  ///< atom, red, red.async of .shared
    shuffle,        ///< shfl, movmatrix
    vote,           ///< vote, match, redux, activemask, elect
    tensor,         ///< mma, wmma.mma, wgmma, tcgen05.mma
    barrier,        ///< bar, barrier, mbarrier, without warp_barrier
    warp_barrier,   ///< bar.warp.sync
    fence,          ///< membar, fence, waits for copies
    branch,         ///< bra, brx
    call,           ///< call; the called code is counted too if the file contains it
    leave,          ///< ret, exit, trap
    skipped,        ///< of any class with ptx_has_unit(): the guard is false for all lanes of the warp
    other,          ///< known, but in none of these classes: nanosleep, prefetch, tcgen05.ld, setmaxnreg, …
    unknown,        ///< an opcode that is not in the table
};
inline constexpr std::size_t ptx_class_count = static_cast<std::size_t>(PtxClass::unknown) + 1;

/// The name in JSON and messages: "float32", "global_load", "double", ….
std::string_view to_string(PtxClass ptx_class);

/// The accesses with counted traffic.
enum class AccessKind : std::uint8_t { global_load, global_store, shared_load, shared_store };
inline constexpr std::array access_kinds = {AccessKind::global_load, AccessKind::global_store,
                                            AccessKind::shared_load, AccessKind::shared_store};
constexpr bool is_global(AccessKind kind) { return kind <= AccessKind::global_store; }

/// A number for each access.
template <class Number>
struct ByAccess {
    std::array<Number, access_kinds.size()> numbers = {};

    Number& operator[](AccessKind kind) { return numbers[static_cast<std::size_t>(kind)]; }
    Number operator[](AccessKind kind) const { return numbers[static_cast<std::size_t>(kind)]; }
    bool operator==(const ByAccess&) const = default;
};

/// The class of a whole opcode such as "ld.global.nc.v4.f32"; PtxClass::unknown if its first part is not in
/// the table (PTX ISA 9.0; docs/reference/ptx.md). O(length).
PtxClass ptx_class_of(std::string_view opcode);

/// The memory that a warp waits for after an instruction, in all models. Constants and parameters come from
/// the constant bank, like operands. Local memory is in DRAM. Shuffles take the path of shared memory.
enum class PtxMemory : std::uint8_t { none, shared, dram };
PtxMemory ptx_memory(PtxClass ptx_class);

/// Whether an instruction uses a unit besides the cores, synchronizes warps, or calls. If its guard is false
/// for all lanes of a warp, it does none of these and takes only an issue slot (PtxClass::skipped).
bool ptx_has_unit(PtxClass ptx_class);

/// The meaning of the letters of a string.
enum class PtxLetters : std::uint8_t {
    paper,         ///< [Berezovskyi13] section III-D: every load and store is an L, also ld.param
    with_control,  ///< the same, and an instruction without a unit (branch, barrier, fence, hint) is a C
    of_device,  ///< the instructions that a GPU issues: with_control, and an L only if ptx_memory() waits for
                ///< it
};

/// The unit of an instruction in a kernel instruction string: C, L, S or D; '-' if it has no such unit; '?'
/// for PtxClass::unknown.
char ptx_letter(PtxClass ptx_class, PtxLetters letters = PtxLetters::paper);

/// Whether the opcode reads or writes memory through an address without a state space: `ld.f32`.
bool is_ptx_generic_access(std::string_view opcode, PtxClass ptx_class);

/// Bytes that one thread moves: element type times vector length; 0 if the opcode does not determine them.
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

/// The threads of a warp that execute a memory operation.
enum class MemoryExecutor : std::uint8_t {
    thread,      ///< each active thread, at its own address
    warp,        ///< all 32 threads together, at addresses that the opcode arranges
    one_thread,  ///< one thread for the warp
};

/// The counted data.
enum class MemoryTraffic : std::uint8_t {
    by_class,  ///< load, store or atomic in the space that the class of the instruction names
    copy,      ///< the global side of a copy between global and shared memory, if there is one
    global_load,
    global_store,
    none,
};

/// The source of the number of bytes.
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

/// Whether NVIDIA has an architecture of that number, from Kepler on: "30" to "121".
bool is_gpu_architecture(std::string_view number);

/// The least and the most operands of an opcode; nothing if its forms are not in the table.
std::optional<std::pair<int, int>> ptx_operands_of(std::string_view opcode);

}  // namespace warpnet::netgen

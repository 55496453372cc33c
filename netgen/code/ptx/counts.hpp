#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

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
    shared_store,   ///< st.shared, stmatrix
    local_load,     ///< ld.local
    local_store,    ///< st.local
    constant_load,  ///< ld.const
    param_load,     ///< ld.param: the kernel's arguments, the results of a call
    param_store,    ///< st.param: the arguments of a call
    texture,        ///< tex, tld4, suld, sust, …
    async_copy,     ///< cp.async, cp.async.bulk, st.async: the copies, not their waits
    global_atomic,  ///< atom, red of the same
    shared_atomic,  ///< atom, red of .shared
    shuffle,        ///< shfl, movmatrix
    vote,           ///< vote, match, redux, activemask, elect
    tensor,         ///< mma, wmma.mma, wgmma, tcgen05.mma
    barrier,        ///< bar, barrier, mbarrier, but for
    warp_barrier,   ///< bar.warp.sync
    fence,          ///< membar, fence, waits for copies
    branch,         ///< bra, brx
    call,           ///< call; what is called is counted as well where the file has it
    leave,          ///< ret, exit, trap
    other,          ///< known, none of these: nanosleep, prefetch, setmaxnreg, …
    unknown,        ///< an opcode that the table does not have
};
inline constexpr std::size_t ptx_class_count = static_cast<std::size_t>(PtxClass::unknown) + 1;

/// The name in JSON and messages: "float32", "global_load", "double" ….
std::string_view to_string(PtxClass ptx_class);

/// Instructions per class.
struct PtxCounts {
    std::array<std::int64_t, ptx_class_count> by_class = {};

    std::int64_t& operator[](PtxClass c) { return by_class[static_cast<std::size_t>(c)]; }
    std::int64_t operator[](PtxClass c) const { return by_class[static_cast<std::size_t>(c)]; }
    bool operator==(const PtxCounts&) const = default;

    std::int64_t total() const;
    // The coarser classes that scripts ask for. With those that are in none of them they add up to total().
    std::int64_t arith() const;   ///< what a CUDA core does: float32 to convert but double and special; vote
    std::int64_t shared() const;  ///< shared_load, shared_store, shared_atomic
    std::int64_t global() const;  ///< global_load, global_store, global_atomic, async_copy
    std::int64_t local() const;   ///< local_load, local_store
    std::int64_t constant() const;  ///< constant_load, param_load, param_store
    std::int64_t barriers() const;  ///< barrier, warp_barrier
    std::int64_t control() const;   ///< branch, call, leave
};

/// The place of an access among global load, global store, shared load, shared store; absent for all else.
std::optional<std::size_t> access_kind(PtxClass c);

/// What one warp of a kernel executes on average: where shares of branches are given, and where conditions on
/// the number of the thread exclude whole warps, fractions of the counts of PtxExecution.
struct PtxMix {
    std::array<double, ptx_class_count> by_class = {};
    // By access_kind(), of all operations that memory_operation() counts there.
    std::array<double, 4> bytes = {};         ///< of a thread
    std::array<double, 4> requests = {};      ///< of a warp: instructions, atomics and copies included
    std::array<double, 4> transactions = {};  ///< of a warp: sectors, sectors, passes, passes
    /// Of global memory: sectors that the same bytes fill if they lie side by side.
    std::array<double, 2> dense_sectors = {};
    double wide_conversions = 0, integer_conversions = 0;
    /// Of the sectors of global loads those that DRAM delivers if L2 keeps what several warps of a block, and
    /// blocks in one row or column of the grid, ask for.
    double dram_sectors = 0;
    double common_sectors = 0;  ///< of the global loads, at addresses that are the same in every block
    double common_lines = 0;    ///< on so many lines of 128 bytes at a time

    double operator[](PtxClass c) const { return by_class[static_cast<std::size_t>(c)]; }
    bool operator==(const PtxMix&) const = default;
};

/// What one warp of a kernel executes, from entry to exit.
struct PtxExecution {
    std::string kernel;  ///< name as in the file
    PtxCounts counts;    ///< instructions of one warp, loops multiplied, called functions included
    std::optional<PtxMix> mix;
    PtxMix averages() const;  ///< `mix`; where there is none the whole numbers, memory requests coalesced
    bool averaged = false;    ///< the counts are rounded: shares of branches are given
    /// Lines of the accesses to shared and global memory whose addresses are not known: they count as
    /// neighbouring words.
    std::vector<std::uint32_t> unknown_accesses;
    bool needs_shape = false;  ///< %tid.y or %tid.z is read, and the shape of a block is not known
    /// Instructions of the mean warp, as a share of those of the warp that executes most, by conditions on
    /// the number of the thread alone.
    double busy_share = 1;
    // Bytes that one thread asks for: the width of each access times its executions. 32 times that is what a
    // warp of which all lanes take part asks for. Atomics and asynchronous copies are included; of what one
    // thread copies for its warp a thread has its 32nd part, rounded up.
    std::int64_t global_load_bytes = 0;
    std::int64_t global_store_bytes = 0;
    std::int64_t shared_load_bytes = 0;
    std::int64_t shared_store_bytes = 0;
    // Of the conversions: those between a floating-point type and one of 64 bits, and those between integer
    // types of 32 bits and more, which are no conversions in machine code.
    std::int64_t wide_conversions = 0;
    std::int64_t integer_conversions = 0;
    bool machine_code = false;  ///< from SASS: moves and parameters are instructions that run
    /// Loops that only some threads of a block enter, by their number alone ("if (threadIdx.x == 0) for …"):
    /// labels.
    std::vector<std::string> some_threads;
    /// Labels of the branches of which both sides count, for want of a share: those that run, each once.
    std::vector<std::string> both_sides;
    std::int64_t indexed_constants = 0;  ///< loads from .const at an address that depends on the thread
    /// Of the global accesses those through a generic address that may as well point elsewhere.
    std::int64_t unresolved_generic = 0;
    std::int64_t static_shared_bytes = 0;  ///< .shared declared with a size, per block
    std::int64_t max_threads = 0;          ///< of a block by .maxntid or .reqntid; 0: not given
    std::int64_t min_blocks = 0;           ///< per SM by .minnctapersm; 0: not given
    /// One letter per instruction on a unit, in program order, every block once ([Berezovskyi13] section
    /// III-D): C core, L load/store, S special function, D double precision.
    std::string string;
    std::vector<std::string> unknown_opcodes;  ///< those counted under PtxClass::unknown, each once
    /// Memory operations whose bytes are unknown, with their lines: they have no traffic.
    std::vector<std::string> unsized_operations;
    std::vector<std::string> unknown_modifiers;  ///< ".part of opcode"
    /// Names used that the text neither declares nor writes and that are no special register, with their
    /// lines.
    std::vector<std::string> undeclared_names;
    bool operator==(const PtxExecution&) const = default;
};

}  // namespace warpnet

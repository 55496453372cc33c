#pragma once

#include "netgen/code/ptx/chains.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/values/values.hpp"
#include "netgen/sm/kernel_profile.hpp"
#include "netgen/warps/warps.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet::netgen {

/// Instructions per class.
struct PtxCounts {
    std::array<std::int64_t, ptx_class_count> by_class = {};

    std::int64_t& operator[](PtxClass c) { return by_class[static_cast<std::size_t>(c)]; }
    std::int64_t operator[](PtxClass c) const { return by_class[static_cast<std::size_t>(c)]; }
    bool operator==(const PtxCounts&) const = default;

    std::int64_t total() const;
    /// Instructions of a group of ptx_groups(): "arith", "global".
    std::int64_t of(std::string_view group) const;
};

/// A class of instructions for scripts, and the classes that it sums up.
struct PtxGroup {
    std::string_view name;
    std::vector<PtxClass> classes;
    std::int64_t count = 0;
};

/// The classes of scripts, which add up to the total.
std::vector<PtxGroup> ptx_groups(const PtxCounts& counts);

/// The classes of family `warps`, by ptx_memory(): shared memory, global memory, and the rest as arithmetic.
WarpCounts ptx_warp_counts(const PtxCounts& counts);

/// The mean execution of one warp of a kernel. The values are fractions of the counts of PtxExecution if
/// shares of branches are given, or if conditions on the number of the thread exclude whole warps.
struct PtxMix {
    std::array<double, ptx_class_count> by_class = {};
    // For all operations that memory_operation() counts there.
    ByAccess<double> bytes = {};         ///< of a thread
    ByAccess<double> requests = {};      ///< of a warp: instructions, atomics and copies included
    ByAccess<double> transactions = {};  ///< of a warp: sectors of global memory, passes of shared memory
    /// For global memory: sectors that the same bytes fill if they are contiguous.
    ByAccess<double> dense_sectors = {};
    double wide_conversions = 0, integer_conversions = 0;
    MachineRoutines routines;  ///< in addition to `by_class`; none for machine code
    MachineRoutines fused;     ///< saved by instructions with three inputs (negative)
    /// For global memory: the part of the sectors that the block loaded shortly before.
    ByAccess<double> repeated_sectors = {};
    ByAccess<double> passes = {};  ///< for global memory: different lines of 128 bytes
    double again = 0;              ///< global loads of sectors that the warp itself loaded before
    double live_bytes = 0;  ///< for the global loads of a running block: the most bytes that repeat at a time
    /// The sectors of global loads that DRAM delivers if L2 keeps what several warps of a block, or blocks in
    /// one row or column of the grid, load.
    double dram_sectors = 0;
    double common_sectors = 0;  ///< for the global loads, at addresses that are the same in each block
    /// All instructions with a latency, and those that wait for one another; both 0 for machine code.
    PtxBlockChain chains;
    double one_word_atomics = 0;        ///< of the threads of a warp, on a word that all threads use
    double one_word_float_atomics = 0;  ///< the same in single precision
    double common_lines = 0;            ///< the lines of 128 bytes that contain common_sectors, at a time

    double operator[](PtxClass c) const { return by_class[static_cast<std::size_t>(c)]; }
    bool operator==(const PtxMix&) const = default;
};

/// The execution of one warp of a kernel, from entry to exit.
struct PtxExecution {
    std::string kernel;  ///< name as in the file
    PtxCounts counts;    ///< instructions of one warp, loops multiplied, called functions included
    std::optional<PtxMix> mix;
    PtxMix averages() const;  ///< `mix`; without it, the whole numbers with coalesced memory requests
    bool averaged = false;    ///< the counts are rounded: shares of branches are given
    /// Lines of the accesses to shared and global memory whose addresses are unknown. They count as
    /// neighbouring words.
    std::vector<std::uint32_t> unknown_accesses;
    /// Lines of the guards in called functions that differ between threads of the launch, or whose value is
    /// unknown. The guarded instructions count for all warps.
    std::vector<std::uint32_t> unfollowed_conditions;
    bool needs_shape = false;  ///< %tid.y or %tid.z is read, and the shape of a block is unknown
    /// The instructions of the mean warp as a share of those of the longest warp, by conditions on the number
    /// of the thread alone.
    double busy_share = 1;
    /// Bytes of one thread: the width of each access times its executions. A warp with 32 active lanes
    /// accesses 32 times as many. Atomics and asynchronous copies are included. If one thread copies for its
    /// warp, each thread counts a 32nd part, rounded up.
    ByAccess<std::int64_t> bytes = {};
    // Two kinds of conversions: those between a floating-point type and one of 64 bits, and those between
    // integer types of 32 bits and more, which are no conversions in machine code.
    std::int64_t wide_conversions = 0;
    std::int64_t integer_conversions = 0;
    std::string target;         ///< of the code: "sm_80"
    bool machine_code = false;  ///< from SASS: moves and parameters are instructions that run
    /// Labels of the loops that only some threads of a block enter, by their number alone ("if (threadIdx.x
    /// == 0) for …").
    std::vector<std::string> some_threads;
    /// Labels of the executed branches without a given share, each once. Both sides of them count.
    std::vector<std::string> both_sides;
    std::int64_t indexed_constants = 0;  ///< loads from .const at an address that depends on the thread
    /// The part of the global accesses whose generic address may point elsewhere.
    std::int64_t unresolved_generic = 0;
    std::int64_t static_shared_bytes = 0;  ///< .shared declared with a size, per block
    std::int64_t max_threads = 0;          ///< of a block by .maxntid or .reqntid; 0: not given
    bool threads_required = false;         ///< .reqntid: each block has this number
    std::int64_t max_registers = 0;        ///< of a thread by .maxnreg; 0: not given
    std::int64_t min_blocks = 0;           ///< per SM by .minnctapersm; 0: not given
    /// The blocks that the launch counts as one: a cluster with .blocksareclusters; 0: single blocks.
    std::array<std::int64_t, 3> cluster = {};
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

/// The blocks of a branch that a warp executes.
enum class PtxPaths : std::uint8_t {
    all_sides,  ///< both sides, as in a warp whose lanes part: never too few
    longest,    ///< a path with the most instructions, as in a warp whose lanes agree
};
std::string_view to_string(PtxPaths paths);

struct PtxOptions {
    /// Trips per entry of a loop, by the loop's label ("$L__" is optional) or as "#k", the k-th loop of a
    /// kernel in the order of the text.
    std::map<std::string, std::int64_t> trips = {};
    /// The share of executions in which a branch is taken, 0 … 1, by the label of its target ("$L__" is
    /// optional; "LABEL@line" with the line of the branch if several lead there). For all other branches both
    /// sides count.
    std::map<std::string, double> taken = {};
    PtxPaths paths = PtxPaths::all_sides;
    /// Parameters and launch shape, from which trips that depend on them can be proved.
    PtxLaunch launch = {};
    bool follow_addresses = true;            ///< of memory accesses; else all count as neighbouring words
    PtxLetters letters = PtxLetters::paper;  ///< of strings
};

enum class PtxTripSource : std::uint8_t {
    unknown,  ///< counted once
    given,
    proved,          ///< this number exactly, for every warp that reaches the loop
    proved_at_most,  ///< there are other exits from the loop, or some warps run it less often
};
std::string_view to_string(PtxTripSource source);

/// A loop with the number of times that its body runs per entry, and the source of that number. `trips` is
/// absent if unknown, and the report is then not complete(). `depth` is 1 for outermost loops, and `line` is
/// that of the label, from 1.
struct PtxLoopReport {
    std::string label;  ///< of its header; "label@line" if two loops have the same label
    std::string function;
    std::size_t line = 0;
    std::size_t depth = 1;
    std::optional<std::int64_t> trips = {};
    PtxTripSource source = PtxTripSource::unknown;
    /// If warps are proved to differ: the fewest trips of any warp.
    std::optional<std::int64_t> least = {};
    bool nounroll = false;
    /// The values needed to prove the trips if they are unknown: "parameter scale_param_2", "%ntid.x",
    /// "memory".
    std::vector<std::string> needs = {};
    std::string source_loop = {};  ///< "@k", the k-th loop of the source; empty in called functions
    std::int64_t factor = 1;       ///< iterations of that loop per trip
    bool given_by_iterations = false;
    bool remainder = false;  ///< executes the iterations that a loop with a larger factor leaves over
    bool operator==(const PtxLoopReport&) const = default;
};

/// A basic block of the kernel itself.
struct PtxBlockReport {
    std::string id;     ///< in control-flow graphs: "b1", …
    std::string label;  ///< empty if no branch targets it
    std::size_t line = 0;
    std::int64_t instructions = 0;
    std::int64_t executions = 0;               ///< with both sides of every branch
    double average = 0;                        ///< with the given shares of branches
    CfgLanes lanes = CfgLanes::unknown;        ///< at its branch, if the text shows it
    std::vector<std::string> successors = {};  ///< ids; the target of a taken branch first
    bool operator==(const PtxBlockReport&) const = default;
};

/// Warps of a launch with the same execution.
struct PtxWarpGroup {
    std::int64_t warps = 0;
    PtxCounts counts;
    bool exact = true;  ///< false: an upper bound
    bool operator==(const PtxWarpGroup&) const = default;
};

/// All that is known of a kernel and of the functions that it calls.
struct PtxReport {
    PtxExecution profile;
    std::vector<PtxLoopReport> loops = {};  ///< of the kernel and of the called functions; outer loops first
    std::vector<PtxBlockReport> blocks = {};
    std::string formula;  ///< the string with its loops: "3L 2C (2L 5C)*64 L"; "*?" for unknown trips
    std::vector<std::string> not_in_file = {};  ///< called functions whose instructions are not counted
    std::int64_t unreachable_instructions = 0;
    /// The warps of the launch, those with the most instructions first. Needs the shape of the blocks and a
    /// complete report. If the grid is unknown, the warps of one block.
    std::vector<PtxWarpGroup> groups = {};
    /// By number of the warp in its block: the most instructions in any block, per class.
    std::vector<PtxCounts> warps_of_block = {};

    bool complete() const;  ///< the trips of all loops are known
};

/// A kernel of a file, with the requested strings.
struct PtxKernelReport {
    PtxReport report;
    std::optional<std::string> expanded = {};  ///< with every loop unrolled
    std::optional<std::string> until = {};     ///< up to the end of the first iteration of a loop
};

/// The reports of the kernels of one file, for JSON. `version` and `target` are those in the text.
struct PtxFileReport {
    std::string file;
    std::string version;
    std::string target;
    PtxPaths paths = PtxPaths::all_sides;
    bool show_blocks = false;
    std::vector<PtxKernelReport> kernels = {};
};

/// Transactions of one access of a kind; empty if there is none.
std::optional<double> transactions_of(const PtxExecution& profile, AccessKind kind);

/// The object of `ptx --json`.
nlohmann::ordered_json to_json(const PtxFileReport& file);

}  // namespace warpnet::netgen

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
    /// Those of a group of ptx_groups(): "arith", "global".
    std::int64_t of(std::string_view group) const;
};

/// A class of instructions for scripts, and what it is made of.
struct PtxGroup {
    std::string_view name;
    std::vector<PtxClass> classes;
    std::int64_t count = 0;
};

/// The classes of scripts, which add up to the total.
std::vector<PtxGroup> ptx_groups(const PtxCounts& counts);

/// The classes of family `warps`, by ptx_memory(): shared memory, global memory, and all else as arithmetic.
WarpCounts ptx_warp_counts(const PtxCounts& counts);

/// What one warp of a kernel executes on average: where shares of branches are given, and where conditions on
/// the number of the thread exclude whole warps, fractions of the counts of PtxExecution.
struct PtxMix {
    std::array<double, ptx_class_count> by_class = {};
    // Of all operations that memory_operation() counts there.
    ByAccess<double> bytes = {};         ///< of a thread
    ByAccess<double> requests = {};      ///< of a warp: instructions, atomics and copies included
    ByAccess<double> transactions = {};  ///< of a warp: sectors of global memory, passes of shared memory
    /// Of global memory: sectors that the same bytes fill if they lie side by side.
    ByAccess<double> dense_sectors = {};
    double wide_conversions = 0, integer_conversions = 0;
    MachineRoutines routines;  ///< beyond `by_class`; none of machine code
    MachineRoutines fused;     ///< what three inputs of an instruction save (negative)
    /// Of global memory: of the sectors, those that the block asked for shortly before.
    ByAccess<double> repeated_sectors = {};
    ByAccess<double> passes = {};  ///< of global memory: different lines of 128 bytes
    double again = 0;              ///< global loads of sectors that the warp itself asked for before
    double live_bytes = 0;  ///< of the global loads of a block that runs, the most that repeat at a time
    /// Of the sectors of global loads those that DRAM delivers if L2 keeps what several warps of a block, and
    /// blocks in one row or column of the grid, ask for.
    double dram_sectors = 0;
    double common_sectors = 0;  ///< of the global loads, at addresses that are the same in every block
    /// Of the instructions with a latency all, and those that wait for one another; both 0 of machine code.
    PtxBlockChain chains;
    double one_word_atomics = 0;        ///< of the threads of a warp, on a word that all threads use
    double one_word_float_atomics = 0;  ///< the same, of those in single precision
    double common_lines = 0;            ///< on so many lines of 128 bytes at a time

    double operator[](PtxClass c) const { return by_class[static_cast<std::size_t>(c)]; }
    bool operator==(const PtxMix&) const = default;
};

/// What one warp of a kernel executes, from entry to exit.
struct PtxExecution {
    std::string kernel;  ///< name as in the file
    PtxCounts counts;    ///< instructions of one warp, loops multiplied, called functions included
    std::optional<PtxMix> mix;
    PtxMix averages() const;  ///< `mix`; if there is none the whole numbers, memory requests coalesced
    bool averaged = false;    ///< the counts are rounded: shares of branches are given
    /// Lines of the accesses to shared and global memory whose addresses are not known: they count as
    /// neighbouring words.
    std::vector<std::uint32_t> unknown_accesses;
    /// Lines of the guards in called functions that the launch decides differently for different threads, or
    /// leaves open: what they guard counts for all warps.
    std::vector<std::uint32_t> unfollowed_conditions;
    bool needs_shape = false;  ///< %tid.y or %tid.z is read, and the shape of a block is not known
    /// Instructions of the mean warp, as a share of those of the warp that executes most, by conditions on
    /// the number of the thread alone.
    double busy_share = 1;
    /// Bytes that one thread asks for: the width of each access times its executions. 32 times that is what a
    /// warp of which all lanes take part asks for. Atomics and asynchronous copies are included; of what one
    /// thread copies for its warp a thread has its 32nd part, rounded up.
    ByAccess<std::int64_t> bytes = {};
    // Of the conversions: those between a floating-point type and one of 64 bits, and those between integer
    // types of 32 bits and more, which are no conversions in machine code.
    std::int64_t wide_conversions = 0;
    std::int64_t integer_conversions = 0;
    std::string target;         ///< of the code: "sm_80"
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
    bool threads_required = false;         ///< .reqntid: every block has so many
    std::int64_t max_registers = 0;        ///< of a thread by .maxnreg; 0: not given
    std::int64_t min_blocks = 0;           ///< per SM by .minnctapersm; 0: not given
    /// The blocks that the launch counts as one: those of a cluster by .blocksareclusters; 0: its blocks.
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

/// Which blocks of a branch a warp executes.
enum class PtxPaths : std::uint8_t {
    all_sides,  ///< those of both sides, as a warp whose lanes part: never too few
    longest,    ///< those on a path with the most instructions, as a warp whose lanes agree
};
std::string_view to_string(PtxPaths paths);

struct PtxOptions {
    /// How often the body of a loop runs each time the loop is reached, by the loop's label ("$L__" may be
    /// left out) or as "#k", the k-th loop of a kernel in the order of the text.
    std::map<std::string, std::int64_t> trips = {};
    /// The share of executions in which a branch is taken, 0 … 1, by the label it leads to ("$L__" may be
    /// left out; "LABEL@line" with the line of the branch where several lead there). Of other branches both
    /// sides count.
    std::map<std::string, double> taken = {};
    PtxPaths paths = PtxPaths::all_sides;
    /// Parameters and launch shape, which make trips provable that depend on them.
    PtxLaunch launch = {};
    bool follow_addresses = true;            ///< of memory accesses; else all count as neighbouring words
    PtxLetters letters = PtxLetters::paper;  ///< of strings
};

enum class PtxTripSource : std::uint8_t {
    unknown,  ///< counted once
    given,
    proved,          ///< exactly so many, for every warp that reaches the loop
    proved_at_most,  ///< there are other ways out of the loop, or not all warps make so many
};
std::string_view to_string(PtxTripSource source);

struct PtxLoopReport {
    std::string label;  ///< of its header; "label@line" where two loops have the same
    std::string function;
    std::size_t line = 0;
    std::size_t depth = 1;
    std::optional<std::int64_t> trips = {};
    PtxTripSource source = PtxTripSource::unknown;
    /// If it is proved that warps differ: the trips of those that make the fewest.
    std::optional<std::int64_t> least = {};
    bool nounroll = false;
    /// What would have to be known where the trips are not: "parameter scale_param_2", "%ntid.x", "memory".
    std::vector<std::string> needs = {};
    std::string source_loop = {};  ///< "@k", the k-th loop of the source; empty in called functions
    std::int64_t factor = 1;       ///< iterations of that loop per trip
    bool given_by_iterations = false;
    bool remainder = false;  ///< it does what another loop, with a larger factor, leaves over
    bool operator==(const PtxLoopReport&) const = default;
};

/// A basic block of the kernel itself.
struct PtxBlockReport {
    std::string id;     ///< in control-flow graphs: "b1", …
    std::string label;  ///< empty if no branch goes there
    std::size_t line = 0;
    std::int64_t instructions = 0;
    std::int64_t executions = 0;               ///< with both sides of every branch
    double average = 0;                        ///< with the shares of branches that are given
    CfgLanes lanes = CfgLanes::unknown;        ///< at its branch, as far as the text shows
    std::vector<std::string> successors = {};  ///< ids, the one that a branch takes first
    bool operator==(const PtxBlockReport&) const = default;
};

/// Warps of a launch that execute the same.
struct PtxWarpGroup {
    std::int64_t warps = 0;
    PtxCounts counts;
    bool exact = true;  ///< false: no more than these
    bool operator==(const PtxWarpGroup&) const = default;
};

struct PtxReport {
    PtxExecution profile;
    std::vector<PtxLoopReport> loops = {};  ///< of the kernel and of what it calls; outer loops first
    std::vector<PtxBlockReport> blocks = {};
    std::string formula;  ///< the string with its loops: "3L 2C (2L 5C)*64 L"; "*?" where trips are unknown
    std::vector<std::string> not_in_file = {};  ///< functions called whose instructions are not counted
    std::int64_t unreachable_instructions = 0;
    /// The warps of the launch if the shape of its blocks is known and the report is complete, of one block
    /// if the grid is not known: those with the most instructions first.
    std::vector<PtxWarpGroup> groups = {};
    /// By number of the warp in its block: the most that it executes in any block, class by class.
    std::vector<PtxCounts> warps_of_block = {};

    bool complete() const;  ///< the trips of all loops are known
};

/// A kernel of a file, with the strings that were asked for.
struct PtxKernelReport {
    PtxReport report;
    std::optional<std::string> expanded = {};  ///< with every loop unrolled
    std::optional<std::string> until = {};     ///< up to the end of the first iteration of a loop
};

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

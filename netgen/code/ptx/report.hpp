#pragma once

#include "netgen/code/ptx/counts.hpp"
#include "netgen/code/ptx/launch.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

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
    bool follow_addresses = true;  ///< of memory accesses; else all count as neighbouring words
    /// What no unit C, L, S, D executes (branches, barriers, fences) is a C in strings; else it is in none.
    bool control_as_core = false;
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
    bool operator==(const PtxLoopReport&) const = default;
};

/// A basic block of the kernel itself.
struct PtxBlockReport {
    std::string id;     ///< in control-flow graphs: "b1", …
    std::string label;  ///< empty where no branch goes there
    std::size_t line = 0;
    std::int64_t instructions = 0;
    std::int64_t executions = 0;               ///< with both sides of every branch
    double average = 0;                        ///< with the shares of branches that are given
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

}  // namespace warpnet

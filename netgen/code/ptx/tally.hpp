#pragma once

#include "netgen/code/ptx/structure.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The executions of the blocks of a function by the warps of a class.
struct PtxWarpExecutions {
    std::vector<std::int64_t> blocks;
    std::vector<std::int64_t> guarded;  ///< by PtxThreads::guarded
    bool exact = true;                  ///< false: an upper bound
};

/// A warp executes a block whenever one of its lanes does. Lanes in a loop are in the same iteration. Let
/// lane l make t(l, d) trips in the loop around the block at depth d. The iterations in which the block is
/// executed are then the union over the lanes of [0, t(l, 1)) x [0, t(l, 2)) x …. The union is exact if the
/// lanes differ in at most two loops; else it is bounded by the most trips of each loop.
class PtxWarpCounter {
  public:
    /// REQUIRES: `structure` has threads, and outlives this object.
    explicit PtxWarpCounter(const PtxStructure& structure);

    /// `fewest`: uses the fewest trips instead of the most if they are not exact.
    PtxWarpExecutions executions(const PtxWarpClass& warps, bool fewest = false) const;
    /// Executions of a block by a warp that executes all that any warp does, with the most trips of each
    /// loop.
    double most(std::uint32_t block) const;

  private:
    /// A loop around a block, and how often one of its iterations reaches the next loop or the block.
    struct Around {
        std::uint32_t loop;
        bool in_body;
        bool in_last;
    };
    std::int64_t trips(const PtxPath& path, std::uint32_t loop, bool fewest) const;
    static std::int64_t union_of(const std::vector<std::vector<std::int64_t>>& boxes, bool& exact);
    std::vector<std::int64_t> box(const PtxPath& path, std::uint32_t block, bool fewest) const;

    const PtxStructure& structure_;
    std::vector<std::vector<Around>> around_;  // by block, outer loops last
    std::vector<bool> counts_;                 // by block: it is part of the structure
};

/// Executions of the mean warp, as a share of those of a warp that executes all that any warp does.
struct PtxMeanShares {
    std::vector<double> blocks;
    std::vector<double> guarded;  ///< by PtxThreads::guarded: the share of the executions of its block
};
PtxMeanShares mean_shares(const PtxStructure& structure);

/// Execution counts, which can be added and multiplied.
struct PtxTally {
    PtxCounts counts;
    ByAccess<std::int64_t> bytes = {};  ///< of a thread
    std::int64_t unresolved = 0;
    std::int64_t wide_conversions = 0;  ///< between a floating-point type and one of 64 bits
    std::int64_t integer_conversions =
        0;  ///< between integer types of 32 bits and more: no conversion in machine code

    /// Adds `times` times another count. False if a number would exceed 2^63 - 1.
    [[nodiscard]] bool add(const PtxTally& other, std::int64_t times = 1);
    std::int64_t total() const { return counts.total(); }
};

/// The structures of a kernel and of all functions it calls, and the execution counts of each.
class PtxProgram {
  public:
    /// Throws InputError like analyse_ptx().
    PtxProgram(const PtxModule& module, std::string_view kernel, const PtxOptions& options);

    const PtxModule& module() const { return module_; }
    /// The given options. The grid is one of blocks, even if .blocksareclusters makes the grid of a launch
    /// count clusters.
    const PtxOptions& options() const { return options_; }
    std::size_t kernel() const { return kernel_; }
    /// Positions of the functions, each behind all functions that it calls, the kernel last.
    const std::vector<std::size_t>& order() const { return order_; }
    const PtxFunction& function(std::size_t number) const { return module_.functions[number]; }
    const PtxStructure& structure(std::size_t function) const { return *structures_[function]; }
    const PtxTally& tally(std::size_t function) const { return tallies_[function]; }
    /// The functions that count among those which an instruction may call: with PtxPaths::longest one with
    /// the most instructions, otherwise all.
    std::span<const std::uint32_t> called(std::size_t function, std::uint32_t instruction) const;
    /// The class under which an instruction counts for a warp that executes all that any warp does.
    PtxClass class_of(std::size_t function, std::uint32_t instruction) const;
    /// One run through a block, with all functions that it calls.
    PtxTally tally_of(std::size_t function, const PtxBlock& block) const;
    /// One execution of an instruction whose guard holds, without the functions that it calls.
    PtxTally own_tally(std::size_t function, std::uint32_t instruction) const;
    /// The number of runs of each block in one call of the function. Branches with shares count on both
    /// sides.
    std::vector<std::int64_t> executions(std::size_t function) const;
    /// The mean number of runs of each block of each function for one warp of the kernel: by position of the
    /// function, then of the block. Empty for functions that are not called. `of_mean_warp`: of the mean warp
    /// of the launch; otherwise of one that executes all that any warp does.
    std::vector<std::vector<double>> frequencies(bool of_mean_warp = false) const;
    /// By instruction of a function: the share of the mean warp's executions in which its guard holds for
    /// some lane. In functions other than the kernel it is that of all threads, 0 or 1.
    std::vector<double> guard_shares(std::size_t function) const;

    /// The execution counts of each class of warps of the kernel (PtxThreads::classes); empty if the shape of
    /// a block is unknown.
    std::vector<PtxWarpGroup> class_counts() const;

  private:
    void visit(std::size_t function, std::size_t depth);
    [[noreturn]] void fail_large(std::size_t function) const;
    bool calls_uniformly(const PtxFunction& function, const PtxInstruction& instruction) const;
    PtxTally tally_of(std::size_t function, const PtxPass& pass, const std::vector<PtxTally>& loops) const;
    PtxTally tally_of(std::size_t function, const PtxBlock& block, const std::vector<bool>& skipped) const;
    /// One execution of an instruction whose guard holds, with all functions that it calls.
    PtxTally whole_tally(std::size_t function, std::uint32_t instruction) const;
    std::span<const std::uint32_t> callees_of(std::size_t function, std::uint32_t instruction) const;

    std::optional<PtxModule> sized_;  // the module with the bytes that the launch gives, if there are any
    const PtxModule& module_;
    std::size_t kernel_ = 0;
    std::vector<std::size_t> order_;
    std::vector<bool> active_;
    std::vector<std::size_t> callers_;                     // of the visited function, with itself
    std::vector<std::optional<PtxStructure>> structures_;  // by function; those that are called
    std::vector<PtxTally> tallies_;
    std::optional<PtxMeanShares> mean_;  // of the kernel, if the shape of a block is known
    std::vector<bool> uniform_;          // by function: all threads that call it execute the same code in it
    const PtxOptions options_;
};

}  // namespace warpnet::netgen

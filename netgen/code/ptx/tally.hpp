#pragma once

#include "netgen/code/ptx/structure.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// What is executed, of which all parts add up and multiply.
struct PtxTally {
    PtxCounts counts;
    std::array<std::int64_t, 4> bytes =
        {};  ///< of a thread: global load, global store, shared load, shared store
    std::int64_t unresolved = 0;
    std::int64_t wide_conversions = 0;  ///< between a floating-point type and one of 64 bits
    std::int64_t integer_conversions =
        0;  ///< between integer types of 32 bits and more: no conversion in machine code

    /// Adds another so many times. False where a number would exceed 2^63 - 1.
    [[nodiscard]] bool add(const PtxTally& other, std::int64_t times = 1);
    std::int64_t total() const { return counts.total(); }
};

/// The plans of a kernel and of all functions it calls, and what each executes.
class PtxProgram {
  public:
    /// Throws InputError as analyse_ptx() does.
    PtxProgram(const PtxModule& module, std::string_view kernel, const PtxOptions& options);

    const PtxModule& module() const { return module_; }
    std::size_t kernel() const { return kernel_; }
    /// Positions of the functions, the kernel last, each behind all that it calls.
    const std::vector<std::size_t>& order() const { return order_; }
    const PtxFunction& function(std::size_t number) const { return module_.functions[number]; }
    const PtxStructure& plan(std::size_t function) const { return *plans_[function]; }
    const PtxTally& tally(std::size_t function) const { return tallies_[function]; }
    /// One run through a block, with all that it calls.
    PtxTally tally_of(std::size_t function, const PtxBlock& block) const;
    /// The same without what it calls.
    PtxTally own_tally(std::size_t function, const PtxBlock& block) const;
    /// How often each block runs in one call of the function, branches with shares counted on both sides.
    std::vector<std::int64_t> executions(std::size_t function) const;
    /// How often each block of each function runs for one warp of the kernel, on average: by position of the
    /// function, then of the block; empty for functions that are not called.
    /// `of_mean_warp`: of the mean warp of the launch; else of one that executes all that any warp does.
    std::vector<std::vector<double>> frequencies(bool of_mean_warp = false) const;

    /// What the warps of each class of the kernel execute (PtxThreads::classes); empty if the shape of a
    /// block is not known.
    std::vector<PtxWarpGroup> class_counts() const;

  private:
    void visit(std::size_t function, std::size_t depth);
    PtxTally tally_of(std::size_t function, const PtxPass& pass, const std::vector<PtxTally>& loops) const;

    std::optional<PtxModule> sized_;  // the module with the bytes that the launch gives, if there are any
    const PtxModule& module_;
    std::size_t kernel_ = 0;
    std::vector<std::size_t> order_;
    std::vector<bool> active_;
    std::vector<std::size_t> callers_;                // of the function that is visited, with itself
    std::vector<std::optional<PtxStructure>> plans_;  // by function; those that are called
    std::vector<PtxTally> tallies_;
    std::vector<bool> uniform_;  // by function: all threads that call it do the same in it
    const PtxOptions& options_;
};

}  // namespace warpnet

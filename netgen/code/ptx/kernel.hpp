#pragma once

#include "netgen/cfg/graph.hpp"
#include "netgen/code/ptx/report.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// What one warp of a kernel executes. Loops whose trips are neither given nor proved count once; the report
/// says which.
///
/// Throws InputError for a kernel that is not there, an irreducible graph, functions that call themselves,
/// trips that contradict proved ones or are negative, more than 2^63 - 1 instructions, and a string of more
/// than a million letters. Nearly linear in the size of the kernel.
PtxReport analyse_ptx(const PtxModule& module, std::string_view kernel, const PtxOptions& options = {});

/// The string with every loop unrolled. Throws InputError if the trips of a loop are not known, naming it,
/// an opcode is unknown, or there are more than `most_letters`.
std::string expand_ptx_string(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                              std::size_t most_letters = 1'000'000);

/// The rolled string up to the end of the first iteration of a loop, as [Berezovskyi13] section VIII takes
/// it. Throws InputError if the kernel has no such loop.
std::string ptx_string_until(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                             const std::string& loop);

/// Steps that an instruction of each class takes.
using PtxTimes = std::array<std::int64_t, ptx_class_count>;
inline constexpr PtxTimes one_step_each = [] {
    PtxTimes times = {};
    times.fill(1);
    return times;
}();

/// The kernel as a graph whose blocks take `times` per instruction, with the trips as loop bounds: to be
/// handed to structure(). An indirect branch of n ways is a chain of n - 1 two-way branches; calls count as
/// what they execute. Throws InputError if the trips of a loop are not known, naming it.
ControlFlowGraph ptx_control_flow(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                                  const PtxTimes& times = one_step_each);

/// Throws InputError if trips are given for a label that heads no loop of any function.
void check_ptx_trips(const PtxModule& module, const PtxOptions& options);

/// Throws InputError if a value is given for a parameter that no function loads.
void check_ptx_params(const PtxModule& module, const PtxOptions& options);

/// Throws InputError if the block of the launch is known and the kernel excludes it: another shape than that
/// of .reqntid, or more threads than .maxntid allows. `linear`: only the number of threads is known.
void check_ptx_block(const PtxModule& module, std::string_view kernel, const PtxLaunch& launch, bool linear);

/// Throws InputError if the grid of the launch is known and no multiple of the clusters of
/// .reqnctapercluster. `linear`: only the number of blocks is known; else the grid of a kernel with
/// .blocksareclusters counts clusters.
void check_ptx_grid(const PtxModule& module, std::string_view kernel, const PtxLaunch& launch, bool linear);

/// The name of the kernel in the file: the one asked for (is_ptx_name()), or the only one. Throws InputError
/// naming those that are there.
std::string ptx_kernel_name(const PtxModule& module, std::string_view wanted);

}  // namespace warpnet::netgen

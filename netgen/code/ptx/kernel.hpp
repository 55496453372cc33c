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

/// The execution of one warp of a kernel. Loops whose trips are neither given nor proved count once; the
/// report lists them.
///
/// Throws InputError for a missing kernel, an irreducible graph, recursive functions, trips that are negative
/// or contradict proved ones, more than 2^63 - 1 instructions, and a string of more than a million letters.
/// Nearly linear in the size of the kernel.
PtxReport analyse_ptx(const PtxModule& module, std::string_view kernel, const PtxOptions& options = {});

/// The string with all loops unrolled. Throws InputError that names the loop if its trips are unknown. Throws
/// InputError also if an opcode is unknown or if there are more than `most_letters`.
std::string expand_ptx_string(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                              std::size_t most_letters = 1'000'000);

/// The rolled string up to the end of the first iteration of a loop, as in [Berezovskyi13] section VIII.
/// Throws InputError if the kernel has no such loop.
std::string ptx_string_until(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                             const std::string& loop);

/// Steps per instruction of each class.
using PtxTimes = std::array<std::int64_t, ptx_class_count>;
inline constexpr PtxTimes one_step_each = [] {
    PtxTimes times = {};
    times.fill(1);
    return times;
}();

/// The kernel as a graph for structure(), whose blocks take `times` per instruction, with the trips as loop
/// bounds. An indirect branch of n ways is a chain of n - 1 two-way branches. Calls count as the code that
/// they execute. Throws InputError that names the loop if its trips are unknown.
ControlFlowGraph ptx_control_flow(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                                  const PtxTimes& times = one_step_each);

/// Throws InputError if trips are given for a label that is no loop header of any function.
void check_ptx_trips(const PtxModule& module, const PtxOptions& options);

/// Throws InputError if a value is given for a parameter that no function loads.
void check_ptx_params(const PtxModule& module, const PtxOptions& options);

/// Throws InputError if the kernel excludes the known block of the launch: .reqntid has another shape, or
/// .maxntid allows fewer threads. `linear`: only the number of threads is known.
void check_ptx_block(const PtxModule& module, std::string_view kernel, const PtxLaunch& launch, bool linear);

/// Throws InputError if the known grid of the launch is no multiple of the clusters of .reqnctapercluster.
/// `linear`: only the number of blocks is known. Otherwise the grid of a kernel with .blocksareclusters
/// counts clusters.
void check_ptx_grid(const PtxModule& module, std::string_view kernel, const PtxLaunch& launch, bool linear);

/// The name of the kernel in the file: the requested one (is_ptx_name()), or the only one. Throws InputError
/// that names the existing kernels.
std::string ptx_kernel_name(const PtxModule& module, std::string_view wanted);

}  // namespace warpnet::netgen

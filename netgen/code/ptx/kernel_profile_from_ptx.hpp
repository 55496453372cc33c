#pragma once

#include "netgen/code/ptx/report.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// A kernel for the family `sm` from its PTX. It is one block with the threads that the PTX requires (else
/// 32). Its requests are coalesced (a word of n bytes per thread is n sectors per request) and served by
/// DRAM. The caller then sets the launch shape, registers and better known values.
/// docs/reference/family-sm.md and docs/reference/sm-model.md list what PTX leaves open and the assumptions.
/// KernelProfile::unknowns names instructions without a unit in the model.
KernelProfile kernel_profile_from_ptx(const PtxExecution& ptx);

/// Turns the mean warp of an execution into the longest one. It executes the most instructions of each class
/// that any warp does, with proportionally more memory requests and routines. False if the mean is already
/// the longest, or if shares of branches are given, because the longest is then unknown.
bool take_longest_warp(PtxExecution& ptx);

/// "3, 5, 8": line numbers for a message. A long list shows only the first ones.
std::string ptx_lines(const std::vector<std::uint32_t>& lines);

/// The kernels of these modules whose name is that of a function, plain or mangled ("_Z9matrixMulILi16EEvPf"
/// is matrixMul). Instantiations and overloads that cannot be the kernel `written` by a profiler
/// (may_be_one_kernel()) are omitted.
struct PtxKernelName {
    const PtxModule* module = nullptr;
    std::string kernel;
};
std::vector<PtxKernelName> ptx_kernels_of(std::span<const PtxModule> modules, std::string_view function,
                                          std::string_view written = {});

/// Divides the integer instructions of unknown kind (KernelProfile::integer, from counters) among additions
/// and logic, comparisons, shifts and multiplications, in the proportions of the kernel's PTX. All
/// instantiations of a template have equal weight. Loops with unknown trips count ten times, and both sides
/// of branches once. False if no module has the kernel, or it has no integer instructions.
bool take_integer_kinds(KernelProfile& profile, std::span<const PtxModule> modules, std::string_view function,
                        std::string_view written = {});

}  // namespace warpnet::netgen

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

/// A kernel for the family `sm` from its PTX: one block of as many threads as the PTX demands (else 32), its
/// requests coalesced (a word of n bytes per thread is n sectors per request) and served by DRAM. Launch
/// shape, registers and what is known better are set afterwards. What PTX leaves open and how it is taken:
/// netgen/sm/README.md; instructions without a unit in the model are named in KernelProfile::unknowns.
KernelProfile kernel_profile_from_ptx(const PtxExecution& ptx);

/// Makes the mean warp of an execution the longest one: of each class it executes the most that any warp
/// does, with as many more memory requests and routines. False if the mean is the longest already, or if
/// shares of branches are given, which leave the longest open.
bool take_longest_warp(PtxExecution& ptx);

/// "3, 5, 8": line numbers for a message; of many the first.
std::string ptx_lines(const std::vector<std::uint32_t>& lines);

/// The kernels of these modules whose name is that of a function: as it is, or mangled
/// ("_Z9matrixMulILi16EEvPf" is matrixMul). Instantiations and overloads that are not the one a profiler has
/// `written` (may_be_one_kernel()) are left out.
struct PtxKernelName {
    const PtxModule* module = nullptr;
    std::string kernel;
};
std::vector<PtxKernelName> ptx_kernels_of(std::span<const PtxModule> modules, std::string_view function,
                                          std::string_view written = {});

/// Divides the integer instructions of unknown kind (KernelProfile::integer, as counters have them) among
/// additions and logic, comparisons, shifts and multiplications as the PTX of the kernel does; several
/// instantiations of a template count alike. Loops whose trips are not known count ten times, both sides of
/// branches once. False where no module has the kernel, or it has no integer instructions.
bool take_integer_kinds(KernelProfile& profile, std::span<const PtxModule> modules, std::string_view function,
                        std::string_view written = {});

}  // namespace warpnet::netgen

#pragma once

#include "netgen/code/ptx/module.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// The kernels of these modules whose name is that of a function: as it stands, or mangled
/// ("_Z9matrixMulILi16EEvPf" is matrixMul).
struct PtxKernelName {
    const PtxModule* module = nullptr;
    std::string kernel;
};
std::vector<PtxKernelName> ptx_kernels_of(std::span<const PtxModule> modules, std::string_view function);

/// Divides the integer instructions of unknown kind (KernelProfile::integer, as counters have them) among
/// additions and logic, comparisons, shifts and multiplications as the PTX of the kernel does; several
/// instantiations of a template count alike. Loops whose trips are not known count ten times, both sides of
/// branches once. False where no module has the kernel, or it has no integer instructions.
bool take_integer_kinds(KernelProfile& profile, std::span<const PtxModule> modules,
                        std::string_view function);

}  // namespace warpnet

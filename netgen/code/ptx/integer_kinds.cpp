#include "netgen/code/ptx/integer_kinds.hpp"

#include "netgen/code/ptx/execution.hpp"
#include "netgen/code/ptx/kernel.hpp"

#include <array>

namespace warpnet {

namespace {

constexpr std::int64_t guessed_trips = 10;

KernelProfile counts_of(const PtxModule& module, const std::string& kernel) {
    PtxOptions options;
    options.follow_addresses = false;
    for (const PtxLoopReport& loop : analyse_ptx(module, kernel, options).loops)
        if (!loop.trips) options.trips.emplace(loop.label, guessed_trips);
    return profile_of_ptx(analyse_ptx(module, kernel, options).profile);
}

}  // namespace

std::vector<PtxKernelName> ptx_kernels_of(std::span<const PtxModule> modules, std::string_view function) {
    std::vector<PtxKernelName> found;
    for (const PtxModule& module : modules)
        for (const std::string& kernel : module.kernels())
            if (is_ptx_name(kernel, function)) found.push_back({&module, kernel});
    return found;
}

bool take_integer_kinds(KernelProfile& profile, std::span<const PtxModule> modules,
                        std::string_view function) {
    constexpr std::array kinds = {&KernelProfile::integer, &KernelProfile::logic, &KernelProfile::compares,
                                  &KernelProfile::shifts, &KernelProfile::multiplies};
    std::array<double, kinds.size()> shares = {};
    double kernels = 0;
    for (const PtxKernelName& one : ptx_kernels_of(modules, function)) {
        const KernelProfile counts = counts_of(*one.module, one.kernel);
        const double total = counts.integer_instructions();
        if (!(total > 0)) continue;
        for (std::size_t k = 0; k < kinds.size(); ++k) shares[k] += counts.*kinds[k] / total;
        ++kernels;
    }
    if (!(kernels > 0) || !(profile.integer > 0)) return false;
    const double integer = profile.integer;
    profile.integer = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) profile.*kinds[k] += integer * shares[k] / kernels;
    return true;
}

}  // namespace warpnet

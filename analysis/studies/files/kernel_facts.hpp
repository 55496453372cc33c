#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

/// What people know of kernels from their source and no counter has: numbers of a KernelProfile by the name
/// of the kernel's function.
class KernelFacts {
  public:
    /// Sets a number of a kernel. False where profiles have no such field.
    bool set(const std::string& function, std::string_view field, double value);
    /// The functions that have facts, sorted.
    std::vector<std::string> functions() const;
    std::optional<double> find(const std::string& function, std::string_view field) const;
    /// Puts the facts of a function into its profile, over what is there. Throws InputError if that makes
    /// the profile invalid.
    void apply(const std::string& function, netgen::KernelProfile& kernel) const;

  private:
    std::map<std::string, std::vector<std::pair<std::string, double>>, std::less<>> facts_;
};

/// The function in what a table calls a kernel: `void copy<int>(int*) 4x1x1 32x1x1` is `copy`.
std::string fact_function(std::string_view kernel);

/// Registers, static shared memory and spills of the kernels, by their names in PTX, in what ptxas -v (nvcc
/// -Xptxas -v) or cuobjdump -res-usage prints. Of several architectures that of the compute capability counts
/// ("9.0"; empty: unknown). Adds a warning that names kernels without registers of that architecture or at
/// all, and an architecture that is another. O(text).
KernelFacts read_resources(std::string_view text, const std::string& source,
                           std::string_view compute_capability, std::vector<std::string>& warnings);

/// Puts them into the profile of a kernel from its code. Shared memory stays what the code declares if that
/// is more: ptxas leaves out arrays that nothing uses.
void apply_resources(const KernelFacts& resources, const std::string& function,
                     netgen::KernelProfile& kernel);

/// Reads a table (CSV) with the column `kernel`, the names of functions, and columns named like the fields of
/// a profile (profile_fields()); an empty cell says nothing. Throws InputError (source:line: …) for other
/// columns, for a function that appears twice and for what is no number. O(text).
KernelFacts read_kernel_facts(std::string_view text, const std::string& source);

}  // namespace warpnet::studies

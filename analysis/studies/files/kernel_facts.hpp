#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::studies {

/// Facts about kernels from their source that no counter gives: numbers of a KernelProfile by the name of the
/// kernel's function.
class KernelFacts {
  public:
    /// Sets a number of a kernel. False if profiles have no such field.
    bool set(const std::string& function, std::string_view field, double value);
    /// The functions that have facts, sorted.
    std::vector<std::string> functions() const;
    std::optional<double> find(const std::string& function, std::string_view field) const;
    /// Writes the facts of a function into its profile and overrides existing values. Throws InputError if
    /// the result is invalid.
    void apply(const std::string& function, netgen::KernelProfile& kernel) const;

  private:
    std::map<std::string, std::vector<std::pair<std::string, double>>, std::less<>> facts_;
};

/// The function in a table's name of a kernel: `void copy<int>(int*) 4x1x1 32x1x1` gives `copy`.
std::string fact_function(std::string_view kernel);

/// Registers, static shared memory and spills of the kernels, by their names in PTX, from the output of ptxas
/// -v (nvcc -Xptxas -v) or cuobjdump -res-usage. Of several architectures, the one with the compute
/// capability counts ("9.0"; empty: unknown). Adds a warning that names the kernels without registers for
/// that architecture or without any, and a listing of only another architecture. Throws InputError if there
/// is no kernel. O(text).
KernelFacts read_resources(std::string_view text, const std::string& source,
                           std::string_view compute_capability, std::vector<std::string>& warnings);

/// Writes the resources into the profile of a kernel from its code. Shared memory keeps the size in the code
/// if that is larger, because ptxas omits unused arrays.
void apply_resources(const KernelFacts& resources, const std::string& function,
                     netgen::KernelProfile& kernel);

/// Reads a table (CSV) with the column `kernel` for the names of functions, and columns named like the fields
/// of a profile (profile_fields()). Empty cells are ignored. Throws InputError (source:line: …) for other
/// columns, for a function that appears twice and for an invalid number. O(text).
KernelFacts read_kernel_facts(std::string_view text, const std::string& source);

}  // namespace warpnet::studies

#pragma once

#include "netgen/sm/kernel_profile.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet {

/// What people know of kernels from their source and no counter has: numbers of a KernelProfile by the name
/// of the kernel's function.
class KernelFacts {
  public:
    /// Sets a number of a kernel. False where profiles have no such field.
    bool set(const std::string& function, std::string_view field, double value);
    /// The functions that have facts, sorted.
    std::vector<std::string> functions() const;
    std::optional<double> find(const std::string& function, std::string_view field) const;
    /// Puts the facts of a function into its profile, over what is there. Throws InputError where that makes
    /// the profile invalid.
    void apply(const std::string& function, KernelProfile& kernel) const;

  private:
    std::map<std::string, std::vector<std::pair<std::string, double>>, std::less<>> facts_;
};

/// The function in what a table calls a kernel: `void copy<int>(int*) 4x1x1 32x1x1` is `copy`.
std::string fact_function(std::string_view kernel);

/// Registers of the kernels, by their names in PTX, in what ptxas -v prints. Of several architectures that of
/// the compute capability counts ("9.0"; empty: unknown). Adds a warning that names kernels without registers
/// of that architecture or at all, and an architecture that is another. O(text).
KernelFacts read_ptxas_resources(std::string_view text, const std::string& source,
                                 std::string_view compute_capability, std::vector<std::string>& warnings);

/// Reads a table (CSV) with the column `kernel`, the names of functions, and columns named like the fields of
/// a profile (profile_fields()); an empty cell says nothing. Throws InputError (source:line: …) for other
/// columns, for a function that stands twice and for what is no number. O(text).
KernelFacts read_kernel_facts(std::string_view text, const std::string& source);

}  // namespace warpnet

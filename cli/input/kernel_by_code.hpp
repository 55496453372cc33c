#pragma once

#include "analysis/studies/predict/predict_json.hpp"
#include "cli/input/predict_input.hpp"
#include "netgen/blocks/task_set.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A kernel of a task set whose block time comes from a certificate.
struct CertifiedKernel {
    std::string name;
    std::string device;
    double us = 0;            ///< no launch alone on the device takes longer
    std::int64_t rounds = 1;  ///< of blocks on the busiest SM
    std::vector<studies::Assumption> assumptions;

    /// The kernel alone takes `rounds` block times.
    double block_us() const { return us / static_cast<double>(rounds); }
};

/// Reads kernels by their code: member `ptx` is a file of PTX, and kernel, grid, block, param, trips, taken,
/// paths, registers, shared, device, margin and dispatcher may come with it. Also reads them from the JSON of
/// `predict --worst` (member `predict`: a file). Dispatcher and margins of `of_all`, if it has some, are
/// those of kernels without such members. Adds each kernel to `certified`; both must outlive the reader.
/// Files are looked for next to `source`, then in the current folder.
netgen::KernelByCodeReader certified_kernels(const std::string& source, const PredictInput* of_all,
                                             std::vector<CertifiedKernel>& certified);

}  // namespace warpnet::cli

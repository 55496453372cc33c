#pragma once

#include "netgen/code/ptx/kernel.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A kernel as `warpnet ptx` shows it.
struct PtxKernelReport {
    PtxReport report;
    std::optional<std::string> expanded;  ///< --expand
    std::optional<std::string> until;     ///< --until
};

struct PtxFileReport {
    std::string file;
    std::string version;
    std::string target;
    PtxPaths paths = PtxPaths::all_sides;
    bool show_blocks = false;
    std::vector<PtxKernelReport> kernels;
};

std::string ptx_text(const PtxFileReport& file);
std::string ptx_json(const PtxFileReport& file);

}  // namespace warpnet::cli

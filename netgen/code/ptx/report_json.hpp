#pragma once

#include "netgen/code/ptx/kernel.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace warpnet {

/// A kernel of a file, with the strings that were asked for.
struct PtxKernelReport {
    PtxReport report;
    std::optional<std::string> expanded = {};  ///< with every loop unrolled
    std::optional<std::string> until = {};     ///< up to the end of the first iteration of a loop
};

struct PtxFileReport {
    std::string file;
    std::string version;
    std::string target;
    PtxPaths paths = PtxPaths::all_sides;
    bool show_blocks = false;
    std::vector<PtxKernelReport> kernels = {};
};

/// A class of instructions for scripts, and what it is made of; no parts if it is one PtxClass.
struct PtxGroup {
    std::string_view name;
    std::int64_t count = 0;
    std::vector<PtxClass> classes = {};
};

/// The classes of scripts, which add up to the total.
std::vector<PtxGroup> ptx_groups(const PtxCounts& counts);

/// Transactions of one access of a kind; empty if there is none.
std::optional<double> transactions_of(const PtxExecution& profile, AccessKind kind);

/// The object of `ptx --json`.
nlohmann::ordered_json to_json(const PtxFileReport& file);

}  // namespace warpnet

#pragma once

#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace warpnet::testing {

/// One row of vectors/makespan.tsv: an instance with its exact longest and shortest makespan.
struct MakespanRow {
    std::string text;
    netgen::KernelSpec spec;
    int longest = 0;
    int shortest = 0;
};

inline std::vector<MakespanRow> read_makespan_rows(const std::filesystem::path& path) {
    std::vector<MakespanRow> rows;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);  // headings
    while (std::getline(file, line)) {
        MakespanRow row{.text = line, .spec = {}};
        std::istringstream fields(line);
        std::string units;
        std::string schedulers;
        fields >> row.spec.string >> row.spec.warps >> units >> schedulers >> row.longest >> row.shortest;
        std::istringstream unit_list(units);
        for (std::string unit; std::getline(unit_list, unit, ',');)
            row.spec.units[unit[0]] = netgen::parse_units_per_warp(unit.substr(2));
        if (schedulers != "-") row.spec.schedulers = std::stoi(schedulers);
        rows.push_back(row);
    }
    return rows;
}

/// The kernel of the case study in [Berezovskyi13] section VIII.
inline netgen::KernelSpec voronoi(int warps, std::optional<int> schedulers) {
    return {.string = "LLLLLCCCCCCCCCLLCCCCCCCCC",
            .warps = warps,
            .units = {{'C', {4, 1}}, {'L', {1, 1}}},
            .schedulers = schedulers};
}

struct KernelRange {
    int letters = 4;  ///< the most different letters of C, L, S, D
    int length = 8;   ///< the longest string
    int warps = 4;    ///< the most warps
    int units = 3;    ///< largest lambda
    bool levels = true;
};

/// A random kernel; equal seeds give equal kernels on every machine. Runs of equal letters are as likely as
/// changes.
inline netgen::KernelSpec any_kernel(std::uint64_t seed, const KernelRange& range = {}) {
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
    constexpr const char* letters = "CLSD";
    netgen::KernelSpec spec;
    const int length = 1 + below(range.length);
    const int used = 1 + below(range.letters);
    while (static_cast<int>(spec.string.size()) < length)
        spec.string += spec.string.empty() || below(2) == 0 ? letters[below(used)] : spec.string.back();
    spec.warps = 1 + below(range.warps);
    for (int i = 0; i < used; ++i) spec.units[letters[i]] = {1 + below(range.units), 1};
    if (below(2) == 0) spec.schedulers = 1 + below(range.units + 2);
    if (range.levels && below(3) == 0)
        for (int i = 0; i < length; ++i) spec.level.push_back(below(5) - 2);
    return spec;
}

}  // namespace warpnet::testing

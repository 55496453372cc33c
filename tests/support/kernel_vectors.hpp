#pragma once

#include "netgen/kernel/kernel.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace warpnet::testing {

/// One row of vectors/makespan.tsv: an instance with its exact longest and shortest makespan.
struct MakespanRow {
    std::string text;
    KernelSpec spec;
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
            row.spec.units[unit[0]] = parse_units_per_warp(unit.substr(2));
        if (schedulers != "-") row.spec.schedulers = std::stoi(schedulers);
        rows.push_back(row);
    }
    return rows;
}

/// The kernel of the case study in [Berezovskyi13] section VIII.
inline KernelSpec voronoi(int warps, std::optional<int> schedulers) {
    return {.string = "LLLLLCCCCCCCCCLLCCCCCCCCC",
            .warps = warps,
            .units = {{'C', {4, 1}}, {'L', {1, 1}}},
            .schedulers = schedulers};
}

}  // namespace warpnet::testing

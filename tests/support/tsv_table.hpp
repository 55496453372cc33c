#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace warpnet::testing {

using TsvRow = std::map<std::string, std::string>;

/// The rows of a tab-separated file by the names in its first line; cells that are missing are empty.
inline std::vector<TsvRow> read_tsv_table(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> columns;
    std::vector<TsvRow> rows;
    for (std::string line; std::getline(stream, line);) {
        std::vector<std::string> cells;
        std::istringstream parts(line);
        for (std::string cell; std::getline(parts, cell, '\t');) cells.push_back(cell);
        if (columns.empty()) {
            columns = cells;
            continue;
        }
        TsvRow row;
        for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = i < cells.size() ? cells[i] : "";
        rows.push_back(row);
    }
    return rows;
}

}  // namespace warpnet::testing

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpnet::testing {

/// The root of the checkout that the tests were built from.
std::filesystem::path source_dir();

/// A file or folder of the reference data next to the checkout ("../shared", or $WARPNET_SHARED), which is
/// not part of the project. If it is absent, the test prints a message and is skipped, see SKIP_WITHOUT.
inline std::optional<std::filesystem::path> shared_data(const std::string& relative) {
    const char* folder = std::getenv("WARPNET_SHARED");
    const std::filesystem::path path =
        (folder != nullptr ? std::filesystem::path(folder) : source_dir() / ".." / "shared") / relative;
    return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

}  // namespace warpnet::testing

/// Ends a test case with a message if its reference data is absent.
#define SKIP_WITHOUT(path, relative)                                           \
    if (!(path)) {                                                             \
        WARN("skipped: reference data '" << (relative) << "' is not present"); \
        return;                                                                \
    }

namespace warpnet::testing {

using TsvRow = std::map<std::string, std::string>;

/// The rows of a tab-separated file by the names in its first line; missing cells are empty.
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

/// An empty folder that is finally removed with its content.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "warpnet-scratch-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string path() const { return path_.string(); }
    bool empty() const { return std::filesystem::is_empty(path_); }

  private:
    std::filesystem::path path_;
};

}  // namespace warpnet::testing

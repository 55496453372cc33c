#pragma once

#include "tests/support/shared_data.hpp"
#include "tests/support/transcript.hpp"

#include <array>
#include <filesystem>

namespace warpnet::testing {

/// The folders of the project that have pages.
inline constexpr std::array project_folders = {"docs", "engine", "pnml",  "netgen",  "analysis",
                                               "cli",  "python", "tests", "examples"};

/// Calls visit(path, text) for every source of the project except its tests: "engine/net/net.hpp".
template <class Visit>
void for_each_source(Visit&& visit) {
    const std::filesystem::path root = source_dir();
    for (const char* const room : std::array{"engine", "pnml", "netgen", "analysis", "cli", "python"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
            const std::filesystem::path& path = entry.path();
            if (path.extension() != ".cpp" && path.extension() != ".hpp") continue;
            visit(std::filesystem::relative(path, root).generic_string(), read_file(path));
        }
    }
}

}  // namespace warpnet::testing

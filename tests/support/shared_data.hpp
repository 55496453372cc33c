#pragma once

#include "tests/support/source_dir.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace warpnet::testing {

/// A file or folder of the reference data beside the checkout ("../shared", or $WARPNET_SHARED), which is not
/// part of the project. Absent: the test that asked says so and passes over it, see SKIP_WITHOUT.
inline std::optional<std::filesystem::path> shared_data(const std::string& relative) {
    const char* folder = std::getenv("WARPNET_SHARED");
    const std::filesystem::path path =
        (folder != nullptr ? std::filesystem::path(folder) : source_dir() / ".." / "shared") / relative;
    return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

}  // namespace warpnet::testing

/// Ends a test case with a message where its reference data is absent.
#define SKIP_WITHOUT(path, relative)                                           \
    if (!(path)) {                                                             \
        WARN("skipped: reference data '" << (relative) << "' is not present"); \
        return;                                                                \
    }

#pragma once

#include <filesystem>
#include <string_view>

namespace warpnet {

/// Replaces a file by `content`, whole or not at all: writes a temporary file in the same folder and renames
/// it. A link is followed, an existing file's permissions are kept, and what is no regular file (such as
/// /dev/stdout) is written to directly. Throws InputError, with the reason, where that is impossible.
void write_file(const std::filesystem::path& file, std::string_view content);

}  // namespace warpnet

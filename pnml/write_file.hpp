#pragma once

#include <filesystem>
#include <string_view>

namespace warpnet::pnml {

/// Throws the InputError of write_file() if the folder of the file does not exist: before the work, not after
/// it.
void require_folder(const std::filesystem::path& file);

/// Replaces a file by `content` completely or not at all: writes a temporary file in the same folder and
/// renames it. Links are followed, and the permissions of an existing file are kept. A file that is not
/// regular (such as /dev/stdout) is written directly. Throws InputError with the reason on failure.
void write_file(const std::filesystem::path& file, std::string_view content);

}  // namespace warpnet::pnml

#pragma once

#include <filesystem>
#include <fstream>

namespace warpnet {

/// A file to be read as it is. Throws InputError, with the reason, where it is a folder or cannot be opened.
std::ifstream open_input_file(const std::filesystem::path& file);

}  // namespace warpnet

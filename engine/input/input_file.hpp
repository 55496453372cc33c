#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <string>

namespace warpnet {

/// The longest input that is read as a whole: 1 GiB. Only PNML files may be longer; they are read in pieces.
inline constexpr std::size_t most_input_bytes = std::size_t{1} << 30U;

/// A file to be read as it is. Throws InputError, with the reason, where it is a folder or cannot be opened.
std::ifstream open_input_file(const std::filesystem::path& file);

/// The text up to the end of a stream, of which `expected` bytes are known to be there. Throws InputError
/// where it has more than `most` bytes or cannot be read.
std::string read_input(std::istream& stream, const std::string& name, std::size_t most = most_input_bytes,
                       std::size_t expected = 0);

/// The text of a file. Throws InputError as the two functions above; a file that is too long is not read.
std::string read_input_file(const std::filesystem::path& file);

/// The same, or the standard input for "-".
std::string read_text(const std::string& path);

/// What error messages call an input: its path, or "standard input" for "-".
std::string input_name(const std::string& path);

}  // namespace warpnet

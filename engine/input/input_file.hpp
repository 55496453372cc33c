#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <string>

namespace warpnet {

/// The longest input that is read as a whole: 1 GiB. Only PNML files may be longer, since they are read in
/// pieces.
inline constexpr std::size_t most_input_bytes = std::size_t{1} << 30U;

/// Opens a file for reading. Throws InputError with the reason if it is a folder or cannot be opened.
std::ifstream open_input_file(const std::filesystem::path& file);

/// The rest of a stream, of which at least `expected` bytes are known to exist. Throws InputError if it has
/// more than `most` bytes or cannot be read.
std::string read_input(std::istream& stream, const std::string& name, std::size_t most = most_input_bytes,
                       std::size_t expected = 0);

/// The text of a file. Throws InputError like the two functions above. A file that is too long is not read.
std::string read_input_file(const std::filesystem::path& file);

/// The text of a file, or of the standard input for "-".
std::string read_text(const std::string& path);

/// The name of an input in error messages: its path, or "standard input" for "-".
std::string input_name(const std::string& path);

}  // namespace warpnet

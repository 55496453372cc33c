// Input files are read as a whole, up to a limit that keeps an accidental file of many gigabytes from
// exhausting the memory. Folders are detected before reading, because a stream opens them without an error.

#include "engine/input/input_file.hpp"

#include "engine/base/large_pages.hpp"
#include "engine/net/error.hpp"

#include <cerrno>
#include <iostream>
#include <system_error>
#include <vector>

namespace warpnet {

namespace {

[[noreturn]] void refuse_longer(const std::string& name, std::size_t most) {
    throw InputError(name + ": expected at most " + std::to_string(most) + " bytes, found more");
}

}  // namespace

std::ifstream open_input_file(const std::filesystem::path& file) {
    const auto fail = [&](const char* reason) {
        throw InputError("cannot read " + file.string() + ": " + reason);
    };
    std::error_code error;
    // A stream also opens folders, and throws at the first character.
    if (std::filesystem::is_directory(file, error)) fail("a folder");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) fail(std::filesystem::exists(file, error) ? "permission denied" : "no such file");
    return stream;
}

std::string read_input(std::istream& stream, const std::string& name, std::size_t most,
                       std::size_t expected) {
    if (expected > most) refuse_longer(name, most);
    std::string text;
    text.reserve(expected);
    advise_large_pages(text);
    std::vector<char> block(1U << 18U);
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())), stream.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > most) refuse_longer(name, most);
    }
    if (stream.bad()) throw InputError("cannot read " + name + ": " + std::system_category().message(errno));
    return text;
}

std::string read_input_file(const std::filesystem::path& file) {
    std::ifstream stream = open_input_file(file);
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);  // unknown for a pipe
    return read_input(stream, file.string(), most_input_bytes, error ? 0 : size);
}

std::string read_text(const std::string& path) {
    return path == "-" ? read_input(std::cin, input_name(path)) : read_input_file(path);
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace warpnet

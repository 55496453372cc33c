#include "pnml/input_file.hpp"

#include "engine/net/error.hpp"

#include <system_error>

namespace warpnet {

std::ifstream open_input_file(const std::filesystem::path& file) {
    const auto fail = [&](const char* reason) {
        throw InputError("cannot read " + file.string() + ": " + reason);
    };
    std::error_code error;
    // A stream opens folders, too, and throws at the first character.
    if (std::filesystem::is_directory(file, error)) fail("a folder");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) fail(std::filesystem::exists(file, error) ? "permission denied" : "no such file");
    return stream;
}

}  // namespace warpnet

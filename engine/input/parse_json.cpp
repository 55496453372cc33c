// A limit on the depth of JSON, checked before parsing. The JSON library copies and prints values by
// recursion, so deep nesting would overflow the stack. One pass counts brackets outside strings. O(text).
// Saved work has a checksum, because a wrong number in it would otherwise become a wrong answer.

#include "engine/input/parse_json.hpp"

#include "engine/base/random.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace warpnet {

void require_shallow_json(std::string_view text, const std::string& source) {
    std::size_t depth = 0, line = 1, line_begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            line_begin = i + 1;
        } else if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > most_json_depth)
                throw InputError(source + (source.empty() ? "line " : ": line ") + std::to_string(line) +
                                 ", column " + std::to_string(i + 1 - line_begin) +
                                 ": expected JSON nested at most " + std::to_string(most_json_depth) +
                                 " deep");
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
}

std::string json_fault(const std::exception& error) {
    // The text of the library has the form "[json.exception.parse_error.101] parse error at line 3, column 5:
    // ...".
    const std::string what = error.what();
    const std::size_t bracket = what.find("] ");
    if (what.find("unexpected end of input") != std::string::npos ||
        what.find("missing closing quote") != std::string::npos)
        return what.substr(bracket + 2, what.find(':', bracket) - bracket - 2) +
               ": expected the rest of the JSON, found the end of the text, which may be cut off";
    return what.starts_with("[json.exception.") && bracket != std::string::npos ? what.substr(bracket + 2)
                                                                                : what;
}

std::string text_checksum(std::string_view text) {
    std::uint64_t hash = 0;
    for (const char c : text) hash = hash_bits(hash, static_cast<unsigned char>(c));
    return fmt::format("{:016x}", hash);
}

}  // namespace warpnet

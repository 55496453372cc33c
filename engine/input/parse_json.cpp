// A limit on the depth of JSON, checked before parsing. The JSON library copies and prints values by
// recursion, so deep nesting would overflow the stack. One pass counts brackets outside strings. O(text).

#include "engine/input/parse_json.hpp"

#include "engine/net/error.hpp"

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

}  // namespace warpnet

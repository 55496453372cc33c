#pragma once

#include <cstddef>
#include <string>

namespace warpnet::testing {

/// The number of occurrences of a part in a text, including overlapping ones.
inline std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace warpnet::testing

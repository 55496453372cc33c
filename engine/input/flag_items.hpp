#pragma once

#include "engine/input/usage_error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet {

// Numbers and lists in the value of a flag: "1e6", "C=4,L=1".

/// A whole number in a common notation: 1000000, 1e6, 1_000_000, 10k, 2M (thousands). Nothing if `text` is
/// something else or too large.
std::optional<std::int64_t> parse_count(std::string_view text);

/// Calls use(item) for each item between two separators. An empty text has one item, which is empty.
template <class Use>
void each_item(std::string_view text, Use use, std::string_view separators = ",") {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        use(std::string(text.substr(begin, end - begin)));
        begin = end + 1;
    }
}

/// NAME=VALUE, divided at the last '='. Without one, both are empty.
struct NamedItem {
    std::string name;
    std::string value;

    explicit NamedItem(const std::string& item) {
        const std::size_t equals = item.rfind('=');
        if (equals == std::string::npos) return;
        name = item.substr(0, equals);
        value = item.substr(equals + 1);
    }
};

/// Throws UsageError if a flag gives a name for the second time.
inline void require_once(bool first, const std::string& flag, const std::string& name) {
    if (!first) throw UsageError(flag, "'" + name + "' is given twice");
}

}  // namespace warpnet

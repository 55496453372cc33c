#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// The number of single-character insertions, deletions and replacements that turn one word into the other.
/// O(|a|·|b|).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

/// The shortest of `words` that begins with `word` (at least 2 letters, dashes ignored), otherwise the
/// closest one. Empty if all of them are too different for a typing error.
template <class Words>
std::string most_similar(std::string_view word, const Words& words) {
    std::string nearest;
    const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
    for (const std::string_view candidate : words)
        if (letters > 1 && candidate.starts_with(word) &&
            (nearest.empty() || candidate.size() < nearest.size()))
            nearest = candidate;
    if (!nearest.empty()) return nearest;
    std::size_t least = word.size() / 3 + 2;
    for (const std::string_view candidate : words) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance >= least) continue;
        least = distance;
        nearest = candidate;
    }
    return nearest;
}

}  // namespace warpnet

#include "engine/input/unread.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace warpnet {

namespace {

/// Whether a path matches the pattern of an ignored part.
bool is_at(std::string_view path, std::string_view pattern) {
    if (pattern.ends_with("/*")) return path.starts_with(pattern.substr(0, pattern.size() - 1));
    if (!pattern.starts_with("*/")) return path == pattern;
    return path.ends_with(pattern.substr(1)) || path == pattern.substr(2);
}

}  // namespace

void judge_unread(std::span<const UnreadPart> unread, std::span<const IgnoredPart> ignored,
                  std::vector<ReaderNote> notes, std::vector<std::string>* warnings) {
    for (const UnreadPart& part : unread) {
        const auto entry = std::find_if(ignored.begin(), ignored.end(), [&](const IgnoredPart& candidate) {
            return is_at(part.path, candidate.path);
        });
        if (entry == ignored.end()) {
            const std::string hint = part.hint ? part.hint() : "";
            throw InputError(part.where() + ": unknown " + part.construct +
                             (hint.empty() ? "" : "; " + hint));
        }
        if (!entry->consequence.empty())
            notes.push_back({part.construct + " is ignored", std::string(entry->consequence), part.where});
    }
    if (warnings == nullptr) return;
    std::map<std::pair<std::string_view, std::string_view>, std::pair<std::size_t, std::size_t>> groups;
    for (std::size_t i = 0; i < notes.size(); ++i)
        ++groups.try_emplace({notes[i].what, notes[i].consequence}, i, 0).first->second.second;
    std::vector<std::pair<std::size_t, std::size_t>> first_and_count;
    first_and_count.reserve(groups.size());
    for (const auto& [what, group] : groups) first_and_count.push_back(group);
    std::sort(first_and_count.begin(), first_and_count.end());
    for (const auto& [first, count] : first_and_count)
        warnings->push_back(
            notes[first].where() + (notes[first].what.empty() ? "" : ": " + notes[first].what) +
            (count == 1 ? "" : " (" + std::to_string(count) + " times)") + ": " + notes[first].consequence);
}

}  // namespace warpnet

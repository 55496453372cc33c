// Judges the parts of a document that its reader has not accessed. A part that the reader lists as ignored
// becomes a warning with its consequence. Any other part is an error, because it might change the answer.
// Parts with one consequence share one warning, which names the first place, the kinds of parts and their
// number. O(parts * ignored patterns).

#include "engine/input/unread.hpp"

#include "engine/base/text.hpp"
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

namespace {

/// Ignored parts with one consequence.
struct IgnoredGroup {
    const UnreadPart* first = nullptr;
    std::size_t count = 0;
    std::vector<std::pair<std::string_view, std::size_t>> constructs;  // and how often they are there

    void add(const UnreadPart& part) {
        if (first == nullptr) first = &part;
        ++count;
        const auto known = std::find_if(constructs.begin(), constructs.end(),
                                        [&](const auto& one) { return one.first == part.construct; });
        if (known != constructs.end()) {
            ++known->second;
        } else {
            constructs.emplace_back(part.construct, 1);
        }
    }

    /// "element <a> is ignored (2 times), and 5 more parts (element <b>, attribute 'c')"
    std::string text() const {
        constexpr std::size_t most_named = 24;
        const auto& [name, times] = constructs.front();
        std::string result =
            std::string(name) + " is ignored" + (times == 1 ? "" : " (" + std::to_string(times) + " times)");
        if (constructs.size() == 1) return result;
        result += ", and " + plural(count - times, "more part") + " (";
        for (std::size_t i = 1; i < constructs.size() && i <= most_named; ++i)
            result += (i == 1 ? "" : ", ") + std::string(constructs[i].first);
        return result + (constructs.size() > most_named + 1 ? ", …)" : ")");
    }
};

}  // namespace

void judge_unread(std::span<const UnreadPart> unread, std::span<const IgnoredPart> ignored,
                  std::vector<ReaderNote> notes, std::vector<std::string>* warnings) {
    std::vector<std::pair<std::string_view, IgnoredGroup>> left_out;  // by consequence
    for (const UnreadPart& part : unread) {
        const auto entry = std::find_if(ignored.begin(), ignored.end(), [&](const IgnoredPart& candidate) {
            return is_at(part.path, candidate.path);
        });
        if (entry == ignored.end()) {
            const std::string hint = part.hint ? part.hint() : "";
            throw InputError(part.where() + ": unknown " + part.construct +
                             (hint.empty() ? "" : "; " + hint));
        }
        if (entry->consequence.empty()) continue;
        auto group = std::find_if(left_out.begin(), left_out.end(),
                                  [&](const auto& one) { return one.first == entry->consequence; });
        if (group == left_out.end())
            group = left_out.insert(left_out.end(), {entry->consequence, IgnoredGroup{}});
        group->second.add(part);
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
    for (const auto& [consequence, group] : left_out)
        warnings->push_back(group.first->where() + ": " + group.text() + ": " + std::string(consequence));
}

}  // namespace warpnet

#pragma once

#include "engine/base/random.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace warpnet::testing {

/// A text with an inserted construct that its format does not have.
struct UnknownPart {
    std::string text;
    std::string name;  ///< of the construct; it occurs nowhere else in the text
    /// The elements around it, with their names. If one of them is ignored, a warning must name it.
    std::vector<std::pair<std::string, std::string>> around;
    /// Lines whose number in an error is enough, if the construct need not be named: "7".
    std::vector<std::string> lines = {};
};

using Insert = std::function<UnknownPart(const std::string& text, CounterRandom& random)>;

inline std::string unknown_name(CounterRandom& random) {
    return "zz" + std::to_string(random.below(1'000'000'000));
}

/// Inserts a member at the front of any object. The text has no braces in strings and no objects in comments.
inline UnknownPart insert_member(const std::string& text, CounterRandom& random) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '{') places.push_back(i + 1);
    const std::size_t at = places[random.below(static_cast<std::uint32_t>(places.size()))];
    static constexpr std::array<std::string_view, 6> values = {"1",    "\"x\"", "true",
                                                               "null", "[1]",   R"({"a":1})"};
    UnknownPart part{text, unknown_name(random), {}};
    std::string member = "\"" + part.name + "\":" + std::string(values[random.below(6)]);
    if (text[text.find_first_not_of(" \n", at)] != '}') member += ',';
    part.text.insert(at, member);
    return part;
}

/// Inserts an attribute into any element, or an element or a text. The text has no '>' in attributes.
inline UnknownPart insert_xml(const std::string& text, CounterRandom& random) {
    struct Tag {
        std::size_t name_end, end;  // of the start tag; the latter at its '>'
        std::vector<std::pair<std::string, std::string>> around;
    };
    std::vector<Tag> tags;
    std::vector<std::pair<std::string, std::string>> open;
    for (std::size_t i = 0; (i = text.find('<', i)) != std::string::npos; ++i) {
        if (text.compare(i, 4, "<!--") == 0) i = text.find("-->", i);
        if (text[i + 1] == '/') open.pop_back();
        if (std::string_view("/?!->").find(text[i + 1]) != std::string_view::npos || text[i] != '<') continue;
        const std::size_t name_end = text.find_first_of(" \n/>", i);
        const std::size_t end = text.find('>', i);
        const std::size_t name = text.find(" name='", i);
        const std::size_t value = name + std::string_view(" name='").size();
        open.emplace_back(text.substr(i + 1, name_end - i - 1),
                          name < end ? text.substr(value, text.find('\'', value) - value) : "");
        tags.push_back({name_end, end, open});
        if (text[end - 1] == '/') open.pop_back();
    }
    const Tag& tag = tags[random.below(static_cast<std::uint32_t>(tags.size()))];
    UnknownPart part{text, unknown_name(random), tag.around};
    const bool empty = text[tag.end - 1] == '/';
    switch (empty ? 0 : random.below(3)) {
        case 0:
            part.text.insert(tag.name_end, " " + part.name + "='1'");
            break;
        case 1:
            part.text.insert(tag.end + 1, "<" + part.name + "/>");
            break;
        default:
            part.text.insert(tag.end + 1, part.name);
    }
    return part;
}

/// Inserts a word at the end of any line.
inline UnknownPart insert_word(const std::string& text, CounterRandom& random) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i < text.size(); ++i)
        if (text[i] == '\n' && text[i - 1] != '\n') ends.push_back(i);
    UnknownPart part{text, unknown_name(random), {}};
    part.text.insert(ends[random.below(static_cast<std::uint32_t>(ends.size()))], " " + part.name);
    return part;
}

/// Checks that `read(text, warnings)` accepts the unchanged text, and that an error or a warning names each
/// of so many insertions. If its line is enough, an error may name the line. A warning may also say that an
/// element around it is left out, if that element has no name, or a name in `left_out`.
inline void check_unknown_parts(
    const std::string& text, const Insert& insert, std::uint64_t cases,
    const std::function<void(const std::string& text, std::vector<std::string>& warnings)>& read,
    const std::set<std::string>& left_out = {}) {
    std::vector<std::string> warnings;
    REQUIRE(input_error_of([&] { read(text, warnings); }) == "");
    for (std::uint64_t seed = 0; seed < case_count(cases); ++seed) {
        CounterRandom random(seed, 0);
        const UnknownPart part = insert(text, random);
        warnings.clear();
        const std::string error = input_error_of([&] { read(part.text, warnings); });
        const auto named = [&](const std::string& message) {
            if (message.find(part.name) != std::string::npos) return true;
            return std::any_of(part.around.begin(), part.around.end(), [&](const auto& element) {
                return (element.second.empty() || left_out.contains(element.second)) &&
                       message.find("element <" + element.first + ">") != std::string::npos &&
                       message.find(" is ignored") != std::string::npos;
            });
        };
        const bool placed = std::any_of(part.lines.begin(), part.lines.end(), [&](const std::string& line) {
            return error.find(":" + line + ":") != std::string::npos;
        });
        if (placed || error.find(part.name) != std::string::npos ||
            std::any_of(warnings.begin(), warnings.end(), named))
            continue;
        const std::size_t at = part.text.find(part.name);
        const std::string inserted = part.text.substr(at - std::min<std::size_t>(at, 100), 200);
        CAPTURE(seed, inserted, error, warnings);
        FAIL("an unknown construct that is neither in an error nor in a warning");
    }
}

}  // namespace warpnet::testing

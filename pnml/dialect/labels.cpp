#include "pnml/dialect/labels.hpp"

#include "engine/base/parse_number.hpp"

#include <cmath>
#include <string>
#include <system_error>

namespace warpnet::xml {

namespace {

std::string expected_count(Tokens least) {
    return "a whole number from " + std::to_string(least) + " to " + std::to_string(max_tokens);
}

}  // namespace

template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    return parse_number<Integer>(text);
}

template std::optional<std::int64_t> whole_number(std::string_view);
template std::optional<std::int32_t> whole_number(std::string_view);

std::string_view Labels::text(pugi::xml_node label) const {
    std::string_view found = trim(document_.text_of(label));
    for (const pugi::xml_node part : Elements(label)) {
        const std::string_view name = document_.local_name(part);
        if (name != "text" && name != "value") continue;
        const std::string_view here = trim(document_.text_of(part));
        if (here.empty()) continue;
        if (!found.empty() && found != here) {
            document_.fail(part, "the same text as before, " + in_quotes(found), in_quotes(here));
        }
        found = here;
    }
    return found;
}

std::optional<Tokens> Labels::count(pugi::xml_node label, Tokens least) {
    for (const pugi::xml_node part : Elements(label)) {
        const std::string_view name = document_.local_name(part);
        if (name == "structure") fail_high_level(part);
        const bool number = name == "text" || name == "value";
        const pugi::xml_node odd = number                                         ? *Elements(part).begin()
                                   : name != "graphics" && name != "toolspecific" ? part
                                                                                  : pugi::xml_node();
        if (odd.type() == pugi::node_element)
            document_.fail(label, "a number in <text> or <value>", "the element " + in_tag(odd.name()));
    }
    const std::string_view said = text(label);
    if (said.empty()) return std::nullopt;
    const std::optional<Tokens> number =
        said.find(',') != std::string_view::npos ? pipe_count(said, least) : whole_number<Tokens>(said);
    if (!number || *number < least) document_.fail(label, expected_count(least), in_quotes(said));
    return number;
}

std::optional<Tokens> Labels::count(pugi::xml_node element, pugi::xml_attribute attribute, Tokens least) {
    const std::string_view said = trim(attribute.value());
    const std::optional<Tokens> number = whole_number<Tokens>(said);
    if (!number || *number < least) {
        document_.fail(element, attribute, expected_count(least) + " in the attribute " + attribute.name(),
                       in_quotes(said));
    }
    return number;
}

std::optional<Tokens> Labels::pipe_count(std::string_view list, Tokens least) {
    Tokens found = 0;
    std::string_view found_class;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (comma == std::string_view::npos) return std::nullopt;
        const std::string_view token_class = trim(list.substr(0, comma));
        list.remove_prefix(comma + 1);
        const std::size_t end = list.find(',');
        const auto number = whole_number<Tokens>(trim(list.substr(0, end)));
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
        if (!number || *number < 0 || token_class.empty()) return std::nullopt;
        if (*number == 0) continue;
        if (found != 0) return std::nullopt;
        found = *number;
        found_class = token_class;
    }
    if (found < least) return std::nullopt;
    if (found != 0) {
        if (!token_class_.empty() && token_class_ != found_class) return std::nullopt;
        token_class_ = found_class;
    }
    return found;
}

bool Labels::flag(pugi::xml_node label) const {
    const std::string_view said = text(label);
    if (said == "true" || said == "1") return true;
    if (said != "false" && said != "0" && !said.empty())
        document_.fail(label, "true or false", in_quotes(said));
    return false;
}

std::int32_t Labels::priority(pugi::xml_node label) const {
    const std::string_view said = text(label);
    if (said.empty()) return 0;
    const auto number = whole_number<std::int32_t>(said);
    if (!number) document_.fail(label, "a whole number from -2147483648 to 2147483647", in_quotes(said));
    return *number;
}

std::optional<Position> Labels::position(pugi::xml_node graphics) const {
    for (const pugi::xml_node part : Elements(graphics)) {
        if (document_.local_name(part) != "position") continue;
        const auto x = coordinate(part.attribute("x"));
        const auto y = coordinate(part.attribute("y"));
        if (x && y) return Position{*x, *y};
    }
    return std::nullopt;
}

void Labels::fail_high_level(pugi::xml_node label) const {
    document_.fail(label, "a place/transition net",
                   "the label " + in_tag(label.name()) + " of a high-level net");
}

std::string_view name_of_net(const Labels& labels, pugi::xml_node net) {
    for (const pugi::xml_node part : Elements(net)) {
        if (labels.document().local_name(part) == "name") return labels.text(part);
    }
    return net.attribute("name").value();
}

std::optional<double> coordinate(pugi::xml_attribute attribute) {
    if (!attribute) return 0.0;
    const auto value = parse_number<double>(trim(attribute.value()));
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string without_blanks(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c != ' ') result += c;
    }
    return result;
}

bool is_any_time(std::string_view interval) {
    const std::string dense = without_blanks(interval);
    return dense == "[0,inf)" || dense == "[0,inf[" || dense == "[0,infty)" || dense == "[0,infty[" ||
           dense == "[0,w[";
}

}  // namespace warpnet::xml

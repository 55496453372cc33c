#include "pnml/foreign_format.hpp"

#include "pnml/xml/pnml_error.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

namespace {

using Sign = std::pair<std::string_view, std::string_view>;  // what is there, the format

struct RootSign {
    std::string_view root, also;  // what else is near the beginning
    std::string_view format;
};

constexpr RootSign roots[] = {
    {"workspaceElements", "", "CPN Tools (.cpn)"}, {"Snoopy", "", "Snoopy (.spped, .spn ...)"},
    {"project", "<gspn", "GreatSPN (.PNPRO)"},     {"TPN", "", "Romeo (.xml)"},
    {"document", "<subnet", "PNEditor (.pflow)"},
};

// Words at the beginning of a text.
constexpr Sign beginnings[] = {
    {"|0|", "GreatSPN (.net)"},     {"|256", "GreatSPN (.def)"},  {".name", "APT (.apt)"},
    {".description", "APT (.apt)"}, {".type", "APT (.apt)"},      {".model", "Petrify (.g)"},
    {".inputs", "Petrify (.g)"},    {".outputs", "Petrify (.g)"}, {"digraph", "Graphviz (.dot)"},
    {"P   M", "INA (.pnt)"},        {"pn [", "Snoopy (.andl)"},   {"spn [", "Snoopy (.andl)"},
};

std::string_view format_of_root(std::string_view text) {
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
        const std::string_view rest = text.substr(at + 1);
        if (rest.starts_with('?') || rest.starts_with('!')) {
            const std::string_view end = rest.starts_with("!--") ? "-->" : ">";
            at = std::min(text.find(end, at), text.size() - 1);
            continue;
        }
        const std::string_view name = rest.substr(0, rest.find_first_of(" \t\r\n/>"));
        for (const RootSign& sign : roots)
            if (name == sign.root && text.find(sign.also) != std::string_view::npos) return sign.format;
        return "";
    }
    return "";
}

/// "p 75.0 30.0 p1 1 n" of the graphical editor of Tina: a letter and two numbers.
bool is_drawing_of_tina(std::string_view text) {
    constexpr std::string_view number = "0123456789.-";
    if (!text.starts_with("p ") && !text.starts_with("t ")) return false;
    for (int i = 0; i < 2; ++i) {
        const std::size_t blank = text.find(' ');
        const std::size_t end = text.find_first_not_of(number, blank + 1);
        if (end == std::string_view::npos || end == blank + 1 || text[end] != ' ') return false;
        text.remove_prefix(end);
    }
    return true;
}

std::string_view foreign_format(std::string_view text) {
    text = text.substr(0, 4096);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "";
    text.remove_prefix(first);
    if (text.starts_with('<')) return format_of_root(text);
    for (const auto& [beginning, format] : beginnings)
        if (text.starts_with(beginning)) return format;
    return is_drawing_of_tina(text) ? "the editor of Tina (.ndr)" : "";
}

}  // namespace

void require_known_format(std::string_view text, const std::string& source_name) {
    const std::string_view format = foreign_format(text);
    if (format.empty()) return;
    throw PnmlError({source_name, 1, 1, ""}, "a net in PNML or in a format of LoLA, Tina or Aldebaran",
                    "one of " + std::string(format) + ", which is not read; export it as PNML");
}

}  // namespace warpnet

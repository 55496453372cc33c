// Labels of nodes as HTML-like strings of Graphviz, because only these allow a second font size within a
// node. Names are broken at the space nearest to the middle; ids of known families become words ("warp 3").
// Heat colours are logarithmic in the firings.
//
// Colours of heat are logarithmic, so that transitions with few firings have different colours, too. The
// legend has the limits as whole numbers, and leaves out colours that no whole number has.

#include "analysis/pictures/net/dot_labels.hpp"

#include "analysis/pictures/net/picture_frames.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace warpnet::pictures::dot {

namespace {

/// Text as Graphviz' HTML, with its lines. In HTML, too, Graphviz replaces a backslash and an N by the name
/// of the node.
std::string html(std::string_view text) {
    std::string escaped;
    for (const char c : visible(text)) {
        switch (c) {
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '&':
                escaped += "&amp;";
                break;
            case '\\':
                escaped += "\\\\";
                break;
            case '\n':
                escaped += "<BR/>";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

constexpr std::size_t heat_classes = std::tuple_size_v<decltype(PictureColours::heat)>;

/// The number of the colour; the maximum always has the last one.
std::size_t heat_class(double firings, double most) {
    const double share = std::log1p(firings) / std::log1p(most);
    const auto colours = static_cast<double>(heat_classes);
    return static_cast<std::size_t>(std::clamp(std::ceil(share * colours) - 1, 0.0, colours - 1));
}

}  // namespace

std::string quote(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : visible(text)) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n') {
            quoted += "\\n";
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string token_text(Tokens tokens) {
    switch (tokens) {
        case 0:
            return "";
        case 1:
            return "●";
        case 2:
            return "●●";
        case 3:
            return "●<BR/>●●";
        case 4:
            return "●●<BR/>●●";
        default:
            return std::to_string(tokens);
    }
}

int token_font_size(Tokens tokens) {
    if (tokens == 1) return 14;
    if (tokens <= 4) return 9;
    return tokens < 1000 ? 11 : tokens < 1'000'000 ? 7 : 9;
}

std::string token_label(Tokens tokens, const PictureStyle& style) {
    if (tokens == 0) return "\"\"";
    return fmt::format("<<FONT POINT-SIZE=\"{:.4g}\">{}</FONT>>",
                       token_font_size(tokens) * style.scale(usual_font_size_of_nets), token_text(tokens));
}

FrameName::FrameName(std::string_view prefix) {
    const std::string_view outer = frame_prefix(prefix);  // "sm1_" of "sm1_w2_", nothing of "w2_"
    if (!outer.empty()) {
        within = FrameName(outer).title();
        prefix.remove_prefix(outer.size());
    }
    prefix.remove_suffix(1);
    const std::size_t last = prefix.rfind('_') + 1;  // 0 without '_'
    const std::size_t digits = std::min(prefix.find_first_of("0123456789", last), prefix.size());
    const bool numbered = prefix.find_last_not_of("0123456789") + 1 == digits && digits < prefix.size();
    if (!numbered || last > 0) {  // a kernel by its name, alone or with a part
        letters = "kernel";
        number = prefix.substr(0, numbered ? last - 1 : prefix.size());
        if (!numbered) return;
        within = title();
    }
    letters = prefix.substr(last, digits - last);
    number = prefix.substr(digits);
}

std::string FrameName::word() const {
    static constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"w", "warp"}, {"k", "kernel"}, {"kernel", "kernel"}, {"b", "block"}, {"sm", "SM"}};
    for (const auto& [short_form, word] : known) {
        if (letters == short_form) return std::string(word);
    }
    return "";
}

std::string FrameName::title() const {
    return (within.empty() ? "" : within + ", ") +
           (word().empty() ? letters + number : word() + " " + number);
}

std::string name_label(std::string_view text, const char* ground) {
    return fmt::format(
        "<<TABLE BORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\" "
        "BGCOLOR=\"{}80\"><TR><TD>{}</TD></TR></TABLE>>",
        ground, html(text));
}

std::string broken_label(std::string text) {
    constexpr std::size_t short_enough = 9;
    if (text.size() <= short_enough) return text;
    const auto middle = static_cast<std::ptrdiff_t>(text.size() / 2);
    std::ptrdiff_t best = -1;
    for (std::ptrdiff_t i = 0; i < std::ssize(text); ++i) {
        if (text[static_cast<std::size_t>(i)] == ' ' &&
            (best < 0 || std::abs(i - middle) < std::abs(best - middle)))
            best = i;
    }
    if (best >= 0) text[static_cast<std::size_t>(best)] = '\n';
    return text;
}

std::string symbol_legend(const PictureStyle& style) {
    const PictureColours& colours = style.colours();
    return fmt::format(
        "  subgraph cluster_legend {{\n"
        "    label=\"symbols\"; style=rounded; color=\"{0}\"\n"
        "    legend_place [shape=circle, fixedsize=true, label=\"\", xlabel=\"place\"]\n"
        "    legend_timed [shape=box, label=\"timed\\ntransition\"]\n"
        "    legend_immediate [shape=box, label=\"\", xlabel=\"immediate\\ntransition\", width=0.5, "
        "height=0.07, "
        "fixedsize=true, fillcolor=\"{1}\"]\n"
        "    legend_repeated [shape=ellipse, style=dashed, color=\"{0}\", fontsize={4:.4g}, label=\"place "
        "drawn\\nelsewhere\"]\n"
        "    legend_place -> legend_timed [label=\" inhibits\", arrowhead=odot, color=\"{2}\", "
        "fontcolor=\"{2}\"]\n"
        "    legend_place -> legend_timed [label=\" is read\", style=dashed, arrowhead=none, color=\"{3}\", "
        "fontcolor=\"{3}\"]\n"
        "    legend_place -> legend_immediate [label=\" takes 2\"]\n"
        "    legend_immediate -> legend_repeated [label=\" takes and gives\", dir=both]\n"
        "  }}\n",
        colours.faint, colours.ink, colours.inhibitor, colours.read,
        8 * style.scale(usual_font_size_of_nets));
}

std::string heat_colour(double firings, double most, const PictureStyle& style) {
    const PictureColours& colours = style.colours();
    return std::string(firings <= 0 || most <= 0 ? colours.node : colours.heat[heat_class(firings, most)]);
}

std::string heat_legend(double most, const PictureStyle& style) {
    std::string row = fmt::format("<TD BGCOLOR=\"{}\">0</TD>", style.colours().node);
    const auto colours = static_cast<double>(heat_classes);
    double from = 0;
    for (std::size_t i = 0; i < heat_classes && most > 0; ++i) {
        // Up to and including this number of firings; whole numbers, so a colour may have none.
        const double to =
            i + 1 == heat_classes
                ? most
                : std::floor(std::expm1(std::log1p(most) * static_cast<double>(i + 1) / colours));
        if (to > from) {
            row += fmt::format("<TD BGCOLOR=\"{}\">{}</TD>", style.colours().heat[i],
                               to - from <= 1 ? fmt::format("{:.6g}", to)
                                              : fmt::format("{:.6g}-{:.6g}", std::floor(from) + 1, to));
        }
        from = std::max(from, to);
    }
    return fmt::format(
        "  heat_legend [shape=plaintext, style=\"\", label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" "
        "CELLSPACING=\"0\" CELLPADDING=\"4\"><TR><TD BORDER=\"0\">firings</TD>{}</TR></TABLE>>]\n",
        row);
}

}  // namespace warpnet::pictures::dot

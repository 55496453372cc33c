// Colours, hatchings and sizes of all pictures. Ten areas have colours of a palette; further ones get hues at
// the golden angle, which are far from their neighbours. In print, areas are hatched and lines are grey, so
// both differ without colour. A hatching that is used again is rotated.

#include "analysis/pictures/picture_style.hpp"

#include <cmath>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

constexpr PictureColours light_colours = {
    .ground = "#ffffff",
    .ink = "#24292f",
    .soft = "#555555",
    .faint = "#8c959f",
    .edge = "#888888",
    .grid = "#e3e3e3",
    .node = "#ffffff",
    .frame = "#f6f8fa",
    .frame_edge = "#d0d7de",
    .inhibitor = "#cf222e",
    .read = "#0969da",
    .highlight = "#ffd33d",
    .missed = "#c81e3a",
    .heat = {"#fff7d6", "#ffe9a3", "#ffd166", "#ffb04a", "#fb8b3c", "#f0643a"},
};

constexpr PictureColours dark_colours = {
    .ground = "#0d1117",
    .ink = "#e6edf3",
    .soft = "#a5afba",
    .faint = "#7d8590",
    .edge = "#6e7681",
    .grid = "#2d333b",
    .node = "#1c232c",
    .frame = "#131920",
    .frame_edge = "#3a424c",
    .inhibitor = "#ff7b72",
    .read = "#79c0ff",
    .highlight = "#855700",
    .missed = "#ff6b81",
    .heat = {"#2b2410", "#463510", "#6b4a0f", "#8f5a12", "#a9511a", "#b83a26"},
};

constexpr PictureColours print_colours = {
    .ground = "#ffffff",
    .ink = "#000000",
    .soft = "#333333",
    .faint = "#777777",
    .edge = "#000000",
    .grid = "#d0d0d0",
    .node = "#ffffff",
    .frame = "#ffffff",
    .frame_edge = "#777777",
    .inhibitor = "#000000",
    .read = "#000000",
    .highlight = "#cccccc",
    .missed = "#000000",
    .heat = {"#f2f2f2", "#e4e4e4", "#d4d4d4", "#c2c2c2", "#aeaeae", "#989898"},
};

constexpr std::array<std::string_view, 10> palette = {"#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2",
                                                      "#eeca3b", "#b279a2", "#9d755d", "#ff9da6", "#bab0ac"};
constexpr std::array<std::string_view, 3> greys = {"#000000", "#6a6a6a", "#9a9a9a"};

/// The content of a tile of 6 x 6: its ground and the path of its lines.
struct Hatching {
    std::string_view ground, lines;
};
constexpr std::array<Hatching, 10> hatchings = {{
    {"#d9d9d9", ""},
    {"#ffffff", "M-1 1l2-2M0 6l6-6M5 7l2-2"},
    {"#8c8c8c", ""},
    {"#ffffff", "M0 3h6"},
    {"#ffffff", "M-1 5l2 2M0 0l6 6M5-1l2 2"},
    {"#4d4d4d", ""},
    {"#ffffff", "M3 0v6"},
    {"#ffffff", "M0 3h6M3 0v6"},
    {"#d9d9d9", "M-1 1l2-2M0 6l6-6M5 7l2-2"},
    {"#ffffff", "M0 0l6 6M0 6l6-6"},
}};

}  // namespace

std::string_view to_string(PictureTheme theme) {
    switch (theme) {
        case PictureTheme::light:
            return "light";
        case PictureTheme::dark:
            return "dark";
        case PictureTheme::print:
            return "print";
    }
    return "";
}

const PictureColours& PictureStyle::colours() const {
    switch (theme) {
        case PictureTheme::light:
            break;
        case PictureTheme::dark:
            return dark_colours;
        case PictureTheme::print:
            return print_colours;
    }
    return light_colours;
}

std::string PictureStyle::line_colour(std::size_t n) const {
    if (theme == PictureTheme::print) return std::string(greys[n % greys.size()]);
    if (n < palette.size()) return std::string(palette[n]);
    // Hues far from their neighbours, now lighter, now darker.
    const double hue = std::fmod(static_cast<double>(n) * 137.508, 360);
    return fmt::format("hsl({:.1f},{}%,{}%)", hue, 45 + 10 * (n % 3), 35 + 15 * (n % 4) / 2);
}

std::string PictureStyle::area_fill(std::size_t n) const {
    return theme == PictureTheme::print ? fmt::format("url(#area{})", n) : line_colour(n);
}

std::string PictureStyle::hatching(std::size_t areas) const {
    if (theme != PictureTheme::print) return "";
    std::string svg = "<defs>\n";
    for (std::size_t n = 0; n < areas; ++n) {
        const Hatching& hatching = hatchings[n % hatchings.size()];
        // If there are more areas than hatchings, hatchings are repeated, rotated.
        const std::size_t turn = 23 * (n / hatchings.size());
        svg += fmt::format(
            "<pattern id=\"area{0}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate({1})\"><rect width=\"6\" height=\"6\" fill=\"{2}\"/><path d=\"{3}\" "
            "stroke=\"#000000\" stroke-width=\"{4}\"/></pattern>\n",
            n, turn, hatching.ground, turn == 0 || !hatching.lines.empty() ? hatching.lines : "M0 3h6",
            turn == 0 ? 1.0 : 1.4);
    }
    return svg + "</defs>\n";
}

std::string PictureStyle::area_edge() const {
    return theme == PictureTheme::print ? " stroke=\"#000000\" stroke-width=\"0.9\"" : "";
}

std::string PictureStyle::on_area() const {
    if (theme != PictureTheme::print) return "fill=\"#16191d\"";
    return "stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"";
}

std::string svg_begin(const PictureStyle& style, double width, double height, double usual_size) {
    const double scale = style.scale(usual_size);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} "
        "{:.0f}\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"{:g}\" fill=\"{}\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        width * scale, height * scale, width, height, usual_size, style.colours().ink,
        style.colours().ground);
}

}  // namespace warpnet::pictures

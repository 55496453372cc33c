#pragma once

#include "analysis/pictures/picture_style.hpp"

#include <string>
#include <vector>

namespace warpnet::pictures {

struct PlotPoint {
    double x = 0, y = 0;
};

struct PlotLine {
    std::string name;               ///< in the legend
    std::vector<PlotPoint> points;  ///< in the order of the line
    bool dashed = false;
    bool bars = false;  ///< a bar from 0 to each point instead of a line; the values are above the bars
};

/// The area between the least and the largest values behind a line.
struct PlotBand {
    struct Edge {
        double x = 0, low = 0, high = 0;
    };
    std::string name;         ///< in the legend
    std::string line;         ///< the name of the line whose colour it has
    std::vector<Edge> edges;  ///< by ascending x
};

/// One picture with its own y axis. Lines of equal name have one colour in all panels.
struct PlotPanel {
    std::string y_name;
    bool logarithmic = false;  ///< y in powers of ten; points with y <= 0 are left out
    std::vector<PlotLine> lines;
    std::vector<PlotBand> bands = {};
};

/// A plot of lines over a common x. `x_name`: the text below the axis, with its unit.
struct LinePlot {
    std::string title;
    std::string x_name;
    /// If x is no number: the names of x = 0, 1, 2, …; otherwise empty.
    std::vector<std::string> x_labels;
    std::vector<PlotPanel> panels;  ///< one below the other, with the same range of x
    PictureStyle style = {};
    std::vector<std::string> notes = {};  ///< below the title, broken to the width of the picture
};

/// Lines over x as a self-contained SVG: points show their values under the pointer. Points that are not
/// finite are left out. Axes begin at 0 if there are bars, or if the least value is less than half the
/// largest, and their ticks are round numbers.
std::string line_plot_svg(const LinePlot& plot);

}  // namespace warpnet::pictures

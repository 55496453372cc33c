// Pictures of many pieces, such as philosophers or the warps of several SMs. Each piece is laid out as a
// graph of its own. Pieces that are equal except for numbers with the same number of digits are laid out
// once: seven layouts suffice for a thousand philosophers. Rows hold whole SMs, and Graphviz gets the whole
// with every position fixed. Rejected: one graph with clusters. Graphviz packs them in a time quadratic in
// their number (6 s for a thousand). Other pictures are one piece. The labels of each piece are placed after
// its layout (label_placement.cpp). A PNG has about 45 million points, or 45 per inch.

#include "analysis/pictures/net/dot_labels.hpp"
#include "analysis/pictures/net/draw.hpp"
#include "analysis/pictures/net/label_placement.hpp"
#include "analysis/pictures/net/piece_layout.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <iterator>
#include <map>
#include <numeric>
#include <thread>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

using Clock = std::chrono::steady_clock;

struct Piece {
    std::string_view text;
    std::size_t form = 0;  ///< pieces of one form have one layout
};

std::chrono::milliseconds until(Clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return std::max(left, std::chrono::milliseconds(0));
}

/// Lays out graphs in one process per core; results are in their order.
std::vector<PieceLayout> lay_out(const std::vector<std::string>& graphs, std::chrono::milliseconds limit,
                                 const std::atomic<bool>* interrupt) {
    constexpr std::size_t worth_a_process = 64, most_processes = 8;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t count = graphs.size();
    const std::size_t processes =
        std::clamp<std::size_t>(count / worth_a_process, 1, std::min(cores, most_processes));
    std::vector<std::future<std::string>> parts;
    for (std::size_t part = 0; part < processes; ++part) {
        std::string text;
        for (std::size_t i = part * count / processes; i < (part + 1) * count / processes; ++i)
            text += graphs[i];
        parts.push_back(std::async(std::launch::async, [text = std::move(text), limit, interrupt] {
            return lay_out_dot(text, limit, interrupt);
        }));
    }
    std::vector<PieceLayout> layouts;
    for (auto& part : parts) {
        std::vector<PieceLayout> some = read_layouts(part.get());
        std::move(some.begin(), some.end(), std::back_inserter(layouts));
    }
    const auto is_empty = [](const PieceLayout& layout) { return layout.width <= 0 || layout.height <= 0; };
    if (layouts.size() != count || std::any_of(layouts.begin(), layouts.end(), is_empty))
        throw RenderError(RenderError::Reason::failed, "Graphviz left out pieces of the picture");
    return layouts;
}

/// As many points as can be drawn and compressed in a second or two, but enough that letters are readable.
double points_for_an_inch(double area) {
    constexpr double fewest = 45, usual = 96, typographic = 72, most_in_picture = 45e6;
    return std::clamp(typographic * std::sqrt(most_in_picture / area), fewest, usual);
}

/// The positions of pieces: nodes outside of all frames above them, frames in rows of equal columns, about
/// three wide for two high. A sheet that is too wide to read gets fewer columns, but is at most three high
/// for two wide. If frames of different sizes follow each other periodically, such as an SM and its warps, a
/// row ends at the start of a period.
class Sheet {
  public:
    Sheet(const std::vector<Piece>& pieces, const std::vector<PieceLayout>& layouts, bool has_outside,
          double font_size)
        : pieces_(pieces), layouts_(layouts), first_(has_outside ? 1 : 0) {
        if (pieces.size() == first_) return;
        double area = 0, width = 0;
        for (std::size_t i = first_; i < pieces.size(); ++i) {
            area += layout(i).width * layout(i).height;
            width += layout(i).width;
        }
        const auto count = static_cast<double>(pieces.size() - first_);
        const double columns = std::sqrt(proportion * area) * count / width;
        const std::size_t period = find_period(static_cast<std::size_t>(3 * columns));
        const double periods = std::max(1.0, std::round(columns / static_cast<double>(period)));
        arrange(static_cast<std::size_t>(periods) * period);
        constexpr double readable_width = 200;  // letters: 9 points of 1,800 are 7 pixels of 1,400
        while (width_of_all() > readable_width * font_size && columns_ > period) {
            arrange(columns_ - period);
            if (height_of_all() <= proportion * width_of_all()) continue;
            arrange(columns_ + period);
            break;
        }
    }

    /// The whole, for which Graphviz computes no layout.
    std::string dot(const std::string& head, bool has_points) const {
        const double width = width_of_all(), height = height_of_all();
        std::string dot =
            head + fmt::format("  graph [layout=nop2, bb=\"0,0,{:.2f},{:.2f}\"]\n", width, height);
        if (has_points) dot += fmt::format("  graph [dpi={:.4g}]\n", points_for_an_inch(width * height));
        double top = height;
        if (first_ > 0) {
            append(dot, 0, 0, top);
            top -= layout(0).height + gap;
        }
        for (std::size_t row = 0; row < height_.size(); top -= height_[row], ++row) {
            double left = 0;
            for (std::size_t column = 0; column < columns_; left += width_[column], ++column) {
                const std::size_t piece = first_ + row * columns_ + column;
                if (piece >= pieces_.size()) break;
                append(dot, piece, left, top);
            }
        }
        return dot + "}\n";
    }

  private:
    static constexpr double gap = 16;          ///< points between pieces
    static constexpr double proportion = 1.5;  ///< of the longer side to the shorter one

    const PieceLayout& layout(std::size_t piece) const { return layouts_[pieces_[piece].form]; }

    void arrange(std::size_t columns) {
        columns_ = columns;
        width_.clear();
        height_.clear();
        for (std::size_t i = first_; i < pieces_.size(); ++i) {
            const std::size_t row = (i - first_) / columns_, column = (i - first_) % columns_;
            if (column >= width_.size()) width_.push_back(0);
            if (row >= height_.size()) height_.push_back(0);
            width_[column] = std::max(width_[column], layout(i).width + gap);
            height_[row] = std::max(height_[row], layout(i).height + gap);
        }
    }

    double width_of_all() const {
        const double frames = std::accumulate(width_.begin(), width_.end(), 0.0);
        return first_ > 0 ? std::max(frames, layout(0).width) : frames;
    }
    double height_of_all() const {
        return std::accumulate(height_.begin(), height_.end(), first_ > 0 ? layout(0).height + gap : 0.0);
    }

    /// The period of similar sizes in the sequence of frames; 1 if there is none up to `most`.
    std::size_t find_period(std::size_t most) const {
        const auto alike = [](double a, double b) { return std::abs(a - b) < 0.1 * std::max(a, b); };
        const auto repeats = [&](std::size_t period) {
            for (std::size_t i = first_ + period; i < pieces_.size(); ++i) {
                const PieceLayout &a = layout(i - period), &b = layout(i);
                if (!alike(a.width, b.width) || !alike(a.height, b.height)) return false;
            }
            return true;
        };
        for (std::size_t period = 1; period <= most && 2 * period <= pieces_.size() - first_; ++period) {
            if (repeats(period)) return period;
        }
        return 1;
    }

    void append(std::string& dot, std::size_t piece, double left, double top) const {
        dot += placed_piece(pieces_[piece].text, layout(piece), left, top - layout(piece).height);
    }

    const std::vector<Piece>& pieces_;
    const std::vector<PieceLayout>& layouts_;
    const std::size_t first_;  ///< of the frames
    std::size_t columns_ = 1;
    std::vector<double> width_, height_;  ///< of columns and rows
};

/// The picture with everything in its position.
std::string placed_picture(const DotPieces& pieces, double font_size, bool has_points,
                           std::chrono::milliseconds limit, const std::atomic<bool>* interrupt) {
    std::vector<Piece> all;
    if (!pieces.outside.empty()) all.push_back({pieces.outside});
    for (const std::string& frame : pieces.frames) all.push_back({frame});
    std::map<std::string, std::size_t> forms;
    std::vector<std::string_view> texts;  // one of each form
    for (Piece& piece : all) {
        const auto [form, is_new] = forms.emplace(piece_form(piece.text), forms.size());
        piece.form = form->second;
        if (is_new) texts.push_back(piece.text);
    }
    const auto lay_out_all = [&](bool with_room) {
        std::vector<std::string> graphs;
        for (const std::string_view text : texts) {
            const std::string numbered = with_line_numbers(text);
            graphs.push_back(pieces.head + pieces.layout +
                             (with_room ? with_room_for_names(numbered, font_size) : numbered) + "}\n");
        }
        return lay_out(graphs, limit, interrupt);
    };
    std::vector<PieceLayout> layouts;
    try {
        layouts = lay_out_all(pieces.in_layers);
    } catch (const RenderError& error) {
        // Graphviz 2.43 crashes on some nets of many frames if names have room, such as 16 SMs of two
        // kernels.
        if (!pieces.in_layers || error.reason() != RenderError::Reason::failed) throw;
        layouts = lay_out_all(false);
    }
    for (std::size_t form = 0; form < layouts.size(); ++form)
        place_labels(texts[form], font_size, layouts[form]);
    return Sheet(all, layouts, !pieces.outside.empty(), font_size).dot(pieces.head, has_points);
}

}  // namespace

Picture draw_picture(const Net& net, const DrawOptions& options, PictureFormat format,
                     std::chrono::milliseconds limit, const std::atomic<bool>* interrupt) {
    const Clock::time_point deadline = Clock::now() + limit;
    const DotPieces pieces = draw_pieces(net, options);
    const double font_size = dot::usual_font_size_of_nets * options.style.scale(dot::usual_font_size_of_nets);
    const auto draw = [&](std::chrono::milliseconds layout_limit) {
        const std::string dot =
            placed_picture(pieces, font_size, format == PictureFormat::png, layout_limit, interrupt);
        return Picture{render_dot(dot, format, until(deadline), interrupt)};
    };
    const bool may_leave_layers = pieces.frames.empty() && options.layout == DrawLayout::automatic &&
                                  options.patience < limit && layout_of(net, options) == DrawLayout::layered;
    if (!may_leave_layers) return draw(until(deadline));
    try {
        return draw(options.patience);
    } catch (const RenderError& error) {
        if (error.reason() != RenderError::Reason::time_limit &&
            error.reason() != RenderError::Reason::failed)
            throw;
    }
    DrawOptions by_forces = options;
    by_forces.layout = DrawLayout::force;
    return {draw_picture(net, by_forces, format, until(deadline), interrupt).file, true};
}

}  // namespace warpnet::pictures

#include "analysis/pictures/draw.hpp"
#include "analysis/pictures/svg_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <future>
#include <thread>

#include <fmt/format.h>

namespace warpnet {

namespace {

/// Points around all pieces; each has a margin of its own.
constexpr double margin = 6;

/// One piece as Graphviz made it.
struct PieceSvg {
    double width = 0, height = 0;
    std::string_view body;  ///< the group of the graph
};

double number_at(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) throw RenderError(RenderError::Reason::failed, "Graphviz' SVG has no size");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// The pictures of a text that holds several files, one after another.
std::vector<PieceSvg> split_files(std::string_view text) {
    constexpr std::string_view start = "<svg ", box = "viewBox=\"", group = "<g ", end = "</svg>";
    std::vector<PieceSvg> pieces;
    for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at)) {
        const std::size_t size_at = text.find(box, at), body = text.find(group, at),
                          stop = text.find(end, at);
        if (size_at >= body || body >= stop || stop == std::string_view::npos)
            throw RenderError(RenderError::Reason::failed, "Graphviz' SVG is not understood");
        std::string_view numbers = text.substr(size_at + box.size());
        std::array<double, 4> sides = {};
        for (double& side : sides) side = number_at(numbers);
        pieces.push_back({sides[2], sides[3], text.substr(body, stop - body)});
        at = stop;
    }
    return pieces;
}

/// Graphviz numbers the graph, its clusters and arcs within each file; ids of nodes are those of the net.
void append_with_ids(std::string& svg, std::string_view body, std::size_t piece) {
    constexpr std::string_view id = "<g id=\"";
    for (std::size_t at = body.find(id); at != std::string_view::npos; at = body.find(id)) {
        svg += body.substr(0, at + id.size());
        body.remove_prefix(at + id.size());
        const std::string_view after = body.substr(std::min(body.find('"'), body.size()));
        const auto is_of = [&](std::string_view sort) { return after.starts_with(sort); };
        if (is_of("\" class=\"edge\"") || is_of("\" class=\"cluster\"") || is_of("\" class=\"graph\""))
            svg += fmt::format("piece{}_", piece);
    }
    svg += body;
}

/// Lays pieces out in as many processes as there are cores for; in their order.
std::vector<std::string> render_pieces(const DotPieces& pieces, std::chrono::milliseconds limit,
                                       const std::atomic<bool>* interrupt) {
    constexpr std::size_t worth_a_process = 64, most_processes = 8;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t count = pieces.frames.size();
    const std::size_t processes =
        std::clamp<std::size_t>(count / worth_a_process, 1, std::min(cores, most_processes));
    std::vector<std::future<std::string>> parts;
    for (std::size_t part = 0; part < processes; ++part) {
        std::string text = part == 0 ? pieces.outside : "";
        for (std::size_t i = part * count / processes; i < (part + 1) * count / processes; ++i)
            text += pieces.frames[i];
        parts.push_back(std::async(std::launch::async, [text = std::move(text), limit, interrupt] {
            return render_dot(text, PictureFormat::svg, limit, interrupt);
        }));
    }
    std::vector<std::string> files;
    files.reserve(parts.size());
    for (auto& part : parts) files.push_back(part.get());
    return files;
}

/// Where pieces stand: what is outside of all frames above them, frames in rows of equal columns, about three
/// wide for two high.
class Sheet {
  public:
    Sheet(const std::vector<PieceSvg>& pieces, bool has_outside)
        : pieces_(pieces), first_(has_outside ? 1 : 0), top_(has_outside ? pieces.front().height : 0) {
        double area = 0, width = 0;
        for (std::size_t i = first_; i < pieces.size(); ++i) {
            area += pieces[i].width * pieces[i].height;
            width += pieces[i].width;
        }
        const auto count = static_cast<double>(pieces.size() - first_);
        columns_ = static_cast<std::size_t>(std::max(1.0, std::round(std::sqrt(1.5 * area) * count / width)));
        for (std::size_t i = first_; i < pieces.size(); ++i) {
            const std::size_t row = (i - first_) / columns_, column = (i - first_) % columns_;
            if (column >= width_.size()) width_.push_back(0);
            if (row >= height_.size()) height_.push_back(0);
            width_[column] = std::max(width_[column], pieces[i].width);
            height_[row] = std::max(height_[row], pieces[i].height);
        }
    }

    std::string svg(const std::string& title, const char* ground) const {
        double width = 2 * margin, height = 2 * margin + top_;
        for (const double column : width_) width += column;
        for (const double row : height_) height += row;
        if (first_ > 0) width = std::max(width, pieces_.front().width + 2 * margin);
        std::string svg = fmt::format(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
            "<svg width=\"{0:.0f}pt\" height=\"{1:.0f}pt\" viewBox=\"0 0 {0:.2f} {1:.2f}\" "
            "xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"
            "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{3}\"/>\n",
            width, height, svg_text(title), ground);
        if (first_ > 0) append(svg, 0, margin, margin);
        double y = margin + top_;
        for (std::size_t row = 0; row < height_.size(); y += height_[row], ++row) {
            double x = margin;
            for (std::size_t column = 0; column < columns_; x += width_[column], ++column) {
                const std::size_t piece = first_ + row * columns_ + column;
                if (piece >= pieces_.size()) break;
                append(svg, piece, x, y);
            }
        }
        return svg + "</svg>\n";
    }

  private:
    void append(std::string& svg, std::size_t piece, double x, double y) const {
        svg += fmt::format("<g transform=\"translate({:.2f} {:.2f})\">\n", x, y);
        append_with_ids(svg, pieces_[piece].body, piece);
        svg += "</g>\n";
    }

    const std::vector<PieceSvg>& pieces_;
    const std::size_t first_;  ///< of the frames
    const double top_;         ///< height of what stands above them
    std::size_t columns_ = 1;
    std::vector<double> width_, height_;  ///< of columns and rows
};

}  // namespace

std::string draw_picture(const Net& net, const DrawOptions& options, PictureFormat format,
                         std::chrono::milliseconds limit, const std::atomic<bool>* interrupt) {
    const DotPieces pieces = format == PictureFormat::svg ? draw_pieces(net, options) : DotPieces();
    if (pieces.frames.empty()) return render_dot(draw_dot(net, options), format, limit, interrupt);
    const std::vector<std::string> files = render_pieces(pieces, limit, interrupt);
    std::vector<PieceSvg> svgs;
    for (const std::string& file : files) {
        const std::vector<PieceSvg> some = split_files(file);
        svgs.insert(svgs.end(), some.begin(), some.end());
    }
    if (svgs.size() != pieces.frames.size() + (pieces.outside.empty() ? 0 : 1))
        throw RenderError(RenderError::Reason::failed, "Graphviz left out pieces of the picture");
    return Sheet(svgs, !pieces.outside.empty()).svg(net.id(), options.style.colours().ground);
}

}  // namespace warpnet

#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "engine/net/net.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pictures {

enum class DrawLayout : std::uint8_t {
    automatic,   ///< layered; by forces if there are no frames and more than 800 nodes and arcs
    layered,     ///< arcs point downwards (Graphviz' dot); five frames or more are laid out one by one
    orthogonal,  ///< the same with rectangular arcs; slow above 100 nodes
    force,       ///< nodes push, arcs pull (Graphviz' sfdp): seconds for 10,000 nodes
};

std::string_view to_string(DrawLayout layout);

/// The content and layout of a picture of a net. `patience`: wall-clock time, so a slow machine may draw a
/// net by forces that a fast one draws in layers.
struct DrawOptions {
    std::optional<Marking> marking = {};      ///< tokens to show; default: the initial marking
    std::vector<std::string> highlight = {};  ///< ids of nodes to colour
    bool legend = false;                      ///< explain the symbols in a corner
    /// Firings per transition, which colour it; empty: none. The legend explains the colours.
    std::vector<double> heat = {};
    DrawLayout layout = DrawLayout::automatic;
    /// A time limit for layers that were not requested; draw_picture() then uses forces.
    std::chrono::milliseconds patience = std::chrono::seconds(10);
    /// Frame nodes whose ids share a prefix such as w1_, k2_, sm0_ (letters, number, underscore). Places and
    /// transitions that reach into more than two frames are then repeated, dashed, next to their uses: arcs
    /// across the whole picture hide the rest, and take nearly all of the layout's time. Nets too large for
    /// layers are framed by the numbers at the ends of ids (Think_12), if few arcs join such frames. Layouts
    /// by forces have no frames.
    bool frames = true;
    /// Use the positions in the net's file, if it has one for each node.
    bool keep_positions = false;
    PictureStyle style = {};
};

/// The picture of a net as Graphviz text, in the conventional symbols: places are circles with their tokens
/// (dots up to four, otherwise the number), timed transitions are boxes, immediate ones thin bars, inhibitor
/// arcs end in a small circle, read arcs are dashed; a self-loop is one arc with two heads; weights above 1
/// are labels. The attribute id= of a node is its id in the net. Equal nets give equal text. O(net).
///
/// Throws InputError if `highlight` names no node, or the marking does not have this net's size.
std::string draw_dot(const Net& net, const DrawOptions& options = {});

/// The layout that DrawLayout::automatic selects for this net; any other layout is returned unchanged. O(net
/// log net).
DrawLayout layout_of(const Net& net, const DrawOptions& options = {});

/// A picture in pieces without arcs between them, in Graphviz' language.
struct DotPieces {
    std::string head;                 ///< the beginning of the graph of each piece, up to its first node
    std::string layout;               ///< a statement about the layout, which follows the head; may be empty
    std::string outside;              ///< everything outside of frames, with legends; may be empty
    std::vector<std::string> frames;  ///< one by one; none: `outside` is the whole picture
    bool in_layers = true;            ///< the layout is that of Graphviz' dot, with curved arcs
};

/// The pieces of a picture with many frames and no arcs between them: Graphviz needs a time quadratic in
/// their number to pack them, and lays out equal ones repeatedly. Any other picture is one piece. O(net log
/// net). Throws as draw_dot() does.
DotPieces draw_pieces(const Net& net, const DrawOptions& options = {});

enum class PictureFormat : std::uint8_t { svg, png, pdf };

/// The picture could not be made although the net is valid.
class RenderError : public std::runtime_error {
  public:
    enum class Reason : std::uint8_t { no_graphviz, time_limit, interrupted, failed };
    RenderError(Reason reason, const std::string& what) : std::runtime_error(what), reason_(reason) {}
    Reason reason() const noexcept { return reason_; }

  private:
    Reason reason_;
};

inline constexpr std::chrono::milliseconds default_render_limit = std::chrono::minutes(2);

/// The bytes of an SVG, PNG or PDF file, made by Graphviz's program `dot` (`neato` for fixed positions),
/// which must be installed. A layout takes about 10 ms for 35 nodes. PNG files of large pictures have 256
/// colours, and the largest fewer than 96 points per inch. Throws RenderError, also if `interrupt` is set
/// meanwhile.
std::string render_dot(std::string_view dot_text, PictureFormat format,
                       std::chrono::milliseconds limit = default_render_limit,
                       const std::atomic<bool>* interrupt = nullptr);

/// Graphviz's layout: the graphs of a text, with attributes such as pos added. Throws as render_dot() does.
std::string lay_out_dot(std::string_view dot_text, std::chrono::milliseconds limit = default_render_limit,
                        const std::atomic<bool>* interrupt = nullptr);

struct Picture {
    std::string file;          ///< its bytes
    bool left_layers = false;  ///< for forces, see DrawOptions::patience
};

/// The picture of a net as such a file. Names and weights do not cover arcs, arrow heads and each other if
/// there is room. draw_dot() leaves them to Graphviz, which ignores arcs. Similar pieces are laid out once,
/// by several processes in parallel if there are many different ones: 1,000 frames of 14 nodes in 2 s. Throws
/// InputError as draw_dot() does, RenderError as render_dot().
Picture draw_picture(const Net& net, const DrawOptions& options, PictureFormat format,
                     std::chrono::milliseconds limit = default_render_limit,
                     const std::atomic<bool>* interrupt = nullptr);

}  // namespace warpnet::pictures

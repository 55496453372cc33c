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

namespace warpnet {

enum class DrawLayout : std::uint8_t {
    automatic,   ///< layered; by forces where there are no frames and more than 800 nodes and arcs
    layered,     ///< arcs point downwards (Graphviz' dot); five frames or more are laid out one by one
    orthogonal,  ///< the same with arcs of right angles; slow beyond 100 nodes
    force,       ///< nodes push, arcs pull (Graphviz' sfdp): seconds for 10,000 nodes
};

std::string_view to_string(DrawLayout layout);

struct DrawOptions {
    std::optional<Marking> marking = {};      ///< tokens to show; default: the initial marking
    std::vector<std::string> highlight = {};  ///< ids of nodes to colour
    bool legend = false;                      ///< explain the symbols in a corner
    /// Firings per transition, which then colour it; empty: none. The picture says what the colours mean.
    std::vector<double> heat = {};
    DrawLayout layout = DrawLayout::automatic;
    /// How long layers may take that nobody asked for; draw_picture() then leaves them for forces.
    std::chrono::milliseconds patience = std::chrono::seconds(10);
    /// Frame nodes whose ids share a prefix such as w1_, k2_, sm0_ (letters, number, underscore). Places and
    /// transitions that reach into more than two frames are then repeated, dashed, where they are used:
    /// arcs across the whole picture hide the rest, and cost the layout nearly all its time. Nets too large
    /// for layers are framed by the numbers at the ends of ids (Think_12), where few arcs join such frames.
    bool frames = true;
    /// Put nodes where the net's file says, if it says so for each of them.
    bool keep_positions = false;
    PictureStyle style = {};
};

/// The picture of a net as Graphviz text, in the conventional symbols: places are circles with their tokens
/// (dots up to four, else the number), timed transitions are boxes, immediate ones thin bars, inhibitor arcs
/// end in a small circle, read arcs are dashed; a self-loop is one arc with two heads; weights above 1 are
/// labels. Nodes carry the ids of the net as id=. Equal nets give equal text. O(net).
///
/// Throws InputError where `highlight` names no node, or the marking is not of this net's size.
std::string draw_dot(const Net& net, const DrawOptions& options = {});

/// What DrawLayout::automatic means for this net; any other layout is itself. O(net log net).
DrawLayout layout_of(const Net& net, const DrawOptions& options = {});

/// A picture in pieces that no arc joins, in Graphviz' language.
struct DotPieces {
    std::string head;                 ///< what begins the graph of each of them, up to its first node
    std::string outside;              ///< what is in no frame, with legends; empty: nothing is
    std::vector<std::string> frames;  ///< one by one; none: the picture is whole
};

/// The pieces of a picture of many frames between which there are no arcs: Graphviz takes a time quadratic in
/// their number to pack them, and lays equal ones out again and again. O(net log net). Throws as draw_dot()
/// does.
DotPieces draw_pieces(const Net& net, const DrawOptions& options = {});

enum class PictureFormat : std::uint8_t { svg, png, pdf };

/// The picture could not be made though the net is fine.
class RenderError : public std::runtime_error {
  public:
    enum class Reason : std::uint8_t { no_graphviz, time_limit, interrupted, failed };
    RenderError(Reason reason, const std::string& what) : std::runtime_error(what), reason_(reason) {}
    Reason reason() const noexcept { return reason_; }

  private:
    Reason reason_;
};

inline constexpr std::chrono::milliseconds default_render_limit = std::chrono::minutes(2);

/// The bytes of an SVG, PNG or PDF file, made by Graphviz's program `dot` (`neato` for kept positions), which
/// must be installed. A layout takes about 10 ms for 35 nodes. PNG files of large pictures have 256 colours,
/// and the largest fewer than 96 points for an inch. Throws RenderError, also when `interrupt` is set
/// meanwhile.
std::string render_dot(std::string_view dot_text, PictureFormat format,
                       std::chrono::milliseconds limit = default_render_limit,
                       const std::atomic<bool>* interrupt = nullptr);

/// Where Graphviz puts things: the graphs of a text, with attributes such as pos added. Throws as
/// render_dot() does.
std::string lay_out_dot(std::string_view dot_text, std::chrono::milliseconds limit = default_render_limit,
                        const std::atomic<bool>* interrupt = nullptr);

struct Picture {
    std::string file;          ///< its bytes
    bool left_layers = false;  ///< for forces, see DrawOptions::patience
};

/// The picture of a net as such a file. What is drawn in pieces is laid out once where pieces look alike, by
/// several processes at once where many do not: 1,000 frames of 14 nodes in 2 s. Throws InputError as
/// draw_dot() does, RenderError as render_dot().
Picture draw_picture(const Net& net, const DrawOptions& options, PictureFormat format,
                     std::chrono::milliseconds limit = default_render_limit,
                     const std::atomic<bool>* interrupt = nullptr);

}  // namespace warpnet

// The text of a net in the language of Graphviz; equal nets give equal text. Rules found by trial make large
// nets readable.
//
// Frames. Nodes with a common prefix (w1_) share a frame. A place that more than two frames use (sm) is
// repeated, dashed, next to each transition that uses it. A transition that reaches into more than two frames
// (idle) gets one dashed node for all places of the same name. Arcs across the picture hide the rest and cost
// nearly all of the layout's time: with the repetitions 16 warps take 1 s instead of 20 s.
//
// Rows. From three frames on, or five if arcs join them, each frame has a layout of its own. The rows make
// the picture about three frames wide per two frames of height.
//
// Numbered frames. A net may be too large for a layout in layers and have ids that end in numbers (Think_12,
// End_12). It is framed by these numbers if at most a third of all arcs join two frames. Rejected: a layout
// by forces, which made one tangle of a thousand philosophers. Such frames, and more than 200 frames of any
// kind, are apart: every place of another frame is repeated.
//
// Pieces. Many frames without arcs between them are pieces, which draw_picture() lays out one by one.

#include "analysis/pictures/net/draw.hpp"

#include "analysis/pictures/net/dot_labels.hpp"
#include "analysis/pictures/net/picture_frames.hpp"
#include "engine/base/no_index.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

using namespace dot;

/// Without frames, the layered layout takes minutes for a net with more nodes and arcs than this.
constexpr std::size_t too_large_for_layers = 800;
/// From this number of frames on, each is laid out separately and all are put in rows.
constexpr std::size_t many_frames = 3, many_joined_frames = 5;

bool is_too_large_for_layers(const Net& net) {
    return net.places().size() + net.transitions().size() + net.arcs().size() > too_large_for_layers;
}

template <class Node>
bool have_positions(std::span<const Node> nodes) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [](const Node& node) { return node.position.has_value(); });
}

bool keeps_positions(const Net& net, const DrawOptions& options) {
    return options.keep_positions && have_positions(net.places()) && have_positions(net.transitions());
}

PictureFrames frames_of(const Net& net, const DrawOptions& options) {
    // Graphviz' sfdp gives frames no boxes, and frames around all nodes would say nothing.
    if (!options.frames || options.layout == DrawLayout::force || keeps_positions(net, options))
        return no_frames(net);
    PictureFrames frames = find_frames(net);
    const bool in_layers = options.layout == DrawLayout::automatic || options.layout == DrawLayout::layered;
    if (frames.prefixes.empty() && in_layers && is_too_large_for_layers(net))
        return find_numbered_frames(net);
    return frames;
}

DrawLayout layout_with(const PictureFrames& frames, const Net& net, const DrawOptions& options) {
    if (options.layout != DrawLayout::automatic) return options.layout;
    const bool in_layers =
        !frames.prefixes.empty() || keeps_positions(net, options) || !is_too_large_for_layers(net);
    return in_layers ? DrawLayout::layered : DrawLayout::force;
}

class DotWriter {
  public:
    DotWriter(const Net& net, const DrawOptions& options)
        : net_(net),
          options_(options),
          colours_(options.style.colours()),
          font_scale_(options.style.scale(usual_font_size_of_nets)),
          keep_positions_(keeps_positions(net, options)),
          frames_(frames_of(net, options)),
          layout_(layout_with(frames_, net, options)),
          joined_(joins_frames()),
          packed_(layout_ == DrawLayout::layered &&
                  frames_.prefixes.size() >= (joined_ ? many_joined_frames : many_frames)),
          marking_(options.marking.value_or(net.initial_marking())),
          highlighted_(options.highlight.begin(), options.highlight.end()) {
        check();
        bodies_.resize(frames_.prefixes.size());
        if (frames_.prefixes.empty() && !keep_positions_) repeat_hubs();
        if (!options.heat.empty())
            most_firings_ = *std::max_element(options.heat.begin(), options.heat.end());
        add_net();
    }

    std::string whole() const { return header(layout()) + everything() + "}\n"; }

    DotPieces pieces() const {
        DotPieces pieces;
        pieces.head = header("");
        if (packed_ && !joined_) {
            pieces.outside = outside_ + legends();
            pieces.frames.reserve(bodies_.size());
            for (std::size_t i = 0; i < bodies_.size(); ++i) pieces.frames.push_back(cluster(i));
            return pieces;
        }
        pieces.outside = everything();
        if (!layout().empty()) pieces.layout = fmt::format("  graph [{}]\n", layout().substr(2));
        pieces.in_layers = layout_ == DrawLayout::layered && !keep_positions_;
        return pieces;
    }

  private:
    void add_net() {
        const std::vector<std::size_t> places = order(net_.places());
        const std::vector<std::size_t> transitions = order(net_.transitions());
        rank_.resize(places.size());
        for (std::size_t i = 0; i < places.size(); ++i) rank_[places[i]] = i;
        for (const std::size_t i : places) add_place(PlaceId(i));
        for (const std::size_t i : transitions) add_transition(TransitionId(i));
        for (const std::size_t i : transitions) add_arcs(TransitionId(i));
    }

    /// The order of the net. In numbered frames it is the order of the names, so that equal frames look
    /// equal.
    template <class Node>
    std::vector<std::size_t> order(std::span<const Node> nodes) const {
        std::vector<std::size_t> order(nodes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (!frames_.numbered) return order;
        const auto stem = [&](std::size_t i) {
            const std::string_view id = nodes[i].id;
            return id.substr(0, id.rfind('_'));
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return stem(a) < stem(b); });
        return order;
    }

    void check() const {
        if (marking_.size() != net_.places().size()) {
            throw InputError(fmt::format("the marking has {} places, the net '{}' has {}", marking_.size(),
                                         net_.id(), net_.places().size()));
        }
        if (!options_.heat.empty() && options_.heat.size() != net_.transitions().size()) {
            throw InputError(fmt::format("the firings are of {} transitions, the net '{}' has {}",
                                         options_.heat.size(), net_.id(), net_.transitions().size()));
        }
        const NodeIndex nodes(net_);
        for (const std::string& id : highlighted_) {
            if (!nodes.place(id) && !nodes.transition(id)) {
                throw InputError(
                    fmt::format("cannot highlight '{}': net '{}' has no such node", id, net_.id()));
            }
        }
    }

    /// In a net without frames, a place with many more arcs than most is repeated too: a bundle of arcs to
    /// one node hides the rest.
    void repeat_hubs() {
        constexpr std::size_t many_arcs = 12, times_the_mean = 4, small_net = 60;
        if (net_.places().size() + net_.transitions().size() <= small_net) return;
        std::vector<std::size_t> arcs(net_.places().size());
        for (const Arc& arc : net_.arcs()) ++arcs[index(arc.place)];
        for (std::size_t p = 0; p < arcs.size(); ++p) {
            if (arcs[p] > many_arcs && arcs[p] * arcs.size() > times_the_mean * net_.arcs().size())
                frames_.far_place[p] = 1;
        }
    }

    /// Whether an arc leads out of a frame to a node that is not repeated.
    bool joins_frames() const {
        return std::ranges::any_of(net_.arcs(), [&](const Arc& arc) {
            const bool collective =
                frames_.far_transition[index(arc.transition)] != 0 && frame(arc.place) != no_index;
            return frame(arc.place) != frame(arc.transition) && !collective &&
                   frames_.far_place[index(arc.place)] == 0;
        });
    }

    std::uint32_t frame(PlaceId place) const { return frames_.of_place[index(place)]; }
    std::uint32_t frame(TransitionId transition) const { return frames_.of_transition[index(transition)]; }

    std::string& body(std::uint32_t frame) { return frame == no_index ? outside_ : bodies_[frame]; }

    template <class... Arguments>
    void add(std::uint32_t frame, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        std::string& text = body(frame);
        text += frame == no_index ? "  " : "    ";
        text += fmt::format(format, std::forward<Arguments>(arguments)...);
        text += '\n';
    }

    /// The name of a node within its frame: w1_arith_left is "arith left" there.
    template <class Node>
    std::string short_label(const Node& node, std::uint32_t in_frame) const {
        if (!node.name.empty() && node.name != node.id) return broken_label(node.name);
        std::string text = node.id;
        if (in_frame != no_index) {
            const std::string& prefix = frames_.prefixes[in_frame];
            if (frames_.numbered) {
                text.resize(text.size() - prefix.size());
            } else if (text.starts_with(prefix)) {
                text.erase(0, prefix.size());
            }
        }
        std::replace(text.begin(), text.end(), '_', ' ');
        return broken_label(text);
    }

    const char* ground(std::uint32_t frame) const {
        return frame == no_index ? colours_.ground : colours_.frame;
    }

    /// The colour of a transition by its firings; black bars stay black if it never fired.
    std::string heat(TransitionId id) const {
        if (options_.heat.empty() || highlighted_.contains(net_[id].id)) return "";
        const double firings = options_.heat[index(id)];
        if (net_[id].immediate && firings <= 0) return "";
        return fmt::format(", fillcolor=\"{}\"", heat_colour(firings, most_firings_, options_.style));
    }

    template <class Node>
    std::string attributes(const Node& node) const {
        std::string text = fmt::format("id={}, tooltip={}", quote(node.id), quote(node.id));
        if (highlighted_.contains(node.id))
            text += fmt::format(", style=filled, fillcolor=\"{}\"", colours_.highlight);
        if (keep_positions_) {
            text += fmt::format(", pos=\"{},{}!\"", node.position->x, -node.position->y);
        }
        return text;
    }

    void add_place(PlaceId id) {
        const Place& place = net_[id];
        const Tokens tokens = marking_[index(id)];
        add(frame(id), "p{} [shape=circle, fixedsize={}, label={}, xlabel={}, {}]", index(id),
            tokens < 1'000'000, token_label(tokens, options_.style),
            name_label(short_label(place, frame(id)), ground(frame(id))), attributes(place));
    }

    void add_transition(TransitionId id) {
        const Transition& transition = net_[id];
        const std::string text = short_label(transition, frame(id));
        if (transition.immediate) {
            add(frame(id),
                "t{} [shape=box, label=\"\", xlabel={}, width=0.5, height=0.07, fixedsize=true, "
                "fillcolor=\"{}\", {}]",
                index(id), name_label(text, ground(frame(id))), colours_.ink,
                attributes(transition) + heat(id));
        } else {
            add(frame(id), "t{} [shape=box, label={}, {}]", index(id), quote(text),
                attributes(transition) + heat(id));
        }
    }

    /// The direction of an arc: from the place to the transition, or back.
    struct Arrow {
        bool to_place;
        std::string style;
        bool operator<(const Arrow& other) const {
            return std::tie(to_place, style) < std::tie(other.to_place, other.style);
        }
    };

    /// Nothing for the second half of a self-loop, which is one arrow with two heads.
    std::optional<Arrow> arrow(const Arc& arc) const {
        const auto arcs = net_.arcs_of(arc.transition);
        const auto has_other_half = [&](ArcKind kind) {
            return std::any_of(arcs.begin(), arcs.end(), [&](const Arc& other) {
                return other.kind == kind && other.place == arc.place && other.weight == arc.weight;
            });
        };
        // Packing loses labels in the middle of an arc, so the weight is at the transition.
        const char* where = !packed_ ? "label" : arc.kind == ArcKind::output ? "taillabel" : "headlabel";
        const std::string label = arc.weight > 1 ? fmt::format("{}=\"{}\"", where, arc.weight) : "";
        const std::string more = label.empty() ? "" : ", " + label;
        switch (arc.kind) {
            case ArcKind::input:
                return Arrow{false, has_other_half(ArcKind::output) ? "dir=both" + more : label};
            case ArcKind::output:
                if (has_other_half(ArcKind::input)) return std::nullopt;
                return Arrow{true, label};
            case ArcKind::inhibitor:
                return Arrow{false, fmt::format("arrowhead=odot, color=\"{0}\", fontcolor=\"{0}\"{1}",
                                                colours_.inhibitor, more)};
            case ArcKind::read:
                return Arrow{false,
                             fmt::format("style=dashed, arrowhead=none, color=\"{0}\", fontcolor=\"{0}\"{1}",
                                         colours_.read, more)};
        }
        return std::nullopt;
    }

    void add_arrow(std::uint32_t frame, const std::string& place, TransitionId transition,
                   const Arrow& arrow) {
        const std::string style = arrow.style.empty() ? "" : " [" + arrow.style + "]";
        if (arrow.to_place) {
            add(frame, "t{} -> {}{}", index(transition), place, style);
        } else {
            add(frame, "{} -> t{}{}", place, index(transition), style);
        }
    }

    void add_repetition(std::uint32_t frame, const std::string& node, const std::string& text,
                        const std::string& tooltip) {
        add(frame,
            "{} [shape=ellipse, style=dashed, color=\"{}\", fontsize={:.4g}, width=0.3, height=0.25, "
            "margin=\"0.03,0.02\", label={}, tooltip={}]",
            node, colours_.faint, 8 * font_scale_, quote(text), quote(tooltip));
    }

    /// The node that represents a far place next to a transition: its repetition in the transition's frame.
    std::string repetition(PlaceId place, TransitionId transition) {
        std::string node = fmt::format("p{}_at_t{}", index(place), index(transition));
        if (repetitions_.insert({place, transition}).second) {
            add_repetition(frame(transition), node, short_label(net_[place], no_index), net_[place].id);
        }
        return node;
    }

    /// Places of the same name in several frames, all with the same arrow to one far transition.
    struct Collective {
        std::string letters;  // of the frames
        std::string label;
        Arrow arrow;
        bool operator<(const Collective& other) const {
            return std::tie(letters, label, arrow) < std::tie(other.letters, other.label, other.arrow);
        }
    };

    void add_arcs(TransitionId id) {
        std::map<Collective, std::vector<PlaceId>> collectives;
        const auto in_net = net_.arcs_of(id);
        std::vector<Arc> arcs(in_net.begin(), in_net.end());
        if (frames_.numbered) {
            std::stable_sort(arcs.begin(), arcs.end(), [&](const Arc& a, const Arc& b) {
                return rank_[index(a.place)] < rank_[index(b.place)];
            });
        }
        for (const Arc& arc : arcs) {
            const std::optional<Arrow> drawn = arrow(arc);
            if (!drawn) continue;
            const std::uint32_t place_frame = frame(arc.place);
            const bool is_hub = frames_.prefixes.empty() && frames_.far_place[index(arc.place)] != 0;
            if (place_frame == frame(id) && !is_hub) {
                add_arrow(place_frame, fmt::format("p{}", index(arc.place)), id, *drawn);
            } else if (frames_.far_transition[index(id)] != 0 && place_frame != no_index) {
                collectives[{frame_name(place_frame).letters, short_label(net_[arc.place], place_frame),
                             *drawn}]
                    .push_back(arc.place);
            } else if (frames_.far_place[index(arc.place)] != 0) {
                add_arrow(frame(id), repetition(arc.place, id), id, *drawn);
            } else {
                add_arrow(no_index, fmt::format("p{}", index(arc.place)), id, *drawn);
            }
        }
        std::size_t number = 0;
        for (const auto& [collective, places] : collectives) add_collective(id, ++number, collective, places);
    }

    void add_collective(TransitionId id, std::size_t number, const Collective& collective,
                        const std::vector<PlaceId>& places) {
        constexpr std::size_t worth_it = 3;
        if (places.size() < worth_it) {
            for (const PlaceId place : places)
                add_arrow(frame(id), repetition(place, id), id, collective.arrow);
            return;
        }
        const std::string node = fmt::format("c{}_at_t{}", number, index(id));
        std::string ids;
        for (const PlaceId place : places) ids += (ids.empty() ? "" : " ") + net_[place].id;
        add_repetition(frame(id), node, collective.label + "\n" + frames_text(collective.letters, places),
                       ids);
        add_arrow(frame(id), node, id, collective.arrow);
    }

    FrameName frame_name(std::size_t frame) const {
        const std::string& prefix = frames_.prefixes[frame];
        return FrameName(frames_.numbered ? prefix.substr(1) + "_" : prefix);
    }

    /// "of every warp", or "of warps 1, 2, 5".
    std::string frames_text(const std::string& letters, const std::vector<PlaceId>& places) const {
        std::size_t of_this_sort = 0;
        for (std::size_t i = 0; i < frames_.prefixes.size(); ++i)
            of_this_sort += frame_name(i).letters == letters ? 1U : 0U;
        const std::string word = frame_name(frame(places.front())).word();
        const std::string noun = frames_.numbered ? "frame" : word.empty() ? letters : word;
        if (places.size() == of_this_sort) return "of every " + noun;
        std::string numbers;
        for (const PlaceId place : places) {
            numbers += (numbers.empty() ? "" : ", ") + frame_name(frame(place)).number;
        }
        return fmt::format("of {}s {}", noun, numbers);
    }

    /// Many frames are put in rows. Each frame has a layout of its own, so equal frames look equal and the
    /// time is linear in their number.
    std::string packing() const {
        if (!packed_) return "";
        const std::size_t count = bodies_.size();
        const auto rows = std::max(1L, std::lround(std::sqrt(static_cast<double>(count) / 1.5)));
        const std::size_t columns =
            (count + static_cast<std::size_t>(rows) - 1) / static_cast<std::size_t>(rows);
        return fmt::format(", pack=16, packmode=\"array_i{}\"", columns);
    }

    std::string layout() const {
        if (keep_positions_) return ", layout=neato, splines=line, inputscale=72";
        switch (layout_) {
            case DrawLayout::orthogonal:
                return ", splines=ortho";
            case DrawLayout::force:
                return ", layout=sfdp, overlap=prism, splines=line, K=0.55, start=1";
            default:
                return packing();
        }
    }

    std::string everything() const {
        std::string dot = outside_;
        for (std::size_t i = 0; i < bodies_.size(); ++i) dot += cluster(i);
        return dot + legends();
    }

    std::string header(const std::string& layout) const {
        std::string dot = fmt::format("digraph {} {{\n", quote(net_.id()));
        dot += fmt::format(
            "  graph [fontname=\"DejaVu Sans\", fontsize={2:.4g}, fontcolor=\"{0}\", bgcolor=\"{1}\", "
            "nodesep={4:.4g}, "
            "ranksep={5:.4g}, pad=0.2, forcelabels=true, outputorder=edgesfirst{3}]\n",
            colours_.ink, colours_.ground, 12 * font_scale_, layout, 0.38 * font_scale_, 0.3 * font_scale_);
        dot += fmt::format(
            "  node [fontname=\"DejaVu Sans\", fontsize={2:.4g}, fontcolor=\"{0}\", color=\"{0}\", "
            "style=filled, "
            "fillcolor=\"{1}\", penwidth={5:.4g}, width={3:.4g}, height={4:.4g}, margin=\"0.06,0.03\"]\n"
            "  edge [fontname=\"DejaVu Sans\", fontsize={2:.4g}, fontcolor=\"{0}\", color=\"{0}\", "
            "arrowsize=0.6, labeldistance=1.4, labelangle=35]\n",
            colours_.ink, colours_.node, usual_font_size_of_nets * font_scale_, 0.36 * font_scale_,
            0.3 * font_scale_, 1.1 * options_.style.line_scale());
        if (options_.style.line_scale() != 1)
            dot += fmt::format("  edge [penwidth={:.4g}]\n", options_.style.line_scale());
        return dot;
    }

    std::string cluster(std::size_t frame) const {
        return fmt::format(
            "  subgraph cluster_{} {{\n    label={}; style=\"rounded,filled\"; color=\"{}\"; "
            "fillcolor=\"{}\"\n{}  }}\n",
            frame, quote(frame_name(frame).title()), colours_.frame_edge, colours_.frame, bodies_[frame]);
    }

    std::string legends() const {
        return (options_.legend ? symbol_legend(options_.style) : "") +
               (options_.heat.empty() ? "" : heat_legend(most_firings_, options_.style));
    }

    const Net& net_;
    const DrawOptions& options_;
    const PictureColours& colours_;
    const double font_scale_;  ///< of the usual font size
    const bool keep_positions_;
    PictureFrames frames_;
    const DrawLayout layout_;
    const bool joined_;  ///< an arrow leads out of a frame
    const bool packed_;
    const Marking marking_;
    const std::set<std::string> highlighted_;
    std::vector<std::size_t> rank_;    // of the places in the order of output
    std::vector<std::string> bodies_;  // of the frames
    std::string outside_;
    std::set<std::pair<PlaceId, TransitionId>> repetitions_;
    double most_firings_ = 0;
};

}  // namespace

std::string_view to_string(DrawLayout layout) {
    switch (layout) {
        case DrawLayout::automatic:
            return "auto";
        case DrawLayout::layered:
            return "layered";
        case DrawLayout::orthogonal:
            return "orthogonal";
        case DrawLayout::force:
            return "force";
    }
    return "";
}

std::string draw_dot(const Net& net, const DrawOptions& options) { return DotWriter(net, options).whole(); }

DrawLayout layout_of(const Net& net, const DrawOptions& options) {
    return layout_with(frames_of(net, options), net, options);
}

DotPieces draw_pieces(const Net& net, const DrawOptions& options) { return DotWriter(net, options).pieces(); }

}  // namespace warpnet::pictures

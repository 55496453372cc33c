#include "analysis/draw.hpp"

#include "analysis/picture_frames.hpp"
#include "engine/error.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr const char* ink = "#24292f";
constexpr const char* faint = "#8c959f";
constexpr const char* inhibitor_ink = "#cf222e";
constexpr const char* read_ink = "#0969da";
constexpr const char* highlight_fill = "#ffd33d";

/// A string of the DOT language.
std::string quote(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n') {
            quoted += "\\n";
        } else if (static_cast<unsigned char>(c) >= 0x20) {
            quoted += c;
        }
    }
    return quoted + '"';
}

/// What stands inside the circle of a place.
std::string token_text(Tokens tokens) {
    switch (tokens) {
        case 0:
            return "";
        case 1:
            return "●";
        case 2:
            return "●●";
        case 3:
            return "●\n●●";
        case 4:
            return "●●\n●●";
        default:
            return std::to_string(tokens);
    }
}

int token_font_size(Tokens tokens) {
    if (tokens == 1) return 14;
    if (tokens <= 4) return 9;
    return tokens < 1000 ? 11 : tokens < 100'000 ? 9 : 6;
}

/// "warp 3" for "w3_".
std::string frame_title(std::string_view prefix) {
    prefix.remove_suffix(1);
    const std::size_t number = prefix.find_first_of("0123456789");
    const std::string_view letters = prefix.substr(0, number);
    static constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"w", "warp"}, {"k", "kernel"}, {"b", "block"}, {"sm", "SM"}};
    for (const auto& [short_form, word] : known) {
        if (letters == short_form) return fmt::format("{} {}", word, prefix.substr(number));
    }
    return std::string(prefix);
}

/// A label that is wide and low is broken where two words meet nearest to its middle.
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

class DotWriter {
  public:
    DotWriter(const Net& net, const DrawOptions& options)
        : net_(net),
          options_(options),
          frames_(options.frames ? find_frames(net) : no_frames(net)),
          marking_(options.marking.value_or(net.initial_marking())),
          highlighted_(options.highlight.begin(), options.highlight.end()) {
        check();
        bodies_.resize(frames_.prefixes.size());
        keep_positions_ =
            options.keep_positions && has_positions(net.places()) && has_positions(net.transitions());
    }

    std::string write() {
        for (std::size_t i = 0; i < net_.places().size(); ++i) add_place(PlaceId(i));
        for (std::size_t i = 0; i < net_.transitions().size(); ++i) add_transition(TransitionId(i));
        for (std::size_t i = 0; i < net_.transitions().size(); ++i) add_arcs(TransitionId(i));
        return assemble();
    }

  private:
    template <class Node>
    static bool has_positions(std::span<const Node> nodes) {
        return std::all_of(nodes.begin(), nodes.end(),
                           [](const Node& node) { return node.position.has_value(); });
    }

    void check() const {
        if (marking_.size() != net_.places().size()) {
            throw InputError(fmt::format("the marking has {} places, the net '{}' has {}", marking_.size(),
                                         net_.id(), net_.places().size()));
        }
        const NodeIndex nodes(net_);
        for (const std::string& id : highlighted_) {
            if (!nodes.place(id) && !nodes.transition(id)) {
                throw InputError(
                    fmt::format("cannot highlight '{}': net '{}' has no such node", id, net_.id()));
            }
        }
    }

    std::uint32_t frame(PlaceId place) const { return frames_.of_place[index(place)]; }
    std::uint32_t frame(TransitionId transition) const { return frames_.of_transition[index(transition)]; }

    std::string& body(std::uint32_t frame) {
        return frame == PictureFrames::none ? outside_ : bodies_[frame];
    }

    template <class... Arguments>
    void add(std::uint32_t frame, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        std::string& text = body(frame);
        text += frame == PictureFrames::none ? "  " : "    ";
        fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
        text += '\n';
    }

    /// What a person reads in a frame: w1_arith_left is "arith left" there.
    template <class Node>
    std::string short_label(const Node& node, std::uint32_t in_frame) const {
        if (!node.name.empty() && node.name != node.id) return broken_label(node.name);
        std::string text = node.id;
        if (in_frame != PictureFrames::none && text.starts_with(frames_.prefixes[in_frame])) {
            text.erase(0, frames_.prefixes[in_frame].size());
        }
        std::replace(text.begin(), text.end(), '_', ' ');
        return broken_label(text);
    }

    template <class Node>
    std::string attributes(const Node& node) const {
        std::string text = fmt::format("id={}, tooltip={}", quote(node.id), quote(node.id));
        if (highlighted_.contains(node.id))
            text += fmt::format(", style=filled, fillcolor=\"{}\"", highlight_fill);
        if (keep_positions_) {
            text += fmt::format(", pos=\"{},{}!\"", node.position->x, -node.position->y);
        }
        return text;
    }

    void add_place(PlaceId id) {
        const Place& place = net_[id];
        const Tokens tokens = marking_[index(id)];
        add(frame(id), "p{} [shape=circle, label={}, fontsize={}, xlabel={}, {}]", index(id),
            quote(token_text(tokens)), token_font_size(tokens), quote(short_label(place, frame(id))),
            attributes(place));
    }

    void add_transition(TransitionId id) {
        const Transition& transition = net_[id];
        const std::string text = quote(short_label(transition, frame(id)));
        if (transition.immediate) {
            add(frame(id),
                "t{} [shape=box, label=\"\", xlabel={}, width=0.5, height=0.07, fixedsize=true, "
                "fillcolor=\"{}\", {}]",
                index(id), text, ink, attributes(transition));
        } else {
            add(frame(id), "t{} [shape=box, label={}, {}]", index(id), text, attributes(transition));
        }
    }

    /// The node that stands for a place beside a transition: the place itself, or its repetition in the
    /// transition's frame where an arc to the place would cross the picture.
    std::string node_beside(PlaceId place, TransitionId transition) {
        const bool far =
            frames_.far_place[index(place)] != 0 || frames_.far_transition[index(transition)] != 0;
        if (!far || frame(place) == frame(transition)) return fmt::format("p{}", index(place));
        const std::string node = fmt::format("p{}_at_t{}", index(place), index(transition));
        if (repetitions_.insert({place, transition}).second) {
            add(frame(transition),
                "{} [shape=circle, style=dashed, color=\"{}\", fontcolor=\"{}\", fontsize=8, width=0.3, "
                "label={}, tooltip={}]",
                node, faint, ink, quote(short_label(net_[place], PictureFrames::none)),
                quote(net_[place].id));
        }
        return node;
    }

    void add_edge(std::uint32_t frame, const std::string& from, const std::string& to, Tokens weight,
                  std::string style) {
        if (weight > 1) style += fmt::format("{}label=\"{}\"", style.empty() ? "" : ", ", weight);
        if (style.empty()) {
            add(frame, "{} -> {}", from, to);
        } else {
            add(frame, "{} -> {} [{}]", from, to, style);
        }
    }

    void add_arcs(TransitionId id) {
        const auto arcs = net_.arcs_of(id);
        const std::string transition = fmt::format("t{}", index(id));
        const auto other_half = [&](const Arc& arc, ArcKind kind) {
            return std::any_of(arcs.begin(), arcs.end(), [&](const Arc& other) {
                return other.kind == kind && other.place == arc.place && other.weight == arc.weight;
            });
        };
        for (const Arc& arc : arcs) {
            const std::string place = node_beside(arc.place, id);
            const bool inside = frame(arc.place) == frame(id) || repetitions_.contains({arc.place, id});
            const std::uint32_t at = inside ? frame(id) : PictureFrames::none;
            switch (arc.kind) {
                case ArcKind::input:
                    add_edge(at, place, transition, arc.weight,
                             other_half(arc, ArcKind::output) ? "dir=both" : "");
                    break;
                case ArcKind::output:
                    if (!other_half(arc, ArcKind::input)) add_edge(at, transition, place, arc.weight, "");
                    break;
                case ArcKind::inhibitor:
                    add_edge(at, place, transition, arc.weight,
                             fmt::format("arrowhead=odot, color=\"{0}\", fontcolor=\"{0}\"", inhibitor_ink));
                    break;
                case ArcKind::read:
                    add_edge(at, place, transition, arc.weight,
                             fmt::format("style=dashed, arrowhead=none, color=\"{0}\", fontcolor=\"{0}\"",
                                         read_ink));
                    break;
            }
        }
    }

    std::string assemble() const {
        std::string dot = fmt::format("digraph {} {{\n", quote(net_.id()));
        dot += fmt::format(
            "  graph [fontname=\"DejaVu Sans\", fontsize=12, fontcolor=\"{0}\", nodesep=0.3, ranksep=0.35, "
            "pad=0.2, forcelabels=true{1}]\n"
            "  node [fontname=\"DejaVu Sans\", fontsize=9, fontcolor=\"{0}\", color=\"{0}\", style=filled, "
            "fillcolor=white, penwidth=1.1, width=0.35, height=0.3, margin=\"0.06,0.03\"]\n"
            "  edge [fontname=\"DejaVu Sans\", fontsize=9, fontcolor=\"{0}\", color=\"{0}\", "
            "arrowsize=0.6]\n",
            ink, keep_positions_ ? ", layout=neato, splines=line" : "");
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            dot += fmt::format(
                "  subgraph cluster_{} {{\n    label={}; style=\"rounded,filled\"; color=\"#d0d7de\"; "
                "fillcolor=\"#f6f8fa\"\n{}  }}\n",
                i, quote(frame_title(frames_.prefixes[i])), bodies_[i]);
        }
        return dot + outside_ + "}\n";
    }

    const Net& net_;
    const DrawOptions& options_;
    const PictureFrames frames_;
    const Marking marking_;
    const std::set<std::string> highlighted_;
    bool keep_positions_ = false;
    std::vector<std::string> bodies_;  // of the frames
    std::string outside_;
    std::set<std::pair<PlaceId, TransitionId>> repetitions_;
};

}  // namespace

std::string draw_dot(const Net& net, const DrawOptions& options) { return DotWriter(net, options).write(); }

}  // namespace warpnet

#include "analysis/draw.hpp"

#include "analysis/picture_frames.hpp"
#include "engine/error.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
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

/// What stands inside the circle of a place, as Graphviz' HTML.
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

/// A label with its own font size, so that the name beside the node keeps the common one.
std::string token_label(Tokens tokens) {
    if (tokens == 0) return "\"\"";
    return fmt::format("<<FONT POINT-SIZE=\"{}\">{}</FONT>>", token_font_size(tokens), token_text(tokens));
}

/// "w" and "3" of "w3_".
struct FrameName {
    std::string letters;
    std::string number;

    explicit FrameName(std::string_view prefix)
        : letters(prefix.substr(0, prefix.find_first_of("0123456789"))),
          number(prefix.substr(letters.size(), prefix.size() - letters.size() - 1)) {}

    /// "warp" for "w"; empty where the letters are no known abbreviation.
    std::string word() const {
        static constexpr std::pair<std::string_view, std::string_view> known[] = {
            {"w", "warp"}, {"k", "kernel"}, {"b", "block"}, {"sm", "SM"}};
        for (const auto& [short_form, word] : known) {
            if (letters == short_form) return std::string(word);
        }
        return "";
    }

    /// "warp 3"
    std::string title() const { return word().empty() ? letters + number : word() + " " + number; }
};

/// Text as Graphviz' HTML, lines kept.
std::string html(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
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
            case '\n':
                escaped += "<BR/>";
                break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20) escaped += c;
        }
    }
    return escaped;
}

/// A name beside a node, on a ground that lets arcs behind it pale.
std::string name_label(std::string_view text, const char* ground) {
    return fmt::format(
        "<<TABLE BORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\" "
        "BGCOLOR=\"{}\"><TR><TD>{}</TD></TR></TABLE>>",
        ground, html(text));
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

/// A frame that shows and names each symbol.
std::string legend() {
    return fmt::format(
        "  subgraph cluster_legend {{\n"
        "    label=\"symbols\"; style=rounded; color=\"{0}\"\n"
        "    legend_place [shape=circle, fixedsize=true, label=\"\", xlabel=\"place\"]\n"
        "    legend_timed [shape=box, label=\"timed\\ntransition\"]\n"
        "    legend_immediate [shape=box, label=\"\", xlabel=\"immediate\\ntransition\", width=0.5, "
        "height=0.07, "
        "fixedsize=true, fillcolor=\"{1}\"]\n"
        "    legend_repeated [shape=ellipse, style=dashed, color=\"{0}\", fontsize=8, label=\"place "
        "drawn\\nelsewhere\"]\n"
        "    legend_place -> legend_timed [label=\" inhibits\", arrowhead=odot, color=\"{2}\", "
        "fontcolor=\"{2}\"]\n"
        "    legend_place -> legend_timed [label=\" is read\", style=dashed, arrowhead=none, color=\"{3}\", "
        "fontcolor=\"{3}\"]\n"
        "    legend_place -> legend_immediate [label=\" takes 2\"]\n"
        "    legend_immediate -> legend_repeated [label=\" takes and gives\", dir=both]\n"
        "  }}\n",
        faint, ink, inhibitor_ink, read_ink);
}

class DotWriter {
  public:
    DotWriter(const Net& net, const DrawOptions& options)
        : net_(net),
          options_(options),
          keep_positions_(options.keep_positions && has_positions(net.places()) &&
                          has_positions(net.transitions())),
          frames_(options.frames && !keep_positions_ ? find_frames(net) : no_frames(net)),
          marking_(options.marking.value_or(net.initial_marking())),
          highlighted_(options.highlight.begin(), options.highlight.end()) {
        check();
        bodies_.resize(frames_.prefixes.size());
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

    static const char* ground(std::uint32_t frame) {
        return frame == PictureFrames::none ? "#ffffffd0" : "#f6f8fad0";
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
        add(frame(id), "p{} [shape=circle, fixedsize={}, label={}, xlabel={}, {}]", index(id),
            tokens < 1'000'000, token_label(tokens),
            name_label(short_label(place, frame(id)), ground(frame(id))), attributes(place));
    }

    void add_transition(TransitionId id) {
        const Transition& transition = net_[id];
        const std::string text = short_label(transition, frame(id));
        if (transition.immediate) {
            add(frame(id),
                "t{} [shape=box, label=\"\", xlabel={}, width=0.5, height=0.07, fixedsize=true, "
                "fillcolor=\"{}\", {}]",
                index(id), name_label(text, ground(frame(id))), ink, attributes(transition));
        } else {
            add(frame(id), "t{} [shape=box, label={}, {}]", index(id), quote(text), attributes(transition));
        }
    }

    /// How an arc is drawn: from the place to the transition, or back.
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
        const std::string label = arc.weight > 1 ? fmt::format("label=\"{}\"", arc.weight) : "";
        const std::string more = label.empty() ? "" : ", " + label;
        switch (arc.kind) {
            case ArcKind::input:
                return Arrow{false, has_other_half(ArcKind::output) ? "dir=both" + more : label};
            case ArcKind::output:
                if (has_other_half(ArcKind::input)) return std::nullopt;
                return Arrow{true, label};
            case ArcKind::inhibitor:
                return Arrow{false, fmt::format("arrowhead=odot, color=\"{0}\", fontcolor=\"{0}\"{1}",
                                                inhibitor_ink, more)};
            case ArcKind::read:
                return Arrow{false,
                             fmt::format("style=dashed, arrowhead=none, color=\"{0}\", fontcolor=\"{0}\"{1}",
                                         read_ink, more)};
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
            "{} [shape=ellipse, style=dashed, color=\"{}\", fontsize=8, width=0.3, height=0.25, "
            "margin=\"0.03,0.02\", label={}, tooltip={}]",
            node, faint, quote(text), quote(tooltip));
    }

    /// The node that stands for a far place beside a transition: its repetition in the transition's frame.
    std::string repetition(PlaceId place, TransitionId transition) {
        std::string node = fmt::format("p{}_at_t{}", index(place), index(transition));
        if (repetitions_.insert({place, transition}).second) {
            add_repetition(frame(transition), node, short_label(net_[place], PictureFrames::none),
                           net_[place].id);
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
        for (const Arc& arc : net_.arcs_of(id)) {
            const std::optional<Arrow> drawn = arrow(arc);
            if (!drawn) continue;
            const std::uint32_t place_frame = frame(arc.place);
            if (place_frame == frame(id)) {
                add_arrow(place_frame, fmt::format("p{}", index(arc.place)), id, *drawn);
            } else if (frames_.far_transition[index(id)] != 0 && place_frame != PictureFrames::none) {
                collectives[{FrameName(frames_.prefixes[place_frame]).letters,
                             short_label(net_[arc.place], place_frame), *drawn}]
                    .push_back(arc.place);
            } else if (frames_.far_place[index(arc.place)] != 0) {
                add_arrow(frame(id), repetition(arc.place, id), id, *drawn);
            } else {
                add_arrow(PictureFrames::none, fmt::format("p{}", index(arc.place)), id, *drawn);
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

    /// "of every warp", or "of warps 1, 2, 5".
    std::string frames_text(const std::string& letters, const std::vector<PlaceId>& places) const {
        const auto of_this_sort = static_cast<std::size_t>(
            std::count_if(frames_.prefixes.begin(), frames_.prefixes.end(),
                          [&](const std::string& prefix) { return FrameName(prefix).letters == letters; }));
        const std::string word = FrameName(frames_.prefixes[frame(places.front())]).word();
        const std::string noun = word.empty() ? letters : word;
        if (places.size() == of_this_sort) return "of every " + noun;
        std::string numbers;
        for (const PlaceId place : places) {
            numbers += (numbers.empty() ? "" : ", ") + FrameName(frames_.prefixes[frame(place)]).number;
        }
        return fmt::format("of {}s {}", noun, numbers);
    }

    /// Frames stand in columns; many of them in rows that make the picture about four frames wide for each
    /// frame of height. An invisible edge from the lowest point of a frame to the highest of another puts the
    /// other one below it.
    std::string frame_rows() const {
        const std::size_t count = bodies_.size();
        const auto rows = std::max(1L, std::lround(std::sqrt(static_cast<double>(count)) / 2));
        const std::size_t columns =
            (count + static_cast<std::size_t>(rows) - 1) / static_cast<std::size_t>(rows);
        std::string edges;
        for (std::size_t below = columns; below < count; ++below) {
            edges += fmt::format("  bottom{} -> top{} [style=invis, weight=100]\n", below - columns, below);
        }
        return edges;
    }

    std::string assemble() const {
        std::string dot = fmt::format("digraph {} {{\n", quote(net_.id()));
        dot += fmt::format(
            "  graph [fontname=\"DejaVu Sans\", fontsize=12, fontcolor=\"{0}\", nodesep=0.38, ranksep=0.3, "
            "pad=0.2, forcelabels=true, outputorder=edgesfirst{1}]\n"
            "  node [fontname=\"DejaVu Sans\", fontsize=9, fontcolor=\"{0}\", color=\"{0}\", style=filled, "
            "fillcolor=white, penwidth=1.1, width=0.36, height=0.3, margin=\"0.06,0.03\"]\n"
            "  edge [fontname=\"DejaVu Sans\", fontsize=9, fontcolor=\"{0}\", color=\"{0}\", "
            "arrowsize=0.6]\n",
            ink, keep_positions_ ? ", layout=neato, splines=line, inputscale=72" : "");
        dot += outside_;
        const std::string rows = frame_rows();
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            dot += fmt::format(
                "  subgraph cluster_{} {{\n    label={}; style=\"rounded,filled\"; color=\"#d0d7de\"; "
                "fillcolor=\"#f6f8fa\"\n{}",
                i, quote(FrameName(frames_.prefixes[i]).title()), bodies_[i]);
            if (!rows.empty()) {
                dot += fmt::format(
                    "    {{ rank=source; top{0} [style=invis, shape=point, width=0.01] }}\n"
                    "    {{ rank=sink; bottom{0} [style=invis, shape=point, width=0.01] }}\n",
                    i);
            }
            dot += "  }\n";
        }
        return dot + rows + (options_.legend ? legend() : "") + "}\n";
    }

    const Net& net_;
    const DrawOptions& options_;
    const bool keep_positions_;
    const PictureFrames frames_;
    const Marking marking_;
    const std::set<std::string> highlighted_;
    std::vector<std::string> bodies_;  // of the frames
    std::string outside_;
    std::set<std::pair<PlaceId, TransitionId>> repetitions_;
};

}  // namespace

std::string draw_dot(const Net& net, const DrawOptions& options) { return DotWriter(net, options).write(); }

}  // namespace warpnet

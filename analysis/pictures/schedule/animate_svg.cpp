// Animations are SMIL elements inside the picture of Graphviz, so the film is one file that plays without
// scripts. Only changes are written: the tokens of a place are one layer per number, and one layer is visible
// at a time. The nodes in the text of Graphviz are found by the titles of their groups.
//
// The script only adds buttons and keys, and without scripts they are hidden. Values change at once (calcMode
// discrete), because a net has no states between two steps. Cost: O(frames x nodes) time, and text in
// proportion to the changes. A whole picture per frame would take the size of the net for each frame.

#include "analysis/pictures/schedule/animate_svg.hpp"

#include "analysis/pictures/net/dot_labels.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace warpnet::pictures {

namespace {

/// The actions of the buttons of a film; each frame takes the same time. A frame is shown at its middle, at
/// which nothing changes.
constexpr const char* controls_script = R"js((() => {
  const film = document.documentElement;
  const toggle = () => film.animationsPaused() ? film.unpauseAnimations() : film.pauseAnimations();
  const step = (by) => {
    film.pauseAnimations();
    const frame = Math.floor(film.getCurrentTime() % seconds / seconds * frames);
    film.setCurrentTime(((frame + by + frames) % frames + .5) / frames * seconds);
  };
  const acts = { back: () => step(-1), pause: toggle, on: () => step(1) };
  const keys = { ArrowLeft: acts.back, " ": acts.pause, ArrowRight: acts.on };
  for (const [id, act] of Object.entries(acts)) document.getElementById(id).addEventListener("click", act);
  document.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.getElementById("controls").setAttribute("visibility", "visible");
})();)js";

/// A point of the picture, such as the centre of the ellipse of a place.
struct Point {
    double x = 0, y = 0;
};

class Animation {
  public:
    Animation(pugi::xml_document& document, const Net& net, const std::vector<TraceFrame>& frames,
              std::chrono::milliseconds time_per_frame, const PictureStyle& style)
        : root_(document.child("svg")),
          net_(net),
          frames_(frames),
          colours_(style.colours()),
          font_scale_(style.scale(dot::usual_font_size_of_nets)),
          duration_(fmt::format("{:g}s", static_cast<double>(time_per_frame.count()) / 1000 *
                                             static_cast<double>(frames.size()))) {
        graph_ = root_.child("g");
        for (pugi::xml_node group : graph_.children("g"))
            groups_.emplace(group.child("title").text().get(), group);
    }

    void add() {
        for (std::size_t p = 0; p < net_.places().size(); ++p) animate_place(p);
        for (std::size_t t = 0; t < net_.transitions().size(); ++t) animate_transition(t);
        add_progress();
        add_controls();
    }

  private:
    /// The outline of a node: Graphviz puts it into the group with the node's name in the DOT text as title,
    /// or into a link in that group. (The group's attribute id does not help: Graphviz writes a line end and
    /// the letters \\n alike there.)
    pugi::xml_node outline_of(const std::string& name, const std::string& id, const char* shape) const {
        const auto at = groups_.find(name);
        const auto is_shape = [&](const pugi::xml_node& node) {
            return std::string_view(node.name()) == shape;
        };
        const pugi::xml_node outline =
            at == groups_.end() ? pugi::xml_node() : at->second.find_node(is_shape);
        if (!outline) throw InputError("the picture does not show node '" + id + "'");
        return outline;
    }

    /// A value that holds from a frame until the next one.
    struct Change {
        std::size_t frame;
        std::string value;
    };

    /// Steps through the values; the first one is of frame 0.
    void add_changes(pugi::xml_node node, const char* attribute, const std::vector<Change>& changes) {
        if (changes.size() < 2) return;
        std::string values, times;
        for (const Change& change : changes) {
            values += (values.empty() ? "" : ";") + change.value;
            times += fmt::format("{}{:.6g}", times.empty() ? "" : ";",
                                 static_cast<double>(change.frame) / static_cast<double>(frames_.size()));
        }
        pugi::xml_node animate = node.append_child("animate");
        animate.append_attribute("attributeName") = attribute;
        animate.append_attribute("calcMode") = "discrete";
        animate.append_attribute("values") = values.c_str();
        animate.append_attribute("keyTimes") = times.c_str();
        animate.append_attribute("dur") = duration_.c_str();
        animate.append_attribute("repeatCount") = "indefinite";
    }

    pugi::xml_node add_text(pugi::xml_node parent, Point centre, double size, const std::string& text) {
        pugi::xml_node node = parent.append_child("text");
        node.append_attribute("text-anchor") = "middle";
        node.append_attribute("x") = fmt::format("{:g}", centre.x).c_str();
        node.append_attribute("y") = fmt::format("{:g}", centre.y + size / 3).c_str();
        node.append_attribute("font-family") = "DejaVu Sans, sans-serif";
        node.append_attribute("font-size") = fmt::format("{:g}", size).c_str();
        node.append_attribute("fill") = colours_.ink;
        node.text() = text.c_str();
        return node;
    }

    /// One layer for each number of tokens, of which one is visible at a time.
    void animate_place(std::size_t place) {
        std::map<Tokens, std::vector<Change>> layers;
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            const Tokens tokens = frames_[i].marking[place];
            if (i > 0 && tokens == frames_[i - 1].marking[place]) continue;
            if (i > 0) layers[frames_[i - 1].marking[place]].push_back({i, "hidden"});
            auto& changes = layers[tokens];
            if (changes.empty() && i > 0) changes.push_back({0, "hidden"});
            changes.push_back({i, "visible"});
        }
        const pugi::xml_node circle =
            outline_of("p" + std::to_string(place), net_.places()[place].id, "ellipse");
        pugi::xml_node group = circle.parent();
        const Point centre{circle.attribute("cx").as_double(), circle.attribute("cy").as_double()};
        remove_tokens(group, centre);
        for (const auto& [tokens, changes] : layers) {
            if (tokens == 0) continue;
            pugi::xml_node layer = group.append_child("g");
            layer.append_attribute("class") = fmt::format("tokens {}", tokens).c_str();
            layer.append_attribute("visibility") = changes.front().value.c_str();
            draw_tokens(layer, centre, tokens);
            add_changes(layer, "visibility", changes);
        }
    }

    /// The texts inside the circle; the name is next to it.
    void remove_tokens(pugi::xml_node group, Point centre) const {
        const double inside = 12 * font_scale_;
        for (pugi::xml_node text = group.child("text"); text;) {
            const pugi::xml_node next = text.next_sibling("text");
            const double x = text.attribute("x").as_double(), y = text.attribute("y").as_double();
            const bool anchored_left = std::string_view(text.attribute("text-anchor").value()) == "start";
            if (std::abs(y - centre.y) < inside && std::abs(x - centre.x) < inside + (anchored_left ? 2 : 0))
                group.remove_child(text);
            text = next;
        }
    }

    void draw_tokens(pugi::xml_node layer, Point centre, Tokens tokens) {
        static constexpr Point one[] = {{0, 0}}, two[] = {{-4, 0}, {4, 0}},
                               three[] = {{0, -4}, {-4, 3}, {4, 3}},
                               four[] = {{-4, -4}, {4, -4}, {-4, 4}, {4, 4}};
        static constexpr std::span<const Point> dots[] = {one, two, three, four};
        if (tokens > 4) {
            add_text(layer, centre, (tokens < 1000 ? 11 : 7) * font_scale_, std::to_string(tokens));
            return;
        }
        for (const Point& offset : dots[tokens - 1]) {
            pugi::xml_node dot = layer.append_child("circle");
            dot.append_attribute("cx") = fmt::format("{:g}", centre.x + font_scale_ * offset.x).c_str();
            dot.append_attribute("cy") = fmt::format("{:g}", centre.y + font_scale_ * offset.y).c_str();
            dot.append_attribute("r") = fmt::format("{:g}", (tokens == 1 ? 4.5 : 3) * font_scale_).c_str();
            dot.append_attribute("fill") = colours_.ink;
        }
    }

    bool fires(std::size_t frame, std::size_t transition) const {
        const auto& fired = frames_[frame].fired;
        return std::any_of(fired.begin(), fired.end(),
                           [&](const Firing& firing) { return firing.transition == transition; });
    }

    void animate_transition(std::size_t transition) {
        const pugi::xml_node box =
            outline_of("t" + std::to_string(transition), net_.transitions()[transition].id, "polygon");
        const std::string usual = box.attribute("fill").value();
        std::vector<Change> changes;
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            const std::string fill = fires(i, transition) ? std::string(colours_.highlight) : usual;
            if (changes.empty() || changes.back().value != fill) changes.push_back({i, fill});
        }
        add_changes(box, "fill", changes);
    }

    /// A growing bar below the picture, with the number of the step before it and space for the controls
    /// before that.
    void add_progress() {
        constexpr double band = 26, controls = 46, number = 66;
        double left = 0, top = 0, width = 0, height = 0;
        std::istringstream box(root_.attribute("viewBox").value());
        if (!(box >> left >> top >> width >> height)) throw InputError("the picture has no viewBox");
        controls_at_ = {left + 6, top + height + 4};
        const double scale = root_.attribute("height").as_double() / height;
        root_.attribute("viewBox") =
            fmt::format("{:.2f} {:.2f} {:.2f} {:.2f}", left, top, width, height + band).c_str();
        root_.attribute("height") = fmt::format("{:.0f}pt", (height + band) * scale).c_str();

        pugi::xml_node group = root_.append_child("g");
        group.append_attribute("id") = "progress";
        pugi::xml_node ground = group.append_child("rect");
        ground.append_attribute("x") = fmt::format("{:.2f}", left).c_str();
        ground.append_attribute("y") = fmt::format("{:.2f}", top + height).c_str();
        ground.append_attribute("width") = fmt::format("{:.2f}", width).c_str();
        ground.append_attribute("height") = fmt::format("{:.0f}", band).c_str();
        ground.append_attribute("fill") = colours_.ground;
        const auto add_bar = [&](const char* fill) {
            pugi::xml_node bar = group.append_child("rect");
            bar.append_attribute("x") = fmt::format("{:.2f}", left + controls + number).c_str();
            bar.append_attribute("y") = fmt::format("{:.2f}", top + height + 8).c_str();
            bar.append_attribute("width") =
                fmt::format("{:.2f}", std::max(10.0, width - controls - number - 10)).c_str();
            bar.append_attribute("height") = "6";
            bar.append_attribute("fill") = fill;
            return bar;
        };
        add_bar(colours_.grid);
        pugi::xml_node bar = add_bar(colours_.faint);
        pugi::xml_node growth = bar.append_child("animate");
        growth.append_attribute("attributeName") = "width";
        growth.append_attribute("from") = "0";
        growth.append_attribute("to") = bar.attribute("width").value();
        growth.append_attribute("dur") = duration_.c_str();
        growth.append_attribute("repeatCount") = "indefinite";
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            pugi::xml_node text =
                add_text(group, {left + controls + number / 2, top + height + 11}, 10,
                         fmt::format("step {}{}", frames_[i].step, frames_[i].immediate ? "+" : ""));
            text.append_attribute("visibility") = i == 0 ? "visible" : "hidden";
            std::vector<Change> changes = {{i, "visible"}};
            if (i > 0) changes.insert(changes.begin(), {0, "hidden"});
            if (i + 1 < frames_.size()) changes.push_back({i + 1, "hidden"});
            add_changes(text, "visibility", changes);
        }
    }

    /// One frame back, pause, one frame on: by click, and by the arrow keys and the space bar. Hidden if no
    /// script runs, as in a picture within a page.
    void add_controls() {
        pugi::xml_node group = root_.append_child("g");
        group.append_attribute("id") = "controls";
        group.append_attribute("visibility") = "hidden";
        group.append_attribute("style") = "cursor: pointer";
        const auto add_button = [&](const char* id, const char* title, double x, const char* shape) {
            pugi::xml_node button = group.append_child("g");
            button.append_attribute("id") = id;
            button.append_attribute("transform") =
                fmt::format("translate({:.2f} {:.2f})", controls_at_.x + x, controls_at_.y).c_str();
            button.append_child("title").text() = title;
            pugi::xml_node area = button.append_child("rect");
            area.append_attribute("width") = "12";
            area.append_attribute("height") = "12";
            area.append_attribute("fill") = "transparent";
            pugi::xml_node path = button.append_child("path");
            path.append_attribute("d") = shape;
            path.append_attribute("fill") = colours_.ink;
        };
        add_button("back", "one step back (arrow left)", 0, "M8 1v10l-7-5z M10 1h-1.5v10h1.5z");
        add_button("pause", "pause, go on (space)", 14, "M2 1h3v10h-3z M7 1h3v10h-3z");
        add_button("on", "one step on (arrow right)", 28, "M4 1v10l7-5z M2 1h1.5v10h-1.5z");
        pugi::xml_node script = root_.append_child("script");
        const auto text = fmt::format("const frames = {}, seconds = {};\n{}", frames_.size(),
                                      duration_.substr(0, duration_.size() - 1), controls_script);
        script.append_child(pugi::node_cdata).set_value(text.c_str());
    }

    pugi::xml_node root_;
    pugi::xml_node graph_;
    Point controls_at_;
    const Net& net_;
    const std::vector<TraceFrame>& frames_;
    const PictureColours& colours_;
    const double font_scale_;  ///< of the usual font size
    const std::string duration_;
    std::unordered_map<std::string, pugi::xml_node> groups_;
};

}  // namespace

std::string animate_svg(std::string_view svg, const Net& net, const std::vector<TraceFrame>& frames,
                        std::chrono::milliseconds time_per_frame, const PictureStyle& style) {
    if (frames.empty()) throw InputError("a trace without a step cannot be shown");
    pugi::xml_document document;
    const auto parsed = document.load_buffer(svg.data(), svg.size(), pugi::parse_full);
    if (!parsed) throw InputError(std::string("the picture is no SVG: ") + parsed.description());
    Animation(document, net, frames, time_per_frame, style).add();
    std::ostringstream text;
    document.save(text, "", pugi::format_raw, pugi::encoding_utf8);
    return std::move(text).str();
}

std::string animate_net(const Net& net, const std::vector<TraceFrame>& frames,
                        std::chrono::milliseconds time_per_frame, DrawOptions picture,
                        std::chrono::milliseconds limit) {
    if (!frames.empty()) picture.marking = frames.front().marking;
    const std::string svg = draw_picture(net, picture, PictureFormat::svg, limit).file;
    return animate_svg(svg, net, frames, time_per_frame, picture.style);
}

}  // namespace warpnet::pictures

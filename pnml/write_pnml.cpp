// Writes a net in one of three flavours. Read arcs, which PNML lacks, become pairs of arcs, and the exact
// part says so. Nodes without a position get one on a grid, because PIPE wants graphics. Output depends on
// the net alone. O(net).
//
// Other tools read the pair of arcs alone. It has the same firings under interleaving as the read arc, which
// a label of our own, ignored by them, would not have. Names that another reader would change are written
// again in the exact part, with escapes: those with blanks at the ends or control characters.

#include "pnml/write_pnml.hpp"

#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "pnml/dialect/exact.hpp"
#include "pnml/rewrite.hpp"
#include "pnml/write_file.hpp"
#include "pnml/xml/xml_source.hpp"
#include "pnml/xml/xml_writer.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace warpnet::pnml {

namespace {

constexpr std::string_view pnml_namespace = "http://www.pnml.org/version-2009/grammar/pnml";
constexpr std::string_view ptnet_type = "http://www.pnml.org/version-2009/grammar/ptnet";

/// An arc as written in the file.
struct FileArc {
    PlaceId place;
    bool out_of_place;
    bool inhibitor;
    Tokens weight;
};

/// A read arc with the ordinary arcs between the same nodes.
struct Loop {
    PlaceId place;
    TransitionId transition;
    Tokens read;
    Tokens input;
    Tokens output;
};

/// The weight of the ordinary arc of this kind to or from a place; 0 if there is none.
Tokens weight_of(std::span<const Arc> arcs, ArcKind kind, PlaceId place) {
    const auto found =
        std::lower_bound(arcs.begin(), arcs.end(), std::pair(kind, place),
                         [](const Arc& arc, auto key) { return std::pair(arc.kind, arc.place) < key; });
    return found != arcs.end() && found->kind == kind && found->place == place ? found->weight : 0;
}

/// The arcs of one transition as written in the file, in the order of the net. Read arcs are recorded in
/// `loops`, because PNML can express them only as pairs of ordinary arcs.
std::vector<FileArc> file_arcs(const Net& net, TransitionId transition, std::vector<Loop>& loops) {
    const std::span<const Arc> arcs = net.arcs_of(transition);
    std::vector<FileArc> result;
    result.reserve(arcs.size() + 1);
    for (const Arc& arc : arcs) {
        if (arc.kind == ArcKind::read) {
            const Tokens input = weight_of(arcs, ArcKind::input, arc.place);
            const Tokens output = weight_of(arcs, ArcKind::output, arc.place);
            const xml::LoopWeights weights = xml::loop_weights(arc.weight, input, output);
            result.push_back({arc.place, true, false, weights.input});
            if (weights.output > 0) result.push_back({arc.place, false, false, weights.output});
            loops.push_back({arc.place, transition, arc.weight, input, output});
        } else if (arc.kind == ArcKind::inhibitor || weight_of(arcs, ArcKind::read, arc.place) == 0) {
            result.push_back(
                {arc.place, arc.kind != ArcKind::output, arc.kind == ArcKind::inhibitor, arc.weight});
        }
    }
    return result;
}

class Writer {
  public:
    Writer(const Net& net, PnmlFlavour flavour)
        : net_(net), flavour_(flavour), pipe_(flavour == PnmlFlavour::pipe), ids_(net) {
        for (const Transition& transition : net.transitions()) {
            any_timing_ = any_timing_ || transition.immediate || transition.priority != 0;
            any_immediate_ = any_immediate_ || transition.immediate;
        }
        const auto placed = [](const auto& node) { return node.position.has_value(); };
        any_position_ = std::any_of(net.places().begin(), net.places().end(), placed) ||
                        std::any_of(net.transitions().begin(), net.transitions().end(), placed);
    }

    std::string write() {
        if (flavour_ == PnmlFlavour::strict) require_plain(net_, "strict PNML");
        out_.reserve(200 * (net_.places().size() + net_.transitions().size()) + 120 * net_.arcs().size() +
                     1000);
        write_head();
        for (std::size_t p = 0; p < net_.places().size(); ++p) write_place(PlaceId(p));
        for (std::size_t t = 0; t < net_.transitions().size(); ++t) write_transition(TransitionId(t));
        write_arcs();
        if (!pipe_) out_ << "</page>\n";
        write_exact_part();
        out_ << "</net>\n</pnml>\n";
        return std::move(out_).text();
    }

  private:
    void write_head() {
        out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        if (pipe_) {
            out_ << "<pnml>\n<net id=\"" << ids_.net() << "\" type=\"P/T net\">\n"
                 << "<token id=\"Default\" enabled=\"true\" red=\"0\" green=\"0\" blue=\"0\"/>\n";
            return;
        }
        out_ << "<pnml xmlns=\"" << pnml_namespace << "\">\n<net id=\"" << ids_.net() << "\" type=\""
             << ptnet_type << "\">\n";
        if (!net_.name().empty()) {
            out_ << "<name><text>";
            out_.content(net_.name());
            out_ << "</text></name>\n";
        }
        out_ << "<page id=\"" << ids_.page() << "\">\n";
    }

    void write_place(PlaceId id) {
        const Place& place = net_[id];
        out_ << "<place id=\"" << ids_.of(id) << "\">";
        write_node(place, index(id), 0);
        if (pipe_) {
            out_ << "<capacity><value>0</value></capacity><initialMarking><value>Default," << place.initial
                 << "</value><graphics><offset x=\"0\" y=\"0\"/></graphics></initialMarking>";
        } else if (place.initial != 0) {
            out_ << "<initialMarking><text>" << place.initial << "</text></initialMarking>";
        }
        out_ << "</place>\n";
    }

    void write_transition(TransitionId id) {
        const Transition& transition = net_[id];
        out_ << "<transition id=\"" << ids_.of(id) << "\">";
        write_node(transition, index(id), 1);
        if (pipe_) {
            // PIPE's plain transitions are immediate. If the net has immediate transitions, all its plain
            // ones become timed.
            const bool timed = any_immediate_ && !transition.immediate;
            out_ << "<infiniteServer><value>false</value></infiniteServer><timed><value>"
                 << (timed ? "true" : "false") << "</value></timed><priority><value>"
                 << Tokens{transition.priority}
                 << "</value></priority><orientation><value>0</value></orientation><rate><value>1.0</value></"
                    "rate>";
        }
        out_ << "</transition>\n";
    }

    /// The name and the graphics of a node. PIPE requires graphics, so a node without a position gets one on
    /// a grid, with places in even rows and transitions in odd rows.
    template <class Node>
    void write_node(const Node& node, std::size_t number, std::size_t row) {
        constexpr std::size_t columns = 20;
        constexpr double distance = 80;
        std::optional<Position> position = node.position;
        if (position && !(std::isfinite(position->x) && std::isfinite(position->y))) {
            throw InputError("the position of '" + node.id + "' is not finite");
        }
        if (pipe_ && !position) {
            const std::size_t grid_row = 1 + 2 * (number / columns) + row;
            position = {distance * static_cast<double>(1 + number % columns),
                        distance * static_cast<double>(grid_row)};
        }
        out_ << (pipe_ ? "<name><value>" : "<name><text>");
        out_.content(label(node));
        out_ << (pipe_ ? "</value><graphics><offset x=\"0\" y=\"0\"/></graphics></name>" : "</text></name>");
        if (position) {
            out_ << "<graphics><position x=\"" << position->x << "\" y=\"" << position->y
                 << "\"/></graphics>";
        }
    }

    void write_arcs() {
        std::size_t number = 0;
        for (std::size_t t = 0; t < net_.transitions().size(); ++t) {
            for (const FileArc& arc : file_arcs(net_, TransitionId(t), loops_)) {
                write_arc(arc, TransitionId(t), number++);
            }
        }
    }

    void write_arc(const FileArc& arc, TransitionId transition, std::size_t number) {
        const std::string& place_id = ids_.of(arc.place);
        const std::string& transition_id = ids_.of(transition);
        out_ << "<arc id=\"" << ids_.arc_prefix() << static_cast<Tokens>(number) << "\" source=\""
             << (arc.out_of_place ? place_id : transition_id) << "\" target=\""
             << (arc.out_of_place ? transition_id : place_id) << "\"";
        if (pipe_) {
            out_ << "><inscription><value>Default," << arc.weight << "</value></inscription>"
                 << "<tagged><value>false</value></tagged><arcpath id=\"000\" x=\"0\" y=\"0\" "
                    "curvePoint=\"false\"/>"
                 << "<arcpath id=\"001\" x=\"0\" y=\"0\" curvePoint=\"false\"/><type value=\""
                 << (arc.inhibitor ? "inhibitor" : "normal") << "\"/></arc>\n";
            return;
        }
        if (arc.inhibitor) out_ << " type=\"inhibitor\"";
        if (arc.weight == 1 && !arc.inhibitor) {
            out_ << "/>\n";
            return;
        }
        out_ << ">";
        if (arc.weight != 1) out_ << "<inscription><text>" << arc.weight << "</text></inscription>";
        if (arc.inhibitor) {
            out_ << "<type value=\"inhibitor\"><text>inhibitor</text></type>"
                 << "<arctype><text>inhibitor</text></arctype>";
        }
        out_ << "</arc>\n";
    }

    void write_exact_part() {
        write_exact_about();
        for (std::size_t p = 0; p < net_.places().size(); ++p) {
            write_exact_node(net_.places()[p], ids_.of(PlaceId(p)), false, 0);
        }
        for (std::size_t t = 0; t < net_.transitions().size(); ++t) {
            const Transition& transition = net_.transitions()[t];
            write_exact_node(transition, ids_.of(TransitionId(t)), transition.immediate, transition.priority);
        }
        for (const Loop& loop : loops_) {
            begin_exact();
            out_ << "<loop place=\"" << ids_.of(loop.place) << "\" transition=\"" << ids_.of(loop.transition)
                 << "\" read=\"" << loop.read << "\"";
            if (loop.input > 0) out_ << " input=\"" << loop.input << "\"";
            if (loop.output > 0) out_ << " output=\"" << loop.output << "\"";
            out_ << "/>\n";
        }
        if (exact_begun_) out_ << "</toolspecific>\n";
    }

    void write_exact_about() {
        const bool other_id = ids_.net() != net_.id();
        // PIPE has no net names.
        const bool other_name = pipe_ ? !net_.name().empty() : !reads_back(net_.name(), net_.name());
        const bool no_positions =
            pipe_ && !any_position_ && net_.places().size() + net_.transitions().size() > 0;
        if (!other_id && !other_name && !any_timing_ && !no_positions) return;
        begin_exact();
        out_ << "<about";
        if (other_id) exact_attribute("originalId", net_.id());
        if (other_name) exact_attribute("name", net_.name());
        if (any_timing_) out_ << " timing=\"here\"";
        if (no_positions) out_ << " positions=\"none\"";
        out_ << "/>\n";
    }

    template <class Node>
    void write_exact_node(const Node& node, const std::string& id, bool immediate, std::int32_t priority) {
        const bool other_id = id != node.id;
        const bool other_name =
            !(node.name.empty() ? reads_back(node.id, node.id)
                                : reads_back(node.name, node.name) && node.name != node.id);
        const bool no_position = pipe_ && any_position_ && !node.position;
        if (!other_id && !other_name && !immediate && priority == 0 && !no_position) return;
        begin_exact();
        out_ << "<node ref=\"" << id << "\"";
        if (other_id) exact_attribute("originalId", node.id);
        if (other_name) exact_attribute("name", node.name);
        if (immediate) out_ << " immediate=\"true\"";
        if (priority != 0) out_ << " priority=\"" << Tokens{priority} << "\"";
        if (no_position) out_ << " position=\"none\"";
        out_ << "/>\n";
    }

    /// Whether a text written as the content of an element is read as `wanted`.
    static bool reads_back(std::string_view text, std::string_view wanted) {
        return text == wanted && trimmed(text) == text && xml::is_legible(text);
    }

    void begin_exact() {
        if (exact_begun_) return;
        exact_begun_ = true;
        out_ << "<toolspecific tool=\"" << exact::tool << "\" version=\"" << exact::version << "\">\n";
    }

    void exact_attribute(std::string_view name, std::string_view value) {
        out_ << " " << name << "=\"";
        out_.content(exact::encode(value));
        out_ << "\"";
    }

    const Net& net_;
    PnmlFlavour flavour_;
    bool pipe_;
    xml::Ids ids_;
    xml::TextBuffer out_;
    std::vector<Loop> loops_;
    bool any_timing_ = false;
    bool any_immediate_ = false;
    bool any_position_ = false;
    bool exact_begun_ = false;
};

}  // namespace

std::string_view to_string(PnmlFlavour flavour) {
    switch (flavour) {
        case PnmlFlavour::compat:
            return "compat";
        case PnmlFlavour::strict:
            return "strict";
        case PnmlFlavour::pipe:
            return "pipe";
    }
    return "";
}

std::string write_pnml(const Net& net, PnmlFlavour flavour) { return Writer(net, flavour).write(); }

void write_pnml_file(const Net& net, const std::filesystem::path& file, PnmlFlavour flavour) {
    write_file(file, write_pnml(net, flavour));
}

}  // namespace warpnet::pnml

// Tina's .net format: lines of places, transitions, labels. Places may be named by arcs alone, so the net is
// built at the end. Whatever depends on time, and priorities, are errors. O(text log nodes).
//
// Intervals, stopwatch arcs and priorities are not dropped with a warning, because a net without them can do
// more. Arcs in `pl` lines are unsupported and errors for the same reason. When writing, every transition
// gets the interval [0,w[, which allows every time.

#include "engine/input/file_format.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/rewrite.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/text/text_scanner.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpnet::pnml {

namespace {

bool is_simple(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '\'';
}

/// A node before the net is built. Transitions may mention places before their own line, or places without
/// one.
struct TinaArc {
    std::string place;
    ArcKind kind;
    Tokens weight;
};

struct TinaTransition {
    std::size_t line;
    std::string id;
    std::string label;
    std::vector<TinaArc> arcs;
};

class TinaReader {
  public:
    TinaReader(std::string_view text, const std::string& source) : in_(text, source) {}

    Net read() {
        for (skip_lines(); !in_.at_end(); skip_lines()) read_line();
        NetBuilder builder(net_.empty() ? "net" : net_);
        std::map<std::string, PlaceId> places;
        for (const std::string& id : place_order_)
            places[id] = builder.add_place(id, marking_[id], labels_[id] == id ? "" : labels_[id]);
        std::set<std::string> ids;
        for (const TinaTransition& t : transitions_) {
            if (places.contains(t.id)) in_.fail_at(t.line, "transition '" + t.id + "' is a place, too");
            if (!ids.insert(t.id).second) in_.fail_at(t.line, "transition '" + t.id + "' appears here twice");
            const TransitionId id =
                builder.add_transition(t.id, labels_.contains(t.id) ? labels_[t.id] : t.label);
            for (const TinaArc& arc : t.arcs) builder.add_arc(arc.kind, places.at(arc.place), id, arc.weight);
        }
        for (const auto& [id, line] : labelled_)
            if (!places.contains(id) && !ids.contains(id))
                in_.fail_at(line, "expected a place or transition, found '" + id + "'");
        return builder.build();
    }

  private:
    void skip_lines() {
        for (;;) {
            in_.skip_space();
            if (in_.peek() != '#') return;
            in_.take_while([](char c) { return c != '\n'; });
        }
    }
    /// Skips blanks within a line; a backslash at the end continues the line.
    void skip_blanks() {
        do {
            in_.take_while([](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        } while (in_.skip("\\\r\n") || in_.skip("\\\n"));
    }
    bool line_ends() {
        skip_blanks();
        return in_.at_end() || in_.peek() == '\n' || in_.peek() == '#';
    }

    void read_line() {
        const std::string keyword = name("net, tr, pl or lb");
        skip_blanks();
        if (keyword == "net") {
            if (!net_.empty()) in_.fail("expected one net, found another");
            net_ = name("the name of the net");
        } else if (keyword == "tr") {
            read_transition();
        } else if (keyword == "pl") {
            read_place();
        } else if (keyword == "lb") {
            const std::string node = name("a place or transition");
            skip_blanks();
            labels_[node] = name("a label");
            labelled_.emplace_back(node, in_.line());
        } else if (keyword == "nt") {
            in_.take_while([](char c) { return c != '\n'; });  // a note in the picture
        } else if (keyword == "pr") {
            in_.fail("priorities (pr) are unsupported: they would change the behaviour");
        } else {
            in_.fail("expected net, tr, pl or lb, found '" + keyword + "'");
        }
        if (!line_ends()) in_.fail(std::string("expected the end of the line, found '") + in_.peek() + "'");
    }

    void read_transition() {
        TinaTransition transition;
        transition.line = in_.line();
        transition.id = name("the name of a transition");
        transition.label = label();
        skip_blanks();
        if (in_.peek() == '[' || in_.peek() == ']') read_interval();
        while (!line_ends() && !in_.skip("->")) transition.arcs.push_back(arc(true));
        while (!line_ends()) transition.arcs.push_back(arc(false));
        transitions_.push_back(std::move(transition));
    }

    void read_interval() {
        const std::string interval(
            in_.take_while([](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r'; }));
        if (interval != "[0,w[") {
            in_.fail("expected the interval [0,w[ or none, found '" + interval +
                     "': nets with time are not read");
        }
    }

    void read_place() {
        const std::string id = name("the name of a place");
        const std::string text = label();
        know_place(id);
        if (!text.empty()) labels_[id] = text;
        skip_blanks();
        if (in_.skip("(")) {
            if (!marked_.insert(id).second) in_.fail("the marking of place '" + id + "' appears here twice");
            marking_[id] = number();
            if (!in_.skip(")")) in_.fail("expected ) after the marking");
        }
        if (!line_ends()) in_.fail("arcs in pl lines are not read; expected the end of the line");
    }

    std::string label() {
        skip_blanks();
        if (!in_.skip(":")) return "";
        skip_blanks();
        return name("a label");
    }

    TinaArc arc(bool input) {
        TinaArc arc{name("the name of a place"), input ? ArcKind::input : ArcKind::output, 1};
        know_place(arc.place);
        if (in_.skip("*")) {
            arc.weight = number();
        } else if (in_.peek() == '?' && input) {
            in_.next();
            arc.kind = in_.skip("-") ? ArcKind::inhibitor : ArcKind::read;
            arc.weight = number();
        } else if (in_.peek() == '!') {
            in_.fail("stopwatch arcs are not read: nets with time are refused");
        }
        if (arc.weight == 0) in_.fail("expected a weight of at least 1, found 0");
        return arc;
    }

    /// Parses digits, optionally followed by K, M or G for powers of a thousand.
    Tokens number() {
        const std::string_view digits = in_.digits();
        Tokens value = in_.number(digits, "a number");
        const std::map<char, Tokens> units = {{'K', 1'000}, {'M', 1'000'000}, {'G', 1'000'000'000}};
        if (const auto unit = units.find(in_.peek()); unit != units.end()) {
            in_.next();
            if (__builtin_mul_overflow(value, unit->second, &value)) in_.fail("a number is too large");
        }
        return value;
    }

    /// Parses a word, or text in braces, in which braces and backslashes are escaped by a backslash.
    std::string name(const char* what) {
        std::string text;
        if (!in_.skip("{")) {
            text = in_.take_while(is_simple);
        } else {
            while (!in_.at_end() && in_.peek() != '}') {
                if (in_.peek() == '\\') in_.next();
                text += in_.next();
            }
            if (!in_.skip("}")) in_.fail("a name in braces does not end");
        }
        if (text.empty())
            in_.fail(std::string("expected ") + what + ", found '" + std::string(1, in_.peek()) + "'");
        return text;
    }

    void know_place(const std::string& id) {
        if (marking_.try_emplace(id, 0).second) place_order_.push_back(id);
    }

    TextScanner in_;
    std::string net_;
    std::vector<std::string> place_order_;
    std::map<std::string, Tokens> marking_;
    std::set<std::string> marked_;  // by lines of their own
    std::map<std::string, std::string> labels_;
    std::vector<std::pair<std::string, std::size_t>> labelled_;  // by lb lines, with the line number
    std::vector<TinaTransition> transitions_;
};

std::string tina_name(std::string_view text) {
    static const std::set<std::string_view> keywords = {"net", "tr", "pl", "lb", "nt", "pr", "sp"};
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_simple) && !keywords.contains(text))
        return std::string(text);
    std::string quoted = "{";
    for (const char c : text) {
        if (c == '{' || c == '}' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "}";
}

template <class Node>
std::string tina_label(const Node& node) {
    return node.name.empty() ? "" : " : " + tina_name(node.name);
}

void write_arcs(const Net& net, TransitionId transition, std::string& text) {
    std::string inputs, outputs;
    std::map<PlaceId, std::map<ArcKind, Tokens>> arcs;
    for (const Arc& arc : net.arcs_of(transition)) arcs[arc.place][arc.kind] = arc.weight;
    for (const auto& [place, kinds] : arcs) {
        const std::string name = " " + tina_name(net[place].id);
        for (const auto& [kind, weight] : kinds) {
            const std::string number = std::to_string(weight);
            const std::string factor = weight == 1 ? "" : "*" + number;
            std::string& side = kind == ArcKind::output ? outputs : inputs;
            side += name;
            side += kind == ArcKind::inhibitor ? "?-" + number
                    : kind == ArcKind::read    ? "?" + number
                                               : factor;
        }
    }
    text += inputs + " ->" + outputs;
}

}  // namespace

Net read_tina(std::string_view text, const std::string& source) {
    require_format(text, source, "a net in Tina's format");
    return TinaReader(text, source).read();
}

std::string write_tina(const Net& net) {
    require_no_order(net, "Tina's format as written here");
    std::string text = net.id().empty() ? "" : "net " + tina_name(net.id()) + "\n";
    for (const Place& place : net.places()) {
        text +=
            "pl " + tina_name(place.id) + tina_label(place) + " (" + std::to_string(place.initial) + ")\n";
    }
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        const Transition& transition = net.transitions()[t];
        text += "tr " + tina_name(transition.id) + tina_label(transition) + " [0,w[";
        write_arcs(net, TransitionId(t), text);
        text += "\n";
    }
    return text;
}

}  // namespace warpnet::pnml

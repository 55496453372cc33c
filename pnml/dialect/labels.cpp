// Labels of nodes in the spellings of all tools: numbers as text, as attributes, as lists of token classes,
// as terms of the sort dot. A contradiction between two spellings is an error. Times are accepted if they do
// not exclude anything.
//
// Each label is read in all of its spellings, and not in those of one detected tool. A label has the same
// meaning in the documents of all tools. Reading is linear in the labels. Numbers are parsed as a whole, so
// that "1,500" is an error and not 1.

#include "pnml/dialect/labels.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>

namespace warpnet::pnml::xml {
namespace {

// Kind, weight and ends of an arc in the spellings of all tools. The name of the element, an attribute or a
// label may state the kind, and an attribute or a label the weight. All statements about one arc must agree,
// because a file that contradicts itself has no certain meaning. For the same reason a time interval or a
// part of a high-level net is an error and not a warning.

using Kind = ArcLabels::Kind;

/// The kind of one arc and its first spelling, to report contradictory labels.
class KindVote {
  public:
    KindVote(const Document& document, pugi::xml_node arc) : document_(document), arc_(arc) {}

    void say(Kind kind, std::string_view spelling) {
        if (said_ && *said_ != kind) {
            document_.fail(arc_, "one kind of arc",
                           in_quotes(spelling) + " and " + in_quotes(first_spelling_));
        }
        said_ = kind;
        first_spelling_ = spelling;
    }

    void say(std::string_view word) {
        if (said_ && word == first_spelling_) return;
        const std::string small = lower_case(word);
        if (small == "normal" || small == "ordinary" || small == "regular") return say(Kind::ordinary, word);
        if (small == "inhibitor" || small == "inhibit" || small == "tapninhibitor") {
            return say(Kind::inhibitor, word);
        }
        if (small == "read" || small == "test") return say(Kind::read, word);
        document_.fail(arc_, "an arc of kind normal, inhibitor, read or test", "kind " + in_quotes(word));
    }

    Kind result() const { return said_.value_or(Kind::ordinary); }

  private:
    const Document& document_;
    pugi::xml_node arc_;
    std::optional<Kind> said_;
    std::string_view first_spelling_;
};

class ArcReader {
  public:
    ArcReader(Labels& labels, pugi::xml_node arc)
        : labels_(labels), document_(labels.document()), arc_(arc), kind_(document_, arc) {}

    ArcLabels read() {
        document_.check_attributes(arc_);
        read_element_name();
        read_attributes();
        for (const pugi::xml_node part : Elements(arc_)) read_part(part);
        return {kind_.result(), weight_.value_or(1), weight_.has_value(), source_, target_};
    }

  private:
    void read_element_name() {
        const std::string_view name = document_.local_name(arc_);
        if (name == "arc") return;
        if (name == "inputArc" || name == "outputArc") return kind_.say(Kind::ordinary, name);
        if (name == "inhibitorArc") return kind_.say(Kind::inhibitor, name);
        document_.fail(arc_, "an arc of kind normal, inhibitor, read or test", "the element " + in_tag(name));
    }

    void read_attributes() {
        pugi::xml_attribute type, weight, inscription;
        for (pugi::xml_attribute one = arc_.first_attribute(); one; one = one.next_attribute()) {
            const std::string_view name = one.name();
            if (name == "source") source_ = one;
            if (name == "target") target_ = one;
            if (name == "type") type = one;
            if (name == "weight") weight = one;
            if (name == "inscription") inscription = one;
        }
        if (type) {
            const std::string_view word = trimmed(type.value());
            // TAPAAL calls every arc from a place timed. A timed arc that allows every age is an ordinary
            // arc.
            if (word == "timed" && is_any_time(inscription.value())) {
                kind_.say(Kind::ordinary, word);
            } else {
                kind_.say(word);
            }
        }
        if (weight) say_weight(labels_.count(arc_, weight, 1));
        if (inscription && !is_any_time(inscription.value())) {
            if (std::string_view(inscription.value()).find_first_of("[](:") != std::string_view::npos) {
                document_.fail(arc_, inscription, "an arc without a time interval",
                               in_quotes(inscription.value()));
            }
            const auto said = labels_.count(arc_, inscription, 1);
            // TAPAAL writes inscription="1" on every arc, whatever its weight.
            if (said != 1 || !weight_) say_weight(said);
        }
    }

    void read_part(pugi::xml_node part) {
        const std::string_view name = document_.local_name(part);
        if (name == "inscription") {
            say_weight(labels_.count(part, 1));
        } else if (name == "type" || name == "arctype") {
            read_kind(part);
        } else if (name == "hlinscription") {
            say_weight(labels_.dots().count(part, 1));
        }
    }

    /// <type value="inhibitor"/>, <type><text>inhibitor</text></type>,
    /// <arctype><text>inhibitor</text></arctype>
    void read_kind(pugi::xml_node part) {
        document_.check_attributes(part);
        const pugi::xml_attribute value = part.attribute("value");
        const std::string_view text = labels_.text(part);
        if (value) kind_.say(trimmed(value.value()));
        if (!text.empty() || !value) kind_.say(text);
        for (const pugi::xml_node inner : Elements(part)) {
            if (document_.local_name(inner) == "structure") labels_.fail_high_level(inner);
        }
    }

    void say_weight(std::optional<Tokens> weight) {
        if (!weight) return;
        if (weight_ && *weight_ != *weight) {
            document_.fail(arc_, "one weight", std::to_string(*weight) + " and " + std::to_string(*weight_));
        }
        weight_ = weight;
    }

    Labels& labels_;
    const Document& document_;
    pugi::xml_node arc_;
    KindVote kind_;
    std::optional<Tokens> weight_;
    pugi::xml_attribute source_, target_;
};

}  // namespace

bool is_arc(pugi::xml_node element, std::string_view local_name) {
    // Only arcs have two ends, whatever their name.
    return local_name == "arc" ||
           (!local_name.empty() && element.attribute("source") && element.attribute("target"));
}

ArcLabels read_arc_labels(Labels& labels, pugi::xml_node arc) { return ArcReader(labels, arc).read(); }

namespace {

std::string expected_count(Tokens least) {
    return "a whole number from " + std::to_string(least) + " to " + std::to_string(max_tokens);
}

}  // namespace

template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    return parse_number<Integer>(text);
}

template std::optional<std::int64_t> whole_number(std::string_view);
template std::optional<std::int32_t> whole_number(std::string_view);

std::string_view Labels::text(pugi::xml_node label) const {
    std::string_view found = trimmed(document_.text_of(label));
    for (const pugi::xml_node part : Elements(label)) {
        const std::string_view name = document_.local_name(part);
        if (name != "text" && name != "value") continue;
        const std::string_view here = trimmed(document_.text_of(part));
        if (here.empty()) continue;
        if (!found.empty() && found != here) {
            document_.fail(part, "the same text as before, " + in_quotes(found), in_quotes(here));
        }
        found = here;
    }
    return found;
}

std::optional<Tokens> Labels::count(pugi::xml_node label, Tokens least) {
    for (const pugi::xml_node part : Elements(label)) {
        const std::string_view name = document_.local_name(part);
        if (name == "structure") fail_high_level(part);
        const bool number = name == "text" || name == "value";
        const pugi::xml_node odd = number                                         ? *Elements(part).begin()
                                   : name != "graphics" && name != "toolspecific" ? part
                                                                                  : pugi::xml_node();
        if (odd.type() == pugi::node_element)
            document_.fail(label, "a number in <text> or <value>", "the element " + in_tag(odd.name()));
    }
    const std::string_view said = text(label);
    if (said.empty()) return std::nullopt;
    const std::optional<Tokens> number = said.find(',') != std::string_view::npos
                                             ? pipe_count(label, said, least)
                                             : whole_number<Tokens>(said);
    if (!number || *number < least) document_.fail(label, expected_count(least), in_quotes(said));
    return number;
}

std::optional<Tokens> Labels::count(pugi::xml_node element, pugi::xml_attribute attribute, Tokens least) {
    const std::string_view said = trimmed(attribute.value());
    const std::optional<Tokens> number = whole_number<Tokens>(said);
    if (!number || *number < least) {
        document_.fail(element, attribute, expected_count(least) + " in the attribute " + attribute.name(),
                       in_quotes(said));
    }
    return number;
}

// PIPE's own class is Default. Its nets declare their classes, except for those of its first versions.
bool Labels::is_token_class(std::string_view name) {
    if (!declared_) {
        declared_ = std::vector<std::string_view>{"Default"};
        for (const pugi::xml_node net : Elements(document_.root()))
            for (const pugi::xml_node part : Elements(net))
                if (document_.local_name(part) == "token")
                    declared_->push_back(trimmed(part.attribute("id").value()));
    }
    return std::find(declared_->begin(), declared_->end(), name) != declared_->end();
}

std::optional<Tokens> Labels::pipe_count(pugi::xml_node label, std::string_view list, Tokens least) {
    const std::string_view all = list;
    Tokens found = 0;
    std::string_view found_class;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (comma == std::string_view::npos) return std::nullopt;
        const std::string_view token_class = trimmed(list.substr(0, comma));
        list.remove_prefix(comma + 1);
        const std::size_t end = list.find(',');
        const auto number = whole_number<Tokens>(trimmed(list.substr(0, end)));
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
        if (!number || *number < 0 || token_class.empty()) return std::nullopt;
        if (!is_token_class(token_class))
            document_.fail(label, expected_count(least) + ", or tokens of a class that <token> declares",
                           in_quotes(all));
        if (*number == 0) continue;
        if (found != 0) return std::nullopt;
        found = *number;
        found_class = token_class;
    }
    if (found < least) return std::nullopt;
    if (found != 0) {
        if (!token_class_.empty() && token_class_ != found_class) return std::nullopt;
        token_class_ = found_class;
    }
    return found;
}

bool Labels::flag(pugi::xml_node label) const {
    const std::string_view said = text(label);
    if (said == "true" || said == "1") return true;
    if (said != "false" && said != "0" && !said.empty())
        document_.fail(label, "true or false", in_quotes(said));
    return false;
}

std::int32_t Labels::priority(pugi::xml_node label) const {
    const std::string_view said = text(label);
    if (said.empty()) return 0;
    const auto number = whole_number<std::int32_t>(said);
    if (!number) document_.fail(label, "a whole number from -2147483648 to 2147483647", in_quotes(said));
    return *number;
}

std::optional<Position> Labels::position(pugi::xml_node graphics) const {
    for (const pugi::xml_node part : Elements(graphics)) {
        if (document_.local_name(part) != "position") continue;
        const auto x = coordinate(part.attribute("x"));
        const auto y = coordinate(part.attribute("y"));
        if (x && y) return Position{*x, *y};
    }
    return std::nullopt;
}

void Labels::fail_high_level(pugi::xml_node label) const {
    document_.fail(label, "a place/transition net",
                   "the label " + in_tag(label.name()) + " of a high-level net");
}

std::string_view name_of_net(const Labels& labels, pugi::xml_node net) {
    for (const pugi::xml_node part : Elements(net)) {
        if (labels.document().local_name(part) == "name") return labels.text(part);
    }
    return net.attribute("name").value();
}

std::optional<double> coordinate(pugi::xml_attribute attribute) {
    if (!attribute) return 0.0;
    const auto value = parse_number<double>(trimmed(attribute.value()));
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string without_blanks(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c != ' ') result += c;
    }
    return result;
}

bool is_any_time(std::string_view interval) {
    const std::string dense = without_blanks(interval);
    return dense == "[0,inf)" || dense == "[0,inf[" || dense == "[0,infty)" || dense == "[0,infty[" ||
           dense == "[0,w[";
}

void TimingLabels::begin_transition() { said_.emplace_back(); }

void TimingLabels::read(pugi::xml_node label, std::string_view local_name) {
    if (local_name == "timed") {
        said_.back().timed = labels_.flag(label);
        any_timed_label_ = true;
    } else if (local_name == "priority") {
        if (!labels_.text(label).empty()) said_.back().priority = labels_.priority(label);
    } else if (local_name == "delay") {
        check_delay(label);
    }
}

void TimingLabels::check_delay(pugi::xml_node delay) const {
    const Document& document = labels_.document();
    std::string_view bounds[2];
    std::string_view closure = "closed";
    std::size_t found = 0;
    for (const pugi::xml_node interval : Elements(delay)) {
        if (document.local_name(interval) != "interval") continue;
        if (const auto attribute = interval.attribute("closure")) closure = attribute.value();
        for (const pugi::xml_node bound : Elements(interval)) {
            const std::string_view name = document.local_name(bound);
            if (name != "cn" && name != "ci") continue;
            if (found < 2) bounds[found] = trimmed(document.text_of(bound));
            ++found;
        }
    }
    const bool endless = bounds[1] == "infty" || bounds[1] == "inf";
    const bool any_time = found == 2 && bounds[0] == "0" && endless && closure.starts_with("closed");
    const std::string_view said = labels_.text(delay);
    if (said.empty() ? any_time : is_any_time(said) && (any_time || found == 0)) return;
    document.fail(delay, "a transition without delay",
                  "the time interval " +
                      in_quotes(said.empty() ? std::string(bounds[0]) + ", " + std::string(bounds[1])
                                             : std::string(said)) +
                      ", " + std::string(closure));
}

void TimingLabels::check_invariant(pugi::xml_node where, std::string_view invariant) const {
    const std::string dense = without_blanks(invariant);
    if (dense.empty() || dense == "<inf") return;
    labels_.document().fail(where, "a place without age limit", "the invariant " + in_quotes(invariant));
}

bool TimingLabels::says_nothing() const {
    return !any_timed_label_ && std::all_of(said_.begin(), said_.end(),
                                            [](const Said& said) { return !said.timed && !said.priority; });
}

std::vector<Timing> TimingLabels::result() const {
    constexpr std::int32_t default_priority = 1;  // of PIPE, the only tool with this label
    const auto timed = std::count_if(said_.begin(), said_.end(), [](const Said& said) { return said.timed; });
    const bool all_timed = timed == static_cast<std::ptrdiff_t>(said_.size());
    // Timing matters only between transitions of both kinds, and priorities only among immediate ones.
    const bool mixed = any_timed_label_ && timed > 0 && !all_timed;
    if (any_timed_label_ && all_timed) return {};

    std::vector<Timing> timings;
    timings.reserve(said_.size());
    std::int32_t lowest = 0;
    std::int32_t highest = 0;
    bool first = true;
    for (const Said& said : said_) {
        const std::int32_t priority = said.priority.value_or(default_priority);
        timings.push_back({mixed && !said.timed, said.timed ? 0 : priority});
        if (said.timed) continue;
        lowest = first ? priority : std::min(lowest, priority);
        highest = first ? priority : std::max(highest, priority);
        first = false;
    }
    if (lowest == highest) {
        for (Timing& timing : timings) timing.priority = 0;
    }
    return timings;
}

namespace {

/// TAPAAL stores names and positions in attributes.
NodeLabels from_attributes(pugi::xml_node node) {
    NodeLabels result;
    result.name = trimmed(node.attribute("name").value());
    const pugi::xml_attribute x = node.attribute("positionX");
    const pugi::xml_attribute y = node.attribute("positionY");
    if (x && y) {
        const auto at_x = coordinate(x);
        const auto at_y = coordinate(y);
        if (at_x && at_y) result.position = Position{*at_x, *at_y};
    }
    return result;
}

/// Reads a label that places and transitions share. Returns false for any other label.
bool read_common(const Labels& labels, pugi::xml_node part, std::string_view name, NodeLabels& result) {
    if (name == "name") {
        result.name = labels.text(part);
    } else if (name == "graphics") {
        result.position = labels.position(part);
    } else {
        return false;
    }
    return true;
}

}  // namespace

std::optional<Tokens> Labels::capacity(pugi::xml_node label) {
    const std::string_view said = text(label);
    if (said.empty() || said == "0" || said == "inf") return {};  // PIPE writes 0 if there is none
    if (keeps_capacities_) return count(label, 1);
    document_.fail(
        label, "a place without capacity (a complement place says the same; 'convert --capacities' adds it)",
        "capacity " + in_quotes(said));
}

NodeLabels read_place_labels(Labels& labels, const TimingLabels& timing, pugi::xml_node place) {
    const Document& document = labels.document();
    NodeLabels result = from_attributes(place);
    std::optional<Tokens> initial;
    const auto say = [&](pugi::xml_node where, std::optional<Tokens> tokens) {
        if (tokens && initial && *tokens != *initial) {
            document.fail(where, "one initial marking",
                          std::to_string(*tokens) + " and " + std::to_string(*initial));
        }
        if (tokens) initial = tokens;
    };
    if (const auto attribute = place.attribute("initialMarking"))
        say(place, labels.count(place, attribute, 0));
    timing.check_invariant(place, place.attribute("invariant").value());
    for (const pugi::xml_node part : Elements(place)) {
        const std::string_view name = document.local_name(part);
        if (read_common(labels, part, name, result)) continue;
        if (name == "initialMarking") {
            say(part, labels.count(part, 0));
        } else if (name == "capacity") {
            result.capacity = labels.capacity(part);
        } else if (name == "invariant") {
            timing.check_invariant(part, labels.text(part));
        } else if (name == "hlinitialMarking") {
            say(part, labels.dots().count(part, 0));
        } else if (name == "type") {
            labels.dots().check_type(part);
            result.has_sort = true;
        }
    }
    result.initial = initial.value_or(0);
    return result;
}

NodeLabels read_transition_labels(const Labels& labels, TimingLabels& timing, pugi::xml_node transition) {
    NodeLabels result = from_attributes(transition);
    timing.begin_transition();
    for (const pugi::xml_node part : Elements(transition)) {
        const std::string_view name = labels.document().local_name(part);
        if (read_common(labels, part, name, result)) continue;
        if (name == "condition") labels.dots().check_condition(part);
        timing.read(part, name);
    }
    return result;
}

}  // namespace warpnet::pnml::xml

// Kind, weight and ends of an arc in the spellings of all tools. The name of the element, an attribute or a
// label may state the kind, and an attribute or a label the weight. All statements about one arc must agree,
// because a file that contradicts itself has no certain meaning. For the same reason a time interval or a
// part of a high-level net is an error and not a warning.

#include "pnml/dialect/arc_labels.hpp"

#include "engine/base/text.hpp"

#include <string>

namespace warpnet::pnml::xml {

namespace {

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

}  // namespace warpnet::pnml::xml

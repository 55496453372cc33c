#pragma once

#include "engine/net/net.hpp"
#include "pnml/dialect/dot_sort.hpp"
#include "pnml/xml/xml_document.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pnml::xml {

/// The child elements of `parent`, without the text and comments between them.
class Elements {
  public:
    struct End {};

    class Iterator {
      public:
        explicit Iterator(pugi::xml_node node) : node_(node) { skip(); }
        pugi::xml_node operator*() const { return node_; }
        Iterator& operator++() {
            node_ = node_.next_sibling();
            skip();
            return *this;
        }
        bool operator!=(End) const { return type_ == pugi::node_element; }

      private:
        void skip() {
            // A null node has the type null, so one call per node suffices.
            for (type_ = node_.type(); type_ != pugi::node_element && type_ != pugi::node_null;
                 type_ = node_.type()) {
                node_ = node_.next_sibling();
            }
        }
        pugi::xml_node node_;
        pugi::xml_node_type type_ = pugi::node_null;
    };

    explicit Elements(pugi::xml_node parent) : first_(parent.first_child()) {}
    Iterator begin() const { return Iterator(first_); }
    End end() const { return {}; }
    bool empty() const { return !(begin() != end()); }

  private:
    pugi::xml_node first_;
};

/// Reads labels: the content of <text>, of <value> or directly between the tags, and numbers in it.
class Labels {
  public:
    explicit Labels(const Document& document, bool keeps_capacities = false)
        : document_(document), dots_(document), keeps_capacities_(keeps_capacities) {}

    const Document& document() const { return document_; }
    const DotSort& dots() const { return dots_; }

    /// The trimmed text; empty if there is none. Rejects two different texts.
    std::string_view text(pugi::xml_node label) const;

    /// The number of tokens in a label or an attribute; empty if there is none. Rejects numbers below
    /// `least`, texts that are no whole number or too large, and labels with parts other than text. Supports
    /// PIPE's "Default,3" and rejects nets with tokens of more than one class, and classes that no <token>
    /// declares: "1,500" is no class 1.
    std::optional<Tokens> count(pugi::xml_node label, Tokens least);
    std::optional<Tokens> count(pugi::xml_node element, pugi::xml_attribute attribute, Tokens least);

    /// Whether PIPE's token classes occurred. All labels of a net must then use the same class.
    bool names_token_class() const { return !token_class_.empty(); }

    /// The capacity of a place; empty if it has none. Rejects one unless capacities are kept.
    std::optional<Tokens> capacity(pugi::xml_node label);

    /// "true" or "false".
    bool flag(pugi::xml_node label) const;

    std::int32_t priority(pugi::xml_node label) const;

    /// The position in a <graphics> element. Pictures do not affect a net, so an invalid number counts as
    /// missing.
    std::optional<Position> position(pugi::xml_node graphics) const;

    /// Rejects a label of high-level nets, wherever it occurs.
    [[noreturn]] void fail_high_level(pugi::xml_node label) const;

  private:
    /// Splits "class,count,class,count". Empty if the text has another form.
    std::optional<Tokens> pipe_count(pugi::xml_node label, std::string_view list, Tokens least);
    bool is_token_class(std::string_view name);

    const Document& document_;
    DotSort dots_;
    bool keeps_capacities_;
    std::string_view token_class_;                                // the class used so far
    std::optional<std::vector<std::string_view>> declared_ = {};  // token classes, once one is used
};

/// The name of a net besides its id. It may be empty.
std::string_view name_of_net(const Labels& labels, pugi::xml_node net);

/// A coordinate. A missing attribute is 0, since some tools omit default values.
std::optional<double> coordinate(pugi::xml_attribute attribute);

/// The whole number in all of `text`. Empty if the text is something else or the number is out of range.
template <class Integer>
std::optional<Integer> whole_number(std::string_view text);

/// The text without any blanks.
std::string without_blanks(std::string_view text);

/// Whether a time interval such as "[0,inf)" allows every time.
bool is_any_time(std::string_view interval);

/// The effect of a transition's labels on its firing.
struct Timing {
    bool immediate = false;
    std::int32_t priority = 0;
};

/// Supports the timing labels of PIPE (<timed>, <priority>, <rate>), Tina (<delay>) and TAPAAL (invariants).
/// Labels that have an effect only together are collected over the whole net (docs/reference/pnml.md,
/// "Time").
class TimingLabels {
  public:
    explicit TimingLabels(const Labels& labels) : labels_(labels) {}

    /// Begins the labels of the next transition.
    void begin_transition();

    /// Reads a label of a transition. Rejects delays, which an untimed net cannot have.
    void read(pugi::xml_node label, std::string_view local_name);

    /// Rejects an age limit of tokens.
    void check_invariant(pugi::xml_node where, std::string_view invariant) const;

    /// Whether all transitions are ordinary, regardless of the rest of the net.
    bool says_nothing() const;

    /// Per transition, in the order of the net. Empty if all are ordinary.
    std::vector<Timing> result() const;

  private:
    void check_delay(pugi::xml_node delay) const;

    struct Said {
        bool timed = false;
        std::optional<std::int32_t> priority = {};
    };

    const Labels& labels_;
    std::vector<Said> said_;
    bool any_timed_label_ = false;
};

/// The content of a place or transition, besides its id and its timing.
struct NodeLabels {
    std::string_view name;
    std::optional<Position> position;
    Tokens initial = 0;  ///< places only
    std::optional<Tokens> capacity = {};
    bool has_sort = false;  ///< places only: they have a sort, which is dot
};

/// The name of a node besides its id. Empty if both are equal.
inline std::string_view node_name(const NodeLabels& labels, std::string_view id) {
    return labels.name == id ? std::string_view() : labels.name;
}

/// Reads a <place>: its labels, or the attributes that TAPAAL writes instead. Throws PnmlError for an
/// age limit, sorts other than dot and invalid numbers.
NodeLabels read_place_labels(Labels& labels, const TimingLabels& timing, pugi::xml_node place);

/// Reads a <transition> and adds its timing to `timing`. Throws PnmlError for a guard or a delay.
NodeLabels read_transition_labels(const Labels& labels, TimingLabels& timing, pugi::xml_node transition);

/// The content of an <arc>.
struct ArcLabels {
    enum class Kind { ordinary, inhibitor, read };
    Kind kind = Kind::ordinary;
    Tokens weight = 1;
    bool says_weight = false;
    pugi::xml_attribute source, target;  ///< its ends; null if missing
};

/// The kind of an arc of the net. Only ordinary arcs lead to places.
inline ArcKind arc_kind(ArcLabels::Kind kind, bool from_place) {
    if (kind == ArcLabels::Kind::inhibitor) return ArcKind::inhibitor;
    if (kind == ArcLabels::Kind::read) return ArcKind::read;
    return from_place ? ArcKind::input : ArcKind::output;
}

/// Whether an element with this name is an arc, supported or not: <arc>, <inhibitorArc> ...
bool is_arc(pugi::xml_node element, std::string_view local_name);

/// Reads every spelling of docs/reference/pnml.md, "Arcs". Throws PnmlError for unsupported kinds,
/// contradictory spellings, weights below 1, time constraints, and parts that may change the meaning.
ArcLabels read_arc_labels(Labels& labels, pugi::xml_node arc);

}  // namespace warpnet::pnml::xml

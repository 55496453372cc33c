#pragma once

#include "engine/net/net.hpp"
#include "pnml/dialect/dot_sort.hpp"
#include "pnml/xml/xml_document.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::xml {

/// The elements directly below `parent`, without text and comments between them.
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
            // The type of no node is null: asking for it alone saves a call for each node.
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

/// Reads labels: what stands in <text>, in <value> or bare between the tags, and the numbers among them.
class Labels {
  public:
    explicit Labels(const Document& document) : document_(document), dots_(document) {}

    const Document& document() const { return document_; }
    const DotSort& dots() const { return dots_; }

    /// Trimmed; empty where nothing is said. Refuses two texts that differ.
    std::string_view text(pugi::xml_node label) const;

    /// The number of tokens that a label or an attribute says, nothing where it is empty; refuses what is
    /// less than `least`, no whole number or too large, and labels with parts that are not text. Understands
    /// PIPE's "Default,3" and refuses nets that use tokens of more than one class.
    std::optional<Tokens> count(pugi::xml_node label, Tokens least);
    std::optional<Tokens> count(pugi::xml_node element, pugi::xml_attribute attribute, Tokens least);

    /// Whether PIPE's classes of tokens were met, which must be the same in all of a net.
    bool names_token_class() const { return !token_class_.empty(); }

    /// "true" or "false".
    bool flag(pugi::xml_node label) const;

    std::int32_t priority(pugi::xml_node label) const;

    /// The position in a <graphics> element. Pictures do not change a net: what is no number counts as
    /// absent.
    std::optional<Position> position(pugi::xml_node graphics) const;

    /// Refuses a label of high-level nets, wherever it stands.
    [[noreturn]] void fail_high_level(pugi::xml_node label) const;

  private:
    /// Splits "class,count,class,count"; nothing where it is no list of this form.
    std::optional<Tokens> pipe_count(std::string_view list, Tokens least);

    const Document& document_;
    DotSort dots_;
    std::string_view token_class_;  // the one in use so far
};

/// What a net is called beside its id; may be empty.
std::string_view name_of_net(const Labels& labels, pugi::xml_node net);

/// A coordinate; a missing attribute is 0, as tools that leave out defaults mean it.
std::optional<double> coordinate(pugi::xml_attribute attribute);

/// The whole number that is all of `text`; nothing where there is none or where it does not fit.
template <class Integer>
std::optional<Integer> whole_number(std::string_view text);

/// The text without its blanks.
std::string without_blanks(std::string_view text);

/// Whether a time interval such as "[0,inf)" allows every time.
bool is_any_time(std::string_view interval);

/// What a transition's labels mean for its firing.
struct Timing {
    bool immediate = false;
    std::int32_t priority = 0;
};

/// Understands the timing labels of PIPE (<timed>, <priority>, <rate>), Tina (<delay>) and TAPAAL
/// (invariants). Those that make a difference only together are collected over the whole net (FORMAT.md,
/// "Time").
class TimingLabels {
  public:
    explicit TimingLabels(const Labels& labels) : labels_(labels) {}

    /// The labels that follow belong to the next transition.
    void begin_transition();

    /// Takes notice of a label of a transition. Refuses delays that a net without time cannot have.
    void read(pugi::xml_node label, std::string_view local_name);

    /// Refuses an age limit of tokens.
    void check_invariant(pugi::xml_node where, std::string_view invariant) const;

    /// Whether all transitions are ordinary, whatever others of the net say.
    bool says_nothing() const;

    /// Of every transition, in the order of the net; empty where all are ordinary.
    std::vector<Timing> result() const;

  private:
    void check_delay(pugi::xml_node delay) const;

    struct Said {
        bool timed = false;
        std::int32_t priority = 0;
    };

    const Labels& labels_;
    std::vector<Said> said_;
    bool any_timed_label_ = false;
};

/// What a place or transition says about itself, beside its id and its timing.
struct NodeLabels {
    std::string_view name;
    std::optional<Position> position;
    Tokens initial = 0;     ///< places only
    bool has_sort = false;  ///< places only: their sort is said, and is dot
};

/// What a node is called beside its id; empty where that is the same.
inline std::string_view node_name(const NodeLabels& labels, std::string_view id) {
    return labels.name == id ? std::string_view() : labels.name;
}

/// Reads a <place>: labels, or the attributes that TAPAAL writes instead. Throws PnmlError for a capacity, an
/// age limit, sorts other than dot and numbers that are none.
NodeLabels read_place_labels(Labels& labels, const TimingLabels& timing, pugi::xml_node place);

/// Reads a <transition>; its timing goes to `timing`. Throws PnmlError for a guard or a delay.
NodeLabels read_transition_labels(const Labels& labels, TimingLabels& timing, pugi::xml_node transition);

}  // namespace warpnet::xml

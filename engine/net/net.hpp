#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpnet {

/// Position of a place in Net::places().
enum class PlaceId : std::uint32_t {};

/// Position of a transition in Net::transitions().
enum class TransitionId : std::uint32_t {};

constexpr std::size_t index(PlaceId place) noexcept { return static_cast<std::size_t>(place); }
constexpr std::size_t index(TransitionId transition) noexcept { return static_cast<std::size_t>(transition); }

/// A number of tokens or an arc weight. It is never negative inside a net. Arithmetic that leaves the range
/// is reported as overflow and never wraps around.
using Tokens = std::int64_t;
inline constexpr Tokens max_tokens = std::numeric_limits<Tokens>::max();

/// Tokens per place, in the order of Net::places().
using Marking = std::vector<Tokens>;

/// The position of a node in a picture, in PNML units (y grows downwards).
struct Position {
    double x = 0;
    double y = 0;
    bool operator==(const Position&) const = default;
};

/// A place with its initial tokens, 0 to max_tokens.
struct Place {
    std::string id;    ///< unique over places and transitions
    std::string name;  ///< the display name; empty: the same as the id
    Tokens initial = 0;
    std::optional<Position> position = {};
    bool operator==(const Place&) const = default;
};

/// A transition with its timing. Net::arcs_of() has its arcs.
struct Transition {
    std::string id;
    std::string name;
    /// Immediate transitions (GSPN) fire in maximal steps that cost no time, before any timed transition.
    bool immediate = false;
    /// Higher numbers are served first within a step: a transition may take tokens only after all enabled
    /// transitions of higher priority have been served. Under interleaving only transitions of the highest
    /// enabled priority may fire.
    std::int32_t priority = 0;
    std::optional<Position> position = {};
    bool operator==(const Transition&) const = default;
};

enum class ArcKind : std::uint8_t {
    input,      ///< place -> transition: requires `weight` tokens and takes them
    output,     ///< transition -> place: produces `weight` tokens
    inhibitor,  ///< enabled only while the place holds fewer than `weight` tokens
    read,       ///< requires `weight` tokens, takes none
};

/// The name of the enumerator.
std::string_view to_string(ArcKind kind);

/// An arc between a place and a transition. `weight` is a number of tokens, at least 1. ArcKind has its
/// meaning.
struct Arc {
    TransitionId transition;
    ArcKind kind;
    PlaceId place;
    Tokens weight = 1;
    auto operator<=>(const Arc&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// A place/transition net with inhibitor and read arcs, in the order of its file.
///
/// An immutable value, made by NetBuilder. Arcs are sorted by (transition, kind, place), and there is at most
/// one arc of each kind between two nodes. So two nets are equal exactly if they have the same meaning and
/// the same names.
class Net {
  public:
    const std::string& id() const noexcept { return id_; }
    const std::string& name() const noexcept { return name_; }

    std::span<const Place> places() const noexcept { return places_; }
    std::span<const Transition> transitions() const noexcept { return transitions_; }
    std::span<const Arc> arcs() const noexcept { return arcs_; }

    const Place& operator[](PlaceId place) const { return places_[index(place)]; }
    const Transition& operator[](TransitionId transition) const { return transitions_[index(transition)]; }

    /// All arcs of one transition, sorted by (kind, place). Constant time.
    std::span<const Arc> arcs_of(TransitionId transition) const;

    Marking initial_marking() const;

    bool operator==(const Net&) const = default;

  private:
    friend class NetBuilder;

    std::string id_;
    std::string name_;
    std::vector<Place> places_;
    std::vector<Transition> transitions_;
    std::vector<Arc> arcs_;
    std::vector<std::size_t> first_arc_;  // of each transition, and one past the last
};

/// Finds nodes by id. Holds views into the net, which must outlive it. O(nodes) to build, O(1) per look-up.
class NodeIndex {
  public:
    explicit NodeIndex(const Net& net);

    std::optional<PlaceId> place(std::string_view id) const;
    std::optional<TransitionId> transition(std::string_view id) const;

  private:
    std::unordered_map<std::string_view, PlaceId> places_;
    std::unordered_map<std::string_view, TransitionId> transitions_;
};

/// The display name of a node: its name, or its id if it has none.
template <class Node>
const std::string& label(const Node& node) {
    return node.name.empty() ? node.id : node.name;
}

/// The ids of places or transitions, in their order.
template <class Nodes>
std::vector<std::string_view> ids_of(const Nodes& nodes) {
    std::vector<std::string_view> ids;
    ids.reserve(nodes.size());
    for (const auto& node : nodes) ids.push_back(node.id);
    return ids;
}

}  // namespace warpnet

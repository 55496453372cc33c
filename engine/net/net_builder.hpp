#pragma once

#include "engine/net/id_table.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet {

/// Collects nodes and arcs and builds a Net.
///
/// Every function throws InputError at once if its arguments are invalid: an empty or repeated id, a negative
/// number of tokens, a weight below 1, or a node that does not exist.
class NetBuilder {
  public:
    explicit NetBuilder(std::string id = "net", std::string name = "");

    /// Reserves space for this many nodes and arcs.
    void reserve(std::size_t places, std::size_t transitions, std::size_t arcs);

    /// The id must be unique over places and transitions.
    PlaceId add_place(std::string id, Tokens initial = 0, std::string name = "");
    TransitionId add_transition(std::string id, std::string name = "");

    void set_immediate(TransitionId transition);
    void set_priority(TransitionId transition, std::int32_t priority);
    void set_position(PlaceId place, Position position);
    void set_position(TransitionId transition, Position position);

    /// Repeated arcs of one kind between the same nodes are merged. The weights of input and output arcs are
    /// added. A read arc gets the larger weight, an inhibitor arc the smaller one.
    void add_input(PlaceId from, TransitionId to, Tokens weight = 1);
    void add_output(TransitionId from, PlaceId to, Tokens weight = 1);
    void add_inhibitor(PlaceId place, TransitionId transition, Tokens weight = 1);
    void add_read(PlaceId place, TransitionId transition, Tokens weight = 1);
    void add_arc(ArcKind kind, PlaceId place, TransitionId transition, Tokens weight = 1);

    /// The place or transition with an id, if any.
    struct Node {
        bool is_place;
        std::uint32_t index;
    };
    std::optional<Node> find(std::string_view id) const { return find(id, IdTable::hash_of(id)); }
    /// REQUIRES: hash == IdTable::hash_of(id). See IdTable::prefetch().
    std::optional<Node> find(std::string_view id, std::uint32_t hash) const;
    void prefetch(std::uint32_t hash) const { ids_.prefetch(hash); }

    /// Returns the net and leaves the builder empty. O(arcs), and O(n log n) in the arcs of one transition.
    Net build();

  private:
    void claim(const std::string& id, const char* what, std::uint32_t number);
    std::string_view id_of(std::uint32_t number) const;
    Place& at(PlaceId place);
    Transition& at(TransitionId transition);

    Net net_;
    IdTable ids_;  // number 2i for place i, 2i + 1 for transition i
};

}  // namespace warpnet

#pragma once

#include "engine/net/id_table.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet {

/// Collects nodes and arcs and turns them into a Net.
///
/// Every function throws InputError at once where its arguments make no net: an empty or repeated id, a
/// negative number of tokens, a weight below 1, a node that does not exist.
class NetBuilder {
  public:
    explicit NetBuilder(std::string id = "net", std::string name = "");

    /// Room for so many nodes and arcs, to save growing.
    void reserve(std::size_t places, std::size_t transitions, std::size_t arcs);

    /// The id must be unique over places and transitions.
    PlaceId add_place(std::string id, Tokens initial = 0, std::string name = "");
    TransitionId add_transition(std::string id, std::string name = "");

    void set_immediate(TransitionId transition);
    void set_priority(TransitionId transition, std::int32_t priority);
    void set_position(PlaceId place, Position position);
    void set_position(TransitionId transition, Position position);

    /// Repeated arcs of one kind between the same nodes become one: input and output weights are summed, a
    /// read arc needs the larger weight, an inhibitor arc the smaller.
    void add_input(PlaceId from, TransitionId to, Tokens weight = 1);
    void add_output(TransitionId from, PlaceId to, Tokens weight = 1);
    void add_inhibitor(PlaceId place, TransitionId transition, Tokens weight = 1);
    void add_read(PlaceId place, TransitionId transition, Tokens weight = 1);
    void add_arc(ArcKind kind, PlaceId place, TransitionId transition, Tokens weight = 1);

    /// The place or transition with an id, if there is one.
    struct Node {
        bool is_place;
        std::uint32_t index;
    };
    std::optional<Node> find(std::string_view id) const { return find(id, IdTable::hash_of(id)); }
    /// REQUIRES: hash == IdTable::hash_of(id). See IdTable::prefetch().
    std::optional<Node> find(std::string_view id, std::uint32_t hash) const;
    void prefetch(std::uint32_t hash) const { ids_.prefetch(hash); }

    /// Hands over the net and leaves the builder empty. O(arcs), and O(n log n) in the arcs of one
    /// transition.
    Net build();

  private:
    void claim(const std::string& id, const char* what, std::uint32_t number);
    std::string_view id_of(std::uint32_t number) const;
    Place& at(PlaceId place);
    Transition& at(TransitionId transition);

    Net net_;
    IdTable ids_;  // a place has twice its index as number, a transition one more
};

}  // namespace warpnet

// State graphs in the format of Aldebaran as state machines: a place per state, a transition per edge. The
// number of states in the head must fit the edges that follow, so that a wrong head cannot take memory.
// O(text).
//
// The net is a state machine with one token, so its markings are the states. Edges with the same label are
// different transitions, numbered after the first, because ids are unique and the label is then the name.
// States without edges can be counted at most up to twice the edges plus one, which bounds the memory by the
// length of the text.

#include "engine/input/file_format.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/text/text_scanner.hpp"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace warpnet::pnml {

namespace {

constexpr Tokens most_states = 10'000'000;

class AutReader {
  public:
    AutReader(std::string_view text, const std::string& source) : in_(text, source) {}

    Net read() {
        in_.skip_space();
        if (!in_.skip("des")) in_.fail("expected des (initial, edges, states)");
        expect("(");
        const Tokens initial = number();
        expect(",");
        const Tokens edges = number();
        expect(",");
        const Tokens states = number();
        expect(")");
        if (states > most_states)
            in_.fail("expected at most " + std::to_string(most_states) + " states, found " +
                     std::to_string(states));
        if (initial >= states) in_.fail("the initial state " + std::to_string(initial) + " is none of them");
        for (in_.skip_space(); !in_.at_end(); in_.skip_space()) read_edge(states);
        const auto found = static_cast<Tokens>(edges_.size());
        if (found != edges)
            in_.fail("expected " + std::to_string(edges) + " edges, found " + std::to_string(found));
        // Memory follows the text that was read, and not a number in it.
        if (states > 2 * found + 1)
            in_.fail("expected states that edges begin or end at, found " + std::to_string(states) +
                     " states of " + std::to_string(found) + " edges");
        return build(initial, states);
    }

  private:
    struct Edge {
        std::size_t from;
        std::string label;
        std::size_t to;
    };

    void read_edge(Tokens states) {
        expect("(");
        const std::size_t from = state(states);
        expect(",");
        std::string label = read_label();
        expect(",");
        const std::size_t to = state(states);
        expect(")");
        edges_.push_back({from, label.empty() ? "i" : std::move(label), to});
    }

    Net build(Tokens initial, Tokens states) {
        NetBuilder builder;
        std::unordered_set<std::string> ids;
        std::vector<PlaceId> places;
        for (Tokens s = 0; s < states; ++s) {
            const std::string id = "s" + std::to_string(s);
            places.push_back(builder.add_place(id, s == initial ? 1 : 0));
            ids.insert(id);
        }
        std::uint64_t repeated = 1;
        for (const Edge& edge : edges_) {
            std::string id = edge.label;
            while (!ids.insert(id).second) id = edge.label + "_" + std::to_string(++repeated);
            const TransitionId transition = builder.add_transition(id, id == edge.label ? "" : edge.label);
            builder.add_input(places[edge.from], transition);
            builder.add_output(transition, places[edge.to]);
        }
        return builder.build();
    }

    std::string read_label() {
        in_.skip_space();
        if (in_.skip("\"")) {
            std::string label(in_.take_while([](char c) { return c != '"' && c != '\n'; }));
            if (!in_.skip("\"")) in_.fail("a label does not end");
            return label;
        }
        std::string label(in_.take_while([](char c) { return c != ',' && c != '\n'; }));
        while (!label.empty() && label.back() == ' ') label.pop_back();
        return label;
    }

    std::size_t state(Tokens states) {
        const Tokens number = this->number();
        if (number >= states)
            in_.fail("expected a state below " + std::to_string(states) + ", found " +
                     std::to_string(number));
        return static_cast<std::size_t>(number);
    }

    Tokens number() {
        in_.skip_space();
        return in_.number(in_.digits(), "a number");
    }
    void expect(std::string_view text) {
        in_.skip_space();
        if (!in_.skip(text))
            in_.fail("expected " + std::string(text) + ", found '" + std::string(1, in_.peek()) + "'");
    }

    TextScanner in_;
    std::vector<Edge> edges_;
};

}  // namespace

Net read_aut(std::string_view text, const std::string& source) {
    require_format(text, source, "a state graph in the format of Aldebaran");
    return AutReader(text, source).read();
}

}  // namespace warpnet::pnml

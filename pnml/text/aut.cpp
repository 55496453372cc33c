#include "pnml/text/aut.hpp"

#include "engine/net/net_builder.hpp"
#include "pnml/text/text_scanner.hpp"

#include <string>
#include <unordered_set>
#include <vector>

namespace warpnet {

namespace {

constexpr Tokens most_states = 10'000'000;

class AutReader {
  public:
    AutReader(std::string_view text, const std::string& source) : in_(text, source) {}

    Net read() {
        blanks();
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
        for (Tokens s = 0; s < states; ++s) {
            places_.push_back(builder_.add_place("s" + std::to_string(s), s == initial ? 1 : 0));
            ids_.insert("s" + std::to_string(s));
        }
        Tokens found = 0;
        for (blanks(); !in_.at_end(); blanks()) {
            read_edge();
            ++found;
        }
        if (found != edges)
            in_.fail("expected " + std::to_string(edges) + " edges, found " + std::to_string(found));
        return builder_.build();
    }

  private:
    void read_edge() {
        expect("(");
        const PlaceId from = state();
        expect(",");
        const std::string label = read_label();
        expect(",");
        const PlaceId to = state();
        expect(")");
        const std::string name = label.empty() ? "i" : label;
        std::string id = name;
        while (!ids_.insert(id).second) id = name + "_" + std::to_string(++repeated_);
        const TransitionId transition = builder_.add_transition(id, id == name ? "" : name);
        builder_.add_input(from, transition);
        builder_.add_output(transition, to);
    }

    std::string read_label() {
        blanks();
        if (in_.skip("\"")) {
            std::string label(in_.take_while([](char c) { return c != '"' && c != '\n'; }));
            if (!in_.skip("\"")) in_.fail("a label does not end");
            return label;
        }
        std::string label(in_.take_while([](char c) { return c != ',' && c != '\n'; }));
        while (!label.empty() && label.back() == ' ') label.pop_back();
        return label;
    }

    PlaceId state() {
        const Tokens number = this->number();
        if (number >= std::ssize(places_))
            in_.fail("expected a state below " + std::to_string(places_.size()) + ", found " +
                     std::to_string(number));
        return places_[static_cast<std::size_t>(number)];
    }

    Tokens number() {
        blanks();
        return in_.number(in_.take_while([](char c) { return c >= '0' && c <= '9'; }), "a number");
    }
    void expect(std::string_view text) {
        blanks();
        if (!in_.skip(text))
            in_.fail("expected " + std::string(text) + ", found '" + std::string(1, in_.peek()) + "'");
    }
    void blanks() {
        in_.take_while([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    }

    TextScanner in_;
    NetBuilder builder_;
    std::vector<PlaceId> places_;
    std::unordered_set<std::string> ids_;
    std::uint64_t repeated_ = 1;
};

}  // namespace

Net read_aut(std::string_view text, const std::string& source) { return AutReader(text, source).read(); }

}  // namespace warpnet

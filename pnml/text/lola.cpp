// LoLA's format for low-level nets, by recursive descent with one word of look-ahead. Reserved words that
// are ids get an underscore when written. O(text log nodes).
//
// The arcs of a place that is listed twice are added up, as LoLA does. High-level nets are recognised by the
// first word that only they have, and that word is named. SAFE and FAIR are promises that do not change the
// net, so they are ignored. Read arcs are written as loops, since the format has none, and inhibitor arcs are
// errors (rewrite.hpp replaces them).

#include "engine/input/file_format.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/rewrite.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/text/text_scanner.hpp"
#include "pnml/xml/xml_writer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace warpnet::pnml {

namespace {

constexpr std::array keywords = {"PLACE",    "MARKING", "TRANSITION", "CONSUME", "PRODUCE", "SAFE",
                                 "STRONG",   "WEAK",    "FAIR",       "SORT",    "RECORD",  "ENUMERATE",
                                 "FUNCTION", "CONST",   "VAR",        "GUARD"};

bool is_keyword(std::string_view word) {
    return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

class LolaReader {
  public:
    LolaReader(std::string_view text, const std::string& source) : in_(text, source) { advance(); }

    Net read() {
        if (word_ == "SORT" || word_ == "FUNCTION" || word_ == "CONST")
            in_.fail("expected a place/transition net, found a high-level net (" + word_ + ")");
        expect("PLACE");
        read_places();
        expect("MARKING");
        if (word_ != ";") read_marking();
        expect(";");
        for (std::size_t p = 0; p < ids_.size(); ++p)
            places_[ids_[p]] = builder_.add_place(ids_[p], initial_[p]);
        while (!word_.empty()) read_transition();
        return builder_.build();
    }

  private:
    void read_places() {
        do {
            if (word_ == "SAFE") {
                advance();
                if (word_ != ":") {
                    in_.number(word_, "a number of tokens or :");
                    advance();
                }
                expect(":");
            }
            do {
                const std::string id = identifier("the id of a place");
                if (!numbers_.emplace(id, ids_.size()).second)
                    in_.fail("place '" + id + "' appears here twice");
                ids_.push_back(id);
                initial_.push_back(0);
                if (word_ == ":") in_.fail("expected a place/transition net, found a place with a sort");
            } while (take(","));
            expect(";");
        } while (word_ != "MARKING");
    }

    void read_marking() {
        do {
            const std::string id = identifier("the id of a place");
            const auto place = numbers_.find(id);
            if (place == numbers_.end()) in_.fail("expected a place, found '" + id + "'");
            Tokens& tokens = initial_[place->second];
            if (__builtin_add_overflow(tokens, weight(), &tokens))
                in_.fail("too many tokens in '" + id + "'");
        } while (take(","));
    }

    void read_transition() {
        expect("TRANSITION");
        const std::string id = identifier("the id of a transition");
        if (numbers_.contains(id)) in_.fail("transition '" + id + "' is a place, too");
        if (!transitions_.insert(id).second) in_.fail("transition '" + id + "' appears here twice");
        const TransitionId transition = builder_.add_transition(id);
        if (word_ == "STRONG" || word_ == "WEAK") {
            advance();
            expect("FAIR");
        }
        if (word_ == "VAR" || word_ == "GUARD")
            in_.fail("expected a place/transition net, found a high-level transition (" + word_ + ")");
        expect("CONSUME");
        read_arcs([&](PlaceId place, Tokens tokens) { builder_.add_input(place, transition, tokens); });
        expect("PRODUCE");
        read_arcs([&](PlaceId place, Tokens tokens) { builder_.add_output(transition, place, tokens); });
    }

    template <class Add>
    void read_arcs(Add&& add) {
        if (take(";")) return;
        do {
            const std::string id = identifier("the id of a place");
            const auto place = places_.find(id);
            if (place == places_.end()) in_.fail("expected a place, found '" + id + "'");
            const Tokens tokens = weight();
            if (tokens == 0) in_.fail("expected a weight of at least 1, found 0");
            add(place->second, tokens);
        } while (take(","));
        expect(";");
    }

    /// Parses ": 3" or nothing.
    Tokens weight() {
        if (!take(":")) return 1;
        const Tokens tokens = in_.number(word_, "a number");
        advance();
        return tokens;
    }

    std::string identifier(const char* what) {
        if (word_.empty() || word_ == "," || word_ == ";" || word_ == ":" || is_keyword(word_))
            in_.fail(std::string("expected ") + what + ", found '" + word_ + "'");
        std::string id = word_;
        advance();
        return id;
    }

    bool take(std::string_view word) {
        if (word_ != word) return false;
        advance();
        return true;
    }
    void expect(std::string_view word) {
        if (!take(word))
            in_.fail("expected " + std::string(word) + ", found " +
                     (word_.empty() ? "the end" : "'" + word_ + "'"));
    }

    void advance() {
        for (;;) {
            in_.skip_space();
            if (in_.skip("{")) {
                in_.take_while([](char c) { return c != '}'; });
                if (!in_.skip("}")) in_.fail("a comment does not end");
            } else if (in_.skip("//")) {
                in_.take_while([](char c) { return c != '\n'; });
            } else {
                break;
            }
        }
        const char first = in_.peek();
        if (first == ',' || first == ';' || first == ':') {
            word_ = in_.next();
        } else {
            word_ = in_.take_while(
                [](char c) { return std::string_view(",;:(){} \t\n\r").find(c) == std::string_view::npos; });
            if (word_.empty() && !in_.at_end()) in_.fail(std::string("unexpected '") + first + "'");
        }
    }

    TextScanner in_;
    std::string word_;  // the next word; empty at the end
    NetBuilder builder_;
    std::vector<std::string> ids_;
    std::vector<Tokens> initial_;
    std::map<std::string, std::size_t> numbers_;
    std::map<std::string, PlaceId> places_;
    std::set<std::string> transitions_;
};

class LolaWriter {
  public:
    explicit LolaWriter(const Net& net) : net_(net), ids_(net) {
        std::set<std::string> taken;
        for (std::size_t p = 0; p < net.places().size(); ++p) taken.insert(ids_.of(PlaceId(p)));
        for (std::size_t t = 0; t < net.transitions().size(); ++t) taken.insert(ids_.of(TransitionId(t)));
        for (const char* keyword : keywords) {
            std::string id = std::string(keyword) + "_";
            while (taken.contains(id)) id += "_";
            instead_[keyword] = id;
        }
    }

    std::string write() {
        text_ = "{ net " + ids_.net() + " }\nPLACE\n";
        list(net_.places().size(), [&](std::size_t p) { return id(PlaceId(p)); });
        text_ += "MARKING\n";
        std::vector<std::size_t> marked;
        for (std::size_t p = 0; p < net_.places().size(); ++p) {
            if (net_.places()[p].initial > 0) marked.push_back(p);
        }
        list(marked.size(), [&](std::size_t i) {
            return id(PlaceId(marked[i])) + ": " + std::to_string(net_.places()[marked[i]].initial);
        });
        for (std::size_t t = 0; t < net_.transitions().size(); ++t) {
            text_ += "TRANSITION " + id(TransitionId(t)) + "\nCONSUME\n";
            write_arcs(TransitionId(t), ArcKind::input);
            text_ += "PRODUCE\n";
            write_arcs(TransitionId(t), ArcKind::output);
        }
        return std::move(text_);
    }

  private:
    /// xml::Ids contain letters, digits and '_' only. Ids that are reserved words of LoLA are changed.
    template <class NodeId>
    const std::string& id(NodeId node) const {
        const auto other = instead_.find(ids_.of(node));
        return other == instead_.end() ? ids_.of(node) : other->second;
    }

    template <class Item>
    void list(std::size_t count, Item&& item) {
        for (std::size_t i = 0; i < count; ++i) text_ += (i == 0 ? "  " : ",\n  ") + item(i);
        text_ += ";\n";
    }

    void write_arcs(TransitionId transition, ArcKind kind) {
        std::vector<Arc> arcs;
        for (const Arc& arc : net_.arcs_of(transition)) {
            if (arc.kind == kind) arcs.push_back(arc);
        }
        list(arcs.size(),
             [&](std::size_t i) { return id(arcs[i].place) + ": " + std::to_string(arcs[i].weight); });
    }

    const Net& net_;
    xml::Ids ids_;
    std::map<std::string, std::string> instead_;
    std::string text_;
};

}  // namespace

Net read_lola(std::string_view text, const std::string& source) {
    require_format(text, source, "a net in LoLA's format");
    return LolaReader(text, source).read();
}

std::string write_lola(const Net& net) {
    require_plain(net, "LoLA's format");
    const RewrittenNet plain = without_reads(net);
    return LolaWriter(plain.net).write();
}

}  // namespace warpnet::pnml

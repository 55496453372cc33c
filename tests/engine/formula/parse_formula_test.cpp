#include "engine/formula/parse_formula.hpp"

#include "engine/formula/condition.hpp"
#include "engine/net/net_builder.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

using Kind = Formula::Kind;

Net small_net(const char* third = "r") {
    NetBuilder net("small");
    const PlaceId p = net.add_place("p");
    const PlaceId q = net.add_place("q");
    net.add_place(third);
    const TransitionId t = net.add_transition("t");
    net.add_input(p, t, 2);
    net.add_inhibitor(q, t, 3);
    net.add_output(t, q);
    net.add_transition("u");
    return net.build();
}

Formula parsed(const std::string& text, FormulaLanguage language = FormulaLanguage::temporal) {
    return parse_formula(text, small_net(), language);
}

Formula at_least(std::uint32_t place, Tokens tokens) {
    return comparison({{{place, 1}}, {}, -tokens}, Relation::greater_equal);
}

std::string message(const std::string& text, FormulaLanguage language) {
    try {
        parse_formula(text, small_net(), language);
    } catch (const ConditionError& error) {
        const std::string what = error.what();
        return what.substr(0, what.find('\n'));
    }
    return "no error";
}

}  // namespace

TEST_CASE("formulas are read as they bind") {
    const Formula p = at_least(0, 1), q = at_least(1, 1);
    CHECK(parsed("p >= 1") == p);
    CHECK(parsed("AG p >= 1") == temporal(Kind::globally, true, {p}));
    CHECK(parsed("EF not p >= 1 and q >= 1") ==
          conjunction({temporal(Kind::finally, false, {negation(p)}), q}));
    CHECK(parsed("AG (p >= 1 -> AF q >= 1)") ==
          temporal(Kind::globally, true, {disjunction({negation(p), temporal(Kind::finally, true, {q})})}));
    CHECK(parsed("p >= 1 -> q >= 1 -> p >= 1") == disjunction({negation(p), disjunction({negation(q), p})}));
    CHECK(parsed("E(p >= 1 U q >= 1)") == temporal(Kind::until, false, {p, q}));
    CHECK(parsed("A (true U (EX q >= 1))") ==
          temporal(Kind::until, true, {constant(true), temporal(Kind::next, false, {q})}));
    CHECK(parsed("enabled(t, u) or dead") == disjunction({enabled_one_of({0, 1}), dead_marking()}));
    CHECK(parse_sum("p + 2*q - 3", small_net()) == LinearSum{{{0, 1}, {1, 2}}, {}, -3});
}

TEST_CASE("enabled and dead are conditions on places") {
    const Condition enabled = parse_condition("enabled(t)", small_net());
    const Condition dead = parse_condition("dead", small_net());
    for (Tokens p = 0; p < 4; ++p) {
        for (Tokens q = 0; q < 5; ++q) {
            CHECK(enabled.holds(Marking{p, q, 0}, {}) == (p >= 2 && q < 3));
            CHECK_FALSE(dead.holds(Marking{p, q, 0}, {}));  // u is always enabled
        }
    }
}

TEST_CASE("a node called as a word is the node, except in temporal formulas") {
    const Net net = small_net("dead");
    CHECK(parse_formula("dead > 0", net, FormulaLanguage::of_markings).kind == Kind::comparison);
    CHECK(parse_formula("dead", net, FormulaLanguage::temporal) == dead_marking());
    CHECK(parse_formula("'dead' > 0", net, FormulaLanguage::temporal).kind == Kind::comparison);
}

TEST_CASE("an invalid formula is reported with its column") {
    const auto marking = FormulaLanguage::of_markings;
    CHECK(message("t > 0", marking) ==
          "condition, column 1: expected a place (a marking knows no firings; enabled(t)?), found the "
          "transition 't'");
    CHECK(message("enabled(p)", marking) ==
          "condition, column 9: expected the id of a transition of net 'small', found 'p'");
    CHECK(message("enabled(t", marking) == "condition, column 10: expected ',' or ')', found the end");
    CHECK(message("EF p > 0", marking) ==
          "condition, column 1: expected the id of a place or transition of net 'small', found 'EF'");
    CHECK(message("E(p > 0)", FormulaLanguage::temporal) == "condition, column 8: expected 'U', found ')'");
    CHECK(message("AG", FormulaLanguage::temporal).starts_with("condition, column 3: expected a place"));
    std::string deep;
    for (int i = 0; i < 300; ++i) deep += "EX ";
    CHECK(message(deep + "p > 0", FormulaLanguage::temporal)
              .ends_with("expected at most 200 levels of nesting, found 'EX'"));
    CHECK_THROWS_AS(parse_sum("p > 0", small_net()), ConditionError);
    CHECK_THROWS_AS(parse_sum("t", small_net()), ConditionError);
}

TEST_CASE("a condition calls nodes by their ids or, in quotes, by names that one node has") {
    NetBuilder builder("signs");
    builder.add_place("cs-1", 1, "critical section");
    builder.add_place("p2", 0, "twice");
    builder.add_place("p3", 0, "twice");
    builder.add_transition("t-1", "leave");
    const Net net = builder.build();
    const auto sum = [&](const char* text) { return parse_sum(text, net); };
    const LinearSum first{{{0, 1}}, {}, 0};
    CHECK(sum("\"cs-1\"") == first);
    CHECK(sum("'critical section'") == first);
    CHECK(parse_formula("enabled('leave')", net, FormulaLanguage::temporal) == enabled_one_of({0}));
    const auto fault = [&](const char* text) -> std::string {
        try {
            parse_sum(text, net);
        } catch (const ConditionError& error) {
            const std::string what = error.what();
            return what.substr(0, what.find('\n'));
        }
        return "no error";
    };
    const std::string begin =
        "condition, column 1: expected the id of a place or transition of net 'signs', ";
    CHECK(fault("cs-1 + p2") == begin + "found 'cs'; write it in quotes: \"cs-1\"");
    CHECK(fault("critical section") == begin + "found 'critical'; write it in quotes: \"critical section\"");
    CHECK(fault("'twice'") ==
          "condition, column 1: expected a name that one node has, found 'twice', the name of p2 and p3");
    CHECK(fault("p22") == begin + "found 'p22'; did you mean p2?");
    CHECK(fault("something_else") == begin + "found 'something_else'");
}

#include "engine/formula/condition.hpp"

#include "engine/net/net_builder.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

Net net_with_odd_ids() {
    NetBuilder net("small");
    for (const char* id : {"p", "q", "odd id", "and", "it's", "\xc3\xa9t\xc3\xa9"}) net.add_place(id);
    net.add_transition("t");
    net.add_transition("u");
    return net.build();
}

/// Checks all p, q < 5 and firings of t, u < 3.
void expect_meaning(const char* text, const std::function<bool(int p, int q, int t, int u)>& meaning) {
    CAPTURE(text);
    const Condition condition = parse_condition(text, net_with_odd_ids());
    for (int p = 0; p < 5; ++p) {
        for (int q = 0; q < 5; ++q) {
            for (int t = 0; t < 3; ++t) {
                for (int u = 0; u < 3; ++u) {
                    CAPTURE(p, q, t, u);
                    const std::vector<std::uint64_t> firings = {static_cast<std::uint64_t>(t),
                                                                static_cast<std::uint64_t>(u)};
                    CHECK(condition.holds(Marking{p, q, 0, 0, 0, 0}, firings) == meaning(p, q, t, u));
                }
            }
        }
    }
}

std::string condition_error(const std::string& text) {
    try {
        parse_condition(text, net_with_odd_ids());
    } catch (const ConditionError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("conditions mean what they say") {
    expect_meaning("p > 3", [](int p, int, int, int) { return p > 3; });
    expect_meaning("p>3 and q=0", [](int p, int q, int, int) { return p > 3 && q == 0; });
    expect_meaning("p >= 3 && !(q == 0)", [](int p, int q, int, int) { return p >= 3 && q != 0; });
    expect_meaning("p <= q", [](int p, int q, int, int) { return p <= q; });
    expect_meaning("p <> q", [](int p, int q, int, int) { return p != q; });
    expect_meaning("2*p - q*3 < 1 + t", [](int p, int q, int t, int) { return 2 * p - 3 * q < 1 + t; });
    expect_meaning("t = 2 || u != 1", [](int, int, int t, int u) { return t == 2 || u != 1; });
    expect_meaning("2*(p + q) > 3*-(t - 2)",
                   [](int p, int q, int t, int) { return 2 * (p + q) > -3 * (t - 2); });
    expect_meaning("((p)) = (q)", [](int p, int q, int, int) { return p == q; });
    expect_meaning("p - p = q - 1", [](int, int q, int, int) { return q == 1; });
    expect_meaning("\"odd id\" = 0 and 'and' = 0 and \"it's\" = 0 and 'it''s' < 1 and \xc3\xa9t\xc3\xa9 = 0",
                   [](int, int, int, int) { return true; });
}

TEST_CASE("not binds more tightly than and, and than or") {
    expect_meaning("p = 1 or p = 2 and q = 1",
                   [](int p, int q, int, int) { return p == 1 || (p == 2 && q == 1); });
    expect_meaning("(p = 1 or p = 2) and q = 1",
                   [](int p, int q, int, int) { return (p == 1 || p == 2) && q == 1; });
    expect_meaning("not p = 1 and q = 1", [](int p, int q, int, int) { return p != 1 && q == 1; });
    expect_meaning("not (p = 1 and q = 1)", [](int p, int q, int, int) { return !(p == 1 && q == 1); });
    expect_meaning("not not p = 1", [](int p, int, int, int) { return p == 1; });
}

TEST_CASE("a condition knows what it mentions") {
    const Condition condition = parse_condition("u > 0 and (q = 1 or p + q = 2)", net_with_odd_ids());
    CHECK(std::ranges::equal(condition.places(), std::vector<std::uint32_t>{0, 1}));
    CHECK(std::ranges::equal(condition.transitions(), std::vector<std::uint32_t>{1}));
}

TEST_CASE("large sums do not overflow") {
    Marking marking(6, max_tokens);
    CHECK(parse_condition("2147483647*p + 2147483647*q > 9223372036854775807", net_with_odd_ids())
              .holds(marking, {}));
    CHECK_FALSE(parse_condition("-2147483647*p - 2147483647*q > 0", net_with_odd_ids()).holds(marking, {}));
}

TEST_CASE("an invalid condition is reported with its column") {
    CHECK(condition_error("p > 3 and no_such = 0") ==
          "condition, column 11: expected the id of a place or transition of net 'small', found 'no_such'\n"
          "  p > 3 and no_such = 0\n"
          "            ^");
    CHECK(condition_error("\xc3\xa9t\xc3\xa9 > ?") ==
          "condition, column 7: expected an id, a number or an operator, found '?'\n"
          "  \xc3\xa9t\xc3\xa9 > ?\n"
          "        ^");
    const auto begins = [](const std::string& text, const std::string& start) {
        CAPTURE(text, condition_error(text));
        CHECK(condition_error(text).starts_with("condition, column " + start));
    };
    begins("", "1: expected a place, a transition, a number or '(', found the end");
    begins("p", "2: expected a comparison such as '> 0', found the end");
    begins("p and q = 0", "1: expected a comparison, found a sum alone");
    begins("p = 0 and q", "12: expected a comparison such as '> 0', found the end");
    begins("p = 0 q", "7: expected 'and', 'or' or the end, found 'q'");
    begins("p < q < 3", "7: expected 'and', 'or' or the end, found '<'");
    begins("(p = 0", "7: expected ')', found the end");
    begins("(p = 0) + 1 > 2", "1: expected a sum of tokens, firings and numbers, found a condition");
    begins("p * q = 0", "3: expected a number on one side of '*'");
    begins("p = 3x", "5: expected a whole number below 2^63, found '3x'");
    begins("p = 9223372036854775808", "5: expected a whole number below 2^63");
    begins("2147483648 * p = 0", "12: expected coefficients below 2^31");
    begins("'p = 0", "1: expected a closing quote");
    begins("not p", "6: expected a comparison such as '> 0'");
    begins(std::string(1000, '('), "201: expected at most 200 levels of nesting");
    begins(std::string(1000, '-') + "p = 0", "201: expected at most 200 levels");
}

#include "analysis/studies/files/schedule_csv.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/unknown_parts.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net three_transitions() {
    NetBuilder net("three");
    net.add_transition("a");
    net.add_transition("b,c");
    net.add_transition("d");
    return net.build();
}

std::string message(const std::string& rows) {
    return input_error_of([&] {
        studies::read_schedule_csv("step,immediate,transition\n" + rows, "s.csv", three_transitions());
    });
}

}  // namespace

TEST_CASE("control characters of ids are visible in a schedule, and it can be read") {
    NetBuilder builder;
    builder.add_transition("a");
    builder.add_transition("\x1b[2J, \xc2\x9b\\");
    const Net net = builder.build();
    const Schedule schedule = {{false, {1, 0}}};
    const std::string csv = studies::write_schedule_csv(net, schedule);
    CHECK(csv == "step,immediate,transition\n1,0,\"\\u001b[2J, \\u009b\\\"\n1,0,a\n");
    CHECK(studies::read_schedule_csv(csv, "s.csv", net) == schedule);
    CHECK(studies::read_schedule_csv("step,immediate,transition\n1,0,\"\x1b[2J, \xc2\x9b\\\"\n1,0,a\n",
                                     "s.csv", net) == schedule);
}

TEST_CASE("a schedule that is written can be read") {
    const Schedule schedule = {{false, {0, 1}}, {true, {2}}, {true, {2, 2}}, {false, {1}}};
    const std::string csv = studies::write_schedule_csv(three_transitions(), schedule);
    CHECK(csv == "step,immediate,transition\n1,0,a\n1,0,\"b,c\"\n2,1,d\n3,1,d\n3,1,d\n4,0,\"b,c\"\n");
    CHECK(studies::read_schedule_csv(csv, "s.csv", three_transitions()) == schedule);
    CHECK(studies::read_schedule_csv("step,immediate,transition\n", "s.csv", three_transitions()).empty());
}

TEST_CASE("what is no schedule is refused") {
    CHECK(message("1,0,a\n2,0,d\n").empty());
    CHECK(message("2,0,a\n") == "s.csv:2: expected step 1, found '2'");
    CHECK(message("1,0,a\n3,0,a\n") == "s.csv:3: expected step 1 or 2, found '3'");
    CHECK(message("1,0,a\n2,0,a\n1,0,d\n") == "s.csv:4: expected step 2 or 3, found '1'");
    CHECK(message("1,2,a\n") == "s.csv:2: expected 0 or 1 in column 'immediate', found '2'");
    CHECK(message("1,0,a\n1,1,d\n") ==
          "s.csv:3: expected the same 'immediate' in all rows of a step, found '1'");
    CHECK(message("1,0,e\n") == "s.csv:2: expected the id of a transition of net 'three', found 'e'");
    CHECK(message("1,0\n") == "s.csv:2: expected three fields, found '1,0'");
    CHECK_THROWS_WITH(studies::read_schedule_csv("time,what\n", "s.csv", three_transitions()),
                      "s.csv:1: expected the header 'step,immediate,transition', found 'time,what'");
    CHECK_THROWS_AS(studies::read_schedule_csv("", "s.csv", three_transitions()), InputError);
}

TEST_CASE("unknown parts: schedule csv") {
    check_unknown_parts("step,immediate,transition\n1,0,a\n1,0,d\n2,1,d\n", insert_word, 500,
                        [](const std::string& text, std::vector<std::string>&) {
                            studies::read_schedule_csv(text, "s.csv", three_transitions());
                        });
}

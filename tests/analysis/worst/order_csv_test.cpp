#include "analysis/worst/order_csv.hpp"

#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedulers.hpp"
#include "analysis/worst/search/service_starts.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/unknown_parts.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

template <class Instance>
std::string message(const std::string& text, const Instance& instance) {
    return input_error_of([&] { worst::read_order_csv(text, "o.csv", instance); });
}

netgen::KernelInstance two_warps_of_two() {
    return {.warps = 2, .type = {0, 1}, .capacity = {1, 1}, .schedulers = {}, .level = {}};
}

Net two_warps() {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {.arith = 2, .shared = 1});
    return netgen::warps_net(spec);
}

}  // namespace

TEST_CASE("order csv: of a kernel") {
    const netgen::KernelInstance kernel = two_warps_of_two();
    const worst::PrecedenceString string{1, 0, 0, 1};
    const std::string csv =
        worst::write_order_csv(kernel, decode(kernel, string, worst::StringReading::serial));
    CHECK(csv == "warp,cycle\n2,1\n1,2\n2,2\n1,3\n");
    CHECK(worst::read_order_csv(csv, "o.csv", kernel) == worst::PrecedenceString{1, 0, 1, 0});
    CHECK(worst::read_order_csv("warp\n2\n1\n1\n2\n", "o.csv", kernel) == string);
    CHECK(message("", kernel) == "o.csv:1: expected the header 'warp,cycle', found nothing");
    CHECK(message("warp,cycle\n2,0\n", kernel) ==
          "o.csv:2: expected a cycle from 1 to 4294967295, found '0'");
    CHECK(message("warp,cycle\n2\n", kernel) == "o.csv:2: expected the fields warp,cycle, found '2'");
    CHECK(message("transition\nx\n", kernel) ==
          "o.csv:1: expected the header 'warp,cycle' of an order of this net, found 'transition'");
    CHECK(message("warp\n1\n3\n", kernel) == "o.csv:3: expected a warp from 1 to 2, found '3'");
    CHECK(message("warp\n1\n1\n1\n", kernel) ==
          "o.csv:4: expected 2 rows of each warp, found one more of warp 1");
    CHECK(message("warp\n1\n1\n2\n", kernel) ==
          "o.csv:5: expected 2 rows of each of 2 warps, found the end after 3");
}

TEST_CASE("order csv: of a net whose parts meet in hubs") {
    const Net net = two_warps();
    const Plan planned = plan(compile(net));
    const worst::ServiceInstance instance(planned, 1000, 1);
    CounterRandom random(1, 1);
    const worst::ServiceOrder plan = instance.starts.random_order(random);
    CHECK(worst::read_order_csv(worst::write_order_csv(instance, plan), "o.csv", instance) == plan);
    const std::string head = "part,priority,choice\n";
    CHECK(message(head + "2,1,0\n", instance) == "o.csv:2: expected part 1, found part 2");
    CHECK(message(head + "1,-1,0\n", instance) ==
          "o.csv:2: expected a priority from 0 to 4294967295, found '-1'");
    CHECK(message(head + "1,1,9\n", instance).starts_with("o.csv:2: expected a choice from 0 to "));
    CHECK(message(head + "1,1\n", instance) ==
          "o.csv:2: expected the fields part,priority,choice, found '1,1'");
    CHECK(message(head + "1,1,0\n", instance).ends_with("found the end after part 1"));
    CHECK(message(head + "1,1,0\n9,1,0\n", instance).starts_with("o.csv:3: expected a part from 1 to "));
}

TEST_CASE("order csv: of any other net") {
    const Net net = two_warps();
    const worst::OrderInstance instance(net, plan(compile(net)), 1000);
    const std::vector<std::uint32_t> order{3, 1, 4, 1};
    CHECK(worst::read_order_csv(worst::write_order_csv(instance, order), "o.csv", instance) == order);
    CHECK(message("transition\nnone\n", instance) ==
          "o.csv:2: expected the id of a transition of net 'warps', found 'none'");
    CHECK(message("transition\na,b\n", instance) == "o.csv:2: expected the fields transition, found 'a,b'");
}

TEST_CASE("unknown parts: order csv") {
    const Net net = two_warps();
    const worst::OrderInstance instance(net, plan(compile(net)), 1000);
    check_unknown_parts(worst::write_order_csv(instance, {3, 1, 4, 1}), insert_word, 500,
                        [&](const std::string& text, std::vector<std::string>&) {
                            worst::read_order_csv(text, "o.csv", instance);
                        });
}

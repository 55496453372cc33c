#include "analysis/search/order_team.hpp"

#include "analysis/search/order_checkpoint.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/team_of_threads.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string timeless(const Net& net, std::vector<OrderChain> chains) {
    for (OrderChain& chain : chains)
        for (OrderImprovement& improvement : chain.log) improvement.seconds = 0;
    return write_order_chains(net, chains);
}

Net small_warps() {
    WarpsSpec spec;
    spec.warps.assign(3, {.arith = 3, .shared = 1, .global = 1});
    spec.schedulers = 1;
    return warps_net(spec);
}

OrderSearchStop by_team(int size, const Net& net, const OrderSearchOptions& options,
                        std::vector<OrderChain>& chains, const OrderSearchLimits& limits = {},
                        const std::function<void()>& save = {}) {
    OrderSearchStop stop = OrderSearchStop::complete;
    const CompiledNet compiled = compile(net);
    TeamOfThreads::run(size, [&](Team& team) {
        if (team.rank() > 0) return follow_order_search(team, 1, net, compiled, options, {});
        stop = lead_order_search(team, 1, net, compiled, options, chains, limits, save);
    });
    return stop;
}

}  // namespace

TEST_CASE("a team of any size searches orders as one process does") {
    const Net net = small_warps();
    const CompiledNet compiled = compile(net);
    OrderSearchOptions options;
    options.iterations = 400;
    options.chains = 5;
    options.max_steps = GENERATE(std::uint64_t{10'000'000}, std::uint64_t{80});  // some runs take longer
    std::vector<OrderChain> expected = begin_order_search(compiled, options);
    const OrderSearchStop stop = continue_order_search(compiled, options, expected);
    for (const int size : {1, 2, 4}) {
        std::vector<OrderChain> chains = begin_order_search(compiled, options);
        CHECK(by_team(size, net, options, chains) == stop);
        CHECK(timeless(net, chains) == timeless(net, expected));
    }
}

TEST_CASE("a search over orders that a team was interrupted in goes on to the same end") {
    const Net net = small_warps();
    const CompiledNet compiled = compile(net);
    OrderSearchOptions options;
    options.iterations = 400;
    std::vector<OrderChain> expected = begin_order_search(compiled, options);
    continue_order_search(compiled, options, expected);

    OrderCheckpoint state{options, begin_order_search(compiled, options)};
    std::atomic<bool> interrupt = false;
    OrderSearchLimits limits;
    limits.interrupt = &interrupt;
    const auto save = [&] {
        for (const OrderChain& chain : state.chains)
            if (chain.iteration > 0) interrupt = true;
    };
    CHECK(by_team(3, net, options, state.chains, limits, save) == OrderSearchStop::interrupted);
    OrderCheckpoint again = read_order_checkpoint(net, write_order_checkpoint(net, state));
    CHECK(by_team(2, net, options, again.chains) == OrderSearchStop::complete);
    CHECK(timeless(net, again.chains) == timeless(net, expected));
}

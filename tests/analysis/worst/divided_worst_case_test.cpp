// Several ranks find one answer for a net; tests/support/ranks.hpp simulates them by threads.

#include "analysis/worst/worst_case.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/ranks.hpp"

#include <atomic>
#include <functional>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

using Find = std::function<worst::WorstCase(const worst::WorstCaseOptions&)>;

/// Nets for which different methods answer, and an instance of a kernel.
Find find_in(int number) {
    if (number == 0)
        return [](const worst::WorstCaseOptions& own) {
            return worst::worst_case(netgen::normalise(voronoi(5, 4)), own);
        };
    if (number == 1) {
        netgen::WarpsSpec spec;
        spec.warps.assign(3, {4, 1, 1});
        return [spec](const worst::WorstCaseOptions& own) { return worst::worst_case(spec, own); };
    }
    const Net net = random_net(static_cast<std::uint64_t>(number));
    return [net](const worst::WorstCaseOptions& own) { return worst::worst_case(net, own); };
}

void check_equal(const worst::WorstCase& divided, const worst::WorstCase& alone) {
    CHECK(divided.found == alone.found);
    CHECK(divided.bound == alone.bound);
    CHECK(divided.exact == alone.exact);
    CHECK(divided.endless == alone.endless);
    CHECK(divided.schedule == alone.schedule);
    CHECK(divided.instructions == alone.instructions);
    CHECK(divided.method == alone.method);
    CHECK(divided.arguments == alone.arguments);
    CHECK(divided.limits_hit == alone.limits_hit);
    CHECK(divided.order == alone.order);
}

worst::WorstCaseOptions small_search() {
    worst::WorstCaseOptions options;
    options.iterations = 300;
    options.chains = 3;
    options.max_steps = 1000;
    options.threads = 1;
    return options;
}

}  // namespace

TEST_CASE("the worst case is the same on any number of ranks") {
    const int number = GENERATE(0, 1, 2, 4, 5, 6, 7);
    const Find find = find_in(number);
    for (const bool exact : {false, true}) {
        if (exact && number > 1) continue;  // some random nets have no end
        worst::WorstCaseOptions options = small_search();
        options.exact = exact;
        options.wants_order = number == 1;
        CAPTURE(number, exact);
        const worst::WorstCase alone = find(options);
        for (const int size : {2, 5}) check_equal(result_on_ranks(size, options, find), alone);
    }
}

TEST_CASE("rank 0 alone has what a search goes on from") {
    const Find find = find_in(1);
    worst::WorstCaseOptions options = small_search();
    options.wants_order = true;
    const worst::WorstCase first = find(options);
    REQUIRE_FALSE(first.order.empty());
    std::string saved;
    options.order = {"order.csv", first.order};
    options.save = [&](const std::function<std::string()>& text, bool) { saved = text(); };
    find(options);
    REQUIRE_FALSE(saved.empty());
    options.saved = {"search.json", saved};
    options.save = {};
    options.iterations = 600;
    const worst::WorstCase alone = find(options);
    check_equal(result_on_ranks(3, options,
                                [&](worst::WorstCaseOptions own) {
                                    if (ranks::leads(own.ranks)) return find(own);
                                    own.order.reset();
                                    own.saved.reset();
                                    return find(own);
                                }),
                alone);
}

TEST_CASE("a worst case on ranks of which one is interrupted ends on all") {
    const int number = GENERATE(0, 1, 4);
    const int stopped = GENERATE(0, 1);
    const Find find = find_in(number);
    worst::WorstCaseOptions options = small_search();
    options.iterations = 300'000;
    const std::atomic<bool> interrupt = true;
    const worst::WorstCase worst = result_on_ranks(3, options, [&](worst::WorstCaseOptions own) {
        if (own.ranks->rank() == stopped) own.limits.interrupt = &interrupt;
        return find(own);
    });
    CHECK(worst.iterations < 3 * 300'000);
}

TEST_CASE("what is wrong on one rank is thrown on all") {
    worst::WorstCaseOptions options = small_search();
    options.saved = {"search.json", "{}"};
    std::atomic<int> threw = 0;
    TeamOfThreads::run(3, [&](ranks::Team& team) {
        ranks::Collectives ranks(team);
        worst::WorstCaseOptions own = options;
        own.ranks = &ranks;
        if (team.rank() > 0) own.saved.reset();
        try {
            find_in(0)(own);
        } catch (const std::exception&) {
            ++threw;
        }
    });
    CHECK(threw == 3);
}

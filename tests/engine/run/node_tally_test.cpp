#include "engine/run/node_tally.hpp"

#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "tests/support/random_net.hpp"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// The definition, applied to all markings of a run.
struct Markings : Observer {
    std::vector<Marking> before_timed_steps;
    std::vector<std::vector<Firing>> timed_steps;
    std::vector<Marking> all;
    void step(std::uint64_t, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (!immediate) {
            before_timed_steps.push_back(all.back());
            timed_steps.emplace_back(firings.begin(), firings.end());
        }
        all.emplace_back(marking.begin(), marking.end());
    }
};

/// The tokens that the firings of a step take from a place, without firings that leave the marking unchanged.
std::int64_t taken_by_users(const Net& net, const std::vector<Firing>& firings, std::size_t place) {
    std::int64_t taken = 0;
    for (const auto [transition, times] : firings) {
        std::map<std::size_t, std::int64_t> change;
        std::int64_t weight = 0;
        for (const Arc& arc : net.arcs()) {
            if (index(arc.transition) != transition) continue;
            if (arc.kind == ArcKind::input) change[index(arc.place)] -= arc.weight;
            if (arc.kind == ArcKind::output) change[index(arc.place)] += arc.weight;
            if (arc.kind == ArcKind::input && index(arc.place) == place) weight += arc.weight;
        }
        const bool changes = std::any_of(change.begin(), change.end(), [](auto c) { return c.second != 0; });
        if (changes) taken += times * weight;
    }
    return taken;
}

}  // namespace

TEST_CASE("statistics of nodes are those of all markings and counts") {
    rc::prop("three runs", [](std::uint64_t seed) {
        const Net net = random_net(seed);
        const CompiledNet compiled = compile(net);
        NodeTally tally(compiled);
        ManyOptions many;
        many.run.seed = seed;
        many.run.max_steps = 30;
        many.run.count_firings = true;
        many.runs = 3;
        many.threads = 2;
        many.tally = &tally;
        const auto results = run_many(compiled, many);

        Markings seen;
        for (std::uint64_t r = 0; r < 3; ++r) {
            seen.all.push_back(net.initial_marking());
            RunOptions options = many.run;
            options.run = r;
            run(compiled, options, &seen);
        }
        RC_ASSERT(tally.runs() == 3u);
        RC_ASSERT(tally.steps() == seen.before_timed_steps.size());
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            double tokens = 0, marked = 0;
            Tokens max = 0;
            for (const Marking& marking : seen.before_timed_steps) {
                tokens += static_cast<double>(marking[p]);
                marked += marking[p] > 0 ? 1 : 0;
            }
            for (const Marking& marking : seen.all) max = std::max(max, marking[p]);
            const auto steps = static_cast<double>(std::max<std::size_t>(1, seen.before_timed_steps.size()));
            RC_ASSERT(tally.place(p).mean == Approx(tokens / steps));
            RC_ASSERT(tally.place(p).marked == Approx(marked / steps));
            RC_ASSERT(tally.place(p).max == max);
            double idle = 0, taken = 0;
            for (std::size_t s = 0; s < seen.timed_steps.size(); ++s) {
                const std::int64_t takes = taken_by_users(net, seen.timed_steps[s], p);
                taken += static_cast<double>(takes);
                if (takes == 0 && seen.before_timed_steps[s][p] == net.initial_marking()[p]) ++idle;
            }
            RC_ASSERT(tally.place(p).idle == Approx(idle / steps));
            RC_ASSERT(tally.place(p).taken == Approx(taken / steps));
        }
        for (std::size_t t = 0; t < net.transitions().size(); ++t) {
            double sum = 0, squares = 0;
            std::uint64_t min = ~std::uint64_t{0}, max = 0;
            for (const RunResult& result : results) {
                sum += static_cast<double>(result.counts[t]);
                min = std::min(min, result.counts[t]);
                max = std::max(max, result.counts[t]);
            }
            for (const RunResult& result : results) {
                const double deviation = static_cast<double>(result.counts[t]) - sum / 3;
                squares += deviation * deviation;
            }
            const TransitionStatistics statistics = tally.transition(t);
            RC_ASSERT(statistics.min == min);
            RC_ASSERT(statistics.max == max);
            RC_ASSERT(statistics.mean == Approx(sum / 3));
            RC_ASSERT(statistics.stddev == Approx(std::sqrt(squares / 2)).margin(1e-9));
        }
    });
}

TEST_CASE("statistics are the same on any number of threads") {
    const CompiledNet net = compile(random_net(5));
    const auto tally_with = [&](int threads) {
        NodeTally tally(net);
        ManyOptions many;
        many.run.max_steps = 50;
        many.runs = 200;
        many.threads = threads;
        many.tally = &tally;
        run_many(net, many);
        return tally;
    };
    const NodeTally one = tally_with(1), three = tally_with(3);
    for (std::size_t p = 0; p < net.place_count(); ++p) CHECK(one.place(p).mean == three.place(p).mean);
    for (std::size_t t = 0; t < net.transition_count(); ++t) {
        CHECK(one.transition(t).stddev == three.transition(t).stddev);
        CHECK(one.transition(t).min == three.transition(t).min);
    }
}

TEST_CASE("a tally survives as words") {
    const CompiledNet net = compile(random_net(5));
    NodeTally tally(net);
    ManyOptions many;
    many.run.max_steps = 50;
    many.runs = 20;
    many.tally = &tally;
    run_many(net, many);
    const NodeTally again = NodeTally::of_words(net, tally.words());
    CHECK(again.words() == tally.words());
    CHECK(again.runs() == 20);
    CHECK(again.steps() == tally.steps());
    for (std::size_t p = 0; p < net.place_count(); ++p) CHECK(again.place(p).mean == tally.place(p).mean);
    CHECK_THROWS_AS(NodeTally::of_words(net, std::vector<std::uint64_t>(3)), InputError);
}

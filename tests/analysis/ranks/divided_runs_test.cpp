#include "analysis/ranks/divided_runs.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/ranks.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// 500 runs from number 7 on, with all optional results.
ranks::DividedRunOptions some_runs() {
    ranks::DividedRunOptions options;
    options.many.run.run = 7;
    options.many.run.max_steps = 40;
    options.many.run.count_firings = true;
    options.many.runs = 500;
    options.many.threads = 1;
    options.many.markings = true;
    options.experiment = R"({"seed":1})";
    return options;
}

struct Outcome {
    std::vector<RunResult> results;
    std::vector<std::uint64_t> tally;
    bool operator==(const Outcome&) const = default;
};

Outcome by_one_process(const Executor& net, ranks::DividedRunOptions options) {
    NodeTally tally(net.net());
    options.many.tally = &tally;
    Outcome outcome{run_many(net, options.many), {}};
    outcome.tally = tally.words();
    return outcome;
}

Outcome by_ranks(int size, const Executor& net, const ranks::DividedRunOptions& options) {
    NodeTally tally(net.net());
    const auto runs = [&](ranks::DividedRunOptions own) {
        NodeTally unused(net.net());
        own.many.tally = ranks::leads(own.ranks) ? &tally : &unused;
        return ranks::divided_runs(net, own);
    };
    Outcome outcome{result_on_ranks(size, options, runs), {}};
    outcome.tally = tally.words();
    return outcome;
}

/// The saved text of runs that are interrupted when some are finished.
std::string interrupted(int size, const Executor& net, ranks::DividedRunOptions options) {
    std::string saved;
    std::atomic<bool> interrupt = false;
    options.save = [&](const std::string& text) {
        saved = text;
        interrupt = true;
    };
    options.interval = std::chrono::milliseconds(0);
    result_on_ranks(size, options, [&](ranks::DividedRunOptions own) {
        NodeTally tally(net.net());
        own.many.tally = &tally;
        if (ranks::leads(own.ranks)) own.many.run.limits.interrupt = &interrupt;
        return ranks::divided_runs(net, own);
    });
    return saved;
}

}  // namespace

TEST_CASE("any number of ranks makes the runs of one process") {
    const auto seed = GENERATE(range(std::uint64_t{0}, std::uint64_t{6}));
    const Plan net = plan(compile(random_net(seed)));
    const Outcome expected = by_one_process(net, some_runs());
    for (const int size : {1, 2, 4}) CHECK(by_ranks(size, net, some_runs()) == expected);
}

TEST_CASE("runs keep no memory for markings that were not requested") {
    const Plan net = plan(compile(random_net(3)));
    ranks::DividedRunOptions options = some_runs();
    options.many.markings = false;
    for (const RunResult& result : run_many(net, options.many)) CHECK(result.marking.capacity() == 0);
    for (const RunResult& result : by_ranks(2, net, options).results) CHECK(result.marking.capacity() == 0);
}

TEST_CASE("runs that were interrupted go on to the same results, on any number of ranks") {
    const int before = GENERATE(1, 3), after = GENERATE(1, 2, 4);
    const Plan net = plan(compile(random_net(3)));
    ranks::DividedRunOptions options = some_runs();
    const Outcome expected = by_one_process(net, options);
    options.saved = interrupted(before, net, options);
    REQUIRE(options.saved.find("warpnet_runs") != std::string::npos);
    CHECK(by_ranks(after, net, options) == expected);
}

TEST_CASE("saved runs are part of a larger experiment, and are not made again") {
    const Plan net = plan(compile(random_net(3)));
    ranks::DividedRunOptions options = some_runs();
    options.save = [&](const std::string& text) { options.saved = text; };
    by_ranks(2, net, options);
    options.save = {};
    std::atomic<std::uint64_t> finished = 0;
    options.many.finished = &finished;
    options.many.run.run = 0;
    options.many.runs = 1000;
    CHECK(by_ranks(1, net, options) == by_one_process(net, options));
    CHECK(finished == 1000 + 1000);  // each run is counted once in both cases
    options.many.run.run = 7;
    options.many.runs = 500;
    // The interrupt permits no new run: all results are saved ones.
    finished = 0;
    const std::atomic<bool> interrupt = true;
    options.many.run.limits.interrupt = &interrupt;
    CHECK(by_ranks(1, net, options).results.size() == 500);
}

TEST_CASE("saved runs of something else are refused") {
    const Plan net = plan(compile(random_net(3)));
    ranks::DividedRunOptions options = some_runs();
    std::string good;
    options.save = [&](const std::string& text) { good = text; };
    by_ranks(1, net, options);
    const auto refused = [&](ranks::DividedRunOptions again, const std::string& reason) {
        CHECK_THROWS_WITH(by_ranks(1, net, again), Catch::Contains(reason));
        CHECK_THROWS_AS(by_ranks(1, net, again), InputError);
    };
    const auto saved_as = [&](std::string text) {
        ranks::DividedRunOptions again = some_runs();
        again.saved = std::move(text);
        return again;
    };
    const auto with = [&](const std::string& from, const std::string& to) {
        const auto at = good.find(from);
        REQUIRE(at != std::string::npos);
        return saved_as(std::string(good).replace(at, from.size(), to));
    };
    refused(saved_as("{}"), "expected saved runs");
    refused(saved_as(good.substr(0, good.size() / 2)), "expected saved runs");
    refused(with("\"warpnet_runs\":2", "\"warpnet_runs\":9"), "version 9");
    refused(with("\"first\":7", "\"first\":6"), "damaged");
    refused(with("\"steps\":[", "\"steps\":[1,"), "damaged");
    ranks::DividedRunOptions other = saved_as(good);
    other.experiment = R"({"seed":2})";
    refused(other, "--seed is 1 there and 2 here");
    other = saved_as(good);
    other.many.run.run = 8;
    refused(other, "runs 7 to 506");
}

TEST_CASE("saved runs are refused whatever byte of them is damaged") {
    const Plan net = plan(compile(random_net(3)));
    ranks::DividedRunOptions options = some_runs();
    options.many.runs = 20;
    options.save = [&](const std::string& text) { options.saved = text; };
    by_ranks(1, net, options);
    options.save = {};
    const std::string good = options.saved;
    CounterRandom random(1, 1);
    for (int i = 0; i < 500; ++i) {
        const std::uint32_t at = random.below(static_cast<std::uint32_t>(good.size() - 1));
        const auto byte = static_cast<char>(32 + random.below(95));
        options.saved = good;
        options.saved[at] = byte;
        CAPTURE(at, byte, good[at]);
        if (byte != good[at]) CHECK_THROWS_AS(by_ranks(1, net, options), InputError);
    }
}

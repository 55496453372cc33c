// Exact distributions of step counts against a naive computation and independently computed ones (reference
// data vectors/warps.json).

#include "analysis/worst/exact/step_distribution.hpp"

#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/random_parts_net.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/reference_distribution.hpp"
#include "tests/support/shared_data.hpp"

#include <cmath>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using nlohmann::json;

namespace {

/// The largest difference between two distributions.
double distance(const worst::StepDistribution& ours, const std::map<std::uint64_t, double>& theirs) {
    std::map<std::uint64_t, double> differences = theirs;
    for (const auto& [steps, probability] : ours.steps) differences[steps] -= probability;
    double largest = 0;
    for (const auto& [steps, difference] : differences) largest = std::max(largest, std::abs(difference));
    return largest;
}

enum class Compared { no, as_markings, as_multisets };

Compared check_against_reference(const Net& net, const PlanOptions& how) {
    constexpr std::uint64_t max_steps = 60;
    const auto expected = ReferenceDistributions(net).compute(max_steps, 9, 400);
    if (!expected) return Compared::no;
    worst::DistributionOptions options;
    options.max_steps = max_steps;
    const worst::StepDistribution exact =
        worst::step_distribution(plan(compile(net, how.arrays), {}, how), options);
    CHECK(exact.stop == WorkEnd::complete);
    CHECK(distance(exact, expected->steps) < 1e-9);
    CHECK(std::abs(exact.endless + exact.longer - expected->running) < 1e-9);
    CHECK(exact.multisets == exact.not_multisets.empty());
    return exact.multisets ? Compared::as_multisets : Compared::as_markings;
}

netgen::WarpsSpec spec_of(const json& data) {
    netgen::WarpsSpec spec;
    for (const json& warp : data.at("warps"))
        spec.warps.push_back({warp.at("arith"), warp.at("shared"), warp.at("global")});
    spec.schedulers = data.at("schedulers");
    spec.shared_latency = data.at("shared_latency");
    spec.global_latency = data.at("global_latency");
    return spec;
}

}  // namespace

TEST_CASE("exact distributions of random nets of parts are those of the naive computation") {
    std::map<Compared, std::uint64_t> compared;
    for (std::uint64_t seed = 1; seed <= case_count(700); ++seed) {
        CAPTURE(seed);
        ++compared[check_against_reference(RandomPartsNet(seed).build(), {.arrays = {.hub_consumers = 3}})];
    }
    CAPTURE(compared[Compared::as_markings], compared[Compared::no]);
    CHECK(compared[Compared::as_multisets] >= least_count(250));
}

TEST_CASE("exact distributions of random nets are those of the naive computation") {
    std::map<Compared, std::uint64_t> compared;
    RandomNetOptions options;
    options.places = 6;
    options.transitions = 7;
    options.gadgets = 1;
    options.sources = false;
    for (std::uint64_t seed = 1; seed <= case_count(700); ++seed) {
        CAPTURE(seed);
        ++compared[check_against_reference(random_net(seed, options), {})];
    }
    CAPTURE(compared[Compared::as_multisets], compared[Compared::no]);
    CHECK(compared[Compared::as_markings] >= least_count(250));
}

TEST_CASE("exact distributions of warps nets are the independently computed ones") {
    const auto path = shared_data("vectors/warps.json");
    SKIP_WITHOUT(path, "vectors/warps.json");
    std::ifstream file(*path);
    const json cases = json::parse(file).at("exact");
    REQUIRE_FALSE(cases.empty());
    for (const json& data : cases) {
        CAPTURE(data.at("warps").dump(), data.at("schedulers").dump());
        const worst::StepDistribution exact =
            worst::step_distribution(plan(compile(netgen::warps_net(spec_of(data)))));
        const json& expected = data.at("repaired");
        std::map<std::uint64_t, double> theirs;
        for (const auto& [steps, probability] : expected.at("dist").items())
            theirs[std::stoull(steps)] = probability;
        CHECK(distance(exact, theirs) < 1e-9);
        CHECK(std::abs(worst::mean_steps(exact.steps) - expected.at("mean").get<double>()) < 1e-6);
        CHECK(std::abs(std::pow(worst::standard_deviation(exact.steps), 2) -
                       expected.at("var").get<double>()) < 1e-6);
    }
}

TEST_CASE("the first and the last quantile of a distribution are its extremes") {
    const std::vector<worst::StepProbability> steps{{3, 0.25}, {5, 0.5}, {9, 0.25}};
    CHECK(quantile(steps, 0) == 3);
    CHECK(quantile(steps, 0.25) == 3);
    CHECK(quantile(steps, 0.26) == 5);
    CHECK(quantile(steps, 0.75) == 5);
    CHECK(quantile(steps, 0.76) == 9);
    CHECK(quantile(steps, 1) == 9);
    CHECK(worst::mean_steps(steps) == 5.5);
    CHECK(worst::standard_deviation(steps) == Approx(std::sqrt(4.75)));
}

TEST_CASE("an exact distribution is the same on any number of threads") {
    netgen::WarpsSpec spec;
    spec.warps.assign(4, {2, 1, 1});
    const Plan planned = plan(compile(netgen::warps_net(spec)));
    const auto on = [&](int threads) {
        return on_threads(threads, [&] { return worst::step_distribution(planned); });
    };
    const worst::StepDistribution one = on(1);
    CHECK(one.multisets);
    for (const int threads : {2, 5}) {
        const worst::StepDistribution more = on(threads);
        CHECK(more.steps == one.steps);
        CHECK(more.states == one.states);
    }
}

TEST_CASE("what a limit leaves of an exact distribution is nothing") {
    netgen::WarpsSpec spec;
    spec.warps.assign(4, {2, 1, 1});
    const Net net = netgen::warps_net(spec);
    for (const bool modules : {true, false}) {
        const Plan planned = plan(compile(net), {}, {.modules = modules});
        worst::DistributionOptions options;
        options.limits.memory = 1 << 12;
        CHECK(worst::step_distribution(planned, options).stop == WorkEnd::memory_limit);
        options.limits = {.deadline = std::chrono::steady_clock::now()};
        CHECK(worst::step_distribution(planned, options).stop == WorkEnd::time_limit);
        const std::atomic<bool> interrupt = true;
        options.limits = {.interrupt = &interrupt};
        CHECK(worst::step_distribution(planned, options).stop == WorkEnd::interrupted);
    }
}

TEST_CASE("exact distribution: limits hold within one marking that has more steps than any memory holds") {
    NetBuilder builder("pairs");
    for (int i = 0; i < 60; ++i) {  // 2^60 steps of different sets, so that no two modules are equal
        const std::string number = std::to_string(i);
        const PlaceId place = builder.add_place("p" + number, 1);
        for (int k = 0; k < 2; ++k) {
            const TransitionId t = builder.add_transition("t" + number + "_" + std::to_string(k));
            builder.add_input(place, t);
            builder.add_output(t, builder.add_place("q" + number + "_" + std::to_string(k)), i + 1);
        }
    }
    const Plan planned = plan(compile(builder.build()), {}, {.modules = false});
    worst::DistributionOptions options;
    options.limits.memory = 1 << 20;
    CHECK(worst::step_distribution(planned, options).stop == WorkEnd::memory_limit);
    options.limits.memory = std::uint64_t{1} << 40;
    options.limits.deadline = std::chrono::steady_clock::now();
    CHECK(worst::step_distribution(planned, options).stop == WorkEnd::time_limit);
}

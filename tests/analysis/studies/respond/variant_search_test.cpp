#include "analysis/studies/respond/variant_search.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "netgen/blocks/blocks.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A set with some kernels and, per choice, two or three variants: a kernel, or a segment on one of two
/// cores.
netgen::TaskSet tasks_with_choices(std::uint64_t seed, std::uint32_t choices) {
    CounterRandom random(seed, 21);
    netgen::TaskSet tasks;
    tasks.gpu = flat_gpu(1 + random.below(3));
    const netgen::Time period = 20 + random.below(20);
    std::uint32_t number = 0;
    const auto add = [&](const std::string& choice, std::uint32_t variant, bool core) {
        netgen::Operation operation = flat_kernel(++number, 1 + random.below(4), 1 + random.below(6));
        if (core) {
            operation.kind = netgen::OperationKind::cpu;
            operation.blocks = 1;
            operation.threads = 1;
            operation.core = random.below(2);
            operation.priority = static_cast<std::int32_t>(random.below(3));
            operation.time = 1 + random.below(12);
        }
        operation.period = period;
        operation.deadline = 4 + random.below(30);
        if (!choice.empty()) {
            operation.choice = choice;
            operation.variant = std::to_string(variant);
        }
        tasks.operations.push_back(operation);
    };
    for (std::uint32_t fixed = random.below(3); fixed > 0; --fixed) add("", 0, random.below(2) == 0);
    for (std::uint32_t choice = 0; choice < choices; ++choice) {
        const std::uint32_t variants = 2 + random.below(2);
        for (std::uint32_t variant = 0; variant < variants; ++variant)
            add("c" + std::to_string(choice), variant, variant > 0);
    }
    return tasks;
}

/// Missed deadlines and the largest share of a deadline, for the set with these variants.
std::tuple<std::int64_t, double> judge(const netgen::TaskSet& tasks, const std::vector<std::size_t>& chosen) {
    const std::vector<netgen::Choice> choices = netgen::choices_of(tasks);
    netgen::TaskSet set{tasks.gpu, {}, tasks.unit};
    for (netgen::Operation operation : tasks.operations) {
        bool taken = operation.choice.empty();
        for (std::size_t i = 0; i < choices.size(); ++i)
            taken |=
                operation.choice == choices[i].name && operation.variant == choices[i].variants[chosen[i]];
        operation.choice = operation.variant = "";
        if (taken) set.operations.push_back(operation);
    }
    const studies::RespondResult result = studies::respond(set, {.simulate = true});
    std::int64_t missed = 0;
    double load = 0;
    for (const studies::OperationResponse& response : result.operations) {
        missed += response.worst.response() > *response.deadline ? 1 : 0;
        load = std::max(
            load, static_cast<double>(response.worst.response()) / static_cast<double>(*response.deadline));
    }
    return {missed, load};
}

/// The best of all combinations, which are tried one after the other.
std::tuple<std::int64_t, double> best_of_all(const netgen::TaskSet& tasks) {
    const std::vector<netgen::Choice> choices = netgen::choices_of(tasks);
    std::tuple best(std::numeric_limits<std::int64_t>::max(), 0.0);
    std::size_t all = 1;
    for (const netgen::Choice& choice : choices) all *= choice.variants.size();
    for (std::size_t number = 0; number < all; ++number) {
        std::vector<std::size_t> chosen;
        std::size_t rest = number;
        for (const netgen::Choice& choice : choices) {
            chosen.push_back(rest % choice.variants.size());
            rest /= choice.variants.size();
        }
        best = std::min(best, judge(tasks, chosen));
    }
    return best;
}

}  // namespace

TEST_CASE("variants: all combinations against a loop over them") {
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < case_count(1'000); ++seed) {
        CAPTURE(seed);
        const netgen::TaskSet tasks = tasks_with_choices(seed, 1 + static_cast<std::uint32_t>(seed % 4));
        const studies::VariantSearch search = studies::choose_variants(tasks);
        CHECK(search.exact);
        const studies::JudgedVariants& best = search.best.front();
        if (!best.open) CHECK(std::tuple(best.missed, best.load) == best_of_all(tasks));
        CHECK(judge(tasks, best.chosen) == std::tuple(best.missed, best.load));
        CHECK(netgen::choices_of(search.tasks).empty());
        CHECK(search.tasks == netgen::with_variants(tasks, best.chosen));
        if (best.chosen != std::vector<std::size_t>(search.choices.size(), 0)) ++better;
        CHECK(std::ranges::is_sorted(search.best, {}, [](const auto& one) { return one.missed; }));
    }
    CHECK(better >= least_count(100));
}

TEST_CASE("variants: a local search keeps its budget, and does not depend on threads") {
    std::size_t equal = 0;
    for (std::uint64_t seed = 0; seed < case_count(60); ++seed) {
        CAPTURE(seed);
        const netgen::TaskSet tasks = tasks_with_choices(seed, 5);
        studies::VariantOptions options;
        options.evaluations = 24;  // of 32 and more
        const studies::VariantSearch search = studies::choose_variants(tasks, options);
        CHECK(search.evaluations == options.evaluations);
        CHECK_FALSE(search.exact);
        const auto first = judge(tasks, std::vector<std::size_t>(5, 0));
        CHECK(std::tuple(search.best.front().missed, search.best.front().load) <= first);
        const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
        const studies::VariantSearch again = studies::choose_variants(tasks, options);
        CHECK(again.best.front().chosen == search.best.front().chosen);
        CHECK(again.evaluations == search.evaluations);
        if (std::tuple(search.best.front().missed, search.best.front().load) == best_of_all(tasks)) ++equal;
    }
    CHECK(equal >= least_count(30));
}

TEST_CASE("variants: bounds for jobs at any time judge where they are asked for") {
    for (std::uint64_t seed = 0; seed < case_count(100); ++seed) {
        CAPTURE(seed);
        const netgen::TaskSet tasks = tasks_with_choices(seed, 2);
        studies::VariantOptions options;
        options.sporadic.emplace();
        const studies::VariantSearch search = studies::choose_variants(tasks, options);
        for (const studies::JudgedVariants& judged : search.best) {
            const netgen::TaskSet set = netgen::with_variants(tasks, judged.chosen);
            const studies::SporadicBounds bounds = studies::sporadic_bounds(set);
            std::int64_t missed = 0;
            for (std::size_t i = 0; i < set.operations.size(); ++i)
                missed += bounds.response[i] && *bounds.response[i] <= *set.operations[i].deadline ? 0 : 1;
            CHECK(judged.missed == missed);
        }
    }
}

TEST_CASE("variants: a choice that is open is no set to be scheduled") {
    netgen::TaskSet tasks = tasks_with_choices(1, 1);
    CHECK_THROWS_AS(studies::respond(tasks), InputError);
    CHECK_THROWS_AS(studies::sporadic_bounds(tasks), InputError);
    CHECK_THROWS_AS(netgen::blocks_net(tasks), InputError);
    CHECK_NOTHROW(netgen::validate_from(tasks, "t"));
    CHECK_THROWS_AS(studies::choose_variants(netgen::with_variants(tasks, {0})), InputError);
    for (netgen::Operation& operation : tasks.operations)
        if (!operation.choice.empty()) operation.variant = "only";
    CHECK_THROWS_AS(netgen::validate_from(tasks, "t"), InputError);
}

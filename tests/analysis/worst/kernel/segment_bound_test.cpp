#include "analysis/worst/kernel/segment_bound.hpp"

#include "analysis/worst/kernel/beam_search.hpp"
#include "analysis/worst/kernel/dense_makespan.hpp"
#include "analysis/worst/kernel/guided_steps.hpp"
#include "analysis/worst/kernel/layered_search.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/kernel_vectors.hpp"

#include <set>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

const WorkLimits limits{.memory = 50'000'000};

/// Schemes from coarse to fine; the last one has a segment for every instruction and loses no information.
std::vector<worst::SegmentScheme> some_schemes(const netgen::KernelInstance& instance) {
    const worst::SegmentScheme whole = worst::whole_runs(instance);
    std::vector<int> every_instruction;
    for (std::size_t i = 1; i < instance.type.size(); ++i) every_instruction.push_back(static_cast<int>(i));
    const auto half = static_cast<int>(instance.type.size() / 2);
    return {worst::slack_per_class(instance, whole), worst::with_short_joined(instance, whole), whole,
            worst::with_cuts(instance, std::vector<int>{half}),
            worst::with_cuts(instance, every_instruction)};
}

int exact(const netgen::KernelInstance& instance, worst::Objective objective) {
    return worst::dense_makespan(instance, objective, limits)->makespan;
}

/// All successors of a state: tries every subset of the unfinished warps.
std::set<worst::StateNumber> all_successors(const worst::MultisetSpace& space, const worst::StepRule& rule,
                                            worst::StateNumber state) {
    const auto warps = static_cast<std::size_t>(space.warps());
    std::vector<int> positions(warps);
    space.unrank(state, positions);
    std::vector<int> ready(static_cast<std::size_t>(rule.classes()), 0);
    for (const int p : positions)
        if (p < space.length()) ++ready[static_cast<std::size_t>(rule.class_of(static_cast<std::size_t>(p)))];
    const auto steps = rule.steps(ready);
    std::set<worst::StateNumber> successors;
    for (unsigned subset = 1; subset < 1U << warps; ++subset) {
        std::vector<int> after = positions;
        std::vector<std::uint8_t> executes(ready.size(), 0);
        bool possible = true;
        for (std::size_t w = 0; w < warps; ++w) {
            if ((subset >> w & 1U) == 0) continue;
            possible &= positions[w] < space.length();
            if (!possible) break;
            ++executes[static_cast<std::size_t>(rule.class_of(static_cast<std::size_t>(positions[w])))];
            ++after[w];
        }
        for (std::size_t s = 0; possible && s < steps.size(); s += executes.size()) {
            if (!std::ranges::equal(steps.subspan(s, executes.size()), executes)) continue;
            std::ranges::sort(after);
            successors.insert(space.rank(after));
        }
    }
    return successors;
}

}  // namespace

TEST_CASE(
    "segment bound: never below the longest nor above the shortest makespan, and exact without merging") {
    for (std::uint64_t seed = 0; seed < case_count(250); ++seed) {
        CAPTURE(seed);
        const netgen::KernelInstance instance =
            netgen::normalise(any_kernel(seed, {.letters = 3, .length = 9, .warps = 5}));
        const int longest = exact(instance, worst::Objective::longest);
        const int shortest = exact(instance, worst::Objective::shortest);
        for (const worst::SegmentScheme& scheme : some_schemes(instance)) {
            const auto above =
                worst::SegmentBound::create(instance, scheme, worst::Objective::longest, limits);
            const auto below =
                worst::SegmentBound::create(instance, scheme, worst::Objective::shortest, limits);
            REQUIRE(above.has_value());
            REQUIRE(below.has_value());
            CHECK(above->makespan() >= longest);
            CHECK(below->makespan() <= shortest);
            const bool remembers_all = scheme.segments.size() == instance.type.size();
            if (remembers_all) CHECK(above->makespan() == longest);
            if (remembers_all) CHECK(below->makespan() == shortest);
            CHECK(worst::segment_bound_makespan(instance, scheme, worst::Objective::longest, limits) ==
                  above->makespan());
            // Cells of two bytes make no difference.
            CHECK(worst::segment_bound_makespan(instance, scheme, worst::Objective::longest, limits, 300) ==
                  above->makespan());
        }
    }
}

TEST_CASE(
    "segment bound: every concrete maximal step is one of the abstraction, with a bound one less or lower") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const netgen::KernelInstance instance =
            netgen::normalise(any_kernel(seed, {.letters = 3, .length = 6, .warps = 4}));
        const auto space =
            worst::MultisetSpace::create(instance.warps, static_cast<int>(instance.type.size()));
        const worst::StepRule rule(instance);
        for (const worst::SegmentScheme& scheme : some_schemes(instance)) {
            const auto bound =
                worst::SegmentBound::create(instance, scheme, worst::Objective::longest, limits);
            worst::GuidedSteps<worst::StateNumber> steps(*space, *bound);
            for (worst::StateNumber state = 0; state + 1 < space->size(); ++state) {
                std::set<worst::StateNumber> found;
                int best = -1;
                steps(
                    state, [](int) { return true; },
                    [&](int value, int, const std::vector<worst::StateNumber>& successors) {
                        best = std::max(best, value);
                        found.insert(successors.begin(), successors.end());
                    });
                REQUIRE(found == all_successors(*space, rule, state));
                REQUIRE(steps.value(state) >= best + 1);
            }
        }
    }
}

TEST_CASE("segment bound: limits end it without an answer") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(6, 4));
    const worst::SegmentScheme scheme = worst::whole_runs(instance);
    CHECK(worst::count_states(scheme, 6) == 94'182);
    CHECK(!worst::SegmentBound::create(instance, scheme, worst::Objective::longest, {.memory = 10'000}));
    CHECK(!worst::segment_bound_makespan(instance, scheme, worst::Objective::longest, {.memory = 10'000}));
    const WorkLimits no_time{.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)};
    CHECK(!worst::SegmentBound::create(instance, scheme, worst::Objective::longest, no_time));
}

TEST_CASE("layered search: finds the longest and shortest schedules, and refutes one more") {
    for (std::uint64_t seed = 0; seed < case_count(120); ++seed) {
        CAPTURE(seed);
        const netgen::KernelInstance instance =
            netgen::normalise(any_kernel(seed, {.letters = 3, .length = 8, .warps = 5}));
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            const int best = exact(instance, objective);
            const int further = objective == worst::Objective::longest ? best + 1 : best - 1;
            for (const worst::SegmentScheme& scheme : some_schemes(instance)) {
                const auto bound = worst::SegmentBound::create(instance, scheme, objective, limits);
                const worst::LayeredResult found = worst::layered_search(instance, *bound, best, limits);
                CHECK(found.end == WorkEnd::complete);
                CHECK(static_cast<int>(found.schedule.size()) == best);
                CHECK(check_schedule(instance, found.schedule) == "");
                const worst::LayeredResult refuted = worst::layered_search(instance, *bound, further, limits);
                CHECK(refuted.end == WorkEnd::complete);
                CHECK(refuted.schedule.empty());
            }
        }
    }
}

TEST_CASE("layered search and beam search: the same answer on any number of threads") {
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    const auto bound =
        worst::SegmentBound::create(instance, worst::whole_runs(instance), worst::Objective::longest, limits);
    const auto run = [&](int threads) {
        tbb::task_arena arena(threads);
        return arena.execute([&] {
            const worst::LayeredResult layered = worst::layered_search(instance, *bound, 87, limits);
            const worst::BeamResult beam = worst::beam_search(instance, *bound, {.width = 50});
            return std::tuple(layered.schedule, layered.states, beam.schedule);
        });
    };
    const auto one = run(1);
    CHECK(std::get<0>(one).size() == 87);
    CHECK(run(2) == one);
    CHECK(worst::layered_search(instance, *bound, 80, {.memory = 100'000}).end == WorkEnd::memory_limit);
}

TEST_CASE("beam search: a schedule within the exact makespans, also where states need more than 64 bits") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const netgen::KernelInstance instance =
            netgen::normalise(any_kernel(seed, {.letters = 3, .length = 8, .warps = 5}));
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            const auto bound =
                worst::SegmentBound::create(instance, worst::whole_runs(instance), objective, limits);
            const worst::BeamResult beam = worst::beam_search(instance, *bound, {.width = 20});
            CHECK(check_schedule(instance, beam.schedule) == "");
            const int cycles = static_cast<int>(beam.schedule.size());
            CHECK(cycles >= exact(instance, worst::Objective::shortest));
            CHECK(cycles <= exact(instance, worst::Objective::longest));
        }
    }
    netgen::KernelSpec wide{.string = std::string(40, 'L'), .warps = 64, .units = {{'L', {2, 1}}}};
    const netgen::KernelInstance instance = netgen::normalise(wide);
    const auto bound = worst::SegmentBound::create(instance, worst::whole_runs(instance),
                                                   worst::Objective::shortest, limits);
    const worst::BeamResult beam = worst::beam_search(instance, *bound, {.width = 3});
    CHECK(check_schedule(instance, beam.schedule) == "");
    CHECK(bound->makespan() <= static_cast<int>(beam.schedule.size()));
}

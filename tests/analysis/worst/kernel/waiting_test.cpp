// Kernels whose warps wait for memory: nets, strings, exact values and bounds, compared with an exhaustive
// search.
#include "analysis/worst/kernel/annealing.hpp"
#include "analysis/worst/kernel/bracket.hpp"
#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/quick_bracket.hpp"
#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/kernel/schedulers.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/base/random.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/every_run.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/plain_waiting_kernel.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A random kernel in which at least one letter waits.
netgen::KernelSpec any_waiting_kernel(std::uint64_t seed, const KernelRange& range, int longest_wait) {
    netgen::KernelSpec spec = any_kernel(seed, range);
    CounterRandom random(seed, 99);
    for (const char letter : netgen::unit_letters(spec))
        spec.wait[letter] = static_cast<int>(random.below(static_cast<std::uint32_t>(longest_wait) + 1));
    spec.wait[spec.string[random.below(static_cast<std::uint32_t>(spec.string.size()))]] = longest_wait;
    return spec;
}

/// Such a kernel as an instance, as a net, and as read from that net.
struct WaitingKernel {
    explicit WaitingKernel(std::uint64_t seed)
        : spec(any_waiting_kernel(seed, {.letters = 4, .length = 8, .warps = 6, .units = 3, .levels = true},
                                  1 + static_cast<int>(seed % 9))) {}

    netgen::KernelSpec spec;
    netgen::KernelInstance instance = netgen::normalise(spec);
    Net net = netgen::kernel_net(spec);
    netgen::KernelNet kernel = netgen::recognise_kernel(net).value();
};

constexpr KernelRange small{.letters = 3, .length = 4, .warps = 4, .units = 2, .levels = true};

/// Replays a schedule of the instance on the net. Returns its steps, all of them legal.
std::uint64_t replayed(const Net& net, const netgen::KernelNet& kernel,
                       const worst::KernelSchedule& schedule) {
    const RunResult result =
        replay(compile(net), net, worst::net_schedule(kernel, schedule), Semantics::maximal);
    REQUIRE(result.reason == StopReason::dead);
    return result.steps;
}

}  // namespace

TEST_CASE("waits: the runs of the net are the schedules, 1,000 kernels exhausted") {
    std::uint64_t kernels = 0, met = 0;
    for (std::uint64_t seed = 0; seed < case_count(1000); ++seed) {
        const netgen::KernelSpec spec = any_waiting_kernel(seed, small, 1 + static_cast<int>(seed % 4));
        CAPTURE(seed, spec.string, spec.warps);
        const PlainWaitingKernel::Extremes expected = PlainWaitingKernel(spec).extremes();
        const Net net = netgen::kernel_net(spec);
        const StepCounts steps = EveryRun(net)();
        REQUIRE(steps.least == expected.least);
        REQUIRE(steps.most == expected.most);

        const netgen::KernelInstance instance = netgen::normalise(spec);
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            const worst::Bracket bracket = worst::bracket_makespan(instance, {.objective = objective});
            const int value = objective == worst::Objective::longest ? expected.most : expected.least;
            REQUIRE(bracket.exact);
            REQUIRE(bracket.found == value);
            REQUIRE(static_cast<int>(bracket.witness.size()) == value);
            REQUIRE(check_schedule(instance, bracket.witness).empty());
            REQUIRE(replayed(net, netgen::recognise_kernel(net).value(), bracket.witness) ==
                    static_cast<std::uint64_t>(value));
        }
        const int bound = worst::interference_bound(instance);
        REQUIRE(bound >= expected.most);
        ++kernels;
        met += bound == expected.most ? 1U : 0U;
    }
    CHECK(kernels == case_count(1000));
    WARN("of " << kernels << " kernels with waits the bound by interference is exact for " << met);
}

TEST_CASE("SMs that share units of the chip: runs, searches and bounds, 1,000 kernels exhausted") {
    constexpr KernelRange tiny{.letters = 2, .length = 4, .warps = 2, .units = 2, .levels = true};
    std::uint64_t slower = 0, met = 0;
    for (std::uint64_t seed = 0; seed < case_count(1000); ++seed) {
        netgen::KernelSpec spec = any_kernel(seed, tiny);
        CounterRandom random(seed, 100);
        spec.sms = spec.warps == 1 ? 2 + static_cast<int>(random.below(3)) : 2;
        if (random.below(3) == 0) spec.wait[spec.string.back()] = 1 + static_cast<int>(random.below(3));
        const PlainWaitingKernel::Extremes alone = PlainWaitingKernel(spec).extremes();
        for (const char letter : netgen::unit_letters(spec))
            if (random.below(3) > 0) spec.chip_units[letter] = 1 + static_cast<int>(random.below(3));
        CAPTURE(seed, spec.string, spec.warps, spec.sms);
        const PlainWaitingKernel::Extremes expected = PlainWaitingKernel(spec).extremes();
        slower += expected.most > alone.most ? 1U : 0U;
        const Net net = netgen::kernel_net(spec);
        const StepCounts steps = EveryRun(net)();
        REQUIRE(steps.least == expected.least);
        REQUIRE(steps.most == expected.most);
        worst::WorstCaseOptions options{.iterations = 100};
        const worst::WorstCase longest = worst::worst_case(net, options);
        REQUIRE(longest.replayed);
        REQUIRE(longest.found <= static_cast<std::uint64_t>(expected.most));
        REQUIRE(longest.bound >= static_cast<std::uint64_t>(expected.most));
        REQUIRE((!longest.exact || longest.found == static_cast<std::uint64_t>(expected.most)));
        options.search = false;
        options.limits.memory = 1024;  // the bounds without an exploration
        const worst::WorstCase bounds = worst::worst_case(net, options);
        REQUIRE(bounds.bound >= static_cast<std::uint64_t>(expected.most));
        met += bounds.bound == static_cast<std::uint64_t>(expected.most) ? 1U : 0U;
        options.objective = worst::Objective::shortest;
        const worst::WorstCase shortest = worst::worst_case(net, options);
        REQUIRE(shortest.bound <= static_cast<std::uint64_t>(expected.least));
    }
    CHECK(slower >= case_count(1000) / 5);
    WARN(slower << " kernels take longer by the chip; the bound is exact for " << met);
}

TEST_CASE("waits: every string is a run of the net, 1,000 kernels with five strings each") {
    for (std::uint64_t seed = 0; seed < case_count(1000); ++seed) {
        const WaitingKernel waiting(seed);
        const auto& [spec, instance, net, kernel] = waiting;
        CAPTURE(seed, spec.string, spec.warps);
        REQUIRE(kernel.instance == instance);
        const PlainWaitingKernel plain(spec);
        for (std::uint64_t stream = 0; stream < 5; ++stream) {
            const worst::PrecedenceString string = worst::random_string(instance, seed, stream);
            REQUIRE_NOTHROW(worst::check_precedence_string(instance, string));
            const worst::KernelSchedule schedule =
                decode(instance, string, worst::StringReading::maximal_step);
            REQUIRE(check_schedule(instance, schedule).empty());
            REQUIRE(static_cast<int>(schedule.size()) == plain.makespan_of(string));
            REQUIRE(replayed(net, kernel, schedule) == schedule.size());
            REQUIRE(decode(instance, encode(instance, schedule), worst::StringReading::maximal_step) ==
                    schedule);
            REQUIRE(static_cast<int>(schedule.size()) <= worst::interference_bound(instance));
        }
        CHECK_THROWS_AS(
            decode(instance, worst::random_string(instance, seed, 0), worst::StringReading::serial),
            InputError);
    }
}

TEST_CASE("waits: every run of the net is a string, 1,000 kernels") {
    for (std::uint64_t seed = 0; seed < case_count(1000); ++seed) {
        const WaitingKernel waiting(seed);
        const auto& [spec, instance, net, kernel] = waiting;
        CAPTURE(seed, spec.string, spec.warps);
        std::vector<worst::InstructionRun> of_transition(net.transitions().size());
        for (int w = 0; w < instance.warps; ++w)
            for (int i = 0; i < static_cast<int>(instance.type.size()); ++i)
                if (!instance.waits_at(static_cast<std::size_t>(i)))
                    of_transition[index(kernel.at(w, i))] = {w, i + 1};
        ScheduleRecorder recorder;
        const RunResult result = run(compile(net), {.seed = seed + 1}, &recorder);
        REQUIRE(result.reason == StopReason::dead);
        worst::PrecedenceString string;
        for (const ScheduledStep& step : recorder.schedule())
            for (const std::uint32_t t : step.transitions)
                if (of_transition[t].instruction > 0)
                    string.push_back(static_cast<worst::Warp>(of_transition[t].warp));
        const worst::KernelSchedule schedule = decode(instance, string, worst::StringReading::maximal_step);
        REQUIRE(schedule.size() == result.steps);
        REQUIRE(worst::net_schedule(kernel, schedule) == recorder.schedule());
    }
}

TEST_CASE("waits: abstractions bound, and searches stay below, what all states say") {
    int kernels = 0, found = 0;
    for (std::uint64_t seed = 0; seed < case_count(1000); ++seed) {
        const netgen::KernelSpec spec =
            any_waiting_kernel(seed, {.letters = 3, .length = 6, .warps = 5, .units = 2, .levels = true},
                               1 + static_cast<int>(seed % 7));
        CAPTURE(seed, spec.string, spec.warps);
        const netgen::KernelInstance instance = netgen::normalise(spec);
        const auto longest = worst::bracket_makespan(instance, {.objective = worst::Objective::longest});
        const auto shortest = worst::bracket_makespan(instance, {.objective = worst::Objective::shortest});
        REQUIRE((longest.exact && shortest.exact));
        const worst::SegmentScheme coarse = worst::slack_per_class(instance, worst::whole_runs(instance));
        REQUIRE(worst::segment_bound_makespan(instance, coarse, worst::Objective::longest, {}, 0) >=
                longest.found);
        REQUIRE(worst::segment_bound_makespan(instance, coarse, worst::Objective::shortest, {}, 0) <=
                shortest.found);
        worst::AnnealingSearchOptions options;
        options.annealing.iterations = 500;
        options.annealing.seed = seed + 1;
        options.chains = 4;
        const worst::AnnealingResult searched = worst::annealing_search(instance, options);
        REQUIRE(check_schedule(instance, searched.schedule).empty());
        REQUIRE(static_cast<int>(searched.schedule.size()) == searched.found);
        REQUIRE(searched.found <= longest.found);
        REQUIRE(searched.found >= shortest.found);
        REQUIRE(worst::interference_bound(instance) >= longest.found);
        ++kernels;
        found += searched.found == longest.found ? 1 : 0;
    }
    WARN("of " << kernels << " kernels with waits the search of 4 x 500 candidates finds the longest of "
               << found);
}

TEST_CASE("waits: an interrupted search of strings goes on from its text") {
    const netgen::KernelInstance instance = netgen::normalise(
        {.string = "LCLC", .warps = 4, .units = {{'C', {1, 1}}, {'L', {1, 1}}}, .wait = {{'L', 7}}});
    worst::AnnealingSearchOptions options;
    options.annealing.iterations = 3000;
    worst::AnnealingState whole = worst::begin_search(instance, options);
    worst::continue_search(whole);
    worst::AnnealingState half = worst::begin_search(instance, options);
    worst::advance_search(half, 1000, {});
    worst::AnnealingState rest = worst::read_checkpoint(worst::write_checkpoint(half));
    CHECK(rest.instance == instance);
    worst::continue_search(rest);
    CHECK(worst::annealing_result(rest, WorkEnd::complete).found ==
          worst::annealing_result(whole, WorkEnd::complete).found);
    CHECK(rest.chains.front().best == whole.chains.front().best);
}

TEST_CASE("waits: pipelined units and several SMs") {
    const netgen::KernelSpec spec{.string = "LCL",
                                  .warps = 3,
                                  .units = {{'C', {1, 1}}, {'L', {1, 2}}},
                                  .latency = {{'L', 3}},
                                  .sms = 2};
    const netgen::KernelSpec pipelined = netgen::with_pipelines(spec, "LS");
    CHECK(pipelined.latency.empty());
    CHECK(pipelined.wait == std::map<char, int>{{'L', 4}});  // half a unit: 2 cycles on it, 6 in all
    const netgen::KernelInstance instance = netgen::normalise(pipelined);
    CHECK(instance.type == std::vector<std::uint8_t>{1, 1, 2, 2, 2, 2, 0, 1, 1, 2, 2, 2, 2});
    CHECK(instance.waiting == 2);
    CHECK(instance.capacity == std::vector<int>{1, 1, 3});

    const worst::Bracket bracket = worst::bracket_makespan(instance, {});
    CHECK(bracket.exact);
    const worst::WorstCase worst = worst::worst_case(netgen::kernel_net(pipelined));
    CHECK(worst.exact);
    CHECK(worst.found == static_cast<std::uint64_t>(bracket.found));
    CHECK(worst.replayed);
    CHECK(worst.machine.schedulers == worst::SchedulerUse::unlimited);
    // Two SMs of a small kernel, exhausted together, give the result of one SM.
    netgen::KernelSpec one{
        .string = "LC", .warps = 2, .units = {{'C', {1, 1}}, {'L', {1, 1}}}, .wait = {{'L', 2}}};
    const StepCounts alone = EveryRun(netgen::kernel_net(one))();
    one.sms = 2;
    CHECK(EveryRun(netgen::kernel_net(one))() == alone);
}

TEST_CASE("waits: schedules that break them are refused") {
    const netgen::KernelInstance instance = netgen::normalise({.string = "LC",
                                                               .warps = 2,
                                                               .units = {{'C', {1, 1}}, {'L', {1, 1}}},
                                                               .schedulers = 1,
                                                               .wait = {{'L', 1}}});
    const worst::KernelSchedule good{{{0, 0}}, {{0, 1}, {1, 0}}, {{0, 2}, {1, 1}}, {{1, 2}}};
    CHECK(check_schedule(instance, good).empty());
    worst::KernelSchedule bad = good;
    bad[1] = {{1, 0}};  // the first warp's wait stops
    CHECK_THAT(check_schedule(instance, bad), Catch::Matchers::Contains("the wait goes on"));
    bad = good;
    bad[1] = {{0, 1}};  // the second warp could have executed, because waits need no scheduler
    CHECK_THAT(check_schedule(instance, bad), Catch::Matchers::Contains("could have executed"));
    netgen::KernelInstance narrow = instance;
    narrow.capacity.back() = 1;
    CHECK_THROWS_AS(worst::check_instance(narrow), InputError);
}

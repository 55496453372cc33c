#include "analysis/worst/exact/extremes.hpp"
#include "analysis/worst/search/service_search.hpp"
#include "engine/base/random.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_parts_net.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

worst::ServiceOrders::Instance instance_of(const Plan& net) {
    return worst::service_instance(net, 100'000, 3);
}

Schedule random_schedule(const Plan& net, std::uint64_t seed) {
    RunOptions options;
    options.seed = seed;
    options.max_steps = 100'000;
    ScheduleRecorder recorder;
    return run(net, options, &recorder).reason == StopReason::dead ? recorder.schedule() : Schedule{};
}

/// The schedule with the transitions of each step in ascending order.
Schedule sorted(Schedule schedule) {
    for (ScheduledStep& step : schedule) std::sort(step.transitions.begin(), step.transitions.end());
    return schedule;
}

}  // namespace

TEST_CASE("order of a schedule: every run of a net is the run of an order") {
    std::size_t schedules = 0;
    for (std::uint64_t seed = 1; seed <= case_count(300); ++seed) {
        CAPTURE(seed);
        const Net net = RandomPartsNet(seed).build();
        const Plan planned = plan(compile(net));
        // A hub loop competes for tokens, but a schedule in which it does not fire does not show it.
        if (!planned.modules() || !planned.modules()->loops.empty()) continue;
        const Schedule schedule = random_schedule(planned, seed);
        if (schedule.empty()) continue;
        ++schedules;
        const auto instance = instance_of(planned);
        const auto order = worst::order_from(*instance, schedule);
        REQUIRE(order);
        CHECK(sorted(worst::schedule_of(*instance, *order)) == sorted(schedule));
    }
    CHECK(schedules >= least_count(100));
}

TEST_CASE("order of a schedule: what an exact search finds can be gone on from") {
    netgen::WarpsSpec spec;
    spec.warps.assign(3, {.arith = 5, .shared = 2, .global = 1});
    const Net net = netgen::warps_net(spec);
    const Plan planned = plan(compile(net));
    const worst::ExactResult exact = worst::exact_extremes(planned);
    REQUIRE(exact.exact);
    const auto instance = instance_of(planned);
    const auto order = worst::order_from(*instance, exact.schedule);
    REQUIRE(order);
    worst::ServiceSearchOptions options;
    options.annealing.iterations = 0;
    const worst::ServiceSearchState state =
        worst::begin_search_at<worst::ServiceOrders>(instance, options, *order);
    const worst::ServiceSearchResult result = worst::search_result(state, WorkEnd::complete);
    CHECK(result.found == static_cast<std::int64_t>(exact.found.value()));
    CHECK(result.start_values.empty());
    CHECK(worst::read_checkpoint(instance, worst::write_checkpoint(state)).options == state.options);
}

TEST_CASE("order of a schedule: a schedule of another net has none") {
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {.arith = 2, .shared = 1});
    const Net net = netgen::warps_net(spec);
    const Plan planned = plan(compile(net));
    Schedule schedule = random_schedule(planned, 1);
    const auto instance = instance_of(planned);
    CHECK(worst::order_from(*instance, schedule));
    schedule.pop_back();
    CHECK_FALSE(worst::order_from(*instance, schedule));
    schedule.front().immediate = true;
    CHECK_FALSE(worst::order_from(*instance, schedule));
}

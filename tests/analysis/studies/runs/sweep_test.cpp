#include "analysis/studies/runs/sweep.hpp"

#include "analysis/studies/runs/run_study.hpp"
#include "netgen/kernel/kernel.hpp"

#include <atomic>
#include <chrono>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;

namespace {

/// LLCC with so many warps on one unit of each kind.
Net net_of(std::int64_t warps) {
    return netgen::kernel_net({.string = "LLCC",
                               .warps = static_cast<int>(warps),
                               .units = {{'C', netgen::UnitsPerWarp{}}, {'L', netgen::UnitsPerWarp{}}}},
                              netgen::MultiCycle::non_preemptive);
}

studies::SweptFamily family_of(const std::vector<std::int64_t>& values) {
    studies::SweptFamily family{"kernel", "warps", false, values, {}};
    for (const std::int64_t value : values) family.nets.push_back(net_of(value));
    return family;
}

studies::SweepQuestions options_for(std::uint64_t runs) {
    studies::SweepQuestions options;
    options.runs.runs = runs;
    options.runs.run.seed = 7;
    return options;
}

}  // namespace

TEST_CASE("a row of a sweep has the answers of the study and of the worst case of its net") {
    studies::SweepQuestions options = options_for(20);
    options.statistics = options.worst = true;
    options.iterations = 100;
    std::atomic<int> begun = 0;
    std::set<std::string> parts;
    options.progress = [&](const WorkPart& part) {
        ++begun;
        parts.insert(part.name);
        return std::shared_ptr<void>();
    };
    const studies::SweepReport report = studies::sweep_study(family_of({1, 3}), options);
    CHECK(report.found);
    CHECK(report.upper);
    CHECK(report.values == 2);
    CHECK(begun >= 5);
    CHECK(parts.contains("values"));
    CHECK(parts.contains("runs"));
    CHECK(parts.contains("candidates"));
    CHECK(parts.contains("proof"));
    REQUIRE(report.rows.size() == 2);
    for (const studies::SweepRow& row : report.rows) {
        CAPTURE(row.value);
        const Net net = net_of(row.value);
        studies::RunStudyOptions study{.runs = {.many = options.runs}, .statistics = true};
        const studies::RunReport runs = studies::run_study(net, study);
        REQUIRE(row.steps);
        CHECK(row.runs == 20);
        CHECK(row.ended == 20);
        CHECK(row.steps->mean_steps == runs.complete_runs().mean_steps);
        // One warp shares no unit, but three warps do. The shared places are listed for both nets.
        REQUIRE(row.hubs.size() == 2);
        CHECK(row.hubs[0].idle > 0);
        const worst::WorstCase worst = worst::worst_case(net, {.iterations = 100, .seed = 7});
        CHECK(row.found == worst.found);
        CHECK(row.upper == worst.bound);
        CHECK(row.exact == worst.exact);
    }
    CHECK(report.rows[0].hubs[0].place == report.rows[1].hubs[0].place);
    const auto json = to_json(report);
    CHECK(json["rows"][1]["found"] == *report.rows[1].found);
    CHECK(json["rows"][1]["hubs"].size() == 2);
    CHECK_FALSE(json.contains("values_left_out"));
}

TEST_CASE("a sweep with nothing but a bound makes no runs, and one that is ended keeps whole rows") {
    studies::SweepQuestions options = options_for(0);
    options.bound = true;
    const studies::SweepReport bounds = studies::sweep_study(family_of({2}), options);
    REQUIRE(bounds.rows.size() == 1);
    CHECK_FALSE(bounds.rows[0].steps);
    CHECK(bounds.rows[0].upper);
    CHECK_FALSE(to_json(bounds)["rows"][0].contains("found"));

    const std::atomic<bool> stop = true;
    options.runs.run.limits.interrupt = &stop;
    const studies::SweepReport interrupted = studies::sweep_study(family_of({2, 3}), options);
    CHECK(interrupted.rows.empty());
    CHECK(interrupted.interrupted);
    CHECK(to_json(interrupted)["values_left_out"] == 2);
    options.runs.run.limits = {.deadline = std::chrono::steady_clock::now()};
    CHECK_FALSE(studies::sweep_study(family_of({2}), options).interrupted);
}

// The executors, compared with independently computed step distributions of `warps` nets (reference data
// vectors/warps.json).

#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/chi_squared.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using nlohmann::json;

namespace {

const std::uint64_t runs_per_case = sanitized() ? 1'000 : 30'000;
constexpr double least_p = 1e-6;

json read_vectors(const std::filesystem::path& path) {
    std::ifstream file(path);
    return json::parse(file);
}

netgen::WarpsSpec spec_of(const json& data, bool published) {
    netgen::WarpsSpec spec;
    for (const json& warp : data.at("warps"))
        spec.warps.push_back({warp.at("arith"), warp.at("shared"), warp.at("global")});
    spec.schedulers = data.at("schedulers");
    spec.shared_latency = data.at("shared_latency");
    spec.global_latency = data.at("global_latency");
    spec.published = published;
    return spec;
}

/// "8x50,10,10" or "200,50,20;100,10,40".
std::vector<netgen::WarpCounts> warps_of(const std::string& text) {
    std::vector<netgen::WarpCounts> warps;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ';');) {
        std::istringstream in(part);
        std::size_t copies = 1;
        char separator = 0;
        if (part.find('x') != std::string::npos) in >> copies >> separator;
        netgen::WarpCounts counts;
        in >> counts.arith >> separator >> counts.shared >> separator >> counts.global;
        warps.insert(warps.end(), copies, counts);
    }
    return warps;
}

std::map<std::uint64_t, double> distribution_of(const json& data) {
    std::map<std::uint64_t, double> distribution;
    for (const auto& [outcome, probability] : data.items()) distribution[std::stoull(outcome)] = probability;
    return distribution;
}

/// Records the end of the last warp of a net, because the published net runs on forever.
class AllEnded : public Observer {
  public:
    explicit AllEnded(const Net& net) {
        for (std::uint32_t p = 0; p < net.places().size(); ++p) {
            if (net.places()[p].id.ends_with("_active")) active_.push_back(p);
        }
    }
    void step(std::uint64_t number, bool, std::span<const Firing>, std::span<const Tokens> marking) override {
        const bool ended = std::ranges::all_of(active_, [&](std::uint32_t p) { return marking[p] == 0; });
        if (ended && at_ == 0) at_ = number;
    }
    std::uint64_t at() const { return at_; }

  private:
    std::vector<std::uint32_t> active_;
    std::uint64_t at_ = 0;
};

}  // namespace

TEST_CASE("exact step distributions of small repaired nets") {
    const auto path = shared_data("vectors/warps.json");
    SKIP_WITHOUT(path, "vectors/warps.json");
    const json cases = read_vectors(*path).at("exact");
    REQUIRE_FALSE(cases.empty());
    for (const json& data : cases) {
        CAPTURE(data.at("warps").dump(), data.at("schedulers").dump());
        const json& expected = data.at("repaired");
        const netgen::WarpsSpec spec = spec_of(data, false);
        const Net net = netgen::warps_net(spec);
        CHECK(netgen::warps_step_bounds(spec).lower == data.at("lower_bound"));
        CHECK(netgen::warps_step_bounds(spec).upper == data.at("upper_bound"));
        ManyOptions options;
        options.runs = runs_per_case;
        options.run.count_firings = true;
        std::map<std::uint64_t, std::uint64_t> counts;
        const std::size_t idle = index(NodeIndex(net).transition("idle").value());
        const std::uint64_t other_firings = expected.at("firings_without_t0");
        bool as_expected = true;
        double idle_sum = 0, idle_squares = 0;
        for (const RunResult& result : run_many(compile(net), options)) {
            as_expected &=
                result.reason == StopReason::dead && result.firings - result.counts[idle] == other_firings;
            ++counts[result.steps];
            const auto idle_firings = static_cast<double>(result.counts[idle]);
            idle_sum += idle_firings;
            idle_squares += idle_firings * idle_firings;
        }
        CHECK(as_expected);
        CHECK(chi_squared_p(distribution_of(expected.at("dist")), counts) > least_p);
        const auto runs = static_cast<double>(runs_per_case);
        const double mean = idle_sum / runs;
        const double standard_error = std::sqrt(std::max(0.0, idle_squares / runs - mean * mean) / runs);
        CHECK(std::abs(mean - expected.at("mean_t0").get<double>()) <= 5 * standard_error + 1e-9);
    }
}

TEST_CASE("exact step distributions of small published nets, with their lost instructions") {
    const auto path = shared_data("vectors/warps.json");
    SKIP_WITHOUT(path, "vectors/warps.json");
    const json cases = read_vectors(*path).at("exact");
    REQUIRE_FALSE(cases.empty());
    for (const json& data : cases) {
        CAPTURE(data.at("warps").dump(), data.at("schedulers").dump());
        const Net net = netgen::warps_net(spec_of(data, true));
        const Plan compiled = plan(compile(net));
        std::vector<std::size_t> issueable;
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            if (net.places()[p].id.ends_with("_issueable")) issueable.push_back(p);
        }
        std::map<std::uint64_t, std::uint64_t> steps, lost;
        bool never_dead = true;
        RunOptions options;
        options.max_steps = data.at("upper_bound").get<std::uint64_t>() + 1;
        for (options.run = 0; options.run < runs_per_case; ++options.run) {
            AllEnded ended(net);
            const RunResult result = run(compiled, options, &ended);
            never_dead &= result.reason == StopReason::step_limit && ended.at() > 0;
            ++steps[ended.at()];
            std::uint64_t never_executed = 0;
            for (const std::size_t p : issueable)
                never_executed += static_cast<std::uint64_t>(result.marking[p]);
            ++lost[never_executed];
        }
        CHECK(never_dead);
        CHECK(chi_squared_p(distribution_of(data.at("published").at("dist")), steps) > least_p);
        CHECK(chi_squared_p(distribution_of(data.at("published").at("p_lost_instructions")), lost) > least_p);
    }
}

TEST_CASE("means of larger nets lie within four standard errors") {
    const auto path = shared_data("vectors/warps.json");
    SKIP_WITHOUT(path, "vectors/warps.json");
    const json cases = read_vectors(*path).at("monte_carlo");
    REQUIRE_FALSE(cases.empty());
    for (const json& data : cases) {
        CAPTURE(data.at("spec").get<std::string>(), data.at("global_latency").dump(),
                data.at("schedulers").dump());
        netgen::WarpsSpec spec;
        spec.warps = warps_of(data.at("spec"));
        spec.schedulers = data.at("schedulers");
        spec.shared_latency = data.at("shared_latency");
        spec.global_latency = data.at("global_latency");
        spec.published = data.at("net") != "repaired";
        const Net net = netgen::warps_net(spec);
        const Plan compiled = plan(compile(net));
        const auto theirs = static_cast<double>(data.at("runs").get<std::uint64_t>());
        std::vector<RunResult> results;
        if (spec.published) {
            RunOptions options;
            options.max_steps = 20'000;
            for (; options.run < 20; ++options.run) {
                AllEnded ended(net);
                RunResult result = run(compiled, options, &ended);
                result.steps = ended.at();
                results.push_back(std::move(result));
            }
        } else {
            ManyOptions options;
            options.runs = 300;
            results = run_many(compiled, options);
        }
        const RunStatistics ours = statistics(results);
        const double deviation = data.at("steps").at("std");
        const double sigma = deviation * std::sqrt(1 / theirs + 1 / static_cast<double>(results.size()));
        CHECK(std::abs(ours.mean_steps - data.at("steps").at("mean").get<double>()) <= 4 * sigma + 1e-9);
        CHECK(netgen::warps_step_bounds(spec).lower == data.at("lower_bound"));
    }
}

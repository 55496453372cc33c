#include "analysis/worst/worst_case.hpp"
#include "analysis/worst/worst_json.hpp"
#include "engine/base/to_json.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/schedule.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

worst::WorstCaseOptions worst_options_of(const py::dict& given) {
    worst::WorstCaseOptions options;
    options.seed = given["seed"].cast<std::uint64_t>();
    options.threads = given["threads"].cast<int>();
    options.exact = given["exact"].cast<bool>();
    options.search = !given["bound"].cast<bool>();
    if (given["best"].cast<bool>()) options.objective = worst::Objective::shortest;
    options.chains = given["chains"].cast<std::optional<std::uint32_t>>();
    options.iterations = given["iterations"].cast<std::optional<std::uint64_t>>();
    options.temperature = given["temperature"].cast<std::optional<double>>();
    options.start = choice("start", given["start"].cast<std::string>(), worst::search_starts);
    const Policy policy = policy_of(given["policy"].cast<std::string>());
    if (serves_parts(policy)) options.policy = policy;
    options.method = choice("method", given["method"].cast<std::string>(),
                            {worst::AnnealingMethod::portfolio, worst::AnnealingMethod::tempering});
    options.max_steps = given["max_steps"].cast<std::uint64_t>();
    options.limits.memory = given["memory"].cast<std::uint64_t>();
    options.limits.deadline = deadline_in(given["time_limit"].cast<std::optional<double>>());
    if (options.chains && (*options.chains < 1 || *options.chains > 100'000))
        throw InputError("chains: expected a number from 1 to 100000");
    return options;
}

/// (JSON, witness or nothing, improvements of the search: (seconds, chain, iteration, value), signal or None)
std::tuple<std::string, std::optional<NetSchedule>,
           std::vector<std::tuple<double, std::uint32_t, std::uint64_t, std::uint64_t>>, py::object>
worst(const std::shared_ptr<Net>& net, const py::dict& given) {
    worst::WorstCaseOptions options = worst_options_of(given);
    auto [found, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        options.limits.interrupt = &interrupt;
        return worst::worst_case(*net, options);
    });
    std::vector<std::tuple<double, std::uint32_t, std::uint64_t, std::uint64_t>> log;
    log.reserve(found.log.size());
    for (const worst::WorstCaseImprovement& row : found.log)
        log.emplace_back(row.seconds, row.chain, row.iteration, row.value);
    std::optional<NetSchedule> witness;
    if (found.has_schedule()) witness = NetSchedule{net, found.schedule};
    return {json_text(to_json(*net, found), 2), std::move(witness), std::move(log), std::move(signal)};
}

}  // namespace

void add_worst(py::module_& core) { core.def("worst", worst); }

}  // namespace warpnet::python

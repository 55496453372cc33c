#include "cli/commands/worst.hpp"

#include "analysis/ranks/team.hpp"
#include "cli/report/worst_report.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/schedule.hpp"
#include "python/binding/subjects.hpp"

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

cli::WorstOptions worst_options_of(const py::dict& given) {
    cli::WorstOptions options;
    options.show_progress = false;
    options.common.seed = given["seed"].cast<std::uint64_t>();
    options.common.threads = given["threads"].cast<int>();
    options.exact = given["exact"].cast<bool>();
    options.bound = given["bound"].cast<bool>();
    options.best = given["best"].cast<bool>();
    options.chains = given["chains"].cast<std::optional<std::uint32_t>>();
    options.iterations = given["iterations"].cast<std::optional<std::uint64_t>>();
    options.temperature = given["temperature"].cast<std::optional<double>>();
    options.start = given["start"].cast<std::string>();
    options.policy = policy_of(given["policy"].cast<std::string>());
    options.method = choice("method", given["method"].cast<std::string>(),
                            {AnnealingMethod::portfolio, AnnealingMethod::tempering});
    options.max_steps = given["max_steps"].cast<std::uint64_t>();
    options.memory = given["memory"].cast<std::uint64_t>();
    options.time_limit = milliseconds_of(given["time_limit"].cast<std::optional<double>>());
    if (options.chains && (*options.chains < 1 || *options.chains > 100'000))
        throw InputError("chains: expected a number from 1 to 100000");
    return options;
}

/// (JSON, witness or nothing, improvements of the search: (seconds, chain, iteration, value), signal or None)
std::tuple<std::string, std::optional<NetSchedule>,
           std::vector<std::tuple<double, std::uint32_t, std::uint64_t, std::uint64_t>>, py::object>
worst(const std::shared_ptr<Net>& net, const py::dict& given) {
    cli::WorstOptions options = worst_options_of(given);
    auto [report, signal] = part_in_background([&](const std::atomic<bool>& interrupt) {
        Alone alone;
        return cli::find_worst(options, *net, cli::Interrupt(interrupt), alone);
    });
    std::vector<std::tuple<double, std::uint32_t, std::uint64_t, std::uint64_t>> log;
    log.reserve(report.log.size());
    for (const cli::LogRow& row : report.log)
        log.emplace_back(row.seconds, row.chain, row.iteration, row.value);
    std::optional<NetSchedule> witness;
    if (report.has_schedule()) witness = NetSchedule{net, report.schedule};
    return {cli::worst_json(*net, report), std::move(witness), std::move(log), std::move(signal)};
}

}  // namespace

void add_worst(py::module_& core) { core.def("worst", worst); }

}  // namespace warpnet::python

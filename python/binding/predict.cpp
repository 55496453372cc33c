// Predictions and comparisons. Python passes the flags of `predict`, which the declarations of the command
// parse, so both have the same checks.
//
// A second list of parameters in Python would have to follow each change of the flags, so the texts of flags
// are passed on. Notes that the command prints to stderr are collected instead (messages.hpp) and become
// warnings. Comparisons have few flags and take a dictionary. All work releases the interpreter, and an
// interrupt returns fewer predictions, after which the thread that set the flag raises the exception.

#include "analysis/studies/predict/predict.hpp"

#include "analysis/pictures/plots/scatter_svg.hpp"
#include "analysis/studies/compare/compare_json.hpp"
#include "analysis/studies/files/read_measurements.hpp"
#include "analysis/studies/predict/predict_json.hpp"
#include "cli/input/predict_input.hpp"
#include "cli/input/tune_input.hpp"
#include "cli/shell/command_line.hpp"
#include "engine/base/to_json.hpp"
#include "python/binding/background.hpp"
#include "python/binding/choices.hpp"
#include "python/binding/messages.hpp"
#include "python/binding/subjects.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

namespace warpnet::python {

namespace py = pybind11;

namespace {

/// The questions to `predict`, and the messages of its command.
struct PredictRequest {
    cli::PredictInput asked;
    cli::TuneInput tune;
    std::vector<studies::KernelLaunch> launches;
    std::vector<std::string> said;
};

PredictRequest predict_request(const std::vector<std::string>& arguments) {
    const Messages messages;
    PredictRequest request;
    cli::run_command_line(
        [&](cli::Command& program) {
            cli::Command command = program.add_subcommand("predict", "");
            cli::add_sm_input(command, request.asked.input);
            cli::add_tune_input(command, request.tune);
            auto [worst, what_if] = cli::add_predict_questions(command, request.asked);
            worst.excludes("--tune");
            what_if.excludes("--tune");
            command.callback([] {});
        },
        arguments);
    request.asked.input.require_device();
    if (!request.tune.given()) request.launches = request.asked.input.launches();
    request.said = messages.lines();
    return request;
}

/// The JSON object of the command `predict` with these arguments, and its messages.
std::pair<std::string, std::vector<std::string>> predict(const std::vector<std::string>& arguments,
                                                         std::uint64_t seed, std::uint64_t seeds, bool full,
                                                         int threads) {
    return result_in_background([&](const std::atomic<bool>& interrupt) {
        PredictRequest request = predict_request(arguments);
        studies::SmPredictOptions& options = request.asked.options;
        options.seed = seed;
        options.seeds = seeds;
        options.full = full;
        options.threads = threads;
        options.interrupt = &interrupt;
        const netgen::Device device = request.asked.input.device.device();
        if (request.tune.given()) {
            const Messages messages;
            options.program = request.asked.input.program;
            const studies::TunedSpace space = cli::predict_space(request.asked.input, request.tune, options);
            return std::pair(json_line(to_json(device, space)), messages.lines());
        }
        // Fewer if it is interrupted: the thread that set the flag throws.
        const std::vector<studies::PredictedLaunch> predicted = request.asked.predictions(request.launches);
        nlohmann::ordered_json json = to_json(device, predicted);
        if (request.asked.what_if && !predicted.empty())
            json["what_if"] = studies::to_json(
                request.asked.doubled_facts(request.launches, predicted.front().prediction.us));
        return std::pair(json_line(json), request.said);
    });
}

/// (JSON object of the command `compare`, scatter plot, messages about the table)
std::tuple<std::string, std::string, std::vector<std::string>> compare_tables(
    const std::vector<std::pair<std::string, std::string>>& tables, const std::string& device,
    const std::vector<std::string>& families, const py::dict& given) {
    studies::CompareOptions options;
    options.families.clear();
    for (const std::string& name : families)
        options.families.push_back(
            choice("families", name,
                   {studies::ModelFamily::sm, studies::ModelFamily::warps, studies::ModelFamily::closed_form,
                    studies::ModelFamily::throughput}));
    options.predict.seed = given["seed"].cast<std::uint64_t>();
    options.predict.seeds = given["seeds"].cast<std::uint64_t>();
    options.predict.threads = given["threads"].cast<int>();
    options.clock_mhz = given["clock_mhz"].cast<std::optional<double>>();
    options.schedulers = given["schedulers"].cast<Tokens>();
    options.shared_latency = given["shared_latency"].cast<Tokens>();
    options.global_latency = given["global_latency"].cast<Tokens>();
    const bool totals = given["totals"].cast<bool>();
    return result_in_background([&](const std::atomic<bool>& interrupt) {
        options.predict.interrupt = &interrupt;
        studies::MeasuredOptions reading;
        const netgen::DeviceInput input{.name = device, .file = ""};
        if (!device.empty()) {
            options.device = input.sm();
            reading = studies::measured_options(input);
        }
        std::vector<studies::SourceText> texts;
        texts.reserve(tables.size());
        for (const auto& [text, source] : tables) texts.push_back({text, source});
        reading.interrupt = &interrupt;
        studies::MeasuredTable table = studies::read_measurements(texts, reading);
        options.unit = table.unit;
        std::vector<std::string> said = table.warnings;
        if (!device.empty())
            for (std::string& warning : studies::warn_of_gpus(table.gpus, input.device()))
                said.push_back(std::move(warning));
        for (const std::string& column : table.ignored)
            said.push_back("ignored, as nothing is predicted from it: " + column);
        std::vector<std::string> faults = table.faults;
        if (options.device)
            for (std::string& fault :
                 studies::take_out_failing(table, *options.device, studies::needs_shapes(options)))
                faults.push_back(std::move(fault));
        for (const std::string& fault : faults) said.push_back(fault + ": left out");
        const studies::Comparison comparison = studies::compare(std::move(table.measurements), options);
        return std::tuple(json_line(to_json(comparison, {.totals = totals})),
                          pictures::scatter_svg(comparison, comparison.unit), std::move(said));
    });
}

/// Every preset: its name, architecture, compute capability, and its facts.
py::list devices() {
    py::list presets;
    for (const netgen::Device& device : netgen::preset_devices().devices) {
        py::dict facts;
        for (const auto& [name, fact] : device.facts) facts[py::str(name)] = fact.value;
        presets.append(py::make_tuple(device.name, device.architecture, device.compute_capability, facts));
    }
    return presets;
}

}  // namespace

void add_predictions(py::module_& core) {
    core.def("predict", predict);
    core.def("compare", compare_tables);
    core.def("devices", devices);
}

}  // namespace warpnet::python

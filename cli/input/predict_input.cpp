// The questions about launches that `predict`, `worst` and task sets share. Margins make a second,
// pessimistic device for the certificate; the prediction uses the unchanged device.

#include "cli/input/predict_input.hpp"

#include "engine/input/usage_error.hpp"

#include <utility>

namespace warpnet::cli {

std::vector<studies::PredictedLaunch> PredictInput::predictions(const std::vector<SmLaunch>& launches) const {
    if (deadline && !deadline->us)
        throw UsageError("--deadline",
                         "expected a time such as 2ms or 500us, found '" + deadline->text + "'");
    const netgen::SmDevice device = input.device.sm();
    const netgen::Device facts = input.device.device();
    studies::SmPredictOptions asked = options;
    asked.program = input.program;
    if (!margins.empty()) {
        asked.worst_device = netgen::sm_device(studies::pessimistic_device(facts, margins));
        asked.worst_device->mechanisms = device.mechanisms;
    }
    std::vector<studies::PredictedLaunch> predicted;
    predicted.reserve(launches.size());
    for (const SmLaunch& launch : launches) {
        asked.worst_kernel = launch.longest;
        auto prediction = studies::predict_sm(device, launch.profile, asked);
        if (!prediction) break;
        studies::PredictedLaunch& added = predicted.emplace_back(studies::PredictedLaunch{
            launch.profile, launch.launches, std::move(*prediction), launch.assumed});
        added.longest = launch.longest;
        added.paths = launch.paths;
        added.alike = launch.alike;
        added.trips = launch.trips;
        added.uncounted = (launch.longest ? *launch.longest : launch.profile).uncounted;
        added.uncounted.insert(added.uncounted.end(), launch.uncounted.begin(), launch.uncounted.end());
        if (added.prediction.worst) added.assumptions = studies::assumptions_of(facts, margins, added);
        if (deadline) added.deadline_us = deadline->us;
    }
    return predicted;
}

std::vector<studies::WhatIf> PredictInput::doubled_facts(const std::vector<SmLaunch>& launches,
                                                         double us) const {
    if (launches.size() != 1)
        throw UsageError("--what-if", "expected one kernel, found " + std::to_string(launches.size()) +
                                          "; --row chooses one of a table");
    studies::SmPredictOptions of_facts = options;
    of_facts.program = input.program;
    return studies::what_if(input.device, launches.front().profile, of_facts, us);
}

std::vector<Option> add_certificate_options(Command& command, PredictInput& input) {
    Option dispatcher =
        add_choice(command, "--dispatcher", input.options.dispatcher,
                   "The SM that gets the next block of a launch: in turn, or any with room for it",
                   {studies::Dispatcher::in_order, studies::Dispatcher::any});
    Option margin =
        command
            .add_option_function<std::string>(
                "--margin",
                [&input](const std::string& text) { input.margins = studies::parse_margins(text); },
                "By how much facts of the device may be worse than its table says: latencies, rates, or one "
                "of "
                "them by its name; unverified: those marked '?' in 'warpnet devices'")
            .type_name("FACT=PERCENT,...");
    return {dispatcher, margin};
}

std::pair<Option, Option> add_predict_questions(Command& command, PredictInput& input) {
    Option worst = command.add_flag(
        "--worst", input.options.worst,
        "Also a bound that no run of the net exceeds, with all blocks: certified for the model, "
        "not for the GPU");
    std::vector<Option> questions = add_certificate_options(command, input);
    questions.push_back(
        add_deadline(command, input.deadline,
                     "Whether no run takes longer: exit code 0 if that is certified, 1 if a run "
                     "does, 4 if it is open"));
    for (Option& question : questions) question.needs("--worst");
    Option what_if = command.add_flag(
        "--what-if", input.what_if,
        "Also the time and the limit if one fact of the device were twice as large, for each fact");
    what_if.excludes("--worst");
    return {worst, what_if};
}

}  // namespace warpnet::cli

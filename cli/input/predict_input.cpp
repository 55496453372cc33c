// The questions about launches that `predict`, `worst` and task sets share.

#include "cli/input/predict_input.hpp"

#include "engine/input/usage_error.hpp"

#include <utility>

namespace warpnet::cli {

std::vector<studies::PredictedLaunch> PredictInput::predictions(
    const std::vector<studies::KernelLaunch>& launches) const {
    if (deadline && !deadline->us)
        throw UsageError("--deadline",
                         "expected a time such as 2ms or 500us, found '" + deadline->text + "'");
    studies::SmPredictOptions asked = options;
    asked.program = input.program;
    return studies::predict_launches(input.device, launches, asked, margins,
                                     deadline ? deadline->us : std::nullopt);
}

std::vector<studies::WhatIf> PredictInput::doubled_facts(const std::vector<studies::KernelLaunch>& launches,
                                                         double us) const {
    if (launches.size() != 1)
        throw UsageError("--what-if", "expected one kernel, found " + std::to_string(launches.size()) +
                                          "; --row chooses one of a table");
    studies::SmPredictOptions of_facts = options;
    of_facts.program = input.program;
    return studies::what_if(input.device, launches.front().kernel, of_facts, us);
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
                "Percentages by which device facts may be worse than in the table: latencies, rates, or one "
                "fact by its name; unverified: the facts marked '?' in 'warpnet devices'")
            .type_name("FACT=PERCENT,...");
    return {dispatcher, margin};
}

std::pair<Option, Option> add_predict_questions(Command& command, PredictInput& input) {
    Option worst = command.add_flag("--worst", input.options.worst,
                                    "Also compute an upper bound over all runs of the net with all blocks, "
                                    "certified for the model, not for the GPU");
    std::vector<Option> questions = add_certificate_options(command, input);
    questions.push_back(add_deadline(
        command, input.deadline,
        "Check that no run exceeds this deadline; exit code 0: certified, 1: a run exceeds it, 4: open"));
    for (Option& question : questions) question.needs("--worst");
    Option what_if = command.add_flag(
        "--what-if", input.what_if,
        "For each fact of the device, also print the time and the limit if the fact were twice as large");
    what_if.excludes("--worst");
    return {worst, what_if};
}

}  // namespace warpnet::cli

// Task sets from three formats, distinguished by content: an AMALTHEA model, a configuration of
// cuda_scheduling_examiner, or our JSON. A flag for another format is an error. Deadlines in units of time
// are rounded down to the unit of the set.

#include "cli/input/task_input.hpp"

#include "analysis/studies/respond/respond.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/output/notes.hpp"
#include "engine/input/file_format.hpp"
#include "engine/net/error.hpp"
#include "netgen/blocks/amalthea.hpp"
#include "netgen/blocks/task_set.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr std::int64_t most_blocks = std::int64_t{1} << 40;

/// Throws UsageError if a flag of AMALTHEA models is given.
void refuse_amalthea(const TaskInput& input) {
    const char* flag = input.amalthea_blocks > 0    ? "--amalthea-blocks"
                       : input.amalthea_threads > 0 ? "--amalthea-threads"
                       : input.no_copies            ? "--no-copies"
                       : input.no_cpu               ? "--no-cpu"
                                                    : nullptr;
    if (flag != nullptr)
        throw UsageError(flag, "goes with an AMALTHEA model, and " + input_name(input.file) + " is none");
}

LoadedTasks parse(const TaskInput& input, std::vector<std::string>& warnings) {
    const std::string text = read_text(input.file);
    const std::string source = input_name(input.file);
    require_format(text, source,
                   "TASKS.json, a configuration of cuda_scheduling_examiner, or an AMALTHEA model",
                   {FileFormat::json, FileFormat::xml, FileFormat::amalthea});
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const auto refuse_certificate = [&] {
        refuse(input.of_certificate, "goes with kernels by their code, and " + source + " has none");
    };
    if (first != std::string::npos && text[first] == '<') {
        refuse_certificate();
        netgen::AmaltheaOptions options;
        if (input.amalthea_blocks > 0) options.blocks = input.amalthea_blocks;
        if (input.amalthea_threads > 0) options.threads = input.amalthea_threads;
        options.copies = !input.no_copies;
        options.cpu = !input.no_cpu;
        options.sporadic = input.sporadic;
        options.variants = input.choose;
        options.warnings = &warnings;
        return {netgen::read_amalthea(text, source, options)};
    }
    refuse_amalthea(input);
    if (!netgen::is_examiner_config(text)) {
        LoadedTasks loaded;
        const bool given = std::ranges::any_of(input.of_certificate,
                                               [](const Option& option) { return option.count() > 0; });
        loaded.tasks = netgen::read_tasks_json(
            text, source, certified_kernels(input.file, given ? &input.by_code : nullptr, loaded.certified));
        if (loaded.certified.empty()) refuse_certificate();
        return loaded;
    }
    refuse_certificate();
    netgen::ExaminerOptions options;
    options.warnings = &warnings;
    options.makespan = [&](const netgen::TaskSet& tasks) {
        studies::RespondOptions respond_options;
        respond_options.policy = input.policy;
        return studies::respond(input.one_big_sm ? netgen::one_big_sm(tasks) : tasks, respond_options)
            .makespan;
    };
    netgen::ExaminerConfig config = netgen::read_examiner_config(text, source, options);
    netgen::TaskSet tasks = config.tasks;
    return {std::move(tasks), std::move(config)};
}

}  // namespace

void add_task_input(Command& command, TaskInput& input) {
    command
        .add_option("tasks", input.file,
                    "TASKS.json, a configuration of cuda_scheduling_examiner, or an AMALTHEA model (.amxmi); "
                    "'-': standard input")
        .required()
        .type_name("TASKS");
    add_choice(command, "--sm-policy", input.policy,
               "Which SM takes a block: the first with room, or the one with most free threads",
               {netgen::SmPolicy::first_fit, netgen::SmPolicy::most_free});
    input.of_certificate = add_certificate_options(command, input.by_code);
    command.add_flag("--one-big-sm", input.one_big_sm, "One SM with the resources of all");
    add_number(command, "--amalthea-blocks", input.amalthea_blocks,
               "AMALTHEA: blocks of a GPU task; 0: one per SM", std::int64_t{0}, most_blocks);
    add_number(command, "--amalthea-threads", input.amalthea_threads,
               "AMALTHEA: threads of a block; 0: all of an SM", std::int64_t{0}, most_blocks);
    command.add_flag("--no-copies", input.no_copies, "AMALTHEA: leave copies out");
    command.add_flag("--no-cpu", input.no_cpu, "AMALTHEA: leave CPU segments out");
}

void set_deadlines(const Deadline& deadline, netgen::TaskSet& tasks) {
    netgen::Time time = 0;
    if (deadline.us) {
        if (tasks.unit == "step")
            throw UsageError("--deadline",
                             fmt::format("expected a whole number, since the times of the set have no "
                                         "unit; found '{}'",
                                         deadline.text));
        time = netgen::time_of_us(*deadline.us, tasks);
        // A deadline between two units of time is met only if the earlier unit is.
        if (*deadline.us < netgen::us_of_time(time, tasks)) --time;
    } else if (*deadline.steps <= static_cast<std::uint64_t>(std::numeric_limits<netgen::Time>::max())) {
        time = static_cast<netgen::Time>(*deadline.steps);
    } else {
        throw UsageError("--deadline", "expected a time below 2^63, found '" + deadline.text + "'");
    }
    for (netgen::Operation& operation : tasks.operations)
        if (operation.kind == netgen::OperationKind::kernel) operation.deadline = time;
}

LoadedTasks load_tasks(const TaskInput& input) {
    std::vector<std::string> warnings;
    LoadedTasks loaded = parse(input, warnings);
    for (const std::string& warning : warnings) print_note("warning: {}\n", warning);
    if (!input.sporadic) netgen::refuse_jitter(loaded.tasks, input_name(input.file));
    if (!input.choose) netgen::refuse_choices(loaded.tasks, input_name(input.file));
    if (input.choose && netgen::choices_of(loaded.tasks).empty())
        throw InputError(input_name(input.file) +
                         ": --choose expects operations with a choice and a variant, found none");
    if (input.one_big_sm) {
        loaded.tasks = netgen::one_big_sm(std::move(loaded.tasks));
        if (loaded.examiner) loaded.examiner->tasks = loaded.tasks;
    }
    return loaded;
}

}  // namespace warpnet::cli

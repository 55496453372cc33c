// Task sets from three formats, distinguished by content: an AMALTHEA model, a configuration of
// cuda_scheduling_examiner, or our JSON. A flag for another format is an error. Deadlines in units of time
// are rounded down to the unit of the set.
//
// The content decides the format and not the name of the file, because examiner configurations and our sets
// are both JSON. A certificate needs the shape of the launch in the file, because with an assumed shape it
// would be that of another launch. If a kernel's net leaves out work, the kernel is rejected, because its
// block time would be no bound.

#include "cli/input/task_input.hpp"

#include "analysis/studies/respond/respond.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/predict_input.hpp"
#include "cli/output/notes.hpp"
#include "engine/input/file_format.hpp"
#include "engine/input/input_file.hpp"
#include "engine/input/json.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"
#include "netgen/blocks/amalthea.hpp"
#include "netgen/blocks/task_set.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {
namespace {

// The block time of a kernel from its certificate. The model of blocks gives each block a fixed time. A
// kernel alone on a GPU takes this time once per round of blocks on the busiest SM. So the certified time of
// the whole launch divided by the rounds is a block time with which no kernel alone ends too early. The
// answer lists one assumption: blocks of other kernels on the same SM delay a block no more than blocks of
// its own kernel do.

namespace fs = std::filesystem;

std::string in_folder_of(const std::string& source, const std::string& file) {
    const fs::path path = fs::path(source).parent_path() / file;
    return fs::path(file).is_relative() && fs::exists(path) ? path.string() : file;
}

/// A text, or a whole number as a text.
std::string text_of(const JsonValue& value) {
    return value.is_number() ? std::to_string(value.integer()) : value.text();
}

/// Calls `parse` with the text of a member, if there is one. A UsageError names the member.
void take(const JsonValue& kernel, const char* member, const std::function<void(const std::string&)>& parse) {
    const auto value = kernel.find(member);
    if (!value) return;
    try {
        parse(text_of(*value));
    } catch (const UsageError& error) {
        throw InputError(fmt::format("{}: {}", value->where(), error.what()));
    }
}

std::vector<studies::Assumption> with_neighbours(std::vector<studies::Assumption> assumptions) {
    std::erase_if(assumptions, [](const studies::Assumption& one) { return one.about == "alone"; });
    assumptions.push_back(
        {"alone", "blocks of other kernels on an SM delay a block no more than those of its own"});
    return assumptions;
}

std::int64_t rounds_of(std::int64_t blocks, std::int64_t resident) { return (blocks - 1) / resident + 1; }

PredictInput input_of(const JsonValue& kernel, const std::string& source, const std::string& device,
                      const PredictInput* of_all) {
    PredictInput asked = of_all != nullptr ? *of_all : PredictInput{};
    netgen::PtxInput& ptx = asked.input.ptx;
    ptx.file = in_folder_of(source, kernel.at("ptx").text());
    asked.input.device.name = kernel.text_or("device", device);
    if (asked.input.device.name.empty())
        kernel.at("ptx").fail("a \"device\" of the kernel or of \"gpu\", whose time is certified");
    ptx.kernel = kernel.text_or("kernel", "");
    take(kernel, "grid", [&](const std::string& text) { netgen::parse_grid(text, ptx.options); });
    take(kernel, "block", [&](const std::string& text) { netgen::parse_block(text, ptx.options); });
    take(kernel, "param", [&](const std::string& text) { netgen::parse_params(text, ptx.options); });
    take(kernel, "trips", [&](const std::string& text) { netgen::parse_trips(text, ptx.options); });
    take(kernel, "taken", [&](const std::string& text) { netgen::parse_shares(text, ptx.options); });
    take(kernel, "margin", [&](const std::string& text) { asked.margins = studies::parse_margins(text); });
    if (const auto paths = kernel.find("paths")) {
        if (paths->text() != "all" && paths->text() != "longest") paths->fail("\"all\" or \"longest\"");
        ptx.options.paths = paths->text() == "all" ? netgen::PtxPaths::all_sides : netgen::PtxPaths::longest;
    }
    if (const auto dispatcher = kernel.find("dispatcher")) {
        if (dispatcher->text() != "in-order" && dispatcher->text() != "any")
            dispatcher->fail("\"in-order\" or \"any\"");
        asked.options.dispatcher =
            dispatcher->text() == "any" ? studies::Dispatcher::any : studies::Dispatcher::in_order;
    }
    for (const auto& [member, field] :
         {std::pair("registers", "registers"), std::pair("shared", "shared_bytes")})
        if (const auto value = kernel.find(member))
            asked.input.fields.emplace_back(field, static_cast<double>(value->integer(0, 1 << 30)));
    for (const char* const shape : {"grid", "block"})
        if (!kernel.has(shape))
            kernel.at("ptx").fail(fmt::format("\"{}\" next to it, the shape of the launch", shape));
    asked.options.worst = true;
    return asked;
}

netgen::KernelByCode kernel_of_ptx(const JsonValue& kernel, const std::string& name,
                                   const PredictInput& asked, std::vector<CertifiedKernel>& certified) {
    std::vector<studies::PredictedLaunch> predicted = asked.predictions({asked.input.launch()});
    const studies::PredictedLaunch& launch = predicted.front();
    const studies::SmPrediction& prediction = launch.prediction;
    if (!prediction.worst) kernel.at("ptx").fail("a kernel of which a bound is proved");
    if (!launch.uncounted.empty())
        kernel.at("ptx").fail(fmt::format("a kernel whose work is all counted; its net leaves out {}",
                                          fmt::join(launch.uncounted, "; ")));
    certified.push_back({name, asked.input.device.device().name, prediction.worst->us,
                         rounds_of(prediction.blocks, prediction.resident),
                         with_neighbours(launch.assumptions)});
    return {launch.kernel.blocks, launch.kernel.threads, launch.kernel.shared_bytes, launch.kernel.registers,
            certified.back().block_us()};
}

netgen::KernelByCode kernel_of_prediction(const JsonValue& kernel, const std::string& name,
                                          const std::string& source,
                                          std::vector<CertifiedKernel>& certified) {
    const std::string file = in_folder_of(source, kernel.at("predict").text());
    try {
        const auto json = parse_json(read_text(file), file);
        CertifiedKernel one{name,
                            json.at("device"),
                            json.at("worst").at("us"),
                            rounds_of(json.at("blocks_per_sm"), json.at("resident_blocks")),
                            {}};
        if (!json.at("worst").at("certified").get<bool>())
            kernel.at("predict").fail("the prediction of a kernel whose work is all counted");
        for (const auto& assumption : json.at("worst").at("assumptions"))
            one.assumptions.push_back({assumption.at("about"), assumption.at("text")});
        one.assumptions = with_neighbours(std::move(one.assumptions));
        certified.push_back(std::move(one));
        return {json.at("blocks"), json.at("threads"), json.at("shared_bytes"), json.at("registers"),
                certified.back().block_us()};
    } catch (const nlohmann::json::exception& error) {
        throw InputError(fmt::format("{}: expected what 'predict --worst --json' prints of one kernel: {}",
                                     file, json_fault(error)));
    }
}

}  // namespace

netgen::KernelByCodeReader certified_kernels(const std::string& source, const PredictInput* of_all,
                                             std::vector<CertifiedKernel>& certified) {
    return [source, of_all, &certified](const JsonValue& kernel, const std::string& name,
                                        const std::string& device) {
        if (kernel.has("ptx"))
            return kernel_of_ptx(kernel, name, input_of(kernel, source, device, of_all), certified);
        if (of_all != nullptr)
            kernel.at("predict").fail("\"ptx\", of which --dispatcher and --margin make a certificate");
        return kernel_of_prediction(kernel, name, source, certified);
    };
}

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
        throw UsageError(flag, "requires an AMALTHEA model, and " + input_name(input.file) + " is none");
}

LoadedTasks parse(const TaskInput& input, std::vector<std::string>& warnings) {
    const std::string text = read_text(input.file);
    const std::string source = input_name(input.file);
    require_format(text, source,
                   "TASKS.json, a configuration of cuda_scheduling_examiner, or an AMALTHEA model",
                   {FileFormat::json, FileFormat::task_set, FileFormat::xml, FileFormat::amalthea});
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const auto refuse_certificate = [&] {
        refuse(input.of_certificate, "requires kernels with code, and " + source + " has none");
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
               "The SM that takes a block: the first with room, or the one with the most free threads",
               {netgen::SmPolicy::first_fit, netgen::SmPolicy::most_free});
    input.of_certificate = add_certificate_options(command, input.by_code);
    command.add_flag("--one-big-sm", input.one_big_sm,
                     "Model the GPU as one SM with the resources of all SMs");
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

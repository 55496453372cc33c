// `split`: the best split of one graph, or a study of all methods.

#include "cli/commands/split.hpp"

#include "cli/commands/commands.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/report/picture_output.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "engine/base/to_json.hpp"
#include "netgen/cfg/text.hpp"

#include <memory>
#include <string_view>

namespace warpnet::cli {

namespace {

/// Throws UsageError for flags that exclude each other.
void check_split(const SplitFlags& options) {
    if (options.graphs && !options.input.file.empty())
        throw UsageError("--graphs", "applies to generated graphs; this study uses the graphs of a folder");
    if (options.study && (options.input.synthetic || options.input.ptx.given()))
        throw UsageError("--study",
                         "uses generated graphs or those of a folder; leave out --synthetic and --ptx");
    if (!options.ptx_output.empty() && !options.input.ptx.given())
        throw UsageError("--write-ptx", "expected code as the input (--ptx), found none");
}

/// The questions, with the values of common flags filled in.
studies::SplitQuestions split_questions(const SplitFlags& options, const Interrupt& interrupt) {
    studies::SplitQuestions questions = options.questions;
    if (options.paper_rule) questions.rule = studies::UnitRule::paper;
    questions.seed = options.common.seed;
    limit_time(questions.limits, options.time_limit, interrupt);
    return questions;
}

/// The unit of the times of blocks; empty for a graph, whose file gives none.
std::string_view time_unit(const netgen::PtxInput& input) {
    if (!input.given()) return "";
    if (!input.times_file.empty()) return "ticks";
    return input.times == netgen::one_step_each ? "instructions" : "cycles";
}

ExitCode split(const SplitFlags& options) {
    std::optional<pictures::PictureFormat> format;
    if (!options.picture.empty()) format = picture_format("--picture", options.picture);
    check_cfg_output("--write-cfg", options.cfg_output);
    const bool file_to_stdout =
        takes_standard_output({options.picture, options.cfg_output, options.ptx_output}, options.common.json);
    if (!options.ptx_output.empty() && options.input.ptx.file == "-")
        throw UsageError("--write-ptx", "reads the PTX twice: give a file instead of the standard input");
    const netgen::StructuredCfg cfg = cfg_of(options.input, options.common.seed);
    const Interrupt interrupt;
    const studies::SplitReport report = studies::split_report(cfg, split_questions(options, interrupt));
    const netgen::CfgAnnotation& annotation = report.result.annotation;
    if (!options.cfg_output.empty())
        write_text(options.cfg_output, annotated_cfg(options.cfg_output, cfg, annotation));
    if (!options.ptx_output.empty())
        write_text(options.ptx_output, annotated_source(options.input.ptx, cfg, annotation));
    AnswerHead head{"split", options.common.seed, {}};
    head.add(report.end);
    if (!file_to_stdout)
        print_answer(options.common.json ? json_answer(head, to_json(report))
                                         : split_text(report, time_unit(options.input.ptx)));
    if (options.picture.empty()) return exit_code_of(report.end);
    const auto limit = options.time_limit ? time_left(*options.time_limit) : pictures::default_render_limit;
    const ExitCode drawn = write_picture(options.picture, format, netgen::cfg_dot(cfg, annotation), limit);
    return drawn == ExitCode::done ? exit_code_of(report.end) : drawn;
}

ExitCode study(const SplitFlags& options) {
    const bool plot_to_stdout = takes_standard_output({options.plot_file}, options.common.json);
    const Interrupt interrupt;
    studies::SplitStudyOptions study{split_questions(options, interrupt)};
    study.graphs = options.graphs.value_or(1);
    if (options.questions.pool) study.pool_evaluations = options.questions.pool_evaluations;
    study.threads = options.common.threads;
    study.progress = progress_of();
    const std::string& folder = options.input.file;
    const studies::SplitStudy result =
        folder.empty() ? studies::split_study(study) : studies::split_study(cfgs_of_folder(folder), study);
    if (!options.plot_file.empty()) write_text(options.plot_file, study_svg(result, study, options.style));
    AnswerHead head{"split", options.common.seed, {}};
    head.add(result.end);
    if (!plot_to_stdout)
        print_answer(options.common.json ? json_answer(head, to_json(result, study))
                                         : study_text(result, study));
    return exit_code_of(result.end);
}

}  // namespace

void add_split(Command& program, ExitCode& exit_code) {
    const auto flags = std::make_shared<SplitFlags>();
    Command command = program.add_subcommand(
        "split",
        "Where to split wavefronts to minimise the worst case of a kernel (Klashtorny et al., DATE'24)");
    add_split_flags(command, *flags);
    command.callback([flags, &exit_code] {
        if (!flags->study) take_code(flags->input);
        check_split(*flags);
        exit_code = flags->study ? study(*flags) : split(*flags);
    });
}

}  // namespace warpnet::cli

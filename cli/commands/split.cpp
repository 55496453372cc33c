#include "cli/commands/commands.hpp"
#include "cli/input/cfg_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/report/picture_output.hpp"
#include "cli/report/split_report.hpp"
#include "cli/shell/interrupt.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/standard_output.hpp"
#include "engine/base/to_json.hpp"
#include "engine/plan.hpp"
#include "netgen/cfg/annotation.hpp"
#include "netgen/cfg/net.hpp"
#include "netgen/cfg/text.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct SplitFlags {
    CommonOptions common;
    CfgInput input;
    SplitQuestions questions;
    bool paper_rule = false;
    bool study = false;
    int graphs = 1;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string picture;
    std::string cfg_output;
    std::string ptx_output;
    std::string plot_file;
    PictureStyle style;
};

void check_cfg_output(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension.empty() || extension == ".json" || extension == ".cfg" || extension == ".graph") return;
    throw UsageError("--write-cfg",
                     "expected a file name that ends in .json, .cfg or .graph, found '" + file + "'");
}

ExitCode split(const SplitFlags& options) {
    std::optional<PictureFormat> format;
    if (!options.picture.empty()) format = picture_format("--picture", options.picture);
    check_cfg_output(options.cfg_output);
    const bool file_to_stdout =
        takes_standard_output({options.picture, options.cfg_output, options.ptx_output}, options.common.json);
    if (!options.ptx_output.empty() && options.input.ptx.file == "-")
        throw UsageError("--write-ptx", "reads the PTX twice: give a file instead of the standard input");
    const StructuredCfg cfg = cfg_of(options.input, options.common.seed);
    const Interrupt interrupt;
    SplitQuestions questions = options.questions;
    questions.rule = options.paper_rule ? UnitRule::paper : UnitRule::reuse;
    questions.seed = options.common.seed;
    limit_time(questions.limits, options.time_limit, interrupt);
    const SplitReport report = split_report(cfg, questions);
    const CfgAnnotation& annotation = report.result.annotation;
    if (!options.cfg_output.empty())
        write_text(options.cfg_output, annotated_cfg(options.cfg_output, cfg, annotation));
    if (!options.ptx_output.empty())
        write_text(options.ptx_output, annotated_source(options.input.ptx, cfg, annotation));
    if (!file_to_stdout) print_answer(options.common.json ? json_line(to_json(report)) : split_text(report));
    if (!options.picture.empty()) {
        const auto limit = options.time_limit ? time_left(*options.time_limit) : default_render_limit;
        const ExitCode drawn =
            write_picture(options.picture, format, cfg_dot(cfg, report.result.annotation), limit);
        if (drawn != ExitCode::done) return drawn;
    }
    return exit_code_of(report.end);
}

ExitCode study(const SplitFlags& options) {
    const bool plot_to_stdout = takes_standard_output({options.plot_file}, options.common.json);
    const Interrupt interrupt;
    std::atomic<std::uint64_t> finished = 0;
    SplitStudyOptions study;
    study.graphs = options.graphs;
    study.units = options.questions.units;
    study.rule = options.paper_rule ? UnitRule::paper : UnitRule::reuse;
    study.random_draws = options.questions.random_draws;
    study.brute_force_evaluations = options.questions.brute_force_evaluations;
    if (options.questions.pool) study.pool_evaluations = options.questions.pool_evaluations;
    study.seed = options.common.seed;
    study.threads = options.common.threads;
    limit_time(study.limits, options.time_limit, interrupt);
    study.finished = &finished;
    std::vector<NamedCfg> graphs;
    if (!options.input.file.empty()) {
        for (auto& [name, cfg] : cfgs_of_folder(options.input.file)) graphs.push_back({name, std::move(cfg)});
    }
    const std::size_t rows = !graphs.empty() ? graphs.size()
                                             : study.depths.size() * study.branches_in_sequence.size() *
                                                   static_cast<std::size_t>(options.graphs);
    SplitStudy result;
    {
        const Progress progress("graphs", rows, finished);
        result = graphs.empty() ? split_study(study) : split_study(graphs, study);
    }
    if (!options.plot_file.empty()) write_text(options.plot_file, study_svg(result, study, options.style));
    if (!plot_to_stdout)
        print_answer(options.common.json ? json_line(to_json(result, study)) : study_text(result, study));
    return exit_code_of(result.end);
}

}  // namespace

void add_split(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<SplitFlags>();
    Command command = program.add_subcommand(
        "split",
        "Where to split wavefronts so that the worst case of a kernel is least (Klashtorny et al., DATE'24)");
    add_cfg_input(command, options->input);
    add_number(command, "--units", options->questions.units, "SIMD units u = S + 1 a wavefront may use",
               Units{1});
    Option paper = command.add_flag("--paper-rule", options->paper_rule,
                                    "An unsplit branch leaves its spare units to one side only");
    Option pool =
        command
            .add_flag("--pool", options->questions.pool,
                      "Units come from a pool: a side that ends returns its unit at once, and a branch that "
                      "finds the pool empty runs its sides in sequence. With --study: compare it, too")
            .excludes(paper);
    add_number(command, "--pool-evaluations", options->questions.pool_evaluations,
               "With --pool: effort of the search; the answer is exact where it suffices", std::uint64_t{1})
        .needs(pool);
    command
        .add_flag_callback(
            "--reuse", [] {}, "Both sides of an unsplit branch may use all units (the default)")
        .excludes(paper)
        .excludes(pool);
    command.add_flag("--all-units", options->questions.all_units,
                     "The best splits for 1, 2, … units as well");
    command
        .add_flag("--tables", options->questions.tables,
                  "The least worst case t(b, u) of every block with u units, what each branch then does, "
                  "n(b, u): (s)plit or (d)o not, and the units of its sides; and who gets which units")
        .excludes(pool);
    Option baselines = command.add_flag(
        "--baselines", options->questions.baselines,
        "Compare with no split, the largest single gains, the first branches, random ones and brute force");
    command.add_flag("--net", options->questions.net,
                     "Run the net of the annotated graph and check its steps");
    command
        .add_option("--picture", options->picture,
                    "Write the annotated graph; '-': Graphviz text instead of the report")
        .type_name("FILE.{svg,png,pdf,dot}");
    command
        .add_option("--write-cfg", options->cfg_output,
                    "Write the graph, split and merge points as comments: as JSON, graph text or numbered "
                    "graph text; '-': JSON instead of the report")
        .type_name("FILE.{json,cfg,graph}");
    add_output(command, "--write-ptx", options->ptx_output, "ptx",
               "With --ptx: write the PTX with split and merge points as comments; '-': instead of the "
               "report");
    Option study_flag = command.add_flag(
        "--study", options->study,
        "Compare all methods on generated graphs 2a … 6e, or on all graphs of the folder CFG, as the "
        "paper's Figures 5 and 6 do");
    Option graphs =
        add_number(command, "--graphs", options->graphs, "With --study: graphs of each shape", 1, 100'000)
            .needs(study_flag);
    add_svg(command, "--plot", options->plot_file,
            "With --study: draw WCET and time of every method; '-': instead of the report")
        .needs(study_flag);
    add_style(command, options->style, "--plot");
    add_number(command, "--draws", options->questions.random_draws, "Draws of the random choice",
               std::uint64_t{1})
        .belongs_to({baselines, study_flag});
    add_number(command, "--brute-force-evaluations", options->questions.brute_force_evaluations,
               "Sets of splits that brute force looks at, at most", std::uint64_t{1})
        .belongs_to({baselines, study_flag});
    for (const char* of_a_graph :
         {"--all-units", "--tables", "--baselines", "--net", "--picture", "--write-cfg"})
        study_flag.excludes(of_a_graph);
    add_duration(command, "--time-limit", options->time_limit,
                 "Stop after so much time; what is known by then is printed, with exit code 4");
    add_common(command, options->common);
    command.get_option("--seed").belongs_to({command.get_option("--synthetic"), pool, baselines, study_flag});
    command.footer(
        "A graph is JSON, "
        "{\"blocks\":[{\"id\":\"b1\",\"time\":3,\"true\":[\"b2\"],\"false\":[]},...],\"root\":[\"b1\"]}, or "
        "text, one\nnode a line: 'id time successors [loop=N]'. See netgen/cfg/README.md.\n"
        "\n"
        "Without --pool the WCET is the least over static allotments: each side of a split has its units "
        "until "
        "the\n"
        "join. A pool can be shorter. Its WCET holds for blocks that end early only if the hand-over of "
        "units "
        "is fixed\n"
        "as printed ('generate cfg --pool --hand-over fixed').\n"
        "\n"
        "Examples:\n"
        "  warpnet split kernel.json --units 3\n"
        "  warpnet split kernel.cfg --units 4 --all-units --baselines --net\n"
        "  warpnet split kernel.json --units 3 --pool --net\n"
        "  warpnet split kernel.json --units 3 --picture kernel.svg\n"
        "  warpnet split --synthetic 4c --seed 7 --write-cfg graph.json\n"
        "  warpnet split --ptx kernel.ptx --units 2 --write-ptx split.ptx\n"
        "  warpnet split --study --graphs 10\n"
        "  warpnet split --study graphs/ --units 2 --plot study.svg");
    command.callback([options, graphs, &exit_code] {
        if (graphs.count() > 0 && !options->input.file.empty())
            throw UsageError("--graphs",
                             "is about graphs that are generated; the study is of those of a folder");
        if (options->study && (options->input.synthetic || options->input.ptx.given()))
            throw UsageError("--study",
                             "is about graphs of its own or of a folder; leave out --synthetic and --ptx");
        if (!options->ptx_output.empty() && !options->input.ptx.given())
            throw UsageError("--write-ptx", "writes the file of --ptx again, and there is none");
        exit_code = options->study ? study(*options) : split(*options);
    });
}

}  // namespace warpnet::cli

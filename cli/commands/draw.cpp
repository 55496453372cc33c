#include "analysis/pictures/net/draw.hpp"

#include "analysis/pictures/schedule/animate_svg.hpp"
#include "analysis/pictures/schedule/read_trace.hpp"
#include "analysis/pictures/schedule/schedule_svg.hpp"
#include "analysis/studies/files/marking_json.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/report/picture_output.hpp"
#include "cli/shell/interrupt.hpp"
#include "engine/base/text.hpp"
#include "engine/plan.hpp"

#include <iostream>
#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct DrawFlags {
    std::string net;
    std::string output = "-";
    std::string marking = "initial";
    pictures::DrawOptions picture;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string schedule;  ///< draw this schedule instead of the net
    std::string heat;      ///< colour by these firings; "run": those of the simulated run
    std::string trace;     ///< show this trace as an animation
    std::optional<std::chrono::milliseconds> step_time;
    RunOptions run{.max_steps = 1'000'000, .count_firings = true};  ///< the simulated run, to its end
    std::optional<std::uint64_t> after;
};

/// The picture with what files and the simulated run say.
pictures::DrawOptions picture_of(const DrawFlags& options, const Net& net) {
    pictures::DrawOptions picture = options.picture;
    const bool heat_of_run = options.heat == "run";
    if (options.marking != "initial")
        picture.marking =
            studies::read_marking_json(read_text(options.marking), input_name(options.marking), net);
    if (!options.heat.empty() && !heat_of_run)
        picture.heat = studies::read_firings_json(read_text(options.heat), input_name(options.heat), net);
    if (!options.after && !heat_of_run) return picture;
    RunOptions run_options = options.run;
    run_options.max_steps = options.after.value_or(run_options.max_steps);
    const RunResult result = run(compile(net), run_options);
    if (options.after && result.steps < *options.after)
        std::cerr << fmt::format(
            "warpnet: --after {}: the run ended after {}; the picture shows its last marking\n",
            *options.after, plural(result.steps, "step"));
    if (heat_of_run && !options.after && result.reason == StopReason::step_limit)
        std::cerr << fmt::format(
            "warpnet: --heat: the run did not end within {}; the colours are those of these\n",
            plural(result.steps, "step"));
    if (options.after) picture.marking = result.marking;
    if (heat_of_run) picture.heat.assign(result.counts.begin(), result.counts.end());
    return picture;
}

void draw_net(const DrawFlags& options) {
    const std::optional<pictures::PictureFormat> format = picture_format("--output", options.output);
    const bool is_svg = format == pictures::PictureFormat::svg, of_schedule = !options.schedule.empty();
    if (of_schedule && !is_svg && options.output != "-")
        throw UsageError("--output", "a schedule is drawn as .svg, found '" + options.output + "'");
    if (!options.trace.empty() && !is_svg)
        throw UsageError("--output", "an animation is written as .svg, found '" + options.output + "'");
    const Net net = read_net(options.net);
    if (of_schedule) {
        const std::string source = input_name(options.schedule);
        const Schedule schedule = studies::read_schedule_csv(read_text(options.schedule), source, net);
        studies::check_schedule(net, schedule, source);
        return write_text(options.output,
                          pictures::bounded_schedule_svg(net, schedule, options.picture.style));
    }
    const pictures::DrawOptions picture = picture_of(options, net);
    const std::chrono::milliseconds limit = options.time_limit.value_or(pictures::default_render_limit);
    if (options.trace.empty()) return write_net_picture(options.output, format, net, picture, limit);
    const auto frames = pictures::read_trace(read_text(options.trace), input_name(options.trace), net);
    const auto step_time = options.step_time.value_or(std::chrono::milliseconds(800));
    write_text(options.output, pictures::animate_net(net, frames, step_time, picture, limit));
}

}  // namespace

void add_draw(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<DrawFlags>();
    pictures::DrawOptions& picture = options->picture;
    Command command = program.add_subcommand("draw", "Picture of a net, through Graphviz");
    command
        .add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input", "NET")
        .required();
    command
        .add_option("-o,--output", options->output, "The picture; '-': Graphviz text to standard output",
                    "FILE.{svg,png,pdf,dot}")
        .capture_default_str();
    command
        .add_option("--marking", options->marking,
                    "The tokens to show: 'initial', or a JSON file {place: tokens}, or the output of "
                    "'run --json --marking' (its first run)",
                    "FILE")
        .capture_default_str();
    command
        .add_option("--highlight", picture.highlight, "Ids of nodes to colour, separated by commas", "ID,...")
        .delimiter(',');
    Option schedule = command.add_option(
        "--schedule", options->schedule,
        "Draw this schedule of the net (worst --schedule, run --schedule) as a Gantt chart, SVG", "FILE.csv");
    Option after =
        add_number(command, "--after", options->after, "Show the marking after so many steps of a run");
    Option heat = command.add_option(
        "--heat", options->heat,
        "Colour transitions by their firings: 'run', those of a run (to its end, or of --after "
        "steps), or a JSON file {transition: firings}, or the output of 'run --json --counts'",
        "FILE");
    add_choice(command, "--semantics", options->run.semantics, "Of the run of --after and --heat",
               {Semantics::maximal, Semantics::multiset, Semantics::interleaving})
        .belongs_to({after, heat});
    add_number(command, "--seed", options->run.seed, "Of that run").belongs_to({after, heat});
    Option trace = command.add_option(
        "--trace", options->trace,
        "Show this trace (run --trace, .csv, .json or .jsonl) as an animation: one SVG file for "
        "any browser",
        "FILE");
    add_duration(command, "--step-time", options->step_time, "Of the animation; default 800ms").needs(trace);
    add_choice(
        command, "--layout", picture.layout,
        "layered: arcs point downwards; orthogonal: right angles; force: for large nets; auto: layered "
        "or force, by size",
        {pictures::DrawLayout::automatic, pictures::DrawLayout::layered, pictures::DrawLayout::orthogonal,
         pictures::DrawLayout::force});
    add_style(command, picture.style);
    command.add_flag("--legend", picture.legend, "Explain the symbols in the picture");
    command.add_flag("!--no-frames", picture.frames, "Do not frame nodes that share a prefix such as w1_");
    command.add_flag("--keep-positions", picture.keep_positions, "Put nodes where the file says")
        .excludes("--layout");
    for (const char* of_nets : {"--marking", "--highlight", "--after", "--heat", "--trace", "--layout",
                                "--legend", "--no-frames", "--keep-positions"})
        schedule.excludes(of_nets);
    for (Option own_marking : {after, trace}) own_marking.excludes("--marking");
    trace.excludes(after);
    add_duration(command, "--time-limit", options->time_limit,
                 "End after so much time, with exit code 4; without it a layout may take 2m");
    command.footer(R"(Examples:
  warpnet draw kernel.pnml -o kernel.svg
  warpnet draw kernel.pnml --schedule worst.csv -o worst.svg
  warpnet draw kernel.pnml --theme print --font-size 11 -o figure.pdf
  warpnet draw kernel.pnml -o kernel.png --highlight sm,idle --legend
  warpnet run kernel.pnml --json --marking | warpnet draw kernel.pnml --marking - -o end.pdf
  warpnet draw kernel.pnml --after 100 --heat run -o busy.svg
  warpnet run kernel.pnml --trace kernel.jsonl && warpnet draw kernel.pnml --trace kernel.jsonl -o film.svg
  warpnet draw kernel.pnml | dot -Tx11)");
    command.callback([options, &exit_code] {
        if (options->time_limit) end_program_after(*options->time_limit);
        exit_code = render_or_say([&] { draw_net(*options); });
    });
}

}  // namespace warpnet::cli

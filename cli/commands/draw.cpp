#include "analysis/pictures/net/draw.hpp"

#include "analysis/pictures/schedule/animate_svg.hpp"
#include "analysis/pictures/schedule/read_trace.hpp"
#include "analysis/pictures/schedule/schedule_svg.hpp"
#include "analysis/studies/files/marking_json.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "analysis/worst/worst_case.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/report/picture_output.hpp"
#include "cli/shell/interrupt.hpp"
#include "engine/base/parse_number.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct DrawFlags {
    std::string net;
    std::string output = "-";
    std::string marking = "initial";
    DrawOptions picture;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string schedule;  ///< draw this schedule instead of the net
    std::string heat;      ///< colour by these firings; "run": those of the simulated run
    std::string trace;     ///< show this trace as an animation
    std::optional<std::chrono::milliseconds> step_time;
    RunOptions run{.max_steps = run_to_the_end, .count_firings = true};  ///< the simulated run
    static constexpr std::uint64_t run_to_the_end = 1'000'000;
    std::optional<std::uint64_t> after;
};

/// A Gantt chart needs no layout, so it is always SVG.
ExitCode draw_schedule(const DrawFlags& options, const Net& net) {
    const std::optional<PictureFormat> format =
        options.output == "-" ? PictureFormat::svg : picture_format("--output", options.output);
    if (format != PictureFormat::svg) {
        throw UsageError("--output", "a schedule is drawn as .svg, found '" + options.output + "'");
    }
    const Schedule schedule =
        read_schedule_csv(read_text(options.schedule), input_name(options.schedule), net);
    check_schedule(net, schedule, input_name(options.schedule));
    const auto steps = static_cast<std::uint64_t>(std::count_if(
        schedule.begin(), schedule.end(), [](const ScheduledStep& step) { return !step.immediate; }));
    write_text(options.output,
               schedule_svg(net, schedule, note_on_bound(steps, quick_bound(net)), options.picture.style));
    return ExitCode::done;
}

/// Shows what a run of so many steps, or to its end, did: its last marking, its firings.
void simulate(const DrawFlags& options, const Net& net, DrawOptions& picture) {
    RunOptions run_options = options.run;
    if (options.after) run_options.max_steps = *options.after;
    const RunResult result = run(compile(net), run_options);
    if (options.after) picture.marking = result.marking;
    if (options.heat == "run") picture.heat.assign(result.counts.begin(), result.counts.end());
}

/// The layout is that of a still picture of the first step.
ExitCode animate(const DrawFlags& options, const Net& net, DrawOptions picture) {
    if (picture_format("--output", options.output) != PictureFormat::svg) {
        throw UsageError("--output", "an animation is written as .svg, found '" + options.output + "'");
    }
    const std::vector<TraceFrame> frames =
        read_trace(read_text(options.trace), input_name(options.trace), net);
    constexpr std::size_t most_frames = 2000;
    if (frames.size() > most_frames) {
        throw InputError(
            fmt::format("{}: expected at most {} steps to show, found {}; shorten the run with "
                        "--max-steps or --until",
                        input_name(options.trace), most_frames, frames.size()));
    }
    if (!frames.empty()) picture.marking = frames.front().marking;
    const auto limit = options.time_limit.value_or(default_render_limit);
    const auto step_time = options.step_time.value_or(std::chrono::milliseconds(800));
    return render_or_say([&] {
        const std::string svg = render_dot(draw_dot(net, picture), PictureFormat::svg, limit);
        write_text(options.output, animate_svg(svg, net, frames, step_time, picture.style));
    });
}

ExitCode draw_net(const DrawFlags& options) {
    if (!options.schedule.empty()) return draw_schedule(options, read_net(options.net));
    const std::optional<PictureFormat> format = picture_format("--output", options.output);
    const Net net = read_net(options.net);
    DrawOptions picture = options.picture;
    if (options.marking != "initial") {
        picture.marking = read_marking_json(read_text(options.marking), input_name(options.marking), net);
    }
    if (!options.heat.empty() && options.heat != "run") {
        picture.heat = read_firings_json(read_text(options.heat), input_name(options.heat), net);
    }
    if (options.after || options.heat == "run") simulate(options, net, picture);
    if (!options.trace.empty()) return animate(options, net, picture);
    const std::chrono::milliseconds limit = options.time_limit.value_or(default_render_limit);
    if (!format) return write_picture(options.output, format, draw_dot(net, picture), limit);
    const Picture drawn = draw_picture(net, picture, *format, limit);
    if (drawn.left_layers)
        std::cerr << fmt::format("warpnet: no layout within {} s; this one is that of --layout force\n",
                                 std::chrono::duration<double>(picture.patience).count());
    write_text(options.output, drawn.file);
    return ExitCode::done;
}

ExitCode draw(const DrawFlags& options) {
    if (options.time_limit) end_program_after(*options.time_limit);
    ExitCode exit_code = ExitCode::done;
    const ExitCode rendered = render_or_say([&] { exit_code = draw_net(options); });
    return rendered == ExitCode::done ? exit_code : rendered;
}

}  // namespace

void add_draw(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<DrawFlags>();
    Command command = program.add_subcommand("draw", "Picture of a net, through Graphviz");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        .required()
        .type_name("NET");
    command.add_option("-o,--output", options->output, "The picture; '-': Graphviz text to standard output")
        .type_name("FILE.{svg,png,pdf,dot}")
        .capture_default_str();
    command
        .add_option("--marking", options->marking,
                    "The tokens to show: 'initial', or a JSON file {place: tokens}, or the output of "
                    "'run --json --marking' (its first run)")
        .type_name("FILE")
        .capture_default_str();
    command
        .add_option("--highlight", options->picture.highlight, "Ids of nodes to colour, separated by commas")
        .delimiter(',')
        .type_name("ID,...");
    command
        .add_option("--schedule", options->schedule,
                    "Draw this schedule of the net (worst --schedule, run --schedule) as a Gantt chart, SVG")
        .type_name("FILE.csv")
        .excludes("--marking")
        .excludes("--highlight");
    Option after =
        command
            .add_option_function<std::string>(
                "--after",
                [options](const std::string& text) {
                    const auto steps = parse_number<std::int64_t>(text);
                    check_range("--after", text, steps, 0, std::numeric_limits<std::int64_t>::max());
                    options->after = static_cast<std::uint64_t>(*steps);
                },
                "Show the marking after so many steps of a run")
            .type_name("N")
            .excludes("--marking");
    Option heat =
        command
            .add_option(
                "--heat", options->heat,
                "Colour transitions by their firings: 'run', those of a run (to its end, or of --after "
                "steps), or a JSON file {transition: firings}, or the output of 'run --json --counts'")
            .type_name("FILE");
    add_choice(command, "--semantics", options->run.semantics, "Of the run of --after and --heat",
               {Semantics::maximal, Semantics::multiset, Semantics::interleaving})
        .belongs_to({after, heat});
    add_number(command, "--seed", options->run.seed, "Of that run").belongs_to({after, heat});
    Option trace =
        command
            .add_option(
                "--trace", options->trace,
                "Show this trace (run --trace, .csv, .json or .jsonl) as an animation: one SVG file for "
                "any browser")
            .type_name("FILE")
            .excludes("--marking")
            .excludes("--after");
    add_duration(command, "--step-time", options->step_time, "Of the animation; default 800ms").needs(trace);
    add_choice(
        command, "--layout", options->picture.layout,
        "layered: arcs point downwards; orthogonal: right angles; force: for large nets; auto: layered "
        "or force, by size",
        {DrawLayout::automatic, DrawLayout::layered, DrawLayout::orthogonal, DrawLayout::force});
    add_style(command, options->picture.style);
    command.add_flag("--legend", options->picture.legend, "Explain the symbols in the picture");
    command.add_flag("!--no-frames", options->picture.frames,
                     "Do not frame nodes that share a prefix such as w1_");
    command.add_flag("--keep-positions", options->picture.keep_positions, "Put nodes where the file says");
    for (const char* of_nets :
         {"--after", "--heat", "--trace", "--layout", "--legend", "--no-frames", "--keep-positions"})
        command.get_option("--schedule").excludes(of_nets);
    command.get_option("--keep-positions").excludes("--layout");
    add_duration(command, "--time-limit", options->time_limit,
                 "End after so much time, with exit code 4; without it a layout may take 2m");
    command.footer(
        "Examples:\n"
        "  warpnet draw kernel.pnml -o kernel.svg\n"
        "  warpnet draw kernel.pnml --schedule worst.csv -o worst.svg\n"
        "  warpnet draw kernel.pnml --theme print --font-size 11 -o figure.pdf\n"
        "  warpnet draw kernel.pnml -o kernel.png --highlight sm,idle --legend\n"
        "  warpnet run kernel.pnml --json --marking | warpnet draw kernel.pnml --marking - -o end.pdf\n"
        "  warpnet draw kernel.pnml --after 100 --heat run -o busy.svg\n"
        "  warpnet run kernel.pnml --trace kernel.jsonl && warpnet draw kernel.pnml --trace kernel.jsonl -o "
        "film.svg\n"
        "  warpnet draw kernel.pnml | dot -Tx11");
    command.callback([options, &exit_code] { exit_code = draw(*options); });
}

}  // namespace warpnet::cli

#include "cli/commands/draw.hpp"
#include "cli/input/options.hpp"

namespace warpnet::cli {

void add_draw_flags(Command& command, DrawFlags& flags) {
    pictures::DrawOptions& picture = flags.picture;
    command.add_option("net", flags.net, "A PNML file; FILE#ID: one of its nets; '-': standard input", "NET")
        .required();
    command
        .add_option("-o,--output", flags.output, "The picture; '-': Graphviz text to standard output",
                    "FILE.{svg,png,pdf,dot}")
        .capture_default_str();
    command
        .add_option("--marking", flags.marking,
                    "The tokens to show: 'initial', or a JSON file {place: tokens}, or the output of "
                    "'run --json --marking' (its first run)",
                    "FILE")
        .capture_default_str();
    command
        .add_option("--highlight", picture.highlight, "Ids of nodes to colour, separated by commas", "ID,...")
        .delimiter(',');
    Option schedule = command.add_option(
        "--schedule", flags.schedule,
        "Draw this schedule of the net (--write-schedule of run, worst) as a Gantt chart, SVG", "FILE.csv");
    Option after =
        add_number(command, "--after", flags.after, "Show the marking after this many steps of a run");
    Option heat = command.add_option(
        "--heat", flags.heat,
        "Colour transitions by their firings, from a run ('run': to its end, or for --after steps), a JSON "
        "file {transition: firings}, or the output of 'run --json --counts'",
        "FILE");
    add_choice(command, "--semantics", flags.run.semantics, "Semantics of the run of --after and --heat",
               {Semantics::maximal, Semantics::multiset, Semantics::interleaving})
        .belongs_to({after, heat});
    add_number(command, "-s,--seed", flags.run.seed, "Seed of that run").belongs_to({after, heat});
    Option trace = command.add_option(
        "--trace", flags.trace,
        "Show this trace (run --trace, .csv, .json or .jsonl) as an animation: one SVG file for "
        "any browser",
        "FILE");
    add_duration(command, "--step-time", flags.step_time, "Time per step of the animation; default 800ms")
        .needs(trace);
    add_choice(
        command, "--layout", picture.layout,
        "layered: arcs point downwards; orthogonal: right angles; force: for large nets; auto: layered "
        "or force, by size",
        {pictures::DrawLayout::automatic, pictures::DrawLayout::layered, pictures::DrawLayout::orthogonal,
         pictures::DrawLayout::force});
    add_style(command, picture.style);
    command.add_flag("--legend", picture.legend, "Explain the symbols in the picture");
    command.add_flag("!--no-frames", picture.frames, "Do not frame nodes that share a prefix such as w1_");
    command.add_flag("--keep-positions", picture.keep_positions, "Place nodes at the positions in the file")
        .excludes("--layout");
    for (const char* of_nets : {"--marking", "--highlight", "--after", "--heat", "--trace", "--layout",
                                "--legend", "--no-frames", "--keep-positions"})
        schedule.excludes(of_nets);
    for (Option own_marking : {after, trace}) own_marking.excludes("--marking");
    trace.excludes(after);
    add_duration(command, "--time-limit", flags.time_limit,
                 "Stop after this time, with exit code 4; without it, a layout may take up to 2m");
    command.footer(R"(Examples:
  warpnet draw kernel.pnml -o kernel.svg
  warpnet draw kernel.pnml --schedule worst.csv -o worst.svg
  warpnet draw kernel.pnml --theme print --font-size 11 -o figure.pdf
  warpnet draw kernel.pnml -o kernel.png --highlight sm,idle --legend
  warpnet run kernel.pnml --json --marking | warpnet draw kernel.pnml --marking - -o end.pdf
  warpnet draw kernel.pnml --after 100 --heat run -o busy.svg
  warpnet run kernel.pnml --trace kernel.jsonl && warpnet draw kernel.pnml --trace kernel.jsonl -o film.svg
  warpnet draw kernel.pnml | dot -Tx11)");
}

}  // namespace warpnet::cli

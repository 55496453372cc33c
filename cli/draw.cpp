#include "analysis/draw.hpp"

#include "analysis/schedule_svg.hpp"
#include "cli/commands.hpp"
#include "cli/marking_json.hpp"
#include "cli/net_io.hpp"
#include "cli/options.hpp"
#include "cli/picture_output.hpp"
#include "cli/schedule_csv.hpp"

#include <memory>

namespace warpnet::cli {

namespace {

struct Options {
    std::string net;
    std::string output = "-";
    std::string marking = "initial";
    DrawOptions picture;
    std::optional<std::chrono::milliseconds> time_limit;
    std::string schedule;  ///< draw this schedule instead of the net
};

/// A Gantt chart needs no layout, so it is always SVG.
ExitCode draw_schedule(const Options& options, const Net& net) {
    const std::optional<PictureFormat> format =
        options.output == "-" ? PictureFormat::svg : picture_format("--output", options.output);
    if (format != PictureFormat::svg) {
        throw CLI::ValidationError("--output", "a schedule is drawn as .svg, found '" + options.output + "'");
    }
    const Schedule schedule =
        read_schedule_csv(read_text(options.schedule), input_name(options.schedule), net);
    write_text(options.output, schedule_svg(net, schedule));
    return ExitCode::done;
}

ExitCode draw(const Options& options) {
    if (!options.schedule.empty()) return draw_schedule(options, read_net(options.net));
    const std::optional<PictureFormat> format = picture_format("--output", options.output);
    const Net net = read_net(options.net);
    DrawOptions picture = options.picture;
    if (options.marking != "initial") {
        picture.marking = read_marking_json(read_text(options.marking), input_name(options.marking), net);
    }
    return write_picture(options.output, format, draw_dot(net, picture),
                         options.time_limit.value_or(default_render_limit));
}

}  // namespace

void add_draw(CLI::App& program, ExitCode& exit_code) {
    const auto options = std::make_shared<Options>();
    CLI::App& command = *program.add_subcommand("draw", "Picture of a net, through Graphviz");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        ->required()
        ->type_name("NET");
    command.add_option("-o,--output", options->output, "The picture; '-': Graphviz text to standard output")
        ->type_name("FILE.{svg,png,pdf,dot}")
        ->capture_default_str();
    command
        .add_option("--marking", options->marking,
                    "The tokens to show: 'initial', or a JSON file {place: tokens}, or the output of "
                    "'run --json --marking' (its first run)")
        ->type_name("FILE")
        ->capture_default_str();
    command
        .add_option("--highlight", options->picture.highlight, "Ids of nodes to colour, separated by commas")
        ->delimiter(',')
        ->type_name("ID,...");
    command
        .add_option("--schedule", options->schedule,
                    "Draw this schedule of the net (worst --schedule, run --schedule) as a Gantt chart, SVG")
        ->type_name("FILE.csv");
    command.add_flag("--legend", options->picture.legend, "Explain the symbols in the picture");
    command.add_flag("!--no-frames", options->picture.frames,
                     "Do not frame nodes that share a prefix such as w1_");
    command.add_flag("--keep-positions", options->picture.keep_positions, "Put nodes where the file says");
    add_duration(command, "--time-limit", options->time_limit, "For the layout; default 2m");
    command.footer(
        "Examples:\n"
        "  warpnet draw kernel.pnml -o kernel.svg\n"
        "  warpnet draw kernel.pnml --schedule worst.csv -o worst.svg\n"
        "  warpnet draw kernel.pnml -o kernel.png --highlight sm,idle --legend\n"
        "  warpnet run kernel.pnml --json --marking | warpnet draw kernel.pnml --marking - -o end.pdf\n"
        "  warpnet draw kernel.pnml | dot -Tx11");
    command.callback([options, &exit_code] { exit_code = draw(*options); });
}

}  // namespace warpnet::cli

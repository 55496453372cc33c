// `draw`: a net with a marking and heat, a schedule as a Gantt chart, or a trace as an animation.

#include "cli/commands/draw.hpp"

#include "analysis/pictures/schedule/animate_svg.hpp"
#include "analysis/pictures/schedule/read_trace.hpp"
#include "analysis/pictures/schedule/schedule_svg.hpp"
#include "analysis/studies/files/marking_json.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/notes.hpp"
#include "cli/report/picture_output.hpp"
#include "cli/shell/interrupt.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

void check_highlight(const std::vector<std::string>& ids, const Net& net) {
    std::vector<std::string_view> known = ids_of(net.places());
    const std::vector<std::string_view> transitions = ids_of(net.transitions());
    known.insert(known.end(), transitions.begin(), transitions.end());
    for (const std::string& id : ids)
        if (std::ranges::find(known, id) == known.end())
            throw UsageError("--highlight",
                             fmt::format("expected the id of a place or transition of net '{}', found '{}'{}",
                                         net.id(), id, did_you_mean(id, known)));
}

/// The options of the picture, with markings and heat from files and the simulated run.
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
        print_note("warpnet: --after {}: the run ended after {}; the picture shows its last marking\n",
                   *options.after, plural(result.steps, "step"));
    if (heat_of_run && !options.after && result.reason == StopReason::step_limit)
        print_note("warpnet: --heat: the run did not end within {}; the colours show only these\n",
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
    if (net.places().empty() && net.transitions().empty())
        throw InputError(input_name(options.net) + ": expected a place or a transition to draw, found none");
    if (of_schedule) {
        const std::string source = input_name(options.schedule);
        const Schedule schedule = studies::read_schedule_csv(read_text(options.schedule), source, net);
        studies::check_schedule(net, schedule, source);
        return write_text(options.output,
                          pictures::bounded_schedule_svg(net, schedule, options.picture.style));
    }
    check_highlight(options.picture.highlight, net);
    const pictures::DrawOptions picture = picture_of(options, net);
    const std::chrono::milliseconds limit = options.time_limit.value_or(pictures::default_render_limit);
    if (options.trace.empty()) return write_net_picture(options.output, format, net, picture, limit);
    const auto frames = pictures::read_trace(read_text(options.trace), input_name(options.trace), net);
    const auto step_time = options.step_time.value_or(std::chrono::milliseconds(800));
    write_text(options.output, pictures::animate_net(net, frames, step_time, picture, limit));
}

}  // namespace

void add_draw(Command& program, ExitCode& exit_code) {
    const auto flags = std::make_shared<DrawFlags>();
    Command command = program.add_subcommand("draw", "Draw a net with Graphviz");
    add_draw_flags(command, *flags);
    command.callback([flags, &exit_code] {
        if (flags->time_limit) end_program_after(*flags->time_limit);
        exit_code = render_or_say([&] { draw_net(*flags); });
    });
}

}  // namespace warpnet::cli

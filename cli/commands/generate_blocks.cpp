#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/task_input.hpp"
#include "netgen/blocks/blocks.hpp"

#include <memory>

namespace warpnet::cli {

namespace {

struct GenerateBlocksFlags {
    TaskInput input;
    std::int64_t horizon = 0;  ///< 0: one hyperperiod
    std::int64_t step = 1;     ///< 0: the largest that divides all times
    NetOutput output;
};

ExitCode generate_blocks(const GenerateBlocksFlags& options) {
    const netgen::TaskSet tasks = load_tasks(options.input).tasks;
    netgen::BlocksNetOptions net_options;
    net_options.policy = options.input.policy;
    if (options.horizon > 0) net_options.horizon = options.horizon;
    net_options.step = options.step > 0 ? options.step : netgen::common_time(tasks);
    write_net(netgen::blocks_net(tasks, net_options).net, options.output);
    return ExitCode::done;
}

}  // namespace

void add_generate_blocks(Command& generate, ExitCode& exit_code, std::optional<Net>* kept) {
    const auto options = std::make_shared<GenerateBlocksFlags>();
    options->output.kept = kept;
    Command command = generate.add_subcommand("blocks",
                                              "Blocks of concurrent kernels on the SMs of a GPU (Paredes "
                                              "2019); files: docs/reference/task-sets.md");
    add_task_input(command, options->input);
    add_number(command, "--horizon", options->horizon,
               "Jobs released before it; 0: one hyperperiod after the last first release", std::int64_t{0});
    add_number(command, "--step", options->step,
               "Time units of one step, a divisor of every time; 0: the largest", std::int64_t{0});
    add_net_output(command, options->output);
    command.footer(
        "The net is dead when all jobs are done: its steps are the makespan, and k1_done gets a token in the "
        "step\n"
        "in which a job of k1 completes.\n"
        "\n"
        "Examples:\n"
        "  warpnet generate blocks tasks.json -o blocks.pnml\n"
        "  warpnet generate blocks tasks.json | warpnet run -\n"
        "  warpnet generate blocks mobstr.amxmi --step 0 -o waters.pnml");
    command.callback([options, &exit_code] { exit_code = generate_blocks(*options); });
}

}  // namespace warpnet::cli

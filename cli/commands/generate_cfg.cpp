#include "analysis/split/split.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/cfg_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "netgen/cfg/cfg_net.hpp"

#include <memory>

namespace warpnet::cli {

namespace {

struct GenerateCfgFlags {
    CfgInput input;
    std::uint64_t seed = 1;
    Units units = 0;  ///< 0: not given
    std::vector<std::string> splits;
    bool optimal = false;
    bool paper_rule = false;
    NetOutput output;
};

CfgAnnotation annotation_of(const StructuredCfg& cfg, const GenerateCfgFlags& options) {
    if (options.optimal) {
        const Units units = options.units > 0 ? options.units : 3;
        return best_split(cfg, units, options.paper_rule ? UnitRule::paper : UnitRule::reuse).annotation;
    }
    const SplitSet splits = split_set(cfg, options.splits);
    return annotate(cfg, splits, options.units > 0 ? options.units : unit_demand(cfg, splits));
}

ExitCode generate_cfg_net(const GenerateCfgFlags& options) {
    const StructuredCfg cfg = cfg_of(options.input, options.seed);
    write_net(cfg_net(cfg, annotation_of(cfg, options)), options.output);
    return ExitCode::done;
}

}  // namespace

void add_generate_cfg(Command& generate, ExitCode& exit_code, std::optional<Net>* kept) {
    const auto options = std::make_shared<GenerateCfgFlags>();
    options->output.kept = kept;
    Command command = generate.add_subcommand(
        "cfg", "A control-flow graph whose wavefronts split at branches (Klashtorny et al., DATE'24)");
    add_cfg_input(command, options->input);
    add_number(command, "--units", options->units,
               "SIMD units; default: 3 with --optimal, else as many as the splits need", Units{1})
        .default_str("");
    Option splits =
        command.add_option("--split", options->splits, "The branches that split, separated by commas")
            .delimiter(',')
            .type_name("BLOCK,...");
    Option optimal = command.add_flag("--optimal", options->optimal,
                                      "Split where it makes the worst case least (see 'warpnet split')");
    optimal.excludes(splits);
    command.add_flag("--paper-rule", options->paper_rule, "With --optimal: the paper's rule for units")
        .needs(optimal);
    add_number(command, "--seed", options->seed, "Of a synthetic graph");
    add_net_output(command, options->output);
    command.footer(
        "The net's steps to its dead marking are the worst case of the graph with these splits.\n"
        "\n"
        "Examples:\n"
        "  warpnet generate cfg kernel.json -o serial.pnml\n"
        "  warpnet generate cfg kernel.json --split b4,b6 -o split.pnml\n"
        "  warpnet generate cfg --synthetic 4c --seed 7 --optimal --units 3 | warpnet run -");
    command.callback([options, &exit_code] { exit_code = generate_cfg_net(*options); });
}

}  // namespace warpnet::cli

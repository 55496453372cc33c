// `generate cfg`: a graph with given or optimal splits. Units are allotted statically if they suffice;
// otherwise they come from a pool with a fixed hand-over.

#include "analysis/studies/split/pool_split.hpp"
#include "analysis/studies/split/split.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/cfg_input.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/net.hpp"
#include "netgen/cfg/unit_pool.hpp"

#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct GenerateCfgFlags {
    CfgInput input;
    std::uint64_t seed = 1;
    netgen::Units units = 0;  ///< 0: not given
    std::vector<std::string> splits;
    bool optimal = false;
    bool paper_rule = false;
    bool pool = false;
    netgen::UnitSharing hand_over = netgen::UnitSharing::first_come;
    std::uint64_t pool_evaluations = studies::PoolSplitOptions{}.evaluations;
    NetOutput output;
};

/// Allots the units statically if there are enough. Otherwise they come from a pool, if they suffice at every
/// instant.
netgen::CfgAnnotation with_enough_units(const netgen::StructuredCfg& cfg, const netgen::SplitSet& splits,
                                        netgen::Units units) {
    if (units >= netgen::unit_demand(cfg, splits)) return netgen::annotate(cfg, splits, units);
    const netgen::Units needed = netgen::pool_demand(cfg, splits);
    if (units < needed) {
        throw InputError(fmt::format("these splits need {} units at once, but only {} {} available", needed,
                                     units, units == 1 ? "is" : "are"));
    }
    return netgen::annotate_pooled(cfg, splits, units, netgen::UnitSharing::fixed_hand_over);
}

netgen::CfgAnnotation annotation_of(const netgen::StructuredCfg& cfg, const GenerateCfgFlags& options) {
    if (options.optimal) {
        const netgen::Units units = options.units > 0 ? options.units : 3;
        if (options.pool) {
            const studies::PoolSplitResult best = studies::best_pool_split(
                cfg, units, {.evaluations = options.pool_evaluations, .seed = options.seed});
            return netgen::annotate_pooled(cfg, best.run.taken, units, options.hand_over);
        }
        return studies::best_split(cfg, units,
                                   options.paper_rule ? studies::UnitRule::paper : studies::UnitRule::reuse)
            .annotation;
    }
    const netgen::SplitSet splits = netgen::split_set(cfg, options.splits);
    const netgen::Units units = options.units > 0 ? options.units : netgen::pool_demand(cfg, splits);
    return options.pool ? netgen::annotate_pooled(cfg, splits, units, options.hand_over)
                        : with_enough_units(cfg, splits, units);
}

ExitCode generate_cfg_net(const GenerateCfgFlags& options) {
    const netgen::StructuredCfg cfg = cfg_of(options.input, options.seed);
    write_net(netgen::cfg_net(cfg, annotation_of(cfg, options)), options.output);
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
               "SIMD units; default: 3 with --optimal, else as many as the splits use at once",
               netgen::Units{1})
        .default_str("");
    Option splits =
        command.add_option("--split", options->splits, "The branches that split, separated by commas")
            .delimiter(',')
            .type_name("BLOCK,...");
    Option optimal = command.add_flag("--optimal", options->optimal,
                                      "Split where it makes the worst case least, over static allotments "
                                      "of units or with --pool (see 'warpnet split')");
    optimal.excludes(splits);
    Option paper =
        command.add_flag("--paper-rule", options->paper_rule, "With --optimal: the paper's rule for units")
            .needs(optimal);
    Option pool = command
                      .add_flag("--pool", options->pool,
                                "A side that ends returns its unit to a pool. A branch that finds the pool "
                                "empty runs its sides in sequence")
                      .excludes(paper);
    add_choice(command, "--hand-over", options->hand_over,
               "With --pool: the branch that gets a returned unit. fixed: the branch that gets it if every "
               "block takes its full time, so blocks that end early do not lengthen the run",
               {netgen::UnitSharing::first_come, netgen::UnitSharing::fixed_hand_over})
        .needs(pool);
    add_number(command, "--pool-evaluations", options->pool_evaluations,
               "With --optimal and --pool: effort of the search", std::uint64_t{1})
        .needs(pool)
        .needs(optimal);
    const Option seed = add_number(command, "-s,--seed", options->seed,
                                   "Seed of a synthetic graph, and of the search of --pool");
    add_net_output(command, options->output);
    command.footer(
        "The net's steps to its dead marking are the worst case of the graph with these splits. Splits that "
        "need more\nunits in a static allotment than there are, but never at once, get a pool with a fixed "
        "hand-over.\n"
        "\n"
        "Examples:\n"
        "  warpnet generate cfg kernel.json -o serial.pnml\n"
        "  warpnet generate cfg kernel.json --split b4,b6 -o split.pnml\n"
        "  warpnet generate cfg kernel.json --optimal --pool --units 3 -o pooled.pnml\n"
        "  warpnet generate cfg --synthetic 4c --seed 7 --optimal --units 3 | warpnet run -");
    command.callback([options, seed, &exit_code] {
        const bool of_graph = options->input.synthetic && !options->input.graph_seed;
        take_code(options->input);
        if (seed.count() > 0 && !of_graph && !(options->optimal && options->pool))
            throw UsageError("--seed", "requires --synthetic without --graph-seed, or --optimal --pool");
        exit_code = generate_cfg_net(*options);
    });
}

}  // namespace warpnet::cli

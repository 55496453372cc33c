#include "cli/commands/split.hpp"
#include "cli/input/output_file.hpp"

namespace warpnet::cli {

void add_split_flags(Command& command, SplitFlags& flags) {
    studies::SplitQuestions& questions = flags.questions;
    add_cfg_input(command, flags.input);
    add_number(command, "--units", questions.units, "SIMD units u = S + 1 that a wavefront may use",
               netgen::Units{1});
    Option paper = command.add_flag("--paper-rule", flags.paper_rule,
                                    "An unsplit branch leaves its spare units to one side only");
    Option pool =
        command
            .add_flag("--pool", questions.pool,
                      "Units come from a pool: a side that ends returns its unit at once, and a branch that "
                      "finds the pool empty runs its sides in sequence. With --study: also compare it")
            .excludes(paper);
    add_number(command, "--pool-evaluations", questions.pool_evaluations,
               "With --pool: effort of the search; the answer is exact if it suffices", std::uint64_t{1})
        .needs(pool);
    Option reuse = command.add_flag_callback(
        "--reuse", [] {}, "Both sides of an unsplit branch may use all units (the default)");
    command.add_flag("--all-units", questions.all_units, "Also show the best splits for 1, 2, … units");
    Option tables = command.add_flag(
        "--tables", questions.tables,
        "Print the least worst case t(b, u) of every block with u units, the decision n(b, u) of each branch "
        "((s)plit or (d)o not, with the units of its sides), and the units that each branch gets");
    for (Option of_allotments : {reuse, tables}) of_allotments.excludes(pool);
    reuse.excludes(paper);
    Option baselines = command.add_flag("--baselines", questions.baselines,
                                        "Compare with no split, the largest single gains, the first "
                                        "branches, random choices and brute force");
    Option wavefronts =
        add_number(command, "--wavefronts", questions.wavefronts,
                   "Bound the time of this many wavefronts, for every division of the SIMD units among them",
                   std::int64_t{1}, std::int64_t{1'000'000'000});
    Option simds = add_number(command, "--simds", questions.simds,
                              "With --wavefronts: SIMD units N_SIMD; each has u - 1 reserved units",
                              std::int64_t{1}, std::int64_t{1'000'000'000});
    simds.needs(wavefronts);
    wavefronts.excludes(pool);
    command.add_flag("--net", questions.net, "Run the net of the annotated graph and check its steps");
    command.add_option("--picture", flags.picture,
                       "Write the annotated graph; '-': Graphviz text instead of the report",
                       "FILE.{svg,png,pdf,dot}");
    command.add_option("--write-cfg", flags.cfg_output,
                       "Write the graph, split and merge points as comments: as JSON, graph text or numbered "
                       "graph text; '-': JSON instead of the report",
                       "FILE.{json,cfg,graph}");
    add_output(
        command, "--write-ptx", flags.ptx_output, "ptx",
        "Write the code with split and merge points as comments (.ptx, .s); '-': instead of the report");
    Option study = command.add_flag(
        "--study", flags.study,
        "Compare all methods on generated graphs 2a … 6e, or on all graphs of the folder CFG, as the "
        "paper's Figures 5 and 6 do");
    add_whole_number(command, "--graphs", "With --study: graphs of each shape", "1", 1, 100'000,
                     [&flags](std::int64_t graphs) { flags.graphs = static_cast<int>(graphs); })
        .needs(study);
    add_svg(command, "--plot", flags.plot_file,
            "With --study: draw WCET and time of every method; '-': instead of the report")
        .needs(study);
    add_style(command, flags.style, "--plot");
    add_number(command, "--draws", questions.random_draws, "Number of draws of the random choice",
               std::uint64_t{1})
        .belongs_to({baselines, study});
    add_number(command, "--brute-force-evaluations", questions.brute_force_evaluations,
               "Largest number of sets of splits that brute force evaluates", std::uint64_t{1})
        .belongs_to({baselines, study});
    for (const char* of_a_graph :
         {"--all-units", "--tables", "--baselines", "--wavefronts", "--net", "--picture", "--write-cfg",
          "--kernel", "--trips", "--param", "--paths", "--grid", "--block", "--latencies", "--times"})
        study.excludes(of_a_graph);
    add_duration(command, "--time-limit", flags.time_limit,
                 "Stop after this time; the results so far are printed, with exit code 4");
    add_common(command, flags.common);
    command.get_option("--seed").belongs_to({command.get_option("--synthetic"), pool, baselines, study});
    command.footer(
        R"(A graph is JSON, {"blocks":[{"id":"b1","time":3,"true":["b2"],"false":[]},...],"root":["b1"]}, or text, one
node per line: 'id time successors [loop=N]'. See docs/reference/family-cfg.md.

Without --pool the WCET is the least over static allotments: each side of a split has its units until the
join. A pool can be shorter. Its WCET holds for blocks that end early only if the hand-over of units is fixed
as printed ('generate cfg --pool --hand-over fixed').

Examples:
  warpnet split kernel.json --units 3
  warpnet split kernel.cfg --units 4 --all-units --baselines --net
  warpnet split kernel.json --units 3 --pool --net
  warpnet split kernel.json --units 3 --picture kernel.svg
  warpnet split kernel.cfg --units 2 --wavefronts 100 --simds 4
  warpnet split --synthetic 4c --seed 7 --write-cfg graph.json
  warpnet split --ptx kernel.ptx --units 2 --write-ptx split.ptx
  warpnet split --study --graphs 10
  warpnet split --study graphs/ --units 2 --plot study.svg)");
}

}  // namespace warpnet::cli

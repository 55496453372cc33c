// The control-flow graph of a command: a file, a random graph of a given shape, or the kernel of a PTX file.
// Exactly one of the three must be given. For studies, all graph files of a folder are read in the order of
// their names.
//
// A file of code may be given in place of a graph. Its content decides (take_code()), and it then counts as
// --ptx. Flags of code without code are errors that name the flag. Graphs of a folder are sorted by name,
// because the order in which a file system lists them may differ.

#include "cli/input/cfg_input.hpp"

#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/graph.hpp"
#include "netgen/cfg/text.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace warpnet::cli {

namespace {

/// The graph of a kernel. Its blocks are b1, b2, … in the order of 'warpnet ptx --blocks'.
netgen::StructuredCfg structured_ptx(const netgen::PtxInput& ptx) {
    const netgen::ControlFlowGraph graph = ptx_graph_of(ptx);
    try {
        return netgen::structure(graph);
    } catch (const InputError& error) {
        throw InputError(input_name(ptx.file) + ": " + error.what() + " (blocks: 'warpnet ptx --blocks')");
    }
}

}  // namespace

void add_cfg_input(Command& command, CfgInput& input) {
    command
        .add_option(
            "cfg", input.file,
            "A control-flow graph, JSON or text, or a kernel as PTX, SASS or AMD GPU assembly (.s); '-': a "
            "graph from the standard input")
        .type_name("CFG");
    Option synthetic =
        command
            .add_option_function<std::string>(
                "--synthetic",
                [&input](const std::string& text) { input.synthetic = netgen::parse_shape_label(text); },
                "A random graph instead of CFG: its nesting depth, then a letter (a: at most 2 branches in "
                "sequence, b: 3, …); see --seed")
            .type_name("DEPTH+LETTER");
    add_number(
        command, "--divergence", input.divergence,
        "With --synthetic: the percentage of sides above the depth that nest further; 100: all of them", 0,
        100)
        .needs(synthetic);
    command.add_option("--graph-seed", input.graph_seed, "With --synthetic: its seed, if not that of --seed")
        .type_name("N")
        .needs(synthetic);
    command.add_option("--ptx", input.ptx.file, "A file of code instead of CFG; '-': standard input")
        .type_name("FILE");
    add_ptx_options(command, input.ptx);
    command
        .add_option_function<std::vector<std::string>>(
            "--latencies",
            [&input](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) netgen::parse_latencies(text, input.ptx.times);
            },
            "For code: steps per instruction of a class (as in 'warpnet ptx --json'), e.g. "
            "global_load=300,special=16,default=4; without it, each takes one")
        .type_name("CLASS=N,...");
    command
        .add_option(
            "--times", input.ptx.times_file,
            "For AMD GPU assembly: a log of gem5 with the lines '| Measure |' of predictable wavefront "
            "splitting, whose longest times between branches are those of the blocks")
        .type_name("FILE.log")
        .excludes("--latencies");
}

void take_code(CfgInput& input) {
    if (!input.file.empty() && input.file != "-" && !input.ptx.given() &&
        std::filesystem::is_regular_file(input.file) && netgen::is_code(read_text(input.file)))
        input.ptx.file.swap(input.file);
    if (input.ptx.given()) return;
    const netgen::PtxOptions& options = input.ptx.options;
    const std::pair<bool, const char*> flags[] = {{!input.ptx.kernel.empty(), "--kernel"},
                                                  {!options.trips.empty(), "--trips"},
                                                  {!options.taken.empty(), "--taken"},
                                                  {!options.launch.params.empty(), "--param"},
                                                  {options.launch.grid[0] > 0, "--grid"},
                                                  {input.ptx.times != netgen::one_step_each, "--latencies"},
                                                  {!input.ptx.times_file.empty(), "--times"},
                                                  {options.launch.block[0] > 0, "--block"},
                                                  {options.paths != netgen::PtxPaths::all_sides, "--paths"}};
    for (const auto& [given, flag] : flags)
        if (given)
            throw UsageError(flag, "applies to a file of PTX, SASS or AMD GPU assembly, and there is none");
}

netgen::StructuredCfg cfg_of(const CfgInput& input, std::uint64_t seed) {
    const int given = (input.synthetic ? 1 : 0) + (input.file.empty() ? 0 : 1) + (input.ptx.given() ? 1 : 0);
    if (given != 1) throw UsageError("CFG", "expected either a file, --synthetic or --ptx");
    if (input.ptx.given()) return structured_ptx(input.ptx);
    if (!input.synthetic) return netgen::read_cfg(read_text(input.file), input_name(input.file));
    netgen::CfgShape shape = *input.synthetic;
    shape.seed = input.graph_seed.value_or(seed);
    shape.divergence = input.divergence;
    return netgen::generate_cfg(shape);
}

std::vector<studies::NamedCfg> cfgs_of_folder(const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path extension = entry->path().extension();
        if (extension == ".json" || extension == ".csv" || extension == ".cfg" || extension == ".graph")
            files.push_back(entry->path());
    }
    if (error) throw InputError("cannot read the folder " + folder + ": " + error.message());
    if (files.empty())
        throw InputError(folder +
                         ": expected graphs, files that end in .json, .cfg, .graph or .csv, found none");
    std::sort(files.begin(), files.end());
    std::vector<studies::NamedCfg> graphs;
    graphs.reserve(files.size());
    for (const fs::path& file : files)
        graphs.push_back({file.stem().string(), netgen::read_cfg(read_text(file.string()), file.string())});
    return graphs;
}

}  // namespace warpnet::cli

// The control-flow graph of a command: a file, a random graph of a given shape, or the kernel of a PTX file.
// Exactly one of the three must be given. For studies, all graph files of a folder are read in the order of
// their names.

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
    command.add_option("cfg", input.file, "A control-flow graph, JSON or text; '-': standard input")
        .type_name("CFG");
    Option synthetic =
        command
            .add_option_function<std::string>(
                "--synthetic",
                [&input](const std::string& text) { input.synthetic = netgen::parse_shape_label(text); },
                "A random graph instead: its nesting depth, and a for at most 2 branches in sequence, b for "
                "3, "
                "…; "
                "see --seed")
            .type_name("DEPTH+LETTER");
    add_number(command, "--divergence", input.divergence,
               "With --synthetic: per cent of the sides that may still nest which do; 100: all, down to the "
               "depth",
               0, 100)
        .needs(synthetic);
    command.add_option("--graph-seed", input.graph_seed, "With --synthetic: its seed, if not that of --seed")
        .type_name("N")
        .needs(synthetic);
    add_ptx_input(command, input.ptx);
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
        if (extension == ".json" || extension == ".cfg" || extension == ".graph")
            files.push_back(entry->path());
    }
    if (error) throw InputError("cannot read the folder " + folder + ": " + error.message());
    if (files.empty())
        throw InputError(folder + ": expected graphs, files that end in .json, .cfg or .graph, found none");
    std::sort(files.begin(), files.end());
    std::vector<studies::NamedCfg> graphs;
    graphs.reserve(files.size());
    for (const fs::path& file : files)
        graphs.push_back({file.stem().string(), netgen::read_cfg(read_text(file.string()), file.string())});
    return graphs;
}

}  // namespace warpnet::cli

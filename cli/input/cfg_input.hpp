#pragma once

#include "analysis/studies/split/study.hpp"
#include "cli/input/command.hpp"
#include "cli/input/ptx_input.hpp"
#include "netgen/cfg/cfg.hpp"
#include "netgen/cfg/generator.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A control-flow graph: from a file, synthetic, or of a kernel in PTX, SASS or GCN.
struct CfgInput {
    std::string file;  ///< a graph, or before take_code() possibly code
    std::optional<netgen::CfgShape> synthetic;
    int divergence = netgen::CfgShape{}.divergence;  ///< of a synthetic graph
    std::optional<std::uint64_t> graph_seed;  ///< of a synthetic graph; absent: the seed of the command
    netgen::PtxInput ptx;
};

/// The argument CFG, or --synthetic SHAPE with --graph-seed (default: the command's --seed) and --divergence,
/// or --ptx with its flags.
void add_cfg_input(Command& command, CfgInput& input);

/// Moves a file of code to `ptx`. Throws UsageError for flags on code without code.
void take_code(CfgInput& input);

/// Reads or makes the graph. REQUIRES: take_code(). Throws InputError, and UsageError unless exactly one
/// source is given.
netgen::StructuredCfg cfg_of(const CfgInput& input, std::uint64_t seed);

/// The graphs of a folder, from its files that end in .json, .cfg or .graph, named and ordered by the file
/// names without extension. Throws InputError if there is none or one cannot be read.
std::vector<studies::NamedCfg> cfgs_of_folder(const std::string& folder);

}  // namespace warpnet::cli

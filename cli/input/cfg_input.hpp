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

/// A control-flow graph from a file, a synthetic one, or that of a kernel in PTX, SASS or GCN.
struct CfgInput {
    std::string file;  ///< of a graph; of code only before take_code()
    std::optional<netgen::CfgShape> synthetic;
    int divergence = netgen::CfgShape{}.divergence;  ///< of a synthetic graph
    std::optional<std::uint64_t> graph_seed;         ///< of a synthetic graph; absent: that of the command
    netgen::PtxInput ptx;
};

/// CFG; --synthetic SHAPE, whose seed is --graph-seed or else the command's --seed, --divergence; --ptx with
/// its flags.
void add_cfg_input(Command& command, CfgInput& input);

/// Moves a file of code to `ptx`. Throws UsageError if flags on code are given and there is no code.
void take_code(CfgInput& input);

/// Reads or makes the graph. REQUIRES: take_code(). Throws InputError; it is wrong usage not to give exactly
/// one of them.
netgen::StructuredCfg cfg_of(const CfgInput& input, std::uint64_t seed);

/// The graphs of a folder, from its files that end in .json, .cfg or .graph, by their names without these
/// ends and in that order. Throws InputError if there is none or one cannot be read.
std::vector<studies::NamedCfg> cfgs_of_folder(const std::string& folder);

}  // namespace warpnet::cli

#pragma once

#include "netgen/cfg.hpp"
#include "netgen/cfg_generator.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace warpnet::cli {

/// A control-flow graph from a file, or a synthetic one.
struct CfgInput {
    std::string file;
    std::optional<CfgShape> synthetic;
};

/// CFG, and --synthetic SHAPE, whose seed is the command's --seed.
void add_cfg_input(CLI::App& command, CfgInput& input);

/// Reads or makes the graph. Throws InputError; it is wrong usage to give neither or both.
StructuredCfg cfg_of(const CfgInput& input, std::uint64_t seed);

/// "4c": nesting depth 4 and 'a' for 2 branches in sequence, 'b' for 3, ….
std::string shape_label(int depth, int branches_in_sequence);

}  // namespace warpnet::cli

#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <cstdint>

namespace warpnet {

/// A synthetic graph, after [Klashtorny24] section V: nesting depth 2 to 6, and its labels a to e as 2 to 6
/// branches in sequence at most. The source's own graphs are not published.
struct CfgShape {
    int depth = 2;                 ///< nesting depth, reached exactly; 1 … 12
    int branches_in_sequence = 2;  ///< branches of one sequence, at most; 1 … 12
    std::int64_t max_time =
        1000;  ///< block times are uniform in 1 … max_time, 1 … max_time / 10 for branches
    std::uint64_t seed = 1;
    /// Per cent of the sides which may still nest that do so: 0 for one nest alone, 100 for every side down
    /// to the depth, where a wavefront of 64 work-items at depth 6 diverges to the last of them.
    int divergence = 25;
};

/// The same shape gives the same graph. Blocks are b1, b2, … in program order. Every sequence that has
/// branches has 1 … branches_in_sequence of them, uniformly; before, between and behind them stands a plain
/// block with probability 1/2. One side at every level leads on to the nesting depth; any other side that may
/// still nest does so with the probability `divergence`, is empty with 1/8 where the other is not, and else
/// is one plain block.
///
/// Throws InputError where a parameter is out of range or the graph would have more than
/// max_generated_blocks.
StructuredCfg generate_cfg(const CfgShape& shape);

inline constexpr std::size_t max_generated_blocks = 1'000'000;

/// The label of [Klashtorny24] for a shape: "4c" is nesting depth 4 and, 'a' being 2, 4 branches in sequence.
std::string shape_label(int depth, int branches_in_sequence);
inline constexpr int branches_of_label_a = 2;

}  // namespace warpnet

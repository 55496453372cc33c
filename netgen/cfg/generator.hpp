#pragma once

#include "netgen/cfg/cfg.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpnet::netgen {

/// The shape of a synthetic graph after [Klashtorny24] section V: nesting depth 2 to 6, and labels a to e for
/// at most 2 to 6 branches in sequence. The graphs of the source are not published.
struct CfgShape {
    int depth = 2;                 ///< nesting depth, reached exactly; 1 … 12
    int branches_in_sequence = 2;  ///< the most branches per sequence; 1 … 12
    std::int64_t max_time =
        1000;  ///< block times are uniform in 1 … max_time, 1 … max_time / 10 for branches
    std::uint64_t seed = 1;
    /// The percentage of sides that nest further, among those that may. With 0 there is one nest. With 100
    /// every side reaches the depth, and a wavefront of 64 work-items at depth 6 diverges completely.
    int divergence = 25;
};

/// Equal shapes give equal graphs. Blocks are b1, b2, … in program order. Every sequence with branches has 1
/// … branches_in_sequence of them, uniformly; a plain block is before, between and after them with
/// probability 1/2. One side per level continues to the nesting depth. Any other side that may still nest
/// does so with the probability `divergence`. Otherwise it is empty with probability 1/8, if the other side
/// is not, or one plain block.
///
/// Throws InputError if a parameter is out of range or if the graph would have more than
/// max_generated_blocks.
StructuredCfg generate_cfg(const CfgShape& shape);

inline constexpr std::size_t max_generated_blocks = 1'000'000;

/// The label of [Klashtorny24] for a shape: "4c" has nesting depth 4 and 4 branches in sequence, since 'a' is
/// 2.
std::string shape_label(int depth, int branches_in_sequence);
inline constexpr int branches_of_label_a = 2;
/// The shape of a label, with default values for all other parameters. Throws UsageError.
CfgShape parse_shape_label(const std::string& text);

}  // namespace warpnet::netgen

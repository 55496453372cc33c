#pragma once

#include "netgen/cfg/cfg_graph.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// Reads a general graph from text, one node a line (netgen/cfg/README.md):
///
///     # id  time  successors, the true side first; loop=N: at most N runs per entry of the loop it heads
///     head  2     body after  loop=10
///     body  5     head
///     after 1
///
/// `source` names the text in errors. Throws InputError with the line where a line is not of this form, a
/// node is described twice or never, or a time or bound is out of range. O(text).
ControlFlowGraph read_cfg_text(std::string_view text, const std::string& source);

/// The same format. Reading it again gives an equal graph. Names must be as the reader takes them.
std::string write_cfg_text(const ControlFlowGraph& graph);

/// Reads a structured graph in either format: JSON where the text begins with '{' or '[', else graph text
/// whose graph is structured or can be made so (netgen/cfg/cfg_graph.hpp).
StructuredCfg read_cfg(std::string_view text, const std::string& source);

}  // namespace warpnet

#pragma once

#include "netgen/cfg/annotation.hpp"
#include "netgen/cfg/cfg.hpp"
#include "netgen/cfg/graph.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// Reads a structured graph from JSON (netgen/cfg/README.md):
/// `{"blocks":[{"id":"b1","time":3,"true":["b2"],"false":["b3"]},…],"root":["b1",…]}`.
/// `source` names the text in errors.
///
/// Throws InputError: with line and column where the text is no JSON; with the path of the value
/// (`blocks[3].time`) where a member is missing, unknown, given twice, of a wrong type or out of range, or a
/// block id is unknown; and as StructuredCfg does. O(text).
StructuredCfg read_cfg_json(std::string_view text, const std::string& source);

/// The same format, one block a line. Reading it again gives an equal graph.
std::string write_cfg_json(const StructuredCfg& cfg);

/// The graph as Graphviz text: blocks with their times, branches as diamonds, sides marked T and F.
/// O(blocks).
std::string cfg_dot(const StructuredCfg& cfg);

/// The same with its annotation: split branches are filled and their sides carry the units they hold; a point
/// marks where their wavefronts merge. Throws InputError as check_annotation does.
std::string cfg_dot(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Reads a general graph from text, one node a line (netgen/cfg/README.md):
///
///     # id  time  successors, the true side first; loop=N: at most N runs per entry of the loop it heads
///     head  2     body after  loop=10
///     body  5     head
///     after 1
///
/// A *numbered* graph has nodes 0, 1, …, n-1 in this order and a jump to n, which has no line: that is the
/// exit, a place without time. There a node's jump to itself without a bound costs nothing: its time has all
/// rounds. The benchmarks of [Klashtorny24] are written so; see with_else_sides() for what read_cfg() does
/// more.
///
/// `source` names the text in errors. Throws InputError with the line where a line is not of this form, a
/// node is described twice or never, or a time or bound is out of range. O(text).
ControlFlowGraph read_cfg_text(std::string_view text, const std::string& source);

/// The same format. Reading it again gives an equal graph. Names must be as the reader takes them.
std::string write_cfg_text(const ControlFlowGraph& graph);

/// A graph whose branches with two sides were written as compilers for GPUs write them: `if (c) A; else B;`
/// as `if (c) A;` and a second branch `if (!c) B;` behind it. Of branches with one side, each that has
/// another one as next sibling gets the side of that as its other side; what is left of the second is a block
/// that both ways run. The blocks, their times and the time without splits stay the same. O(blocks).
StructuredCfg with_else_sides(const StructuredCfg& cfg);

/// Reads a structured graph in either format: JSON where the text begins with '{' or '[', else graph text
/// whose graph is structured or can be made so (netgen/cfg/graph.hpp). A numbered one gets its else
/// sides.
StructuredCfg read_cfg(std::string_view text, const std::string& source);

}  // namespace warpnet

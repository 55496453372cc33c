#pragma once

#include "netgen/cfg/annotation.hpp"
#include "netgen/cfg/cfg.hpp"
#include "netgen/cfg/graph.hpp"

#include <string>
#include <string_view>

namespace warpnet::netgen {

/// Reads a structured graph from JSON (docs/reference/family-cfg.md):
/// `{"blocks":[{"id":"b1","time":3,"true":["b2"],"false":["b3"]},…],"root":["b1",…]}`. `source` names the
/// text in errors.
///
/// Throws InputError with line and column if the text is not JSON. Throws InputError with the path of the
/// value (`blocks[3].time`) if a member is missing, unknown, repeated, of the wrong type or out of range, or
/// if a block id is unknown. Throws like StructuredCfg. O(text).
StructuredCfg read_cfg_json(std::string_view text, const std::string& source);

/// The graph as Graphviz text: blocks with their times, branches as diamonds, sides marked T and F.
/// O(blocks).
std::string cfg_dot(const StructuredCfg& cfg);

/// The same with the annotation: split branches are filled, their sides show their units, and a point marks
/// the merge of their wavefronts. Throws InputError like check_annotation().
std::string cfg_dot(const StructuredCfg& cfg, const CfgAnnotation& annotation);

/// Reads a general graph from text, one node per line (docs/reference/family-cfg.md):
///
///     # id  time  successors, the true side first; loop=N: at most N runs per entry of the loop it heads;
///     # lanes=uniform, divergent or else: CfgLanes of the branch
///     head  2     body after  loop=10
///     body  5     head
///     after 1
///
/// A *numbered* graph has nodes 0, 1, …, n-1 in this order and a jump to n. Node n has no line and is the
/// exit, a block of no time. In such a graph an unbounded jump of a node to itself costs nothing, because the
/// time of the node includes all rounds. The benchmarks of [Klashtorny24] have this form; read_cfg() also
/// applies with_else_sides() to them.
///
/// `source` names the text in errors. Throws InputError with the line if a line does not have this form, if a
/// node is described twice or never, or if a time or bound is out of range. O(text).
ControlFlowGraph read_cfg_text(std::string_view text, const std::string& source);

/// Writes the same format. Reading it returns an equal graph. REQUIRES: the names are valid for the reader.
std::string write_cfg_text(const ControlFlowGraph& graph);

/// Reads the table that the extraction of the authors of [Klashtorny24] writes from assembly. It has a line
/// of names, `wcet,is_bsb_node,is_reconv_node,successors`, then a row per block. Successors are numbers of
/// rows from 0, separated by ';'. A block of branch serialization is the else of the branch before it
/// (CfgLanes::others). Throws InputError with the line.
ControlFlowGraph read_cfg_table(std::string_view text, const std::string& source);

/// Reads a structured graph in any of these formats: JSON if the text begins with '{' or '[', and otherwise
/// graph text that is structured or can be converted (netgen/cfg/graph.hpp). A numbered graph gets its else
/// sides.
StructuredCfg read_cfg(std::string_view text, const std::string& source);

}  // namespace warpnet::netgen

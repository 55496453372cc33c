#pragma once

#include "netgen/cfg/graph.hpp"
#include "netgen/code/ptx/text/module.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// Replaces the times of blocks by those that gem5 with predictable wavefront splitting measured. Their lines
/// are `… | Measure | KERNEL | START | END | COUNT | TICKS |`. KERNEL counts the kernels of the file. START
/// and END are offsets in bytes from the start of the kernel to a branch, or to the kernel's start or end.
/// TICKS is the longest time between them. All other lines of a log are ignored.
///
/// `graph` is ptx_control_flow() of the kernel. Returns the blocks that no line times. Throws InputError
/// (source:line: …) for a malformed line, a pair without a path between its ends, and a module that was not
/// read from GCN.
std::vector<std::string> add_gem5_times(ControlFlowGraph& graph, const PtxModule& module,
                                        std::string_view kernel, std::string_view log,
                                        const std::string& source);

}  // namespace warpnet::netgen

#pragma once

#include "netgen/cfg/graph.hpp"
#include "netgen/code/ptx/text/module.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// Replaces the times of blocks by those that gem5 with predictable wavefront splitting measured: lines
/// `… | Measure | KERNEL | START | END | COUNT | TICKS |`, where KERNEL counts the kernels of the file, START
/// and END are bytes from the kernel's begin to a branch, its begin or its end, and TICKS the longest time
/// between them. All other lines of a log are about something else.
///
/// `graph` is ptx_control_flow() of the kernel. Returns the blocks that no line times. Throws InputError
/// (source:line: …) for a line of another form, a pair without a way between it, and a
/// module that was not read from GCN.
std::vector<std::string> add_gem5_times(ControlFlowGraph& graph, const PtxModule& module,
                                        std::string_view kernel, std::string_view log,
                                        const std::string& source);

}  // namespace warpnet::netgen

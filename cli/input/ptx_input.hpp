#pragma once

#include "cli/input/command.hpp"
#include "netgen/code/ptx_input.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// --ptx FILE and its flags: --kernel, --trips, --taken, --paths, and --grid and --block, which another
/// option may require instead. Returns --ptx.
Option add_ptx_input(Command& command, netgen::PtxInput& input,
                     std::optional<Option> also_launched = std::nullopt);
/// --rolled, --until and --control-as-core, for commands that use the instruction string.
void add_ptx_string_options(Command& command, netgen::PtxInput& input, Option needed);

/// Only --kernel, --trips, --taken and --paths, for a command whose argument is the file.
void add_ptx_options(Command& command, netgen::PtxInput& input);

/// read_code_file(), with its warnings on stderr.
netgen::PtxModule read_ptx_file(const std::string& file);
/// The same for the file of the flags. Throws InputError also for --trips, --param and shares with names that
/// the file does not have.
netgen::PtxModule read_ptx_input(const netgen::PtxInput& input);

/// Instructions of a warp. Throws InputError if trips are missing, and names the loops.
netgen::PtxReport ptx_report_of(const netgen::PtxInput& input);
/// An instruction string, and the report of the kernel it was made from.
struct PtxString {
    std::string string;
    netgen::PtxReport report;
};
/// The instruction string: unrolled, or as --rolled or --until specify.
PtxString ptx_string_of(const netgen::PtxInput& input);
netgen::ControlFlowGraph ptx_graph_of(const netgen::PtxInput& input);

/// Writes warnings_of() the report, and warning_of_target() of a device, to stderr, each once per run of the
/// program.
void warn_of_ptx(const netgen::PtxReport& report, std::string_view compute_capability = "");

}  // namespace warpnet::cli

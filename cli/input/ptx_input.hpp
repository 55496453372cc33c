#pragma once

#include "cli/input/command.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/sm/kernel_profile.hpp"

#include <optional>
#include <string>

namespace warpnet::cli {

/// A kernel in a PTX file, and what the file does not say of it.
struct PtxInput {
    std::string file;
    std::string kernel;  ///< empty: the only one
    PtxOptions options;
    bool linear_block = false;  ///< of the block of the launch only the number of threads is known
    bool rolled = false;        ///< for strings: every block once
    std::string until;          ///< for strings: the loop whose first iteration ends it

    bool given() const { return !file.empty(); }
};

/// "$L__BB0_2=64,#3=8": adds to the trips. Throws UsageError.
void parse_trips(const std::string& text, PtxOptions& options);
/// "n=1024,2=64": adds to the parameters. Throws UsageError.
void parse_params(const std::string& text, PtxOptions& options);

/// --ptx FILE, and what it needs: --kernel, --trips, --taken, --paths. Returns --ptx.
Option add_ptx_input(Command& command, PtxInput& input);
/// --rolled, --until and --control-as-core, for commands that take the string.
void add_ptx_string_options(Command& command, PtxInput& input, Option needed);

/// --kernel, --trips, --taken and --paths alone, for a command whose argument is the file.
void add_ptx_options(Command& command, PtxInput& input, std::optional<Option> needed = std::nullopt);

/// The module in a file of PTX or SASS; "-" is the standard input. Throws InputError.
PtxModule read_ptx_file(const std::string& file);
/// The same for the file of the flags. Throws InputError also for --trips, --param and shares of names that
/// it does not have.
PtxModule read_ptx_input(const PtxInput& input);

/// The kernel asked for, or the only one. Throws InputError, and UsageError if it excludes the block of the
/// launch.
std::string ptx_kernel_of(const PtxModule& module, const PtxInput& input);

/// Instructions of a warp. Throws InputError where trips are missing, naming the loops.
PtxReport ptx_report_of(const PtxInput& input);
/// The same of a module that is read already.
PtxReport ptx_report_of(const PtxModule& module, const PtxInput& input);
/// An instruction string, and the report of the kernel it was made from.
struct PtxString {
    std::string string;
    PtxReport report;
};
/// The instruction string: unrolled, or as --rolled or --until say.
PtxString ptx_string_of(const PtxInput& input);
ControlFlowGraph ptx_graph_of(const PtxInput& input);

/// The kernel with the launch shape of --grid and --block; nothing if the shape of a block is not given.
/// Throws InputError.
std::optional<KernelProfile> launch_profile_of(const PtxInput& input, const PtxReport& report);

/// Writes to stderr what the counts leave out: unknown opcodes, functions that are not in the file, addresses
/// whose space is not known.
void warn_of_ptx(const PtxReport& report);

}  // namespace warpnet::cli

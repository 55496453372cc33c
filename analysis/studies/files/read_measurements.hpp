#pragma once

#include "analysis/studies/files/read_measured.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/sm/device_input.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace warpnet::studies {

/// What the code of the kernels says besides a table.
struct MeasuredCode {
    std::vector<std::string> files = {};  ///< PTX or SASS, for the kernels of a trace, which has no counts
    KernelFacts resources = {};           ///< read_resources(), of kernels in PTX files
    /// A table whose rows name the code of the launches by their id, for what counters do not have.
    std::string launches = {};
};

/// A table in a folder of examples/kernels/collect.sh.
struct FolderTable {
    std::string name;     ///< of its file
    std::string meaning;  ///< of its counts and times
    bool between_events;  ///< CompareOptions::between_events
};

/// Such a folder.
struct MeasuredFolder {
    std::vector<FolderTable> tables;  ///< those of counters.csv and times.csv that it has
    KernelFacts resources;            ///< of resources.txt; empty without it
    std::string launches;  ///< times.csv, for the code of the launches in counters.csv; empty without it
    std::vector<std::string> warnings = {};
};

/// Registers are those of the compute capability (read_resources()). Throws InputError for a folder
/// without a table.
MeasuredFolder read_measured_folder(const std::string& folder, std::string_view compute_capability = {});

/// Is given what the code leaves out, one line a call.
using TakeWarning = std::function<void(const std::string&)>;

/// The tables as one (read_measured()), with the kernels that its rows name in PTX files, which are looked
/// for next to the table and in the current folder, or among `code`. A kernel that cannot be counted becomes
/// a fault (table:line: …). What the code leaves out goes to `warn`, or is among MeasuredTable::warnings.
/// Throws InputError, also if no measurement is left.
MeasuredTable read_measurements(std::span<const SourceText> texts, const MeasuredOptions& options,
                                const MeasuredCode& code = {}, const TakeWarning& warn = {});

/// Takes out the launches that the device rejects, or whose counts lie outside of what a profile can have:
/// "source:line: why". With `shapes` also those without a profile, if any has one. Throws InputError if none
/// is left.
std::vector<std::string> take_out_failing(MeasuredTable& table, const netgen::SmDevice& device, bool shapes);

/// Kernels whose integer instructions have kinds, and functions without.
struct FoundKinds {
    std::size_t asked = 0;  ///< measurements with integer instructions of unknown kind
    std::size_t found = 0;
    std::set<std::string> without;
};

/// take_integer_kinds() of every measurement with integer instructions of unknown kind.
FoundKinds take_integer_kinds(MeasuredTable& table, std::span<const netgen::PtxModule> modules);

/// How a device counts, and the facts in a file (empty: none). Throws InputError.
MeasuredOptions measured_options(const netgen::DeviceInput& device, const std::string& facts_file = "");

}  // namespace warpnet::studies

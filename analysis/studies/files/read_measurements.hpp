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

/// Facts from the code of the kernels that a table lacks.
struct MeasuredCode {
    std::vector<std::string> files = {};  ///< PTX or SASS, for the kernels of a trace, which has no counts
    KernelFacts resources = {};           ///< read_resources(), of kernels in PTX files
    /// A table that gives, by the id of each launch, its code, for facts that counters lack.
    std::string launches = {};
};

/// A table in a folder of examples/kernels/collect.sh.
struct FolderTable {
    std::string name;     ///< of its file
    std::string meaning;  ///< of its counts and times
    bool between_events;  ///< CompareOptions::between_events
};

/// The content of such a folder.
struct MeasuredFolder {
    std::vector<FolderTable> tables;  ///< those of counters.csv and times.csv that exist
    KernelFacts resources;            ///< of resources.txt; empty if it is missing
    std::string launches;  ///< times.csv, for the code of launches in counters.csv; empty without it
    std::vector<std::string> warnings = {};
};

/// Reads the registers for the compute capability (read_resources()). Throws InputError for a folder without
/// a table.
MeasuredFolder read_measured_folder(const std::string& folder, std::string_view compute_capability = {});

/// Receives the omissions of the code, one line per call.
using TakeWarning = std::function<void(const std::string&)>;

/// The tables as one (read_measured()), with the kernels that its rows name in PTX files. These files are
/// looked for next to the table and in the current folder, or among `code`. A kernel that cannot be counted
/// becomes a fault (table:line: …). Omissions of the code go to `warn`, or to MeasuredTable::warnings without
/// it. Throws InputError, also if no measurement is left.
MeasuredTable read_measurements(std::span<const SourceText> texts, const MeasuredOptions& options,
                                const MeasuredCode& code = {}, const TakeWarning& warn = {});

/// Removes the launches that the device rejects, or whose counts are outside the range of a profile. Returns
/// "source:line: why". With `shapes` it also removes launches without a profile, if any launch has one.
/// Throws InputError if none is left.
std::vector<std::string> take_out_failing(MeasuredTable& table, const netgen::SmDevice& device, bool shapes);

/// Kernels whose integer instructions have kinds, and functions without kinds.
struct FoundKinds {
    std::size_t asked = 0;  ///< measurements with integer instructions of unknown kind
    std::size_t found = 0;
    std::set<std::string> without;
};

/// take_integer_kinds() of every measurement with integer instructions of unknown kind.
FoundKinds take_integer_kinds(MeasuredTable& table, std::span<const netgen::PtxModule> modules);

/// The counting rules of a device, and the facts in a file (empty: none). Throws InputError.
MeasuredOptions measured_options(const netgen::DeviceInput& device, const std::string& facts_file = "");

}  // namespace warpnet::studies

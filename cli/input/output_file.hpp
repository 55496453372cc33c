#pragma once

#include "cli/input/command.hpp"
#include "engine/run/replay.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// Writes a whole file or nothing; "-" is the standard output. Throws InputError.
void write_text(const std::string& path, std::string_view content);

/// The text of a file of --resume; nothing if there is no such file. `expected` names its content. Throws
/// InputError for a folder, a device and an empty file.
std::optional<std::string> read_saved(const std::string& path, const std::string& expected);

/// Throws UsageError if the ending of an output file belongs to another format than the first word of
/// `written`, such as "csv". Endings of no format are accepted: FILE.part, /dev/stdout.
void expect_ending(const std::string& flag, const std::string& path, std::string_view written);

/// An output file in a format with this ending. Endings of other formats are rejected.
Option add_output(Command& command, const std::string& flag, std::string& file, const std::string& ending,
                  const std::string& help);

/// --write-schedule: a schedule as CSV, or, if its name ends in .json, as a trace for Perfetto.
Option add_schedule_output(Command& command, std::string& file, const std::string& help);
void write_schedule(const std::string& file, const Net& net, const Schedule& schedule);

/// Whether one of these output files is the standard output, "-", so that no report may go there. Throws
/// UsageError if two of them are, or if one is and --json prints there.
bool takes_standard_output(std::initializer_list<std::string_view> files, bool json);

}  // namespace warpnet::cli

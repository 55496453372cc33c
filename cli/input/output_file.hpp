#pragma once

#include "cli/input/command.hpp"
#include "engine/run/replay.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// Writes a file whole or not at all; "-" is the standard output. Throws InputError.
void write_text(const std::string& path, std::string_view content);

/// Refuses the name of a file to write that ends as another format than the first word of `written`, "csv":
/// wrong usage. Endings that are no format's pass: FILE.part, /dev/stdout.
void expect_ending(const std::string& flag, const std::string& path, std::string_view written);

/// A file to write in a format of this ending, under no other format's name.
Option add_output(Command& command, const std::string& flag, std::string& file, const std::string& ending,
                  const std::string& help);

/// --write-schedule: a schedule as CSV, or, if its name ends in .json, as a trace for Perfetto.
Option add_schedule_output(Command& command, std::string& file, const std::string& help);
void write_schedule(const std::string& file, const Net& net, const Schedule& schedule);

/// Whether one of these files to write is the standard output, "-", so that no report belongs there. Wrong
/// usage where two are, and with --json, which asks for one.
bool takes_standard_output(std::initializer_list<std::string_view> files, bool json);

}  // namespace warpnet::cli

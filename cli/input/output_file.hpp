#pragma once

#include "analysis/pictures/net/draw.hpp"
#include "cli/input/command.hpp"
#include "cli/shell/exit_code.hpp"

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::cli {

/// Writes a file whole or not at all; "-" is the standard output. Throws InputError.
void write_text(const std::string& path, std::string_view content);

/// Refuses the name of a file to write that ends as another format than `written` does, such as "csv": wrong
/// usage. Endings that are no format's pass: FILE.part, /dev/stdout.
void expect_ending(const std::string& flag, const std::string& path, std::string_view written);

/// A file to write in a format of this ending, under no other format's name.
Option add_output(Command& command, const std::string& flag, std::string& file, const std::string& ending,
                  const std::string& help);

/// Whether one of these files to write is the standard output, "-", so that no report belongs there. Wrong
/// usage where two are, and with --json, which asks for one.
bool takes_standard_output(std::initializer_list<std::string_view> files, bool json);

/// The format that the end of a file's name asks for; nothing: Graphviz text (.dot, .gv, "-"). Wrong usage
/// for any other end.
std::optional<PictureFormat> picture_format(const std::string& flag, const std::string& file);

/// Lays the Graphviz text out where the format wants it and writes the file. Where that fails, says so on
/// stderr and returns the exit code.
ExitCode write_picture(const std::string& file, std::optional<PictureFormat> format, const std::string& dot,
                       std::chrono::milliseconds limit = default_render_limit);

/// The same of a net, as draw_picture() makes it: stderr says if that left layers for forces. Throws
/// RenderError.
void write_net_picture(const std::string& file, std::optional<PictureFormat> format, const Net& net,
                       const DrawOptions& options, std::chrono::milliseconds limit);

/// Makes and writes a picture; where Graphviz fails, says so on stderr and returns the exit code.
ExitCode render_or_say(const std::function<void()>& make);

}  // namespace warpnet::cli

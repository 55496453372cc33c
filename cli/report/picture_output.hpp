#pragma once

#include "analysis/pictures/net/draw.hpp"
#include "cli/shell/exit_code.hpp"

#include <functional>
#include <optional>
#include <string>

namespace warpnet::cli {

/// The picture format of a file name; nothing for Graphviz text (.dot, .gv, "-"). Throws UsageError for other
/// endings.
std::optional<pictures::PictureFormat> picture_format(const std::string& flag, const std::string& file);

/// Lays out the Graphviz text if the format requires it, and writes the file. If that fails, prints a message
/// to stderr and returns the exit code.
ExitCode write_picture(const std::string& file, std::optional<pictures::PictureFormat> format,
                       const std::string& dot,
                       std::chrono::milliseconds limit = pictures::default_render_limit);

/// The same for a net, as draw_picture() makes it: stderr reports a change from layers to forces. Throws
/// RenderError.
void write_net_picture(const std::string& file, std::optional<pictures::PictureFormat> format, const Net& net,
                       const pictures::DrawOptions& options, std::chrono::milliseconds limit);

/// Makes and writes a picture. If Graphviz fails, prints a message to stderr and returns the exit code.
ExitCode render_or_say(const std::function<void()>& make);

}  // namespace warpnet::cli

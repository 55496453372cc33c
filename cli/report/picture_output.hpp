#pragma once

#include "analysis/pictures/net/draw.hpp"
#include "cli/shell/exit_code.hpp"

#include <functional>
#include <optional>
#include <string>

namespace warpnet::cli {

/// The format that the end of a file's name asks for; nothing: Graphviz text (.dot, .gv, "-"). Wrong usage
/// for any other end.
std::optional<pictures::PictureFormat> picture_format(const std::string& flag, const std::string& file);

/// Lays the Graphviz text out where the format wants it and writes the file. If that fails, says so on
/// stderr and returns the exit code.
ExitCode write_picture(const std::string& file, std::optional<pictures::PictureFormat> format,
                       const std::string& dot,
                       std::chrono::milliseconds limit = pictures::default_render_limit);

/// The same of a net, as draw_picture() makes it: stderr says if that left layers for forces. Throws
/// RenderError.
void write_net_picture(const std::string& file, std::optional<pictures::PictureFormat> format, const Net& net,
                       const pictures::DrawOptions& options, std::chrono::milliseconds limit);

/// Makes and writes a picture; if Graphviz fails, says so on stderr and returns the exit code.
ExitCode render_or_say(const std::function<void()>& make);

}  // namespace warpnet::cli

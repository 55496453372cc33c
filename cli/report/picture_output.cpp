// Writes pictures in the format of the file name. If Graphviz fails or takes too long, the result is a
// message and an exit code.

#include "cli/report/picture_output.hpp"

#include "cli/input/command.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/notes.hpp"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>

namespace warpnet::cli {

std::optional<pictures::PictureFormat> picture_format(const std::string& flag, const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (file == "-" || extension == ".dot" || extension == ".gv") return std::nullopt;
    if (extension == ".svg") return pictures::PictureFormat::svg;
    if (extension == ".png") return pictures::PictureFormat::png;
    if (extension == ".pdf") return pictures::PictureFormat::pdf;
    throw UsageError(flag,
                     "expected a file name that ends in .svg, .png, .pdf or .dot, found '" + file + "'");
}

ExitCode write_picture(const std::string& file, std::optional<pictures::PictureFormat> format,
                       const std::string& dot, std::chrono::milliseconds limit) {
    return render_or_say([&] { write_text(file, format ? pictures::render_dot(dot, *format, limit) : dot); });
}

void write_net_picture(const std::string& file, std::optional<pictures::PictureFormat> format, const Net& net,
                       const pictures::DrawOptions& options, std::chrono::milliseconds limit) {
    if (!format) return write_text(file, pictures::draw_dot(net, options));
    const pictures::Picture drawn = pictures::draw_picture(net, options, *format, limit);
    if (drawn.left_layers)
        print_note("warpnet: no layout within {} s; this one is that of --layout force\n",
                   std::chrono::duration<double>(options.patience).count());
    write_text(file, drawn.file);
}

ExitCode render_or_say(const std::function<void()>& make) {
    try {
        make();
    } catch (const pictures::RenderError& error) {
        std::cerr << "warpnet: " << message_text(error.what()) << '\n';
        return error.reason() == pictures::RenderError::Reason::time_limit ? ExitCode::limit
                                                                           : ExitCode::bad_input;
    }
    return ExitCode::done;
}

}  // namespace warpnet::cli

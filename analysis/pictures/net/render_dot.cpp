// Graphviz runs as a process (dot; input and output through sockets). Rejected: its library, which is not
// thread-safe. A process can also be stopped at a time limit.

#include "analysis/pictures/net/draw.hpp"
#include "analysis/pictures/net/subprocess.hpp"

#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace warpnet::pictures {

namespace {

const char* graphviz_name(PictureFormat format) {
    switch (format) {
        case PictureFormat::svg:
            return "svg";
        case PictureFormat::png:
            return "png";
        case PictureFormat::pdf:
            return "pdf";
    }
    return "";
}

std::vector<std::string> png_command(std::string_view dot_text) {
    // From this size of text on, compressing the points of a picture takes most of the time, for which gd
    // needs a quarter of it.
    constexpr std::size_t large_text = 100'000;
    // Such a picture has a hundred million points, unless it sets the number per inch.
    constexpr std::size_t huge_text = 600'000;
    if (dot_text.size() <= large_text) return {"dot", "-Tpng"};
    std::vector<std::string> command = {"dot", "-Tpng:cairo:gd"};
    if (dot_text.size() > huge_text && dot_text.find("graph [dpi=") == std::string_view::npos)
        command.emplace_back("-Gdpi=72");
    return command;
}

ProcessResult run_dot(const std::vector<std::string>& command, std::string_view dot_text,
                      std::chrono::milliseconds limit, const std::atomic<bool>* interrupt) {
    try {
        return run_process(command, dot_text, limit, interrupt);
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::no_such_file_or_directory) throw;
        throw RenderError(RenderError::Reason::no_graphviz,
                          "Graphviz's program 'dot' is not installed (Debian: apt-get install graphviz); "
                          "a .dot file needs none");
    }
}

/// The output, if the program succeeded.
std::string output_of(ProcessResult result, std::chrono::milliseconds limit) {
    if (result.interrupted) throw RenderError(RenderError::Reason::interrupted, "the layout was interrupted");
    if (result.timed_out) {
        throw RenderError(
            RenderError::Reason::time_limit,
            fmt::format("Graphviz found no layout within {} s", static_cast<double>(limit.count()) / 1000));
    }
    if (result.exit_code != 0 || result.output.empty()) {
        throw RenderError(
            RenderError::Reason::failed,
            "Graphviz failed (exit code " + std::to_string(result.exit_code) + "): " + result.errors);
    }
    return std::move(result.output);
}

}  // namespace

std::string render_dot(std::string_view dot_text, PictureFormat format, std::chrono::milliseconds limit,
                       const std::atomic<bool>* interrupt) {
    const std::vector<std::string> usual = {"dot", std::string("-T") + graphviz_name(format)};
    const std::vector<std::string> command = format == PictureFormat::png ? png_command(dot_text) : usual;
    ProcessResult result = run_dot(command, dot_text, limit, interrupt);
    const bool without_gd =
        command != usual && result.exit_code != 0 && !result.timed_out && !result.interrupted;
    if (without_gd) result = run_dot(usual, dot_text, limit, interrupt);  // a plugin that may be missing
    return output_of(std::move(result), limit);
}

std::string lay_out_dot(std::string_view dot_text, std::chrono::milliseconds limit,
                        const std::atomic<bool>* interrupt) {
    return output_of(run_dot({"dot", "-Tdot"}, dot_text, limit, interrupt), limit);
}

}  // namespace warpnet::pictures

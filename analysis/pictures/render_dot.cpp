#include "analysis/pictures/draw.hpp"
#include "analysis/pictures/subprocess.hpp"

#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

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

/// A picture of so much text has a hundred million points, of which most of the time goes into compressing.
constexpr std::size_t large_text = 600'000;
const std::vector<std::string> large_png = {"dot", "-Tpng:cairo:gd", "-Gdpi=72"};

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

}  // namespace

std::string render_dot(std::string_view dot_text, PictureFormat format, std::chrono::milliseconds limit,
                       const std::atomic<bool>* interrupt) {
    const std::vector<std::string> usual = {"dot", std::string("-T") + graphviz_name(format)};
    const bool is_large = format == PictureFormat::png && dot_text.size() > large_text;
    ProcessResult result = run_dot(is_large ? large_png : usual, dot_text, limit, interrupt);
    const bool without_gd = is_large && result.exit_code != 0 && !result.timed_out && !result.interrupted;
    if (without_gd) result = run_dot(usual, dot_text, limit, interrupt);  // a plugin, not everywhere
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

}  // namespace warpnet

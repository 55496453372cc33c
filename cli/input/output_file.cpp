#include "cli/input/output_file.hpp"

#include "engine/base/text.hpp"
#include "pnml/write_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

namespace warpnet::cli {

namespace {

constexpr std::string_view formats[] = {"aut", "bz2",  "cfg",  "csv",  "dot",  "gif",   "graph", "gv",
                                        "gz",  "html", "jpeg", "jpg",  "json", "jsonl", "lola",  "ndr",
                                        "net", "pdf",  "png",  "pnml", "ps",   "ptx",   "svg",   "tar",
                                        "tsv", "vcd",  "xlsx", "xz",   "zip",  "zst"};

}  // namespace

void write_text(const std::string& path, std::string_view content) {
    if (path == "-") {
        if (::isatty(STDOUT_FILENO) != 0) {
            std::cout << visible(content) << std::flush;
        } else {
            std::cout << content << std::flush;
        }
    } else {
        write_file(path, content);
    }
}

void expect_ending(const std::string& flag, const std::string& path, std::string_view written) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending.empty() || ending.substr(1) == written) return;
    if (std::find(std::begin(formats), std::end(formats), ending.substr(1)) == std::end(formats)) return;
    throw UsageError(flag,
                     "expected a file name that ends in ." + std::string(written) + ", found '" + path + "'");
}

Option add_output(Command& command, const std::string& flag, std::string& file, const std::string& ending,
                  const std::string& help) {
    const std::string name = flag.substr(flag.rfind(',') + 1);
    return command
        .add_option_function<std::string>(
            flag,
            [name, ending, &file](const std::string& given) {
                expect_ending(name, given, ending);
                file = given;
            },
            help)
        .type_name("FILE." + ending);
}

bool takes_standard_output(std::initializer_list<std::string_view> files, bool json) {
    const auto taken = std::count(files.begin(), files.end(), "-");
    if (taken > 1)
        throw UsageError("expected at most one file on the standard output, found " + std::to_string(taken));
    if (taken == 1 && json) throw UsageError("--json", "the standard output is already that of a file");
    return taken == 1;
}

std::optional<PictureFormat> picture_format(const std::string& flag, const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (file == "-" || extension == ".dot" || extension == ".gv") return std::nullopt;
    if (extension == ".svg") return PictureFormat::svg;
    if (extension == ".png") return PictureFormat::png;
    if (extension == ".pdf") return PictureFormat::pdf;
    throw UsageError(flag,
                     "expected a file name that ends in .svg, .png, .pdf or .dot, found '" + file + "'");
}

ExitCode write_picture(const std::string& file, std::optional<PictureFormat> format, const std::string& dot,
                       std::chrono::milliseconds limit) {
    return render_or_say([&] { write_text(file, format ? render_dot(dot, *format, limit) : dot); });
}

void write_net_picture(const std::string& file, std::optional<PictureFormat> format, const Net& net,
                       const DrawOptions& options, std::chrono::milliseconds limit) {
    if (!format) return write_text(file, draw_dot(net, options));
    const Picture drawn = draw_picture(net, options, *format, limit);
    if (drawn.left_layers)
        std::cerr << fmt::format("warpnet: no layout within {} s; this one is that of --layout force\n",
                                 std::chrono::duration<double>(options.patience).count());
    write_text(file, drawn.file);
}

ExitCode render_or_say(const std::function<void()>& make) {
    try {
        make();
    } catch (const RenderError& error) {
        std::cerr << "warpnet: " << error.what() << '\n';
        return error.reason() == RenderError::Reason::time_limit ? ExitCode::limit : ExitCode::bad_input;
    }
    return ExitCode::done;
}

}  // namespace warpnet::cli

#include "cli/input/output_file.hpp"

#include "engine/base/text.hpp"
#include "pnml/write_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

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
        pnml::write_file(path, content);
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

}  // namespace warpnet::cli

// Files that a command writes, and those of --resume, which it also reads. The ending of a name must be that
// of the format, or unknown. At most one file can be the standard output, and then nothing else is printed.
// On a terminal, control characters in it are made visible.

#include "cli/input/output_file.hpp"

#include "analysis/pictures/schedule/schedule_trace.hpp"
#include "analysis/pictures/schedule/tapaal_trace.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "engine/base/text.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/error.hpp"
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

std::optional<std::string> read_saved(const std::string& path, const std::string& expected) {
    if (!std::filesystem::exists(path)) return {};
    if (!std::filesystem::is_regular_file(path))
        throw InputError(path + ": expected a file of " + expected + ", found a folder or a device");
    std::string text = read_text(path);
    if (text.empty()) throw InputError(path + ": expected " + expected + ", found an empty file");
    return text;
}

void expect_ending(const std::string& flag, const std::string& path, std::string_view written) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending.empty() || ending.substr(1) == written.substr(0, written.find_first_of(" ,"))) return;
    const bool known =
        std::find(std::begin(formats), std::end(formats), ending.substr(1)) != std::end(formats);
    if (!known && (written != "html" || path.starts_with("/dev/"))) return;  // only pages need their ending
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

Option add_schedule_output(Command& command, std::string& file, const std::string& help) {
    // In 'draw' and 'report', '--schedule' reads a file. As an output it is the older name of the flag.
    return command
        .add_option_function<std::string>(
            "--write-schedule,--schedule",
            [&file](const std::string& given) {
                if (!given.ends_with(".json") && !given.ends_with(".trc"))
                    expect_ending("--write-schedule", given, "csv, .json or .trc");
                file = given;
            },
            help +
                "; a name that ends in .json: a trace for Perfetto (ui.perfetto.dev), 1 µs per step; in "
                ".trc: "
                "a trace for TAPAAL's simulator")
        .type_name("FILE.{csv,json,trc}");
}

void write_schedule(const std::string& file, const Net& net, const Schedule& schedule) {
    write_text(file, file.ends_with(".json")  ? pictures::schedule_trace(net, schedule)
                     : file.ends_with(".trc") ? pictures::tapaal_trace(net, schedule)
                                              : studies::write_schedule_csv(net, schedule));
}

bool takes_standard_output(std::initializer_list<std::string_view> files, bool json) {
    const auto taken = std::count(files.begin(), files.end(), "-");
    if (taken > 1)
        throw UsageError("expected at most one file on the standard output, found " + std::to_string(taken));
    if (taken == 1 && json) throw UsageError("--json", "the standard output is already used for a file");
    return taken == 1;
}

}  // namespace warpnet::cli

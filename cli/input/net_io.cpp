#include "cli/input/net_io.hpp"

#include "cli/input/net_format.hpp"
#include "cli/input/net_size.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/plain_net.hpp"
#include "engine/base/visible_text.hpp"
#include "engine/net/error.hpp"
#include "pnml/input_file.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_file.hpp"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace warpnet::cli {

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

namespace {

Net read_pnml_warning(const std::string& path, PnmlReadOptions options) {
    std::vector<std::string> warnings;
    options.warnings = &warnings;
    Net net = path == "-" ? read_pnml(std::cin, input_name(path), options) : read_pnml_file(path, options);
    for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
    return net;
}

}  // namespace

Net read_net(const std::string& path) {
    if (path == "-") return read_pnml_warning(path, {});
    const NetFormat format = format_of(path);
    if (format != NetFormat::pnml) return parse_net(format, read_text(path), path);
    const std::size_t hash = path.rfind('#');
    if (hash == std::string::npos || std::filesystem::exists(path)) return read_pnml_warning(path, {});
    PnmlReadOptions one_of_several;
    one_of_several.net_id = path.substr(hash + 1);
    return read_pnml_warning(path.substr(0, hash), one_of_several);
}

std::string read_text(const std::string& path) {
    return path == "-" ? read_input(std::cin, input_name(path)) : read_input_file(path);
}

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

std::string_view to_string(PnmlFlavour flavour) {
    switch (flavour) {
        case PnmlFlavour::compat:
            return "compat";
        case PnmlFlavour::strict:
            return "strict";
        case PnmlFlavour::pipe:
            return "pipe";
    }
    return "";
}

void add_net_output(Command& command, NetOutput& output) {
    if (output.kept != nullptr) return;
    command
        .add_option_function<std::string>(
            "-o,--output",
            [&output](const std::string& file) {
                if (format_of(file) != NetFormat::pnml)
                    throw UsageError("--output",
                                     "writes PNML; 'warpnet convert' makes '" + file + "' from that");
                expect_ending("--output", file, "pnml");
                output.file = file;
            },
            "The PNML file to write; '-': standard output")
        .type_name("FILE")
        .default_str(output.file);
    static constexpr PnmlFlavour flavours[] = {PnmlFlavour::compat, PnmlFlavour::strict, PnmlFlavour::pipe};
    add_named_choice(command, "--pnml",
                     "compat: most tools read it; strict: plain ISO 15909-2; pipe: PIPE's dialect", "compat",
                     {"compat", "strict", "pipe"}, [&output](std::size_t chosen) {
                         output.flavour = flavours[chosen];
                         output.for_others = true;
                     });
    add_json(command, output.json);
}

void write_net(const Net& net, const NetOutput& output) {
    if (output.kept != nullptr) {
        output.kept->emplace(net);
        return;
    }
    if (output.json && output.file == "-") {
        throw UsageError("--json", "needs -o FILE: the net itself goes to the standard output");
    }
    const Net written = output.flavour == PnmlFlavour::strict ? strict_net(net) : net;
    write_text(output.file, write_pnml(written, output.flavour));
    const auto note = output.for_others ? note_of_immediates(written) : std::nullopt;
    if (note) fmt::print(stderr, "note: {}\n", *note);
    if (output.file == "-") return;
    const NetSize size = size_of(written);
    if (output.json) {
        nlohmann::ordered_json report = {{"file", output.file}, {"net", net.id()}};
        report.update(to_json(size));
        // A file name may hold any bytes; JSON may not.
        fmt::print("{}\n", report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
        fmt::print("{}: {}\n", output.file, to_text(size));
    }
}

}  // namespace warpnet::cli

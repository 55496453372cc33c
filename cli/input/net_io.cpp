// Reads and writes nets, and counts their sizes. A sum of tokens beyond 63 bits is reported as such and not
// rounded. A command that keeps the net in memory, such as `sweep`, has no output flags.

#include "cli/input/net_io.hpp"

#include "cli/input/conversion.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/text/net_file.hpp"

#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

NetSize size_of(const Net& net) {
    NetSize size;
    size.places = net.places().size();
    size.transitions = net.transitions().size();
    for (const Arc& arc : net.arcs()) {
        switch (arc.kind) {
            case ArcKind::input:
                ++size.input_arcs;
                break;
            case ArcKind::output:
                ++size.output_arcs;
                break;
            case ArcKind::inhibitor:
                ++size.inhibitor_arcs;
                break;
            case ArcKind::read:
                ++size.read_arcs;
                break;
        }
    }
    for (const Place& place : net.places()) {
        if (size.tokens && place.initial <= max_tokens - *size.tokens) {
            *size.tokens += place.initial;
        } else {
            size.tokens = std::nullopt;
        }
    }
    return size;
}

nlohmann::ordered_json to_json(const NetSize& size) {
    nlohmann::ordered_json json = {{"places", size.places},
                                   {"transitions", size.transitions},
                                   {"arcs",
                                    {{"input", size.input_arcs},
                                     {"output", size.output_arcs},
                                     {"inhibitor", size.inhibitor_arcs},
                                     {"read", size.read_arcs}}},
                                   {"tokens", nullptr}};
    if (size.tokens) json["tokens"] = *size.tokens;
    return json;
}

std::string to_text(const NetSize& size) {
    std::string special;
    if (size.inhibitor_arcs > 0) special += fmt::format(", {} inhibitor", size.inhibitor_arcs);
    if (size.read_arcs > 0) special += fmt::format(", {} read", size.read_arcs);
    const std::size_t ordinary = size.input_arcs + size.output_arcs;
    return fmt::format(
        "{}, {}, {} ({} input and output{}), {}", plural(size.places, "place"),
        plural(size.transitions, "transition"),
        plural(ordinary + size.inhibitor_arcs + size.read_arcs, "arc"), ordinary, special,
        size.tokens ? plural(static_cast<std::uint64_t>(*size.tokens), "token") : "at least 2^63 tokens");
}

Net read_net(const std::string& path, std::map<std::string, Tokens>* capacities) {
    std::vector<std::string> warnings;
    pnml::PnmlReadOptions options;
    options.warnings = &warnings;
    options.capacities = capacities;
    Net net = path == "-" ? pnml::read_pnml(std::cin, input_name(path), options)
                          : pnml::read_net_file(path, warnings, capacities);
    for (const std::string& warning : warnings) print_note("warning: {}\n", warning);
    return net;
}

void add_net_output(Command& command, NetOutput& output) {
    if (output.kept != nullptr) return;
    command
        .add_option_function<std::string>(
            "-o,--output",
            [&output](const std::string& file) {
                if (pnml::format_of(file) != pnml::NetFormat::pnml)
                    throw UsageError("--output",
                                     "writes PNML; 'warpnet convert' makes '" + file + "' from that");
                expect_ending("--output", file, "pnml");
                output.file = file;
            },
            "The PNML file to write; '-': standard output")
        .type_name("FILE")
        .default_str(output.file);
    static constexpr pnml::PnmlFlavour flavours[] = {pnml::PnmlFlavour::compat, pnml::PnmlFlavour::strict,
                                                     pnml::PnmlFlavour::pipe};
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
    const Net written = output.flavour == pnml::PnmlFlavour::strict ? strict_net(net) : net;
    write_text(output.file, pnml::write_pnml(written, output.flavour));
    const auto note = output.for_others ? note_of_immediates(written) : std::nullopt;
    if (note) print_note("note: {}\n", *note);
    if (output.file == "-") return;
    const NetSize size = size_of(written);
    if (output.json) {
        nlohmann::ordered_json report = {{"file", output.file}, {"net", net.id()}};
        report.update(to_json(size));
        print_answer(json_answer({"generate", {}, {}}, report));
    } else if (!quiet()) {
        fmt::print("{}: {}\n", output.file, to_text(size));
    }
}

}  // namespace warpnet::cli

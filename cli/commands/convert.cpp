// `convert`: checks the combination of flags, converts, and reports the kept properties of the net.
// conversion.cpp has the steps.

#include "cli/commands/commands.hpp"
#include "cli/input/conversion.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "cli/shell/interrupt.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/work_limits.hpp"
#include "pnml/text/net_file.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

struct ConvertFlags {
    std::string net;
    std::string output = "-";
    std::optional<pnml::NetFormat> from, to;
    ConversionOptions conversion;
    bool json = false;
    bool max_states_given = false;
    bool capacities = false;
};

Net read(ConvertFlags& options) {
    if (!options.from || *options.from == pnml::NetFormat::pnml)
        return read_net(options.net, options.capacities ? &options.conversion.capacities : nullptr);
    return pnml::parse_net(*options.from, read_text(options.net), input_name(options.net));
}

pnml::NetFormat format_of_output(const std::string& file) {
    const pnml::NetFormat format = pnml::format_of(file);
    const std::string ending = std::filesystem::path(file).extension().string();
    if (format == pnml::NetFormat::pnml && !ending.empty() && ending != ".pnml" && ending != ".xml")
        throw UsageError("--output",
                         "expected a file name that ends in .pnml, .xml, .lola, .net (Tina) or .aut, or --to "
                         "FORMAT, found '" +
                             file + "'");
    return format;
}

ExitCode convert(ConvertFlags options) {
    if (options.json && options.output == "-")
        throw UsageError("--json", "needs -o FILE: the net itself goes to the standard output");
    options.conversion.to = options.to ? *options.to : format_of_output(options.output);
    if (options.conversion.flavour != pnml::PnmlFlavour::compat &&
        options.conversion.to != pnml::NetFormat::pnml)
        throw UsageError("--pnml", fmt::format("the net is written as {}", to_string(options.conversion.to)));
    const ConversionOptions& conversion = options.conversion;
    if (conversion.bound && !conversion.removes_inhibitors())
        throw UsageError("--bound", "requires --plain, --pnml strict or LoLA");
    if (options.max_states_given && !conversion.removes_inhibitors() && !conversion.ordinary &&
        !conversion.timed_only && conversion.to != pnml::NetFormat::aut)
        throw UsageError("--max-states",
                         "requires --plain, --ordinary, --timed-only, --pnml strict, LoLA or Aldebaran");
    if (conversion.count_steps && !conversion.sequential)
        throw UsageError("--count-steps", "requires --sequential");
    if (conversion.timed_only && conversion.sequential)
        throw UsageError("--timed-only",
                         "cannot be used with --sequential, which keeps immediate transitions first");
    if (!conversion.reduced_for.empty() && conversion.sequential)
        throw UsageError("--reduced-for",
                         "cannot be used with --sequential: reductions preserve only interleaving");
    const Net net = read(options);
    const Interrupt interrupt;
    options.conversion.explore.limits.interrupt = &interrupt.flag();
    std::optional<Conversion> converted;
    try {
        converted = convert_net(net, options.conversion);
    } catch (const LimitReached& limit) {
        std::cerr << "warpnet: " << message_text(limit.what()) << '\n';
        if (limit.why() == WorkEnd::interrupted) return ExitCode::interrupted;
        return limit.why() == WorkEnd::overflow ? ExitCode::bad_input : ExitCode::limit;
    }
    const Conversion& done = *converted;
    write_text(options.output, done.text);
    for (const std::string& note : done.notes) {
        if (!options.json) print_note("note: {}\n", note);
    }
    if (options.output == "-") return ExitCode::done;
    const NetSize size = size_of(done.net);
    if (options.json) {
        nlohmann::ordered_json report = {{"file", options.output}, {"net", done.net.id()}};
        report.update(to_json(size));
        if (done.graph) {
            report["states"] = done.graph->states;
            report["edges"] = done.graph->edges;
        }
        report["keeps"] = {{"interleaving", done.keeps_unstable && !done.reduced},
                           {"maximal", done.keeps_maximal_steps}};
        if (done.sequential) {
            report["sequential"] = {{"semantics", to_string(*conversion.sequential)},
                                    {"start", done.sequential->start},
                                    {"end", done.sequential->end}};
            if (conversion.count_steps) report["sequential"]["steps"] = done.sequential->steps;
        } else if (!done.keeps_unstable) {
            report["keeps"]["stable_markings"] = !done.reduced;
        }
        if (done.reduced) report["keeps"]["question"] = conversion.reduced_for;
        report["notes"] = done.notes;
        print_answer(json_answer({"convert", {}, {}}, report));
    } else if (!quiet()) {
        fmt::print("{}: {}\n", options.output,
                   done.graph ? fmt::format("{}, {} of {}", plural(done.graph->states, "state"),
                                            plural(done.graph->edges, "edge"), done.net.id())
                              : to_text(size));
    }
    return ExitCode::done;
}

}  // namespace

void add_convert(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<ConvertFlags>();
    options->conversion.explore.max_states = 10'000'000;
    Command command = program.add_subcommand(
        "convert",
        "Convert a net between PNML, LoLA, Tina and Aldebaran, or replace inhibitor and read arcs");
    command
        .add_option(
            "net", options->net,
            "A file; FILE.lola, FILE.net (Tina) and FILE.aut are known by their names; '-': standard input")
        .required()
        .type_name("NET");
    command.add_option("-o,--output", options->output, "The file to write; '-': standard output")
        .type_name("FILE.{pnml,lola,net,aut}")
        .capture_default_str();
    const std::vector<pnml::NetFormat> formats = {pnml::NetFormat::pnml, pnml::NetFormat::lola,
                                                  pnml::NetFormat::tina, pnml::NetFormat::aut};
    add_choice(command, "--from", options->from, "The format of the input, regardless of its name", formats);
    add_choice(command, "--to", options->to, "The format to write, regardless of the file name", formats);
    add_choice(command, "--pnml", options->conversion.flavour,
               "compat: most tools read it; strict: plain ISO 15909-2, inhibitor arcs replaced; pipe: PIPE's "
               "dialect",
               {pnml::PnmlFlavour::compat, pnml::PnmlFlavour::strict, pnml::PnmlFlavour::pipe});
    command.add_flag("--plain", options->conversion.plain,
                     "Replace inhibitor arcs by complement places (strict PNML and LoLA imply it)");
    command.add_flag("--capacities", options->capacities,
                     "Read capacities of places, and add a complement place for each");
    command.add_flag("--loops", options->conversion.loops, "Replace read arcs by loops (LoLA implies it)");
    command.add_flag("--timed-only", options->conversion.timed_only,
                     "Replace immediate transitions by timed ones that lead to the same stable markings "
                     "under interleaving");
    add_choice(command, "--sequential", options->conversion.sequential,
               "Write each step as a sequence of single firings, for tools that support only interleaving",
               std::vector{Semantics::maximal, Semantics::multiset});
    command.add_flag(
        "--count-steps", options->conversion.count_steps,
        "With --sequential: a place that counts the timed steps; the net is finite if all runs end");
    command
        .add_option("--reduced-for", options->conversion.reduced_for,
                    "Write a smaller net with the same answer to this question of 'explore --ctl' under "
                    "interleaving, e.g. 'EF dead' or 'AG (p > 0 -> AF q > 0)'; without enabled(...)")
        .type_name("FORMULA");
    command.add_flag("--ordinary", options->conversion.ordinary,
                     "Unfold places with arc weights above 1, one place for each number of tokens");
    add_number(command, "--bound", options->conversion.bound,
               "A bound on the tokens of each inhibiting place, not checked; default: from P-invariants or "
               "an exploration",
               Tokens{1}, max_tokens);
    const Option max_states =
        add_number(command, "--max-states", options->conversion.explore.max_states,
                   "Limit of states in explorations for bounds and .aut", std::uint64_t{1});
    add_json(command, options->json);
    command.footer(
        "Examples:\n"
        "  warpnet convert kernel.pnml --pnml strict -o plain.pnml\n"
        "  warpnet convert phil.pnml -o phil.lola\n"
        "  warpnet convert model.net -o model.pnml\n"
        "  warpnet convert kernel.pnml --sequential maximal --count-steps -o steps.pnml\n"
        "  warpnet convert phil.pnml -o states.aut && warpnet convert states.aut -o machine.pnml\n"
        "\n"
        "If the arcs alone do not decide, --timed-only explores up to 200,000 reachable markings. It "
        "rejects\nimmediate transitions that fire forever, lead from the initial marking to several stable "
        "ones,\nor fire in more than 100,000 ways.\n"
        "Pages and references are unfolded, ids become letters, digits and '_'. High-level nets are "
        "rejected.");
    command.callback([options, max_states, &exit_code] {
        options->max_states_given = max_states.count() > 0;
        exit_code = convert(*options);
    });
}

}  // namespace warpnet::cli

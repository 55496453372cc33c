// `inspect`: the size, structure, executor and warnings of a net. Equal parts cause equal warnings, so three
// of each kind are listed. The unused nodes of a net of the family `warps` are summed up in one note.

#include "analysis/states/structure/net_warnings.hpp"
#include "analysis/studies/runs/run_json.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/report/texts.hpp"
#include "cli/shell/progress.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"
#include "netgen/warps/warps.hpp"

#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

struct InspectFlags {
    std::string net;
    bool json = false;
};

/// The executor of runs under the default semantics and policy.
studies::ExecutorChoice usual_executor(const Net& net) {
    try {
        return studies::executor_choice(plan(compile(net)));
    } catch (const InputError& error) {
        return {"none", error.what()};
    }
}

std::string inspect_json(const Net& net, const states::Structure& structure,
                         const std::vector<states::NetWarning>& warnings) {
    nlohmann::ordered_json report = {{"net", net.id()}};
    report.update(to_json(size_of(net)));
    report.update(to_json(net, structure));
    const studies::ExecutorChoice executor = usual_executor(net);
    report["executor"] = executor.name;
    if (!executor.reason.empty()) report["why_not_modules"] = executor.reason;
    report["warnings"] = nlohmann::ordered_json::array();
    for (const states::NetWarning& warning : warnings) {
        report["warnings"].push_back(
            {{"kind", to_string(warning.kind)}, {"node", warning.node}, {"message", warning.message}});
    }
    AnswerHead head{"inspect", {}, {}};
    if (!structure.of_places.complete || !structure.of_transitions.complete || !structure.siphons ||
        !structure.siphons->complete)
        head.add(WorkEnd::effort_limit);
    return json_answer(head, report);
}

/// Removes warnings that are normal for the family `warps`: unused instruction classes, and warps that are
/// not active. Returns one note about these nodes, or nothing.
std::string note_of_family(const Net& net, std::vector<states::NetWarning>& warnings) {
    if (!netgen::recognise_warps(net)) return "";
    const auto take = [&](states::NetWarningKind kind) {
        return std::erase_if(warnings,
                             [&](const states::NetWarning& warning) { return warning.kind == kind; });
    };
    const std::size_t transitions = take(states::NetWarningKind::never_enabled);
    const std::size_t inhibitors = take(states::NetWarningKind::idle_inhibitor);
    if (transitions == 0) return "";
    return fmt::format(
        "note: {} never enabled and {} without effect, because instruction classes have no instructions or "
        "warps are inactive; --json lists them\n",
        transitions == 1 ? "1 transition is" : fmt::format("{} transitions are", transitions),
        inhibitors == 1 ? "1 inhibitor arc is" : fmt::format("{} inhibitor arcs are", inhibitors));
}

/// The first three warnings of each kind, because equal warps cause equal warnings.
std::string inspect_text(const Net& net, const states::Structure& structure,
                         std::vector<states::NetWarning> warnings) {
    constexpr std::size_t listed_of_a_kind = 3;
    std::string text =
        fmt::format("{}: {}\n{}", net.id(), to_text(size_of(net)), structure_text(net, structure));
    text += fmt::format("executor: {}\n", to_text(usual_executor(net)));
    text += note_of_family(net, warnings);
    std::map<states::NetWarningKind, std::size_t> counts;
    for (const states::NetWarning& warning : warnings) {
        if (++counts[warning.kind] <= listed_of_a_kind) text += fmt::format("warning: {}\n", warning.message);
    }
    for (const auto& [kind, count] : counts) {
        if (count > listed_of_a_kind) {
            text += fmt::format("and {} more '{}' warnings; --json lists all\n", count - listed_of_a_kind,
                                to_string(kind));
        }
    }
    return warnings.empty() ? text + "no warnings\n" : text;
}

ExitCode inspect(const InspectFlags& options) {
    const Net net = read_net(options.net);
    const auto shown = [](const char* part, const auto& work) {
        const Progress progress({part});
        return work();
    };
    const auto warnings = shown("warnings", [&] { return states::net_warnings(net); });
    const auto structure = shown("invariants and siphons", [&] { return states::Structure(net); });
    print_answer(options.json ? inspect_json(net, structure, warnings)
                              : inspect_text(net, structure, warnings));
    return ExitCode::done;
}

}  // namespace

void add_inspect(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<InspectFlags>();
    Command command = program.add_subcommand(
        "inspect", "The structure of a net: sizes, invariants, class, siphons, and probable bugs");
    command.add_option("net", options->net, "A PNML file; FILE#ID: one of its nets; '-': standard input")
        .required()
        .type_name("NET");
    add_json(command, options->json);
    command.footer(
        "Examples:\n"
        "  warpnet inspect kernel.pnml\n"
        "  warpnet inspect kernel.pnml --json\n"
        "\n"
        "Invariants are semi-positive, of minimal support, and verified. Commoner's property rules out\n"
        "deadlocks only in ordinary nets.");
    command.callback([options, &exit_code] { exit_code = inspect(*options); });
}

}  // namespace warpnet::cli

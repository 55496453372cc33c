#include "cli/input/ptx_input.hpp"

#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "engine/net/error.hpp"
#include "netgen/ptx/read_ptx.hpp"

#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

void parse_trips(const std::string& text, PtxOptions& options) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        const std::size_t equals = item.rfind('=');
        const auto trips = equals == std::string::npos
                               ? std::nullopt
                               : parse_whole(std::string_view(item).substr(equals + 1));
        if (equals == 0 || !trips || *trips < 0) {
            throw UsageError("--trips",
                             "expected labels with how often the loop's body runs, such as "
                             "'$L__BB0_2=64' (in single quotes: "
                             "$ means something to the shell), found '" +
                                 text + "'");
        }
        if (!options.trips.emplace(item.substr(0, equals), *trips).second)
            throw UsageError("--trips", "gives '" + item.substr(0, equals) + "' twice");
        begin = end + 1;
    }
}

/// All loops of the kernel whose trips are missing at once, as one could type them.
void require_trips(const PtxReport& report, const PtxModule& module) {
    if (report.complete()) return;
    std::string lines;
    std::string flags;
    for (const PtxLoopReport& loop : report.loops) {
        if (loop.trips) continue;
        lines += fmt::format("{}{}", lines.empty() ? "line " : ", ", loop.line);
        flags += (flags.empty() ? "" : ",") + loop.label + "=N";
    }
    throw InputError(
        fmt::format("{}: kernel '{}': how often its loops run ({}) cannot be proved; give --trips '{}'",
                    module.source, report.profile.kernel, lines, flags));
}

}  // namespace

void add_ptx_options(Command& command, PtxInput& input, std::optional<Option> needed) {
    Option kernel =
        command
            .add_option("--kernel", input.kernel,
                        !needed ? "This kernel only" : "The kernel; may be left out where there is one only")
            .type_name("NAME");
    Option trips = command
                       .add_option_function<std::vector<std::string>>(
                           "--trips",
                           [&input](const std::vector<std::string>& texts) {
                               for (const std::string& text : texts) parse_trips(text, input.options);
                           },
                           "How often the body of a loop runs each time the loop is reached, by its "
                           "label or as #1, #2, … in "
                           "the order of the text; for loops where the PTX does not prove it")
                       .type_name("LABEL=N,...");
    Option paths = add_choice(
        command, "--paths", input.options.paths,
        "all: both sides of every branch, as a warp whose lanes part; longest: a path with the most "
        "instructions, as a warp whose lanes agree",
        {PtxPaths::all_sides, PtxPaths::longest});
    if (!needed) return;
    for (Option option : {kernel, trips, paths}) option.needs(*needed);
}

Option add_ptx_input(Command& command, PtxInput& input) {
    Option ptx = command
                     .add_option("--ptx", input.file,
                                 "A kernel in NVIDIA PTX instead; '-': standard input (see 'warpnet ptx')")
                     .type_name("FILE");
    add_ptx_options(command, input, ptx);
    return ptx;
}

void add_ptx_string_options(Command& command, PtxInput& input, Option needed) {
    Option rolled =
        command.add_flag("--rolled", input.rolled, "With --ptx: every block once, no loop unrolled");
    Option until = command
                       .add_option("--until", input.until,
                                   "With --ptx: rolled, up to the end of the first iteration of this loop")
                       .type_name("LABEL");
    Option control = command.add_flag(
        "--control-as-core", input.options.control_as_core,
        "With --ptx: branches, barriers and fences, which no unit C, L, S, D executes, are a C each");
    for (Option option : {rolled, until, control}) option.needs(needed);
}

PtxModule read_ptx_input(const PtxInput& input) {
    PtxModule module = read_ptx(read_text(input.file), input_name(input.file));
    check_ptx_trips(module, input.options);
    return module;
}

PtxReport ptx_report_of(const PtxInput& input) {
    const PtxModule module = read_ptx_input(input);
    PtxReport report = analyse_ptx(module, ptx_kernel_name(module, input.kernel), input.options);
    require_trips(report, module);
    return report;
}

std::string ptx_string_of(const PtxInput& input) {
    const PtxModule module = read_ptx_input(input);
    const std::string kernel = ptx_kernel_name(module, input.kernel);
    if (!input.until.empty()) return ptx_string_until(module, kernel, input.options, input.until);
    const PtxReport report = analyse_ptx(module, kernel, input.options);
    if (input.rolled) return report.profile.string;
    require_trips(report, module);
    return expand_ptx_string(module, kernel, input.options);
}

ControlFlowGraph ptx_graph_of(const PtxInput& input) {
    const PtxModule module = read_ptx_input(input);
    const std::string kernel = ptx_kernel_name(module, input.kernel);
    require_trips(analyse_ptx(module, kernel, input.options), module);
    return ptx_control_flow(module, kernel, input.options);
}

void warn_of_ptx(const PtxReport& report) {
    const PtxProfile& profile = report.profile;
    const auto warn = [&](const std::string& message) {
        std::cerr << "warpnet: kernel '" << profile.kernel << "': " << message << '\n';
    };
    if (!profile.unknown_opcodes.empty()) {
        warn(fmt::format("not known here and of no class: {} ({} of its instructions)",
                         fmt::join(profile.unknown_opcodes, ", "), profile.counts[PtxClass::unknown]));
    }
    if (!report.not_in_file.empty()) {
        warn(fmt::format("calls {}: instructions that are not in the file are not counted",
                         fmt::join(report.not_in_file, ", ")));
    }
    if (profile.unresolved_generic > 0) {
        warn(fmt::format(
            "accesses through generic addresses that may point anywhere, counted as global memory: {}",
            profile.unresolved_generic));
    }
}

}  // namespace warpnet::cli

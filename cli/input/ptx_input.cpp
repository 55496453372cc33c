// The flags of a kernel in PTX or SASS, and the kernel that they select. The standard input is read once, and
// a warning is printed once per command, although a command may analyse one kernel several times.

#include "cli/input/ptx_input.hpp"

#include "cli/input/options.hpp"
#include "cli/output/notes.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/code/ptx/shares.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/sass/read_sass.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

/// Returns the options of the code, and the options of the launch. `of_argument`: the file is an argument.
std::pair<std::vector<Option>, std::vector<Option>> add_options(Command& command, netgen::PtxInput& input,
                                                                bool of_argument,
                                                                const std::string& launched) {
    Option kernel =
        command
            .add_option("--kernel", input.kernel,
                        of_argument ? "This kernel only" : "The kernel; may be left out if there is only one")
            .type_name("NAME");
    const auto values = [&](const std::string& flag, auto parse, const std::string& help,
                            const std::string& form) {
        return command
            .add_option_function<std::vector<std::string>>(
                flag,
                [&input, parse](const std::vector<std::string>& texts) {
                    for (const std::string& text : texts) parse(text, input.options);
                },
                help)
            .type_name(form);
    };
    Option trips = values(
        "--trips", netgen::parse_trips,
        "How often the body of a loop runs each time the loop is reached, by its label or as #1, #2, … in "
        "the order of the text; for loops whose trips the PTX does not prove",
        "LABEL=N,...");
    Option taken = values("--taken", netgen::parse_shares,
                          "How often the branch to a label is taken, as a share of its executions; both "
                          "sides of other branches count",
                          "LABEL=SHARE,...");
    Option paths = add_choice(
        command, "--paths", input.options.paths,
        "all: both sides of every branch, as a warp whose lanes part; longest: a path with the most "
        "instructions, as a warp whose lanes agree",
        {netgen::PtxPaths::all_sides, netgen::PtxPaths::longest});
    Option params =
        values("--param", netgen::parse_params,
               "Values of kernel parameters, by their name in the PTX or by their number from 0 (3=1024: the "
               "fourth): they decide trips and branches; bytes@LINE: the size of a copy in that line, if the "
               "text does not give it",
               "NAME=N,...");
    const auto shape = [&](const std::string& flag, auto parse, const std::string& help) {
        return command
            .add_option_function<std::string>(
                flag, [&input, parse](const std::string& text) { parse(text, input.options); }, help)
            .type_name("X[,Y[,Z]]");
    };
    Option grid = shape("--grid", netgen::parse_grid, "Blocks of the launch" + launched);
    Option block = shape(
        "--block", netgen::parse_block,
        "Threads of a block" + launched + "; branches and trips are then those of the launched threads");
    return {{kernel, trips, taken, paths, params}, {grid, block}};
}

}  // namespace

void add_ptx_options(Command& command, netgen::PtxInput& input) { add_options(command, input, true, ""); }

Option add_ptx_input(Command& command, netgen::PtxInput& input, std::optional<Option> also_launched) {
    Option ptx = command
                     .add_option("--ptx", input.file,
                                 "A kernel in NVIDIA PTX instead; '-': standard input (see 'warpnet ptx')")
                     .type_name("FILE");
    const std::string launched = also_launched ? " (with --ptx or " + also_launched->name() + ")" : "";
    auto [of_code, of_launch] = add_options(command, input, false, launched);
    for (Option option : of_code) option.needs(ptx);
    for (Option option : of_launch) {
        if (also_launched) {
            option.belongs_to({ptx, *also_launched});
        } else {
            option.needs(ptx);
        }
    }
    return ptx;
}

void add_ptx_string_options(Command& command, netgen::PtxInput& input, Option needed) {
    Option rolled =
        command.add_flag("--rolled", input.rolled, "With --ptx: every block once, no loop unrolled");
    Option until = command
                       .add_option("--until", input.until,
                                   "With --ptx: rolled, up to the end of the first iteration of this loop")
                       .type_name("LABEL");
    Option control = command.add_flag_callback(
        "--control-as-core", [&input] { input.options.letters = netgen::PtxLetters::with_control; },
        "With --ptx: write a C for each branch, barrier and fence, which no unit C, L, S, D executes; always "
        "on with --device");
    until.excludes(rolled);  // and implies it
    for (Option option : {rolled, until, control}) option.needs(needed);
}

netgen::PtxModule read_ptx_file(const std::string& file) {
    // A command may count a kernel twice, as a string and as a launch, but can read the standard input once.
    static std::optional<netgen::PtxModule> standard_input;
    if (file == "-" && standard_input) return *standard_input;
    netgen::PtxModule module = netgen::read_code_file(file);
    for (const std::string& warning : module.warnings) print_note("warpnet: {}\n", warning);
    if (file == "-") standard_input = module;
    return module;
}

netgen::PtxModule read_ptx_input(const netgen::PtxInput& input) {
    netgen::PtxModule module = read_ptx_file(input.file);
    netgen::check_ptx_names(module, input.options);
    return module;
}

netgen::PtxReport ptx_report_of(const netgen::PtxInput& input) {
    return ptx_report_of(read_ptx_file(input.file), input);
}

PtxString ptx_string_of(const netgen::PtxInput& input) {
    const netgen::PtxModule module = read_ptx_input(input);
    const std::string kernel = netgen::ptx_kernel_of(module, input);
    PtxString result{"", netgen::analyse_ptx(module, kernel, input.options)};
    if (!input.until.empty()) {
        result.string = netgen::ptx_string_until(module, kernel, input.options, input.until);
    } else if (input.rolled) {
        result.string = result.report.profile.string;
    } else {
        netgen::require_trips(result.report, module);
        result.string = netgen::expand_ptx_string(module, kernel, input.options);
    }
    return result;
}

netgen::ControlFlowGraph ptx_graph_of(const netgen::PtxInput& input) {
    const netgen::PtxModule module = read_ptx_input(input);
    const std::string kernel = netgen::ptx_kernel_of(module, input);
    const netgen::PtxReport report = netgen::analyse_ptx(module, kernel, input.options);
    netgen::require_trips(report, module);
    warn_of_ptx(report);
    std::vector<std::string> unmeasured;
    netgen::ControlFlowGraph graph = netgen::ptx_graph_of(module, input, unmeasured);
    if (!unmeasured.empty())
        print_note("warpnet: {} has no time of block {}; such a block takes the time of its instructions\n",
                   input_name(input.times_file), fmt::join(unmeasured, ", "));
    return graph;
}

void warn_of_ptx(const netgen::PtxReport& report, std::string_view compute_capability) {
    // A sweep reads the same kernel for each of its values. Each warning is printed once per command.
    static std::set<std::string> said;
    std::vector<std::string> warnings = netgen::warnings_of(report);
    warnings.push_back(netgen::warning_of_target(report.profile, compute_capability));
    for (const std::string& warning : warnings)
        if (!warning.empty() && said.insert(warning).second) print_note("warpnet: {}\n", warning);
}

}  // namespace warpnet::cli

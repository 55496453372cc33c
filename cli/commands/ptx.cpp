#include "cli/commands/commands.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "cli/input/output_file.hpp"
#include "cli/input/ptx_input.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/output/notes.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/to_json.hpp"
#include "netgen/cfg/text.hpp"

#include <memory>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

struct PtxFlags {
    netgen::PtxInput input;
    bool expand = false;
    bool blocks = false;
    bool json = false;
    std::string cfg_output;
};

void warn_of_trips(const netgen::PtxReport& report) {
    if (report.complete()) return;
    print_note(
        "warpnet: kernel '{}': the trips of these loops are not proved, and each loop counts once; {}\n",
        report.profile.kernel, netgen::missing_trips(report));
}

ExitCode ptx(const PtxFlags& options) {
    const netgen::PtxModule module = read_ptx_input(options.input);
    const bool cfg_to_stdout = takes_standard_output({options.cfg_output}, options.json);
    std::vector<std::string> kernels = module.kernels();
    if (!options.input.kernel.empty() || !options.cfg_output.empty() || kernels.empty())
        kernels = {netgen::ptx_kernel_name(module, options.input.kernel)};
    netgen::PtxFileReport file{input_name(options.input.file),
                               std::string(module.version),
                               std::string(module.target),
                               options.input.options.paths,
                               options.blocks,
                               {}};
    for (const std::string& kernel : kernels) {
        netgen::PtxInput input = options.input;
        input.kernel = kernel;
        netgen::PtxKernelReport own{
            netgen::analyse_ptx(module, netgen::ptx_kernel_of(module, input), options.input.options), {}, {}};
        warn_of_ptx(own.report);
        warn_of_trips(own.report);
        if (options.expand) own.expanded = netgen::expand_ptx_string(module, kernel, options.input.options);
        if (!options.input.until.empty())
            own.until = netgen::ptx_string_until(module, kernel, options.input.options, options.input.until);
        file.kernels.push_back(std::move(own));
    }
    if (!options.cfg_output.empty()) {
        write_text(options.cfg_output, netgen::write_cfg_text(netgen::ptx_control_flow(
                                           module, kernels.front(), options.input.options)));
    }
    if (!cfg_to_stdout)
        print_answer(options.json ? json_answer({"ptx", {}, {}}, to_json(file)) : ptx_text(file));
    return ExitCode::done;
}

}  // namespace

void add_ptx(Command& program, ExitCode& exit_code) {
    const auto options = std::make_shared<PtxFlags>();
    Command command = program.add_subcommand(
        "ptx", "Instruction counts, instruction strings and control flow of kernels in NVIDIA PTX");
    command.add_option("ptx", options->input.file, "A PTX file; '-': standard input")
        .required()
        .type_name("FILE");
    add_ptx_options(command, options->input);
    command.add_flag("--expand", options->expand, "Also print the string with every loop unrolled");
    command
        .add_option("--until", options->input.until,
                    "Also print the string up to the end of the first iteration of this loop")
        .type_name("LABEL");
    command.add_flag_callback(
        "--control-as-core", [options] { options->input.options.letters = netgen::PtxLetters::with_control; },
        "In strings, write a C for each branch, barrier and fence, which no unit C, L, S, D executes");
    command.add_flag("--blocks", options->blocks, "List the basic blocks");
    command
        .add_option(
            "--cfg", options->cfg_output,
            "Write the control-flow graph of a kernel for 'warpnet split'; '-': instead of the report")
        .type_name("FILE");
    add_json(command, options->json);
    command.footer(
        "'nvcc --ptx' writes PTX; reading it needs no toolkit. Rules of counting: "
        "docs/reference/ptx.md.\n"
        "\n"
        "Examples:\n"
        "  warpnet ptx kernel.ptx\n"
        "  warpnet ptx kernel.ptx --kernel matmul --trips '$L__BB0_2=64' --json\n"
        "  warpnet generate warps --ptx kernel.ptx --trips '$L__BB0_2=64' --warps 8 | warpnet run -\n"
        "  warpnet ptx kernel.ptx --trips '$L__BB0_2=64' --cfg kernel.cfg && warpnet split kernel.cfg");
    command.callback([options, &exit_code] { exit_code = ptx(*options); });
}

}  // namespace warpnet::cli

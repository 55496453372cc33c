#include "cli/input/sm_input.hpp"

#include "cli/input/measured_csv.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "engine/net/error.hpp"
#include "netgen/ptx/ptx_profile.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

void parse_counts(const std::string& text, SmInput& input) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        const std::size_t equal = item.find('=');
        KernelProfile scratch;
        const std::string name = item.substr(0, equal);
        if (equal == std::string::npos || !set_profile_field(scratch, name, 1)) {
            throw UsageError("--counts", fmt::format("expected NAME=VALUE with a name of {}; found '{}'",
                                                     fmt::join(profile_fields(), ", "), item));
        }
        try {
            input.fields.emplace_back(name, metric_number(item.substr(equal + 1), name));
        } catch (const InputError& error) {
            throw UsageError("--counts", error.what());
        }
        begin = end + 1;
    }
}

KernelProfile kernel_of_metrics(const SmInput& input) {
    const MeasuredTable table = read_measured_csv(read_text(input.metrics), input_name(input.metrics), false);
    const Measurement* found = nullptr;
    std::string names;
    for (const Measurement& measurement : table.measurements) {
        if (measurement.kernel.find(input.row) == std::string::npos) continue;
        if (found != nullptr) names += "\n  " + measurement.kernel;
        if (found == nullptr) found = &measurement;
    }
    if (found == nullptr)
        throw InputError(
            fmt::format("{}: no kernel has '{}' in its name", input_name(input.metrics), input.row));
    if (!names.empty()) {
        throw InputError(fmt::format("{}: expected one kernel, but --row '{}' fits several:\n  {}{}",
                                     input_name(input.metrics), input.row, found->kernel, names));
    }
    if (!found->profile)
        throw InputError(
            fmt::format("{}: the kernel has no launch shape (blocks, threads)", input_name(input.metrics)));
    return *found->profile;
}

KernelProfile kernel_of_ptx(const SmInput& input) {
    const PtxReport report = ptx_report_of(input.ptx);
    warn_of_ptx(report);
    return profile_of_ptx(report.profile);
}

}  // namespace

KernelProfile SmInput::profile() const {
    KernelProfile result = !metrics.empty() ? kernel_of_metrics(*this)
                           : ptx.given()    ? kernel_of_ptx(*this)
                                            : streaming_profile();
    for (const auto& [field, value] : fields) set_profile_field(result, field, value);
    if (result.name.empty()) result.name = "kernel";
    validate(result);
    return result;
}

void add_sm_input(Command& command, SmInput& input) {
    add_device_input(command, input.device, "The GPU, a preset of 'warpnet devices'");
    command.get_option("--device").required();
    const auto add_field = [&](const std::string& flag, const std::string& field, const std::string& help) {
        command
            .add_option_function<std::string>(
                flag,
                [&input, flag, field](const std::string& text) {
                    const auto value = parse_whole(text);
                    check_range(flag, text, value, 0, 1'000'000'000'000);
                    input.fields.emplace_back(field, static_cast<double>(*value));
                },
                help)
            .type_name("N");
    };
    add_field("--blocks", "blocks", "Blocks of the launch");
    add_field("--block-threads", "threads", "Threads of a block");
    add_field("--registers", "registers", "Registers of a thread");
    add_field("--shared-memory", "shared_bytes", "Bytes of shared memory of a block");
    command
        .add_option_function<std::string>(
            "--counts", [&input](const std::string& text) { parse_counts(text, input); },
            "What one warp executes, and how its requests look (names: netgen/sm/README.md)")
        .type_name("fp32=N,loads=N,...");
    command
        .add_option("--metrics", input.metrics,
                    "Take the kernel from a table of counters (nvprof, Nsight Compute) or counts")
        .type_name("FILE.csv");
    command.add_option("--row", input.row, "With --metrics: a part of its name, grid and block")
        .type_name("TEXT")
        .needs("--metrics");
    add_ptx_input(command, input.ptx).excludes("--metrics");
    add_number(command, "--step-cycles", input.program.step_cycles, "Cycles of a step", std::int64_t{1},
               std::int64_t{32});
}

}  // namespace warpnet::cli

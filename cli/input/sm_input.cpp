// The device and the kernel of family `sm` from flags. A kernel comes from counters in a table, from PTX or
// from counts; single fields on the command line override all of them. Facts of a launch that PTX does not
// contain are assumed and listed.
//
// The shape of a launch can come from --grid and --block or as plain numbers of blocks and threads, which
// then lie along x. Both are compared, because a wrong product would silently predict another launch. The
// fields of flags are set last, after the code, the resources and the table, so that a flag wins over any
// file. Whether a launch is possible is checked before anything is predicted. The error is one of usage if
// the flags describe the launch, and one of the input if a table does.

#include "cli/input/sm_input.hpp"

#include "analysis/studies/files/kernel_facts.hpp"
#include "cli/input/measured_input.hpp"
#include "cli/input/options.hpp"
#include "cli/output/notes.hpp"
#include "engine/base/text.hpp"
#include "engine/input/flag_items.hpp"
#include "engine/input/input_file.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/sm/kernel_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

void add_change(const std::string& item, netgen::DeviceInput& input) {
    const NamedItem fact(item);
    const auto columns = netgen::device_columns();
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const netgen::DeviceColumn& column) { return column.name == fact.name; }))
        throw UsageError(
            "--set",
            fmt::format("expected FACT=VALUE with a fact of 'warpnet devices --columns', found '{}'", item));
    require_once(std::none_of(input.changes.begin(), input.changes.end(),
                              [&](const auto& change) { return change.first == fact.name; }),
                 "--set", fact.name);
    try {
        const double value = netgen::metric_number(fact.value, fact.name);
        netgen::check_fact(fact.name, value);
        input.changes.emplace_back(fact.name, value);
    } catch (const InputError& error) {
        throw UsageError("--set", error.what());
    }
}

}  // namespace

Option add_device_facts(Command& command, netgen::DeviceInput& input) {
    return command
        .add_option_function<std::vector<std::string>>(
            "--set",
            [&input](const std::vector<std::string>& texts) {
                for (const std::string& text : texts)
                    each_item(text, [&](const std::string& item) { add_change(item, input); });
            },
            "Facts of the device in place of those of the preset ('warpnet devices --columns')")
        .type_name("FACT=VALUE,...");
}

void add_device_changes(Command& command, netgen::DeviceInput& input) {
    add_device_facts(command, input);
    command
        .add_option_function<std::string>(
            "--without",
            [&input](const std::string& text) {
                each_item(text, [&](const std::string& item) {
                    if (!netgen::switch_off(input.mechanisms, item))
                        throw UsageError("--without",
                                         fmt::format("expected one of {}; found '{}'",
                                                     fmt::join(netgen::sm_mechanism_names(), ", "), item));
                });
            },
            "Switch off mechanisms of the model, to see the effect of each (docs/reference/sm-model.md)")
        .type_name("MECHANISM,...");
}

namespace {

constexpr const char* device_of_sm = "The GPU, a preset of 'warpnet devices'";
constexpr const char* or_file = ", or a file with one device in it";

}  // namespace

Option add_device_input(Command& command, netgen::DeviceInput& input, const std::string& help) {
    Option device = command.add_option("--device", input.name, help + or_file).type_name("NAME|FILE.tsv");
    command
        .add_option("--devices", input.file,
                    "A table of your own in place of the presets ('warpnet devices')")
        .type_name("FILE")
        .needs(device);
    return device;
}

std::pair<Option, Option> add_assignment(Command& command, AssignmentInput& input) {
    const Option which = add_choice(
        command, "--assignment", input.assignment,
        "The schedulers that a warp may use: all of them (shared, the default without --device); only number "
        "(warp - 1) mod schedulers (fixed, the default with a --device of several schedulers per SM); or one "
        "that the run chooses, with equally many warps on each (any)",
        std::vector{netgen::Assignment::shared, netgen::Assignment::fixed, netgen::Assignment::any});
    const Option dispatch = add_number(command, "--dispatch", input.dispatch_units,
                                       "With fixed schedulers: instructions that a scheduler issues at a "
                                       "time; default 1, or those of --device",
                                       std::int64_t{1}, std::int64_t{1'000'000});
    return {which, dispatch};
}

void AssignmentInput::fill(const netgen::DeviceInput& device, netgen::Assignment& of_kernel,
                           std::int64_t& dispatch_of_kernel) const {
    if (device.given() && device.device().at("schedulers") > 1) of_kernel = netgen::Assignment::fixed;
    if (assignment) of_kernel = *assignment;
    if (of_kernel == netgen::Assignment::shared && dispatch_units.value_or(1) > 1)
        throw UsageError("--dispatch",
                         "requires --assignment fixed or any; shared schedulers issue one each");
    if (of_kernel != netgen::Assignment::shared && device.given())
        dispatch_of_kernel = warpnet::netgen::dispatch_units(device.device());
    if (dispatch_units) dispatch_of_kernel = *dispatch_units;
}

namespace {

/// Prints each line once per command to stderr.
void note_once(const std::vector<std::string>& lines) {
    static std::set<std::string> said;
    for (const std::string& line : lines)
        if (said.insert(line).second) print_note("warpnet: {}\n", line);
}

bool is_given(const SmInput& input, std::string_view name) {
    return std::any_of(input.fields.begin(), input.fields.end(),
                       [&](const auto& field) { return field.first == name; });
}

studies::MeasuredTable table_of(const SmInput& input) {
    studies::MeasuredOptions options = studies::measured_options(input.device, input.facts);
    options.needs_time = false;
    studies::MeasuredTable table =
        table_of_texts(input.tables.empty() ? read_measured_texts(input.metrics) : input.tables, options);
    warn_of_other_gpus(table, input.device.device());
    return table;
}

const netgen::KernelProfile& shaped(const studies::Measurement& measurement) {
    if (measurement.profile) return *measurement.profile;
    throw InputError(fmt::format("{}: the kernel has no launch shape (blocks, threads)", measurement.kernel));
}

netgen::KernelProfile kernel_of_metrics(const SmInput& input) {
    const studies::MeasuredTable table = table_of(input);
    const std::string names_of_files = fmt::format("{}", fmt::join(input.metrics, ", "));
    const studies::Measurement* found = nullptr;
    std::string names;
    for (const studies::Measurement& measurement : table.measurements) {
        if (measurement.kernel == input.row) return shaped(measurement);
        if (measurement.kernel.find(input.row) == std::string::npos) continue;
        if (found != nullptr) names += "\n  " + measurement.kernel;
        if (found == nullptr) found = &measurement;
    }
    if (found == nullptr)
        throw InputError(fmt::format("{}: no kernel has '{}' in its name", names_of_files, input.row));
    if (!names.empty()) {
        throw InputError(fmt::format("{}: expected one kernel, but --row '{}' fits several:\n  {}{}",
                                     names_of_files, input.row, found->kernel, names));
    }
    return shaped(*found);
}

/// Loads that L1 serves do not reach L2. Given shares replace the shares that addresses imply.
void set_cache_shares(const SmInput& input, netgen::MemoryRequests& loads) {
    if (input.l1_share) {
        loads.l1_share = *input.l1_share;
        loads.sectors *= 1 - loads.l1_share;
        loads.dram_share = std::min(loads.dram_share, 1 - loads.l1_share);
        loads.repeated = 0;
    }
    if (!input.dram_share) return;
    loads.dram_share = *input.dram_share;
    loads.repeated = std::min(loads.repeated, 1 - loads.dram_share);
}

void set_fields(const SmInput& input, netgen::KernelProfile& kernel) {
    for (const auto& [field, value] : input.fields) netgen::set_profile_field(kernel, field, value);
    set_cache_shares(input, kernel.loads);
    if (kernel.name.empty()) kernel.name = "kernel";
}

/// Whether the flags give the instructions of a warp, and not only the shape of its accesses.
bool gives_instructions(const SmInput& input) {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    set_fields(input, kernel);
    return kernel.instructions() != 0;  // negative counts are rejected later
}

/// The blocks that an SM executes at a time. Throws UsageError or InputError if not one fits.
std::int64_t checked_residency(const SmInput& input, const netgen::KernelProfile& kernel) {
    const netgen::SmDevice device = input.device.sm();
    try {
        netgen::validate(kernel);
        return netgen::resident_blocks(device, kernel);
    } catch (const InputError& error) {
        if (!input.metrics.empty()) throw;
        throw UsageError(error.what());  // the flags describe the launch
    }
}

void take_resources(const SmInput& input, const std::string& function, netgen::KernelProfile& kernel) {
    if (input.resources.empty()) return;
    std::vector<std::string> warnings;
    const studies::KernelFacts resources =
        studies::read_resources(read_text(input.resources), input_name(input.resources),
                                input.device.device().compute_capability, warnings);
    if (warnings.empty() && !resources.find(function, "registers"))
        warnings.push_back(fmt::format("{}: expected kernel '{}', found {}: its registers are unknown",
                                       input_name(input.resources), function,
                                       fmt::join(resources.functions(), ", ")));
    note_once(warnings);
    studies::apply_resources(resources, function, kernel);
}

/// The kernel of a launch with the fields that flags give. Throws UsageError for resources that it cannot
/// have.
netgen::KernelProfile kernel_of_report(const SmInput& input, const netgen::PtxInput& ptx,
                                       const netgen::PtxReport& report) {
    const auto shaped = netgen::launch_profile_of(ptx, report);
    netgen::KernelProfile kernel = shaped ? *shaped : netgen::kernel_profile_from_ptx(report.profile);
    if (const std::int64_t blocks = netgen::blocks_of_launch(ptx, report); blocks > 0) kernel.blocks = blocks;
    take_resources(input, report.profile.kernel, kernel);
    set_fields(input, kernel);
    try {
        netgen::check_resources(kernel, report);
    } catch (const InputError& error) {
        throw UsageError(error.what());  // an error in --registers, --shared-memory or --counts
    }
    return kernel;
}

/// Reasons beyond its profile why a bound of a kernel's net is no certificate of its code on a device.
std::vector<std::string> uncounted_of(const netgen::PtxInput& ptx, const netgen::PtxReport& report,
                                      const netgen::Device& device, const studies::KernelLaunch& launch) {
    std::vector<std::string> reasons;
    if (!report.not_in_file.empty())
        reasons.push_back(fmt::format("the instructions of {}, which the file does not have",
                                      fmt::join(report.not_in_file, ", ")));
    std::string shares;
    for (const auto& [label, share] : ptx.options.taken)
        if (share > 0 && share < 1) shares += (shares.empty() ? "" : ", ") + label;
    if (!shares.empty())
        reasons.push_back("warps that take the longer side of " + shares +
                          " more often than --taken says, which is a mean");
    if (!launch.longest && report.profile.averaged)
        reasons.emplace_back("warps with more instructions than the mean of the launch");
    if (const std::string target = netgen::warning_of_target(report.profile, device.compute_capability);
        !target.empty())
        reasons.push_back(target);
    return reasons;
}

/// Removes from `result.assumed` the facts of the launch that the code gives.
void take_ptx(const SmInput& input, studies::KernelLaunch& result) {
    netgen::PtxInput ptx = input.ptx;
    netgen::PtxLaunch& launch = ptx.options.launch;
    const auto product = [](const std::array<std::int64_t, 3>& shape) {
        return shape[0] * shape[1] * shape[2];
    };
    // The shape of the launch may also be a number of blocks and threads, which then lie along x.
    for (const auto& [field, value] : input.fields) {
        if (!(value >= 1 && value <= 2e9)) continue;
        if (field == "blocks" && launch.grid[0] == 0) {
            launch.grid = {std::llround(value), 1, 1};
            ptx.linear_grid = true;
        } else if (field == "blocks" && std::llround(value) != product(launch.grid)) {
            throw UsageError("--blocks",
                             fmt::format("{}, and {} by --grid",
                                         plural(static_cast<std::uint64_t>(std::llround(value)), "block"),
                                         product(launch.grid)));
        }
        if (field != "threads") continue;
        if (launch.block[0] == 0) {
            launch.block = {std::llround(value), 1, 1};
            ptx.linear_block = true;
        } else if (std::llround(value) != product(launch.block)) {
            throw UsageError("--block-threads",
                             fmt::format("{}, and {} by --block",
                                         plural(static_cast<std::uint64_t>(std::llround(value)), "thread"),
                                         product(launch.block)));
        }
    }
    ptx.options.follow_addresses = input.device.mechanisms.addresses;
    const netgen::PtxReport report = ptx_report_of(ptx);
    warn_of_ptx(report, input.device.device().compute_capability);
    netgen::KernelProfile& kernel = result.kernel;
    kernel = kernel_of_report(input, ptx, report);
    if (ptx.options.paths == netgen::PtxPaths::longest || !report.profile.both_sides.empty())
        result.paths = ptx.options.paths;
    if (netgen::PtxReport longest = report; netgen::take_longest_warp(longest.profile))
        result.longest = kernel_of_report(input, ptx, longest);
    result.alike = !result.longest && !report.profile.averaged;
    for (const auto& [field, value] : input.fields)
        if (const std::int64_t blocks = netgen::blocks_of_launch(ptx, report);
            field == "blocks" && report.profile.cluster[0] > 0 && blocks > 0 && std::llround(value) != blocks)
            throw UsageError("--blocks", fmt::format("{}, and {} by --grid, which counts clusters",
                                                     std::llround(value), blocks));
    if (launch.grid[0] > 0) std::erase(result.assumed, "blocks");
    if (launch.block[0] > 0 || report.profile.threads_required) std::erase(result.assumed, "threads");
    result.uncounted = uncounted_of(ptx, report, input.device.device(), result);
    for (const auto& [loop, trips] : ptx.options.trips)
        result.trips += fmt::format("{}{}={}", result.trips.empty() ? "" : ", ", loop, trips);
    const std::int64_t resident = checked_residency(input, kernel);
    if (resident < report.profile.min_blocks)
        print_note("warpnet: kernel '{}': .minnctapersm asks for {} per SM, and {} fit\n",
                   visible(kernel.name),
                   plural(static_cast<std::uint64_t>(report.profile.min_blocks), "block"), resident);
    if (kernel.registers == 0 && report.profile.max_registers > 0)
        print_note(
            "warpnet: kernel '{}': .maxnreg allows {} per thread; their number is not known and limits no "
            "residency (--registers)\n",
            visible(kernel.name),
            plural(static_cast<std::uint64_t>(report.profile.max_registers), "register"));
}

/// "1 block of 32 threads is", "32 threads are": the assumed part of the launch.
std::string assumed_text(const netgen::KernelProfile& kernel, const std::vector<std::string>& assumed) {
    const std::string blocks = plural(static_cast<std::uint64_t>(kernel.blocks), "block"),
                      threads = plural(static_cast<std::uint64_t>(kernel.threads), "thread");
    if (assumed.size() == 2) return fmt::format("{} of {} is", blocks, threads);
    return fmt::format("{} {}", assumed.front() == "blocks" ? blocks : threads,
                       assumed.front() == "blocks" ? "is" : "per block are");
}

/// A number, possibly with a fraction, that sets several fields of the profile.
void add_number_field(Command& command, SmInput& input, const std::string& flag,
                      const std::vector<std::string>& fields, const std::string& help) {
    command
        .add_option_function<std::string>(
            flag,
            [&input, flag, fields](const std::string& text) {
                try {
                    const double value = netgen::metric_number(text, flag);
                    if (!(value > 0 && value <= 1000))
                        throw InputError(
                            fmt::format("expected a number above 0 and up to 1000, found {}", text));
                    for (const std::string& field : fields)
                        netgen::add_field(flag, field, value, input.fields);
                } catch (const InputError& error) {
                    throw UsageError(flag, error.what());
                }
            },
            help)
        .type_name("X");
}

}  // namespace

void note_launch(const netgen::KernelProfile& kernel, const netgen::LaunchOnSm& launch,
                 const netgen::DeviceInput& device, std::int64_t given, bool has_waves) {
    std::string text;
    const auto count = [](std::int64_t number, const char* what) {
        return plural(static_cast<std::uint64_t>(number), what);
    };
    if (given > 0) {
        if (given == launch.warps()) return;
        text = fmt::format("--warps {} is taken; {} has {}", given,
                           device.given() ? "the busiest SM of the launch" : "a block of the launch",
                           count(launch.warps(), "warp"));
    } else if (!device.given()) {
        if (kernel.blocks == 1) return;
        text = fmt::format("the net has the {} of one block of {}; --device says how many blocks an SM holds",
                           count(launch.block_warps, "warp"), kernel.blocks);
    } else if (launch.waves() > 1 && !has_waves) {
        text = fmt::format(
            "the net has the {} that an SM holds at a time; the busiest SM works through {} "
            "rounds of them",
            count(launch.resident, "block"), launch.waves());
    } else {
        return;
    }
    note_once({fmt::format("kernel '{}': {}", kernel.name, text)});
}

void SmInput::require_device() {
    if (device.given()) return;
    std::string named;
    if (!metrics.empty()) {
        tables = read_measured_texts(metrics);
        studies::MeasuredOptions options;
        options.needs_time = false;
        const studies::MeasuredTable table =
            studies::read_measurements(tables, options, {}, [](const std::string&) {});
        device.name = preset_of_table(table);
        if (device.given()) return;
        if (!table.device.empty())
            named = fmt::format("; the measurements name '{}', and no preset has this name", table.device);
    }
    throw UsageError(fmt::format("--device is missing: {}{}{}", device_of_sm, or_file, named));
}

netgen::KernelProfile SmInput::profile() const { return launch().kernel; }

studies::KernelLaunch SmInput::launch() const {
    studies::KernelLaunch result;
    if (!metrics.empty()) {
        result.kernel = kernel_of_metrics(*this);
    } else {
        for (const char* field : {"blocks", "threads"})
            if (!is_given(*this, field)) result.assumed.emplace_back(field);
        if (ptx.given())
            take_ptx(*this, result);
        else
            result.kernel = netgen::streaming_profile();
    }
    if (!ptx.given() && metrics.empty() && !gives_instructions(*this))
        throw UsageError(
            "expected a kernel: what one warp executes (--counts fp32=40,loads=2), its code (--ptx FILE) or "
            "its counters (--metrics FILE.csv), found none of them");
    if (!ptx.given()) {
        set_fields(*this, result.kernel);
        checked_residency(*this, result.kernel);
    }
    if (!result.assumed.empty())
        print_note("warpnet: kernel '{}': the launch is not given: {} assumed (--blocks, --block-threads)\n",
                   visible(result.kernel.name), assumed_text(result.kernel, result.assumed));
    return result;
}

std::vector<studies::KernelLaunch> SmInput::launches() const {
    if (metrics.empty() || !row.empty()) return {launch()};
    std::vector<studies::KernelLaunch> result;
    studies::MeasuredTable table = table_of(*this);
    for (studies::Measurement& measurement : table.measurements) {
        if (!measurement.profile) continue;
        if (table.measurements.size() > 1) measurement.profile->name = measurement.kernel;
        set_fields(*this, *measurement.profile);
    }
    leave_out_failing(table, device.sm(), true);
    for (const studies::Measurement& measurement : table.measurements)
        result.push_back({shaped(measurement), measurement.launches, {}});
    return result;
}

Option add_metrics_input(Command& command, SmInput& input, const std::string& several) {
    Option metrics =
        command
            .add_option(
                "--metrics", input.metrics,
                "Take the kernel from a table of counters (nvprof, Nsight Compute) or counts" + several)
            .type_name("FILE.csv");
    command.add_option("--row", input.row, "With --metrics: a part of its name, grid and block")
        .type_name("TEXT")
        .needs("--metrics");
    command
        .add_option("--facts", input.facts,
                    "With --metrics: facts from the source code that no counter gives, per function")
        .type_name("FACTS.csv")
        .needs("--metrics");
    return metrics;
}

void add_sm_input(Command& command, SmInput& input) {
    add_device_input(command, input.device, device_of_sm);
    add_device_changes(command, input.device);
    const auto add_number_of = [&](const std::string& flag, const std::string& field,
                                   const std::string& help) {
        command
            .add_option_function<std::string>(
                flag,
                [&input, flag, field](const std::string& text) {
                    const auto value = parse_number<std::int64_t>(text);
                    check_range(flag, text, value, 0, 1'000'000'000'000);
                    netgen::add_field(flag, field, static_cast<double>(*value), input.fields);
                },
                help)
            .type_name("N");
    };
    add_number_of("--blocks", "blocks", "Blocks of the launch");
    add_number_of("--block-threads", "threads", "Threads of a block");
    add_number_of("--registers", "registers", "Registers of a thread");
    add_number_of("--shared-memory", "shared_bytes",
                  "Bytes of shared memory of a block, declared and dynamic");
    const auto add_share = [&](const std::string& flag, std::optional<double>& share,
                               const std::string& help) {
        command
            .add_option_function<std::string>(
                flag,
                [&share, flag](const std::string& text) {
                    const auto value = parse_number<double>(text);
                    if (!value || !(*value >= 0 && *value <= 1))
                        throw UsageError(flag, fmt::format("expected a share from 0 to 1, found '{}'", text));
                    share = *value;
                },
                help)
            .type_name("SHARE");
    };
    add_share("--l1-share", input.l1_share,
              "Share of the loads that L1 serves, instead of the share that the addresses imply; only the "
              "other loads reach L2");
    add_share("--dram-share", input.dram_share,
              "Share of the loads that DRAM serves, instead of the share that the addresses imply; L2 serves "
              "the rest");
    add_number_of(
        "--footprint", "load_footprint",
        "Bytes of the arrays that the loads read: no byte comes from DRAM twice in a wave of blocks");
    add_number_field(command, input, "--conflicts", {"shared_load_transactions", "shared_store_transactions"},
                     "Passes of an access to shared memory (bank conflicts)");
    add_number_field(command, input, "--sectors", {"load_sectors", "store_sectors"},
                     "32-byte sectors of a request to global memory");
    command
        .add_option_function<std::string>(
            "--counts", [&input](const std::string& text) { netgen::parse_counts(text, input.fields); },
            "What one warp executes, and how its requests look (names: docs/reference/family-sm.md)")
        .type_name("fp32=N,loads=N,...");
    add_metrics_input(
        command, input,
        "; without --row all its kernels, with totals; without --device for the GPU that it names");
    add_ptx_input(command, input.ptx).excludes("--metrics");
    command
        .add_option("--resources", input.resources,
                    "Registers, shared memory and spills of the kernels in --ptx: the output of 'nvcc "
                    "-Xptxas -v' or 'cuobjdump -res-usage'")
        .type_name("FILE")
        .needs("--ptx");
    add_number(command, "--step-cycles", input.program.step_cycles, "Cycles per step", std::int64_t{1},
               std::int64_t{32});
}

}  // namespace warpnet::cli

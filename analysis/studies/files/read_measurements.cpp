// Joins tables of measurements with the code of their kernels. A row without counts names a PTX file, or its
// kernel is looked for by name in the given files. A kernel that matches several functions of the code is a
// fault, since a guess would predict another kernel. Each file is read once. A folder of collect.sh can also
// add facts that counters lack, such as dependences, from the code of the same launches. A kernel that cannot
// be counted is left out and named. It is an error only if no kernel remains.

#include "analysis/studies/files/read_measurements.hpp"

#include "engine/base/text.hpp"
#include "engine/input/input_file.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/execution.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/code/ptx_input.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {

namespace {

netgen::PtxInput ptx_input_of(const PtxRow& row) {
    netgen::PtxInput input;
    const std::size_t slash = row.source.rfind('/');
    const std::string next_to_table =
        slash == std::string::npos ? "" : row.source.substr(0, slash + 1) + row.file;
    std::error_code error;
    input.file =
        !next_to_table.empty() && std::filesystem::exists(next_to_table, error) ? next_to_table : row.file;
    if (!row.trips.empty()) netgen::parse_trips(row.trips, input.options);
    if (!row.param.empty()) netgen::parse_params(row.param, input.options);
    for (const auto& [field, value] : row.fields) {
        if (!(value >= 1 && value <= 2e9)) continue;
        if (field == "blocks") {
            input.options.launch.grid = {std::llround(value), 1, 1};
            input.linear_grid = true;
        }
        if (field != "threads") continue;
        input.options.launch.block = {std::llround(value), 1, 1};
        input.linear_block = true;
    }
    if (row.grid[0] > 0) {
        input.options.launch.grid = row.grid;
        input.linear_grid = false;
    }
    if (row.block[0] > 0) {
        input.options.launch.block = row.block;
        input.linear_block = false;
    }
    return input;
}

/// PTX files that rows name, each read once.
class CodeFiles {
  public:
    explicit CodeFiles(const TakeWarning& warn) : warn_(warn) {}

    const netgen::PtxModule& at(const std::string& file) {
        auto found = modules_.find(file);
        if (found != modules_.end()) return found->second;
        found = modules_.emplace(file, netgen::read_code_file(file)).first;
        for (const std::string& warning : found->second.warnings) warn_(visible(warning));
        return found->second;
    }
    /// Warns of a kernel on a device, once per warning.
    void warn_of(const netgen::PtxReport& report, const std::string& compute_capability) {
        std::vector<std::string> warnings = netgen::warnings_of(report);
        warnings.push_back(netgen::warning_of_target(report.profile, compute_capability));
        for (const std::string& warning : warnings)
            if (!warning.empty() && said_.insert(warning).second) warn_(warning);
    }

  private:
    const TakeWarning& warn_;
    std::set<std::string> said_;
    std::map<std::string, netgen::PtxModule> modules_;
};

/// Sets the file with the code of a kernel whose table has no counts, chosen from `files`.
PtxRow with_code(PtxRow row, const Measurement& measurement, const std::vector<std::string>& files,
                 CodeFiles& read) {
    const std::string function = fact_function(measurement.kernel);
    std::size_t kernels = 0;
    std::set<std::string> fitting, others;  // by full name, and by function
    std::string only;                       // a file with only one kernel
    row.source.clear();                     // the file is not in the folder of the table
    for (const std::string& file : files) {
        const netgen::PtxModule& module = read.at(file);
        kernels += module.kernels().size();
        if (module.kernels().size() == 1) only = file;
        for (const netgen::PtxKernelName& one : netgen::ptx_kernels_of({&module, 1}, function))
            others.insert(one.kernel);
        for (const netgen::PtxKernelName& one :
             netgen::ptx_kernels_of({&module, 1}, function, measurement.kernel)) {
            fitting.insert(one.kernel);
            if (row.file.empty()) row.file = file;
        }
    }
    if (fitting.size() == 1) return row;
    if (!fitting.empty())
        throw InputError(
            fmt::format("'{}' may be any of {} (--ptx): expected its template arguments and "
                        "parameters, or files with one of them",
                        measurement.kernel, fmt::join(fitting, ", ")));
    if (row.benchmark && kernels == 1) {
        row.file = only;
        return row;
    }
    if (!others.empty())
        throw InputError(fmt::format("expected the code of '{}' by --ptx, found that of {}",
                                     measurement.kernel, fmt::join(others, ", ")));
    throw InputError(
        fmt::format("{}; expected the code of '{}' by --ptx, or a table of Nsight Compute ('warpnet compare "
                    "--metrics-for ncu' "
                    "prints the command)",
                    row.benchmark ? "a benchmark has times, and no counters"
                                  : "a trace has times and launch shapes, and no counters",
                    function));
}

/// The launch of a benchmark: from its axes, otherwise from the facts.
void take_launch(const Measurement& measurement, const KernelFacts& facts, netgen::PtxInput& input) {
    netgen::PtxLaunch& launch = input.options.launch;
    for (const auto& [field, extents] :
         {std::pair("blocks", &launch.grid), std::pair("threads", &launch.block)}) {
        const auto fact = facts.find(fact_function(measurement.kernel), field);
        if ((*extents)[0] > 0 || (fact && *fact >= 1 && *fact <= 2e9)) {
            if ((*extents)[0] == 0) *extents = {std::llround(*fact), 1, 1};
            continue;
        }
        throw InputError(fmt::format(
            "the {} of '{}' are unknown; expected an axis {}, or a fact about '{}' (--facts)", field,
            measurement.kernel, extents == &launch.grid ? "NumBlocks" : "BlockSize or block_size_x",
            fact_function(measurement.kernel)));
    }
}

void take_ptx_row(const PtxRow& row, const KernelFacts& resources, const MeasuredOptions& options,
                  CodeFiles& read, Measurement& measurement) {
    const KernelFacts& facts = options.facts;
    netgen::PtxInput input = ptx_input_of(row);
    if (row.benchmark) take_launch(measurement, facts, input);
    const netgen::PtxModule& module = read.at(input.file);
    const auto named =
        netgen::ptx_kernels_of({&module, 1}, fact_function(measurement.kernel), measurement.kernel);
    if (named.size() == 1) input.kernel = named.front().kernel;
    const netgen::PtxReport report = ptx_report_of(module, input);
    read.warn_of(report, options.compute_capability);
    measurement.counts = netgen::ptx_warp_counts(report.profile.counts);
    if (input.options.launch.grid[0] == 0 || input.options.launch.block[0] == 0) return;
    netgen::KernelProfile kernel = netgen::kernel_profile_from_ptx(report.profile);
    kernel.name = measurement.kernel;
    apply_resources(resources, named.size() == 1 ? named.front().kernel : fact_function(measurement.kernel),
                    kernel);
    for (const auto& [field, value] : row.fields) netgen::set_profile_field(kernel, field, value);
    netgen::check_resources(kernel, report, row.shared_rounding);
    kernel.shared_bytes += std::llround(row.dynamic_shared);
    netgen::validate(kernel);
    facts.apply(fact_function(measurement.kernel), kernel);
    netgen::check_resources(kernel, report, row.shared_rounding);
    measurement.profile = std::move(kernel);
}

/// Fills in the measurements whose kernels are in PTX files. A kernel that cannot be counted becomes a fault.
void take_ptx_rows(MeasuredTable& table, const MeasuredOptions& options, const MeasuredCode& code,
                   const TakeWarning& warn) {
    table.counts_of_code = !table.ptx_rows.empty();
    std::atomic<std::uint64_t> done = 0;
    const auto shown = table.ptx_rows.empty()
                           ? nullptr
                           : begin_part(options.progress, {"kernels read", table.ptx_rows.size(), &done});
    std::vector<bool> left_out(table.measurements.size());
    CodeFiles read(warn);
    std::set<std::string> renamed;
    for (const PtxRow& row : table.ptx_rows) {
        Measurement& measurement = table.measurements[row.measurement];
        table.interrupted = table.interrupted || (options.interrupt != nullptr && *options.interrupt);
        if (table.interrupted) {
            left_out[row.measurement] = true;
            continue;
        }
        ++done;
        const auto leave_out = [&](const char* why) {
            left_out[row.measurement] = true;
            table.faults.push_back(fmt::format("{}: {}", row.where, why));
        };
        try {
            const PtxRow coded = row.file.empty() ? with_code(row, measurement, code.files, read) : row;
            take_ptx_row(coded, code.resources, options, read, measurement);
            if (!row.benchmark) continue;
            const netgen::PtxModule& module = read.at(coded.file);
            if (netgen::ptx_kernels_of({&module, 1}, measurement.function).empty() &&
                renamed.insert(measurement.function).second)
                table.warnings.push_back(fmt::format("'{}' is taken for the kernel {}, the only one of {}",
                                                     measurement.function, module.kernels().front(),
                                                     coded.file));
        } catch (const UsageError& error) {  // a cell that is written like a flag
            leave_out(error.what());
        } catch (const InputError& error) {
            leave_out(error.what());
        }
    }
    std::vector<Measurement> counted;
    for (std::size_t i = 0; i < left_out.size(); ++i)
        if (!left_out[i]) counted.push_back(std::move(table.measurements[i]));
    if (counted.empty() && !table.faults.empty() && !table.interrupted)
        throw InputError(first_faults(table.faults, "\n  ").substr(3));
    table.measurements = std::move(counted);
    table.ptx_rows.clear();
}

/// Adds the facts that only the code of a launch has (with_code()), to the launches with an id in
/// `code.launches`.
void take_code(MeasuredTable& table, const MeasuredOptions& options, const MeasuredCode& code) {
    MeasuredOptions reading = options;
    reading.needs_time = false;
    reading.progress = {};
    const SourceText text{read_text(code.launches), code.launches};
    const MeasuredTable coded = read_measurements({&text, 1}, reading, {.resources = code.resources});
    std::map<std::string, const netgen::KernelProfile*> profiles;
    for (const Measurement& one : coded.measurements)
        if (one.profile && !one.id.empty()) profiles.emplace(one.id, &*one.profile);
    std::size_t found = 0;
    for (Measurement& one : table.measurements) {
        const auto of_code = profiles.find(one.id);
        if (!one.profile || of_code == profiles.end()) continue;
        one.profile = netgen::with_code(std::move(*one.profile), *of_code->second);
        ++found;
    }
    table.interrupted = table.interrupted || coded.interrupted;
    table.warnings.push_back(fmt::format(
        "what counters do not have (dependences, kinds of integers, barriers, atomics on one word) is "
        "that of the code in {} for {} of {}",
        code.launches, found, plural(table.measurements.size(), "measurement")));
}

}  // namespace

MeasuredTable read_measurements(std::span<const SourceText> texts, const MeasuredOptions& options,
                                const MeasuredCode& code, const TakeWarning& warn) {
    MeasuredTable table = read_measured(texts, options);
    std::vector<std::string> warnings;
    take_ptx_rows(
        table, options, code, warn ? warn : [&](const std::string& warning) { warnings.push_back(warning); });
    table.warnings.insert(table.warnings.begin(), warnings.begin(), warnings.end());
    if (options.code && !code.launches.empty()) take_code(table, options, code);
    return table;
}

std::vector<std::string> take_out_failing(MeasuredTable& table, const netgen::SmDevice& device, bool shapes) {
    std::vector<std::string> faults;
    const bool shaped = std::any_of(table.measurements.begin(), table.measurements.end(),
                                    [](const Measurement& one) { return one.profile.has_value(); });
    std::erase_if(table.measurements, [&](const Measurement& one) {
        const std::size_t before = faults.size();
        read_row(faults, [&] {
            const std::string where = one.where.empty() ? "" : one.where + ": ";
            if (!one.profile) {
                if (shapes && shaped)
                    throw InputError(fmt::format(
                        "{}{}: expected the launch shape (blocks, threads), found none", where, one.kernel));
                return;
            }
            try {
                netgen::validate(*one.profile);
                netgen::resident_blocks(device, *one.profile);
            } catch (const InputError& error) {
                throw InputError(where + error.what());
            }
        });
        return faults.size() > before;
    });
    if (!faults.empty() && table.measurements.empty())
        throw InputError(first_faults(faults, "\n  ").substr(3));
    return faults;
}

FoundKinds take_integer_kinds(MeasuredTable& table, std::span<const netgen::PtxModule> modules) {
    FoundKinds kinds;
    for (Measurement& measurement : table.measurements) {
        if (!measurement.profile || measurement.profile->integer <= 0) continue;
        ++kinds.asked;
        const std::string function = fact_function(measurement.kernel);
        if (take_integer_kinds(*measurement.profile, modules, function, measurement.kernel)) {
            ++kinds.found;
        } else {
            kinds.without.insert(function);
        }
    }
    return kinds;
}

MeasuredFolder read_measured_folder(const std::string& folder, std::string_view compute_capability) {
    const auto has = [&](const std::string& name) {
        std::error_code error;
        return std::filesystem::is_regular_file(folder + "/" + name, error);
    };
    MeasuredFolder found{{{"counters.csv", "counters of Nsight Compute, time of the GPU alone", false},
                          {"times.csv", "counts of the code, time between two events", true}},
                         {},
                         {},
                         {}};
    std::erase_if(found.tables, [&](const FolderTable& table) { return !has(table.name); });
    if (found.tables.empty())
        throw InputError(
            fmt::format("{}: expected counters.csv or times.csv in the folder, found neither", folder));
    if (has("times.csv")) found.launches = folder + "/times.csv";
    if (const std::string resources = folder + "/resources.txt"; has("resources.txt"))
        found.resources = read_resources(read_text(resources), resources, compute_capability, found.warnings);
    return found;
}

MeasuredOptions measured_options(const netgen::DeviceInput& input, const std::string& facts_file) {
    const netgen::SmDevice device = input.sm();
    MeasuredOptions options;
    options.compute_capability = input.device().compute_capability;
    options.line_transactions = device.line_transactions && device.mechanisms.line_transactions;
    options.l2_counters = device.mechanisms.l2_counters;
    options.other_counters = device.mechanisms.other_counters;
    options.code = device.mechanisms.code;
    if (!facts_file.empty()) options.facts = read_kernel_facts(read_text(facts_file), input_name(facts_file));
    return options;
}

}  // namespace warpnet::studies

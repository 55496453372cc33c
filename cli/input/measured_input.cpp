#include "cli/input/measured_input.hpp"

#include "cli/input/net_io.hpp"
#include "cli/input/ptx_input.hpp"
#include "engine/net/error.hpp"
#include "netgen/ptx/ptx_integer_kinds.hpp"
#include "netgen/ptx/ptx_kernel.hpp"
#include "netgen/ptx/ptx_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

PtxInput ptx_input_of(const PtxRow& row) {
    PtxInput input;
    const std::size_t slash = row.source.rfind('/');
    const std::string beside = slash == std::string::npos ? "" : row.source.substr(0, slash + 1) + row.file;
    std::error_code error;
    input.file = !beside.empty() && std::filesystem::exists(beside, error) ? beside : row.file;
    if (!row.trips.empty()) parse_trips(row.trips, input.options);
    if (!row.param.empty()) parse_params(row.param, input.options);
    for (const auto& [field, value] : row.fields) {
        if (!(value >= 1 && value <= 2e9)) continue;
        if (field == "blocks") input.options.launch.grid = {std::llround(value), 1, 1};
        if (field != "threads") continue;
        input.options.launch.block = {std::llround(value), 1, 1};
        input.linear_block = true;
    }
    return input;
}

void take_ptx_row(const PtxRow& row, Measurement& measurement) {
    PtxInput input = ptx_input_of(row);
    const std::vector<PtxModule> modules = {read_ptx_input(input)};
    const auto named = ptx_kernels_of(modules, fact_function(measurement.kernel));
    if (named.size() == 1) input.kernel = named.front().kernel;
    const PtxReport report = ptx_report_of(input);
    warn_of_ptx(report);
    measurement.counts = ptx_warp_counts(report.profile.counts);
    if (input.options.launch.grid[0] == 0 || input.options.launch.block[0] == 0) return;
    KernelProfile kernel = profile_of_ptx(report.profile);
    kernel.name = measurement.kernel;
    for (const auto& [field, value] : row.fields) set_profile_field(kernel, field, value);
    validate(kernel);
    measurement.profile = std::move(kernel);
}

}  // namespace

void take_ptx_rows(MeasuredTable& table) {
    for (const PtxRow& row : table.ptx_rows) {
        try {
            take_ptx_row(row, table.measurements[row.measurement]);
        } catch (const UsageError& error) {  // a cell that is written like a flag
            throw InputError(fmt::format("{}: {}", row.where, error.what()));
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", row.where, error.what()));
        }
    }
    table.ptx_rows.clear();
}

MeasuredTable read_measured_files(const std::vector<std::string>& files, const MeasuredOptions& options) {
    std::vector<SourceText> texts;
    texts.reserve(files.size());
    for (const std::string& file : files) texts.push_back({read_text(file), input_name(file)});
    MeasuredTable table = read_measured(texts, options);
    take_ptx_rows(table);
    if (!table.ignored.empty())
        fmt::print(stderr, "columns without a meaning here: {}\n", fmt::join(table.ignored, ", "));
    for (const std::string& warning : table.warnings) fmt::print(stderr, "warpnet: {}\n", warning);
    for (const std::string& function : options.facts.functions()) {
        const bool there =
            std::any_of(table.measurements.begin(), table.measurements.end(),
                        [&](const Measurement& one) { return fact_function(one.kernel) == function; });
        if (!there) fmt::print(stderr, "warpnet: facts about '{}', which is not in the table\n", function);
    }
    return table;
}

MeasuredOptions measured_options(const SmDevice& device, const std::string& facts_file) {
    MeasuredOptions options;
    options.line_transactions = device.line_transactions && device.mechanisms.line_transactions;
    options.l2_counters = device.mechanisms.l2_counters;
    if (!facts_file.empty()) options.facts = read_kernel_facts(read_text(facts_file), input_name(facts_file));
    return options;
}

}  // namespace warpnet::cli

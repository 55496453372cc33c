// Recognises the table in each file and merges all tables. Known tables of profilers are found inside
// captured output. Otherwise the columns decide, and a file that begins with { is a result of Kernel Tuner. A
// metrics log of nvprof is joined with its trace. Traces and benchmarks give their times to profiled
// launches; their remaining rows are measurements of their own. If no prediction is possible from a report,
// it is rejected with the command that writes a suitable one.

#include "analysis/studies/files/read_measured.hpp"

#include "analysis/studies/files/benchmark_tables.hpp"
#include "analysis/studies/files/nsight_table.hpp"
#include "analysis/studies/files/nsys_table.hpp"
#include "analysis/studies/files/nvprof_table.hpp"
#include "analysis/studies/files/plain_table.hpp"
#include "analysis/studies/files/profiler_text.hpp"
#include "engine/base/text.hpp"
#include "engine/input/csv.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

/// Reads tables, and lists the columns that no reader requested as ignored.
template <class Read>
MeasuredTable read_with(std::span<Table> tables, Read&& read) {
    MeasuredTable result = read();
    for (const Table& table : tables) {
        for (std::string& name : table.unread()) result.ignored.push_back(std::move(name));
        result.faults.insert(result.faults.end(), table.repeats().begin(), table.repeats().end());
    }
    return result;
}

MeasuredTable read_rows(const std::string& text, const std::string& source, const MeasuredOptions& options) {
    Table table = read_table(text, source);
    if (table.columns().empty())
        throw InputError(fmt::format("{}: expected a table of measurements, found nothing", source));
    return read_with(std::span(&table, 1), [&] {
        return table.has("inst_executed") ? read_nvprof_rows(table, options)
                                          : read_plain_table(table, options);
    });
}

/// Describes a table from which no prediction is possible, and a suitable table; empty if the table is
/// supported.
struct Unsupported {
    std::string_view what, instead;
};

Unsupported unsupported(ProfilerTable kind) {
    constexpr std::string_view nsys = "a trace, from\n  nsys stats -r cuda_gpu_trace --format csv REPORT",
                               nvprof =
                                   "a trace, from\n  nvprof --csv --log-file trace.csv --print-gpu-trace "
                                   "./program";
    switch (kind) {
        case ProfilerTable::nvprof_summary:
            return {"a summary of nvprof, which has no launch shapes", nvprof};
        case ProfilerTable::nvprof_calls:
            return {"calls of the API from nvprof, without launch shapes", nvprof};
        case ProfilerTable::nsys_summary:
            return {"a summary of nsys, which has no launches", nsys};
        case ProfilerTable::nsys_launches:
            return {"launches with their calls from nsys, without registers and shared memory", nsys};
        case ProfilerTable::nsys_other:
            return {"a report of nsys without kernels", nsys};
        case ProfilerTable::nsight_summary:
            return {"a summary of ncu per GPU, which has no kernels", "--print-summary per-kernel, or none"};
        case ProfilerTable::rocprof:
            return {
                "a table of rocprof, whose counters are those of GPUs of AMD",
                "a table of counts (kernel, time_us, blocks, threads, ...; 'warpnet compare --columns' lists "
                "all columns)"};
        default:
            return {};
    }
}

/// Joins the tables of several files of one kind.
void append(MeasuredTable& table, MeasuredTable more, bool first) {
    if (first) {
        table = std::move(more);
        return;
    }
    if (table.unit != more.unit)
        throw InputError("expected all tables in one unit, found time_us in one and cycles in another");
    if (table.device.empty()) table.device = more.device;
    for (const MeasuredGpu& gpu : more.gpus) add_gpu(table.gpus, gpu);
    for (PtxRow& one : more.ptx_rows) {
        one.measurement += table.measurements.size();
        table.ptx_rows.push_back(std::move(one));
    }
    for (Measurement& one : more.measurements) table.measurements.push_back(std::move(one));
    for (std::string& one : more.warnings) table.warnings.push_back(std::move(one));
    for (std::string& one : more.ignored) table.ignored.push_back(std::move(one));
    for (std::string& one : more.faults) table.faults.push_back(std::move(one));
}

}  // namespace

void add_gpu(std::vector<MeasuredGpu>& gpus, const MeasuredGpu& gpu) {
    if (gpu.name.empty() && gpu.compute_capability.empty()) return;
    auto found = std::find(gpus.begin(), gpus.end(), gpu);
    if (found == gpus.end()) {
        found = gpus.insert(found, gpu);
        found->launches = 0;
    }
    found->launches += std::max<std::size_t>(gpu.launches, 1);
}

std::vector<std::string> warn_of_gpus(const std::vector<MeasuredGpu>& gpus, const netgen::Device& device) {
    std::vector<std::string> warnings;
    std::size_t all = 0;
    for (const MeasuredGpu& gpu : gpus) all += gpu.launches;
    for (const MeasuredGpu& gpu : gpus) {
        const bool capability = !gpu.compute_capability.empty() && !device.compute_capability.empty() &&
                                gpu.compute_capability != device.compute_capability;
        if (!capability && (gpu.name.empty() || netgen::is_name_of(gpu.name, device))) continue;
        const std::string of =
            capability ? "compute capability " + gpu.compute_capability : fmt::format("'{}'", gpu.name);
        warnings.push_back(fmt::format(
            "{}: {}measured on {}, and the device is {}{} the predictions are those of another GPU",
            gpu.where, gpu.launches == all ? "" : fmt::format("{} of {} launches were ", gpu.launches, all),
            of, device.name,
            capability ? fmt::format(", which has {}:", device.compute_capability)
                       : ": unless both names are of one GPU,"));
    }
    return warnings;
}

std::string first_faults(const std::vector<std::string>& faults, std::string_view before,
                         std::string_view behind) {
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, faults.size()); ++i)
        text += fmt::format("{}{}{}", before, faults[i], behind);
    if (faults.size() > most)
        text += fmt::format("{}and {}{}", before, plural(faults.size() - most, "more row"), behind);
    return text;
}

MeasuredTable read_measured(std::span<const SourceText> files, const MeasuredOptions& options) {
    MeasuredTable table;
    std::vector<Table> metrics, traces;
    std::vector<MeasuredTable> timed;  // of traces and benchmarks
    std::vector<std::string> messages;
    std::string sources;
    bool first = true;
    const auto add = [&](MeasuredTable more) {
        append(table, std::move(more), first);
        first = false;
    };
    for (const SourceText& file : files) {
        if (const auto same = std::find_if(files.begin(), files.end(),
                                           [&](const SourceText& one) { return one.text == file.text; });
            &*same != &file) {
            messages.push_back(
                fmt::format("{}: has the same content as {}: ignored", file.source, same->source));
            continue;
        }
        const std::string text = plain_utf8(file.text);
        sources += (sources.empty() ? "" : ", ") + file.source;
        ProfilerText found = find_profiler_tables(text, file.source);
        messages.insert(messages.end(), found.messages.begin(), found.messages.end());
        if (found.tables.empty()) {
            const std::size_t begin = text.find_first_not_of(" \t\r\n");
            if (begin != std::string::npos && text[begin] == '{') {
                timed.push_back(read_tuner_results(text, file.source, options));
            } else {
                add(read_rows(text, file.source, options));
            }
        }
        for (auto& [kind, one] : found.tables) {
            if (const auto [what, instead] = unsupported(kind); !what.empty()) {
                if (found.tables.size() == 1)
                    throw InputError(fmt::format("{}: found {}; expected {}", one.where(), what, instead));
                messages.push_back(fmt::format("{}: {}, is ignored", one.where(), what));
                continue;
            }
            switch (kind) {
                case ProfilerTable::nvprof_metrics:
                    metrics.push_back(std::move(one));
                    break;
                case ProfilerTable::nvprof_trace:
                    traces.push_back(std::move(one));
                    break;
                case ProfilerTable::nsys_trace:
                    timed.push_back(read_with(std::span(&one, 1), [&options, &launches = one] {
                        return read_nsys_trace(launches, options);
                    }));
                    break;
                case ProfilerTable::nvbench:
                    timed.push_back(read_with(std::span(&one, 1), [&options, &launches = one] {
                        return read_nvbench(launches, options);
                    }));
                    break;
                case ProfilerTable::nsight_long:
                case ProfilerTable::nsight_wide:
                    add(read_with(std::span(&one, 1), [&options, &launches = one] {
                        return read_nsight_table(launches, options);
                    }));
                    break;
                default:
                    break;
            }
        }
    }
    if (!metrics.empty() || !traces.empty()) {
        MeasuredTable joined = read_with(metrics, [&] { return join_nvprof(metrics, traces, options); });
        add(read_with(traces, [&] { return std::move(joined); }));
    }
    take_times(table, timed);
    for (MeasuredTable& times : timed) add(std::move(times));
    table.warnings.insert(table.warnings.begin(), messages.begin(), messages.end());
    if (table.measurements.empty()) {
        if (table.faults.size() == 1) throw InputError(table.faults.front());
        throw InputError(fmt::format("{}: expected at least one row of measurements, found none{}{}", sources,
                                     first_faults(table.faults, "\n  "),
                                     first_faults(table.warnings, "\n  ")));
    }
    return table;
}

MeasuredTable read_measured(std::string_view text, const std::string& source,
                            const MeasuredOptions& options) {
    const SourceText file{std::string(text), source};
    return read_measured(std::span(&file, 1), options);
}

}  // namespace warpnet::studies

// The columns that `compare --columns` lists. Counters and their meaning come from the tables of netgen/sm,
// so the list always agrees with the readers.

#include "analysis/studies/files/measured_columns.hpp"

#include "netgen/sm/kernel_profile.hpp"
#include "netgen/sm/nsight_metrics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::studies {

namespace {

/// Adds counters with their meaning and the consequence of their absence.
void add_counters(std::span<const netgen::CounterNeed> needs, std::vector<MeasuredColumn>& columns) {
    for (const netgen::CounterNeed& need : needs) {
        std::string meaning = fmt::format("{}; without it: {}", need.meaning, need.consequence);
        if (!need.instead.empty()) meaning += fmt::format(" (or {})", fmt::join(need.instead, ", "));
        if (!need.implied_by.empty())
            meaning += fmt::format(" (or estimated from {})", fmt::join(need.implied_by, ", "));
        columns.push_back({std::string(need.name), std::string(need.unit), std::move(meaning)});
    }
}

}  // namespace

std::vector<MeasuredColumn> plain_columns() {
    std::vector<MeasuredColumn> columns = {
        {"kernel", "", "name of the kernel; launches of one function are judged together"},
        {"time_us", "us", "measured time of one launch; or cycles"},
        {"cycles", "cycles", "measured time of one launch; or time_us"},
        {"launches", "", "how often it was launched, for --totals; 1 where it is absent"},
        {"least_us", "us", "the shortest of the timed launches, for the ranks of block sizes"},
        {"most_us", "us", "the longest of them"},
        {"clock_mhz", "MHz", "clock of the SMs during the run"},
        {"device", "", "the GPU, from which --device is taken where it is not given"},
        {"case", "", "tells launches of one shape apart, in the name of the kernel"},
        {"grid", "XxYxZ", "blocks of the launch; or blocks"},
        {"block", "XxYxZ", "threads of a block; or threads"},
        {"dynamic_shared", "bytes",
         "dynamic shared memory of a block, besides that of the code or shared_bytes"},
        {"warps", "", "warps on the SM, of the family warps; 1 where it is absent"},
        {"arith", "/warp", "instructions that compute, of the family warps"},
        {"shared", "/warp", "accesses to shared memory, of the family warps"},
        {"global", "/warp", "accesses to global memory, of the family warps"},
        {"ptx", "file", "PTX or SASS in place of the counts, next to the table or in the current folder"},
        {"trips", "LABEL=N,...", "with ptx: how often its loops run, as 'ptx --trips'"},
        {"param", "NAME=N,...", "with ptx: values of the kernel's parameters, as 'ptx --param'"},
    };
    for (const netgen::ProfileField& field : netgen::described_profile_fields())
        columns.push_back({std::string(field.name), std::string(field.unit), std::string(field.meaning)});
    return columns;
}

std::vector<MeasuredColumn> nvprof_columns() {
    std::vector<MeasuredColumn> columns = {
        {"kernel", "", "name of the kernel"},
        {"grid", "XxYxZ", "blocks of the launch"},
        {"block", "XxYxZ", "threads of a block"},
        {"dur_med_us", "us", "measured time of one launch; or time_us"},
        {"dur_min_us", "us", "the shortest launch"},
        {"dur_max_us", "us", "the longest launch"},
        {"launches", "", "how often it was launched, for --totals; 1 where it is absent"},
        {"device", "", "the GPU, from which --device is taken where it is not given"},
        {"elapsed_cycles_sm", "cycles", "of one launch, summed over the SMs: the clock of the run"},
    };
    add_counters(netgen::nvprof_needs(), columns);
    return columns;
}

std::vector<MeasuredColumn> timed_columns() {
    return {
        {"Name", "", "nsys: name of the kernel"},
        {"Duration", "time", "nsys: measured time; the unit follows it"},
        {"GrdX ... BlkZ", "", "nsys: blocks of the launch, threads of a block"},
        {"Reg/Trd", "", "nsys: registers of a thread"},
        {"StcSMem, DymSMem", "memory", "nsys: shared memory of a block"},
        {"Device", "", "nsys: the GPU; nvbench: its number, with Device Name"},
        {"Benchmark", "", "nvbench: what stands for the kernel; of T4 it is the file's name"},
        {"GPU Time", "time", "nvbench: measured time, or Median GPU Time; Min and Max GPU Time: its range"},
        {"Clock Rate", "Hz", "nvbench: clock of the run"},
        {"runtimes", "timeunit", "T4: measured times, or the measurement 'time'"},
        {"NumBlocks, grid_size_x", "",
         "axis of nvbench, configuration of T4: blocks of the launch (or blocks, grid)"},
        {"BlockSize, block_size_x", "", "the same of threads of a block (or threads, block); _y, _z"},
    };
}

std::vector<MeasuredColumn> nsight_columns() {
    std::vector<MeasuredColumn> columns = {
        {"Kernel Name", "", "name of the kernel"},
        {"Grid Size", "(X, Y, Z)", "blocks of the launch; or launch__grid_size"},
        {"Block Size", "(X, Y, Z)", "threads of a block; or launch__block_size"},
        {"Device Name", "", "the GPU, from which --device is taken where it is not given"},
        {"gpu__time_duration.sum", "time", "measured time (or gpu__time_duration.avg, Duration)"},
    };
    add_counters(netgen::nsight_needs(), columns);
    return columns;
}

}  // namespace warpnet::studies

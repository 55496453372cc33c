// Tables of every format with one change: a cell, a column, a row, a unit, a session. If the measurements
// differ from those of the whole table, a message must say so.
#include "analysis/studies/files/read_measured.hpp"
#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/nsight_metrics.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

using Cells = std::vector<std::vector<std::string>>;  // the head first

struct Whole {
    const char* name;
    std::vector<Cells> files;
    std::size_t unit_row = 0;                // 0: none
    std::size_t unit_column = 0;             // 0: none
    bool counters_in_rows = false;           // one counter per row
    std::vector<std::string> optional = {};  // columns that a table may lack
};

std::string made_value(std::string_view unit, std::size_t of) {
    if (unit == "%") return fmt::format("{}.5%", 40 + of);
    if (unit == "/request") return "4";
    return std::to_string(4000 + 96 * of);
}

// Counters that fit together: 10 blocks of 64 threads, two kernels.
std::vector<Whole> whole_tables() {
    Cells rows = {{"kernel", "grid", "block", "device", "launches", "dur_min_us", "dur_med_us", "dur_max_us"},
                  {"a", "10x1x1", "64x1x1", "A", "3", "4", "5", "6"},
                  {"b", "20x1x1", "64x1x1", "A", "2", "5", "6", "7"}};
    Cells log = {
        {"Device", "Kernel", "Invocations", "Metric Name", "Metric Description", "Min", "Max", "Avg"}};
    std::vector<netgen::CounterNeed> needs(netgen::nvprof_needs().begin(), netgen::nvprof_needs().end());
    for (const netgen::CounterNeed& extra : netgen::nvprof_extras())
        if (extra.name != "inst_vary") needs.push_back(extra);
    for (std::size_t k : {std::size_t{1}, std::size_t{2}}) {
        for (std::size_t i = 0; i < needs.size(); ++i) {
            const std::string name(needs[i].name);
            std::string value = made_value(needs[i].unit, k * i);
            if (name == "regs") value = "32";
            if (name == "inst_executed" || name == "inst_issued" || name == "issue_slots")
                value = std::to_string(60000 * k);
            if (k == 1) rows[0].push_back(name);
            rows[k].push_back(value);
            if (name != "regs" && name != "static_smem" && name != "dynamic_smem")
                log.push_back({"A (0)", k == 1 ? "a" : "b", "1", name, "", value, value, value});
        }
    }
    const Cells trace = {{"Start", "Duration", "Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z",
                          "Registers Per Thread", "Static SMem", "Dynamic SMem", "Device", "Name"},
                         {"ms", "us", "", "", "", "", "", "", "", "KB", "B", "", ""},
                         {"1", "5", "10", "1", "1", "64", "1", "1", "24", "1", "1024", "A (0)", "a [1]"},
                         {"2", "6", "1000", "1", "1", "64", "1", "1", "24", "1", "512", "A (0)", "b [2]"}};
    const std::vector<std::string> launch = {"Process ID", "Process Name", "Device",     "Context",  "Stream",
                                             "ID",         "Kernel Name",  "Block Size", "Grid Size"};
    const auto with = [](std::vector<std::string> row, const std::vector<std::string>& more) {
        row.insert(row.end(), more.begin(), more.end());
        return row;
    };
    Cells wide = {launch, std::vector<std::string>(launch.size())};
    Cells tall = {with(launch, {"Metric Name", "Metric Unit", "Metric Value"})};
    Cells summary = {{"Process ID", "Device", "Kernel Name", "Block Size", "Grid Size", "Invocations",
                      "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"}};
    for (std::size_t k : {std::size_t{1}, std::size_t{2}}) {
        const std::string kernel = k == 1 ? "a" : "b", grid = fmt::format("({}, 1, 1)", 1000 * k);
        const std::vector<std::string> head = {"42",   "p",          "0", "1", "7", std::to_string(k - 1),
                                               kernel, "(64, 1, 1)", grid};
        wide.push_back(head);
        const auto add = [&](std::string_view metric, const std::string& unit, const std::string& value) {
            if (k == 1) {
                wide[0].emplace_back(metric);
                wide[1].push_back(unit);
            }
            wide.back().push_back(value);
            tall.push_back(with(head, {std::string(metric), unit, value}));
            summary.push_back(
                {"42", "0", kernel, "(64, 1, 1)", grid, "3", std::string(metric), unit, value, value, value});
        };
        add("gpu__time_duration.sum", "us", std::to_string(1000 + k));
        for (std::size_t i = 0; i < netgen::nsight_needs().size(); ++i) {
            const netgen::CounterNeed& need = netgen::nsight_needs()[i];
            const std::string name(need.name);
            const bool bytes = name.find("shared_mem") != std::string::npos;
            std::string value = std::to_string(4000 * k + 96 * i);
            if (name == "smsp__inst_executed.sum") value = std::to_string(200000 * k);
            if (name == "launch__registers_per_thread") value = "32";
            if (need.unit == "Hz") value = "1.41";
            add(name, need.unit == "Hz" ? "Ghz" : bytes ? "byte/block" : "inst", value);
        }
    }
    return {
        {"plain",
         {{{"kernel", "blocks", "threads", "registers", "fp32", "loads", "load_sectors", "launches",
            "clock_mhz", "least_us", "most_us", "time_us"},
           {"a", "1000", "32", "24", "4000", "20", "4", "2", "1400", "4", "6", "5"},
           {"b", "2000", "64", "24", "3000", "10", "8", "3", "1400", "4", "6", "5.5"}}},
         0,
         0,
         false,
         {"*"}},
        // `compare` names the clock of the run; without this clock, the device's clock counts.
        {"nvprof rows",
         {rows},
         0,
         0,
         false,
         {"device", "launches", "dur_min_us", "dur_max_us", "elapsed_cycles_sm"}},
        {"nvprof log", {log, trace}, 0, 0, true, {"Invocations", "Metric Description"}},
        {"nvprof trace", {trace, log}, 1, 0, false, {"Start", "Device"}},
        {"ncu tall", {tall}, 0, launch.size() + 1, true, {}},
        {"ncu summary", {summary}, 0, 7, true, {"Invocations", "Minimum", "Maximum"}},
        {"ncu wide", {wide}, 1, 0, false, {}},
        {"nsys",
         {{{"Start (ns)", "Duration (ns)", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd",
            "StcSMem (B)", "DymSMem (B)", "Device", "Name"},
           {"9", "5000", "4000", "1", "1", "64", "1", "1", "24", "1024", "2048", "A (0)", "k"},
           {"99", "6000", "8000", "1", "1", "64", "1", "1", "24", "1024", "2048", "A (0)", "l"}}},
         0,
         0,
         false,
         {"Start (ns)"}},
        {"nvbench",
         {{{"Benchmark", "Device", "Device Name", "BlockSize", "NumBlocks", "Skipped", "GPU Time (sec)",
            "Min GPU Time (sec)", "Max GPU Time (sec)", "Median GPU Time (sec)", "Clock Rate"},
           {"k", "0", "A", "64", "4000", "No", "5", "4", "6", "5", "1410000000"},
           {"k", "0", "A", "64", "8000", "No", "7", "6", "8", "7", "1410000000"}}},
         0,
         0,
         false,
         {"Min GPU Time (sec)", "Max GPU Time (sec)", "Median GPU Time (sec)", "GPU Time (sec)", "Clock Rate",
          "BlockSize", "NumBlocks", "Device"}},
    };
}

struct ReadTable {
    studies::MeasuredTable table;
    std::string messages;  // an error, or ignored and omitted parts, and warnings
};

ReadTable read_cells(const std::vector<Cells>& files) {
    std::vector<studies::SourceText> texts;
    for (const Cells& rows : files) {
        std::string text;
        for (const auto& row : rows) text += fmt::format("\"{}\"\n", fmt::join(row, "\",\""));
        texts.push_back({text, fmt::format("file{}.csv", texts.size())});
    }
    try {
        studies::MeasuredTable table = studies::read_measured(texts);
        std::string messages = fmt::format("{}{}{}", fmt::join(table.ignored, "\n"),
                                           fmt::join(table.faults, "\n"), fmt::join(table.warnings, "\n"));
        return {std::move(table), std::move(messages)};
    } catch (const InputError& error) {
        return {{}, error.what()};
    }
}

/// Whether two tables have the same data of their launches, regardless of the names.
bool same_answers(const studies::MeasuredTable& one, const studies::MeasuredTable& other) {
    const auto profile = [](const studies::Measurement& of) {
        netgen::KernelProfile kernel = of.profile.value_or(netgen::KernelProfile{});
        kernel.name.clear();
        return kernel;
    };
    const auto numbers = [](const studies::Measurement& of) {
        return std::vector<double>{of.measured,  static_cast<double>(of.launches),
                                   of.least,     of.most,
                                   of.clock_mhz, of.elapsed_cycles};
    };
    const auto shapes = [](const studies::MeasuredTable& table) {
        std::vector<std::vector<std::pair<std::string, double>>> fields;
        for (const studies::PtxRow& row : table.ptx_rows) fields.push_back(row.fields);
        return fields;
    };
    return std::equal(one.measurements.begin(), one.measurements.end(), other.measurements.begin(),
                      other.measurements.end(),
                      [&](const studies::Measurement& a, const studies::Measurement& b) {
                          return numbers(a) == numbers(b) && profile(a) == profile(b);
                      }) &&
           one.unit == other.unit && shapes(one) == shapes(other);
}

bool is_count(const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("0123456789") == std::string::npos;
}

std::string with_thousands(const std::string& digits) {
    std::string text = digits;
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    return text;
}

/// Whether a column is measured or a size, which is never 0.
bool is_positive(const std::string& column, const std::vector<std::string>& row, bool counters) {
    if (counters && (column == "Metric Value" || column == "Average"))
        return std::find(row.begin(), row.end(), "gpu__time_duration.sum") != row.end() ||
               std::find(row.begin(), row.end(), "gpc__cycles_elapsed.avg.per_second") != row.end();
    for (const char* name :
         {"time", "Time", "dur_", "Duration", "clock", "Clock", "cycles_elapsed", "blocks", "Blocks",
          "threads", "launches", "Invocations", "Grid X", "Block X", "GrdX", "BlkX", "least_us", "most_us"})
        if (column.find(name) != std::string::npos) return true;
    return false;
}

enum class Change {
    empty,
    no_value,
    column,
    row,
    again,
    column_again,
    other_values,
    thousands,
    percent,
    sign,
    byte,
    unit,
    id
};
constexpr std::size_t change_count = 13;

/// Changes one thing; false if the format does not have it.
bool change(Whole& whole, Change what, CounterRandom& random) {
    Cells& rows = whole.files.front();
    const auto some = [&](std::size_t size) {
        return static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(size)));
    };
    const std::size_t first = whole.unit_row + 1, row = first + some(rows.size() - first),
                      column = some(rows[0].size());
    std::string& cell = rows[row][column];
    const std::string& name = rows[0][column];
    switch (what) {
        case Change::empty:
            cell.clear();
            return true;
        case Change::no_value:
            cell = std::vector<std::string>{"-", "N/A", "nan", "inf", "no data"}[some(5)];
            return true;
        case Change::column:
            if (!whole.optional.empty() && whole.optional[0] == "*") return false;
            if (std::find(whole.optional.begin(), whole.optional.end(), name) != whole.optional.end())
                return false;
            for (auto& one : rows) one.erase(one.begin() + static_cast<std::ptrdiff_t>(column));
            return true;
        case Change::row:
            if (!whole.counters_in_rows) return false;
            rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row));
            return true;
        case Change::again: {
            const auto copy = rows[row];
            rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(first + some(rows.size() - first + 1)),
                        copy);
            return true;
        }
        case Change::column_again:
            for (auto& one : rows) {
                const std::string copy = one[column];
                one.push_back(copy);
            }
            return true;
        case Change::other_values: {  // the same launch again with another number
            if (!is_count(cell) || (!whole.counters_in_rows && rows[0].front() != "Process ID")) return false;
            if (name == "ID" || name == "Process ID" || name == "Device" || name == "Context" ||
                name == "Stream")
                return false;
            auto copy = rows[row];
            copy[column] += "7";
            rows.push_back(copy);
            return true;
        }
        case Change::thousands:
            if (!is_count(cell) || cell.size() < 4) return false;
            cell = with_thousands(cell);
            return true;
        case Change::percent:
            if (!is_count(cell)) return false;
            cell += "%";
            return true;
        case Change::sign:
            if (!is_count(cell)) return false;
            cell = is_positive(name, rows[row], whole.counters_in_rows) && some(2) == 0 ? "0" : "-" + cell;
            return true;
        case Change::byte:
            cell += "\xe9";
            return true;
        case Change::unit:
            if (whole.unit_row > 0) {
                rows[whole.unit_row][column].clear();
            } else if (whole.unit_column > 0) {
                rows[row][whole.unit_column].clear();
            } else if (const std::size_t at = rows[0][column].find(" ("); at != std::string::npos) {
                rows[0][column].resize(at);
            }
            return true;
        case Change::id: {  // the row of one launch gets a value that distinguishes another launch
            if (!whole.counters_in_rows) return false;
            for (const char* of : {"ID", "Kernel Name", "Kernel", "Grid Size"}) {
                const auto at = std::find(rows[0].begin(), rows[0].end(), of);
                if (at == rows[0].end() || some(2) == 0) continue;
                const auto i = static_cast<std::size_t>(at - rows[0].begin());
                rows[row][i] = rows[first + some(rows.size() - first)][i];
                break;
            }
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("a change of a table that changes its measurements is named in a message") {
    const std::vector<Whole> all = whole_tables();
    std::vector<ReadTable> before;
    for (const Whole& whole : all) {
        before.push_back(read_cells(whole.files));
        INFO(whole.name << ": " << before.back().messages);
        REQUIRE(before.back().messages.empty());
        REQUIRE(before.back().table.measurements.size() == 2);
    }
    CounterRandom random(11, 0);
    std::array<int, change_count> changes = {};
    std::map<std::string, int> silent;
    for (std::uint64_t i = 0; i < case_count(3'000); ++i) {
        const std::size_t which = random.below(static_cast<std::uint32_t>(all.size()));
        const auto what = static_cast<Change>(random.below(change_count));
        Whole whole = all[which];
        if (!change(whole, what, random)) continue;
        ++changes[static_cast<std::size_t>(what)];
        const ReadTable after = read_cells(whole.files);
        if (!after.messages.empty() || same_answers(before[which].table, after.table)) continue;
        std::string text;
        for (std::size_t r = 0; r < whole.files[0].size(); ++r)
            if (whole.files[0][r] != all[which].files[0][std::min(r, all[which].files[0].size() - 1)]) {
                text = fmt::format("line {}: {}", r + 1, fmt::join(whole.files[0][r], ","));
                break;
            }
        if (silent[fmt::format("{}, change {}", whole.name, static_cast<int>(what))]++ == 0)
            UNSCOPED_INFO(whole.name << ", change " << static_cast<int>(what) << ", " << text);
    }
    int count = 0, tried = 0;
    for (const auto& [kind, times] : silent) {
        UNSCOPED_INFO(kind << ": " << times << " silent");
        count += times;
    }
    for (const int times : changes) tried += times;
    UNSCOPED_INFO(count << " silent of " << tried);
    CHECK(count == 0);
    for (const int times : changes) CHECK(times >= static_cast<int>(least_count(30)));
}

TEST_CASE("tables: numbers of a range are compared as numbers, and a range that is given twice is refused") {
    for (const Whole& whole : whole_tables()) {
        Whole changed = whole;
        Cells& rows = changed.files[0];
        if (std::string(whole.name) == "nvprof log") {
            for (auto& row : rows)
                if (row[3] == "inst_executed") row[5] = with_thousands(row[5]);
            const ReadTable after = read_cells(changed.files);
            CHECK(after.messages.empty());
            CHECK(same_answers(read_cells(whole.files).table, after.table));
        } else if (std::string(whole.name) == "ncu summary") {
            rows.push_back(rows[1]);
            rows.back()[9] += "7";  // the maximum of the first metric, the time
            CHECK(read_cells(changed.files).messages.find("expected one range of gpu__time_duration.sum") !=
                  std::string::npos);
        }
    }
}

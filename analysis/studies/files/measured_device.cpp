// A row of the device table from the microbenchmarks of examples/kernels/collect.sh. Each fact is a formula
// over named rows, which the header lists. If a row is missing, the fact is omitted and named. A throughput
// within 10 % of a hardware width counts as this width, because measurements stay a little below it. The
// number of schedulers follows from the distance at which two warps slow each other down. Rows have units,
// and an unexpected unit is an error. O(text).

#include "analysis/studies/files/measured_device.hpp"

#include "analysis/studies/files/table.hpp"
#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/kernel_metrics.hpp"
#include "netgen/sm/presets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

namespace warpnet::studies {

namespace {

/// The beginning of the unit that collect.sh gives to rows of this name; empty if it gives none.
std::string_view unit_of_row(std::string_view name) {
    using Unit = std::pair<std::string_view, std::string_view>;
    constexpr std::array units = {Unit{"throughput_shared", "bytes/cycle/SM"},
                                  Unit{"throughput_l2", "bytes/cycle/SM"},
                                  Unit{"throughput_", "thread operations/cycle/SM"},
                                  Unit{"latency_", "cycles"},
                                  Unit{"one_warp_", "operations/cycle"},
                                  Unit{"scheduler_", "cycles"},
                                  Unit{"atomic_global_", "cycles"},
                                  Unit{"reduction_global_", "cycles/thread"},
                                  Unit{"store_", "cycles/warp instruction"},
                                  Unit{"l2_load_", "cycles/warp instruction"},
                                  Unit{"bandwidth_", "GB/s"},
                                  Unit{"launch_", "us"},
                                  Unit{"empty_kernel_", "us"},
                                  Unit{"clock_", "MHz"},
                                  Unit{"memory_clock", "MHz"},
                                  Unit{"memory_bus_width", "bit"},
                                  Unit{"shared_memory_", "bytes"}};
    const auto found = std::find_if(units.begin(), units.end(),
                                    [name](const Unit& unit) { return name.starts_with(unit.first); });
    return found == units.end() ? "" : found->second;
}

/// A table of one value per row, by the name in its first column.
class NamedRows {
  public:
    NamedRows(const SourceText& file, std::string_view key)
        : table_(read_table(plain_utf8(file.text), file.source)) {
        if (table_.columns().empty()) return;
        if (!table_.has(key) || !table_.has("value"))
            throw InputError(fmt::format("{}: expected the columns {} and value, {}", table_.where(), key,
                                         table_.found_columns()));
        table_.pass({"how", "spread"});
        for (const CsvRow& row : table_.rows()) {
            const std::string& name = table_.field(row, key);
            if (!rows_.emplace(name, &row).second)
                throw InputError(fmt::format("{}: row '{}' appears twice", table_.where(row), name));
        }
    }

    /// Empty if there is no such row.
    std::string text(std::string_view name) {
        const auto found = rows_.find(name);
        return found == rows_.end() ? "" : table_.field(*found->second, "value");
    }

    std::optional<double> number(std::string_view name) {
        const std::string value = text(name);
        if (value.empty()) return std::nullopt;
        const CsvRow& row = *rows_.find(name)->second;
        const std::string where = fmt::format("{}: {}", table_.where(row), name);
        const std::string& unit = table_.field(row, "unit");
        if (!unit.empty() && !unit.starts_with(unit_of_row(name)))
            throw InputError(
                fmt::format("{}: expected the unit '{}', found '{}'", where, unit_of_row(name), unit));
        return netgen::metric_number(value, where);
    }

    /// The largest N of the rows "{before}N{behind}"; 0 if there are none.
    std::int64_t largest(std::string_view before, std::string_view behind) const {
        std::int64_t most = 0;
        for (const auto& [name, row] : rows_) {
            const std::string_view rest(name);
            if (!rest.starts_with(before) || !rest.ends_with(behind) ||
                rest.size() <= before.size() + behind.size())
                continue;
            const std::string_view digits =
                rest.substr(before.size(), rest.size() - before.size() - behind.size());
            if (const auto number = parse_number<std::int64_t>(digits)) most = std::max(most, *number);
        }
        return most;
    }

    std::vector<std::string> unread() const { return table_.unread(); }

  private:
    Table table_;
    std::map<std::string, const CsvRow*, std::less<>> rows_;
};

double width_of_lanes(double lanes) {
    constexpr std::array<double, 12> widths = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 192};
    const double width = *std::min_element(widths.begin(), widths.end(), [lanes](double a, double b) {
        return std::abs(a - lanes) < std::abs(b - lanes);
    });
    return std::abs(lanes - width) <= 0.1 * width ? width : lanes;
}

/// A measured value, rounded to four digits; whole numbers are unchanged.
double four_digits(double value) {
    if (value == std::floor(value)) return value;
    const double unit = std::pow(10, 3 - std::floor(std::log10(value)));
    return std::round(value * unit) / unit;
}

class DeviceMaker {
  public:
    DeviceMaker(const SourceText& device, const SourceText& microbenchmarks)
        : driver_(device, "fact"), measured_(microbenchmarks, "name") {}

    MeasuredDevice make() {
        describe();
        limits();
        arithmetic();
        memory();
        launches();
        for (const NamedRows* rows : {&driver_, &measured_})
            for (std::string& column : rows->unread()) result_.ignored.push_back(std::move(column));
        return std::move(result_);
    }

  private:
    using Values = std::vector<double>;

    static double same(const Values& values) { return values[0]; }

    /// A fact computed from rows of either table.
    template <class Make>
    void fact(std::string_view column, std::initializer_list<std::string_view> rows, Make make,
              std::string source = "MEASURED") {
        Values values;
        for (const std::string_view row : rows) {
            auto value = measured_.number(row);
            if (!value) value = driver_.number(row);
            if (!value) {
                result_.missing.push_back(fmt::format("{}: no row {}", column, row));
                return;
            }
            values.push_back(*value);
        }
        const double value = make(values);
        if (value > 0 && value <= 1e9) {
            result_.device.facts[std::string(column)] = {four_digits(value), std::move(source), true};
        } else {
            result_.missing.push_back(fmt::format("{}: {} is no value above 0", column, value));
        }
    }

    void describe() {
        netgen::Device& device = result_.device;
        device.name = driver_.text("name");
        if (device.name.empty()) {
            device.name = "measured";
            result_.missing.emplace_back("device: no row name");
        }
        const std::string capability = driver_.text("compute_capability");
        if (netgen::find_limits(capability) != nullptr) {
            device.compute_capability = capability;
        } else {
            result_.missing.push_back(fmt::format("cc: no known compute capability '{}'", capability));
        }
        for (const netgen::Device& preset : netgen::preset_devices().devices)
            if (!capability.empty() && preset.compute_capability == capability)
                device.architecture = preset.architecture;
        if (device.architecture.empty()) device.architecture = "-";
        // Name, driver and clocks in the format of nvidia-smi.
        const std::string listed = driver_.text("nvidia-smi");
        const std::size_t begin = std::min(listed.find(", "), listed.size());
        std::string version = begin == listed.size() ? "" : listed.substr(begin + 2);
        version = version.substr(0, version.find(','));
        const std::string date = driver_.text("date");
        result_.sources["MEASURED"] =
            fmt::format("collect.sh, {}{}{}{}{}", device.name, version.empty() ? "" : ", driver ", version,
                        date.empty() ? "" : ", ", date);
    }

    void limits() {
        fact("sms", {"sms"}, same);
        fact("max_warps", {"warps_per_sm"}, same);
        fact("max_blocks", {"blocks_per_sm"}, same);
        fact("max_threads", {"threads_per_sm"}, same);
        fact("registers", {"registers_per_sm"}, same);
        fact("shared_kb", {"shared_memory_per_sm"}, [](const Values& v) { return v[0] / 1024; });
        fact("clock_mhz", {"clock_under_load"}, same);
    }

    void arithmetic() {
        schedulers();
        fact("issue", {"one_warp_ffma"}, [](const Values& v) { return std::ceil(v[0]); });
        const auto lanes = [](const Values& v) {
            return width_of_lanes(*std::min_element(v.begin(), v.end()));
        };
        fact("fp32", {"throughput_ffma"}, lanes);
        fact("int32", {"throughput_logic"}, lanes);
        fact("fp64", {"throughput_dfma"}, lanes);
        fact("special", {"throughput_ex2"}, lanes);
        fact("convert", {"throughput_convert_f32_u32", "throughput_convert_u32_f32"}, lanes);
        fact("convert64", {"throughput_convert_u64_f64"}, lanes);
        fact("compare", {"throughput_compare_select"}, lanes);
        fact("shift", {"throughput_funnel_shift"}, lanes);
        fact("multiply", {"throughput_imad"}, lanes);
        const auto fp32 = result_.device.find("fp32"), int32 = result_.device.find("int32");
        fact("integer_cost", {"throughput_ffma", "throughput_logic"},
             [&](const Values&) { return fp32 && int32 ? *fp32 / *int32 : 0; });
        fact("lat_alu", {"latency_ffma"}, same);
        fact("lat_fp64", {"latency_dfma"}, same);
    }

    /// Two warps on one scheduler take twice as long as one of them.
    void schedulers() {
        const auto alone = measured_.number("scheduler_warp_0");
        for (int k = 1; alone; ++k) {
            const std::string row = fmt::format("scheduler_warps_0_{}", k);
            const auto together = measured_.number(row);
            if (!together) break;
            if (*together <= 1.5 * *alone) continue;
            fact("schedulers", {row}, [k](const Values&) { return k; });
            return;
        }
        result_.missing.emplace_back("schedulers: no row scheduler_warps_0_K above 1.5 scheduler_warp_0");
    }

    void memory() {
        fact("ldst", {"throughput_shared_load_32"}, [](const Values& v) { return width_of_lanes(v[0] / 4); });
        fact("lat_shared", {"latency_shared_1_way"}, same);
        fact("lat_conflict", {"latency_shared_32_way", "latency_shared_1_way"},
             [](const Values& v) { return (v[0] - v[1]) / 31; });
        fact("lat_l1", {"latency_global_through_l1_16_KiB"}, same);
        fact("lat_l2", {"latency_global_past_l1_4096_KiB"}, same);
        const std::int64_t footprint = measured_.largest("latency_global_past_l1_", "_KiB");
        const std::string chase =
            fmt::format("latency_global_past_l1_{}_KiB", footprint > 0 ? std::to_string(footprint) : "N");
        fact("lat_dram", {chase}, same, "MEASURED/TLB");
        result_.sources["TLB"] =
            fmt::format("with misses of the TLB: a pointer chase through {} KiB", footprint);
        // Two transfers per clock, MHz and bits.
        const auto sold = [](double mhz, double bits) { return 2 * mhz * bits / 8 / 1000; };
        fact("dram_gbs", {"memory_clock_max", "memory_bus_width"},
             [&](const Values& v) { return sold(v[0], v[1]); });
        fact("dram_efficiency", {"bandwidth_dram_read", "memory_clock_max", "memory_bus_width"},
             [&](const Values& v) { return v[0] / sold(v[1], v[2]); });
        fact("l2_sectors", {"throughput_l2_all_sms"}, [](const Values& v) { return v[0] / 32; });
        constexpr double threads = 256;  // of the block on each SM
        fact("atomic_cycles", {"atomic_global_all_sms_0_apart", "sms"},
             [](const Values& v) { return v[0] / (threads * v[1]); });
        fact("float_atomic_cycles", {"reduction_global_f32_1_words_1_apart"}, same);
        fact("store_cost", {"store_32_1_apart", "l2_load_32_1_apart"},
             [](const Values& v) { return v[0] / v[1]; });
    }

    void launches() {
        if (measured_.number("launch_profiled")) {
            fact("launch_us", {"launch_profiled"}, same);
            fact("event_us", {"launch_alone", "launch_profiled"},
                 [](const Values& v) { return v[0] - v[1]; });
        } else {
            fact("launch_us", {"launch_back_to_back"}, same);
        }
        fact("block_launch",
             {"empty_kernel_512_blocks_per_sm_256_threads", "empty_kernel_64_blocks_per_sm_256_threads",
              "clock_under_load"},
             [](const Values& v) { return (v[0] - v[1]) * v[2] / (512 - 64); });
    }

    NamedRows driver_, measured_;
    MeasuredDevice result_;
};

}  // namespace

MeasuredDevice read_measured_device(const SourceText& device, const SourceText& microbenchmarks) {
    return DeviceMaker(device, microbenchmarks).make();
}

std::vector<FactDifference> device_differences(const netgen::Device& measured, const netgen::Device& preset) {
    std::vector<FactDifference> differences;
    for (const netgen::DeviceColumn& column : netgen::device_columns()) {
        const auto one = measured.find(column.name), other = preset.find(column.name);
        if (one != other) differences.push_back({column.name, one, other});
    }
    return differences;
}

nlohmann::ordered_json to_json(const MeasuredDevice& measured, const netgen::Device* preset,
                               const std::vector<FactDifference>& differences) {
    nlohmann::ordered_json json = {{"device", to_json(measured.device)},
                                   {"sources", measured.sources},
                                   {"missing", measured.missing},
                                   {"ignored", measured.ignored},
                                   {"preset", nullptr},
                                   {"differences", nlohmann::ordered_json::array()}};
    if (preset != nullptr) json["preset"] = preset->name;
    const auto count_or_null = [](const std::optional<double>& count) {
        return count ? count_json(*count) : nlohmann::ordered_json(nullptr);
    };
    for (const FactDifference& one : differences)
        json["differences"].push_back({{"fact", one.column},
                                       {"measured", count_or_null(one.measured)},
                                       {"preset", count_or_null(one.preset)}});
    return json;
}

}  // namespace warpnet::studies

// The table of GPUs: facts, their sources and their units. A row of the text is one device. Limits of an SM
// that it omits follow from the compute capability. Names are compared in a normal form.
//
// Each fact has a source and may be marked as unverified, so that a report can name the numbers without a
// measurement. A missing fact is missing, and not 0: Device::at() is an error, find() returns nothing. A name
// has to have the normal form of a device. A common beginning or word, or the least edit distance, only
// suggests devices in the error, because a prediction for another device is worse than none. Cost: O(devices)
// per look-up.

#include "netgen/sm/presets.hpp"

#include "engine/base/text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::netgen {

/// The text of netgen/sm/devices.tsv, put into the library when it is built (CMakeLists.txt).
extern const std::string_view preset_devices_text;

namespace {

constexpr std::array columns = {
    DeviceColumn{"sms", "", "streaming multiprocessors"},
    DeviceColumn{"schedulers", "", "warp schedulers of an SM"},
    DeviceColumn{"issue", "1/cycle", "instructions a scheduler can issue in a cycle"},
    DeviceColumn{"fp32", "lanes", "single-precision results of an SM in a cycle"},
    DeviceColumn{"int32", "lanes", "integer results of an SM in a cycle", false},
    DeviceColumn{"fp64", "lanes", "double-precision results of an SM in a cycle"},
    DeviceColumn{"special", "lanes", "special-function results of an SM in a cycle"},
    DeviceColumn{"convert", "lanes", "type conversions of an SM in a cycle"},
    DeviceColumn{"convert64", "lanes", "conversions from and to 64-bit types of an SM in a cycle", false},
    DeviceColumn{"compare", "lanes", "comparisons, minima, maxima of an SM in a cycle", false},
    DeviceColumn{"shift", "lanes", "shifts of an SM in a cycle", false},
    DeviceColumn{"multiply", "lanes", "integer multiplications of an SM in a cycle", false},
    DeviceColumn{"ldst", "lanes", "load/store addresses of an SM in a cycle"},
    DeviceColumn{"max_warps", "", "warps resident on an SM"},
    DeviceColumn{"max_blocks", "", "blocks resident on an SM"},
    DeviceColumn{"max_threads", "", "threads resident on an SM", false},
    DeviceColumn{"registers", "", "32-bit registers of an SM"},
    DeviceColumn{"shared_kb", "KiB", "shared memory of an SM"},
    DeviceColumn{"lat_alu", "cycles", "latency of an arithmetic instruction"},
    DeviceColumn{"lat_fp64", "cycles", "latency of a double-precision instruction", false},
    DeviceColumn{"lat_shared", "cycles", "latency of shared memory"},
    DeviceColumn{"lat_conflict", "cycles", "what each further pass of an access to shared memory adds",
                 false},
    DeviceColumn{"lat_l1", "cycles", "latency of a load that hits L1"},
    DeviceColumn{"lat_l2", "cycles", "latency of a load that hits L2"},
    DeviceColumn{"lat_dram", "cycles", "latency of a load from DRAM"},
    DeviceColumn{"clock_mhz", "MHz", "clock of the SMs"},
    DeviceColumn{"dram_gbs", "GB/s", "rate of DRAM as sold"},
    DeviceColumn{"dram_efficiency", "", "share of it that is reached"},
    DeviceColumn{"l2_sectors", "1/cycle", "sectors of 32 bytes from L2 for each SM"},
    DeviceColumn{"l2_slices", "", "parts of L2, each with a sector a cycle", false},
    DeviceColumn{"launch_us", "us", "time of a kernel that does nothing"},
    DeviceColumn{"event_us", "us", "what two events around a kernel add to its time", false},
    DeviceColumn{"block_launch", "cycles", "between two block launches on an SM"},
    DeviceColumn{"atomic_cycles", "cycles", "of a thread's atomic on a word that all threads use", false},
    DeviceColumn{"float_atomic_cycles", "cycles", "the same in single precision", false},
    DeviceColumn{"store_cost", "", "sectors that L2 reads in the time that it takes one", false},
    DeviceColumn{"integer_cost", "slots", "ALU slots of an integer instruction of unknown kind"},
};

class DeviceReader {
  public:
    explicit DeviceReader(const std::string& file) : file_(file) {}

    DeviceTable read(std::string_view text) {
        for (std::string_view line : split(text, '\n')) {
            ++line_;
            if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
            if (line.starts_with("#source ")) {
                read_source(line.substr(8));
            } else if (line.empty() || line.front() == '#') {
                continue;
            } else if (header_.empty()) {
                read_header(line);
            } else {
                read_row(line);
            }
        }
        if (header_.empty()) fail("expected a row of column names that begins with 'device', found none");
        if (table_.devices.empty()) fail("expected a row for each device, found column names alone");
        return std::move(table_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(fmt::format("{}:{}: {}", file_, line_, what));
    }

    void read_source(std::string_view text) {
        const std::size_t equal = text.find(" = ");
        if (equal == std::string_view::npos) fail("expected '#source KEY = MEANING'");
        const std::string_view key = text.substr(0, equal);
        if (!table_.sources.emplace(key, text.substr(equal + 3)).second)
            fail(fmt::format("source '{}' appears twice", key));
    }

    void read_header(std::string_view line) {
        if (line.find_first_of(" ,;") != std::string_view::npos)
            fail(fmt::format("expected column names with tabs between them, found '{}'", line));
        for (const std::string_view name : split(line, '\t')) {
            const bool known =
                name == "device" || name == "architecture" || name == "cc" ||
                std::any_of(columns.begin(), columns.end(),
                            [name](const DeviceColumn& column) { return column.name == name; });
            if (!known) fail(fmt::format("there is no column '{}' (see 'warpnet devices --columns')", name));
            if (std::find(header_.begin(), header_.end(), name) != header_.end())
                fail(fmt::format("column '{}' appears twice", name));
            header_.emplace_back(name);
        }
        if (header_.front() != "device")
            fail(fmt::format("expected 'device' first, found '{}'", header_.front()));
    }

    void read_row(std::string_view line) {
        const auto fields = split(line, '\t');
        if (fields.size() != header_.size())
            fail(fmt::format("expected {} columns with tabs between them, found {}", header_.size(),
                             fields.size()));
        Device device;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const std::string_view field = fields[i];
            if (header_[i] == "device") {
                device.name = field;
            } else if (header_[i] == "architecture") {
                device.architecture = field;
            } else if (header_[i] == "cc") {
                if (field != "-") device.compute_capability = field;
            } else if (field != "-" && !field.empty()) {
                device.facts.emplace(header_[i], fact(field, header_[i]));
            }
        }
        if (device.name.empty()) fail("a device without a name");
        add_limits(device);
        for (const Device& other : table_.devices) {
            if (lower_case(other.name) == lower_case(device.name))
                fail(fmt::format("device '{}' appears twice", device.name));
        }
        table_.devices.push_back(std::move(device));
    }

    /// The threads of the warps, if the row does not state a number.
    static void take_threads(Device& device) {
        const DeviceFact& warps = device.facts.at("max_warps");
        device.facts.try_emplace("max_threads", DeviceFact{warps.value * 32, warps.source, warps.verified});
    }

    /// The facts of the compute capability about an SM that the row omits.
    void add_limits(Device& device) {
        if (device.compute_capability.empty()) return;
        const SmLimits* limits = find_limits(device.compute_capability);
        if (limits == nullptr) {
            std::string known;
            for (const ComputeCapability& one : compute_capabilities())
                known += fmt::format("{}, ", one.name);
            fail(
                fmt::format("cc: expected {}or '-' with max_warps, max_blocks, registers and shared_kb; "
                            "found '{}'",
                            known, device.compute_capability));
        }
        table_.sources.emplace("cc",
                               "by compute capability: CUDA C++ Programming Guide, technical specifications");
        if (const auto warps = device.find("max_warps");
            warps && *warps != static_cast<double>(limits->warps))
            take_threads(device);
        for (const auto& [column, value] :
             {std::pair("max_warps", limits->warps), std::pair("max_blocks", limits->blocks),
              std::pair("max_threads", limits->warps * 32), std::pair("registers", limits->registers),
              std::pair("shared_kb", limits->shared_bytes / 1024)})
            device.facts.try_emplace(column, DeviceFact{static_cast<double>(value), "cc", true});
    }

    DeviceFact fact(std::string_view field, const std::string& column) const {
        DeviceFact result;
        std::string_view rest = field;
        if (rest.back() == '?') {
            result.verified = false;
            rest.remove_suffix(1);
        }
        const std::size_t at = rest.find('@');
        if (at != std::string_view::npos) {
            result.source = rest.substr(at + 1);
            rest = rest.substr(0, at);
        }
        const auto value = parse_number<double>(rest);
        if (!value)
            fail(
                fmt::format("{}: expected a number above 0, then @SOURCE if there is one, then ? where it is "
                            "unverified, or '-'; found '{}'",
                            column, field));
        result.value = *value;
        try {
            check_fact(column, result.value);
        } catch (const InputError& wrong) {
            fail(wrong.what());
        }
        return result;
    }

    const std::string& file_;
    std::size_t line_ = 0;
    std::vector<std::string> header_;
    DeviceTable table_;
};

std::int64_t whole(const Device& device, std::string_view column) { return std::llround(device.at(column)); }

std::string ratio_to_warp(double lanes) {
    return lanes >= 32 ? fmt::format("{:.0f}", std::floor(lanes / 32))
                       : fmt::format("1/{:.0f}", std::ceil(32 / lanes));
}

/// A normal form that is equal for "NVIDIA GeForce RTX 3070", "rtx-3070" and "RTX3070".
std::string device_key(std::string_view name) {
    std::string key;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) key += c;
    }
    key = lower_case(key);
    for (const std::string_view brand : {"nvidia", "geforce", "tesla"}) {
        if (key.starts_with(brand)) key.erase(0, brand.size());
    }
    return key;
}

/// Whether one name continues the other, or the name of a device begins or ends with a word of the other
/// name: "NVIDIA A100-SXM4-80GB", "Jetson AGX Orin".
bool alike(std::string_view name, std::string_view device) {
    const std::string key = device_key(name), other = device_key(device);
    if (key.empty() || other.empty()) return false;
    if (other.starts_with(key)) return true;
    if (key.starts_with(other) && !(is_digit(other.back()) && is_digit(key[other.size()])))
        return true;  // A10, A100
    std::string word;
    for (const char c : lower_case(name) + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            word += c;
            continue;
        }
        constexpr std::array series = {"nvidia", "geforce", "tesla", "quadro",
                                       "jetson", "titan",   "gtx",   "rtx"};
        const bool memory = word.ends_with("gb") && is_digit(word.front());
        if (word.size() >= 3 && !memory && std::find(series.begin(), series.end(), word) == series.end() &&
            (other.starts_with(word) || other.ends_with(word)))
            return true;
        word.clear();
    }
    return false;
}

/// The key without the leading series, which users omit: "a4000" of "rtxa4000".
std::string short_key(std::string_view name) {
    std::string key = device_key(name);
    for (const std::string_view series : {"quadro", "jetson", "rtx", "gtx"})
        if (key.starts_with(series)) key.erase(0, series.size());
    return key;
}

/// The devices whose names differ least from a name, and among these the ones with the longest common prefix.
/// None if more than half of the name differs.
std::vector<std::string_view> nearest_names(std::string_view name, const std::vector<Device>& devices) {
    const std::string key = device_key(name), brief = short_key(name);
    std::vector<std::string_view> nearest;
    std::pair<std::size_t, std::size_t> least = {brief.size() / 2 + 1, 0};  // differences, -common letters
    for (const Device& device : devices) {
        const std::string other = device_key(device.name);
        const std::size_t differ =
            std::min(edit_distance(key, other), edit_distance(brief, short_key(device.name)));
        const auto [end, unused] = std::ranges::mismatch(key, other);
        const std::pair found = {differ, key.size() - static_cast<std::size_t>(end - key.begin())};
        if (differ > brief.size() / 2 || found > least) continue;
        if (found < least) nearest.clear();
        least = found;
        nearest.push_back(device.name);
    }
    return nearest;
}

}  // namespace

std::optional<double> Device::find(std::string_view column) const {
    const auto found = facts.find(column);
    return found == facts.end() ? std::nullopt : std::optional(found->second.value);
}

double Device::at(std::string_view column) const {
    if (const auto value = find(column)) return *value;
    throw InputError(fmt::format(
        "device {}: '{}' is not known; give it in a file of your own (--devices FILE)", name, column));
}

std::span<const DeviceColumn> device_columns() { return columns; }

void check_fact(std::string_view column, double value) {
    constexpr std::array counted = {"sms",         "schedulers", "max_warps", "max_blocks",
                                    "max_threads", "registers",  "shared_kb", "l2_slices"};
    const double most = column == "dram_efficiency" ? 1 : column == "clock_mhz" ? 1e5 : 1e9;
    if (!(value > 0 && value <= most))
        throw InputError(fmt::format("{}: expected {} above 0 and up to {}, found {}", column,
                                     most == 1 ? "a share" : "a number", most, value));
    if (std::find(counted.begin(), counted.end(), column) != counted.end() && value != std::floor(value))
        throw InputError(fmt::format("{}: expected a whole number, found {}", column, value));
}

const Device* DeviceTable::find(std::string_view name) const {
    const std::string key = device_key(name);
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const Device& device) { return device_key(device.name) == key; });
    return found == devices.end() ? nullptr : &*found;
}

const Device& DeviceTable::at(std::string_view name) const {
    if (const Device* device = find(name)) return *device;
    std::vector<std::string_view> similar;
    for (const Device& device : devices)
        if (alike(name, device.name)) similar.push_back(device.name);
    if (similar.empty()) similar = nearest_names(name, devices);
    constexpr std::size_t few = 5;
    std::vector<std::string_view> names;
    for (const Device& device : devices) names.push_back(device.name);
    throw InputError(
        fmt::format("expected {}, found '{}'{}{}{}",
                    devices.size() <= few
                        ? fmt::format("one of the devices {}", fmt::join(names, ", "))
                        : fmt::format("one of {} devices ('warpnet devices' lists them)", devices.size()),
                    name, similar.empty() ? "" : "; did you mean ", fmt::join(similar, " or "),
                    similar.empty() ? "" : "?"));
}

const Device* DeviceTable::nearest(const Device& device) const {
    if (const Device* same = find(device.name)) return same;
    const auto distance = [&](const Device& other) {
        return std::abs(other.find("sms").value_or(0) - device.find("sms").value_or(0));
    };
    const Device* best = nullptr;
    for (const Device& other : devices) {
        const bool both = !device.compute_capability.empty() && !other.compute_capability.empty();
        if (!alike(device.name, other.name) ||
            (both && device.compute_capability != other.compute_capability))
            continue;
        if (best == nullptr || distance(other) < distance(*best)) best = &other;
    }
    return best;
}

bool is_name_of(std::string_view name, const Device& device) {
    name = name.substr(0, name.find('('));
    if (device_key(name) == device_key(device.name)) return true;
    const DeviceTable& presets = preset_devices();
    return alike(name, device.name) &&
           (presets.find(name) == nullptr || presets.find(device.name) == nullptr);
}

DeviceTable read_devices(std::string_view text, const std::string& file) {
    return DeviceReader(file).read(text);
}

const DeviceTable& preset_devices() {
    static const DeviceTable table = read_devices(preset_devices_text, "netgen/sm/devices.tsv");
    return table;
}

std::string write_device_table(const Device& device,
                               const std::map<std::string, std::string, std::less<>>& sources) {
    std::string text =
        "# A table of devices: a row of column names, then one device a row, tabs between the columns. A "
        "fact is VALUE,\n"
        "# VALUE@SOURCE, with ? behind it where it is not verified, or '-' where it is not known. The "
        "columns:\n";
    std::string names = "device\tarchitecture\tcc";
    std::string facts =
        fmt::format("{}\t{}\t{}", device.name, device.architecture, device.compute_capability);
    std::map<std::string, std::string, std::less<>> used;
    for (const DeviceColumn& column : columns) {
        text += fmt::format("# {}{}{}{}: {}\n", column.name, column.unit.empty() ? "" : " (", column.unit,
                            column.unit.empty() ? "" : ")", column.meaning);
        names += fmt::format("\t{}", column.name);
        const auto found = device.facts.find(column.name);
        if (found == device.facts.end()) {
            facts += "\t-";
            continue;
        }
        const DeviceFact& fact = found->second;
        facts += fmt::format("\t{}{}{}{}", fact.value, fact.source.empty() ? "" : "@", fact.source,
                             fact.verified ? "" : "?");
        for (const std::string_view key : split(fact.source, '/')) {
            const auto source = sources.find(key);
            if (source != sources.end()) used.insert(*source);
        }
    }
    for (const auto& [key, meaning] : used) text += fmt::format("#source {} = {}\n", key, meaning);
    return text + names + "\n" + facts + "\n";
}

std::vector<std::string_view> missing_facts(const Device& device) {
    std::vector<std::string_view> missing;
    for (const DeviceColumn& column : columns) {
        if (column.needed && !device.find(column.name)) missing.push_back(column.name);
    }
    return missing;
}

SmLimits sm_limits(const Device& device) {
    const SmLimits* known = find_limits(device.compute_capability);
    SmLimits limits = known != nullptr ? *known : SmLimits{};
    limits.warps = whole(device, "max_warps");
    if (device.find("max_threads")) limits.warps = std::min(limits.warps, whole(device, "max_threads") / 32);
    limits.blocks = whole(device, "max_blocks");
    limits.registers = whole(device, "registers");
    limits.shared_bytes = whole(device, "shared_kb") * 1024;
    if (known == nullptr) {
        limits.block_registers = limits.registers;
        limits.block_shared_bytes = limits.shared_bytes;
    }
    return limits;
}

namespace {

/// L1 and shared memory of an SM together [CUDA C++ Programming Guide, technical specifications], from Volta
/// on, since L1 keeps all global loads there.
double unified_cache_kb(std::string_view compute_capability) {
    constexpr std::array<std::pair<std::string_view, double>, 13> sizes = {{{"7.0", 128},
                                                                            {"7.2", 128},
                                                                            {"7.5", 96},
                                                                            {"8.0", 192},
                                                                            {"8.6", 128},
                                                                            {"8.7", 192},
                                                                            {"8.9", 128},
                                                                            {"9.0", 256},
                                                                            {"10.0", 256},
                                                                            {"10.3", 256},
                                                                            {"11.0", 256},
                                                                            {"12.0", 128},
                                                                            {"12.1", 128}}};
    for (const auto& [name, kb] : sizes)
        if (name == compute_capability) return kb;
    return 0;
}

}  // namespace

SmDevice sm_device(const Device& device) {
    if (const auto missing = missing_facts(device); !missing.empty())
        throw InputError(
            fmt::format("device {}: unknown facts: {}; give {} by --set {}=VALUE, or in a table of your own "
                        "('warpnet devices {} --table' is a start)",
                        device.name, fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them",
                        fmt::join(missing, "=VALUE,"), device.name));
    SmDevice sm;
    sm.name = device.name;
    sm.sms = whole(device, "sms");
    sm.schedulers = whole(device, "schedulers");
    sm.issue = device.at("issue");
    sm.clock_mhz = device.at("clock_mhz");
    sm.limits = sm_limits(device);
    sm.fp32_lanes = device.at("fp32");
    sm.fp64_lanes = device.at("fp64");
    sm.special_lanes = device.at("special");
    sm.convert_lanes = device.at("convert");
    sm.convert64_lanes = device.find("convert64").value_or(std::min(sm.convert_lanes, sm.fp64_lanes));
    sm.integer_cost = device.at("integer_cost");
    // An unknown rate is that of the integer instructions of unknown kind.
    const auto slots = [&](std::string_view lanes) {
        const auto known = device.find(lanes);
        return known ? std::max(1.0, sm.fp32_lanes / *known) : sm.integer_cost;
    };
    sm.logic_cost = slots("int32");
    sm.compare_cost = slots("compare");
    sm.shift_cost = slots("shift");
    sm.multiply_cost = slots("multiply");
    const std::string_view cc = device.compute_capability;
    sm.line_transactions = cc.starts_with("3.");
    // From 8.6 on half of the single-precision lanes and the integers share a path. They are modelled as one
    // pipe, which has the smaller error there (docs/reference/sm-model.md).
    sm.two_pipes = cc.starts_with("7.") || cc == "8.0";
    sm.fma_halves = sm.line_passes = sm.counted_dram = cc == "9.0";
    const auto launch = device.facts.find("launch_us");
    sm.cold_start = cc == "9.0" && launch != device.facts.end() && launch->second.verified;
    sm.fuses = unified_cache_kb(cc) > 0 && cc != "7.0" && cc != "7.2";  // those that ptxas 13.0 compiles for
    sm.l1_bytes = 1024 * unified_cache_kb(cc);
    if (cc == "8.6" || cc == "8.7" || cc == "8.9") sm.shared_pass_cycles = 1;
    sm.ldst_lanes = device.at("ldst");
    sm.alu_latency = device.at("lat_alu");
    sm.fp64_latency = device.find("lat_fp64").value_or(0);
    sm.shared_latency = device.at("lat_shared");
    sm.conflict_latency = device.find("lat_conflict").value_or(0);
    sm.l1_latency = device.at("lat_l1");
    sm.l2_latency = device.at("lat_l2");
    sm.dram_latency = device.at("lat_dram");
    sm.dram_gbs = device.at("dram_gbs");
    sm.dram_efficiency = device.at("dram_efficiency");
    sm.l2_sectors = device.at("l2_sectors");
    sm.l2_slices = device.find("l2_slices").value_or(0);
    sm.launch_us = device.at("launch_us");
    sm.event_us = device.find("event_us").value_or(0);
    sm.atomic_cycles = device.find("atomic_cycles").value_or(0);
    sm.float_atomic_cycles = device.find("float_atomic_cycles").value_or(0);
    sm.store_cost = std::max(1.0, device.find("store_cost").value_or(1));
    sm.block_launch = device.at("block_launch");
    return sm;
}

namespace {

/// The lanes that execute the instructions of a letter.
constexpr std::array letter_columns = {std::pair('C', "fp32"), std::pair('L', "ldst"),
                                       std::pair('S', "special"), std::pair('D', "fp64")};

}  // namespace

std::map<char, std::string> units_per_warp(const Device& device) {
    std::map<char, std::string> units;
    for (const auto& [letter, column] : letter_columns)
        if (const auto lanes = device.find(column)) units.emplace(letter, ratio_to_warp(*lanes));
    return units;
}

std::map<char, std::string> units_per_scheduler(const Device& device) {
    constexpr int first_with_own_units = 5;
    const std::string& capability = device.compute_capability;
    const auto major = parse_number<int>(capability.substr(0, capability.find('.')));
    if (!major || *major < first_with_own_units) return {};
    const double schedulers = device.at("schedulers");
    std::map<char, std::string> units;
    for (const auto& [letter, column] : letter_columns) {
        const auto lanes = device.find(column);
        if (letter != 'L' && lanes && *lanes >= schedulers)
            units.emplace(letter, ratio_to_warp(*lanes / schedulers));
    }
    return units;
}

nlohmann::ordered_json to_json(const Device& device) {
    nlohmann::ordered_json facts = nlohmann::ordered_json::object();
    for (const DeviceColumn& column : device_columns()) {
        const auto found = device.facts.find(column.name);
        if (found == device.facts.end()) continue;
        const DeviceFact& fact = found->second;
        facts[std::string(column.name)] = {
            {"value", count_json(fact.value)}, {"source", fact.source}, {"verified", fact.verified}};
    }
    return {{"name", device.name},
            {"architecture", device.architecture},
            {"compute_capability", device.compute_capability},
            {"facts", facts}};
}

nlohmann::ordered_json to_json(const DeviceTable& table, const std::vector<Device>& devices) {
    nlohmann::ordered_json json;
    json["devices"] = nlohmann::ordered_json::array();
    for (const Device& device : devices) json["devices"].push_back(to_json(device));
    json["sources"] = table.sources;
    json["columns"] = nlohmann::ordered_json::array();
    for (const DeviceColumn& column : device_columns())
        json["columns"].push_back(
            {{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
    return json;
}

std::int64_t dispatch_units(const Device& device) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(device.at("issue")));
}

}  // namespace warpnet::netgen

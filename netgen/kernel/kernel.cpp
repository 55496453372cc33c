#include "netgen/kernel/kernel.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/common/delay_gadget.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace warpnet {
namespace {

constexpr std::string_view all_letters = "CLSD";
constexpr const char* schedulers_id = "schedulers";

/// Longest normalised string and largest W*I: far beyond what any analysis here can use, small enough that no
/// product of them overflows.
constexpr std::int64_t max_instructions = 1'000'000;

std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

void check(const KernelSpec& spec) {
    if (spec.string.empty()) throw InputError("kernel string: expected letters C, L, S, D, found none");
    const std::size_t bad = spec.string.find_first_not_of(all_letters);
    if (bad != std::string::npos)
        throw InputError(fmt::format("kernel string, position {}: expected one of C, L, S, D, found '{}'",
                                     bad + 1, spec.string[bad]));
    if (spec.warps < 1) throw InputError(fmt::format("warps: expected at least 1, found {}", spec.warps));
    if (spec.schedulers && *spec.schedulers < 1)
        throw InputError(fmt::format("schedulers: expected at least 1, found {}", *spec.schedulers));
    if (!spec.level.empty() && spec.level.size() != spec.string.size())
        throw InputError(fmt::format("fairness levels: expected one per letter of the string ({}), found {}",
                                     spec.string.size(), spec.level.size()));
    for (const int level : spec.level)
        if (level == std::numeric_limits<int>::min())
            throw InputError(fmt::format("fairness level: {} is out of range", level));
    for (const char letter : unit_letters(spec)) {
        const auto units = spec.units.find(letter);
        if (units == spec.units.end())
            throw InputError(fmt::format("units: the string uses {0}, expected {0}=...", letter));
        const auto [numerator, denominator] = units->second;
        if (numerator < 1 || denominator < 1 || (numerator > 1 && denominator > 1))
            throw InputError(fmt::format("units of {}: expected a whole number or 1/k, found {}/{}", letter,
                                         numerator, denominator));
    }
    for (const auto& [letter, cycles] : spec.latency)
        if (cycles < 1)
            throw InputError(
                fmt::format("latency of {}: expected at least 1 cycle, found {}", letter, cycles));
}

/// Cycles for which an instruction of this letter occupies a unit.
std::int64_t occupation(const KernelSpec& spec, char letter) {
    const auto latency = spec.latency.find(letter);
    const std::int64_t cycles = latency == spec.latency.end() ? 1 : latency->second;
    return cycles * spec.units.at(letter).denominator;
}

std::string node_id(int warp, int instruction, std::string_view what) {
    return fmt::format("w{}_i{}_{}", warp + 1, instruction + 1, what);
}

/// Instruction of `cycles` > 1 cycles from `from` to `to`: taken at once, given back by a delay gadget of
/// cycles - 1 steps.
void add_non_preemptive(NetBuilder& net, TransitionId start, int warp, int instruction, std::int64_t cycles,
                        PlaceId to, const std::vector<PlaceId>& held) {
    const auto id = [&](std::string_view what) { return node_id(warp, instruction, what); };
    const PlaceId busy = net.add_place(id("busy"));
    const TransitionId done = add_delay(net, busy, cycles - 1, {id("done"), id("timer"), id("tick")});
    net.add_output(start, busy);
    net.add_output(done, to);
    for (const PlaceId place : held) net.add_output(done, place);
}

}  // namespace

UnitsPerWarp parse_units_per_warp(std::string_view text) {
    const auto bad = [&] {
        return InputError(fmt::format("units per warp: expected a whole number or 1/k, found '{}'", text));
    };
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        const auto numerator = whole_number(text.substr(0, slash));
        const auto denominator = whole_number(text.substr(slash + 1));
        if (!numerator || !denominator || *numerator == 0 || *denominator == 0) throw bad();
        if (*numerator % *denominator == 0) return {*numerator / *denominator, 1};
        if (*denominator % *numerator == 0) return {1, *denominator / *numerator};
        throw bad();
    }
    if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
        std::string digits(text.substr(point + 1));
        while (!digits.empty() && digits.back() == '0') digits.pop_back();
        if (digits.size() > 6) throw bad();
        return parse_units_per_warp(
            fmt::format("{}{}/1{:0<{}}", text.substr(0, point), digits, "", digits.size()));
    }
    const auto value = whole_number(text);
    if (!value || *value == 0) throw bad();
    return {*value, 1};
}

std::string unit_letters(const KernelSpec& spec) {
    std::string used;
    for (const char letter : all_letters)
        if (spec.string.find(letter) != std::string::npos) used += letter;
    return used;
}

KernelInstance normalise(const KernelSpec& spec) {
    check(spec);
    const std::string letters = unit_letters(spec);
    KernelInstance instance;
    instance.warps = spec.warps;
    instance.schedulers = spec.schedulers;
    for (const char letter : letters) instance.capacity.push_back(spec.units.at(letter).numerator);
    const bool has_levels = std::ranges::any_of(spec.level, [](int level) { return level != 0; });
    for (std::size_t i = 0; i < spec.string.size(); ++i) {
        const std::int64_t repeat = occupation(spec, spec.string[i]);
        const std::int64_t length = static_cast<std::int64_t>(instance.type.size()) + repeat;
        if (repeat > max_instructions || length * spec.warps > max_instructions)
            throw InputError(
                fmt::format("kernel string, position {}: expected at most {} instructions over all "
                            "warps after normalisation",
                            i + 1, max_instructions));
        const auto type = static_cast<std::uint8_t>(letters.find(spec.string[i]));
        instance.type.insert(instance.type.end(), static_cast<std::size_t>(repeat), type);
        if (has_levels)
            instance.level.insert(instance.level.end(), static_cast<std::size_t>(repeat), spec.level[i]);
    }
    return instance;
}

Net kernel_net(const KernelSpec& spec, MultiCycle multi_cycle) {
    const KernelInstance normalised = normalise(spec);  // also checks all sizes
    const std::string letters = unit_letters(spec);

    // One entry per instruction of the net: its type, level, and the cycles it holds its unit.
    std::vector<std::uint8_t> type = normalised.type;
    std::vector<int> level = normalised.level;
    std::vector<std::int64_t> cycles(type.size(), 1);
    if (multi_cycle == MultiCycle::non_preemptive) {
        type.clear();
        cycles.clear();
        level = spec.level;
        for (const char letter : spec.string) {
            type.push_back(static_cast<std::uint8_t>(letters.find(letter)));
            cycles.push_back(occupation(spec, letter));
        }
    }

    NetBuilder net("kernel", fmt::format("{} warps of {}", spec.warps, spec.string));
    std::vector<PlaceId> unit;
    for (std::size_t t = 0; t < letters.size(); ++t)
        unit.push_back(net.add_place(fmt::format("unit_{}", letters[t]), normalised.capacity[t]));
    std::optional<PlaceId> schedulers;
    if (spec.schedulers) schedulers = net.add_place(schedulers_id, *spec.schedulers);

    for (int warp = 0; warp < spec.warps; ++warp) {
        PlaceId from = net.add_place(fmt::format("w{}_pc_0", warp + 1), 1);
        for (std::size_t i = 0; i < type.size(); ++i) {
            const int instruction = static_cast<int>(i);
            const PlaceId to = net.add_place(fmt::format("w{}_pc_{}", warp + 1, i + 1));
            const TransitionId start =
                net.add_transition(node_id(warp, instruction, std::string_view(&letters[type[i]], 1)));
            if (!level.empty()) net.set_priority(start, -level[i]);
            std::vector<PlaceId> held{unit[type[i]]};
            if (schedulers) held.push_back(*schedulers);
            net.add_input(from, start);
            for (const PlaceId place : held) net.add_input(place, start);
            if (cycles[i] == 1) {
                net.add_output(start, to);
                for (const PlaceId place : held) net.add_output(start, place);
            } else {
                add_non_preemptive(net, start, warp, instruction, cycles[i], to, held);
            }
            from = to;
        }
    }
    return net.build();
}

}  // namespace warpnet

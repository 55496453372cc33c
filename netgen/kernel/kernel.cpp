// Instruction strings on shared units [Berezovskyi13]. The net has a cycle of places per warp and a place of
// tokens per kind of unit. An instruction of several cycles holds its unit, or is repeated as in the paper.
// The closed form for Fermi is that of [Raravi10]. Sizes are limited so that no product overflows.
//
// Units per warp below 1, such as 1/4, make an instruction occupy its unit for several cycles. As a string of
// the paper it is repeated (MultiCycle::repeated). As one instruction it holds its unit without interruption,
// with fewer nodes. A pipelined unit is free again after a cycle, and the warp waits: with_pipelines() turns
// latencies into waits. Cost: 2 places and transitions per instruction and warp, and up to 4 more for each
// delay of it. The size is checked before the first node is made.

#include "netgen/kernel/kernel.hpp"

#include "engine/base/round_up.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

constexpr std::string_view all_letters = "CLSD";
constexpr const char* schedulers_id = "schedulers";

/// The longest normalised string and the largest W*I. Both are far beyond the reach of any analysis here, and
/// small enough that no product overflows.
constexpr std::int64_t max_instructions = 10'000'000;
/// Places and transitions of a net: some gigabytes of memory.
constexpr std::int64_t max_net_nodes = 4'000'000;

std::optional<int> whole_number(std::string_view text) {
    const auto value = parse_number<int>(text);
    return value && *value >= 0 ? value : std::nullopt;
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
    if (spec.dispatch_units < 1)
        throw InputError(fmt::format("dispatch units: expected at least 1, found {}", spec.dispatch_units));
    if (spec.assignment == Assignment::shared ? spec.dispatch_units > 1 : !spec.schedulers)
        throw InputError(spec.schedulers ? "dispatch units: expected schedulers with their own warps"
                                         : "schedulers with their own warps: expected their number");
    if (spec.assignment == Assignment::shared && !spec.own_units.empty())
        throw InputError("units of a scheduler: expected schedulers with their own warps");
    if (const std::size_t bad = spec.own_units.find_first_not_of(all_letters); bad != std::string::npos)
        throw InputError(fmt::format("units of a scheduler: expected letters of C, L, S, D, found '{}'",
                                     spec.own_units[bad]));
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
    for (const auto& [letter, cycles] : spec.wait)
        if (cycles < 0)
            throw InputError(fmt::format("wait of {}: expected at least 0 cycles, found {}", letter, cycles));
    if (spec.sms < 1) throw InputError(fmt::format("SMs: expected at least 1, found {}", spec.sms));
    for (const auto& [letter, units] : spec.chip_units) {
        if (all_letters.find(letter) == std::string_view::npos)
            throw InputError(
                fmt::format("units of the chip: expected letters of C, L, S, D, found '{}'", letter));
        if (units < 1)
            throw InputError(
                fmt::format("units of the chip, {}: expected at least 1, found {}", letter, units));
    }
}

/// The limit of a letter over all SMs; nothing if the units of the SMs imply it.
std::optional<int> chip_limit(const KernelSpec& spec, char letter) {
    const auto limit = spec.chip_units.find(letter);
    if (limit == spec.chip_units.end()) return {};
    const bool own = spec.own_units.find(letter) != std::string::npos;
    const std::int64_t schedulers = own ? std::min(*spec.schedulers, spec.warps) : 1;
    const std::int64_t of_sm =
        std::min<std::int64_t>(schedulers * spec.units.at(letter).numerator, spec.warps);
    return limit->second < spec.sms * of_sm ? std::optional(limit->second) : std::nullopt;
}

/// Whether a limit of the chip needs a place: it limits several SMs, or several schedulers of one.
bool has_chip_place(const KernelSpec& spec, char letter) {
    return chip_limit(spec, letter) && (spec.sms > 1 || spec.own_units.find(letter) != std::string::npos);
}

/// The cycles for which an instruction with this letter occupies a unit.
std::int64_t occupation(const KernelSpec& spec, char letter) {
    const auto latency = spec.latency.find(letter);
    const std::int64_t cycles = latency == spec.latency.end() ? 1 : latency->second;
    return cycles * spec.units.at(letter).denominator;
}

/// The cycles for which a warp waits after an instruction with this letter.
std::int64_t wait_behind(const KernelSpec& spec, char letter) {
    const auto wait = spec.wait.find(letter);
    return wait == spec.wait.end() ? 0 : wait->second;
}

/// An instruction of the net: the cycles for which it holds its unit, and the cycles for which the warp then
/// waits.
struct NetInstruction {
    std::size_t type = 0;
    int level = 0;
    std::int64_t held = 1;
    std::int64_t wait = 0;
};

std::vector<NetInstruction> net_instructions(const KernelSpec& spec, MultiCycle multi_cycle) {
    const std::string letters = unit_letters(spec);
    std::vector<NetInstruction> instructions;
    for (std::size_t i = 0; i < spec.string.size(); ++i) {
        NetInstruction instruction{letters.find(spec.string[i]), spec.level.empty() ? 0 : spec.level[i],
                                   occupation(spec, spec.string[i]), 0};
        if (multi_cycle == MultiCycle::repeated) {
            const std::int64_t repeat = std::exchange(instruction.held, 1);
            instructions.insert(instructions.end(), static_cast<std::size_t>(repeat), instruction);
        } else {
            instructions.push_back(instruction);
        }
        instructions.back().wait = wait_behind(spec, spec.string[i]);
    }
    return instructions;
}

/// Throws InputError if the warps of all SMs have too many nodes, before any is made.
void check_net_size(const KernelSpec& spec, const std::vector<NetInstruction>& instructions) {
    const auto of_delay = [](std::int64_t length) { return length > 1 ? 3 : length; };
    std::int64_t nodes = 1;
    for (const NetInstruction& instruction : instructions) {
        nodes += 2;
        if (instruction.held > 1) nodes += 1 + of_delay(instruction.held - 1);
        if (instruction.wait > 0) nodes += 1 + of_delay(instruction.wait);
    }
    if (nodes <= max_net_nodes / spec.warps / spec.sms) return;
    throw InputError(
        fmt::format("the net of the kernel would have more than {} places and transitions: {} warps with {} "
                    "each; expected fewer warps, SMs or instructions",
                    max_net_nodes, std::int64_t{spec.warps} * spec.sms, nodes));
}

/// Adds one SM to a net. Its nodes have a common prefix.
class SmNet {
  public:
    /// `chip` has per letter the place that all SMs share, if there is one.
    SmNet(NetBuilder& net, std::string prefix, const std::vector<std::optional<PlaceId>>& chip)
        : net_(net), prefix_(std::move(prefix)), chip_(chip) {}

    void add(const KernelSpec& spec, const std::vector<NetInstruction>& instructions,
             const KernelInstance& instance) {
        letters_ = unit_letters(spec);
        for (std::size_t t = 0; t < letters_.size(); ++t)
            unit_.push_back(add_hub(spec, fmt::format("unit_{}", letters_[t]),
                                    spec.own_units.find(letters_[t]) != std::string::npos,
                                    instance.capacity[t]));
        if (spec.schedulers) {
            const bool own = spec.assignment != Assignment::shared;
            schedulers_ = add_hub(spec, schedulers_id, own, own ? spec.dispatch_units : *spec.schedulers);
        }
        for (int warp = 1; warp <= spec.warps; ++warp) {
            PlaceId from = net_.add_place(fmt::format("{}w{}_pc_0", prefix_, warp), 1);
            for (std::size_t i = 0; i < instructions.size(); ++i) {
                const PlaceId to = net_.add_place(fmt::format("{}w{}_pc_{}", prefix_, warp, i + 1));
                const std::string node = fmt::format("{}w{}_i{}_", prefix_, warp, i + 1);
                std::vector<PlaceId> held{place_of(unit_[instructions[i].type], warp)};
                if (!schedulers_.empty()) held.push_back(place_of(schedulers_, warp));
                if (const auto& chip = chip_[instructions[i].type]) held.push_back(*chip);
                add_instruction(instructions[i], node, from, to, held, !instance.level.empty());
                from = to;
            }
        }
    }

  private:
    /// One place for all warps, or one for each scheduler with its own warps.
    std::vector<PlaceId> add_hub(const KernelSpec& spec, const std::string& id, bool own, Tokens tokens) {
        if (!own) return {net_.add_place(prefix_ + id, tokens)};
        std::vector<PlaceId> places;
        for (int number = 1; number <= std::min(*spec.schedulers, spec.warps); ++number)
            places.push_back(net_.add_place(fmt::format("{}{}_{}", prefix_, id, number), tokens));
        return places;
    }

    static PlaceId place_of(const std::vector<PlaceId>& hub, int warp) {
        return hub[static_cast<std::size_t>(warp - 1) % hub.size()];
    }

    void add_instruction(const NetInstruction& instruction, const std::string& node, PlaceId from, PlaceId to,
                         const std::vector<PlaceId>& held, bool with_level) {
        const TransitionId start = net_.add_transition(node + letters_[instruction.type]);
        if (with_level) net_.set_priority(start, -instruction.level);
        net_.add_input(from, start);
        for (const PlaceId place : held) net_.add_input(place, start);
        const PlaceId ended = instruction.wait > 0 ? net_.add_place(node + "wait") : to;
        const TransitionId end = instruction.held > 1 ? hold(start, node, instruction.held) : start;
        net_.add_output(end, ended);
        for (const PlaceId place : held) net_.add_output(end, place);
        if (instruction.wait > 0) {
            const TransitionId done = add_delay(
                net_, ended, instruction.wait, {node + "wait_done", node + "wait_timer", node + "wait_tick"});
            net_.add_output(done, to);
        }
    }

    /// Returns the transition that gives back the tokens of `start`, cycles - 1 steps later.
    TransitionId hold(TransitionId start, const std::string& node, std::int64_t cycles) {
        const PlaceId busy = net_.add_place(node + "busy");
        const TransitionId done =
            add_delay(net_, busy, cycles - 1, {node + "done", node + "timer", node + "tick"});
        net_.add_output(start, busy);
        return done;
    }

    NetBuilder& net_;
    std::string prefix_;
    const std::vector<std::optional<PlaceId>>& chip_;
    std::string letters_;
    // Each hub is one place for all warps, or place i mod size for warp i.
    std::vector<std::vector<PlaceId>> unit_;
    std::vector<PlaceId> schedulers_;
};

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

namespace {

/// Like normalise(), for any schedulers.
KernelInstance instance_of(const KernelSpec& spec) {
    check(spec);
    const std::string letters = unit_letters(spec);
    KernelInstance instance;
    instance.warps = spec.warps;
    instance.schedulers = spec.schedulers;
    for (const char letter : letters) {
        const int units = spec.units.at(letter).numerator;
        const bool limited = chip_limit(spec, letter) && !has_chip_place(spec, letter);
        instance.capacity.push_back(limited ? std::min(units, *chip_limit(spec, letter)) : units);
        if (wait_behind(spec, letter) > 0) instance.waiting = static_cast<std::uint8_t>(letters.size());
    }
    if (instance.waiting) instance.capacity.push_back(spec.warps);
    const bool has_levels = std::ranges::any_of(spec.level, [](int level) { return level != 0; });
    for (std::size_t i = 0; i < spec.string.size(); ++i) {
        const std::int64_t repeat = occupation(spec, spec.string[i]);
        const std::int64_t wait = wait_behind(spec, spec.string[i]);
        const std::int64_t length = static_cast<std::int64_t>(instance.type.size()) + repeat + wait;
        if (repeat > max_instructions || length > max_instructions ||
            length * spec.warps > max_instructions / spec.sms)
            throw InputError(
                fmt::format("kernel string, position {}: expected at most {} instructions over all "
                            "warps after normalisation",
                            i + 1, max_instructions));
        const auto type = static_cast<std::uint8_t>(letters.find(spec.string[i]));
        instance.type.insert(instance.type.end(), static_cast<std::size_t>(repeat), type);
        instance.type.insert(instance.type.end(), static_cast<std::size_t>(wait),
                             instance.waiting.value_or(0));
        if (has_levels)
            instance.level.insert(instance.level.end(), static_cast<std::size_t>(repeat + wait),
                                  spec.level[i]);
    }
    return instance;
}

}  // namespace

KernelInstance normalise(const KernelSpec& spec) {
    if (spec.assignment != Assignment::shared)
        throw InputError("the instance of a kernel has schedulers shared by all warps");
    for (const char letter : unit_letters(spec))
        if (has_chip_place(spec, letter))
            throw InputError("the instance of a kernel has no units that several SMs share");
    return instance_of(spec);
}

KernelSpec with_pipelines(KernelSpec spec, std::string_view letters) {
    for (const char letter : letters) {
        const auto latency = spec.latency.find(letter);
        const auto units = spec.units.find(letter);
        if (latency == spec.latency.end() || units == spec.units.end()) continue;
        const std::int64_t wait =
            std::int64_t{latency->second - 1} * units->second.denominator + wait_behind(spec, letter);
        if (wait > max_instructions)
            throw InputError(fmt::format("wait of {}: expected at most {} cycles, found {}", letter,
                                         max_instructions, wait));
        spec.wait[letter] = static_cast<int>(wait);
        spec.latency.erase(latency);
    }
    return spec;
}

Net kernel_net(const KernelSpec& spec, MultiCycle multi_cycle) {
    const KernelInstance instance = instance_of(spec);  // also checks all sizes
    const std::vector<NetInstruction> instructions = net_instructions(spec, multi_cycle);
    check_net_size(spec, instructions);
    const std::string warps = fmt::format("{} warps of {}", spec.warps, spec.string);
    NetBuilder net("kernel", spec.sms == 1 ? warps : fmt::format("{} SMs with {}", spec.sms, warps));
    std::vector<std::optional<PlaceId>> chip;
    for (const char letter : unit_letters(spec))
        chip.push_back(
            has_chip_place(spec, letter)
                ? std::optional(net.add_place(fmt::format("chip_{}", letter), *chip_limit(spec, letter)))
                : std::nullopt);
    for (int sm = 1; sm <= spec.sms; ++sm)
        SmNet(net, spec.sms == 1 ? "" : fmt::format("s{}_", sm), chip).add(spec, instructions, instance);
    return net.build();
}

namespace {

/// Beyond these arguments the closed form could overflow. No SM comes near them.
constexpr std::int64_t max_argument = 1'000'000'000;

void expect_in_range(const char* what, std::int64_t value) {
    if (value < 1 || value > max_argument)
        throw InputError(
            fmt::format("fermi template, {}: expected 1 to {}, found {}", what, max_argument, value));
}

std::int64_t warps_of(std::int64_t threads) { return divided_up(threads, fermi_warp_threads); }

}  // namespace

KernelSpec fermi_kernel(const FermiSpec& spec) {
    expect_in_range("threads", spec.threads);
    expect_in_range("repeat", spec.repeat);
    KernelSpec kernel{.string = "C",
                      .warps = static_cast<int>(warps_of(spec.threads)),
                      .units = {{'C', {2, 1}}, {'L', {1, 1}}},
                      .schedulers = spec.schedulers,
                      .level = {}};
    const bool own_levels = spec.fairness == FermiFairness::own_levels;
    std::vector<int> level{own_levels ? 0 : 1};
    for (int block = 1; block <= spec.repeat; ++block) {
        kernel.string += "LLC";
        level.insert(level.end(), 3, block);
    }
    kernel.string += 'L';
    level.push_back(own_levels ? spec.repeat + 1 : spec.repeat);
    if (spec.fairness != FermiFairness::none) kernel.level = std::move(level);
    return kernel;
}

std::int64_t fermi_bound(std::int64_t threads, std::int64_t repeat) {
    expect_in_range("threads", threads);
    expect_in_range("repeat", repeat);
    const std::int64_t warps = warps_of(threads);
    return 3 * warps + 2 + 2 * warps * (repeat - 1);
}

std::vector<std::int64_t> fermi_threads_per_sm(std::int64_t blocks, std::int64_t block_threads,
                                               std::int64_t sms) {
    if (blocks < 1 || block_threads < 1 || sms < 1)
        throw InputError("fermi template: the blocks, their threads and the SMs must be 1 or more");
    const std::int64_t of_block = rounded_up(block_threads, fermi_warp_threads);
    if (divided_up(blocks, sms) > std::numeric_limits<std::int32_t>::max() / of_block)
        throw InputError("fermi template: more than 2147483647 threads on an SM");
    std::vector<std::int64_t> threads;
    for (std::int64_t sm = 0; sm < std::min(sms, blocks); ++sm)
        threads.push_back(divided_up(blocks - sm, sms) * of_block);
    return threads;
}

std::int64_t fermi_kernel_bound(std::span<const std::int64_t> threads_per_sm, std::int64_t repeat) {
    if (threads_per_sm.empty()) throw InputError("fermi template: expected the threads of at least one SM");
    std::int64_t bound = 0;
    for (const std::int64_t threads : threads_per_sm) bound = std::max(bound, fermi_bound(threads, repeat));
    return bound;
}

}  // namespace warpnet::netgen

// The kernel string of family `kernel` from flags: a string, PTX or the template of Fermi, with units, cycles
// and latencies. A device gives the units and latencies that no flag gives. Warps follow from the launch if
// it is known.
//
// A fact of the device is taken only if no flag gives it (emplace() on maps by letter). Everything that the
// resulting net does not model goes into leaves_out(), because the bound of such a net is certified for the
// model alone. The warps of a launch are those that an SM holds at a time and not those of the whole launch,
// because the net has no rounds of blocks. `covers` of the answer therefore names the part of the launch.

#include "cli/input/kernel_input.hpp"

#include "cli/input/options.hpp"
#include "engine/base/text.hpp"
#include "engine/input/flag_items.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr int most_warps = 1'000'000;

/// "C=4,L=1" as pairs; each letter at most once.
std::map<char, std::string> letter_values(const std::string& flag, const std::string& text) {
    std::map<char, std::string> values;
    each_item(text, [&](const std::string& item) {
        if (item.size() < 3 || item[1] != '=' || std::string("CLSD").find(item[0]) == std::string::npos)
            throw UsageError(
                flag, "expected letters with values such as C=4,L=1 (of C, L, S, D), found '" + text + "'");
        require_once(values.emplace(item[0], item.substr(2)).second, flag, item.substr(0, 1));
    });
    return values;
}

void parse_units(const std::string& text, netgen::KernelSpec& spec) {
    for (const auto& [letter, value] : letter_values("--units", text)) try {
            spec.units[letter] = netgen::parse_units_per_warp(value);
        } catch (const InputError& error) {
            throw UsageError("--units", error.what());
        }
}

void parse_cycles(const std::string& flag, const std::string& text, int least, std::map<char, int>& cycles) {
    for (const auto& [letter, value] : letter_values(flag, text)) {
        const auto number = parse_number<std::int64_t>(value);
        check_range(flag, value, number, least, 1'000'000);
        cycles[letter] = static_cast<int>(*number);
    }
}

std::string checked_string(const std::string& text) {
    const std::size_t bad = text.find_first_not_of("CLSD");
    if (bad == std::string::npos) return text;
    const bool small = std::string_view("clsd").find(text[bad]) != std::string_view::npos;
    throw UsageError("--string", fmt::format("position {}: expected a letter of C, L, S, D, found '{}'{}",
                                             bad + 1, text[bad], small ? "; the letters are capitals" : ""));
}

/// Throws UsageError for letters of the kernel without units.
void require_units(const netgen::KernelSpec& spec, bool of_device) {
    std::string missing;
    for (const char letter : netgen::unit_letters(spec))
        if (!spec.units.contains(letter))
            missing += fmt::format("{}{}=N", missing.empty() ? "" : ",", letter);
    if (missing.empty()) return;
    throw UsageError("--units",
                     fmt::format("expected {} (how many instructions of each letter start per cycle){}",
                                 missing, of_device ? "" : ", or --device NAME"));
}

netgen::FermiFairness parse_fairness(const std::string& text) {
    if (text == "none") return netgen::FermiFairness::none;
    if (text == "sub-blocks") return netgen::FermiFairness::sub_blocks;
    if (text == "own-levels") return netgen::FermiFairness::own_levels;
    throw UsageError("--fairness", "expected none|sub-blocks|own-levels, found '" + text + "'");
}

std::string counted(std::int64_t count, const char* noun) {
    return plural(static_cast<std::uint64_t>(count), noun);
}

/// Takes the warps that an SM executes at a time, if the launch is known and no flag gives them. Returns a
/// text on the part of the launch that they are.
std::string take_launch_warps(const KernelInput& input, const netgen::PtxReport& report,
                              netgen::KernelSpec& spec) {
    const auto kernel = netgen::launch_profile_of(input.ptx, report);
    if (!kernel) return "";
    const netgen::LaunchOnSm launch = netgen::launch_on_sm(*kernel, input.device);
    const bool given = input.warps && input.warps->count() > 0;
    note_launch(*kernel, launch, input.device, given ? spec.warps : 0, false);
    if (given) return "";
    spec.warps = static_cast<int>(launch.warps());
    if (!input.device.given()) return fmt::format("one block of {}", kernel->blocks);
    const std::string blocks = counted(launch.resident, "block");
    return launch.waves() == 1
               ? blocks + ", all that the busiest SM gets"
               : fmt::format(
                     "{} that the busiest SM holds at a time, one of {} rounds of them; not the "
                     "whole launch",
                     blocks, launch.waves());
}

/// Cycles that a warp waits after an instruction of each letter: the latencies of the device. Each memory
/// access has the latency of DRAM.
std::map<char, int> latencies(const netgen::Device& device) {
    std::map<char, int> cycles;
    const auto add = [&](char letter, const char* fact, int times) {
        if (const auto latency = device.find(fact))
            cycles.emplace(letter, times * static_cast<int>(std::ceil(*latency)));
    };
    add('C', "lat_alu", 1);
    add('L', "lat_dram", 1);
    add('S', "lat_alu", 2);  // as in the family sm
    add('D', "lat_fp64", 1);
    return cycles;
}

}  // namespace

std::vector<std::int64_t> KernelInput::fermi_threads() const {
    const auto product = [](const std::array<std::int64_t, 3>& shape) {
        return shape[0] * shape[1] * shape[2];
    };
    const std::int64_t blocks = product(ptx.options.launch.grid), threads = product(ptx.options.launch.block);
    if ((blocks > 0) != (threads > 0))
        throw UsageError(blocks > 0 ? "--grid" : "--block",
                         "expected --grid and --block with --template, found one of them");
    const bool gives_warps = warps && warps->count() > 0;
    if (blocks > 0 && gives_warps)
        throw UsageError("--warps", "excludes --grid and --block of --template, which decide the warps");
    if (blocks > 0) {
        std::vector<std::int64_t> of_sms = netgen::fermi_threads_per_sm(blocks, threads, spec.sms);
        if (of_sms.front() / netgen::fermi_warp_threads > most_warps)
            throw UsageError("--grid", fmt::format("expected at most {} warps on an SM, found {}", most_warps,
                                                   of_sms.front() / netgen::fermi_warp_threads));
        return of_sms;
    }
    if (gives_warps) return {std::int64_t{netgen::fermi_warp_threads} * spec.warps};
    return {fermi->threads};
}

void KernelInput::add_units(netgen::KernelSpec& kernel) const {
    if (own_units && kernel.assignment == netgen::Assignment::shared)
        throw UsageError("--own-units", "requires --assignment fixed or any");
    const auto is_own = [&](char letter) {
        return !own_units || own_units->find(letter) != std::string::npos;
    };
    if (own_units) kernel.own_units = *own_units;
    if (!device.given()) return;
    const netgen::Device preset = device.device();
    if (kernel.assignment != netgen::Assignment::shared)
        for (const auto& [letter, units] : netgen::units_per_scheduler(preset))
            if (is_own(letter) && kernel.units.emplace(letter, netgen::parse_units_per_warp(units)).second &&
                !own_units)
                kernel.own_units += letter;
    for (const auto& [letter, units] : netgen::units_per_warp(preset))
        kernel.units.emplace(letter, netgen::parse_units_per_warp(units));
}

void KernelInput::add_device(netgen::KernelSpec& kernel) const {
    if (device.given()) {
        const netgen::Device preset = device.device();
        for (const auto& [letter, cycles] : latencies(preset))
            if (!kernel.latency.contains(letter)) kernel.wait.emplace(letter, cycles);
        if (!kernel.schedulers) kernel.schedulers = static_cast<int>(preset.at("schedulers"));
    }
    assignment.fill(device, kernel.assignment, kernel.dispatch_units);
    add_units(kernel);
}

KernelModel KernelInput::model() const {
    netgen::KernelSpec made = spec;
    bool barriers = true;  // an instruction string does not show barriers
    std::string of_launch;
    if (ptx.given()) {
        netgen::PtxInput source = ptx;
        if (device.given()) source.options.letters = netgen::PtxLetters::of_device;
        PtxString ptx_string = ptx_string_of(source);
        warn_of_ptx(ptx_string.report, device.given() ? device.device().compute_capability : "");
        made.string = std::move(ptx_string.string);
        barriers = ptx_string.report.profile.counts[netgen::PtxClass::barrier] > 0;
        of_launch = take_launch_warps(*this, ptx_string.report, made);
    }
    add_device(made);
    if (made.assignment != netgen::Assignment::shared && !made.schedulers)
        throw UsageError("--assignment",
                         "expected --schedulers or --device, or else there are none to fix warps to");
    if (fermi && !made.chip_units.empty() && ptx.options.launch.grid[0] > 0)
        throw UsageError("--chip-units", "excludes --grid of --template, whose SMs have different warps");
    netgen::KernelSpec plain;  // of the template
    std::vector<std::int64_t> threads;
    if (fermi) {
        threads = fermi_threads();
        netgen::FermiSpec of_first_sm = *fermi;
        of_first_sm.threads = static_cast<int>(threads.front());  // the first SM has the most
        plain = netgen::fermi_kernel(of_first_sm);
        made.string = plain.string;
        made.level = plain.level;
        made.warps = plain.warps;
        if (const std::int64_t blocks = ptx.options.launch.grid[0]; blocks > 0) {
            made.sms = 1;
            of_launch =
                spec.sms == 1 ? "the whole launch" : fmt::format("those of the busiest of {} SMs", spec.sms);
        }
        for (const auto& [letter, units] : plain.units) made.units.emplace(letter, units);
    }
    made = netgen::with_pipelines(made, pipelined);
    require_units(made, device.given());
    std::string covers = "all runs of " + counted(made.warps, "warp");
    if (made.sms > 1) covers += fmt::format(" on each of {} SMs", made.sms);
    if (!of_launch.empty()) covers += ": " + of_launch;
    KernelModel model{{}, machine_of(made), std::move(covers), leaves_out(made, barriers), {}};
    const auto has_units = [&](const auto& of_letter) {
        return made.units.at(of_letter.first) == of_letter.second;
    };
    if (fermi && std::ranges::all_of(plain.units, has_units))
        model.closed_form = netgen::fermi_kernel_bound(threads, fermi->repeat);
    model.spec = std::move(made);
    return model;
}

std::optional<SmInput> KernelInput::launch_input() const {
    const netgen::PtxLaunch& shape = ptx.options.launch;
    if (!ptx.given() || !device.given() || shape.grid[0] == 0 || shape.block[0] == 0) return {};
    SmInput input;
    input.device = device;
    input.ptx = ptx;
    return input;
}

worst::Machine KernelInput::machine_of(const netgen::KernelSpec& made) const {
    worst::Machine machine{worst::SchedulerUse::unlimited};
    if (made.schedulers)
        machine = {worst::scheduler_use(made.assignment), *made.schedulers, 1, made.dispatch_units};
    for (const char letter : netgen::unit_letters(made)) {
        const auto found = made.units.find(letter);
        if (found == made.units.end()) continue;  // kernel_net() rejects such a kernel
        const netgen::UnitsPerWarp units = found->second;
        machine.units += fmt::format("{}{}={}", machine.units.empty() ? "" : ",", letter, units.numerator);
        if (units.denominator > 1) machine.units += fmt::format("/{}", units.denominator);
        if (made.own_units.find(letter) != std::string::npos) machine.own_units += letter;
    }
    for (const auto& [letter, units] : made.chip_units)
        if (made.string.find(letter) != std::string::npos)
            machine.units += fmt::format("; over all SMs {}={}", letter, units);
    const bool flags = !spec.latency.empty() || !spec.wait.empty();
    machine.latencies = device.given() ? device.device().name + (flags ? " and flags" : "")
                        : flags        ? "flags"
                                       : "none";
    return machine;
}

std::vector<std::string> KernelInput::leaves_out(const netgen::KernelSpec& made, bool barriers) const {
    if (!ptx.given() && !device.given()) return {};
    std::vector<std::string> result;
    if (!device.given() && spec.latency.empty() && spec.wait.empty()) result.emplace_back("latencies");
    if (ptx.given() && !device.given() && ptx.options.letters == netgen::PtxLetters::paper)
        result.emplace_back("control flow");
    if (barriers) result.emplace_back("waiting at barriers");
    if (device.given() && made.assignment == netgen::Assignment::shared)
        result.emplace_back("schedulers fixed to warps (--assignment fixed)");
    if (device.given() && made.dispatch_units > 1)
        result.emplace_back("the rule that a scheduler issues from one warp per cycle");
    if (device.given()) result.emplace_back("latencies above those in the device table");
    for (const char* const one : {"bank conflicts and uncoalesced accesses", "atomics on one address"})
        result.emplace_back(one);
    if (made.chip_units.empty()) result.emplace_back("bandwidth of L2 and DRAM");
    for (const char* const one :
         {"instructions slower than most of their letter", "instruction fetch", "launch and other blocks"})
        result.emplace_back(one);
    return result;
}

namespace {

/// The latencies of instructions, and the letters that they belong to.
std::vector<Option> add_latency_options(Command& command, KernelInput& input) {
    netgen::KernelSpec& spec = input.spec;
    Option latency =
        command
            .add_option_function<std::string>(
                "--latency",
                [&spec](const std::string& text) { parse_cycles("--latency", text, 1, spec.latency); },
                "Cycles for which an instruction of a letter holds its unit and the scheduler")
            .type_name("D=2,...");
    Option pipelined =
        command
            .add_option_function<std::string>(
                "--pipelined",
                [&input](const std::string& text) {
                    if (text.empty() || text.find_first_not_of("CLSD") != std::string::npos)
                        throw UsageError("--pipelined",
                                         "expected letters of C, L, S, D, found '" + text + "'");
                    input.pipelined = text;
                },
                "Letters whose units accept an instruction as with latency 1; the warp waits for the rest of "
                "--latency")
            .type_name("LETTERS");
    Option wait =
        command
            .add_option_function<std::string>(
                "--wait", [&spec](const std::string& text) { parse_cycles("--wait", text, 0, spec.wait); },
                "Cycles a warp waits after an instruction of a letter, holding nothing: memory latency")
            .type_name("L=20,...");
    Option pessimistic = command.add_flag(
        "--pessimistic", input.pessimistic,
        "Turn an instruction of several cycles into as many instructions (the paper's normalisation)");
    return {latency, pipelined, wait, pessimistic};
}

}  // namespace

void add_kernel_input(Command& command, KernelInput& input, const std::string& threads_flag) {
    netgen::KernelSpec& spec = input.spec;
    Option string =
        command
            .add_option_function<std::string>(
                "--string", [&spec](const std::string& text) { spec.string = checked_string(text); },
                "Instructions of a warp: C core, L load/store, S special, D double")
            .type_name("LLCC...");
    const auto fermi = [&input]() -> netgen::FermiSpec& {
        if (!input.fermi) input.fermi.emplace();
        return *input.fermi;
    };
    Option fermi_template =
        command
            .add_option_function<std::string>(
                "--template",
                [fermi](const std::string& text) {
                    if (text != "fermi")
                        throw UsageError("--template", "expected fermi, found '" + text + "'");
                    fermi();
                },
                "C(LLC)^repeat L on 2 core and 1 load/store units unless --units or --device differs, "
                "warps of 16 threads (Raravi and Andersson)")
            .type_name("fermi")
            .excludes(string);
    Option ptx = add_ptx_input(command, input.ptx, fermi_template).excludes(string).excludes(fermi_template);
    add_ptx_string_options(command, input.ptx, ptx);
    input.warps = add_number(command, "--warps", spec.warps, "Equal warps per SM", 1, most_warps);
    Option sms =
        add_number(command, "--sms", spec.sms, "Equal SMs, which share only --chip-units", 1, most_warps);
    Option device = add_device_input(command, input.device,
                                     "Units, schedulers, fixed to warps, and latencies of a preset ('warpnet "
                                     "devices'), if no flag gives "
                                     "them");
    add_device_facts(command, input.device).needs(device);
    Option units = command
                       .add_option_function<std::string>(
                           "--units", [&spec](const std::string& text) { parse_units(text, spec); },
                           "Instructions of each letter per cycle; a rate below 1 is written 1/2 or 0.5")
                       .type_name("C=4,L=1,...");
    Option own_units =
        command
            .add_option_function<std::string>(
                "--own-units",
                [&input](const std::string& text) {
                    if (text != "none" &&
                        (text.empty() || text.find_first_not_of("CLSD") != std::string::npos))
                        throw UsageError("--own-units",
                                         "expected letters of C, L, S, D or none, found '" + text + "'");
                    input.own_units = text == "none" ? "" : text;
                },
                "With fixed schedulers: letters whose units belong to one scheduler and its warps; --units "
                "then counts those of one scheduler; default none, or those of --device")
            .type_name("LETTERS|none");
    Option chip_units =
        command
            .add_option_function<std::string>(
                "--chip-units",
                [&spec](const std::string& text) { parse_cycles("--chip-units", text, 1, spec.chip_units); },
                "Instructions of a letter per cycle over all SMs: accesses that the memory of the device "
                "takes")
            .type_name("L=2,...");
    Option scheduler_limit = command
                                 .add_option_function<std::string>(
                                     "--schedulers",
                                     [&input](const std::string& text) {
                                         const auto schedulers = parse_number<std::int64_t>(text);
                                         check_range("--schedulers", text, schedulers, 1, most_warps);
                                         input.spec.schedulers = static_cast<int>(*schedulers);
                                     },
                                     "Instructions per cycle over all letters; without it: no such limit")
                                 .type_name("N");
    std::vector<Option> of_kernels = add_latency_options(command, input);
    const auto [assignment, dispatch] = add_assignment(command, input.assignment);
    of_kernels.insert(of_kernels.end(), {*input.warps, sms, device, units, own_units, chip_units,
                                         scheduler_limit, assignment, dispatch});
    for (Option option : of_kernels) option.belongs_to({string, ptx, fermi_template});
    command
        .add_option_function<std::string>(
            "--repeat",
            [fermi](const std::string& text) {
                const auto repeat = parse_number<std::int64_t>(text);
                check_range("--repeat", text, repeat, 1, 1'000'000);
                fermi().repeat = static_cast<int>(*repeat);
            },
            "With --template: how often LLC is repeated")
        .type_name("R")
        .needs("--template");
    command
        .add_option_function<std::string>(
            threads_flag,
            [fermi, threads_flag](const std::string& text) {
                const auto threads = parse_number<std::int64_t>(text);
                check_range(threads_flag, text, threads, 1,
                            netgen::fermi_warp_threads * std::int64_t{most_warps});
                fermi().threads = static_cast<int>(*threads);
            },
            "With --template: threads on the SM, 16 per warp")
        .type_name("N")
        .needs("--template")
        .excludes("--warps")
        .excludes("--grid")
        .excludes("--block");
    command
        .add_option_function<std::string>(
            "--fairness", [fermi](const std::string& text) { fermi().fairness = parse_fairness(text); },
            "With --template: which instructions go first; default sub-blocks")
        .type_name("none|sub-blocks|own-levels")
        .needs("--template");
}

}  // namespace warpnet::cli

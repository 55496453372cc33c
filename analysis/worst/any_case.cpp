// Divides the question for the longest (shortest) run into smaller ones, by the kind of the net. The net of a
// kernel becomes its instance. A grid of equal blocks is answered for one block, and warps with any
// assignment to schedulers for the sets that can meet on one. Parts that share nothing that can be short are
// answered one by one, equal parts once. Any other net is answered as a whole (net_case.cpp).
//
// A policy orders all parts, and an order or a saved search is about the whole net. Such a net is searched as
// a whole, with the bounds of its kind. Each answer is then composed for the whole net, and its witness is
// replayed by the plain rules before it is returned.

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/bounds/grid_schedule.hpp"
#include "analysis/worst/bounds/machine.hpp"
#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/bounds/unconnected_parts.hpp"
#include "analysis/worst/case_search.hpp"
#include "analysis/worst/kernel/bracket.hpp"
#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/worst_case.hpp"
#include "engine/base/text.hpp"
#include "engine/base/with_threads.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/plan.hpp"
#include "engine/run/served_parts.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

/// The member of a saved search that says which search wrote it.
constexpr std::array saved_search_kinds = {"warpnet_exact_search", "warpnet_checkpoint",
                                           "warpnet_order_search", "warpnet_plan_search"};

/// A schedule with more firings is not built, because it would take gigabytes.
constexpr std::uint64_t most_firings = 50'000'000;

/// Follows a schedule step by step by the plain rules; throws std::logic_error unless it ends dead after
/// `steps` steps. False: a limit of time was met before its end. Short runs are always checked.
bool replay_witness(const Net& net, const Schedule& schedule, std::uint64_t steps, const WorkLimits& limits) {
    const RunResult result =
        replay(compile(net), net, schedule, Semantics::maximal, nullptr, limits_of_run(net, steps, limits));
    if (result.reason == StopReason::interrupted || result.reason == StopReason::time_limit) return false;
    if (result.steps != steps || result.reason != StopReason::dead)
        throw std::logic_error("the witness of a search is not a complete run of the net");
    return true;
}

/// Orders and saved searches are about a single net.
bool is_about_one_net(const WorstCaseOptions& options) {
    return options.order || options.wants_order || options.saved || options.save;
}

/// Whether a warps net has several SMs or blocks that wait.
bool is_grid(const netgen::WarpsSpec& spec) { return !spec.published && (spec.sms > 1 || spec.blocks > 1); }

/// A net with more kinds of parts is searched as a whole, because each part would get the whole default
/// effort.
constexpr std::size_t most_kinds_of_parts = 16;

/// A kernel, warps in a grid or with any assignment to schedulers, several connected parts, or any other net.
using NetKind = std::variant<netgen::KernelNet, netgen::WarpsSpec, UnconnectedParts, std::monostate>;

NetKind kind_of(const Net& net) {
    if (std::optional<netgen::KernelNet> kernel = netgen::recognise_kernel(net)) return *std::move(kernel);
    if (std::optional<netgen::KernelNet> kernel = kernel_of_free_schedulers(net)) return *std::move(kernel);
    std::optional<netgen::WarpsSpec> warps = netgen::recognise_warps(net);
    if (warps && (is_grid(*warps) || warps->assignment == netgen::Assignment::any)) return *std::move(warps);
    if (std::optional<UnconnectedParts> parts = unconnected_parts(net, most_kinds_of_parts))
        return *std::move(parts);
    return std::monostate{};
}

WorstCase case_without_policy(const WorstCaseOptions& options, const Net& net);

/// The answer for a grid, from the answer for one of its blocks.
WorstCase grid_case(const WorstCaseOptions& options, const netgen::WarpsSpec& spec, const Net& net) {
    const Net block = netgen::warps_net(netgen::one_block(spec));
    const auto part = show_part(options, "one block");
    WorstCase worst = case_without_policy(options, block);
    if (!ranks::leads(options.ranks)) return worst;
    const auto whole = [&](std::uint64_t steps) { return grid_bound(spec, {steps, {}}).steps; };
    for (StepBound& bound : worst.bounds) bound = grid_bound(spec, bound);
    for (std::string& argument : worst.arguments) argument = grid_bound(spec, {0, argument}).argument;
    for (auto& [start, steps] : worst.start_values) steps = whole(steps);
    for (WorstCaseImprovement& improvement : worst.log) improvement.value = whole(improvement.value);
    if (worst.bound) worst.bound = whole(*worst.bound);
    if (!worst.found) return worst;
    worst.method += ", of one block; the grid repeats it on every SM";
    const std::uint64_t of_block = *worst.found;
    worst.found = whole(of_block);
    if (!worst.has_schedule()) {
        worst.replayed = false;
    } else if (worth_following(net, *worst.found, options.limits,
                               grid_firings(spec, worst.schedule) <= most_firings)) {
        worst.schedule = grid_schedule(spec, net, block, worst.schedule);
    } else {
        worst.replayed = replay_witness(block, worst.schedule, of_block, options.limits);
        worst.schedule.clear();
        worst.witness_of_part = true;
    }
    return worst;
}

WorstCase kernel_net_case(const WorstCaseOptions& options, const netgen::KernelNet& kernel) {
    WorstCase worst = kernel_case(options, kernel.instance);
    worst.schedule = net_schedule(kernel, worst.instructions);
    return worst;
}

/// Whether the parts of a net are searched one by one.
bool divides(const WorstCaseOptions& options, const UnconnectedParts& parts) {
    return parts.kinds.size() == 1 || !is_about_one_net(options);
}

/// The answer for a net, from the answers for its parts. The search shown is that of the part with the
/// longest run.
WorstCase parts_case(Objective objective, const UnconnectedParts& parts, std::vector<WorstCase> cases) {
    const auto has_found = [](const WorstCase& one) { return one.found.has_value(); };
    const auto has_schedule = [](const WorstCase& one) { return one.has_schedule(); };
    // Any part bounds the run from below, and only all of them bound it from above.
    auto bounding = std::ranges::find_if(
        cases, [&](const WorstCase& one) { return objective == Objective::longest && !one.bound; });
    if (bounding == cases.end()) bounding = std::ranges::max_element(cases, {}, &WorstCase::bound);
    // A part without a known run decides how the search is described, otherwise the part with the longest
    // run.
    WorstCase worst = *std::ranges::min_element(cases, [&](const WorstCase& a, const WorstCase& b) {
        return has_found(a) && has_found(b) ? a.found > b.found : has_found(a) < has_found(b);
    });
    worst.bound_only = std::ranges::all_of(cases, &WorstCase::bound_only);
    worst.bound = bounding->bound;
    worst.bounds = bounding->bounds;
    worst.no_bound = bounding->no_bound;
    worst.arguments = bounding->arguments;
    if (!worst.arguments.empty())
        worst.arguments.insert(
            worst.arguments.begin(),
            fmt::format("{} {}parts of the net share nothing{}, so that together they take as long as {}",
                        parts.parts.size(), cases.size() == 1 ? "equal " : "",
                        parts.meet ? " that can be short" : "", cases.size() == 1 ? "one" : "the longest"));
    worst.exact = worst.found && worst.found == worst.bound;
    take_limits(worst, cases);
    worst.schedule.clear();
    worst.witness_of_part = false;
    if (std::ranges::all_of(cases, has_schedule)) {
        std::vector<Schedule> schedules;
        schedules.reserve(cases.size());
        for (WorstCase& one : cases) schedules.push_back(std::move(one.schedule));
        worst.schedule = joined_schedule(parts, schedules);
    }
    return worst;
}

WorstCase case_of_kind(const WorstCaseOptions& options, const Net& net, const NetKind& kind);

/// The bounds on all runs that the kind of a net proves without a search. Only on rank 0.
WorstCase bounds_of_kind(const WorstCaseOptions& options, const Net& net, const NetKind& kind) {
    WorstCaseOptions bound_only;
    bound_only.objective = options.objective;
    bound_only.search = false;
    bound_only.max_steps = options.max_steps;
    bound_only.limits = half_the_time(options.limits);
    bound_only.progress = options.progress;
    return case_of_kind(bound_only, net, kind);
}

/// The answer for a net that is searched as a whole, for its order or its saved search. Its kind bounds it.
WorstCase whole_case(const WorstCaseOptions& options, const Net& net, const NetKind& kind) {
    if (!is_about_one_net(options)) return net_case(options, net);
    return net_case(options, net, [&] { return bounds_of_kind(options, net, kind); });
}

WorstCase case_of_kind(const WorstCaseOptions& options, const Net& net, const NetKind& kind) {
    if (const auto* kernel = std::get_if<netgen::KernelNet>(&kind)) return kernel_net_case(options, *kernel);
    if (const auto* warps = std::get_if<netgen::WarpsSpec>(&kind)) {
        if (is_grid(*warps)) return grid_case(options, *warps, net);
        return is_about_one_net(options) ? whole_case(options, net, kind)
                                         : assignment_case(options, *warps, net);
    }
    const auto* parts = std::get_if<UnconnectedParts>(&kind);
    auto cases =
        parts != nullptr && divides(options, *parts) ? cases_of_kinds(options, parts->kinds) : std::nullopt;
    if (!cases) return parts != nullptr ? whole_case(options, net, kind) : net_case(options, net);
    return ranks::leads(options.ranks) ? parts_case(options.objective, *parts, *std::move(cases))
                                       : WorstCase{};
}

WorstCase case_without_policy(const WorstCaseOptions& options, const Net& net) {
    auto part = show_part(options, "structure");
    const NetKind kind = kind_of(net);
    part.reset();
    return case_of_kind(options, net, kind);
}

/// A policy orders all parts of a net, so that the net is run and searched as a whole. The bounds are those
/// of all its runs, of a kernel those that counting proves at once. A policy with nothing to decide leaves
/// the answer of the net.
WorstCase policy_case(const WorstCaseOptions& options, const Net& net) {
    WorstCaseOptions without = options;
    without.policy = {};
    if (!parts_to_order(net, compile(net))) {
        WorstCase worst = case_without_policy(without, net);
        worst.policy = options.policy;
        worst.policy_decides = false;
        return worst;
    }
    const NetKind kind = kind_of(net);
    if (std::holds_alternative<std::monostate>(kind)) return net_case(options, net);
    return net_case(options, net, [&] {
        if (const auto* kernel = std::get_if<netgen::KernelNet>(&kind)) {
            WorstCase worst;
            worst.bounds = counted_bounds(kernel->instance, options.objective);
            return worst;
        }
        return bounds_of_kind(options, net, kind);
    });
}

WorstCase case_of_net(const WorstCaseOptions& options, const Net& net) {
    return options.policy ? policy_case(options, net) : case_without_policy(options, net);
}

/// The texts in their order; of equal ones the first, with their number.
std::vector<std::string> each_once(const std::vector<std::string>& texts) {
    std::vector<std::string> result;
    for (auto at = texts.begin(); at != texts.end(); ++at) {
        if (std::find(texts.begin(), at, *at) != at) continue;
        const auto times = std::count(at, texts.end(), *at);
        result.push_back(times == 1 ? *at : fmt::format("{} ({} times)", *at, times));
    }
    return result;
}

/// A text of rank 0 on all ranks.
void share_text(std::optional<NamedText>& text, ranks::Collectives& ranks) {
    ranks::ByteWriter writer;
    if (text) {
        writer.put_text(text->name);
        writer.put_text(text->text);
    }
    const std::string shared = ranks.broadcast(0, std::move(writer).take());
    ranks::ByteReader reader(shared);
    text.reset();
    if (reader.at_end()) return;
    std::string name = reader.get_text();
    text = NamedText{std::move(name), reader.get_text()};
}

/// Gives all ranks the same options: the texts of rank 0, and the memory that every rank has.
void share_options(WorstCaseOptions& options) {
    if (options.ranks == nullptr) return;
    share_text(options.order, *options.ranks);
    share_text(options.saved, *options.ranks);
    const std::vector<std::uint64_t> memory = ranks::values_of_all(options.ranks, options.limits.memory);
    options.limits.memory = *std::min_element(memory.begin(), memory.end());
}

/// Throws InputError for a saved search that no search wrote, or a damaged one. It is checked before the
/// work, because a net that is solved without a search does not read it. A search over orders would overwrite
/// an exact one.
void check_saved(const NamedText& saved, bool exact) {
    read_saved_search(saved, [exact](std::string_view text) {
        name_json_faults("checkpoint", [&] {
            auto json = parse_json<nlohmann::ordered_json>(text, "checkpoint");
            const bool known = std::ranges::any_of(saved_search_kinds, [&](const char* kind) {
                return json.is_object() && json.contains(kind);
            });
            if (!known) throw InputError("expected a saved search of 'worst', found other JSON");
            if (!json.contains("checksum"))
                throw InputError(
                    "checkpoint: expected a checksum, found none: written by an older version, or changed");
            remove_seal(json, "checkpoint");
        });
        if (!exact && is_exact_checkpoint(text))
            throw InputError(
                "an exact search is saved there; add --exact to continue it, or name another file");
        return true;
    });
}

/// The answer of `find`, called with complete options and their threads.
template <class Find>
WorstCase case_by(WorstCaseOptions options, Find&& find) {
    WorstCase worst;
    ranks::together(options.ranks, [&] {
        share_options(options);
        if (options.saved) check_saved(*options.saved, options.exact);
        worst = with_threads(options.threads, [&] { return find(options); });
    });
    worst.objective = options.objective;
    worst.interrupted = options.limits.interrupted();
    if (worst.bound && (worst.bounds.empty() || worst.bounds.front().steps != *worst.bound))
        worst.bounds.insert(worst.bounds.begin(),
                            {*worst.bound, worst.arguments.empty() ? "" : worst.arguments.back()});
    worst.arguments = each_once(worst.arguments);
    worst.limits_hit = each_once(worst.limits_hit);
    return worst;
}

std::optional<std::uint64_t> steps_of(const std::optional<StepBound>& bound) {
    return bound ? std::optional(bound->steps) : std::nullopt;
}

}  // namespace

std::optional<StepBound> structural_bound(const Net& net, bool borrowed_hubs,
                                          const RunBoundOptions& options) {
    RunBounds bounds = run_bounds(net, plan(compile(net), {}, {.borrowed_hubs = borrowed_hubs}), options);
    if (bounds.upper.empty()) return {};
    return std::move(bounds.upper.front());
}

void take_limits(WorstCase& worst, const std::vector<WorstCase>& cases) {
    worst.limit_reached = false;
    worst.limits_hit.clear();
    for (const WorstCase& one : cases) {
        if (worst.exact) break;
        worst.limit_reached |= one.limit_reached;
        worst.limits_hit.insert(worst.limits_hit.end(), one.limits_hit.begin(), one.limits_hit.end());
    }
}

// Nothing for endless runs, because a cycle of the net then depends on all parts.
std::optional<std::vector<WorstCase>> cases_of_kinds(const WorstCaseOptions& options,
                                                     const std::vector<Net>& kinds) {
    std::vector<WorstCase> cases;
    std::atomic<std::uint64_t> finished = 0;
    const auto part = kinds.size() > 1 && ranks::leads(options.ranks)
                          ? begin_part(options.progress, {"kinds of parts", kinds.size(), &finished})
                          : nullptr;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        WorstCaseOptions of_kind = options;
        if (options.limits.deadline) {
            const auto now = std::chrono::steady_clock::now();
            const auto left = *options.limits.deadline - now;
            of_kind.limits.deadline = now + left / static_cast<std::int64_t>(kinds.size() - kind);
        }
        const WorstCase& worst = cases.emplace_back(case_without_policy(of_kind, kinds[kind]));
        const bool ends = ranks::value_of_first(options.ranks, [&] {
            return worst.endless == EndlessRuns::none_known && !worst.time_stands_still;
        });
        if (!ends) return {};
        ++finished;
    }
    return cases;
}

WorstCase worst_case(const Net& net, const WorstCaseOptions& given) {
    return case_by(given, [&](const WorstCaseOptions& options) {
        WorstCase worst = case_of_net(options, net);
        if (!ranks::leads(options.ranks)) return worst;
        worst.machine = machine_of(net);
        const auto part = show_part(options, "replay", worst.bound);
        if (worst.found && !worst.witness_of_part)
            worst.replayed =
                worst.has_schedule() && replay_witness(net, worst.schedule, *worst.found, options.limits);
        return worst;
    });
}

WorstCase worst_case(const netgen::KernelInstance& instance, const WorstCaseOptions& given) {
    if (given.policy) throw InputError("a policy serves the warps of a net; this is an instruction string");
    return case_by(given, [&](const WorstCaseOptions& options) {
        WorstCase worst = kernel_case(options, instance);
        if (!ranks::leads(options.ranks)) return worst;
        worst.machine.schedulers = instance.schedulers ? SchedulerUse::shared : SchedulerUse::unlimited;
        worst.machine.count = instance.schedulers.value_or(0);
        worst.covers = "all runs of " + plural(static_cast<std::uint64_t>(instance.warps), "warp");
        if (worst.found && (worst.instructions.size() != *worst.found ||
                            !check_schedule(instance, worst.instructions).empty()))
            throw std::logic_error("the witness of a search is not a schedule of the kernel");
        return worst;
    });
}

WorstCase worst_case(const netgen::WarpsSpec& spec, const WorstCaseOptions& options) {
    return worst_case(netgen::warps_net(spec), options);
}

std::optional<QuickBound> quick_bound(const Net& net) {
    const NetKind kind = kind_of(net);
    std::optional<std::uint64_t> steps;
    if (const auto* warps = std::get_if<netgen::WarpsSpec>(&kind); warps != nullptr && is_grid(*warps)) {
        const std::optional<QuickBound> block = quick_bound(netgen::warps_net(netgen::one_block(*warps)));
        if (block) steps = grid_bound(*warps, {block->steps, {}}).steps;
    } else if (warps != nullptr) {
        steps = steps_of(assignment_bound(*warps));
    } else if (const auto* parts = std::get_if<UnconnectedParts>(&kind)) {
        for (const Net& part : parts->kinds) {
            const std::optional<QuickBound> bound = quick_bound(part);
            if (!bound) {  // a part alone may have no hub, although it has one in the net
                steps = steps_of(structural_bound(net, true));
                break;
            }
            steps = std::max(steps, std::optional(bound->steps));
        }
    } else if (std::holds_alternative<std::monostate>(kind)) {
        steps = steps_of(structural_bound(net, false));
    }
    if (!steps) return {};
    return QuickBound{*steps, machine_of(net)};
}

std::string note_on_bound(std::uint64_t steps, const std::optional<QuickBound>& bound) {
    if (!bound || steps > bound->steps) return "";
    const std::string machine = to_text(bound->machine);
    return steps == bound->steps
               ? fmt::format("no run of this net is longer (certified; machine: {})", machine)
               : fmt::format("quick bound of this net: {} (certified; machine: {})", bound->steps, machine);
}

std::string no_worst_case(const WorstCase& worst) {
    const bool longest = worst.objective == Objective::longest;
    if (worst.endless == EndlessRuns::every)
        return longest ? "no finite worst case: every run is endless"
                       : "no shortest run: every run is endless";
    if (!longest) return "";
    if (worst.endless == EndlessRuns::some)
        return "no finite bound over all runs: some end, some are endless";
    if (worst.endless == EndlessRuns::one) return "no finite bound over all runs: at least one is endless";
    if (worst.time_stands_still)
        return "no worst case: immediate transitions fire forever, time does not advance";
    return "";
}

}  // namespace warpnet::worst

// The parts of an exact search, each a sweep over all states or some of them. The first part visits all runs
// with a small effort, because a net with few states is solved at once. Then beams (the best states of each
// layer by steps so far + bound) find a run. The next part tries a target of one step more than that run,
// with a larger effort. The last parts try the targets from the bound downwards. The first target that is met
// is the value, and each one that is not met lowers the bound.
//
// Refuting a target near the bound is cheap, because almost all states are pruned. For four warps with 20, 5
// and 2 instructions and two schedulers the bound is 307: refuting 307, 306 and 305 takes 100, 536 and 2,303
// states, and a beam of 64 finds 304. After eight single refutations targets are taken in ever larger groups.
//
// A checkpoint is written between two parts. It holds the run found, the bound and the next part; the states
// of an unfinished sweep are visited again.

#include "analysis/worst/exact/extremes.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/exact/local_states.hpp"
#include "analysis/worst/exact/multiset_steps.hpp"
#include "analysis/worst/exact/multiset_sweep.hpp"
#include "engine/base/random.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpnet::worst {
namespace {

/// The effort that a sweep may take.
enum class SweepBudget : std::uint8_t {
    quick,      // all runs, without a bound
    full,       // an attempt that decides everything at once
    unlimited,  // as much as the caller allows
};

/// In units of WorkLimits::effort; 0: no limit.
std::uint64_t units_of(SweepBudget budget) {
    switch (budget) {
        case SweepBudget::quick:
            return 300'000;
        case SweepBudget::full:
            return 10'000'000;
        case SweepBudget::unlimited:
            return 0;
    }
    return 0;
}

constexpr std::size_t beam_widths[] = {64, 1'000, 8'000};
constexpr std::uint64_t single_refutations = 8;  // before the numbers are taken in ever larger groups

/// Takes the results of a saved search.
void take_results(const ExactProgress& from, Objective objective, ExactResult& result) {
    result.found = from.found;
    result.schedule = from.schedule;
    if (from.bound && (!result.bound || better(objective, *result.bound, *from.bound)))
        result.bound = from.bound;
    result.exact = from.exact;
    result.states = from.states;
    result.effort = from.effort;
    result.bytes = from.bytes;
}

class ExactSearch {
  public:
    ExactSearch(const Plan& planned, const ExactOptions& options, const LocalStates& states,
                const MultisetNet& multisets, ExactResult& result)
        : planned_(planned),
          options_(options),
          states_(states),
          multisets_(multisets),
          remaining_(multisets),
          longest_(options.objective == Objective::longest),
          result_(result) {}

    void search() {
        set_bound();
        if (options_.from) take(*options_.from);
        if (hopeless()) return;
        for (; !closed() && next_part(); save()) {
        }
    }

  private:
    /// The best known value, found here or given.
    std::optional<std::uint64_t> known() const {
        if (!result_.found) return options_.found;
        return options_.found && better(options_.objective, *options_.found, *result_.found) ? options_.found
                                                                                             : result_.found;
    }
    std::optional<std::uint64_t> next_target() const {
        const auto best = known();
        if (!best) return std::nullopt;
        return longest_ ? *best + 1 : *best - 1;
    }

    /// The next part of the search: all runs with a small effort, then beams, all runs again, refutations.
    /// False if no part is left.
    bool next_part() {
        constexpr std::uint32_t beams = std::size(beam_widths);
        const std::uint32_t part = progress_.part;
        if (part > 0 && part <= beams) {
            // A beam that proves the value or meets a limit is the last one.
            progress_.part = run(next_target(), beam_widths[part - 1]) ? part + 1 : beams + 1;
            return !asked_to_end();
        }
        if (part > beams && out_of_effort()) return false;
        if (part > beams + 1) return refute();
        const bool first = part == 0;
        if (!everything_at_once(first ? SweepBudget::quick : SweepBudget::full)) return false;
        ++progress_.part;
        return true;
    }

    bool asked_to_end() const {
        return result_.stop == WorkEnd::interrupted || result_.stop == WorkEnd::time_limit;
    }

    void take(const ExactProgress& from) {
        progress_ = from;
        take_results(from, options_.objective, result_);
        result_.stop = from.stop;
    }

    void save() {
        if (!options_.checkpoint) return;
        progress_.found = result_.found;
        progress_.schedule = result_.schedule;
        progress_.bound = result_.bound;
        progress_.exact = result_.exact;
        progress_.stop = result_.stop;
        progress_.states = result_.states;
        progress_.effort = result_.effort;
        progress_.bytes = result_.bytes;
        options_.checkpoint(progress_);
    }

    void set_bound() {
        MultisetSteps steps(multisets_, false);
        const MultisetSteps::Successor first = steps.first();
        RemainingSteps::Scratch scratch;
        const std::int64_t left =
            longest_ ? remaining_.most(first.state, scratch) : remaining_.least(first.state);
        if (first.ending == Ending::open && left < RemainingSteps::unbounded &&
            (!longest_ || remaining_.always_ends()))
            result_.bound = first.steps + static_cast<std::uint64_t>(left);
        if (options_.bound && (!result_.bound || better(options_.objective, *result_.bound, *options_.bound)))
            result_.bound = options_.bound;
    }

    /// Whether the best known value is optimal.
    bool closed() {
        result_.exact |= known().has_value() && result_.bound == known();
        return result_.exact;
    }

    /// Whether even a narrow beam exceeds the allowed effort.
    bool hopeless() {
        if (options_.limits.effort == 0 || closed()) return false;
        MultisetState first{multisets_.start, multisets_.start_counters};
        const auto layers = static_cast<std::uint64_t>(remaining_.potential(first));
        if (layers * beam_widths[0] <= options_.limits.effort) return false;
        result_.stop = WorkEnd::effort_limit;
        return true;
    }

    bool out_of_effort() {
        if (options_.limits.effort == 0 || result_.effort < options_.limits.effort) return false;
        result_.stop = WorkEnd::effort_limit;
        return true;
    }

    /// A search with its answer entered into the result; false if nothing more can be done. `why` receives
    /// the reason for its end.
    MultisetSweep sweep(std::optional<std::uint64_t> target, std::size_t width, SweepBudget budget) {
        MultisetSweepOptions options;
        options.objective = options_.objective;
        options.target = target;
        options.width = width;
        options.limits = options_.limits;
        const std::uint64_t most = units_of(budget);
        options.limits.effort = most;
        if (options_.limits.effort > 0) {
            const std::uint64_t left =
                options_.limits.effort - std::min(options_.limits.effort, result_.effort);
            options.limits.effort = std::max<std::uint64_t>(1, most == 0 ? left : std::min(left, most));
        }
        // Short sweeps end before a message reaches other ranks.
        const bool divided = width == 0 && budget != SweepBudget::quick && options_.limits.effort == 0;
        if (divided) options.ranks = options_.ranks;
        MultisetSweep found =
            divided ? multiset_sweep(multisets_, remaining_, options) : sweep_alone(options);
        result_.states += found.states;
        result_.effort += found.effort;
        result_.bytes = std::max(result_.bytes, found.bytes);
        const auto best = known();
        if (found.steps && (!best || better(options_.objective, *found.steps, *best))) {
            result_.found = found.steps;
            if (ranks::leads(options_.ranks))
                result_.schedule =
                    schedule_of_moves(planned_, states_, multisets_, found.moves, *found.steps);
        }
        return found;
    }

    /// A sweep of rank 0; all other ranks receive everything but the moves.
    MultisetSweep sweep_alone(const MultisetSweepOptions& options) const {
        struct Figures {
            WorkEnd stop;
            bool cut;
            std::optional<std::uint64_t> steps;
            std::uint64_t states, effort, bytes;
        };
        MultisetSweep found;
        const Figures of_first = ranks::value_of_first(options_.ranks, [&] {
            found = multiset_sweep(multisets_, remaining_, options);
            return Figures{found.stop, found.cut, found.steps, found.states, found.effort, found.bytes};
        });
        return {.stop = of_first.stop,
                .cut = of_first.cut,
                .steps = of_first.steps,
                .moves = std::move(found.moves),
                .states = of_first.states,
                .effort = of_first.effort,
                .bytes = of_first.bytes};
    }

    bool run(std::optional<std::uint64_t> target, std::size_t width) {
        const MultisetSweep found = sweep(target, width, SweepBudget::unlimited);
        if (found.stop == WorkEnd::complete) {
            if (!found.cut) decide(target, found);
            return !result_.exact;
        }
        result_.stop = found.stop;
        return false;
    }

    /// All runs that meet a target have been visited.
    void decide(std::optional<std::uint64_t> target, const MultisetSweep& found) {
        if (found.steps) {
            result_.bound = *found.steps;
        } else if (target) {
            result_.bound = longest_ ? *target - 1 : *target + 1;
        }
        result_.exact = result_.bound.has_value() && result_.bound == known();
        if (!found.steps && !target) result_.exact = true;  // no run ends
    }

    /// Whether to continue with another part.
    bool everything_at_once(SweepBudget budget) {
        const auto target = budget == SweepBudget::quick ? std::nullopt : next_target();
        const MultisetSweep found = sweep(target, 0, budget);
        if (found.stop == WorkEnd::complete) decide(target, found);
        if (found.stop == WorkEnd::effort_limit) return !out_of_effort();
        result_.stop = found.stop;
        return false;
    }

    /// Tries the next target, from the bound on. The first target that a run meets is the answer.
    bool refute() {
        std::optional<std::uint64_t> target = result_.bound;
        std::uint64_t& stride = progress_.stride;
        if (progress_.refutations >= single_refutations) stride *= 2;
        const auto last = next_target();
        if (!target) {
            target = last;
        } else if (progress_.refutations > 0 && stride > 1) {
            *target = longest_ ? *target - std::min(*target, stride - 1) : *target + stride - 1;
            if (last && better(options_.objective, *last, *target)) target = last;
        }
        ++progress_.refutations;
        return run(target, 0);
    }

    const Plan& planned_;
    const ExactOptions& options_;
    const LocalStates& states_;
    const MultisetNet& multisets_;
    RemainingSteps remaining_;
    bool longest_;
    ExactResult& result_;
    ExactProgress progress_;  // the part of result_ that it had at the last save()
};

/// The multisets of a net, or the reason why there are none.
struct Multisets {
    LocalStates states;
    MultisetNet net;
    WorkEnd stop = WorkEnd::complete;
    std::string reason = {};  // of not_applicable
};

Multisets multisets_of(const Plan& planned, const WorkLimits& limits) {
    Multisets made{local_states(planned, false, limits), {}};
    made.stop = made.states.stop;
    made.reason = made.states.reason;
    if (made.stop != WorkEnd::complete) return made;
    made.stop = WorkEnd::not_applicable;
    if (!made.states.acyclic()) {
        made.reason = "a module can come back to a state";
        return made;
    }
    made.net = multiset_net(planned, made.states);
    if (made.net.positions.empty()) {
        made.reason = "the modules have too many states";
    } else {
        made.stop = WorkEnd::complete;
    }
    return made;
}

}  // namespace

ExactResult exact_extremes(const Plan& planned, const ExactOptions& options) {
    ExactResult result;
    const Multisets multisets = multisets_of(planned, options.limits);
    result.stop = ranks::end_of_any(options.ranks, multisets.stop);
    result.reason = multisets.reason;
    if (result.stop != WorkEnd::complete) {
        if (options.from && result.stop != WorkEnd::not_applicable)
            take_results(*options.from, options.objective, result);
        return result;
    }
    result.local_states = multisets.net.positions.size();
    ExactSearch(planned, options, multisets.states, multisets.net, result).search();
    return result;
}

namespace {

// A checkpoint identifies its net by a hash of arcs and tokens, because transitions are stored by number.
// Reading it checks the version, the checksum, the net, the objective and, by a replay, the schedule. Only
// the checksum protects the bound and the progress.

using CheckpointJson = nlohmann::ordered_json;

constexpr int exact_checkpoint_version = 2;
constexpr const char* checkpoint_key = "warpnet_exact_search";

/// The options and facts on which the numbers of transitions and the search depend.
std::uint64_t fingerprint_of(const CompiledNet& net) {
    std::uint64_t hash = hash_bits(net.place_count(), net.transition_count());
    for (const Tokens tokens : net.initial) hash = hash_bits(hash, static_cast<std::uint64_t>(tokens));
    for (const Rows<PlaceWeight>* rows : {&net.inputs, &net.outputs, &net.reads, &net.inhibitors}) {
        rows->for_each([&](std::uint32_t transition, PlaceWeight arc) {
            hash = hash_bits(hash ^ transition,
                             (std::uint64_t{arc.place} << 32) ^ static_cast<std::uint64_t>(arc.weight));
        });
        hash = hash_bits(hash, 0);
    }
    return hash;
}

void check_schedule_of(const CompiledNet& net, const Net& names, const ExactProgress& progress) {
    if (!progress.found) return;
    const RunResult run = replay(net, names, progress.schedule, Semantics::maximal);
    if (run.reason != StopReason::dead || run.steps != *progress.found)
        throw InputError("checkpoint: its schedule is not a whole run of as many steps as were found");
}

std::optional<std::uint64_t> number_of(const CheckpointJson& json) {
    if (json.is_null()) return std::nullopt;
    return json.get<std::uint64_t>();
}

}  // namespace

std::string write_checkpoint(const CompiledNet& net, Objective objective, const ExactProgress& progress) {
    CheckpointJson json = {{checkpoint_key, exact_checkpoint_version},
                           {"net", fingerprint_of(net)},
                           {"longest", objective == Objective::longest},
                           {"part", progress.part},
                           {"refutations", progress.refutations},
                           {"stride", progress.stride},
                           {"found", or_null(progress.found)},
                           {"bound", or_null(progress.bound)},
                           {"exact", progress.exact},
                           {"out_of_memory", progress.stop == WorkEnd::memory_limit},
                           {"states", progress.states},
                           {"effort", progress.effort},
                           {"bytes", progress.bytes}};
    CheckpointJson steps = CheckpointJson::array();
    for (const ScheduledStep& step : progress.schedule) steps.push_back(step.transitions);
    json["schedule"] = std::move(steps);
    return sealed_json(std::move(json));
}

ExactProgress read_exact_checkpoint(const CompiledNet& net, const Net& names, Objective objective,
                                    std::string_view text) {
    return name_json_faults("checkpoint", [&] {
        const auto json =
            read_sealed_json<CheckpointJson>(text, "checkpoint", checkpoint_key, exact_checkpoint_version);
        if (json.at("net") != fingerprint_of(net))
            throw InputError("checkpoint: this is a search of another net");
        if (json.at("longest") != (objective == Objective::longest))
            throw InputError("checkpoint: this is a search for the other extreme (--best)");
        ExactProgress progress;
        progress.part = json.at("part");
        progress.refutations = json.at("refutations");
        progress.stride = json.at("stride");
        progress.found = number_of(json.at("found"));
        progress.bound = number_of(json.at("bound"));
        progress.exact = json.at("exact");
        if (json.at("out_of_memory").get<bool>()) progress.stop = WorkEnd::memory_limit;
        progress.states = json.at("states");
        progress.effort = json.at("effort");
        progress.bytes = json.at("bytes");
        for (const CheckpointJson& step : json.at("schedule")) {
            ScheduledStep& added = progress.schedule.emplace_back();
            added.transitions = step.get<std::vector<std::uint32_t>>();
            if (std::ranges::any_of(added.transitions,
                                    [&](std::uint32_t t) { return t >= net.transition_count(); }))
                throw InputError("checkpoint: a transition that the net does not have");
        }
        check_schedule_of(net, names, progress);
        return progress;
    });
}

bool is_exact_checkpoint(std::string_view text) {
    return text.starts_with(std::string("{\"") + checkpoint_key + "\"");
}

}  // namespace warpnet::worst

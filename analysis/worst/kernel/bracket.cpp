// The parts of a bracket, from cheap to expensive. Simple schedules and counting come first, then all states
// if there are few. A table of the coarsest affordable segment abstraction guides a beam search. Finer tables
// follow, cut segment by segment from the last one on, while the bound improves. A beam four times as wide
// and the layered search come last; the latter lowers the bound target by target. Tables stay in memory
// because they are read at random. Layers of the layered search can go to a folder.
//
// Limits of memory, effort, time and table size make the bracket wider, never wrong, and are listed in the
// result. Without a time limit nothing depends on the clock: an abstract state is a unit of effort. Half of
// the effort is for tables, and the rest for searches. Each witness passes check_schedule, which shares no
// code with the searches.
//
// All ranks make the same decisions, by the numbers of rank 0. They divide the layered search and large
// tables, and compute the bounds of finer abstractions in parallel. Each rank makes its own small tables.
// Only rank 0 visits all states of small instances and searches by beams, and only it has the witness and the
// arguments.
//
// Segments are cut greedily. A cut stays if it improves the bound. Sets of several cuts are not tried,
// because n positions have 2^n of them. The last segment comes first, since the bound depends most on the
// last instructions. Decisions by the clock were given up, because the answer then depended on the machine
// and on the number of ranks.

#include "analysis/worst/kernel/bracket.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/ranks/scratch.hpp"
#include "analysis/worst/kernel/beam_search.hpp"
#include "analysis/worst/kernel/dense_makespan.hpp"
#include "analysis/worst/kernel/layered_search.hpp"
#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/quick_bracket.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"
#include "analysis/worst/kernel/step_rule.hpp"
#include "engine/base/round_up.hpp"
#include "engine/base/text.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

namespace warpnet::worst {

namespace {

/// Below this number of concrete states nothing is faster than visiting all of them.
constexpr std::uint64_t few_states = 1'000'000;

/// Up to this number they are visited if abstractions leave a gap: some ten seconds.
constexpr std::uint64_t affordable_states = 60'000'000;

// Units of effort; an abstract state is one.
constexpr std::uint64_t units_per_dense_state = 2;
constexpr std::uint64_t units_per_layered_state = 8;

constexpr std::string_view layered_name = "the layered search";

/// For tables of abstractions; the other half is for searches.
WorkLimits half_the_memory(WorkLimits limits) {
    limits.memory /= 2;
    return limits;
}

class BracketSearch {
  public:
    BracketSearch(const netgen::KernelInstance& instance, const BracketOptions& options)
        : instance_(instance),
          options_(options),
          limits_(options.limits),
          longest_(options.objective == Objective::longest) {}

    Bracket run() {
        begin();
        try {
            const bool continued = !options_.proved.empty();
            if (options_.limits.effort == 0 && !continued) {
                limits_.effort = default_bracket_effort;
                most_states_ = std::min(most_states_, BracketOptions().states);
                search();
                limits_.effort = 0;
                most_states_ = options_.states;
            }
            const bool more = ranks::value_of_first(options_.ranks, [&] {
                return !bracket_.exact && (continued || (lacks_effort_ && !limits_.must_end()));
            });
            if (options_.limits.effort > 0 || more) {
                bracket_.limits_hit.clear();
                search();
            }
        } catch (const std::length_error& error) {
            missed(error.what());
        } catch (const std::system_error& error) {
            missed(error.what());
        }
        bracket_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        return std::move(bracket_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    void search() {
        if (!bracket_.exact) all_states(few_states);
        if (!bracket_.exact) guide_and_beam();
        if (!bracket_.exact) refine();
        if (!bracket_.exact) wider_beam();
        if (!bracket_.exact) all_states(affordable_states);
        if (!bracket_.exact) layered();
    }

    /// A part that rank 0 does alone; all other ranks receive its results.
    template <class Part>
    void on_first(Part&& part) {
        struct Known {
            int found, bound;
        };
        const Known known = ranks::value_of_first(options_.ranks, [&] {
            part();
            return Known{bracket_.found, bracket_.bound};
        });
        bracket_.found = known.found;
        bracket_.bound = known.bound;
        bracket_.exact = bracket_.found == bracket_.bound;
    }

    void offer(const KernelSchedule& schedule) {
        const int cycles = static_cast<int>(schedule.size());
        if (schedule.empty() || (bracket_.found > 0 && !better(options_.objective, cycles, bracket_.found)))
            return;
        if (const std::string broken = check_schedule(instance_, schedule); !broken.empty())
            throw std::logic_error("a search returned a schedule that is none: " + broken);
        bracket_.found = cycles;
        bracket_.witness = schedule;
        bracket_.exact = bracket_.found == bracket_.bound;
    }

    void prove(int bound, std::string argument) {
        if (!better(options_.objective, bracket_.bound, bound)) return;
        bracket_.bound = bound;
        // Such proofs refute successive targets: the last one implies the rest.
        const auto is_layered = [](const std::string& text) { return text.starts_with(layered_name); };
        if (is_layered(argument) && is_layered(bracket_.bounds.back().argument)) bracket_.bounds.pop_back();
        bracket_.bounds.push_back({static_cast<std::uint64_t>(bound), std::move(argument)});
        bracket_.exact = bracket_.found == bracket_.bound;
    }

    void missed(std::string what) { bracket_.limits_hit.push_back(std::move(what)); }

    /// The results that need no search: simple schedules and counting.
    void begin() {
        bracket_.bounds = counted_bounds(instance_, options_.objective);
        bracket_.bound = static_cast<int>(bracket_.bounds.back().steps);
        if (!options_.scratch.empty())
            ranks::ScratchFile(options_.scratch);  // reports errors now, not after hours
        on_first([&] {
            for (const StepBound& bound : options_.proved)
                prove(static_cast<int>(bound.steps), bound.argument);
            if (options_.known.empty()) return;
            const std::string broken = check_schedule(instance_, options_.known);
            if (!broken.empty()) throw InputError("the known schedule is none: " + broken);
            offer(options_.known);
        });
        // All ranks go through the same ones.
        const WorkLimits limits = options_.ranks == nullptr ? limits_ : WorkLimits{};
        for (const KernelSchedule& schedule : list_schedules(instance_, limits)) offer(schedule);
    }

    /// The remaining units of effort; at least 1, so that they remain a limit.
    std::uint64_t effort_left() const {
        return limits_.effort == 0 ? std::numeric_limits<std::uint64_t>::max()
                                   : limits_.effort - std::min(effort_, limits_.effort - 1);
    }

    void all_states(std::uint64_t most) {
        const auto bytes = dense_makespan_bytes(instance_);
        if (!bytes || *bytes > std::min(most, limits_.memory)) return;
        const std::uint64_t effort = *bytes * units_per_dense_state;
        if (effort > effort_left()) return lacks_effort("exploring all states");
        effort_ += effort;
        on_first([&] {
            const auto result = dense_makespan(instance_, options_.objective, limits_);
            if (!result) return missed("there was no time to explore all states");
            offer(result->schedule);
            prove(result->makespan, "dynamic programming over all concrete states");
        });
    }

    std::string describe(const SegmentScheme& scheme) const {
        std::string cuts;
        for (const StringSegment& segment : scheme.segments)
            cuts += fmt::format(" {}-{}", segment.begin + 1, segment.end);
        return fmt::format(
            "the {} run of the segment abstraction (instructions{}; slack summed over {} groups; {} states) "
            "is a "
            "certified bound: every maximal step of the warps is a step of it",
            longest_ ? "longest" : "shortest", cuts, scheme.groups, count_states(scheme, instance_.warps));
    }

    /// The ranks that compute the table of a scheme together; null: one rank computes it.
    ranks::Collectives* ranks_for(const SegmentScheme& scheme) const {
        return count_states(scheme, instance_.warps) >= options_.divided_states ? options_.ranks : nullptr;
    }

    /// Why a table of this scheme cannot be computed within the limits; empty if it can.
    std::string why_not(const SegmentScheme& scheme) const {
        const std::uint64_t states = count_states(scheme, instance_.warps);
        const auto table = [&] { return fmt::format("an abstraction of {:.3g} states", double(states)); };
        if (!SegmentSteps::fits(scheme, instance_.warps))
            return "an abstraction has too many segments or too much slack";
        if (states > most_states_) return fmt::format("{} is beyond the limit of {}", table(), most_states_);
        if (states > effort_left()) return table() + " takes more effort than is allowed";
        return {};
    }

    void lacks_effort(const std::string& what) {
        lacks_effort_ = true;
        missed(what + " takes more effort than is allowed");
    }

    /// Whether a table of this scheme can be computed within the limits. If so, subtracts its effort;
    /// otherwise reports it.
    bool affordable(const SegmentScheme& scheme) {
        std::string reason = why_not(scheme);
        if (!reason.empty()) {
            const std::uint64_t states = count_states(scheme, instance_.warps);
            lacks_effort_ |= states > effort_left() || (states > most_states_ && states <= options_.states);
            missed(std::move(reason));
            return false;
        }
        effort_ += count_states(scheme, instance_.warps);
        return true;
    }

    /// A table that is expected to need more than 70 % of the remaining time may take only half of it. That
    /// leaves time for smaller tables and searches.
    WorkLimits table_limits(std::uint64_t states) const {
        WorkLimits limits = limits_;
        if (!limits.deadline) return limits;
        const auto left = *limits.deadline - Clock::now();
        const std::chrono::duration<double, std::nano> expected(50.0 * static_cast<double>(states) /
                                                                tbb::this_task_arena::max_concurrency());
        if (expected > left * 0.7) *limits.deadline -= left / 2;
        return limits;
    }

    /// The whole table of a scheme, on every rank or on none.
    bool make_guide(const SegmentScheme& scheme) {
        guide_.reset();
        const WorkLimits limits = table_limits(count_states(scheme, instance_.warps));
        guide_ = SegmentBound::create(instance_, scheme, options_.objective, half_the_memory(limits),
                                      expected(), ranks_for(scheme));
        if (ranks::end_of_any(options_.ranks, guide_ ? WorkEnd::complete : WorkEnd::memory_limit) !=
            WorkEnd::complete)
            guide_.reset();
        if (!guide_) return false;
        prove(guide_->makespan(), describe(scheme));
        computed_.push_back(scheme);
        return true;
    }

    int expected() const {
        return bracket_.bound == instance_.warps * int(instance_.type.size()) ? 0 : bracket_.bound;
    }

    void guide_and_beam() {
        const SegmentScheme fine = with_short_joined(instance_, whole_runs(instance_));
        const SegmentScheme coarse = slack_per_class(instance_, fine);
        if (guide_ && is_known(fine)) return;  // of less effort
        if (!guide_) scheme_ = coarse;
        if (!guide_ && coarse != fine && count_states(fine, instance_.warps) > few_states &&
            affordable(coarse)) {
            const auto bound = bounds_of({coarse}).front();
            if (bound) prove(*bound, describe(coarse));
        }
        for (const SegmentScheme& scheme : {fine, coarse}) {
            if (guide_ && scheme == coarse) return;  // of less effort
            if (!affordable(scheme)) continue;
            if (make_guide(scheme)) {
                if (cuts_.empty()) scheme_ = scheme;
                beam(options_.beam_width);
                return;
            }
            missed("no room or time for the table of an abstraction");
        }
    }

    void beam(std::size_t width) {
        if (beamed_ == std::pair(guide_->steps().scheme(), width)) return;
        beamed_ = std::pair(guide_->steps().scheme(), width);
        on_first([&] {
            BeamOptions options{.width = width, .seed = options_.seed, .limits = limits_};
            const BeamResult result = beam_search(instance_, *guide_, options);
            offer(result.schedule);
            if (result.end == WorkEnd::time_limit) missed("the beam search ran out of time");
            if (result.end == WorkEnd::interrupted) missed("the beam search was interrupted");
        });
    }

    /// Cuts the segments one by one, from the last one on, and keeps the cuts that improve the bound.
    void refine() {
        const SegmentScheme whole = with_short_joined(instance_, whole_runs(instance_));
        improve_with_first({&whole, 1});
        while (!bracket_.exact) {
            std::vector<int> tried;
            std::vector<SegmentScheme> schemes;
            for (std::size_t j = scheme_.segments.size(); j-- > 0;) {
                for (const int cut : cuts_of(scheme_.segments[j])) {
                    if (options_.ranks == nullptr && limits_.must_end()) return;
                    tried.push_back(cut);
                    std::vector<int> more = cuts_;
                    more.push_back(cut);
                    schemes.push_back(with_short_joined(instance_, with_cuts(instance_, more)));
                }
            }
            const auto improved = improve_with_first(schemes);
            if (!improved) return;
            cuts_.push_back(tried[*improved]);
        }
    }

    /// Finds the first of these schemes that improves the bound; it becomes the finest.
    std::optional<std::size_t> improve_with_first(std::span<const SegmentScheme> finer) {
        const std::size_t ranks =
            options_.ranks == nullptr ? 1 : static_cast<std::size_t>(options_.ranks->size());
        for (std::size_t begin = 0; begin < finer.size(); begin += ranks) {
            if (ranks::value_of_first(options_.ranks, [&] { return limits_.must_end(); })) return {};
            const auto group = finer.subspan(begin, std::min(ranks, finer.size() - begin));
            const std::vector<std::optional<int>> tried = try_bounds(group);
            for (std::size_t i = 0; i < group.size(); ++i)
                if (improves(group[i], tried[i])) return begin + i;
        }
        return {};
    }

    /// The bounds of the new and possibly affordable schemes, each computed by a different rank.
    std::vector<std::optional<int>> try_bounds(std::span<const SegmentScheme> schemes) {
        std::vector<std::optional<int>> tried(schemes.size());
        std::vector<SegmentScheme> wanted;
        std::vector<std::size_t> asked;
        for (std::size_t i = 0; i < schemes.size(); ++i) {
            if (is_known(schemes[i]) || !why_not(schemes[i]).empty()) continue;
            wanted.push_back(schemes[i]);
            asked.push_back(i);
        }
        const std::vector<std::optional<int>> bounds = bounds_of(wanted);
        for (std::size_t i = 0; i < asked.size(); ++i) tried[asked[i]] = bounds[i];
        return tried;
    }

    /// The bounds of the first state by these schemes, at most one per rank. All ranks compute a single large
    /// one together; otherwise each is computed by a different rank. Absent if a limit was met.
    std::vector<std::optional<int>> bounds_of(const std::vector<SegmentScheme>& schemes) const {
        if (schemes.empty()) return {};
        std::uint64_t states = 0;
        for (const SegmentScheme& scheme : schemes) states += count_states(scheme, instance_.warps);
        const auto bound_of = [&](const SegmentScheme& scheme, ranks::Collectives* ranks) {
            return segment_bound_makespan(instance_, scheme, options_.objective, table_limits(states),
                                          expected(), ranks);
        };
        ranks::Collectives* const ranks = options_.ranks;
        if (schemes.size() == 1 && (ranks == nullptr || ranks_for(schemes.front()) != nullptr))
            return {bound_of(schemes.front(), ranks)};
        const std::size_t rank = ranks == nullptr ? 0 : static_cast<std::size_t>(ranks->rank());
        std::optional<int> own;
        if (rank < schemes.size()) own = bound_of(schemes[rank], nullptr);
        return ranks::values_of_all(ranks, own);
    }

    /// Whether its bound was computed before, with less effort too.
    bool is_known(const SegmentScheme& scheme) const {
        return scheme == scheme_ || std::ranges::find(computed_, scheme) != computed_.end();
    }

    /// Whether this scheme improves the bound; then it becomes the finest. Effort is counted here, scheme by
    /// scheme, so the number of ranks makes no difference.
    bool improves(const SegmentScheme& finer, std::optional<int> tried) {
        if (is_known(finer) || !affordable(finer)) return false;
        if (tried) computed_.push_back(finer);
        if (!tried) {
            missed("a finer abstraction hit the memory or time limit");
            return false;
        }
        if (!better(options_.objective, bracket_.bound, *tried)) return false;
        prove(*tried, describe(finer));
        scheme_ = finer;
        return true;
    }

    /// The position at which to cut a segment: the bound is most sensitive to its last instructions.
    static std::vector<int> cuts_of(const StringSegment& segment) {
        if (segment.length() < 2) return {};
        const int three_quarters = segment.begin + (3 * segment.length()) / 4;
        const int last = segment.end - 1;
        if (three_quarters >= last) return {last};
        return {three_quarters, last};
    }

    /// A second beam, four times as wide, guided by the finest abstraction with an affordable table.
    void wider_beam() {
        if (guide_ && guide_->steps().scheme() != scheme_) {
            const SegmentScheme before = guide_->steps().scheme();
            const bool has_room = count_states(scheme_, instance_.warps) < limits_.memory / 2;
            if (has_room && affordable(scheme_) && !make_guide(scheme_)) make_guide(before);
        }
        if (guide_) beam(4 * options_.beam_width);
    }

    void layered() {
        if (!guide_) return;
        for (int target = bracket_.bound; !bracket_.exact; target += longest_ ? -1 : 1) {
            const LayeredResult result = search_layers(target);
            const std::string what = fmt::format("{} for {} cycles", layered_name, target);
            if (result.end == WorkEnd::effort_limit) return lacks_effort(what);
            if (result.end != WorkEnd::complete)
                return missed(what + (result.end == WorkEnd::time_limit    ? " ran out of time"
                                      : result.end == WorkEnd::interrupted ? " was interrupted"
                                                                           : " ran out of memory"));
            offer(result.schedule);
            prove(result.schedule.empty() ? target + (longest_ ? -1 : 1) : bracket_.found,
                  fmt::format("{} explored all {} states that could reach it and found {}", what,
                              result.states, result.schedule.empty() ? "none" : "this"));
        }
    }

    LayeredResult search_layers(int target) {
        WorkLimits limits = limits_;
        if (limits.effort > 0)
            limits.effort = std::max<std::uint64_t>(1, effort_left() / units_per_layered_state);
        LayeredResult result = layered_search(instance_, *guide_, target, half_the_memory(limits),
                                              options_.scratch, options_.ranks);
        effort_ += result.states * units_per_layered_state;
        if (result.disk_error != 0)
            throw std::system_error(result.disk_error, std::generic_category(),
                                    "the scratch folder of a rank");
        return result;
    }

    const netgen::KernelInstance& instance_;
    const BracketOptions& options_;
    WorkLimits limits_;
    std::uint64_t most_states_ = options_.states;
    bool longest_;
    bool lacks_effort_ = false;  // more effort may prove more
    Clock::time_point start_ = Clock::now();
    std::uint64_t effort_ = 0;  // units used by tables and searches
    Bracket bracket_;
    std::optional<SegmentBound> guide_;
    SegmentScheme scheme_;   // the finest that improved the bound
    std::vector<int> cuts_;  // its cuts inside runs
    std::vector<SegmentScheme> computed_;
    std::optional<std::pair<SegmentScheme, std::size_t>> beamed_;  // the last guide and width
};

/// The best lower bound over all windows. Instructions a ... b-1 of all warps execute after the first a
/// cycles and before the last I - b, at most `capacity` of the counted ones per cycle.
template <class Counted>
StepBound windows_bound(const netgen::KernelInstance& instance, const std::string& what, int capacity,
                        const Counted& counted) {
    const std::size_t length = instance.type.size();
    const auto warps = static_cast<std::uint64_t>(instance.warps);
    const auto a_cycle = static_cast<std::uint64_t>(capacity);
    StepBound best;
    for (std::size_t a = 0; a < length; ++a) {
        std::uint64_t count = 0;
        for (std::size_t b = a + 1; b <= length; ++b) {
            if (!counted(b - 1)) continue;
            const std::uint64_t all = ++count * warps;
            const std::uint64_t others = a + length - b;
            const std::uint64_t cycles = others + divided_up(all, a_cycle);
            if (cycles <= best.steps) continue;
            best = {cycles, fmt::format("{} of {}, at most {} per cycle, plus {} of any warp before the "
                                        "first and after the last of them",
                                        plural(all, "instruction"), what, a_cycle, plural(others, "cycle"))};
        }
    }
    return best;
}

std::vector<StepBound> counted_upper(const netgen::KernelInstance& instance) {
    const std::size_t length = instance.type.size();
    const std::uint64_t all = static_cast<std::uint64_t>(instance.warps) * length;
    std::vector<StepBound> bounds = {
        {all, fmt::format("every cycle executes at least one of the W*I = {}{}", plural(all, "instruction"),
                          instance.waiting ? " and cycles of waits" : "")},
        {static_cast<std::uint64_t>(interference_bound(instance)),
         fmt::format("the warp that ends last needs {} of its own; in every other cycle it cannot continue, "
                     "and instructions of other warps fill that cycle",
                     plural(length, "cycle"))}};
    if (const std::optional<int> bound = single_unit_bound(instance)) {
        const auto of_warp = std::ranges::count_if(
            instance.type, [&](std::uint8_t type) { return instance.capacity[type] == 1; });
        const auto busy = instance.warps * static_cast<int>(of_warp);
        bounds.push_back({static_cast<std::uint64_t>(*bound),
                          fmt::format("{} use the single unit of a type; in at most {} others all remaining "
                                      "warps need other units{} (docs/explanation/kernel-makespan.md)",
                                      plural(static_cast<std::uint64_t>(busy), "cycle"), *bound - busy,
                                      instance.schedulers ? ", or both schedulers serve these" : "")});
    }
    return bounds;
}

std::vector<StepBound> counted_lower(const netgen::KernelInstance& instance) {
    const std::size_t length = instance.type.size();
    std::vector<StepBound> bounds = {{length, "a warp takes at least " + plural(length, "cycle")}};
    for (std::size_t type = 0; type < instance.capacity.size(); ++type) {
        const auto first = std::ranges::find(instance.type, type) - instance.type.begin();
        if (instance.waiting == type || first == std::ssize(instance.type)) continue;
        bounds.push_back(windows_bound(instance, fmt::format("the type of instruction {}", first + 1),
                                       instance.capacity[type],
                                       [&](std::size_t i) { return instance.type[i] == type; }));
    }
    if (instance.schedulers)
        bounds.push_back(windows_bound(instance, "any type", *instance.schedulers,
                                       [&](std::size_t i) { return !instance.waits_at(i); }));
    return bounds;
}

}  // namespace

std::vector<StepBound> counted_bounds(const netgen::KernelInstance& instance, Objective objective) {
    check_kernel(instance);
    std::vector<StepBound> better_ones;
    for (StepBound& bound :
         objective == Objective::longest ? counted_upper(instance) : counted_lower(instance))
        if (better_ones.empty() || better(objective, better_ones.back().steps, bound.steps))
            better_ones.push_back(std::move(bound));
    return better_ones;
}

Bracket bracket_makespan(const netgen::KernelInstance& instance, const BracketOptions& options) {
    return BracketSearch(instance, options).run();
}

}  // namespace warpnet::worst

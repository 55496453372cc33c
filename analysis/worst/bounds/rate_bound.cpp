// A bound for nets of the sm family.
//
// Take the block that ends last. Until it starts, blocks wait to start, so every slot for a resident block is
// in use or waits for launch credits; of the at most n - 1 blocks that start earlier, some slot has at most
// ⌊(n - 1)/R⌋. So a run is no longer than a chain of ⌊(n - 1)/R⌋ + 1 blocks, and the waits between them for
// launch credits.
//
// A block alone. The firing time of an operation is a maximum of earlier ones plus constants: of the
// operation before it, of the barrier, of the K-th largest end of the loads before it, where K loads may be
// in flight. Steps in which it waits for credits are added to that. Such a function is monotone, and adding a
// constant to its arguments adds the constant to its value. So a block takes at most L steps, its time
// without waits, and the waits along one path through its operations: in every time span between two barriers
// those of one warp. These waits are in different steps.
//
// Waits. A step is maximal, so in a step of that path in which an operation waits, some rate is short: what
// others leave of its credits is less than the operation takes. Let N be the steps in which c is short, m its
// credits at the start and d what the operation takes that waits last. Credits are refilled by r in a step
// that starts below the cap C. After a step in which c is short, there are fewer than d + r <= C, so that
// between it and a later such step that starts at C or above there is a refill in a step in which c is not
// short. So before the last short step there were N - 1 refills at least, and
//     m + (N - 1) r - (what was taken up to then) < d.
// All operations take D, and the last one has not taken its d: N <= ⌈(D - m)/r⌉, and N = 0 if that is
// negative.
//
// A rate of each scheduler. A path of M time spans with one warp each uses one scheduler in each of them. In
// a span, N <= ⌈D/r⌉ with what is taken in it. Another slot for a block adds what its block takes between two
// barriers to one span only, unless the border of two spans lies within, which happens M - 1 times at most:
// together n A + R (M - 1) a, A the demand of a block, a the largest between two barriers, each of the
// scheduler with the most. It is compared with the sum over all schedulers.
//
// Rates that are never short alone. If each operation takes at most θ times as many credits of c as of c',
// and m_c >= θ m_c' at the start, r_c >= θ r_c', C_c >= θ (C_c' - 1 + r_c'), then m_c >= θ m_c' always, and
// c' is short when c is. Only c' counts then.

#include "analysis/worst/bounds/rate_bound.hpp"

#include "engine/base/capped.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

namespace {

constexpr std::int64_t out_of_range = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_operations = 10'000'000;  // that are followed to find the time of a block alone

/// A warp whose operations never wait for credits.
struct LoneWarp {
    std::int64_t next = 0;              // when its next operation may fire, but for `ready`
    std::int64_t ready = 0;             // when the warp goes on
    std::vector<std::int64_t> flights;  // the latest ends of loads, one for each slot; descending

    void fire(const SmOp& op, std::size_t slots) {
        std::int64_t now = std::max(next, ready);
        if (op.slot > 0 && flights.size() == slots) now = std::max(now, flights.back());
        if (op.kind == SmOpKind::barrier && !flights.empty()) now = std::max(now, flights.front());
        next = now + 1;
        ready = now + op.delay;
        if (op.slot == 0) return;
        const std::int64_t end = now + std::max<std::int64_t>(2, op.slot);
        flights.insert(std::ranges::lower_bound(flights, end, std::greater{}), end);
        if (flights.size() > slots) flights.pop_back();
    }
    std::int64_t end() const { return std::max({next, ready, flights.empty() ? 0 : flights.front()}); }
};

/// The steps of a block without waits for credits.
std::int64_t steps_alone(std::span<const std::vector<SmOp>> bodies, std::int64_t trips, std::int64_t slots) {
    std::vector<LoneWarp> warps(bodies.size());
    std::vector<std::size_t> at(bodies.size());
    const auto run_to_barrier = [&](std::size_t w) {
        while (at[w] < bodies[w].size()) {
            const SmOp& op = bodies[w][at[w]++];
            warps[w].fire(op, static_cast<std::size_t>(slots));
            if (op.kind == SmOpKind::barrier) return true;
        }
        return false;
    };
    for (std::int64_t trip = 0; trip < trips; ++trip) {
        std::ranges::fill(at, 0);
        for (bool met = true; met;) {
            for (std::size_t w = 0; w < warps.size(); ++w) met = run_to_barrier(w);
            if (!met) break;
            const std::int64_t release = std::ranges::max_element(warps, {}, &LoneWarp::next)->next;
            for (LoneWarp& warp : warps) warp.next = release;
        }
    }
    std::int64_t steps = 0;
    for (const LoneWarp& warp : warps) steps = std::max(steps, warp.end());
    return steps;
}

class RateBound {
  public:
    explicit RateBound(const SmNet& sm)
        : program_(sm.program),
          blocks_(sm.blocks),
          trips_(sm.trips),
          resident_(program_.resident_blocks()),
          chain_((blocks_ - 1) / resident_ + 1) {}

    std::optional<StepBound> bound() {
        if (!is_refilled_after_shortage()) return {};
        const std::int64_t alone = alone_steps();
        std::int64_t steps = capped_product(chain_, alone);
        std::string waits;
        const auto add = [&](std::int64_t short_steps, std::string_view name) {
            steps = capped_sum(steps, short_steps);
            if (short_steps > 0)
                waits += fmt::format("{}{} in {}", waits.empty() ? "" : ", ", name, short_steps);
        };
        add(launch_waits(), "launch");
        for (std::size_t c = 0; c < sm_credit_count; ++c) {
            if (!is_used(c) || is_never_alone(c)) continue;
            counted_[c] = true;
            add(per_scheduler(static_cast<SmCredit>(c)) ? waits_of_schedulers(c) : waits_of_sm(c),
                to_string(static_cast<SmCredit>(c)));
        }
        if (steps == out_of_range) return {};
        return StepBound{
            static_cast<std::uint64_t>(steps),
            fmt::format("the block that ends last follows {} on its place, each of at most {} alone; "
                        "beyond that a rate is short in every step, and by what all blocks demand: {}",
                        chain_ == 1 ? "no other"
                                    : "at most " + plural(static_cast<std::uint64_t>(chain_ - 1), "other"),
                        plural(static_cast<std::uint64_t>(alone), "step"), waits.empty() ? "none" : waits)};
    }

  private:
    using Demand = std::int64_t;

    std::span<const std::vector<SmOp>> bodies_of(std::int64_t slot) const {
        const auto warps = static_cast<std::size_t>(program_.warps_per_block);
        return std::span(program_.bodies).subspan(static_cast<std::size_t>(slot) * warps, warps);
    }

    template <class Visit>
    void for_each_op(Visit&& visit) const {
        for (const auto& body : program_.bodies)
            for (const SmOp& op : body) visit(op);
    }

    bool is_used(std::size_t c) const {
        bool used = false;
        for_each_op([&](const SmOp& op) { used |= op.credits[c] > 0; });
        return used;
    }

    /// Whether a step in which a rate is short ends below its cap, for each rate.
    bool is_refilled_after_shortage() const {
        if (program_.launch_cost > 0 &&
            (program_.launch_refill < 1 || program_.launch_cap < program_.launch_cost))
            return false;
        for (std::size_t c = 0; c < sm_credit_count; ++c) {
            Demand largest = 0;
            for_each_op([&](const SmOp& op) { largest = std::max(largest, op.credits[c]); });
            const Demand refilled =
                capped_sum(capped_sum(largest, program_.refill[c]), program_.last_refill[c]);
            if (largest > 0 && (program_.refill[c] < 1 || refilled > program_.cap[c])) return false;
        }
        return true;
    }

    /// The steps of any block alone. Trips in parts that follow each other take no less than together.
    std::int64_t alone_steps() const {
        std::int64_t most = 0;
        for (std::int64_t slot = 0; slot < resident_; ++slot) {
            const auto bodies = bodies_of(slot);
            std::int64_t operations = 0;
            for (const auto& body : bodies) operations += static_cast<std::int64_t>(body.size());
            const std::int64_t part = std::clamp<std::int64_t>(
                most_operations / resident_ / std::max<std::int64_t>(1, operations), 1, trips_);
            const std::int64_t rest = trips_ % part;
            most = std::max(most, capped_sum(capped_product(trips_ / part,
                                                            steps_alone(bodies, part, program_.load_slots)),
                                             steps_alone(bodies, rest, program_.load_slots)));
        }
        return most;
    }

    static std::int64_t steps_of(Demand demand, Demand refill) {
        if (demand == out_of_range) return out_of_range;
        return demand <= 0 ? 0 : (demand - 1) / refill + 1;
    }

    /// ⌈(demand - start)/refill⌉
    static std::int64_t short_steps(Demand demand, Demand start, Demand refill) {
        return demand == out_of_range ? out_of_range : steps_of(demand - start, refill);
    }

    std::int64_t launch_waits() const {
        if (program_.launch_cost == 0) return 0;
        return short_steps(capped_product(blocks_, program_.launch_cost), program_.launch_cap,
                           program_.launch_refill);
    }

    /// What a trip of a block takes: of each scheduler, between two barriers each. In `by_span`, if it is
    /// given, the most of any scheduler.
    std::vector<Demand> demands(std::int64_t slot, std::size_t c,
                                std::vector<Demand>* by_span = nullptr) const {
        const std::size_t schedulers =
            per_scheduler(static_cast<SmCredit>(c)) ? static_cast<std::size_t>(program_.schedulers) : 1;
        std::vector<std::vector<Demand>> spans(1, std::vector<Demand>(schedulers));
        const auto bodies = bodies_of(slot);
        for (std::size_t w = 0; w < bodies.size(); ++w) {
            const std::size_t warp = static_cast<std::size_t>(slot * program_.warps_per_block) + w;
            std::size_t span = 0;
            for (const SmOp& op : bodies[w]) {
                Demand& sum = spans[span][warp % schedulers];
                sum = capped_sum(sum, op.credits[c]);
                if (op.kind == SmOpKind::barrier && ++span == spans.size()) spans.emplace_back(schedulers);
            }
        }
        std::vector<Demand> all(schedulers);
        for (const auto& span : spans) {
            for (std::size_t s = 0; s < schedulers; ++s) all[s] = capped_sum(all[s], span[s]);
            if (by_span != nullptr) by_span->push_back(std::ranges::max(span));
        }
        return all;
    }

    std::int64_t waits_of_sm(std::size_t c) const {
        Demand most = 0;
        for (std::int64_t slot = 0; slot < resident_; ++slot) most = std::max(most, demands(slot, c).front());
        return short_steps(capped_product(capped_product(blocks_, trips_), most), program_.refill[c],
                           program_.refill[c]);
    }

    std::int64_t waits_of_schedulers(std::size_t c) const {
        std::vector<Demand> most(static_cast<std::size_t>(program_.schedulers));
        Demand of_block = 0, of_span = 0;  // of the scheduler with the most
        std::int64_t barriers = 0;         // of a block
        for (std::int64_t slot = 0; slot < resident_; ++slot) {
            std::vector<Demand> spans;
            const std::vector<Demand> all = demands(slot, c, &spans);
            for (std::size_t s = 0; s < all.size(); ++s) most[s] = std::max(most[s], all[s]);
            if (spans.size() == 1) {
                of_block = std::max(of_block, capped_product(trips_, spans.front()));
                of_span = of_block;
                continue;
            }
            barriers =
                std::max(barriers, capped_product(trips_, static_cast<std::int64_t>(spans.size() - 1)));
            Demand sum = 0;
            for (const Demand span : spans) sum = capped_sum(sum, span);
            of_block = std::max(of_block, capped_product(trips_, sum));
            // No barrier separates the end of a trip from the begin of the next one.
            of_span = std::max({of_span, std::ranges::max(spans), capped_sum(spans.front(), spans.back())});
        }
        const Demand refill = program_.refill[c];
        const std::int64_t spans = capped_product(chain_, capped_sum(barriers, 1));
        if (spans == 1) return short_steps(capped_product(blocks_, of_block), refill, refill);
        const Demand taken = capped_sum(capped_product(blocks_, of_block),
                                        capped_product(capped_product(resident_, spans - 1), of_span));
        std::int64_t of_all = 0;
        for (const Demand demand : most)
            of_all = capped_sum(
                of_all, short_steps(capped_product(capped_product(blocks_, trips_), demand), refill, refill));
        return std::min(of_all, capped_sum(steps_of(taken, refill), spans));
    }

    /// Whether another rate, which counts, is short whenever c is.
    bool is_never_alone(std::size_t c) const {
        for (std::size_t other = 0; other < sm_credit_count; ++other) {
            const bool same_places =
                per_scheduler(static_cast<SmCredit>(c)) == per_scheduler(static_cast<SmCredit>(other));
            if (other != c && same_places && (other > c || counted_[other]) && is_short_with(c, other))
                return true;
        }
        return false;
    }

    bool is_short_with(std::size_t c, std::size_t other) const {
        Demand p = 0, q = 1;  // θ = p/q
        bool never = false;
        for_each_op([&](const SmOp& op) {
            const Demand of_c = op.credits[c], of_other = op.credits[other];
            if (of_c == 0) return;
            never |= of_other == 0;
            if (capped_product(of_c, q) > capped_product(p, of_other)) p = of_c, q = of_other;
        });
        if (never) return false;
        const auto at_least = [&](Demand a, Demand b) {
            return capped_product(a, q) >= capped_product(b, p);
        };
        const Demand refill = program_.refill[other], more = program_.last_refill[other];
        return capped_product(capped_sum(program_.cap[other], refill + more), p) != out_of_range &&
               at_least(program_.refill[c], refill) &&
               at_least(capped_sum(program_.refill[c], program_.last_refill[c]), capped_sum(refill, more)) &&
               at_least(program_.cap[c], capped_sum(program_.cap[other] - 1, refill + more));
    }

    const SmProgram& program_;
    std::int64_t blocks_, trips_, resident_, chain_;
    std::array<bool, sm_credit_count> counted_ = {};
};

}  // namespace

std::optional<StepBound> rate_bound(const SmNet& sm) { return RateBound(sm).bound(); }

}  // namespace warpnet

// Bounds for nets of the sm family: the time of a block alone, and the interference of other blocks.
// [Graham66] has this argument, and [Jeanmougin25] for a thread block under greedy policies.
//
// Path. Take the block that ends last. Until it starts, blocks wait to start, so every slot for a resident
// block is in use or waits for launch credits. At most n - 1 blocks start earlier, and some slot has at most
// ⌊(n - 1)/R⌋ of them. So a run is no longer than a chain of ⌊(n - 1)/R⌋ + 1 blocks, and the waits between
// them for launch credits.
//
// A block alone. The firing time of an operation is a maximum of earlier ones plus constants: of the
// operation before it, of the barrier, of the K-th largest end of the loads before it, if K loads may be in
// flight. Steps in which it waits for credits are added to that. Such a function is monotone, and adding a
// constant to its arguments adds the constant to its value. So a block takes at most L steps, its time
// without waits, and the waits along one path through its operations: in every time span between two barriers
// those of one warp. These waits are in different steps.
//
// Waits. A step is maximal, so in a step of that path in which an operation waits, some rate c is short: its
// credits, without those that other operations take, are fewer than the operation takes. Let d_c be the most
// that an operation takes of c, r_c what a step refills, C_c the cap, M_c the credits before the step. The
// debt of c is
//     max(0, t_c - M_c)/r_c  with  t_c = d_c + r_c - 1,  where  C_c >= t_c + r_c  is required.
// If a step takes x of c, it changes the debt to at most max(0, debt + x/r_c - 1): below the cap r_c or more
// are refilled, and from the cap on t_c - M_c <= -r_c. If c is short, M_c - x <= d_c - 1, so that (t_c - M_c
// + x)/r_c >= 1. Let D be the largest debt of some rates. An operation counts m steps, the maximum over these
// rates of its credits of c divided by r_c. Let μ be the sum of m over the operations that fire in a step.
// Then
//     after the step D is at most max(0, D + μ - 1),  and D + μ >= 1 if one of these rates is short.
// So in every step D falls by at least 1 - μ if one is short, and by at least -μ if not. Summed over all
// steps, one of the rates is short in at most D_0 + Σ m steps, with D_0 the debt at the start. The operation
// that waits last has not fired by then, so the least m of any operation is subtracted. An operation that
// takes credits of several rates counts once, with the rate that it needs longest. (The sum over single rates
// counts it for each of them. It is proved in the same way, with one rate at a time.)
//
// Operations of the path. Between two barriers, or up to the end of a block, the path covers all the time in
// which the operations of its warp fire, at most one per step. In these steps, no operation on which the path
// depends waits. Such a step pays for up to 1 of the m of its operation: D falls by 1 - μ. So every operation
// of these warps counts only max(0, m - 1), in all blocks that the path follows from their start to their
// end. There are ⌊(n - 1)/R⌋ of them, as the block before the last one may be left early, and 1 if there is
// only one block. (If the path has fewer blocks, each takes L steps off, which is more.) The operation that
// waits last and those behind it count nothing.
//
// Schedulers. The path is on one scheduler in each of its M time spans, and only the rates of that scheduler
// and those of the SM make it wait. An operation of another scheduler counts with its share b of the rates of
// the SM, an operation of this scheduler with m = b + e. At the border of two spans D changes to the debt of
// another scheduler, which is larger by at most the largest debt of a rate of schedulers, max t_c/r_c. Only
// those e count whose operations fire in a span on their scheduler. Between two barriers the work of a block
// on one scheduler counts, and on one more scheduler per border of two spans in between. Each border is the
// release of a barrier, or the start of a block, in the slot of the path. In this slot, work on both sides of
// the border is separated by this barrier or start, so only the work of the R - 1 other slots has the border
// in between. So n A counts, and the (R - 1)(M - 1) largest further amounts: A is the sum of the busiest
// scheduler over the times between barriers. Further amounts are those of the remaining schedulers.
//
// Blocks with fewer warps than schedulers. If W divides S, slot j has the schedulers of class j mod S/W, and
// blocks of other classes add no e. Until the last block starts (it need not be the one that ends last) all
// slots are in use. Of the n - 1 blocks before it, some class of Q slots has at most (n - 1) Q/R, and some
// slot of it no more than ⌊(n - 1)/R⌋. The path follows this slot up to then, and the block that ends last
// from then on. At most Q blocks of its class are left then. So ⌊(n - 1) Q/R⌋ + Q blocks count instead of n,
// and Q slots instead of R. The path may change its slot while a block runs; such blocks already count twice.
//
// Looseness. All runs of 520 small nets of equal warps were explored, with barriers and loads. The longest
// run of sm_service.cpp is the maximum of 506 of them, and 0.998 of it in the mean; the bound is 1.42 times
// the maximum. On 497 nets of unequal warps these are 0.97 and 2.30. So the bound is the loose side of the
// bracket (sm_service_test.cpp tries 100 such nets).
//   - Memory and arithmetic. If all warps wait for memory, those served proceed to arithmetic, which is not
//     short then. So both can alternate only within the latency between them. The larger of both is no bound,
//     though: warps of one scheduler may wait for memory until all other warps have ended their blocks. Nor
//     is it with the time alone added: eight blocks of one warp, one operation of memory, three of arithmetic
//     and two of memory, take about 4.3 steps per block in the long run; either rate needs 3, the time alone
//     is 6/8.
//   - Further amounts. At a border from scheduler a to b, let b have h more work left than a. h grows by one
//     in a step in which a is short and b is not. In these steps all warps with work left on b go on, and
//     they have n L such steps together. A sketch gives h of about sqrt(2 R A L), which is 0.9 R A on most
//     kernels of the GTX 950, and nothing with barriers. Another sketch adds up all slots instead of one
//     path: at most a quarter off for two schedulers, and nothing for four. Without further amounts, the
//     median gap there would be 38 %. No run of 875 random programs took longer in its steady state.
//   - The time alone. Runs reach its sum with the busiest rate, if all slots end their blocks together.
//
// The proof requires large caps, which matter only for the ALU. With a cap of two steps there, the mean
// errors of predictions are 8.3 instead of 8.4 % (GTX 950), 24.4 instead of 24.5 % (K40) and 11.2 instead of
// 11.7 % (K40 with facts). The cap of no other rate changes them by more than 0.1 points. Whether the bound
// holds for smaller caps is open: a step at the cap refills nothing, so that its operations must pay for what
// is lost.

#include "analysis/worst/bounds/rate_bound.hpp"

#include "engine/base/capped.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

constexpr std::int64_t out_of_range = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_operations = 10'000'000;  // that are followed to find the time of a block alone
constexpr std::int64_t step_parts = 1 << 20;          // steps are counted in such parts, rounded up

/// A warp whose operations never wait for credits.
struct LoneWarp {
    std::int64_t next = 0;              // when its next operation may fire, apart from `ready`
    std::int64_t ready = 0;             // when the warp continues
    std::vector<std::int64_t> flights;  // the latest ends of loads, one for each slot; descending

    void fire(const netgen::SmOp& op, std::size_t slots) {
        std::int64_t now = std::max(next, ready);
        if (op.slot > 0 && flights.size() == slots) now = std::max(now, flights.back());
        if (op.kind == netgen::SmOpKind::barrier && !flights.empty()) now = std::max(now, flights.front());
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
std::int64_t steps_alone(std::span<const std::vector<netgen::SmOp>> bodies, std::int64_t trips,
                         std::int64_t slots) {
    std::vector<LoneWarp> warps(bodies.size());
    std::vector<std::size_t> at(bodies.size());
    const auto run_to_barrier = [&](std::size_t w) {
        while (at[w] < bodies[w].size()) {
            const netgen::SmOp& op = bodies[w][at[w]++];
            warps[w].fire(op, static_cast<std::size_t>(slots));
            if (op.kind == netgen::SmOpKind::barrier) return true;
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

/// Rates that are bounded together.
using Rates = std::array<bool, netgen::sm_credit_count>;

/// The work of the operations of a block, in parts of a step.
struct BlockWork {
    std::int64_t shared = 0;  // with the rates of the SM
    std::int64_t own = 0;     // beyond that: of the busiest scheduler between two barriers each
    std::int64_t barriers = 0;
    /// The further work per border of two spans, the most first: that of the second busiest scheduler between
    /// two barriers, of the third, …
    std::vector<std::int64_t> further = {};
};

/// The larger of each, `other` as often as a block repeats it.
void take_larger(BlockWork& most, const BlockWork& other, std::int64_t trips) {
    most.shared = std::max(most.shared, capped_product(trips, other.shared));
    most.own = std::max(most.own, capped_product(trips, other.own));
    most.barriers = std::max(most.barriers, capped_product(trips, other.barriers));
    most.further.resize(std::max(most.further.size(), other.further.size()));
    for (std::size_t i = 0; i < other.further.size(); ++i)
        most.further[i] = std::max(most.further[i], other.further[i]);
}

class RateBound {
  public:
    explicit RateBound(const netgen::SmNet& sm)
        : program_(sm.program),
          blocks_(sm.blocks),
          trips_(sm.trips),
          resident_(program_.resident_blocks()),
          chain_((blocks_ - 1) / resident_ + 1) {
        for_each_op([&](const netgen::SmOp& op) {
            for (std::size_t c = 0; c < netgen::sm_credit_count; ++c)
                largest_[c] = std::max(largest_[c], op.credits[c]);
        });
    }

    std::optional<RateBounds> bounds() {
        if (!is_refilled_after_shortage()) return {};
        const std::int64_t alone = alone_steps();
        const std::int64_t launch = launch_waits();
        const std::int64_t outside = capped_sum(capped_product(chain_, alone), launch);
        Rates used{};
        std::string names, shortages;
        std::int64_t sum = outside;
        for (std::size_t c = 0; c < netgen::sm_credit_count; ++c) {
            if (largest_[c] == 0) continue;
            used[c] = true;
            Rates single{};
            single[c] = true;
            const std::int64_t steps = short_steps(single);
            sum = capped_sum(sum, steps);
            const std::string_view name = to_string(static_cast<netgen::SmCredit>(c));
            names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
            shortages += fmt::format("{}{} in {}", shortages.empty() ? "" : ", ", name, steps);
        }
        const std::int64_t waits = short_steps(used);
        const std::int64_t together = capped_sum(outside, waits);
        if (sum == out_of_range || together == out_of_range) return {};
        const std::string path = fmt::format(
            "the block that ends last runs after {} in the same slot, {} at most {} alone{}; in "
            "every further step a rate is exhausted",
            chain_ == 1 ? "no other block"
                        : "at most " + plural(static_cast<std::uint64_t>(chain_ - 1), "other block"),
            chain_ == 1 ? "and takes" : "and each takes", plural(static_cast<std::uint64_t>(alone), "step"),
            launch == 0 ? ""
                        : fmt::format(", plus at most {} of waiting for launches",
                                      plural(static_cast<std::uint64_t>(launch), "step")));
        RateBounds bounds;
        bounds.sum = {
            static_cast<std::uint64_t>(sum),
            fmt::format("{}; by the demand of all blocks: {}", path, shortages.empty() ? "none" : shortages)};
        bounds.together = {static_cast<std::uint64_t>(together),
                           fmt::format("{}: {} in at most {}, since every operation counts once, with the "
                                       "rate that it needs longest",
                                       path, names.empty() ? "none" : names, waits)};
        return bounds;
    }

  private:
    std::span<const std::vector<netgen::SmOp>> bodies_of(std::int64_t slot) const {
        const auto warps = static_cast<std::size_t>(program_.warps_per_block);
        return std::span(program_.bodies).subspan(static_cast<std::size_t>(slot) * warps, warps);
    }

    template <class Visit>
    void for_each_op(Visit&& visit) const {
        for (const auto& body : program_.bodies)
            for (const netgen::SmOp& op : body) visit(op);
    }

    /// Whether the caps are large enough for the proof.
    bool is_refilled_after_shortage() const {
        if (program_.launch_cost > 0 &&
            (program_.launch_refill < 1 || program_.launch_cap < program_.launch_cost))
            return false;
        for (std::size_t c = 0; c < netgen::sm_credit_count; ++c) {
            if (largest_[c] == 0) continue;
            const std::int64_t refill = program_.refill[c];
            if (refill < 1 || capped_sum(most_debt(c), refill) > program_.cap[c]) return false;
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

    std::int64_t launch_waits() const {
        if (program_.launch_cost == 0) return 0;
        const std::int64_t demand = capped_product(blocks_, program_.launch_cost);
        if (demand == out_of_range || demand <= program_.launch_cap)
            return demand == out_of_range ? demand : 0;
        return (demand - program_.launch_cap - 1) / program_.launch_refill + 1;
    }

    /// t_c
    std::int64_t most_debt(std::size_t c) const { return capped_sum(largest_[c], program_.refill[c] - 1); }

    /// A number of credits of a rate, in parts of the steps that refill them.
    std::int64_t parts_of(std::int64_t credits, std::size_t c) const {
        const std::int64_t parts = capped_product(credits, step_parts);
        return parts == out_of_range ? parts : (parts + program_.refill[c] - 1) / program_.refill[c];
    }

    /// The largest work of an operation over some rates, of the SM or of a scheduler.
    std::int64_t parts_of(const netgen::SmOp& op, const Rates& rates, bool of_scheduler) const {
        std::int64_t most = 0;
        for (std::size_t c = 0; c < netgen::sm_credit_count; ++c)
            if (rates[c] && netgen::per_scheduler(static_cast<netgen::SmCredit>(c)) == of_scheduler &&
                op.credits[c] > 0)
                most = std::max(most, parts_of(op.credits[c], c));
        return most;
    }

    /// The work of an operation on the rates of its scheduler beyond that on the rates of the SM.
    std::int64_t own_parts(const netgen::SmOp& op, const Rates& rates) const {
        return std::max<std::int64_t>(0, parts_of(op, rates, true) - parts_of(op, rates, false));
    }

    /// The same of a trip of the block in a slot: between two barriers each, the busiest scheduler first.
    std::vector<std::vector<std::int64_t>> own_of(std::int64_t slot, const Rates& rates) const {
        const auto schedulers = static_cast<std::size_t>(program_.schedulers);
        std::vector<std::vector<std::int64_t>> spans(1, std::vector<std::int64_t>(schedulers));
        const auto bodies = bodies_of(slot);
        for (std::size_t w = 0; w < bodies.size(); ++w) {
            const auto warp = static_cast<std::size_t>(slot * program_.warps_per_block) + w;
            std::size_t span = 0;
            for (const netgen::SmOp& op : bodies[w]) {
                std::int64_t& sum = spans[span][warp % schedulers];
                sum = capped_sum(sum, own_parts(op, rates));
                if (op.kind == netgen::SmOpKind::barrier && ++span == spans.size())
                    spans.emplace_back(schedulers);
            }
        }
        for (auto& span : spans) std::ranges::sort(span, std::greater{});
        return spans;
    }

    /// Of one trip of the block in a slot.
    BlockWork work_of(std::int64_t slot, const Rates& rates) const {
        BlockWork work;
        for (const auto& body : bodies_of(slot))
            for (const netgen::SmOp& op : body)
                work.shared = capped_sum(work.shared, parts_of(op, rates, false));
        auto spans = own_of(slot, rates);
        for (const auto& span : spans) work.own = capped_sum(work.own, span.front());
        work.barriers = static_cast<std::int64_t>(spans.size() - 1);
        // No barrier separates the end of a trip from the beginning of the next one.
        if (work.barriers == 0) {
            for (std::int64_t& parts : spans.front()) parts = capped_product(trips_, parts);
        } else if (trips_ > 1) {
            for (std::size_t s = 0; s < spans.front().size(); ++s)
                spans.front()[s] = capped_sum(spans.front()[s], spans.back()[s]);
            spans.pop_back();
        }
        for (const auto& span : spans) work.further.insert(work.further.end(), span.begin() + 1, span.end());
        std::ranges::sort(work.further, std::greater{});
        return work;
    }

    /// The work on the schedulers of the path, for the number of blocks that share them and the number of
    /// borders that their slots meet.
    std::int64_t own_work(const BlockWork& block, std::int64_t blocks, std::int64_t borders) const {
        std::int64_t sum = capped_product(blocks, block.own);
        const std::int64_t copies = capped_product(blocks, block.barriers == 0 ? 1 : trips_);
        for (const std::int64_t parts : block.further) {
            const std::int64_t number = std::min(copies, borders);
            sum = capped_sum(sum, capped_product(number, parts));
            borders -= number;
        }
        return sum;
    }

    /// The work of an operation.
    std::int64_t all_parts(const netgen::SmOp& op, const Rates& rates) const {
        return std::max(parts_of(op, rates, false), parts_of(op, rates, true));
    }

    /// The work that the operations of the path pay for themselves in any block: the least of a warp between
    /// two barriers.
    std::int64_t spared(const Rates& rates) const {
        std::int64_t least = out_of_range;
        for (std::int64_t slot = 0; slot < resident_; ++slot) {
            std::vector<std::int64_t> spans;
            for (const auto& body : bodies_of(slot)) {
                std::size_t span = 0;
                std::int64_t sum = 0;
                const auto end_span = [&] {
                    if (span == spans.size()) spans.push_back(sum);
                    spans[span] = std::min(spans[span], std::exchange(sum, 0));
                    ++span;
                };
                for (const netgen::SmOp& op : body) {
                    sum += std::min(all_parts(op, rates), step_parts);
                    if (op.kind == netgen::SmOpKind::barrier) end_span();
                }
                end_span();
            }
            least = std::min(least, std::accumulate(spans.begin(), spans.end(), std::int64_t{0}));
        }
        return capped_product(trips_, least);
    }

    /// The number of steps in which one of these rates is short for the path.
    std::int64_t short_steps(const Rates& rates) const {
        BlockWork block;
        for (std::int64_t slot = 0; slot < resident_; ++slot)
            take_larger(block, work_of(slot, rates), trips_);
        std::int64_t start = 0, of_scheduler = 0, least = out_of_range;
        for (std::size_t c = 0; c < netgen::sm_credit_count; ++c) {
            if (!rates[c] || largest_[c] == 0) continue;
            start = std::max(start, parts_of(largest_[c] - 1, c));
            if (netgen::per_scheduler(static_cast<netgen::SmCredit>(c)))
                of_scheduler = std::max(of_scheduler, parts_of(most_debt(c), c));
        }
        for_each_op([&](const netgen::SmOp& op) {
            const std::int64_t parts = all_parts(op, rates);
            if (parts > 0) least = std::min(least, parts);
        });
        if (least == out_of_range) return 0;
        const std::int64_t spans = capped_product(chain_, capped_sum(block.barriers, 1));
        std::int64_t own = own_work(block, blocks_, capped_product(resident_ - 1, spans - 1));
        std::int64_t whole =
            std::max<std::int64_t>(1, chain_ - 1);  // blocks that the path follows to the end
        const std::int64_t classes = program_.schedulers / program_.warps_per_block;
        if (classes > 1 && program_.schedulers % program_.warps_per_block == 0 && classes <= resident_) {
            const std::int64_t slots = (resident_ - 1) / classes + 1;
            const std::int64_t before = chain_ == 1 ? 0 : (capped_product(blocks_ - 1, slots)) / resident_;
            own = std::min(own, own_work(block, capped_sum(before, std::min(slots, blocks_)),
                                         capped_product(slots - 1, spans - 1)));
            if (chain_ > 1) whole = chain_ - 2;
        }
        const std::int64_t changes = program_.schedulers == 1 ? 0 : spans - 1;
        std::int64_t parts = capped_sum(capped_product(blocks_, block.shared), own);
        parts = capped_sum(capped_sum(parts, capped_product(changes, of_scheduler)), start);
        if (parts == out_of_range) return parts;
        const std::int64_t paid =
            capped_sum(capped_product(whole, spared(rates)), std::max<std::int64_t>(0, least - step_parts));
        return std::max<std::int64_t>(0, parts - std::max(paid, least)) / step_parts;
    }

    const netgen::SmProgram& program_;
    std::int64_t blocks_, trips_, resident_, chain_;
    std::array<std::int64_t, netgen::sm_credit_count> largest_ = {};  // that an operation takes
};

}  // namespace

std::optional<RateBounds> rate_bounds(const netgen::SmNet& sm) { return RateBound(sm).bounds(); }

}  // namespace warpnet::worst

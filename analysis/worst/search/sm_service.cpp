// Long runs of sm nets. The service order decides a run if credits are short, and few rules make most of the
// difference. One warp of each block is starved, so all other warps wait for it at the barrier or at the end
// of the block. The starved warps of all blocks then take their latencies at the same time, in which no warp
// needs the rates. All other warps advance together, so one rate idles while they all need another. If each
// block starves another warp, the starved warps are on different schedulers, and all of these idle for a part
// of the time. If a whole block or a scheduler is starved, its work is served last and alone.
//
// The services that are longest at the beginning of a run are followed to its end. The beginning alone
// misleads by up to 10 % of the run, because it lacks events such as the end of a starved block.
//
// On the first three waves of 47 launches of the GTX 950, the best of the twelve services is on average
// within 0.3 % of the best of 44. These 44 also alternate blocks, halves of blocks and kinds of operations.
// The order of memory and arithmetic matters little. Hill climbing over weights of twelve properties of a
// warp costs 25 times as much (300 candidates). It found up to 6 % more on single kernels, and less on the
// rest.
//
// A run is followed on the program, not on the net: one entry per warp instead of a token game over hundreds
// of places. Tests replay its firings on the net.

#include "analysis/worst/search/sm_service.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace warpnet::worst {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

struct ServedWarp {
    std::size_t pc = 0;
    std::int64_t trip = 0;
    std::int64_t next = 0;              // when its next operation may fire, apart from `ready`
    std::int64_t ready = 0;             // when the warp continues
    std::vector<std::int64_t> flights;  // of each load slot: when it is free again
    std::int64_t block = 0;             // in the order of starts
    bool active = false, at_barrier = false;
};

class ServedRun {
  public:
    ServedRun(const netgen::SmNet& sm, const SmService& service, bool with_firings)
        : program_(sm.program),
          service_(service),
          with_firings_(with_firings),
          trips_(sm.trips),
          left_(sm.blocks),
          alive_(sm.blocks),
          launch_(program_.launch_cap),
          warps_(program_.bodies.size()),
          credits_(static_cast<std::size_t>(program_.schedulers), program_.refill) {}

    SmRun run() {
        while (true) {
            start_blocks();  // on slots that were free before
            end_blocks();
            if (alive_ == 0) break;
            start_blocks();
            step();
        }
        result_.steps = static_cast<std::uint64_t>(now_);
        return std::move(result_);
    }

  private:
    std::size_t of_block() const { return static_cast<std::size_t>(program_.warps_per_block); }
    std::int64_t& credit(std::size_t warp, std::size_t c) {
        return credits_[netgen::per_scheduler(static_cast<netgen::SmCredit>(c)) ? warp % credits_.size() : 0]
                       [c];
    }

    /// When the warp may fire its next operation, or ends.
    std::int64_t earliest(std::size_t w) {
        ServedWarp& warp = warps_[w];
        const auto& body = program_.bodies[w];
        if (warp.at_barrier) return never;
        if (warp.pc == body.size() && warp.trip + 1 < trips_) warp.pc = 0, ++warp.trip;
        std::int64_t time = std::max(warp.next, warp.ready);
        if (warp.flights.empty()) return time;
        if (warp.pc == body.size() || body[warp.pc].kind == netgen::SmOpKind::barrier)
            return std::max(time, std::ranges::max(warp.flights));
        return body[warp.pc].slot > 0 ? std::max(time, std::ranges::min(warp.flights)) : time;
    }

    bool is_over(std::size_t w) { return earliest(w) <= now_ && warps_[w].pc == program_.bodies[w].size(); }

    void end_blocks() {
        for (std::size_t first = 0; first < warps_.size(); first += of_block()) {
            bool over = warps_[first].active;
            for (std::size_t w = first; over && w < first + of_block(); ++w) over = is_over(w);
            if (!over) continue;
            for (std::size_t w = first; w < first + of_block(); ++w) warps_[w].active = false;
            --alive_;
        }
    }

    void start_blocks() {
        for (std::size_t first = 0; first < warps_.size(); first += of_block()) {
            if (warps_[first].active || left_ == 0 || launch_ < program_.launch_cost) continue;
            launch_ -= program_.launch_cost;
            for (std::size_t w = first; w < first + of_block(); ++w) {
                warps_[w] = {
                    .next = now_,
                    .ready = now_,
                    .flights = std::vector<std::int64_t>(static_cast<std::size_t>(program_.load_slots)),
                    .block = started_,
                    .active = true};
            }
            ++started_;
            --left_;
        }
    }

    /// Of a warp that can fire, with its number; the lowest is served first.
    using Rank = std::tuple<std::int64_t, double, std::size_t>;
    Rank rank(std::size_t w) const {
        const ServedWarp& warp = warps_[w];
        const auto number = static_cast<std::int64_t>(w % of_block());
        std::int64_t last = 0;
        switch (service_.last) {
            case SmService::Last::none:
                break;
            case SmService::Last::last_of_block:
                last = number + 1 == program_.warps_per_block ? 1 : 0;
                break;
            case SmService::Last::turn_of_block:
                last = (number + warp.block + 1) % program_.warps_per_block == 0 ? 1 : 0;
                break;
            case SmService::Last::higher_numbers:
                last = number;
                break;
            case SmService::Last::one_block:
                last = w < of_block() ? 1 : 0;
                break;
            case SmService::Last::one_scheduler:
                last = w % credits_.size() == 0 ? 1 : 0;
                break;
        }
        const double far = static_cast<double>(warp.trip) +
                           static_cast<double>(warp.pc) / static_cast<double>(program_.bodies[w].size());
        return {last, service_.lockstep ? far : -far, w};
    }

    void step() {
        waiting_.clear();
        std::int64_t next = never;
        for (std::size_t w = 0; w < warps_.size(); ++w) {
            if (!warps_[w].active) continue;
            const std::int64_t time = earliest(w);
            if (time > now_)
                next = std::min(next, time);
            else if (warps_[w].pc < program_.bodies[w].size())
                waiting_.push_back(rank(w));
        }
        const auto before = credits_;
        const bool waits = !waiting_.empty();
        std::ranges::sort(waiting_);
        for (const Rank& served : waiting_) fire(std::get<std::size_t>(served));
        const bool starts = left_ > 0 && std::ranges::any_of(warps_, [](const auto& w) { return !w.active; });
        const std::int64_t steps = waits || starts ? 1 : next - now_;
        refill(before, steps);
        now_ += steps;
    }

    void fire(std::size_t w) {
        ServedWarp& warp = warps_[w];
        const netgen::SmOp& op = program_.bodies[w][warp.pc];
        for (std::size_t c = 0; c < netgen::sm_credit_count; ++c)
            if (op.credits[c] > credit(w, c)) return;
        for (std::size_t c = 0; c < netgen::sm_credit_count; ++c) credit(w, c) -= op.credits[c];
        warp.next = now_ + 1;
        warp.ready = now_ + op.delay;
        std::size_t slot = 0;
        if (op.slot > 0) {
            while (warp.flights[slot] > now_) ++slot;
            warp.flights[slot++] = now_ + std::max<std::int64_t>(2, op.slot);
        }
        if (with_firings_)
            result_.firings.push_back({static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(warp.pc),
                                       static_cast<std::uint32_t>(slot)});
        ++warp.pc;
        if (op.kind == netgen::SmOpKind::barrier) meet(w);
    }

    /// At a barrier, which the last warp of a block opens.
    void meet(std::size_t w) {
        warps_[w].at_barrier = true;
        const std::size_t first = w - w % of_block();
        for (std::size_t v = first; v < first + of_block(); ++v)
            if (!warps_[v].at_barrier) return;
        for (std::size_t v = first; v < first + of_block(); ++v) {
            warps_[v].at_barrier = false;
            warps_[v].next = now_ + 1;
        }
    }

    /// Refills the credits for a number of steps, the first of which began with the credits `before`.
    void refill(const std::vector<std::array<std::int64_t, netgen::sm_credit_count>>& before,
                std::int64_t steps) {
        const bool last = alive_ <= program_.last_blocks;
        const auto add = [&](std::int64_t& credits, std::int64_t first, std::int64_t cap,
                             std::int64_t amount) {
            if (amount > 0 && first < cap) credits += amount;
            for (std::int64_t i = 1; i < steps && amount > 0 && credits < cap; ++i) credits += amount;
        };
        for (std::size_t s = 0; s < credits_.size(); ++s)
            for (std::size_t c = 0; c < netgen::sm_credit_count; ++c)
                add(credits_[s][c], before[s][c], program_.cap[c],
                    program_.refill[c] + (last ? program_.last_refill[c] : 0));
        add(launch_, launch_, program_.launch_cap, program_.launch_refill);
    }

    const netgen::SmProgram& program_;
    const SmService service_;
    const bool with_firings_;
    std::int64_t trips_, left_, alive_, launch_, started_ = 0, now_ = 0;
    std::vector<ServedWarp> warps_;
    std::vector<std::array<std::int64_t, netgen::sm_credit_count>> credits_;  // of the SM: in the first
    std::vector<Rank> waiting_;
    SmRun result_;
};

}  // namespace

SmRun run_of(const netgen::SmNet& sm, const SmService& service, bool with_firings) {
    return ServedRun(sm, service, with_firings).run();
}

SmRun longest_run(const netgen::SmNet& sm, bool with_firings) {
    constexpr std::int64_t waves = 4, trips = 2;
    constexpr std::size_t to_the_end = 3;
    netgen::SmNet begin = sm;
    begin.trips = std::min(begin.trips, trips);
    begin.blocks = std::min(begin.blocks, waves * sm.program.resident_blocks());
    std::vector<std::pair<std::uint64_t, SmService>> tried;
    using Last = SmService::Last;
    for (const Last last : {Last::last_of_block, Last::none, Last::turn_of_block, Last::higher_numbers,
                            Last::one_block, Last::one_scheduler}) {
        for (const bool lockstep : {true, false})
            tried.emplace_back(run_of(begin, {last, lockstep}).steps, SmService{last, lockstep});
    }
    std::ranges::stable_sort(tried, std::greater{}, [](const auto& t) { return t.first; });
    std::pair<std::uint64_t, SmService> best = tried.front();
    if (begin.trips < sm.trips || begin.blocks < sm.blocks) {
        best.first = 0;
        for (const auto& [ignored, service] : std::span(tried).first(to_the_end)) {
            const std::uint64_t steps = run_of(sm, service).steps;
            if (steps > best.first) best = {steps, service};
        }
    }
    return with_firings ? run_of(sm, best.second, true) : SmRun{best.first, {}};
}

}  // namespace warpnet::worst

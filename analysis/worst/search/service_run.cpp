// A run of a service order is event-driven. Between two services a module goes its own way, so an event is a
// departure or an arrival, and the steps between are skipped. Priorities belong to decisions and not to
// moments, so the future of a state does not depend on the time. That has three advantages. A run costs one
// event per decision, about 10 ns, at any latencies. A candidate starts from the last state kept before its
// first change. And it ends when it reaches a state of the current run, earlier or later: the rest is known
// except for the time difference.
//
// Waiting modules are queued per demand class. A class with a hub of its own needs no comparison with other
// classes. All winners of a step are found before any departs, because tokens that they return at once count
// only in the next step.

#include "analysis/worst/search/service_run.hpp"

#include <algorithm>
#include <bit>

namespace warpnet::worst {

namespace {

constexpr std::uint64_t entry_of(std::uint32_t priority, std::uint32_t row) {
    return (std::uint64_t{priority} << 32) | row;
}
constexpr std::uint32_t row_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }

}  // namespace

ServiceRun::ServiceRun(const ServiceNet& net, std::uint64_t max_steps)
    : net_(net),
      modules_(net.parts()),
      automaton_(modules_.automaton),
      max_steps_(max_steps),
      interval_(std::max(64u, 2 * static_cast<std::uint32_t>(net.rows()))),
      calendar_(modules_.size(), automaton_.timed, modules_.longest_segment),
      lanes_(modules_.size()),
      entries_(automaton_.demand_classes.size() * modules_.size()),
      winners_(net.rows()),
      made_(net.rows()) {
    const auto& classes = automaton_.demand_classes;
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
        private_demand_.push_back(net.is_private(i) ? classes[i].front() : PlaceWeight{});
        waiting_.push_back({entries_.data() + i * modules_.size()});
    }
    begin();
}

void ServiceRun::begin() {
    calendar_.clear();
    state_.now = 0;
    state_.made.assign(net_.rows(), 0);
    state_.walks.clear();
    state_.supplies = modules_.start_supplies;
    state_.counters = modules_.start_counters;
    state_.counters.push_back(1);
    for (const std::uint32_t node : modules_.start)
        state_.walks.push_back({0, nullptr, &modules_.routes.node(node)});
}

void ServiceRun::restore(const State& kept) {
    state_ = kept;
    calendar_.clear();
    count_ = 0;
    for (std::uint32_t part = 0; part < modules_.size(); ++part) {
        count_ += state_.made[part];
        const Walk& walk = state_.walks[part];
        if (!is_on_the_way(walk)) continue;
        const auto step = static_cast<std::uint64_t>(walk.begun + static_cast<std::int64_t>(kept.now));
        const Route& route = *walk.route;
        calendar_.arrive(step + route.steps - 1, part);
        if (step + route.pair_offset > kept.now)
            calendar_.add(step + route.pair_offset, route.pair, route.deltas);
        if (!route.more) continue;
        const Segment& segment = automaton_.segments[route.segment];
        for (std::uint32_t i = 1; i < segment.pairs; ++i) {
            const EffectPair& pair = automaton_.pairs[segment.first_pair + i];
            if (step + pair.offset > kept.now) calendar_.add(step + pair.offset, pair.pair, pair.deltas);
        }
    }
}

/// The lanes according to the state.
void ServiceRun::fill_lanes(const ServiceOrder& order) {
    for (std::uint32_t part = 0; part < modules_.size(); ++part) {
        const Walk& walk = state_.walks[part];
        lanes_[part] = {walk.target,
                        walk.route,
                        walk.begun + static_cast<std::int64_t>(state_.now),
                        state_.supplies.data() + part * modules_.most_supplies,
                        order.priorities(part).data(),
                        order.choices(part).data(),
                        order.length(part),
                        state_.made[part]};
    }
}

void ServiceRun::keep(State& kept) const {
    kept = state_;
    for (std::size_t part = 0; part < lanes_.size(); ++part) {
        kept.walks[part] = walk_of(lanes_[part]);
        kept.made[part] = lanes_[part].made;
    }
}

/// Whether the current state is one that the current run had in a kept state, except for the time.
bool ServiceRun::agrees(const State& kept) const {
    for (std::uint32_t row = 0; row < kept.made.size(); ++row) {
        if (made(row) != kept.made[row]) return false;
    }
    if (state_.counters != kept.counters || state_.supplies != kept.supplies) return false;
    for (std::size_t part = 0; part < lanes_.size(); ++part) {
        const Walk walk = walk_of(lanes_[part]);
        const Walk& other = kept.walks[part];
        if (walk.target != other.target) return false;
        const bool on_the_way = is_on_the_way(walk);
        if (on_the_way != is_on_the_way(other)) return false;
        if (on_the_way ? walk.route != other.route || walk.begun != other.begun
                       : has_waited(walk) != has_waited(other))
            return false;
    }
    return true;
}

/// Whether no changed decision has been used before a kept state.
bool ServiceRun::is_before(const State& kept, std::span<const ServiceChange> changes) const {
    return std::all_of(changes.begin(), changes.end(), [&](const ServiceChange& change) {
        const std::uint32_t made = kept.made[change.row];
        if (change.first_choice < made || change.first_priority < made) return false;
        if (change.first_priority > made) return true;
        return change.row < modules_.size() ? !has_waited(kept.walks[change.row]) : true;
    });
}

ServiceOutcome ServiceRun::run(const ServiceOrder& order, ServiceTrace* trace) {
    begin();
    count_ = 0;
    kept_count_ = 0;
    next_mark_ = fresh_begin_ = 0;
    may_rejoin_ = rejoined_ = false;
    trace_ = trace;
    candidate_outcome_ = trace == nullptr ? continue_run<false>(order, {}) : continue_run<true>(order, {});
    trace_ = nullptr;
    accept();
    return outcome_;
}

ServiceOutcome ServiceRun::candidate(const ServiceOrder& order, std::span<const ServiceChange> changes) {
    std::size_t low = 0, high = kept_count_;  // the last state before all changes; the first always is
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (is_before(kept_[middle], changes) ? low : high) = middle;
    }
    restore(kept_[low]);
    next_mark_ = fresh_begin_ = low + 1;
    // A row that comes to its end starts again: then changed decisions are never after it.
    may_rejoin_ =
        outcome_.dead && std::all_of(changes.begin(), changes.end(), [&](const ServiceChange& change) {
            return made_[change.row] < order.length(change.row);
        });
    rejoined_ = false;
    return candidate_outcome_ = continue_run<false>(order, changes);
}

void ServiceRun::accept() {
    outcome_ = candidate_outcome_;
    if (kept_.size() < fresh_.size()) kept_.resize(fresh_.size());
    for (std::size_t i = fresh_begin_; i < fresh_end_; ++i) std::swap(kept_[i], fresh_[i]);
    if (rejoined_) {
        for (std::size_t i = fresh_end_; i < kept_count_; ++i)
            kept_[i].now = static_cast<std::uint64_t>(static_cast<std::int64_t>(kept_[i].now) + delay_);
        return;
    }
    kept_count_ = fresh_end_;
    for (std::uint32_t row = 0; row < made_.size(); ++row) made_[row] = made(row);
}

/// Keeps the state. Returns whether everything from here on is as in the current run.
bool ServiceRun::pass_mark(std::span<const ServiceChange> changes) {
    const std::size_t mark = next_mark_++;
    if (may_rejoin_ && mark < kept_count_ &&
        std::all_of(changes.begin(), changes.end(),
                    [&](const ServiceChange& change) { return made(change.row) >= change.end; }) &&
        agrees(kept_[mark])) {
        fresh_end_ = mark;
        delay_ = static_cast<std::int64_t>(state_.now) - static_cast<std::int64_t>(kept_[mark].now);
        return rejoined_ = true;
    }
    if (mark >= fresh_.size()) fresh_.resize(mark + 1);
    keep(fresh_[mark]);
    return false;
}

[[gnu::always_inline]] inline void ServiceRun::arrive(std::uint32_t part) {
    const Lane& lane = lanes_[part];
    const RouteNode& node = *lane.target;
    if (node.kind == ModuleNode::Kind::choosing) {
        continuing_.push_back(part);
        return;
    }
    if (node.kind == ModuleNode::Kind::over) return;
    const std::uint64_t entry = entry_of(lane.priority[lane.number()], part);
    busy_ |= std::uint64_t{1} << node.demand_class;
    Queue& queue = waiting_[node.demand_class];
    std::size_t at = queue.size++;
    std::uint64_t* const entries = queue.entries;
    for (; at > 0 && entries[at - 1] < entry; --at) entries[at] = entries[at - 1];
    entries[at] = entry;
}

template <bool traced>
[[gnu::always_inline]] inline void ServiceRun::depart(std::uint32_t part, std::uint64_t step) {
    Lane& lane = lanes_[part];
    const std::uint32_t number = lane.number();
    ++lane.made;
    ++count_;
    const ServiceNode& node = net_.node(*lane.target);
    const Route& route = *node.ways[lane.choice[number] & node.mask];
    if constexpr (traced)
        trace_->departures.push_back({step, part, route.segment, net_.label_of(node, route)});
    std::int64_t* const counters = state_.counters.data();
    counters[route.counter] += route.delta;
    calendar_.add(step + route.pair_offset, route.pair, route.deltas);
    lane.target = route.follow(automaton_, lane.supplies);
    if (route.more) [[unlikely]] {
        const Segment& segment = automaton_.segments[route.segment];
        for (std::uint32_t i = 1; i < segment.at_once; ++i) {
            const TimedEffect& effect = automaton_.effects[segment.first_effect + i];
            counters[effect.counter] += effect.delta;
        }
        for (std::uint32_t i = 1; i < segment.pairs; ++i) {
            const EffectPair& pair = automaton_.pairs[segment.first_pair + i];
            calendar_.add(step + pair.offset, pair.pair, pair.deltas);
        }
    }
    lane.route = &route;
    lane.begun = static_cast<std::int64_t>(step);
    calendar_.arrive(step + route.steps - 1, part);
}

inline bool ServiceRun::fits(std::span<const PlaceWeight> demands) const noexcept {
    return std::all_of(demands.begin(), demands.end(),
                       [&](PlaceWeight demand) { return state_.counters[demand.place] >= demand.weight; });
}

inline bool ServiceRun::serves_somebody() const noexcept {
    for (std::uint64_t rest = busy_; rest != 0; rest &= rest - 1) {
        const auto demand_class = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto [hub, weight] = private_demand_[demand_class];
        if (net_.is_private(demand_class) ? state_.counters[hub] >= weight
                                          : fits(automaton_.demand_classes[demand_class]))
            return true;
    }
    return false;
}

inline bool ServiceRun::loops_rest() const noexcept {
    const std::int64_t* unmet = state_.counters.data() + modules_.hubs.size();
    for (std::size_t left = modules_.loops.size(); left > 0; --left) {
        if (*unmet++ == 0) return false;
    }
    return true;
}

/// Serves a class that has a hub of its own, as long as its tokens suffice. Returns the end of the winners.
[[gnu::always_inline]] inline std::uint32_t* ServiceRun::serve_private(std::uint32_t demand_class,
                                                                       std::uint32_t* winner) {
    const auto [hub, weight] = private_demand_[demand_class];
    Tokens tokens = state_.counters[hub];
    if (tokens < weight) return winner;
    Queue& queue = waiting_[demand_class];
    const std::uint64_t* const entries = queue.entries;
    std::uint32_t left = queue.size;
    do {
        *winner++ = row_of(entries[--left]);
        tokens -= weight;
    } while (left > 0 && tokens >= weight);
    state_.counters[hub] = tokens;
    queue.size = left;
    if (left == 0) busy_ &= ~(std::uint64_t{1} << demand_class);
    return winner;
}

/// Serves waiting parts; returns whether that made a step. Tokens that winners return at once do not count in
/// this step: all winners are found before any departs.
template <bool traced>
[[gnu::always_inline]] inline bool ServiceRun::serve(std::uint64_t step) {
    if (!loops_rest() || (busy_ & ~net_.private_classes()) != 0) return serve_shared<traced>(step);
    const std::uint32_t* const first = winners_.data();
    std::uint32_t* last = winners_.data();
    for (std::uint64_t rest = busy_; rest != 0; rest &= rest - 1)
        last = serve_private(static_cast<std::uint32_t>(std::countr_zero(rest)), last);
    for (const std::uint32_t* winner = first; winner != last; ++winner) depart<traced>(*winner, step);
    return first != last;
}

template <bool traced>
ServiceOutcome ServiceRun::continue_run(const ServiceOrder& order, std::span<const ServiceChange> changes) {
    order_ = &order;
    fill_lanes(order);
    busy_ = 0;
    for (Queue& queue : waiting_) queue.size = 0;
    continuing_.clear();
    for (std::uint32_t part = 0; part < modules_.size(); ++part) {
        if (!is_on_the_way(state_.walks[part])) arrive(part);
    }
    const auto arrived = [&](std::uint32_t part) { arrive(part); };
    for (;;) {
        if (count_ >= next_mark_ * interval_ && pass_mark(changes)) [[unlikely]]
            return {static_cast<std::uint64_t>(static_cast<std::int64_t>(outcome_.steps) + delay_), true};
        const std::uint64_t step = state_.now + 1;
        bool busy = busy_ != 0 && serve<traced>(step);
        if (!continuing_.empty()) {
            busy = true;
            for (const std::uint32_t part : continuing_) depart<traced>(part, step);
            continuing_.clear();
        }
        if (busy && (serves_somebody() || calendar_.empty())) {
            state_.now = step;
        } else if (calendar_.empty()) {
            break;
        } else {
            state_.now = calendar_.next_due(step);
        }
        if (state_.now > max_steps_) break;
        if (calendar_.is_due(state_.now)) calendar_.take(state_.now, state_.counters.data(), arrived);
    }
    fresh_end_ = next_mark_;
    if (state_.now > max_steps_) return {max_steps_, false};
    for (std::uint32_t loop = 0; loop < modules_.loops.size(); ++loop) {
        if (loop_is_enabled(loop)) return {max_steps_, false};
    }
    return {state_.now, true};
}

void ServiceRun::take(std::span<const PlaceWeight> demands, std::int64_t times) noexcept {
    for (const auto [hub, weight] : demands) state_.counters[hub] -= weight * times;
}

bool ServiceRun::loop_is_enabled(std::uint32_t number) const {
    const HubLoop& loop = modules_.loops[number];
    return state_.counters[modules_.hubs.size() + number] == 0 && fits(loop.takes) &&
           std::all_of(loop.hub_tests.begin(), loop.hub_tests.end(), [&](const Watch& test) {
               return meets(state_.counters[test.transition], test.threshold);
           });
}

/// All in one order: parts, and the enabled loops, which return the tokens they took.
template <bool traced>
bool ServiceRun::serve_shared(std::uint64_t step) {
    if (!serves_somebody()) return false;
    open_.clear();
    for (std::uint64_t rest = busy_; rest != 0; rest &= rest - 1) {
        const Queue& queue = waiting_[static_cast<std::size_t>(std::countr_zero(rest))];
        open_.insert(open_.end(), queue.entries, queue.entries + queue.size);
    }
    const auto first_loop = static_cast<std::uint32_t>(modules_.size());
    for (std::uint32_t loop = 0; loop < modules_.loops.size(); ++loop) {
        if (modules_.loops[loop].takes.empty() || !loop_is_enabled(loop)) continue;
        const std::uint32_t row = first_loop + loop;
        const std::uint32_t number = state_.made[row]++ % order_->length(row);
        open_.push_back(entry_of(order_->priority[order_->first[row] + number], row));
    }
    std::sort(open_.begin(), open_.end());
    auto winner = winners_.begin();
    for (const std::uint64_t entry : open_) {
        const std::uint32_t row = row_of(entry);
        const bool is_loop = row >= first_loop;
        const std::span<const PlaceWeight> demands =
            is_loop
                ? std::span<const PlaceWeight>(modules_.loops[row - first_loop].takes)
                : std::span<const PlaceWeight>(automaton_.demand_classes[lanes_[row].target->demand_class]);
        if (!fits(demands)) continue;
        take(demands, 1);
        *winner++ = row;
    }
    for (const std::uint32_t row : std::span(winners_.begin(), winner)) {
        if (row >= first_loop) {
            take(modules_.loops[row - first_loop].takes, -1);
            if constexpr (traced) trace_->departures.push_back({step, row, 0, 0});
            continue;
        }
        const std::uint32_t demand_class = lanes_[row].target->demand_class;
        Queue& queue = waiting_[demand_class];
        std::uint64_t* const end = queue.entries + queue.size;
        std::uint64_t* const served =
            std::find_if(queue.entries, end, [&](std::uint64_t entry) { return row_of(entry) == row; });
        std::copy(served + 1, end, served);
        if (--queue.size == 0) busy_ &= ~(std::uint64_t{1} << demand_class);
        depart<traced>(row, step);
    }
    return true;
}

}  // namespace warpnet::worst

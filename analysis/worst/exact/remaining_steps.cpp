// The header has the argument of both bounds. All tables are filled once, by passes over the positions in
// reverse order, so every target is complete before its sources: the longest and the shortest own way, and
// per hub the tokens held, the token-steps of the heaviest and the lightest way, and the scarcest demand
// ahead. A hub is usable if the codes determine its tokens; then the tokens that a position holds follow from
// its share. The bound of a state adds these values over its modules, equal codes together. Cost: linear in
// the edges once, and O(modules) per state if few codes differ.

#include "analysis/worst/exact/remaining_steps.hpp"

#include "engine/base/round_up.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpnet::worst {

RemainingSteps::RemainingSteps(const MultisetNet& net) : net_(net) {
    measure_ways();
    for (const MultisetNet::Share& share : net.shares)
        if (share.counter < net.hubs) hubs_.push_back(measure(share));
    find_what_is_missed();
}

void RemainingSteps::measure_ways() {
    longest_.assign(net_.positions.size(), 0);
    shortest_.assign(net_.positions.size(), 0);
    for (std::size_t i = net_.order.size(); i-- > 0;) {
        const std::uint32_t m = net_.order[i];
        std::int64_t least = unbounded;
        for (const MultisetNet::Edge& edge : net_.edges_of(m)) {
            const std::uint32_t target = net_.position_at(edge.code);
            const std::int64_t steps = net_.tail_table[net_.tail_at(edge.code)].steps;
            longest_[m] = std::max(longest_[m], steps + longest_[target]);
            least = std::min(least, steps + shortest_[target]);
        }
        if (net_.positions[m].edges > 0) shortest_[m] = least;
    }
}

/// The tokens that each position holds: the difference of its share from the largest share among the
/// positions that ways connect with it.
void RemainingSteps::measure_held(const MultisetNet::Share& share, Hub& hub) const {
    std::vector<std::uint32_t> block(net_.positions.size());
    for (std::uint32_t m = 0; m < block.size(); ++m) block[m] = m;
    const auto root = [&](std::uint32_t m) {
        while (block[m] != m) m = block[m] = block[block[m]];
        return m;
    };
    for (std::uint32_t m = 0; m < block.size(); ++m)
        for (const MultisetNet::Edge& edge : net_.edges_of(m))
            block[root(m)] = root(net_.position_at(edge.code));
    std::vector<Tokens> largest(net_.positions.size(), std::numeric_limits<Tokens>::min());
    for (std::uint32_t m = 0; m < block.size(); ++m)
        largest[root(m)] = std::max(largest[root(m)], share.of_position[m]);
    for (std::uint32_t m = 0; m < block.size(); ++m)
        hub.held.push_back(largest[root(m)] - share.of_position[m]);
    hub.tokens = share.base;
    for (const LocalCode code : net_.start) hub.tokens += largest[root(net_.position_at(code))];
}

RemainingSteps::Hub RemainingSteps::measure(const MultisetNet::Share& share) const {
    Hub hub;
    hub.counter = share.counter;
    hub.pending = share.pending;
    measure_held(share, hub);
    hub.pending_time.assign(net_.tails, 0);
    for (std::uint32_t tail = 1; tail < net_.tails; ++tail) {
        const LocalTail& row = net_.tail_table[tail];
        hub.pending_time[tail] = row.gap * hub.pending[tail] + hub.pending_time[row.next];
    }
    const std::size_t positions = net_.positions.size();
    hub.most_time.assign(positions, 0);
    hub.least_time.assign(positions, 0);
    hub.most = hub.held;
    hub.need.assign(positions, 0);
    for (std::size_t i = net_.order.size(); i-- > 0;) {
        const std::uint32_t m = net_.order[i];
        const MultisetNet::Position& position = net_.positions[m];
        std::int64_t least = unbounded;
        for (const MultisetNet::Edge& edge : net_.edges_of(m)) {
            const std::uint32_t target = net_.position_at(edge.code), tail = net_.tail_at(edge.code);
            hub.most_time[m] = std::max(hub.most_time[m], most_time(hub, edge.code));
            least = std::min(least, least_time(hub, edge.code));
            hub.most[m] = std::max({hub.most[m], hub.most[target], hub.held[target] + hub.pending[tail]});
            if (hub.need[target] > 0)
                hub.need[m] = hub.need[m] > 0 ? std::min(hub.need[m], hub.need[target]) : hub.need[target];
        }
        if (position.edges > 0) hub.least_time[m] = least;
        if (position.kind != ModuleNode::Kind::choosing && hub.held[m] > 0) hub.most_time[m] = unbounded;
        if (position.kind != ModuleNode::Kind::waiting) continue;
        for (const auto [counter, weight] : net_.demand_classes[position.demand_class]) {
            if (counter != hub.counter) continue;
            const std::int64_t need = hub.tokens - weight - hub.held[m] + 1;
            // A module that can never be served does not move any more.
            if (need > 0) hub.need[m] = hub.need[m] > 0 ? std::min(hub.need[m], need) : need;
        }
    }
    return hub;
}

std::int64_t RemainingSteps::most_time(const Hub& hub, LocalCode code) const noexcept {
    const std::uint32_t m = net_.position_at(code), tail = net_.tail_at(code);
    if (hub.most_time[m] >= unbounded) return unbounded;
    return hub.most_time[m] + hub.held[m] * net_.tail_table[tail].steps + hub.pending_time[tail];
}

std::int64_t RemainingSteps::least_time(const Hub& hub, LocalCode code) const noexcept {
    const std::uint32_t m = net_.position_at(code), tail = net_.tail_at(code);
    return hub.least_time[m] + hub.held[m] * net_.tail_table[tail].steps + hub.pending_time[tail];
}

/// Loops that can take tokens for which a module waits, hubs with undetermined tokens, deadlocks.
void RemainingSteps::find_what_is_missed() {
    const auto hub_of = [&](std::uint32_t counter) {
        return std::find_if(hubs_.begin(), hubs_.end(),
                            [&](const Hub& hub) { return hub.counter == counter; });
    };
    for (const MultisetNet::Position& position : net_.positions) {
        if (position.kind != ModuleNode::Kind::waiting) continue;
        for (const PlaceWeight demand : net_.demand_classes[position.demand_class]) {
            const std::uint32_t counter = demand.place;
            countable_ &= hub_of(counter) != hubs_.end();
            for (std::size_t i = 0; i < net_.loops.size(); ++i) {
                const bool takes = std::any_of(net_.loops[i].takes.begin(), net_.loops[i].takes.end(),
                                               [&](PlaceWeight take) { return take.place == counter; });
                countable_ &= !takes || ((position.loops_held >> i) & 1) != 0;
            }
        }
    }
    // At the end every module has ended or waits. The tokens they then hold must leave enough for each
    // waiting module.
    for (const Hub& hub : hubs_) {
        std::vector<std::int64_t> most_at_rest(net_.positions.size(), 0);
        for (std::size_t i = net_.order.size(); i-- > 0;) {
            const std::uint32_t m = net_.order[i];
            if (net_.positions[m].kind != ModuleNode::Kind::choosing) most_at_rest[m] = hub.held[m];
            for (const MultisetNet::Edge& edge : net_.edges_of(m))
                most_at_rest[m] = std::max(most_at_rest[m], most_at_rest[net_.position_at(edge.code)]);
        }
        std::int64_t sum = 0, largest_need = 0;
        for (const LocalCode code : net_.start) sum += most_at_rest[net_.position_at(code)];
        for (std::uint32_t m = 0; m < net_.positions.size(); ++m) {
            const MultisetNet::Position& position = net_.positions[m];
            if (position.kind != ModuleNode::Kind::waiting) continue;
            for (const auto [counter, weight] : net_.demand_classes[position.demand_class])
                if (counter == hub.counter)
                    largest_need = std::max(largest_need, weight + hub.held[m] - most_at_rest[m]);
        }
        always_over_ &= sum + largest_need <= hub.tokens;
    }
    always_over_ &= countable_;
    for (std::size_t loop = 0; loop < net_.loops.size(); ++loop)
        always_ends_ &= always_over_ && !can_go_on(loop);
}

/// Whether a loop may be enabled after all modules have ended.
bool RemainingSteps::can_go_on(std::size_t loop) const {
    for (const LocalCode start : net_.start) {
        std::vector<std::uint8_t> reached(net_.positions.size(), 0);
        reached[net_.position_at(start)] = 1;
        bool held = true;
        for (const std::uint32_t m : net_.order) {
            if (reached[m] == 0) continue;
            for (const MultisetNet::Edge& edge : net_.edges_of(m)) reached[net_.position_at(edge.code)] = 1;
            if (net_.positions[m].kind == ModuleNode::Kind::over)
                held &= (net_.positions[m].loops_held >> loop & 1) != 0;
        }
        if (held) return false;
    }
    for (const auto [counter, weight] : net_.loops[loop].takes) {
        for (const Hub& hub : hubs_) {
            if (hub.counter != counter) continue;
            std::vector<std::int64_t> least_over(net_.positions.size(), unbounded);
            for (std::size_t i = net_.order.size(); i-- > 0;) {
                const std::uint32_t m = net_.order[i];
                if (net_.positions[m].kind == ModuleNode::Kind::over) least_over[m] = hub.held[m];
                for (const MultisetNet::Edge& edge : net_.edges_of(m))
                    least_over[m] = std::min(least_over[m], least_over[net_.position_at(edge.code)]);
            }
            std::int64_t left = hub.tokens;
            for (const LocalCode start : net_.start) left -= least_over[net_.position_at(start)];
            if (left < weight) return false;
        }
    }
    return true;
}

std::int64_t RemainingSteps::potential(const MultisetState& state) const noexcept {
    std::int64_t sum = 0;
    for (const LocalCode code : state.codes) sum += longest_alone(code);
    return sum;
}

/// The steps in which a module waits for a hub that other modules hold.
double RemainingSteps::waiting(const Hub& hub, const MultisetState& state, std::size_t last_mover,
                               Scratch& scratch, bool rounded) const {
    std::int64_t need = hub.need[net_.position_at(state.codes[last_mover])];
    if (need == 0) return 0;
    std::int64_t at_a_time = 0, time = 0;
    for (std::size_t v = 0; v < state.codes.size(); ++v) {
        if (v == last_mover) continue;
        at_a_time += scratch.most[v];
        if (scratch.time[v] >= unbounded) {
            need -= scratch.most[v];
        } else {
            time += scratch.time[v];
        }
    }
    if (need > 0 && at_a_time < hub.need[net_.position_at(state.codes[last_mover])]) return 0;
    if (need <= 0) return static_cast<double>(unbounded);
    double steps = static_cast<double>(time) / static_cast<double>(need);
    for (int round = 0;; ++round) {
        if (rounded) steps = std::floor(steps);
        double held = 0;
        for (std::size_t v = 0; v < state.codes.size(); ++v) {
            if (v == last_mover || scratch.time[v] >= unbounded) continue;
            held +=
                std::min(static_cast<double>(scratch.time[v]), static_cast<double>(scratch.most[v]) * steps);
        }
        const double fewer = held / static_cast<double>(need);
        if (fewer >= steps || (!rounded && round >= 3)) return steps;
        steps = fewer;
    }
}

double RemainingSteps::longest_left(const MultisetState& state, Scratch& scratch, bool rounded) const {
    if (!countable_) return static_cast<double>(unbounded);
    const std::size_t modules = state.codes.size();
    double best = 0;
    scratch.time.resize(modules);
    scratch.most.resize(modules);
    scratch.sum.assign(modules, 0);
    for (std::size_t w = 0; w < modules; ++w)
        scratch.sum[w] = static_cast<double>(longest_alone(state.codes[w]));
    for (const Hub& hub : hubs_) {
        for (std::size_t v = 0; v < modules; ++v) {
            const LocalCode code = state.codes[v];
            const std::uint32_t m = net_.position_at(code);
            scratch.time[v] = most_time(hub, code);
            scratch.most[v] = std::max(hub.most[m], hub.held[m] + hub.pending[net_.tail_at(code)]);
        }
        for (std::size_t w = 0; w < modules; ++w) {
            if (w > 0 && state.codes[w] == state.codes[w - 1]) continue;
            scratch.sum[w] += waiting(hub, state, w, scratch, rounded);
        }
    }
    for (const double steps : scratch.sum) best = std::max(best, steps);
    return std::min(best, static_cast<double>(unbounded));
}

std::int64_t RemainingSteps::least(const MultisetState& state) const noexcept {
    if (!always_over_) return 0;
    std::int64_t least = 0;
    for (const LocalCode code : state.codes) {
        least = std::max(least, shortest_[net_.position_at(code)] +
                                    std::int64_t{net_.tail_table[net_.tail_at(code)].steps});
    }
    for (const Hub& hub : hubs_) {
        std::int64_t time = 0;
        for (const LocalCode code : state.codes) {
            if (net_.positions[net_.position_at(code)].kind == ModuleNode::Kind::over &&
                net_.tail_at(code) == 0)
                continue;  // tokens that it holds forever delay no other module further
            time += least_time(hub, code);
        }
        if (hub.tokens > 0) least = std::max(least, divided_up(time, hub.tokens));
    }
    return least;
}

}  // namespace warpnet::worst

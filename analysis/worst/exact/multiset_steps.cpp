#include "analysis/worst/exact/multiset_steps.hpp"

#include <algorithm>

namespace warpnet {

/// Codes must ascend.
void MultisetSteps::make_plan(const MultisetState& state, Plan& plan) const {
    plan.away.clear();
    plan.waiting.clear();
    plan.choosing.clear();
    for (const LocalCode code : state.codes) {
        const MultisetNet::Position& position = net_.positions[net_.position_at(code)];
        if (net_.tail_at(code) != 0 || position.kind == ModuleNode::Kind::over) {
            plan.away.push_back(code);
            continue;
        }
        auto& groups = position.kind == ModuleNode::Kind::waiting ? plan.waiting : plan.choosing;
        if (groups.empty() || groups.back().code != code) groups.push_back({code, position.demand_class, 0});
        ++groups.back().count;
    }
}

void MultisetSteps::set_movers(const Plan& plan, const HubService& service, std::size_t number) {
    movers_.clear();
    const auto served = service.served(number);
    for (std::size_t g = 0; g < served.size(); ++g)
        if (served[g] > 0) movers_.push_back({net_.position_at(plan.waiting[g].code), served[g]});
    for (const WaitingGroup& group : plan.choosing)
        movers_.push_back({net_.position_at(group.code), group.count});
}

bool MultisetSteps::one_edge_each(const Plan& plan) const {
    const auto one_edge = [&](const WaitingGroup& group) {
        return net_.positions[net_.position_at(group.code)].edges == 1;
    };
    return std::all_of(plan.waiting.begin(), plan.waiting.end(), one_edge) &&
           std::all_of(plan.choosing.begin(), plan.choosing.end(), one_edge);
}

bool MultisetSteps::is_decided(const MultisetState& state) const {
    return std::any_of(state.codes.begin(), state.codes.end(), [&](LocalCode code) {
        if (net_.tail_at(code) != 0) return false;
        const MultisetNet::Position& position = net_.positions[net_.position_at(code)];
        return position.kind == ModuleNode::Kind::choosing ||
               (position.kind == ModuleNode::Kind::waiting &&
                net_.fits(position.demand_class, state.counters));
    });
}

/// Those whom a service names set out as sent_ says; no step is made yet.
void MultisetSteps::send(const MultisetState& from, const Plan& plan, const HubService& service,
                         std::size_t number, Successor& to) const {
    const auto served = service.served(number);
    to.state.counters = from.counters;
    to.state.codes = plan.away;
    for (std::size_t g = 0; g < served.size(); ++g) {
        const WaitingGroup& group = plan.waiting[g];
        to.state.codes.insert(to.state.codes.end(), group.count - served[g], group.code);
        for (const auto [hub, weight] : net_.demand_classes[group.demand_class])
            to.state.counters[hub] -= Tokens{weight} * served[g];
    }
    for (const Sent& sent : sent_) {
        to.state.codes.insert(to.state.codes.end(), sent.count,
                              net_.edges[net_.positions[sent.position].first_edge + sent.edge].code);
    }
}

void MultisetSteps::note(std::uint64_t after, std::vector<LocalMove>* moves) const {
    if (moves == nullptr) return;
    for (const Sent& sent : sent_) moves->insert(moves->end(), sent.count, {after, sent.position, sent.edge});
}

/// From the beginning of a step, all sent out, to the next state in which something is decided.
void MultisetSteps::advance(Successor& to, bool blocked) const {
    for (;;) {
        std::uint32_t gap = 0xffffffff;
        for (const LocalCode code : to.state.codes) {
            const std::uint32_t tail = net_.tail_at(code);
            if (tail != 0) gap = std::min(gap, net_.tail_table[tail].gap);
        }
        if (gap == 0xffffffff) {
            to.ending = blocked                                           ? Ending::stalled
                        : forced_service_.loop_enabled(to.state.counters) ? Ending::endless
                                                                          : Ending::dead;
            if (blocked) ++to.steps;
            break;
        }
        if (blocked) gap = 1;  // what the loops took is back in the next step
        to.steps += gap;
        for (LocalCode& code : to.state.codes) {
            const std::uint32_t tail = net_.tail_at(code);
            if (tail == 0) continue;
            const LocalTail& row = net_.tail_table[tail];
            code = gap < row.gap ? code - gap : code - tail + row.next;
            if (gap < row.gap) continue;
            for (const CounterEffect& effect : net_.effects_of(tail))
                to.state.counters[effect.counter] += effect.delta;
        }
        to.ending = Ending::open;
        if (is_decided(to.state)) break;
        blocked = false;
    }
    std::sort(to.state.codes.begin(), to.state.codes.end());
}

/// As long as only one thing can happen, it does.
void MultisetSteps::settle(Successor& to, std::vector<LocalMove>* moves) {
    std::swap(sent_, forced_sent_);
    std::swap(movers_, forced_movers_);
    while (to.ending == Ending::open) {
        make_plan(to.state, forced_order_);
        if (!one_edge_each(forced_order_) ||
            !forced_service_.is_certain(to.state.counters, forced_order_.waiting))
            break;
        forced_service_.find(to.state.counters, forced_order_.waiting);
        set_movers(forced_order_, forced_service_, 0);
        if (movers_.empty()) break;
        sent_.clear();
        for (const Mover& mover : movers_) sent_.push_back({mover.position, 0, mover.count});
        note(to.steps, moves);
        const MultisetState from = to.state;
        send(from, forced_order_, forced_service_, 0, to);
        advance(to, forced_service_.blocked(0));
    }
    std::swap(sent_, forced_sent_);
    std::swap(movers_, forced_movers_);
}

MultisetSteps::Successor MultisetSteps::first(std::vector<LocalMove>* moves) {
    Successor result;
    result.state = {net_.start, net_.start_counters};
    std::sort(result.state.codes.begin(), result.state.codes.end());
    if (!is_decided(result.state)) {
        result.ending = forced_service_.loop_enabled(result.state.counters) ? Ending::endless : Ending::dead;
    }
    settle(result, moves);
    return result;
}

}  // namespace warpnet

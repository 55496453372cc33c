// A bound on the steps of all runs from the state equation [Silva98]. A linear program maximises the timed
// firings of all solutions; the header states the argument. Two refinements keep it bounded for our nets. A
// delay gadget becomes two counters, and a place that only inhibited transitions fill gets an upper limit.
//
// Equal parts make the program small. Colour refinement [Grohe14] gives counters and transitions that nothing
// distinguishes one row and one column per class. Colours are hashes, so the columns of each class are
// compared, and a collision leads to no bound instead of a wrong one. Cost: the arcs per round of refinement,
// then one linear program within a fixed effort.

#include "analysis/states/structure/firing_bound.hpp"

#include "analysis/states/linear/linear_program.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::states {

namespace {

constexpr std::size_t most_entries = 25'000'000;
constexpr Tokens worth_of_steps = 1000;                         // of immediate firings
constexpr std::uint64_t most_effort = 100'000'000;              // of the linear program: some 5 s
constexpr std::uint64_t least_effort = 2'000'000;               // spent even if the time is over: some 0.1 s
constexpr std::uint64_t most_work_for_classes = 2'000'000'000;  // changes looked at
constexpr std::uint64_t least_work_for_classes = 20'000'000;    // even if the time is over
struct Change {
    std::uint32_t counter;
    Tokens delta;  // not 0
};

/// The counters: the tokens of places, and for each delay its content and its remaining ticks.
struct Counters {
    std::vector<Tokens> initial;
    std::vector<std::optional<Tokens>> most;  // never more than that
    Rows<Change> changes;                     // per transition
    std::vector<Tokens> cost;                 // per transition: 1 if timed
};

/// Whether the two counters describe the delay completely.
bool is_closed(const CompiledNet& net, const DelayGadget& gadget,
               const std::vector<std::uint32_t>& givers_of_timers) {
    const auto delta = [&](std::uint32_t t, std::uint32_t place) {
        for (const Effect& effect : net.effects[t]) {
            if (effect.place == place) return effect.delta;
        }
        return 0;
    };
    const Tokens wait = net.initial[gadget.wait], timer = net.initial[gadget.timer];
    const Tokens inside = wait + timer - (gadget.length - 1);
    return givers_of_timers[gadget.timer] == 1 && net.effects[gadget.tick].size() == 2 &&
           delta(gadget.tick, gadget.wait) == 1 && delta(gadget.tick, gadget.timer) == -1 &&
           delta(gadget.done, gadget.wait) == -gadget.length &&
           delta(gadget.done, gadget.timer) == gadget.length - 1 &&
           (inside > 0 || (inside == 0 && wait == 0));
}

/// The most tokens of places to which only inhibited transitions give tokens. All givers may fire in one
/// step, because a step is judged by the marking before it.
void find_limits(const CompiledNet& net, std::vector<std::optional<Tokens>>& most) {
    std::vector<Tokens> given(net.place_count(), 0), threshold(net.place_count(), 0);
    std::vector<std::uint8_t> free(net.place_count(), 0);
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        for (const auto [place, delta] : net.effects[t]) {
            if (delta <= 0) continue;
            const auto all = net.inhibitors[t];
            const auto own = std::find_if(
                all.begin(), all.end(), [p = place](PlaceWeight inhibitor) { return inhibitor.place == p; });
            if (own == all.end()) {
                free[place] = 1;
            } else {
                given[place] += delta;
                threshold[place] = std::max<Tokens>(threshold[place], own->weight);
            }
        }
    }
    for (std::uint32_t p = 0; p < net.place_count(); ++p) {
        if (free[p] != 0) continue;
        most[p] = net.initial[p];
        if (given[p] > 0) most[p] = std::max(net.initial[p], threshold[p] - 1 + given[p]);
    }
}

Counters counters_of(const CompiledNet& net) {
    Counters counters;
    counters.initial = net.initial;
    counters.most.resize(net.place_count());
    find_limits(net, counters.most);
    std::vector<std::uint32_t> givers(net.place_count(), 0);
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        for (const auto [place, delta] : net.effects[t]) givers[place] += delta > 0 ? 1 : 0;
    }
    // The place `wait` of a delay becomes its content, and `timer` the remaining ticks.
    std::vector<const DelayGadget*> delay_at(net.place_count(), nullptr);
    for (const DelayGadget& gadget : net.gadgets) {
        if (!is_closed(net, gadget, givers)) continue;
        delay_at[gadget.wait] = delay_at[gadget.timer] = &gadget;
        const Tokens inside = net.initial[gadget.wait] + net.initial[gadget.timer] - (gadget.length - 1);
        counters.initial[gadget.wait] = inside;
        counters.initial[gadget.timer] += (gadget.length - 1) * (inside - 1);
        counters.most[gadget.wait].reset();
        counters.most[gadget.timer].reset();
    }
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        counters.cost.push_back(net.immediate(t) ? 0 : 1);
        for (const auto [place, delta] : net.effects[t]) {
            const DelayGadget* const delay = delay_at[place];
            if (delay == nullptr) {
                counters.changes.append({place, delta});
            } else if (t == delay->tick) {
                if (place == delay->timer) counters.changes.append({place, -1});
            } else if (t == delay->done) {
                if (place == delay->wait) counters.changes.append({place, -1});
            } else {
                counters.changes.append({delay->wait, delta});
                if (delay->length > 1)
                    counters.changes.append({delay->timer, Tokens{delta} * (delay->length - 1)});
            }
        }
        counters.changes.close_row();
    }
    return counters;
}

/// Classes of counters and of transitions that nothing distinguishes.
struct Classes {
    std::vector<std::uint32_t> counter, transition;  // the class of each
    std::size_t counters = 0, transitions = 0;
};

/// Numbers equal values alike, in the order of their first appearance.
std::size_t number(const std::vector<std::uint64_t>& values, std::vector<std::uint32_t>& classes) {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    classes.clear();
    for (const std::uint64_t value : values)
        classes.push_back(known.try_emplace(value, static_cast<std::uint32_t>(known.size())).first->second);
    return known.size();
}

/// Nothing if there are too many classes, or if the refinement takes too long.
std::optional<Classes> classes_of(const Counters& net, const WorkLimits& limits) {
    std::vector<std::uint64_t> counters, transitions(net.cost.size(), 0), next;
    for (std::size_t i = 0; i < net.initial.size(); ++i) {
        counters.push_back(hash_bits(static_cast<std::uint64_t>(net.initial[i]),
                                     static_cast<std::uint64_t>(net.most[i].value_or(-1))));
    }
    Classes classes;
    for (std::uint64_t known = 0, work = 0;;) {
        next = counters;
        for (std::size_t t = 0; t < transitions.size(); ++t) {
            std::uint64_t colour = static_cast<std::uint64_t>(net.cost[t]);
            for (const auto [counter, delta] : net.changes[t])
                colour += hash_bits(counters[counter], static_cast<std::uint64_t>(delta));
            transitions[t] = hash_bits(colour, transitions[t]);
            for (const auto [counter, delta] : net.changes[t])
                next[counter] += hash_bits(transitions[t], static_cast<std::uint64_t>(delta));
        }
        counters.clear();
        for (const std::uint64_t colour : next) counters.push_back(hash_bits(colour, 0));
        classes.counters = number(counters, classes.counter);
        classes.transitions = number(transitions, classes.transition);
        if (classes.counters + classes.transitions == known) return classes;
        known = classes.counters + classes.transitions;
        work += net.changes.all().size() + net.initial.size() + net.cost.size();
        if (work > least_work_for_classes && limits.must_end()) return {};
        if (work > most_work_for_classes || classes.counters * classes.transitions > most_entries) return {};
    }
}

/// The linear program of the classes: a column for each class of transitions, a row for each class of
/// counters, and a second row if they have an upper limit. Nothing if equal hashes have joined different
/// nodes: then a solution for all nodes would not be one for classes.
std::optional<LinearProgram> program_of(const Counters& net, const Classes& classes, Tokens step) {
    std::vector<Tokens> initial(classes.counters, 0), room(classes.counters, 0);
    std::vector<std::uint8_t> can_be_full(classes.counters, 1);
    for (std::size_t i = 0; i < net.initial.size(); ++i) {
        const std::uint32_t row = classes.counter[i];
        initial[row] += net.initial[i];
        if (net.most[i])
            room[row] += *net.most[i] - net.initial[i];
        else
            can_be_full[row] = 0;
    }
    LinearProgram program;
    for (const Tokens tokens : initial) program.add_row(LinearProgram::Sense::at_most, tokens);
    std::vector<std::uint32_t> full_row(classes.counters, 0);
    for (std::size_t c = 0; c < classes.counters; ++c) {
        if (can_be_full[c] != 0) full_row[c] = program.add_row(LinearProgram::Sense::at_most, room[c]);
    }
    std::vector<std::map<std::uint32_t, Tokens>> columns(classes.transitions);
    std::vector<std::uint8_t> seen(classes.transitions, 0);
    std::vector<Tokens> cost(classes.transitions, 0);
    for (std::size_t t = 0; t < net.cost.size(); ++t) {
        std::map<std::uint32_t, Tokens> column;
        for (const auto [counter, delta] : net.changes[t]) column[classes.counter[counter]] += delta;
        const std::uint32_t number = classes.transition[t];
        if (std::exchange(seen[number], 1) == 0) {
            columns[number] = std::move(column);
            cost[number] = net.cost[t];
        } else if (columns[number] != column || cost[number] != net.cost[t]) {
            return {};
        }
    }
    for (std::size_t c = 0; c < classes.transitions; ++c) {
        const std::uint32_t number = program.add_column(cost[c] > 0 ? step : 1);
        for (const auto& [row, delta] : columns[c]) {
            program.add_entry(row, number, -delta);
            if (can_be_full[row] != 0) program.add_entry(full_row[row], number, delta);
        }
    }
    return program;
}

}  // namespace

FiringBound firing_bound(const CompiledNet& net, const WorkLimits& limits) {
    const Counters counters = counters_of(net);
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (counters.cost[t] > 0 && counters.changes[t].empty())
            return {{}, "a transition can fire without changing anything", t};
    }
    const std::optional<Classes> classes = classes_of(counters, limits);
    if (!classes)
        return {{}, limits.must_end() ? "a time limit was met before it was set up" : "it is too large"};
    // Every firing needs a weight, because rounding errors could hide in firings without one.
    const bool all_timed = std::count(counters.cost.begin(), counters.cost.end(), 0) == 0;
    const Tokens step = all_timed ? 1 : worth_of_steps;
    const std::optional<LinearProgram> program = program_of(counters, *classes, step);
    if (!program) return {{}, "it is too large"};
    WorkLimits of_program = limits;
    if (limits.effort == 0 || limits.effort > most_effort) of_program.effort = most_effort;
    if (limits.must_end()) of_program = {.effort = least_effort};
    const CertifiedMaximum most = certified_maximum(*program, {}, of_program);
    if (most.status == BoundStatus::unbounded) return {{}, "it allows endless firing"};
    if (most.status != BoundStatus::bounded)
        return {{},
                limits.must_end() ? "a time limit was met before it was solved" : "it is too hard to solve"};
    const Tokens steps = most.value / step;
    return {static_cast<std::uint64_t>(steps),
            fmt::format("every step fires a timed transition; by the state equation, in which a delay is its "
                        "tokens and their remaining ticks, these fire at most {} times",
                        steps)};
}

}  // namespace warpnet::states

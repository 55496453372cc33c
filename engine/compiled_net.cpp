#include "engine/compiled_net.hpp"

#include "engine/component_net.hpp"
#include "engine/districts.hpp"
#include "engine/error.hpp"
#include "engine/islands.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <tuple>

namespace warpnet {

namespace {

constexpr Tokens max_weight = std::numeric_limits<std::int32_t>::max();

std::int32_t checked_weight(const Net& net, const Arc& arc) {
    if (arc.weight > max_weight) {
        throw InputError("the arc between place '" + net[arc.place].id + "' and transition '" +
                         net[arc.transition].id + "' has weight " + std::to_string(arc.weight) +
                         "; nets with weights above " + std::to_string(max_weight) + " cannot be executed");
    }
    return static_cast<std::int32_t>(arc.weight);
}

NetArcs arcs_of(const Net& net) {
    NetArcs arcs;
    arcs.initial = net.initial_marking();
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        for (const Arc& arc : net.arcs_of(TransitionId(t))) {
            const PlaceWeight item{static_cast<std::uint32_t>(index(arc.place)), checked_weight(net, arc)};
            switch (arc.kind) {
                case ArcKind::input:
                    arcs.inputs.append(item);
                    break;
                case ArcKind::output:
                    arcs.outputs.append(item);
                    break;
                case ArcKind::inhibitor:
                    arcs.inhibitors.append(item);
                    break;
                case ArcKind::read:
                    arcs.reads.append(item);
                    break;
            }
        }
        for (auto* rows : {&arcs.inputs, &arcs.outputs, &arcs.inhibitors, &arcs.reads}) rows->close_row();
        const Transition& transition = net[TransitionId(t)];
        arcs.urgency.push_back({transition.immediate, transition.priority});
    }
    return arcs;
}

/// Counts consumers and decides which places are shared and which of them are hubs.
void find_shared_places(CompiledNet& compiled, std::size_t transitions, std::uint32_t hub_consumers) {
    std::vector<std::vector<std::uint32_t>> consumers(compiled.place_count());
    for (std::uint32_t t = 0; t < transitions; ++t) {
        for (const auto [place, weight] : compiled.inputs[t]) consumers[place].push_back(t);
    }
    compiled.hub.assign(compiled.place_count(), 0);
    for (std::size_t place = 0; place < consumers.size(); ++place) {
        compiled.hub[place] = consumers[place].size() > hub_consumers ? 1 : 0;
        if (consumers[place].size() > 1) {
            for (const std::uint32_t t : consumers[place]) compiled.consumers.append(t);
        }
        compiled.consumers.close_row();
    }
    for (std::uint32_t t = 0; t < transitions; ++t) {
        for (const PlaceWeight input : compiled.inputs[t]) {
            if (consumers[input.place].size() > 1) compiled.shared_inputs.append(input);
        }
        compiled.shared_inputs.close_row();
    }
}

/// Groups transitions by (immediate, priority, demands on hubs) and orders the groups into strata.
void form_groups(const std::vector<NetArcs::Urgency>& urgency, CompiledNet& compiled) {
    using Demands = std::vector<std::pair<std::uint32_t, std::int32_t>>;
    using Key = std::tuple<bool, std::int64_t, Demands>;  // timed after immediate, falling priority
    std::map<Key, std::vector<std::uint32_t>> members;
    const auto transitions = static_cast<std::uint32_t>(urgency.size());
    for (std::uint32_t t = 0; t < transitions; ++t) {
        Demands demands;
        for (const auto [place, weight] : compiled.shared_inputs[t]) {
            if (compiled.hub[place] != 0) demands.emplace_back(place, weight);
        }
        members[{!urgency[t].immediate, -std::int64_t{urgency[t].priority}, demands}].push_back(t);
    }
    compiled.seats.resize(transitions);
    std::vector<std::vector<std::uint32_t>> groups_of_hub(compiled.place_count());
    for (auto& [key, list] : members) {
        const auto& [timed, negated_priority, demands] = key;
        const auto priority = static_cast<std::int32_t>(-negated_priority);
        if (compiled.strata.empty() || compiled.strata.back().immediate == timed ||
            compiled.strata.back().priority != priority) {
            compiled.strata.push_back({!timed, priority, {}});
        }
        const auto group = static_cast<std::uint32_t>(compiled.groups.size());
        compiled.strata.back().groups.push_back(group);
        for (std::uint32_t slot = 0; slot < list.size(); ++slot) {
            const std::uint32_t t = list[slot];
            const auto shared = static_cast<std::uint32_t>(compiled.shared_inputs[t].size());
            compiled.seats[t] = {group, slot, compiled.shared_inputs.first(t), shared};
        }
        ConflictGroup formed{static_cast<std::uint32_t>(compiled.strata.size() - 1), {}, std::move(list)};
        for (const auto& [place, weight] : demands) {
            formed.demands.push_back({place, weight});
            groups_of_hub[place].push_back(group);
        }
        compiled.groups.push_back(std::move(formed));
    }
    for (const auto& groups : groups_of_hub) {
        for (const std::uint32_t group : groups) compiled.groups_of_hub.append(group);
        compiled.groups_of_hub.close_row();
    }
}

/// Shared places, hubs and groups; returns CompileOptions::hub_consumers as it was applied.
std::uint32_t group_transitions(const std::vector<NetArcs::Urgency>& urgency, const CompileOptions& options,
                                CompiledNet& compiled) {
    const auto with_hubs = [&](std::uint32_t hub_consumers) {
        find_shared_places(compiled, urgency.size(), hub_consumers);
        form_groups(urgency, compiled);
    };
    with_hubs(options.hub_consumers);
    const bool has_hubs = std::count(compiled.hub.begin(), compiled.hub.end(), 1) > 0;
    if (!has_hubs || compiled.groups.size() * options.group_size <= urgency.size())
        return options.hub_consumers;
    compiled.consumers = {};
    compiled.shared_inputs = {};
    compiled.groups_of_hub = {};
    compiled.groups.clear();
    compiled.strata.clear();
    constexpr std::uint32_t no_hubs = std::numeric_limits<std::uint32_t>::max();
    with_hubs(no_hubs);
    return no_hubs;
}

/// Collects the conditions on each place; inputs from hubs are no conditions.
void add_watches(CompiledNet& compiled) {
    std::vector<std::vector<Watch>> watches(compiled.place_count());
    const auto transitions = static_cast<std::uint32_t>(compiled.transition_count());
    compiled.conditions.assign(transitions, 0);
    for (std::uint32_t t = 0; t < transitions; ++t) {
        const auto watch = [&](PlaceWeight arc, std::int32_t threshold) {
            watches[arc.place].push_back({t, threshold});
            ++compiled.conditions[t];
        };
        for (const PlaceWeight arc : compiled.inputs[t]) {
            if (compiled.hub[arc.place] == 0) watch(arc, arc.weight);
        }
        for (const PlaceWeight arc : compiled.reads[t]) watch(arc, arc.weight);
        for (const PlaceWeight arc : compiled.inhibitors[t]) watch(arc, -arc.weight);
    }
    for (auto& list : watches) {
        std::stable_partition(list.begin(), list.end(),
                              [](const Watch& watch) { return watch.threshold > 0; });
        bool binary = list.size() <= std::numeric_limits<std::uint16_t>::max();
        for (const Watch& watch : list) {
            binary &= std::abs(watch.threshold) == 1;
            compiled.watches.append(watch);
        }
        compiled.watches.close_row();
        compiled.binary.push_back(binary ? 1 : 0);
    }
}

/// Net effects; the watches must be there.
void add_effects(CompiledNet& compiled) {
    for (std::size_t t = 0; t < compiled.transition_count(); ++t) {
        const auto append = [&](std::uint32_t place, std::int32_t delta) {
            if (delta == 0) return;
            const auto watches = compiled.watches[place];
            const auto demanding =
                std::count_if(watches.begin(), watches.end(), [](Watch w) { return w.threshold > 0; });
            compiled.effects.append(
                {place, delta, compiled.watches.first(place), static_cast<std::uint16_t>(demanding),
                 static_cast<std::uint16_t>(watches.size() - static_cast<std::size_t>(demanding))});
        };
        // Both rows are sorted by place: merge them.
        const auto in = compiled.inputs[t];
        const auto out = compiled.outputs[t];
        for (std::size_t i = 0, o = 0; i < in.size() || o < out.size();) {
            if (o == out.size() || (i < in.size() && in[i].place < out[o].place)) {
                append(in[i].place, -in[i].weight);
                ++i;
            } else if (i == in.size() || out[o].place < in[i].place) {
                append(out[o].place, out[o].weight);
                ++o;
            } else {
                append(in[i].place, out[o].weight - in[i].weight);
                ++i, ++o;
            }
        }
        compiled.effects.close_row();
    }
}

Tokens weight_in(std::span<const PlaceWeight> row, std::uint32_t place) {
    for (const PlaceWeight item : row) {
        if (item.place == place) return item.weight;
    }
    return 0;
}

/// The gadget around a transition that may be its tick, if every condition of the shape holds.
bool match_gadget(const CompiledNet& net, std::uint32_t tick, const std::vector<std::uint32_t>& producers,
                  std::span<const std::uint32_t> watched, DelayGadget& gadget) {
    const auto plain = [&](std::uint32_t t) {
        return net.reads[t].empty() && net.inhibitors[t].empty() && !net.immediate(t);
    };
    const auto in = net.inputs[tick];
    const auto out = net.outputs[tick];
    if (!plain(tick) || in.size() != 2 || out.size() != 1 || out[0].weight != 2) return false;
    if (in[0].weight != 1 || in[1].weight != 1) return false;
    const std::uint32_t wait = out[0].place;
    if (in[0].place != wait && in[1].place != wait) return false;
    const std::uint32_t timer = in[0].place == wait ? in[1].place : in[0].place;

    // Only tick takes from the timer, only tick and done take from wait, and nobody tests either.
    if (net.watches[timer].size() != 1 || net.watches[wait].size() != 2 ||
        net.hub[wait] + net.hub[timer] != 0)
        return false;
    const auto watches = net.watches[wait];
    const std::uint32_t done = watches[0].transition == tick ? watches[1].transition : watches[0].transition;
    if (done == tick || !plain(done) || net.inputs[done].size() != 1) return false;
    const std::int32_t length = net.inputs[done][0].weight;
    if (net.inputs[done][0].place != wait || length < 2) return false;
    if (weight_in(net.outputs[done], timer) != length - 1 || weight_in(net.outputs[done], wait) != 0)
        return false;
    if (producers[timer] != 1) return false;
    for (const std::uint32_t place : {wait, timer}) {
        if (std::binary_search(watched.begin(), watched.end(), place)) return false;
    }

    const Tokens waiting = net.initial[wait], timing = net.initial[timer];
    if (waiting == 0 ? timing != length - 1 : waiting + timing != length) return false;
    gadget = {wait, timer, tick, done, length};
    return true;
}

void find_gadgets(std::span<const std::uint32_t> fed, std::span<const std::uint32_t> watched,
                  CompiledNet& compiled) {
    const auto transitions = static_cast<std::uint32_t>(compiled.transition_count());
    std::vector<std::uint32_t> producers(compiled.place_count(), 0);
    for (std::uint32_t t = 0; t < transitions; ++t) {
        for (const auto [place, weight] : compiled.outputs[t]) ++producers[place];
    }
    for (const std::uint32_t place : fed) ++producers[place];
    compiled.gadget_of_wait.assign(compiled.place_count(), CompiledNet::no_gadget);
    for (std::uint32_t t = 0; t < transitions; ++t) {
        DelayGadget gadget{};
        if (!match_gadget(compiled, t, producers, watched, gadget)) continue;
        compiled.gadget_of_wait[gadget.wait] = static_cast<std::uint32_t>(compiled.gadgets.size());
        compiled.gadgets.push_back(gadget);
    }
}

}  // namespace

CompiledNet compile(NetArcs arcs, const CompileOptions& options) {
    CompiledNet compiled;
    compiled.initial = std::move(arcs.initial);
    compiled.inputs = std::move(arcs.inputs);
    compiled.outputs = std::move(arcs.outputs);
    compiled.inhibitors = std::move(arcs.inhibitors);
    compiled.reads = std::move(arcs.reads);
    const std::uint32_t hub_consumers = group_transitions(arcs.urgency, options, compiled);
    add_watches(compiled);
    add_effects(compiled);
    find_gadgets(arcs.fed, arcs.watched, compiled);
    compiled.not_components = "not looked for";
    if (options.components) {
        ComponentAnalysis analysis = find_components(compiled, hub_consumers);
        compiled.components = std::move(analysis.net);
        compiled.not_components = std::move(analysis.reason);
    }
    if (!compiled.components && compiled.transition_count() >= options.large_net)
        compiled.islands = find_islands(compiled, options);
    if (!compiled.components && !compiled.islands && is_timed(compiled) &&
        compiled.transition_count() >= options.huge_net)
        compiled.districts = find_districts(compiled, options);
    return compiled;
}

CompiledNet compile(const Net& net, const CompileOptions& options) { return compile(arcs_of(net), options); }

}  // namespace warpnet

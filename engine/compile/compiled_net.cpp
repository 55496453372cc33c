// Compiles a net into flat arrays. Rows are sorted by counting, so compiling 10⁶ transitions takes less than
// half a second, and a compiled net takes at most 150 bytes per transition.
//
// Two decisions are made here. Hubs: a place with more than eight consumers is no condition, because each of
// its changes would touch all of them. Two kinds of places are excluded, since their groups would have one or
// two members and every step visits all groups. The first is a place whose consumers have different demands
// on hubs. The second occurs in nets with immediate transitions or priorities: its consumers pass one token
// among themselves (the operations of one warp). Delays: the gadget wait/timer/tick/done is recognised by its
// structure, so that executors can skip the inside of a delay.

#include "engine/compile/compiled_net.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace warpnet {

namespace {

constexpr Tokens max_weight = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void refuse_weight(const Net& net, const Arc& arc) {
    throw InputError("the arc between place '" + net[arc.place].id + "' and transition '" +
                     net[arc.transition].id + "' has weight " + std::to_string(arc.weight) +
                     "; nets with weights above " + std::to_string(max_weight) + " cannot be executed");
}

/// The arcs of a net by kind. Arcs are sorted by transition, so each kind is copied in one pass.
NetArcs arcs_of(const Net& net) {
    constexpr std::size_t kinds = 4;
    const std::size_t transitions = net.transitions().size();
    std::array<std::size_t, kinds> sizes{};
    for (const Arc& arc : net.arcs()) ++sizes[static_cast<std::size_t>(arc.kind)];
    std::array<std::vector<PlaceWeight>, kinds> items;
    std::array<std::vector<std::uint32_t>, kinds> firsts;
    std::array<PlaceWeight*, kinds> end{};
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        items[kind].resize(sizes[kind]);
        firsts[kind].resize(transitions + 1);
        end[kind] = items[kind].data();
    }
    NetArcs result;
    result.initial = net.initial_marking();
    result.urgency.reserve(transitions);
    auto arc = net.arcs().begin();
    const auto last = net.arcs().end();
    for (std::size_t t = 0; t < transitions; ++t) {
        for (; arc != last && index(arc->transition) == t; ++arc) {
            if (arc->weight > max_weight) refuse_weight(net, *arc);
            *end[static_cast<std::size_t>(arc->kind)]++ = {static_cast<std::uint32_t>(index(arc->place)),
                                                           static_cast<std::int32_t>(arc->weight)};
        }
        for (std::size_t kind = 0; kind < kinds; ++kind)
            firsts[kind][t + 1] = static_cast<std::uint32_t>(end[kind] - items[kind].data());
        const Transition& transition = net[TransitionId(t)];
        result.urgency.push_back({transition.immediate, transition.priority});
    }
    const auto rows_of = [&](ArcKind kind) {
        const auto i = static_cast<std::size_t>(kind);
        return Rows<PlaceWeight>(std::move(items[i]), std::move(firsts[i]));
    };
    result.inputs = rows_of(ArcKind::input);
    result.outputs = rows_of(ArcKind::output);
    result.inhibitors = rows_of(ArcKind::inhibitor);
    result.reads = rows_of(ArcKind::read);
    return result;
}

/// Per place, 1 if it has more than this many consumers.
std::vector<std::uint8_t> places_with_consumers(const std::vector<std::uint32_t>& consumers,
                                                std::uint32_t more_than) {
    std::vector<std::uint8_t> result(consumers.size(), 0);
    for (std::size_t place = 0; place < consumers.size(); ++place)
        result[place] = consumers[place] > more_than ? 1 : 0;
    return result;
}

std::vector<std::uint32_t> count_consumers(const CompiledNet& net) {
    std::vector<std::uint32_t> consumers(net.place_count(), 0);
    for (const PlaceWeight input : net.inputs.all()) ++consumers[input.place];
    return consumers;
}

/// Like std::stable_partition, but without an allocation per call, since most rows are short.
template <class Item, class Predicate>
std::size_t partition_row(std::span<Item> row, Predicate&& first) {
    constexpr std::size_t long_row = 16;
    if (row.size() > long_row)
        return static_cast<std::size_t>(std::stable_partition(row.begin(), row.end(), first) - row.begin());
    std::array<Item, long_row> others;
    std::size_t firsts = 0, rest = 0;
    for (const Item item : row) {
        const bool is_first = first(item);
        row[firsts] = others[rest] = item;
        firsts += is_first ? 1 : 0;
        rest += is_first ? 0 : 1;
    }
    std::copy_n(others.begin(), rest, row.begin() + static_cast<std::ptrdiff_t>(firsts));
    return firsts;
}

/// Finds the hubs and moves the inputs from shared places to the front of their rows.
void find_shared_places(CompiledNet& compiled, std::size_t transitions, std::uint32_t hub_consumers) {
    const std::vector<std::uint32_t> consumers = count_consumers(compiled);
    compiled.hub = places_with_consumers(consumers, hub_consumers);
    compiled.shared.assign(transitions, 0);
    for (std::size_t t = 0; t < transitions; ++t) {
        const std::span<PlaceWeight> inputs = compiled.inputs.row(t);
        const std::size_t shared =
            partition_row(inputs, [&](PlaceWeight input) { return consumers[input.place] > 1; });
        compiled.shared[t] = static_cast<std::uint8_t>(std::min<std::size_t>(shared, 255));
    }
}

/// The common properties of a group: immediate before timed, then falling priority, then demands on hubs.
struct GroupKey {
    bool timed;
    std::int64_t negated_priority;
    std::vector<std::pair<std::uint32_t, std::int32_t>> demands;
    auto operator<=>(const GroupKey&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// Groups transitions by their keys and sorts the groups into priority levels.
void form_groups(const std::vector<NetArcs::Urgency>& urgency, CompiledNet& compiled) {
    compiled.groups.clear();
    compiled.priority_levels.clear();
    struct Found {
        std::uint32_t members = 0;
        std::uint32_t group = 0;
    };
    std::map<GroupKey, Found> found;
    const auto transitions = static_cast<std::uint32_t>(urgency.size());
    std::vector<Found*> group_of(transitions);
    GroupKey key;
    auto latest = found.end();
    for (std::uint32_t t = 0; t < transitions; ++t) {
        key.timed = !urgency[t].immediate;
        key.negated_priority = -std::int64_t{urgency[t].priority};
        key.demands.clear();
        for (const auto [place, weight] : compiled.shared_inputs(t)) {
            if (compiled.hub[place] != 0) key.demands.emplace_back(place, weight);
        }
        if (latest == found.end() || latest->first != key) latest = found.try_emplace(key).first;
        group_of[t] = &latest->second;
        ++group_of[t]->members;
    }
    compiled.groups.reserve(found.size());
    for (auto& [common, found_group] : found) {
        const auto priority = static_cast<std::int32_t>(-common.negated_priority);
        if (compiled.priority_levels.empty() || compiled.priority_levels.back().immediate == common.timed ||
            compiled.priority_levels.back().priority != priority) {
            compiled.priority_levels.push_back({!common.timed, priority, {}});
        }
        found_group.group = static_cast<std::uint32_t>(compiled.groups.size());
        compiled.priority_levels.back().groups.push_back(found_group.group);
        ConflictGroup formed{static_cast<std::uint32_t>(compiled.priority_levels.size() - 1), {}, {}};
        formed.members.reserve(found_group.members);
        for (const auto& [place, weight] : common.demands) formed.demands.push_back({place, weight});
        compiled.groups.push_back(std::move(formed));
    }
    if (compiled.priority_levels.empty())
        compiled.priority_levels.emplace_back();  // nothing to fire, and timed
    compiled.slots.resize(transitions);
    for (std::uint32_t t = 0; t < transitions; ++t) {
        std::vector<std::uint32_t>& members = compiled.groups[group_of[t]->group].members;
        compiled.slots[t] = {group_of[t]->group, static_cast<std::uint32_t>(members.size())};
        members.push_back(t);
    }
}

/// The hubs whose timed consumers belong to one sequence of timed transitions that pass single tokens on (the
/// operations of one warp). More than one of them rarely waits for the hub.
std::vector<std::uint32_t> hubs_of_one_sequence(const CompiledNet& net,
                                                const std::vector<std::uint8_t>& hub) {
    const auto transitions = static_cast<std::uint32_t>(net.transition_count());
    DisjointSets sequences(transitions);
    std::vector<std::uint32_t> first(net.place_count(),
                                     transitions);  // the first transition that takes from it or gives to it
    for (std::uint32_t t = 0; t < transitions; ++t) {
        if (net.immediate(t)) continue;
        for (const auto& row : {net.inputs[t], net.outputs[t]}) {
            for (const auto [place, weight] : row) {
                if (hub[place] != 0 || weight != 1 || net.initial[place] > 1) continue;
                if (first[place] == transitions) first[place] = t;
                sequences.join(t, first[place]);
            }
        }
    }
    constexpr std::uint32_t several = 0xffffffff;
    std::vector<std::uint32_t> sequence_of(net.place_count(), transitions);  // the sequence of its consumers
    for (std::uint32_t t = 0; t < transitions; ++t) {
        if (net.immediate(t)) continue;
        for (const PlaceWeight input : net.shared_inputs(t)) {
            std::uint32_t& of_place = sequence_of[input.place];
            of_place = of_place == transitions || of_place == sequences.root(t) ? sequences.root(t) : several;
        }
    }
    std::vector<std::uint32_t> found;
    for (std::uint32_t place = 0; place < hub.size(); ++place) {
        if (hub[place] != 0 && sequence_of[place] < transitions) found.push_back(place);
    }
    return found;
}

/// Removes these hubs. Returns false if there are none.
bool drop_hubs_of_one_sequence(CompiledNet& compiled) {
    const std::vector<std::uint32_t> dropped = hubs_of_one_sequence(compiled, compiled.hub);
    for (const std::uint32_t place : dropped) compiled.hub[place] = 0;
    return !dropped.empty();
}

/// Removes the hubs whose consumers are in groups of fewer than `group_size` members on average. Few of these
/// consumers compete at a time (the operations of one warp, each of which waits for its turn). Hubs with the
/// fewest consumers are removed first, because the groups of the remaining hubs then grow. Returns false if
/// there are none.
bool drop_poor_hubs(std::uint32_t group_size, CompiledNet& compiled) {
    std::vector<std::uint32_t> consumers(compiled.place_count(), 0), groups(compiled.place_count(), 0);
    for (const ConflictGroup& group : compiled.groups) {
        for (const PlaceWeight demand : group.demands) {
            consumers[demand.place] += static_cast<std::uint32_t>(group.members.size());
            ++groups[demand.place];
        }
    }
    const auto is_poor = [&](std::size_t place) {
        return consumers[place] < std::uint64_t{group_size} * groups[place];
    };
    std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
    const auto for_each_poor = [&](auto&& visit) {
        for (const ConflictGroup& group : compiled.groups) {
            for (const PlaceWeight demand : group.demands) {
                if (is_poor(demand.place)) visit(demand.place);
            }
        }
    };
    for_each_poor([&](std::uint32_t place) { fewest = std::min(fewest, consumers[place]); });
    for_each_poor([&](std::uint32_t place) {
        if (consumers[place] / 2 <= fewest) compiled.hub[place] = 0;
    });
    return fewest != std::numeric_limits<std::uint32_t>::max();
}

/// Collects the conditions on each place. Inputs from hubs are no conditions.
void add_watches(CompiledNet& compiled) {
    compiled.watches = Rows<Watch>::sorted(compiled.place_count(), [&](auto put) {
        compiled.inputs.for_each([&](std::uint32_t t, PlaceWeight input) {
            if (compiled.hub[input.place] == 0) put(input.place, Watch{t, input.weight});
        });
        compiled.reads.for_each([&](std::uint32_t t, PlaceWeight read) {
            put(read.place, Watch{t, read.weight});
        });
        compiled.inhibitors.for_each([&](std::uint32_t t, PlaceWeight arc) {
            put(arc.place, Watch{t, -arc.weight});
        });
    });
}

/// Merges the inputs and outputs of each transition into its effects. Arcs that cancel have no effect, so a
/// self-loop changes no place.
void add_effects(CompiledNet& compiled, std::size_t transitions) {
    std::vector<Effect> effects(compiled.inputs.all().size() + compiled.outputs.all().size());
    std::vector<std::uint32_t> firsts(transitions + 1);
    Effect* end = effects.data();
    const auto append = [&](std::uint32_t place, std::int32_t delta) {
        *end = {place, delta};
        if (delta != 0) ++end;
    };
    for (std::size_t t = 0; t < transitions; ++t) {
        // Both rows are sorted by place: merge them.
        const auto ins = compiled.inputs[t], outs = compiled.outputs[t];
        auto in = ins.begin(), out = outs.begin();
        while (in != ins.end() && out != outs.end()) {
            if (in->place < out->place) {
                append(in->place, -in->weight);
                ++in;
            } else if (out->place < in->place) {
                append(out->place, out->weight);
                ++out;
            } else {
                append(in->place, out->weight - in->weight);
                ++in, ++out;
            }
        }
        for (; in != ins.end(); ++in) append(in->place, -in->weight);
        for (; out != outs.end(); ++out) append(out->place, out->weight);
        firsts[t + 1] = static_cast<std::uint32_t>(end - effects.data());
    }
    effects.resize(firsts.back());
    // Copying would cost more time than the small surplus of most nets is worth.
    if (effects.size() < effects.capacity() / 8 * 7) effects.shrink_to_fit();
    compiled.effects = Rows<Effect>(std::move(effects), std::move(firsts));
}

/// The weight of the arc to a place, or 0.
Tokens weight_in(std::span<const PlaceWeight> row, std::uint32_t place) {
    for (const PlaceWeight item : row) {
        if (item.place == place) return item.weight;
    }
    return 0;
}

/// Finds the gadget with this transition as its tick, if its structure is that of a delay.
bool match_gadget(const CompiledNet& net, std::uint32_t tick, const std::vector<std::uint32_t>& producers,
                  std::span<const std::uint32_t> watched, DelayGadget& gadget) {
    const auto plain = [&](std::uint32_t t) {
        return net.reads[t].empty() && net.inhibitors[t].empty() && !net.immediate(t);
    };
    const auto in = net.inputs[tick];
    const auto out = net.outputs[tick];
    if (in.size() != 2 || out.size() != 1 || out[0].weight != 2 || !plain(tick)) return false;
    if (in[0].weight != 1 || in[1].weight != 1) return false;
    const std::uint32_t wait = out[0].place;
    if (in[0].place != wait && in[1].place != wait) return false;
    const std::uint32_t timer = in[0].place == wait ? in[1].place : in[0].place;

    // Only tick takes from the timer, only tick and done take from wait, and no transition tests either
    // place.
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
    for (const PlaceWeight output : compiled.outputs.all()) ++producers[output.place];
    for (const std::uint32_t place : fed) ++producers[place];
    for (std::uint32_t t = 0; t < transitions; ++t) {
        DelayGadget gadget{};
        if (match_gadget(compiled, t, producers, watched, gadget)) compiled.gadgets.push_back(gadget);
    }
    std::sort(compiled.gadgets.begin(), compiled.gadgets.end(),
              [](const DelayGadget& a, const DelayGadget& b) { return a.wait < b.wait; });
    compiled.gadgets.shrink_to_fit();
}

}  // namespace

CompiledNet compile(NetArcs arcs, const CompileOptions& options) {
    CompiledNet compiled;
    compiled.options = options;
    compiled.initial = std::move(arcs.initial);
    compiled.inputs = std::move(arcs.inputs);
    compiled.outputs = std::move(arcs.outputs);
    compiled.inhibitors = std::move(arcs.inhibitors);
    compiled.reads = std::move(arcs.reads);
    compiled.inhibitors.forget_empty_rows();
    compiled.reads.forget_empty_rows();
    add_effects(compiled, arcs.urgency.size());
    find_shared_places(compiled, arcs.urgency.size(), options.hub_consumers);
    form_groups(arcs.urgency, compiled);
    // Timed nets keep these hubs, because modules need them.
    if (!is_timed(compiled) && drop_hubs_of_one_sequence(compiled)) form_groups(arcs.urgency, compiled);
    while (drop_poor_hubs(options.group_size, compiled)) form_groups(arcs.urgency, compiled);
    const bool has_hubs = std::count(compiled.hub.begin(), compiled.hub.end(), 1) > 0;
    if (has_hubs && compiled.groups.size() * options.group_size > arcs.urgency.size()) {
        std::fill(compiled.hub.begin(), compiled.hub.end(), std::uint8_t{0});
        form_groups(arcs.urgency, compiled);
    }
    add_watches(compiled);
    find_gadgets(arcs.fed, arcs.watched, compiled);
    return compiled;
}

CompiledNet compile(const Net& net, const CompileOptions& options) { return compile(arcs_of(net), options); }

std::vector<std::uint8_t> crowded_places(const CompiledNet& net, std::uint32_t hub_consumers) {
    std::vector<std::uint8_t> crowded = places_with_consumers(count_consumers(net), hub_consumers);
    for (const std::uint32_t place : hubs_of_one_sequence(net, crowded)) crowded[place] = 0;
    return crowded;
}

std::size_t compiled_bytes(const CompiledNet& net) {
    const auto of = [](const auto& items) { return items.capacity() * sizeof(items[0]); };
    std::size_t bytes = net.inputs.bytes() + net.outputs.bytes() + net.inhibitors.bytes() +
                        net.reads.bytes() + net.effects.bytes() + net.watches.bytes();
    bytes += of(net.initial) + of(net.shared) + of(net.hub) + of(net.slots) + of(net.groups) +
             of(net.priority_levels) + of(net.gadgets);
    for (const ConflictGroup& group : net.groups) bytes += of(group.demands) + of(group.members);
    for (const PriorityLevel& priority_level : net.priority_levels) bytes += of(priority_level.groups);
    return bytes;
}

}  // namespace warpnet

// A step costs as much as the places that it changes: the marking after it is packed from the one before
// [MarkingStore::number_after], and of the transitions only those are tried again whose places have changed.
//
// A full expansion was not chosen, because most searches leave most steps out. Each marking keeps the list of
// its transitions that can fire, from which the list of the next marking is derived. So memory takes 4 bytes
// per enabled transition and marking, in addition to the packed marking, and 4 bytes for each step that was
// made.

#include "analysis/states/properties/steps_on_demand.hpp"

#include "analysis/states/explore/state_space.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>

namespace warpnet::states {

namespace {

constexpr std::uint64_t units_a_step = 30;  // that is fired
constexpr std::uint64_t places_a_unit = 2;  // of a marking that is unpacked

Rows<std::uint32_t> transitions_testing(const CompiledNet& net) {
    std::vector<std::vector<std::uint32_t>> of_place(net.place_count());
    for (std::uint32_t t = 0; t < net.transition_count(); ++t)
        for (const auto* arcs : {&net.inputs, &net.inhibitors, &net.reads})
            for (const PlaceWeight& arc : (*arcs)[t]) of_place[arc.place].push_back(t);
    Rows<std::uint32_t> rows;
    for (const std::vector<std::uint32_t>& transitions : of_place) rows.append_row(transitions);
    return rows;
}

}  // namespace

StepsOnDemand::StepsOnDemand(const CompiledNet& net, PackedLayout layout)
    : net_(net),
      store_(net.initial, std::move(layout)),
      met_(1),
      given_(net.place_count(), no_index),
      testing_(transitions_testing(net)),
      tried_(net.transition_count(), no_index),
      unpacking_(net.place_count() / places_a_unit + 1) {}

std::uint32_t StepsOnDemand::after(std::uint32_t state, std::uint32_t number) {
    expand(state);
    while (met_[state].successors.size() <= number) {
        const std::uint32_t t = met_[state].firing[met_[state].successors.size()];
        const std::uint64_t repacked = store_.repacked();
        const std::uint32_t next = store_.number_after(state, net_.effects[t]);
        work_ += (store_.repacked() - repacked) * net_.place_count() + units_a_step + store_.layout().words();
        if (next == no_index) throw LimitReached(WorkEnd::overflow);
        if (next == met_.size()) {
            met_.push_back({t, state});
            bytes_ += sizeof(Met);
        }
        met_[state].successors.push_back(next);
        bytes_ += sizeof(std::uint32_t);
    }
    return met_[state].successors[number];
}

void StepsOnDemand::expand(std::uint32_t state) {
    if (std::exchange(met_[state].expanded, true)) return;
    std::vector<std::uint32_t> firing = firing_in(state);
    if (const std::uint32_t last = met_[state].by; last != no_index) {
        for (const PlaceWeight& arc : net_.outputs[last]) given_[arc.place] = state;
        std::stable_partition(firing.begin(), firing.end(), [&](std::uint32_t t) {
            return std::any_of(net_.inputs[t].begin(), net_.inputs[t].end(),
                               [&](const PlaceWeight& arc) { return given_[arc.place] == state; });
        });
    }
    bytes_ += firing.size() * sizeof(std::uint32_t);
    met_[state].firing = std::move(firing);
}

/// The transitions that can fire, in ascending order. Of those whose places the last firing did not change,
/// the same as in the marking before it.
std::vector<std::uint32_t> StepsOnDemand::firing_in(std::uint32_t state) {
    const Marking marking = store_[state];
    std::vector<std::uint32_t> firing;
    const std::uint32_t by = met_[state].by, before = met_[state].before;
    if (by == no_index) {
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
            if (enabled(net_, marking, t)) firing.push_back(t);
        work_ += net_.transition_count() + unpacking_;
        return firing;
    }
    std::vector<std::uint32_t> again;
    for (const Effect& effect : net_.effects[by])
        for (const std::uint32_t t : testing_[effect.place])
            if (std::exchange(tried_[t], state) != state) again.push_back(t);
    work_ += again.size() + met_[before].firing.size() + unpacking_;
    for (const std::uint32_t t : met_[before].firing)
        if (tried_[t] != state) firing.push_back(t);
    for (const std::uint32_t t : again)
        if (enabled(net_, marking, t)) firing.push_back(t);
    std::ranges::sort(firing);
    return firing;
}

Exploration StepsOnDemand::explored(WorkEnd stop) const {
    StateSpace space{PackedLayout(store_.layout())};
    const std::size_t size = space.layout().words();
    const AnyWords words{size};
    std::uint64_t edges = 0, deadlocks = 0;
    for (std::uint32_t state = 0; state < store_.size(); ++state) {
        const StateHash hash(store_.packed(state), words);
        space.shard(hash.shard()).insert(hash.in_shard(), store_.packed(state), 0, words);
        edges += met_[state].firing.size();
        if (met_[state].expanded && met_[state].firing.empty()) ++deadlocks;
    }
    const StateId initial = *space.find(net_.initial);
    return {.stop = stop,
            .markings = store_.size(),
            .edges = edges,
            .deadlocks = deadlocks,
            .space_markings = store_.size(),
            .space_edges = edges,
            .bounds = {},
            .fired = {},
            .deadlock = {},
            .initial = initial,
            .space = std::move(space)};
}

}  // namespace warpnet::states

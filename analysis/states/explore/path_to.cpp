// A path is a chain of parents, so its markings are known but not its steps. Each step is found by
// enumerating the successors of a marking until one of them is the next marking. The steps are not stored,
// because that would cost memory per marking for paths that are rarely requested. Cost: one enumeration per
// step of the path.

#include "analysis/states/explore/path_to.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/steps/possible_steps.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace warpnet::states {

namespace {

/// The first step that leads from one marking to another, or to one that is equivalent to it.
ScheduledStep step_between(const CompiledNet& net, Semantics semantics, const Marking& from,
                           const Marking& to, const NetSymmetry* symmetry = nullptr) {
    ScheduledStep found;
    Marking after;
    for_each_possible_step(net, from, semantics, [&](const ScheduledStep& step) {
        after = from;
        if (!fire_step(net, step, after)) return true;
        if (symmetry != nullptr) symmetry->make_canonical(after);
        if (after != to) return true;
        found = step;
        return false;
    });
    if (found.transitions.empty()) throw std::logic_error("no step leads from a marking to its successor");
    return found;
}

/// A marking and its parent, on any rank.
struct KeptState {
    Marking marking;
    StateId parent;
};

KeptState kept_state(const StateSpace& space, StateId state, ranks::Collectives* ranks) {
    if (ranks == nullptr) return {space.marking(state), space.parent(state)};
    const int owner =
        ranks::ShardOwners(StateSpace::shard_count, ranks->size()).owner(StateSpace::shard_of(state));
    ranks::ByteWriter writer;
    if (owner == ranks->rank()) {
        writer.put(space.parent(state));
        writer.put_list(space.marking(state));
    }
    const std::string text = ranks->broadcast(owner, std::move(writer).take());
    ranks::ByteReader reader(text);
    const auto parent = reader.get<StateId>();
    return {reader.get_list<Tokens>(), parent};
}

/// From the initial marking, which no permutation changes.
Schedule path_by_symmetry(const CompiledNet& net, Semantics semantics, const std::vector<Marking>& markings,
                          const NetSymmetry& symmetry) {
    Schedule schedule;
    Marking marking = markings.back();
    for (std::size_t i = markings.size() - 1; i > 0; --i) {
        schedule.push_back(step_between(net, semantics, marking, markings[i - 1], &symmetry));
        fire_step(net, schedule.back(), marking);
    }
    return schedule;
}

}  // namespace

Schedule path_to(const CompiledNet& net, Semantics semantics, const StateSpace& space, StateId state,
                 const NetSymmetry* symmetry, ranks::Collectives* ranks) {
    const bool first = ranks::leads(ranks);
    Schedule schedule;
    std::vector<Marking> markings;  // under a symmetry
    KeptState kept = kept_state(space, state, ranks);
    if (symmetry != nullptr) markings.push_back(kept.marking);
    while (kept.parent != state) {
        state = kept.parent;
        KeptState before = kept_state(space, state, ranks);
        if (first && symmetry != nullptr) markings.push_back(before.marking);
        if (first && symmetry == nullptr)
            schedule.push_back(step_between(net, semantics, before.marking, kept.marking));
        kept = std::move(before);
    }
    if (first && symmetry != nullptr) return path_by_symmetry(net, semantics, markings, *symmetry);
    std::reverse(schedule.begin(), schedule.end());
    return schedule;
}

std::optional<StateId> find_state(const StateSpace& space, const Marking& marking,
                                  ranks::Collectives* ranks) {
    std::optional<StateId> state = space.find(marking);
    if (ranks == nullptr) return state;
    ranks::ByteWriter writer;
    if (state) writer.put(*state);
    for (const std::string& of_rank : ranks->gather(writer.bytes()))
        if (!of_rank.empty()) state = ranks::ByteReader(of_rank).get<StateId>();
    return state;
}

Marking marking_of(const StateSpace& space, StateId state, ranks::Collectives* ranks) {
    return kept_state(space, state, ranks).marking;
}

Schedule path_through(const CompiledNet& net, Semantics semantics, const StateSpace& space,
                      const StepGraph& graph, const std::vector<std::uint32_t>& states) {
    Schedule schedule;
    for (std::size_t i = 1; i < states.size(); ++i) {
        schedule.push_back(step_between(net, semantics, space.marking(graph.id(states[i - 1])),
                                        space.marking(graph.id(states[i]))));
    }
    return schedule;
}

std::optional<LiftedPath> lifted_path(const CompiledNet& net, Semantics semantics, const StateSpace& space,
                                      const StepGraph& graph, const std::vector<std::uint32_t>& states,
                                      std::optional<std::uint32_t> repeats_from,
                                      const NetSymmetry& symmetry) {
    constexpr std::size_t most_rounds = 1000;
    LiftedPath path;
    Marking marking = space.marking(graph.id(states.front()));
    const auto go_through = [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            path.schedule.push_back(
                step_between(net, semantics, marking, space.marking(graph.id(states[i])), &symmetry));
            fire_step(net, path.schedule.back(), marking);
        }
    };
    if (!repeats_from) {
        go_through(1, states.size());
        return path;
    }
    std::map<Marking, std::size_t> seen;  // at the beginning of each round, and after how many steps
    go_through(1, std::size_t{*repeats_from} + 1);
    for (std::size_t round = 0; round < most_rounds; ++round) {
        const auto [known, is_new] = seen.emplace(marking, path.schedule.size());
        if (!is_new) {
            path.repeats_from = known->second;
            return path;
        }
        go_through(std::size_t{*repeats_from} + 1, states.size());
    }
    return std::nullopt;
}

}  // namespace warpnet::states

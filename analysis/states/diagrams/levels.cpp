#include "analysis/states/diagrams/levels.hpp"

#include "analysis/states/diagrams/nodes.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

namespace {

/// Adds the arcs of a transition that are on places of one level.
void add_arcs(Rows<PlaceWeight>& rows, std::span<const PlaceWeight> arcs, const auto& is_here,
              std::span<const std::uint32_t> position_of) {
    for (const auto [place, weight] : arcs)
        if (is_here(place)) rows.append({position_of[place], weight});
    rows.close_row();
}

}  // namespace

DiagramLevels::DiagramLevels(const CompiledNet& net, std::vector<std::vector<std::uint32_t>> places)
    : levels_(places.size()),
      level_of_(net.place_count()),
      position_of_(net.place_count()),
      moves_(net.transition_count()) {
    std::vector<NetArcs> parts(places.size());
    for (std::uint32_t l = 0; l < places.size(); ++l) {
        for (std::uint32_t i = 0; i < places[l].size(); ++i) {
            level_of_[places[l][i]] = l;
            position_of_[places[l][i]] = i;
            parts[l].initial.push_back(net.initial[places[l][i]]);
        }
        levels_[l].places = std::move(places[l]);
    }
    std::vector<std::uint32_t> touched;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        touched.clear();
        const auto kinds = {net.inputs[t], net.outputs[t], net.inhibitors[t], net.reads[t]};
        for (const auto arcs : kinds)
            for (const auto [place, weight] : arcs) touched.push_back(level_of_[place]);
        std::sort(touched.begin(), touched.end(), std::greater<>());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const std::uint32_t l : touched) {
            NetArcs& part = parts[l];
            const auto is_here = [&](std::uint32_t place) { return level_of_[place] == l; };
            moves_[t].push_back({l, static_cast<std::uint32_t>(part.urgency.size())});
            add_arcs(part.inputs, net.inputs[t], is_here, position_of_);
            add_arcs(part.outputs, net.outputs[t], is_here, position_of_);
            add_arcs(part.inhibitors, net.inhibitors[t], is_here, position_of_);
            add_arcs(part.reads, net.reads[t], is_here, position_of_);
            part.urgency.emplace_back();
        }
    }
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        levels_[l].targets.resize(parts[l].urgency.size());
        levels_[l].part = compile(std::move(parts[l]));
    }
}

std::uint32_t DiagramLevels::number(Level& level, Marking tokens) {
    const auto [at, is_new] =
        level.numbers.emplace(std::move(tokens), static_cast<std::uint32_t>(level.states.size()));
    if (is_new) {
        level.states.push_back(&at->first);
        constexpr std::uint64_t entry = 96;  // in the map, with its vector
        bytes_ += entry + level.places.size() * sizeof(Tokens) + level.targets.size() * sizeof(std::uint32_t);
    }
    return at->second;
}

std::uint32_t DiagramLevels::state_in(std::size_t level, std::span<const Tokens> marking) {
    Marking tokens;
    for (const std::uint32_t place : levels_[level].places) tokens.push_back(marking[place]);
    return number(levels_[level], std::move(tokens));
}

std::uint32_t DiagramLevels::find_target(Move move, std::uint32_t state) {
    Level& level = levels_[move.level];
    Marking tokens = *level.states[state];
    if (!warpnet::enabled(level.part, tokens, move.slot)) return disabled;
    take(level.part, tokens, move.slot);
    if (!give(level.part, tokens, move.slot)) throw LimitReached(WorkEnd::overflow);
    return number(level, std::move(tokens));
}

}  // namespace warpnet

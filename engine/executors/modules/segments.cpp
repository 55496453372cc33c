// Prepares segments for running: joins them with the choices that follow for certain, and pairs their
// effects. A choice that is certain to follow is drawn when the segment begins. This is exact, because draws
// inside a module depend on nothing outside.

#include "engine/executors/modules/automaton.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// The concatenation of two segments.
std::uint32_t join(ModuleAutomaton& automaton, const Segment& before, const Segment& after) {
    Segment segment = before;
    segment.steps += after.steps;
    segment.firings += after.firings;
    segment.first_target = after.first_target;
    segment.first_effect = static_cast<std::uint32_t>(automaton.effects.size());
    append_again(automaton.effects, before.first_effect, before.at_once + before.later);
    const std::size_t joint = automaton.effects.size();
    append_again(automaton.effects, after.first_effect, after.at_once + after.later);
    for (std::size_t i = joint; i < automaton.effects.size(); ++i)
        automaton.effects[i].offset += before.steps;
    count_effects(automaton, segment);
    segment.first_use = static_cast<std::uint32_t>(automaton.uses.size());
    append_again(automaton.uses, after.first_use, after.uses);
    for (std::uint32_t i = 0; i < before.uses; ++i) {
        const SupplyUse use = automaton.uses[before.first_use + i];
        const auto at = std::find_if(automaton.uses.begin() + segment.first_use, automaton.uses.end(),
                                     [&](const SupplyUse& later) { return later.supply == use.supply; });
        if (at == automaton.uses.end()) {
            automaton.uses.push_back(use);
        } else {
            at->weight += use.weight;
        }
    }
    segment.uses = static_cast<std::uint32_t>(automaton.uses.size()) - segment.first_use;
    segment.first_part = static_cast<std::uint32_t>(automaton.parts.size());
    append_again(automaton.parts, before.first_part, before.parts);
    append_again(automaton.parts, after.first_part, after.parts);
    segment.parts = before.parts + after.parts;
    automaton.segments.push_back(segment);
    return static_cast<std::uint32_t>(automaton.segments.size() - 1);
}

}  // namespace

void count_effects(ModuleAutomaton& automaton, Segment& segment) {
    const auto begin = automaton.effects.begin() + segment.first_effect;
    const auto later =
        std::find_if(begin, automaton.effects.end(), [](const TimedEffect& e) { return e.offset > 0; });
    segment.at_once = static_cast<std::uint32_t>(later - begin);
    segment.later = static_cast<std::uint32_t>(automaton.effects.end() - later);
}

void draw_ahead(ModuleAutomaton& automaton, std::uint32_t number) {
    ModuleNode& node = automaton.nodes[number];
    if (node.kind != ModuleNode::Kind::waiting) return;
    const Segment before = automaton.segments[automaton.orders[node.first_order]];
    for (std::uint32_t i = 0; i < before.uses; ++i) {
        if (automaton.uses[before.first_use + i].stride != 0) return;
    }
    const ModuleNode choice = automaton.nodes[automaton.targets[before.first_target]];
    if (choice.kind != ModuleNode::Kind::choosing) return;
    node.choice_offset = before.steps + choice.choice_offset;
    node.orders = choice.orders;
    node.first_competitor = choice.first_competitor;
    node.competitors = choice.competitors;
    node.first_order = static_cast<std::uint32_t>(automaton.orders.size());
    for (std::uint32_t i = 0; i < choice.orders; ++i) {
        const auto after = automaton.orders.begin() + choice.first_order;
        const auto same = static_cast<std::uint32_t>(std::find(after, after + i, after[i]) - after);
        automaton.orders.push_back(same < i ? automaton.orders[node.first_order + same]
                                            : join(automaton, before, automaton.segments[after[i]]));
    }
}

void pair_effects(ModuleAutomaton& automaton, std::uint32_t counters) {
    std::vector<std::uint32_t> position(counters, counters);
    automaton.timed.reserve(counters + 1);
    automaton.pairs.reserve(automaton.effects.size());
    for (Segment& segment : automaton.segments) {
        segment.first_pair = static_cast<std::uint32_t>(automaton.pairs.size());
        for (std::uint32_t i = 0; i < segment.later; ++i) {
            const TimedEffect& effect = automaton.effects[segment.first_effect + segment.at_once + i];
            std::uint32_t& at = position[effect.counter];
            if (at == counters) {
                at = static_cast<std::uint32_t>(automaton.timed.size());
                automaton.timed.push_back(effect.counter);
            }
            const auto known = std::find_if(
                automaton.pairs.begin() + segment.first_pair, automaton.pairs.end(),
                [&](const EffectPair& pair) { return pair.offset == effect.offset && pair.pair == at / 2; });
            EffectPair& pair = known != automaton.pairs.end()
                                   ? *known
                                   : automaton.pairs.emplace_back(EffectPair{effect.offset, at / 2, 0});
            pair.deltas += std::int64_t{effect.delta} * (at % 2 == 0 ? 1 : std::int64_t{1} << 32);
        }
        segment.pairs = static_cast<std::uint32_t>(automaton.pairs.size()) - segment.first_pair;
    }
    if (automaton.timed.size() % 2 != 0) automaton.timed.push_back(counters);
    if (automaton.timed.empty()) automaton.timed.assign(2, counters);
}

}  // namespace warpnet

#pragma once

#include "engine/base/random.hpp"
#include "engine/net/net.hpp"
#include "engine/run/run.hpp"
#include "engine/run/served_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace warpnet::testing {

/// Whether a run ends, by its marking and the firings of each transition.
using ReferenceCondition = std::function<bool(const Marking&, const std::vector<std::uint64_t>&)>;

/// Judges every executor. It works on the Net itself, shares only the keyed hash with the engine, and follows
/// the definition of a step (docs/internals/executors.md) word by word. Policies: first, last, round-robin,
/// random with `keyed`, replayed, gto and lrr. It always counts firings, and does not detect endless multiset
/// steps. `until` replaces RunOptions::until.
inline RunResult reference_run(const Net& net, const RunOptions& options,
                               const ReferenceCondition& until = {}) {
    RunResult result;
    result.marking = net.initial_marking();
    result.counts.assign(net.transitions().size(), 0);
    std::vector<std::uint64_t> last_fired(net.transitions().size(), 0);
    const auto tokens = [](const Marking& marking, const Arc& arc) { return marking[index(arc.place)]; };
    const auto fits = [&](const Marking& residual, std::size_t t) {
        return std::ranges::all_of(net.arcs_of(TransitionId(t)), [&](const Arc& arc) {
            return arc.kind != ArcKind::input || tokens(residual, arc) >= arc.weight;
        });
    };
    const auto enabled = [&](std::size_t t) {
        return fits(result.marking, t) &&
               std::ranges::all_of(net.arcs_of(TransitionId(t)), [&](const Arc& arc) {
                   if (arc.kind == ArcKind::read) return tokens(result.marking, arc) >= arc.weight;
                   return arc.kind != ArcKind::inhibitor || tokens(result.marking, arc) < arc.weight;
               });
    };
    const auto occurrence = [&](std::size_t t,
                                std::uint64_t used) {  // position of the next occurrence in the string
        for (std::size_t i = 0; i < options.order.size(); ++i) {
            if (options.order[i] == t && used-- == 0) return i;
        }
        return options.order.size();
    };
    std::vector<std::vector<std::size_t>> services;  // of gto and lrr, per round: the transitions that fired
    const auto rank_of_part = [&](std::size_t t) -> std::uint64_t {
        const ServedParts& served = *options.served;
        const std::uint64_t part = served.part[t], parts = served.parts, meeting = served.meeting[t];
        if (meeting == no_index) return part;
        const auto distance = [&](std::uint64_t from, std::uint64_t to) {
            return (to + 2 * parts - from - 1) % parts;
        };
        std::uint64_t last = parts - 1;  // replayed from the beginning
        bool greedy = false;
        for (const std::vector<std::size_t>& round : services) {
            std::vector<std::uint64_t> here;
            for (const std::size_t other : round) {
                if (served.meeting[other] == meeting) here.push_back(served.part[other]);
            }
            if (here.empty()) continue;
            greedy = std::ranges::count(here, part) > 0;
            last = *std::ranges::max_element(here, {},
                                             [&](std::uint64_t other) { return distance(last, other); });
        }
        if (options.policy == Policy::lrr) return distance(last, part);
        return greedy ? part : part + parts;
    };
    const auto has_effect = [&](std::size_t t) {
        std::map<std::size_t, Tokens> effects;
        for (const Arc& arc : net.arcs_of(TransitionId(t))) {
            if (arc.kind == ArcKind::input) effects[index(arc.place)] -= arc.weight;
            if (arc.kind == ArcKind::output) effects[index(arc.place)] += arc.weight;
        }
        return std::ranges::any_of(effects, [](const auto& effect) { return effect.second != 0; });
    };
    bool repeats = false;  // the last timed step was the only one possible, and none of it has an effect
    for (std::uint64_t round = 1;; ++round) {
        if (until && until(result.marking, result.counts)) {
            result.reason = StopReason::condition;
            return result;
        }
        std::vector<std::size_t> candidates;
        for (std::size_t t = 0; t < net.transitions().size(); ++t) {
            if (enabled(t)) candidates.push_back(t);
        }
        const bool immediate =
            std::ranges::any_of(candidates, [&](std::size_t t) { return net.transitions()[t].immediate; });
        std::erase_if(candidates, [&](std::size_t t) { return net.transitions()[t].immediate != immediate; });
        if (candidates.empty()) return result;
        if (!immediate && result.steps == options.max_steps) {
            result.reason = StopReason::step_limit;
            result.endless = repeats;
            return result;
        }
        const std::uint64_t round_key = hash_bits(hash_bits(options.seed, options.run), round);
        const auto rank =
            [&](std::size_t t,
                std::uint64_t key) {  // priority first, then the policy, then the order of the net
                std::uint64_t position = 0;
                if (options.policy == Policy::last) position = net.transitions().size() - t;
                if (options.policy == Policy::round_robin) position = last_fired[t];
                if (options.policy == Policy::random) position = hash_bits(key, t);
                if (options.policy == Policy::replayed) position = occurrence(t, result.counts[t]);
                if (serves_parts(options.policy)) {
                    const std::uint64_t used = occurrence(t, result.counts[t]);
                    const std::uint64_t none = 0xffffffff;
                    position = rank_of_part(t) << 32 | (options.order.empty() ? hash_bits(key, t) >> 32
                                                        : used == options.order.size() ? none
                                                                                       : used);
                }
                return std::tuple(-std::int64_t{net.transitions()[t].priority}, position, t);
            };
        std::size_t might_fire = candidates.size();
        Marking residual = result.marking;
        std::vector<std::size_t> step;
        for (std::uint64_t draw = 0; !candidates.empty(); ++draw) {
            const std::uint64_t key =
                options.semantics == Semantics::maximal ? round_key : hash_bits(round_key, draw);
            const auto next =
                std::ranges::min_element(candidates, {}, [&](std::size_t t) { return rank(t, key); });
            step.push_back(*next);
            for (const Arc& arc : net.arcs_of(TransitionId(*next))) {
                if (arc.kind == ArcKind::input) residual[index(arc.place)] -= arc.weight;
            }
            if (options.semantics == Semantics::maximal) candidates.erase(next);
            if (options.semantics == Semantics::interleaving) {
                might_fire = static_cast<std::size_t>(std::ranges::count_if(candidates, [&](std::size_t t) {
                    return net.transitions()[t].priority == net.transitions()[*next].priority;
                }));
                break;
            }
            std::erase_if(candidates, [&](std::size_t t) { return !fits(residual, t); });
        }
        result.marking = residual;
        services.emplace_back();
        for (const std::size_t t : step) {
            if (options.served != nullptr && options.served->meeting[t] != no_index)
                services.back().push_back(t);
            for (const Arc& arc : net.arcs_of(TransitionId(t))) {
                if (arc.kind == ArcKind::output) result.marking[index(arc.place)] += arc.weight;
            }
            ++result.counts[t];
            ++result.firings;
            last_fired[t] = round;
        }
        if (immediate) continue;
        ++result.steps;
        repeats = step.size() == might_fire && std::ranges::none_of(step, has_effect);
    }
}

}  // namespace warpnet::testing

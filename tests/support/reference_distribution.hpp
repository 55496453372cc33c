#pragma once

#include "engine/net/net.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// Judges exact distributions. It follows every marking with its probability, step by step, with all orders
/// of the enabled transitions equally likely. It works on the Net itself and shares no code with the engine.
/// Slow: it visits all subsets of the enabled transitions.
struct ReferenceDistribution {
    std::map<std::uint64_t, double> steps;  ///< of runs that ended in a dead marking
    double running = 0;                     ///< probability of the remaining runs, after max_steps
};

class ReferenceDistributions {
  public:
    explicit ReferenceDistributions(const Net& net) : net_(net) {}

    /// Nothing if more than `most_enabled` transitions are enabled at once, or more than `most_markings`
    /// markings are possible at a time.
    std::optional<ReferenceDistribution> compute(std::uint64_t max_steps, std::size_t most_enabled,
                                                 std::size_t most_markings) {
        ReferenceDistribution result;
        std::map<Marking, double> now{{net_.initial_marking(), 1.0}};
        for (std::uint64_t time = 0;; ++time) {
            std::map<Marking, double> later;
            while (!now.empty()) {
                const auto [marking, chance] = *now.begin();
                now.erase(now.begin());
                std::vector<std::size_t> able = enabled(marking);
                if (able.size() > most_enabled || later.size() > most_markings) return std::nullopt;
                if (able.empty()) {
                    result.steps[time] += chance;
                    continue;
                }
                const bool immediate = net_.transitions()[able.front()].immediate;
                for (const auto& [then, probability] : successors(marking, able))
                    (immediate ? now : later)[then] += chance * probability;
            }
            if (later.empty()) return result;
            now = std::move(later);
            if (time == max_steps) {
                for (const auto& [marking, chance] : now) result.running += chance;
                return result;
            }
        }
    }

  private:
    bool fits(const Marking& room, std::size_t t) const {
        return std::ranges::all_of(net_.arcs_of(TransitionId(t)), [&](const Arc& arc) {
            return arc.kind != ArcKind::input || room[index(arc.place)] >= arc.weight;
        });
    }

    std::vector<std::size_t> enabled(const Marking& marking) const {
        std::vector<std::size_t> able;
        bool immediate = false;
        for (std::size_t t = 0; t < net_.transitions().size(); ++t) {
            const bool tests = std::ranges::all_of(net_.arcs_of(TransitionId(t)), [&](const Arc& arc) {
                if (arc.kind == ArcKind::read) return marking[index(arc.place)] >= arc.weight;
                return arc.kind != ArcKind::inhibitor || marking[index(arc.place)] < arc.weight;
            });
            if (!tests || !fits(marking, t)) continue;
            able.push_back(t);
            immediate |= net_.transitions()[t].immediate;
        }
        std::erase_if(able, [&](std::size_t t) { return net_.transitions()[t].immediate != immediate; });
        return able;
    }

    /// The next markings with their probabilities. Transitions are asked in the order of priority, in any
    /// order within a priority, and each one fires if it still can.
    std::map<Marking, double> successors(const Marking& marking, const std::vector<std::size_t>& able) const {
        using Asked = std::pair<std::uint32_t, std::uint32_t>;  // bits: asked, firing
        std::map<Asked, double> front{{{0, 0}, 1.0}};
        for (std::size_t round = 0; round < able.size(); ++round) {
            std::map<Asked, double> next;
            for (const auto& [asked, chance] : front) {
                Marking room = marking;
                std::vector<std::size_t> open;
                for (std::size_t i = 0; i < able.size(); ++i) {
                    if ((asked.second >> i & 1) != 0) move(room, able[i], ArcKind::input, -1);
                    if ((asked.first >> i & 1) == 0) open.push_back(i);
                }
                const auto priority = [&](std::size_t i) { return net_.transitions()[able[i]].priority; };
                const auto highest = priority(*std::ranges::max_element(open, {}, priority));
                std::erase_if(open, [&](std::size_t i) { return priority(i) != highest; });
                for (const std::size_t i : open) {
                    const std::uint32_t bit = 1U << i;
                    next[{asked.first | bit, asked.second | (fits(room, able[i]) ? bit : 0)}] +=
                        chance / static_cast<double>(open.size());
                }
            }
            front = std::move(next);
        }
        std::map<Marking, double> result;
        for (const auto& [asked, chance] : front) {
            Marking then = marking;
            for (std::size_t i = 0; i < able.size(); ++i) {
                if ((asked.second >> i & 1) == 0) continue;
                move(then, able[i], ArcKind::input, -1);
                move(then, able[i], ArcKind::output, 1);
            }
            result[then] += chance;
        }
        return result;
    }

    void move(Marking& marking, std::size_t t, ArcKind kind, int sign) const {
        for (const Arc& arc : net_.arcs_of(TransitionId(t)))
            if (arc.kind == kind) marking[index(arc.place)] += sign * arc.weight;
    }

    const Net& net_;
};

}  // namespace warpnet::testing

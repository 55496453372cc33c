#pragma once

#include "engine/net/net.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

namespace warpnet::testing {

struct StepCounts {
    int least = 0;
    int most = 0;
    bool operator==(const StepCounts&) const = default;
};

/// The least and the most steps to a dead marking over all runs by maximal steps. It tries every run:
/// obviously right and slow. For nets without immediate transitions whose runs all end.
class EveryRun {
  public:
    explicit EveryRun(const Net& net) : net_(net) {}

    StepCounts operator()() { return from(net_.initial_marking()); }

  private:
    bool fits(const Marking& marking, const Marking& left, TransitionId transition) const {
        return std::ranges::all_of(net_.arcs_of(transition), [&](const Arc& arc) {
            const Tokens tokens = marking[index(arc.place)];
            switch (arc.kind) {
                case ArcKind::input:
                    return left[index(arc.place)] >= arc.weight;
                case ArcKind::inhibitor:
                    return tokens < arc.weight;
                case ArcKind::read:
                    return tokens >= arc.weight;
                case ArcKind::output:
                    return true;
            }
            return false;
        });
    }

    Marking taken(Marking marking, TransitionId transition, ArcKind kind, int sign) const {
        for (const Arc& arc : net_.arcs_of(transition))
            if (arc.kind == kind) marking[index(arc.place)] += sign * arc.weight;
        return marking;
    }

    StepCounts from(const Marking& marking) {
        if (const auto known = known_.find(marking); known != known_.end()) return known->second;
        std::vector<TransitionId> enabled;
        for (std::size_t t = 0; t < net_.transitions().size(); ++t)
            if (fits(marking, marking, TransitionId(t))) enabled.push_back(TransitionId(t));
        std::ranges::stable_sort(
            enabled, [&](TransitionId a, TransitionId b) { return net_[a].priority > net_[b].priority; });
        StepCounts counts{.least = enabled.empty() ? 0 : 1 << 20, .most = 0};
        if (!enabled.empty()) choose(marking, marking, enabled, 0, {}, counts);
        return known_[marking] = counts;
    }

    /// Decides on enabled[i], in order of priority. A transition may stay out only if the chosen transitions
    /// of its own or a higher priority leave no room for it.
    void choose(const Marking& marking, const Marking& left, const std::vector<TransitionId>& enabled,
                std::size_t i, std::vector<TransitionId> chosen, StepCounts& counts) {
        const bool level_ends =
            i == enabled.size() || (i > 0 && net_[enabled[i]].priority < net_[enabled[i - 1]].priority);
        if (level_ends)
            for (std::size_t k = 0; k < i; ++k)
                if (std::ranges::count(chosen, enabled[k]) == 0 && fits(marking, left, enabled[k])) return;
        if (i == enabled.size()) {
            Marking next = left;
            for (const TransitionId t : chosen) next = taken(next, t, ArcKind::output, 1);
            const StepCounts rest = from(next);
            counts.least = std::min(counts.least, rest.least + 1);
            counts.most = std::max(counts.most, rest.most + 1);
            return;
        }
        choose(marking, left, enabled, i + 1, chosen, counts);
        if (!fits(marking, left, enabled[i])) return;
        chosen.push_back(enabled[i]);
        choose(marking, taken(left, enabled[i], ArcKind::input, -1), enabled, i + 1, chosen, counts);
    }

    const Net& net_;
    std::map<Marking, StepCounts> known_;
};

}  // namespace warpnet::testing

#include "analysis/worst/exact/random_step.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/compile/firing_rule.hpp"

#include <algorithm>
#include <map>

namespace warpnet {

namespace {

using Subset = std::vector<std::uint32_t>;  // ascending

/// Transitions that compete, as sets that share no place of which there is too little.
std::vector<Subset> conflicts(const CompiledNet& net, std::span<const Tokens> room, const Subset& able,
                              Subset& certain) {
    std::map<std::uint32_t, Tokens> wanted;
    for (const std::uint32_t t : able)
        for (const auto [place, weight] : net.inputs[t]) wanted[place] += weight;
    DisjointSets forest(able.size());
    std::map<std::uint32_t, std::uint32_t> first;  // per place that is short: who wants it
    std::vector<std::uint8_t> competes(able.size(), 0);
    for (std::uint32_t i = 0; i < able.size(); ++i) {
        for (const auto [place, weight] : net.inputs[able[i]]) {
            if (wanted[place] <= room[place]) continue;
            competes[i] = 1;
            const auto [at, added] = first.try_emplace(place, i);
            if (!added) forest.join(at->second, i);
        }
    }
    std::map<std::uint32_t, Subset> sets;
    for (std::uint32_t i = 0; i < able.size(); ++i)
        if (competes[i] != 0) {
            sets[forest.root(i)].push_back(able[i]);
        } else {
            certain.push_back(able[i]);
        }
    std::vector<Subset> result;
    result.reserve(sets.size());
    for (auto& [root, set] : sets) result.push_back(std::move(set));
    return result;
}

/// Counts the sets that are held at a time, and looks at the clock now and then.
class Budget {
  public:
    explicit Budget(const WorkLimits& limits) : limits_(limits) {}

    /// A set of so many transitions is added. False once a limit is met.
    bool add(std::size_t transitions) {
        constexpr std::uint64_t overhead = 96;  // of a node and a vector
        constexpr std::uint64_t sets_between_looks = 64;
        bytes_ += transitions * sizeof(std::uint32_t) + overhead;
        if (bytes_ > limits_.memory) stop_ = WorkEnd::memory_limit;
        if (++sets_ % sets_between_looks == 0 && stop_ == WorkEnd::complete) stop_ = limits_.asked_to_end();
        return stop_ == WorkEnd::complete;
    }
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// The sets that were held at that count are held no longer.
    void release(std::uint64_t bytes) noexcept { bytes_ -= bytes; }
    WorkEnd stop() const noexcept { return stop_; }

  private:
    const WorkLimits& limits_;
    std::uint64_t bytes_ = 0, sets_ = 0;
    WorkEnd stop_ = WorkEnd::complete;
};

/// The sets of competing transitions that can fire together, and how likely: the next one is drawn among
/// those that fit.
std::map<Subset, double> draw(const CompiledNet& net, std::span<const Tokens> marking,
                              const Subset& competing, Budget& budget) {
    std::map<Subset, double> front{{{}, 1.0}}, result;
    while (!front.empty()) {
        std::map<Subset, double> next;
        for (const auto& [chosen, probability] : front) {
            Marking room(marking.begin(), marking.end());
            for (const std::uint32_t t : chosen) take(net, room, t);
            Subset open;
            for (const std::uint32_t t : competing) {
                if (!std::binary_search(chosen.begin(), chosen.end(), t) && fits(net, room, t))
                    open.push_back(t);
            }
            if (open.empty()) result[chosen] += probability;
            for (const std::uint32_t t : open) {
                Subset then = chosen;
                then.insert(std::upper_bound(then.begin(), then.end(), t), t);
                if (!budget.add(then.size())) return {};
                next[then] += probability / static_cast<double>(open.size());
            }
        }
        front = std::move(next);
    }
    return result;
}

}  // namespace

StepChances random_steps(const CompiledNet& net, std::span<const Tokens> marking, const WorkLimits& limits) {
    std::map<std::uint32_t, Subset> strata;  // enabled transitions, in the order of service
    bool immediate = false;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (!enabled(net, marking, t)) continue;
        strata[net.stratum(t)].push_back(t);
        immediate |= net.immediate(t);
    }
    if (strata.empty()) return {};
    Budget budget(limits);
    std::vector<StepChance> steps{{immediate, {}, 1}};
    for (const auto& [stratum, members] : strata) {
        if (net.strata[stratum].immediate != immediate) continue;
        std::vector<StepChance> longer;
        for (const StepChance& step : steps) {
            Marking room(marking.begin(), marking.end());
            for (const std::uint32_t t : step.transitions) take(net, room, t);
            Subset able, certain;
            for (const std::uint32_t t : members)
                if (fits(net, room, t)) able.push_back(t);
            std::vector<StepChance> then{step};
            std::uint64_t held = 0;  // bytes of `then`
            for (const Subset& set : conflicts(net, room, able, certain)) {
                const std::uint64_t before = budget.bytes() - held;
                std::vector<StepChance> combined;
                for (const auto& [chosen, probability] : draw(net, room, set, budget)) {
                    for (StepChance with : then) {
                        if (!budget.add(with.transitions.size() + chosen.size())) return {{}, budget.stop()};
                        with.transitions.insert(with.transitions.end(), chosen.begin(), chosen.end());
                        with.probability *= probability;
                        combined.push_back(std::move(with));
                    }
                }
                if (budget.stop() != WorkEnd::complete) return {{}, budget.stop()};
                then = std::move(combined);
                budget.release(held);
                held = budget.bytes() - before;
            }
            for (StepChance& with : then) {
                with.transitions.insert(with.transitions.end(), certain.begin(), certain.end());
                longer.push_back(std::move(with));
            }
        }
        steps = std::move(longer);
    }
    for (StepChance& step : steps) std::sort(step.transitions.begin(), step.transitions.end());
    return {std::move(steps), WorkEnd::complete};
}

}  // namespace warpnet

// The distribution over markings, for nets without multisets of modules. All markings at one time are
// expanded, with immediate steps until none is left, and the probabilities of equal successors are added. The
// random policy is a uniformly random order of the enabled transitions, taken greedily. So competitors are
// divided into sets that share no scarce place, and only within such a set the drawn subsets are enumerated,
// with the probability of each. Cost: exponential in the size of these sets, so their number is checked
// against the memory limit during the enumeration. One thread.

#include "analysis/worst/exact/marking_distribution.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/run/run.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace warpnet::worst {

namespace {

using Subset = std::vector<std::uint32_t>;  // ascending

/// Competing transitions, as sets that share no place with too few tokens.
std::vector<Subset> conflicts(const CompiledNet& net, std::span<const Tokens> room, const Subset& able,
                              Subset& certain) {
    std::map<std::uint32_t, Tokens> wanted;
    for (const std::uint32_t t : able)
        for (const auto [place, weight] : net.inputs[t]) wanted[place] += weight;
    DisjointSets forest(able.size());
    std::map<std::uint32_t, std::uint32_t> first;  // per scarce place: the first set that wants it
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

/// Counts the sets that are stored, and checks the clock now and then.
class Budget {
  public:
    explicit Budget(const WorkLimits& limits) : limits_(limits) {}

    /// A set of this size is added. False after a limit is met.
    bool add(std::size_t transitions) {
        constexpr std::uint64_t overhead = 96;  // of a node and a vector
        constexpr std::uint64_t sets_between_looks = 64;
        bytes_ += transitions * sizeof(std::uint32_t) + overhead;
        if (bytes_ > limits_.memory) stop_ = WorkEnd::memory_limit;
        if (++sets_ % sets_between_looks == 0 && stop_ == WorkEnd::complete) stop_ = limits_.asked_to_end();
        return stop_ == WorkEnd::complete;
    }
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// The sets of that count are freed.
    void release(std::uint64_t bytes) noexcept { bytes_ -= bytes; }
    WorkEnd stop() const noexcept { return stop_; }

  private:
    const WorkLimits& limits_;
    std::uint64_t bytes_ = 0, sets_ = 0;
    WorkEnd stop_ = WorkEnd::complete;
};

/// The sets of competing transitions that can fire together, and their probabilities: the next one is drawn
/// among those that fit.
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
    std::map<std::uint32_t, Subset> levels;  // enabled transitions, in service order
    bool immediate = false;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (!enabled(net, marking, t)) continue;
        levels[net.priority_level(t)].push_back(t);
        immediate |= net.immediate(t);
    }
    if (levels.empty()) return {};
    Budget budget(limits);
    std::vector<StepChance> steps{{immediate, {}, 1}};
    for (const auto& [level, members] : levels) {
        if (net.priority_levels[level].immediate != immediate) continue;
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

namespace {

using Chances = std::unordered_map<Marking, double, MarkingHash>;

constexpr std::uint64_t states_between_looks = 256;  // at the clock

class Distribution {
  public:
    Distribution(const CompiledNet& net, const DistributionOptions& options) : net_(net), options_(options) {}

    StepDistribution compute() {
        Chances now{{net_.initial, 1.0}};
        for (std::uint64_t time = 0; !now.empty(); ++time) {
            const double ended = make_steps(std::move(now), time < options_.max_steps);
            if (result_.stop != WorkEnd::complete) return std::move(result_);
            if (ended > 0) result_.steps.push_back({time, ended});
            now = std::move(next_);
            next_ = Chances();
        }
        return std::move(result_);
    }

  private:
    /// All steps of the markings at one time, immediate ones until there are no more; the timed ones lead to
    /// next_. Returns the probability of runs that have ended.
    double make_steps(Chances now, bool more) {
        double ended = 0;
        for (std::uint64_t round = 0; !now.empty() && result_.stop == WorkEnd::complete; ++round) {
            Chances immediate;
            for (const auto& [marking, chance] : now) {
                ended += make_steps(marking, chance, more && round < max_immediate_rounds, immediate);
                check_limits(now.size() + immediate.size() + next_.size());
                if (result_.stop != WorkEnd::complete) return 0;
            }
            now = std::move(immediate);
        }
        return ended;
    }

    double make_steps(const Marking& marking, double chance, bool more, Chances& immediate) {
        ++result_.states;
        const auto [steps, stop] = random_steps(net_, marking, options_.limits);
        if (stop != WorkEnd::complete) {
            result_.stop = stop;
            return 0;
        }
        if (steps.empty()) return chance;
        for (const StepChance& step : steps) {
            const double probability = chance * step.probability;
            Marking then = marking;
            bool in_range = more;
            for (const std::uint32_t t : step.transitions) take(net_, then, t);
            for (const std::uint32_t t : step.transitions) in_range = in_range && give(net_, then, t);
            if (!in_range) {
                result_.longer += probability;
            } else if (steps.size() == 1 && then == marking) {
                result_.endless += probability;
            } else {
                (step.immediate ? immediate : next_)[std::move(then)] += probability;
            }
        }
        return 0;
    }

    void check_limits(std::size_t markings) {
        const std::uint64_t bytes = markings * (net_.place_count() * sizeof(Tokens) + 80);
        result_.bytes = std::max(result_.bytes, bytes);
        if (bytes > options_.limits.memory) result_.stop = WorkEnd::memory_limit;
        if (result_.stop == WorkEnd::complete && result_.states % states_between_looks == 0)
            result_.stop = options_.limits.asked_to_end();
    }

    const CompiledNet& net_;
    DistributionOptions options_;
    Chances next_;
    StepDistribution result_;
};

}  // namespace

StepDistribution marking_distribution(const CompiledNet& net, const DistributionOptions& options) {
    return Distribution(net, options).compute();
}

}  // namespace warpnet::worst

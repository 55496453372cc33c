// The exact distribution of the number of steps, over multisets of modules or over markings. Multisets are
// tried first, because their number does not depend on delays. Markings are used for nets without modules,
// with modules that can return to a state, with too many codes, or with a loop that can keep all modules
// waiting. The result gives the reason. Cost: that of the layers below or marking_distribution.cpp.

#include "analysis/worst/exact/step_distribution.hpp"

#include "analysis/worst/exact/distribution.hpp"
#include "analysis/worst/exact/layered_sweep.hpp"
#include "analysis/worst/exact/local_states.hpp"
#include "analysis/worst/exact/marking_distribution.hpp"
#include "analysis/worst/exact/multiset_net.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace warpnet::worst {
namespace {

// A layered sweep (layered_sweep.hpp) in which the table keeps, per state, the probability of each time at
// which it is reached. A local state is a set of nodes with their probabilities given the visible effects;
// two sets are one state if the numbers are equal to the last bit. The service order is a random permutation.
// If all competitors want the same, the number served is fixed and every set of that size is equally likely;
// otherwise they are drawn one by one.

/// Probabilities of times from `first` on.
struct Times {
    std::uint64_t first = 0;
    std::vector<double> probability;

    void add(const Times& from, std::uint64_t steps, double factor) {
        const std::uint64_t begin = from.first + steps, end = begin + from.probability.size();
        if (probability.empty()) first = begin;
        if (begin < first) {
            probability.insert(probability.begin(), first - begin, 0);
            first = begin;
        }
        if (end > first + probability.size()) probability.resize(end - first, 0);
        double* const to = probability.data() + (begin - first);
        for (std::size_t i = 0; i < from.probability.size(); ++i) to[i] += factor * from.probability[i];
    }
};

/// Packed states, each with the probabilities of the times at which it is reached.
class TimesTable {
  public:
    explicit TimesTable(std::size_t words) : states_(words) {}

    std::size_t size() const noexcept { return times_.size(); }
    const std::uint64_t* state(std::size_t number) const noexcept { return states_.state(number); }
    const Times& times(std::size_t number) const noexcept { return times_[number]; }
    std::uint64_t bytes() const noexcept {
        return states_.bytes() + times_.size() * sizeof(Times) + probabilities_ * sizeof(double);
    }

    /// Releases the memory.
    void close() { *this = TimesTable(0); }

    void add(const std::uint64_t* state, std::uint64_t hash, const Times& from, std::uint64_t steps,
             double factor) {
        const std::uint32_t number = states_.put(state, hash);
        if (number == times_.size()) times_.emplace_back();
        Times& times = times_[number];
        const std::size_t before = times.probability.capacity();
        times.add(from, steps, factor);
        probabilities_ += times.probability.capacity() - before;
    }

  private:
    PackedStates states_;
    std::vector<Times> times_;
    std::uint64_t probabilities_ = 0;  // allocated
};

struct FoundTimes : FoundState {
    double probability = 0;
};

struct ProbableEnd {
    SweepStateId from;
    std::uint64_t steps;
    double probability;
    bool endless;
};
using ProbableEnds = std::vector<ProbableEnd>;

/// The probabilities of all times per state.
class MultisetDistribution : public LayeredSweep<MultisetDistribution, TimesTable, FoundTimes, ProbableEnds> {
  public:
    MultisetDistribution(const MultisetNet& net, const RemainingSteps& remaining,
                         const DistributionOptions& options)
        : LayeredSweep(net, remaining, true, {.limits = options.limits}), net_(net), options_(options) {}

    std::optional<StepDistribution> compute() {
        result_.multisets = true;
        const MultisetSteps::Successor first = MultisetSteps(net_, true).first();
        if (first.ending == Ending::stalled) return std::nullopt;
        if (first.ending == Ending::endless) result_.endless = 1;
        if (first.ending == Ending::dead) result_.steps.push_back({first.steps, 1});
        if (first.ending != Ending::open) return std::move(result_);
        start_ = {first.steps, {1.0}};
        run(first, {{}, 1});
        if (stop() == WorkEnd::not_applicable) return std::nullopt;
        result_.stop = stop();
        result_.states = states();
        result_.bytes = bytes();
        for (const auto& [steps, probability] : ends_) result_.steps.push_back({steps, probability});
        return std::move(result_);
    }

    static WorkEnd end(const MultisetSteps::Successor& to, SweepStateId from, ProbableEnds& ends) {
        if (to.ending == Ending::stalled) return WorkEnd::not_applicable;
        ends.push_back({from, to.steps, to.probability, to.ending == Ending::endless});
        return WorkEnd::complete;
    }

    static std::optional<FoundTimes> follow(const MultisetSteps::Successor& to, SweepStateId from, Worker&) {
        return FoundTimes{{.from = from, .steps = static_cast<std::uint32_t>(to.steps)}, to.probability};
    }

    void take(const ProbableEnds& ends) {
        for (const ProbableEnd& end : ends) add_end(times(end.from), end);
    }

    void put(TimesTable& table, const std::uint64_t* state, const FoundTimes& found) const {
        table.add(state, found.hash, times(found.from), found.steps, found.probability);
    }

    static bool select(const std::vector<SweepStateId>&) { return false; }

  private:
    const Times& times(SweepStateId id) const noexcept {
        return id.is_state() ? table(id).times(id.number()) : start_;
    }

    void add_end(const Times& times, const ProbableEnd& end) {
        for (std::size_t i = 0; i < times.probability.size(); ++i) {
            const double probability = times.probability[i] * end.probability;
            if (probability == 0) continue;
            const std::uint64_t steps = times.first + i + end.steps;
            if (steps > options_.max_steps) {
                result_.longer += probability;
            } else if (end.endless) {
                result_.endless += probability;
            } else {
                ends_[steps] += probability;
            }
        }
    }

    const MultisetNet& net_;
    const DistributionOptions& options_;
    Times start_;
    std::map<std::uint64_t, double> ends_;
    StepDistribution result_;
};

/// step_distribution() over multiset states, layer by layer of the remaining own steps of the modules.
/// Nothing if a hub loop can keep all modules waiting, so that a state follows itself. REQUIRES local states
/// with probabilities, and their order.
std::optional<StepDistribution> multiset_distribution(const MultisetNet& net,
                                                      const DistributionOptions& options) {
    const RemainingSteps remaining(net);
    return MultisetDistribution(net, remaining, options).compute();
}

/// The approximate error of sums of probabilities.
constexpr double rounding = 1e-12;

}  // namespace

StepDistribution step_distribution(const Plan& planned, const DistributionOptions& options) {
    const LocalStates states = local_states(planned, true, options.limits);
    std::string reason = states.reason;
    if (states.stop == WorkEnd::complete) {
        const MultisetNet multisets = multiset_net(planned, states);
        if (!states.acyclic()) {
            reason = "a module can come back to a state";
        } else if (multisets.positions.empty()) {
            reason = "the modules have too many states";
        } else if (auto result = multiset_distribution(multisets, options)) {
            return std::move(*result);
        } else {
            reason = "a hub loop can keep all modules waiting";
        }
    } else if (states.stop != WorkEnd::not_applicable) {
        StepDistribution result;
        result.stop = states.stop;
        return result;
    }
    StepDistribution result = marking_distribution(planned.net(), options);
    result.not_multisets = std::move(reason);
    return result;
}

double mean_steps(std::span<const StepProbability> steps) {
    double sum = 0, all = 0;
    for (const auto [count, probability] : steps) {
        sum += static_cast<double>(count) * probability;
        all += probability;
    }
    return sum / all;
}

double standard_deviation(std::span<const StepProbability> steps) {
    const double mean = mean_steps(steps);
    double sum = 0, all = 0;
    for (const auto [count, probability] : steps) {
        const double away = static_cast<double>(count) - mean;
        sum += away * away * probability;
        all += probability;
    }
    return std::sqrt(sum / all);
}

std::uint64_t quantile(std::span<const StepProbability> steps, double probability) {
    double sum = 0;
    for (const auto& step : steps) {
        sum += step.probability;
        if (sum >= probability - rounding) return step.steps;
    }
    return steps.back().steps;
}

}  // namespace warpnet::worst

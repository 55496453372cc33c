#pragma once

// How a chain advances, for any Problem (annealing.hpp). Included by the files that define a problem's
// search.

#include "analysis/worst/search/annealing.hpp"
#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

namespace warpnet::worst {

namespace annealing {

inline constexpr std::uint64_t first_cooling = 16'384;  // iterations
inline constexpr double last_temperature = 0.03;        // of a cooling, as a fraction of T0
inline constexpr std::int64_t long_run = 1'000'000;     // steps: longer endless runs do not pay
inline constexpr std::uint64_t temperature_span = 256;  // iterations of a cooling at one temperature

/// A stretch of iterations [begin, end) over which the temperature falls once.
struct Cooling {
    std::uint64_t number = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// The cooling of an iteration. In a portfolio the length doubles after each mixture could have had one; the
/// last cooling also takes the rest of the budget, which is too small for another one.
inline Cooling cooling_at(const AnnealingOptions& options, std::size_t mixtures, std::uint64_t iteration) {
    if (options.method != AnnealingMethod::portfolio) return {0, 0, options.iterations};
    Cooling cooling{0, 0, 0};
    for (;; ++cooling.number, cooling.begin = cooling.end) {
        const auto length = [&](std::uint64_t number) {
            return first_cooling << std::min<std::uint64_t>(number / mixtures, 40);
        };
        cooling.end = cooling.begin + length(cooling.number);
        if (cooling.end + length(cooling.number + 1) > options.iterations) cooling.end = options.iterations;
        if (iteration < cooling.end) return cooling;
    }
}

/// The mixture of a cooling: each in turn at first and in every fourth cooling later, otherwise the best.
template <class Problem>
std::size_t choose_mixture(const AnnealingOptions& options, const ChainOf<Problem>& chain,
                           const Cooling& cooling) {
    constexpr std::size_t mixtures = Problem::mixtures;
    const std::size_t turn = (chain.number + cooling.number) % mixtures;
    if (cooling.number < mixtures) return turn;
    if (cooling.number % 4 == 3) return cooling.number / 4 % mixtures;
    std::size_t best = turn;
    for (std::size_t i = 0; i < chain.mixture_value.size(); ++i)
        if (better(options.objective, chain.mixture_value[i], chain.mixture_value[best])) best = i;
    return best;
}

/// Whether a time limit cut a run: nothing is known about it.
inline bool was_cut(StopReason end) {
    return end == StopReason::time_limit || end == StopReason::interrupted;
}

/// Whether a chain stops after a run of this many steps that ended for this reason.
template <class Value>
bool ends_chain(const AnnealingOptions& options, StopReason end, Value steps) {
    if (end == StopReason::dead || was_cut(end)) return false;
    return options.objective == Objective::longest || end == StopReason::immediate_loop || steps >= long_run;
}

/// Whether a candidate that is worse by `loss` is accepted, at the temperature of an iteration.
class Acceptance {
  public:
    template <class Problem>
    bool operator()(const AnnealingOptions& options, const ChainOf<Problem>& chain, const Cooling& cooling,
                    typename Problem::Value loss, CounterRandom& random) {
        const auto lost = static_cast<double>(loss);
        if (options.method == AnnealingMethod::tempering)
            return random.uniform() < std::exp(-lost / chain.temperature);
        const std::uint64_t iteration = chain.iteration - 1;
        const std::uint64_t age = iteration - cooling.begin;
        const auto length = static_cast<double>(cooling.end - cooling.begin);
        if (options.method == AnnealingMethod::paper)
            return random.uniform() * lost < options.temperature * (1 - static_cast<double>(age) / length);
        if (age / temperature_span != span_) {
            span_ = age / temperature_span;
            temperature_ = options.temperature *
                           std::pow(last_temperature, static_cast<double>(span_ * temperature_span) / length);
        }
        return random.uniform() < std::exp(-lost / temperature_);
    }

  private:
    std::uint64_t span_ = ~std::uint64_t{0};
    double temperature_ = 0;
};

template <class Problem>
void note_improvement(const ChainHooksOf<Problem>& hooks, typename Problem::Value value,
                      const typename Problem::Candidate& candidate, ChainOf<Problem>& chain) {
    chain.best = candidate;
    chain.best_value = value;
    chain.log.push_back({chain.iteration, value, hooks.seconds ? hooks.seconds() : 0});
}

/// A chain while it advances: proposes candidates to its worker, and decides about them after their
/// evaluation.
template <class Problem, AnnealingWorker<Problem> Worker>
class Annealer {
  public:
    Annealer(const typename Problem::Instance& instance, const AnnealingOptions& options,
             const ChainHooksOf<Problem>& hooks, const ChainStretchOf<Problem>& stretch)
        : worker(instance),
          instance_(instance),
          options_(options),
          hooks_(hooks),
          until_(std::min(stretch.until, options.iterations)),
          chain_(*stretch.chain),
          key_(hash_bits(options.seed, chain_.number)) {
        worker.reset(chain_.current);
        // Long candidates take long per iteration, so the check comes more often.
        if constexpr (requires { chain_.current.size(); })
            check_interval_ = std::max(std::uint64_t{1}, check_interval_ / (chain_.current.size() / 64 + 1));
    }

    /// False at the end of the stretch or if stopped. The chain is then complete.
    bool propose() {
        while (!stopped_ && chain_.ended == StopReason::dead && chain_.iteration < until_) {
            if (chain_.iteration >= cooling_.end && !begin_cooling()) break;
            if (chain_.iteration % check_interval_ == 0 && stop()) break;
            random_ = CounterRandom(key_, chain_.iteration);
            const bool drawn = worker.draw(random_);
            ++chain_.iteration;
            if (drawn) {
                ++chain_.evaluations;
                return true;
            }
            end_iteration();
        }
        chain_.current = worker.current();
        chain_.value = worker.value();
        return false;
    }

    void decide() {
        const typename Problem::Value value = worker.candidate_value();
        const auto gain =
            options_.objective == Objective::longest ? value - worker.value() : worker.value() - value;
        if (was_cut(worker.end())) {  // it is tried again when the search continues
            --chain_.iteration;
            --chain_.evaluations;
            stopped_ = true;
            worker.reject();
            return;
        }
        if (worker.end() != StopReason::dead) {
            if (ends_chain(options_, worker.end(), value)) chain_.ended = worker.end();
            worker.reject();
        } else if (gain >= 0 || accepts_(options_, chain_, cooling_, -gain, random_)) {
            worker.accept();
            if (better(options_.objective, value, chain_.cooling_value)) chain_.cooling_value = value;
            if (better(options_.objective, value, chain_.best_value)) {
                note_improvement(hooks_, value, worker.current(), chain_);
                stopped_ = stop();
            }
        } else {
            worker.reject();
        }
        end_iteration();
    }

    Worker worker;

  private:
    bool stop() const { return hooks_.stop && hooks_.stop(chain_); }

    /// False if it was stopped: the chain does not move, and the cooling begins when it continues.
    bool begin_cooling() {
        cooling_ = cooling_at(options_, Problem::mixtures, chain_.iteration);
        if (cooling_.number > 0 && chain_.iteration == cooling_.begin) {
            const std::uint64_t stream = hash_bits(chain_.number, cooling_.number);
            typename Problem::Candidate start =
                Problem::begin(instance_, options_, Problem::restart, stream, hooks_.work);
            if (hooks_.work.must_end()) return false;
            chain_.cooling_value = worker.reset(std::move(start));
            if (ends_chain(options_, worker.end(), chain_.cooling_value)) {
                chain_.ended = worker.end();
                return false;
            }
            if (was_cut(worker.end())) return false;
            if (worker.end() == StopReason::dead &&
                better(options_.objective, chain_.cooling_value, chain_.best_value))
                note_improvement(hooks_, chain_.cooling_value, worker.current(), chain_);
        }
        accepts_ = Acceptance();
        if (options_.method != AnnealingMethod::paper)
            mixture_ = options_.method == AnnealingMethod::portfolio
                           ? choose_mixture(options_, chain_, cooling_)
                           : chain_.number % Problem::mixtures;
        worker.use_moves(options_.method, mixture_);
        return true;
    }

    void end_iteration() {
        if (chain_.iteration < cooling_.end || options_.method != AnnealingMethod::portfolio) return;
        auto& best = chain_.mixture_value[mixture_];
        if (best == 0 || better(options_.objective, chain_.cooling_value, best)) best = chain_.cooling_value;
    }

    const typename Problem::Instance& instance_;
    const AnnealingOptions& options_;
    const ChainHooksOf<Problem>& hooks_;
    std::uint64_t until_;
    std::uint64_t check_interval_ = Problem::check_interval;
    ChainOf<Problem>& chain_;
    std::uint64_t key_;
    Cooling cooling_;
    std::size_t mixture_ = 0;
    Acceptance accepts_;
    CounterRandom random_{0, 0};
    bool stopped_ = false;
};

template <class Problem, AnnealingWorker<Problem> Worker>
void advance_with(const typename Problem::Instance& instance, const AnnealingOptions& options,
                  const ChainHooksOf<Problem>& hooks, std::span<const ChainStretchOf<Problem>> stretches) {
    using Evaluator = typename Worker::Evaluator;
    std::deque<Annealer<Problem, Worker>> annealers;
    std::vector<Annealer<Problem, Worker>*> running;
    std::vector<Evaluator*> evaluators;  // of `running`
    for (const ChainStretchOf<Problem>& stretch : stretches) {
        auto& annealer = annealers.emplace_back(instance, options, hooks, stretch);
        if (!annealer.propose()) continue;
        running.push_back(&annealer);
        evaluators.push_back(&annealer.worker.evaluator);
    }
    while (!running.empty()) {
        Evaluator::advance(evaluators);
        for (std::size_t i = running.size(); i-- > 0;) {
            if (!evaluators[i]->evaluated()) continue;
            running[i]->decide();
            if (running[i]->propose()) continue;
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
            evaluators.erase(evaluators.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}

}  // namespace annealing

namespace annealing {

/// A chain at a candidate, with an empty log if a limit of time cut its run.
template <class Problem>
ChainOf<Problem> chain_at(const typename Problem::Instance& instance, const AnnealingOptions& options,
                          std::uint32_t number, typename Problem::Start start,
                          typename Problem::Candidate candidate) {
    ChainOf<Problem> chain;
    chain.number = number;
    chain.start = start;
    chain.current = std::move(candidate);
    bool cut = false;
    Problem::with_worker(instance, [&]<AnnealingWorker<Problem> Worker>() {
        Worker worker(instance);
        chain.cooling_value = worker.reset(chain.current);
        cut = was_cut(worker.end());
        if (ends_chain(options, worker.end(), chain.cooling_value)) chain.ended = worker.end();
    });
    chain.value = chain.cooling_value;
    chain.temperature = options.temperature;
    if (options.method == AnnealingMethod::portfolio) chain.mixture_value.assign(Problem::mixtures, 0);
    if (!cut) note_improvement<Problem>({}, chain.cooling_value, chain.current, chain);
    return chain;
}

template <class Problem>
void check_chain(const typename Problem::Instance& instance, const AnnealingOptions& options) {
    Problem::check(instance);
    if (!(options.temperature >= 0))
        throw InputError(
            fmt::format("annealing: temperature {}; expected a number of at least 0", options.temperature));
}

}  // namespace annealing

template <class Problem>
ChainOf<Problem> begin_chain_of(const typename Problem::Instance& instance, const AnnealingOptions& options,
                                std::uint32_t number, typename Problem::Start start,
                                const WorkLimits& limits) {
    annealing::check_chain<Problem>(instance, options);
    return annealing::chain_at<Problem>(
        instance, options, number, start,
        Problem::begin(instance, options, start, hash_bits(number, 0), limits));
}

template <class Problem>
void advance_chains_of(const typename Problem::Instance& instance, const AnnealingOptions& options,
                       const ChainHooksOf<Problem>& hooks,
                       std::span<const ChainStretchOf<Problem>> stretches) {
    Problem::with_worker(instance, [&]<AnnealingWorker<Problem> Worker>() {
        annealing::advance_with<Problem, Worker>(instance, options, hooks, stretches);
    });
}

}  // namespace warpnet::worst

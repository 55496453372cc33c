#include "analysis/kernel/annealing.hpp"

#include "analysis/kernel/maximal_step_scheduler.hpp"
#include "analysis/kernel/moves.hpp"
#include "analysis/kernel/serial_scheduler.hpp"
#include "engine/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace warpnet {
namespace {

constexpr MoveWeights paper_mixture{.exchange = 1};

/// Which moves win depends on the instance. Where capacities bind one type at a time, bad schedules are even,
/// and moves that bunch the letters of a warp lead away from them. Where instructions of one type can take
/// all schedulers, bad schedules drive gangs of warps through the kernel in phases, which single letters
/// cannot assemble.
constexpr std::array<MoveWeights, 2> portfolio_mixtures{
    {{.exchange = 1, .shift = 1},
     {.exchange_near = 10, .shift = 5, .shift_near = 5, .gather = 35, .gang = 45}}};

constexpr std::uint64_t first_cooling = 16'384;  // iterations
constexpr double last_temperature = 0.03;        // of a cooling, as a part of T0
constexpr std::uint64_t temperature_span = 256;  // iterations of a cooling at one temperature
constexpr std::uint64_t stop_span = 1024;        // iterations between two questions whether to stop

/// A stretch of iterations [begin, end) over which the temperature falls once.
struct Cooling {
    std::uint64_t number = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// The cooling of an iteration. In a portfolio their lengths double each time all mixtures could have had
/// one; the last takes what is left of the budget, too little for the next.
Cooling cooling_at(const AnnealingOptions& options, std::uint64_t iteration) {
    if (options.method == AnnealingMethod::paper) return {0, 0, options.iterations};
    Cooling cooling{0, 0, 0};
    for (;; ++cooling.number, cooling.begin = cooling.end) {
        const auto length = [](std::uint64_t number) {
            return first_cooling << std::min<std::uint64_t>(number / portfolio_mixtures.size(), 40);
        };
        cooling.end = cooling.begin + length(cooling.number);
        if (cooling.end + length(cooling.number + 1) > options.iterations) cooling.end = options.iterations;
        if (iteration < cooling.end) return cooling;
    }
}

/// The mixture for a cooling: each in turn at first and in every fourth cooling from then on, else the best.
std::size_t choose_mixture(const AnnealingOptions& options, const Chain& chain, const Cooling& cooling) {
    const std::size_t turn = (chain.number + cooling.number) % portfolio_mixtures.size();
    if (cooling.number < portfolio_mixtures.size()) return turn;
    if (cooling.number % 4 == 3) return cooling.number / 4 % portfolio_mixtures.size();
    std::size_t best = turn;
    for (std::size_t i = 0; i < chain.mixture_value.size(); ++i)
        if (better(options.objective, chain.mixture_value[i], chain.mixture_value[best])) best = i;
    return best;
}

/// Whether a candidate that is worse by `loss` cycles is taken, at the temperature of an iteration.
class Acceptance {
  public:
    Acceptance(const AnnealingOptions& options, const Cooling& cooling)
        : options_(options), cooling_(cooling) {}

    bool operator()(std::uint64_t iteration, int loss, CounterRandom& random) {
        const std::uint64_t age = iteration - cooling_.begin;
        const auto length = static_cast<double>(cooling_.end - cooling_.begin);
        if (options_.method == AnnealingMethod::paper)
            return random.uniform() * loss < options_.temperature * (1 - static_cast<double>(age) / length);
        if (age / temperature_span != span_) {
            span_ = age / temperature_span;
            temperature_ = options_.temperature *
                           std::pow(last_temperature, static_cast<double>(span_ * temperature_span) / length);
        }
        return random.uniform() < std::exp(-loss / temperature_);
    }

  private:
    const AnnealingOptions& options_;
    const Cooling& cooling_;
    std::uint64_t span_ = ~std::uint64_t{0};
    double temperature_ = 0;
};

void note_improvement(const ChainHooks& hooks, int value, const PrecedenceString& string, Chain& chain) {
    chain.best = string;
    chain.best_value = value;
    chain.log.push_back({chain.iteration, value, hooks.seconds ? hooks.seconds() : 0});
}

/// Runs within one cooling. False if stopped.
template <typename Scheduler>
bool anneal(const AnnealingOptions& options, const Cooling& cooling, std::uint64_t until,
            const ChainHooks& hooks, Neighbourhood neighbourhood, Scheduler& scheduler, Chain& chain) {
    const std::uint64_t key = hash_bits(options.seed, chain.number);
    Acceptance accepts(options, cooling);
    while (chain.iteration < until) {
        if (chain.iteration % stop_span == 0 && hooks.stop && hooks.stop(chain)) return false;
        CounterRandom random(key, chain.iteration);
        const bool drawn = neighbourhood.draw(scheduler.string(), random);
        ++chain.iteration;
        if (!drawn) continue;
        ++chain.evaluations;
        const int value = scheduler.evaluate(neighbourhood.first(), neighbourhood.letters());
        const int gain = options.objective == Objective::longest ? value - scheduler.makespan()
                                                                 : scheduler.makespan() - value;
        if (gain < 0 && !accepts(chain.iteration - 1, -gain, random)) continue;
        scheduler.accept();
        if (better(options.objective, value, chain.cooling_value)) chain.cooling_value = value;
        if (better(options.objective, value, chain.best_value)) {
            note_improvement(hooks, value, scheduler.string(), chain);
            if (hooks.stop && hooks.stop(chain)) return false;
        }
    }
    return true;
}

template <typename Scheduler>
void advance_with(const KernelInstance& instance, const AnnealingOptions& options, std::uint64_t until,
                  const ChainHooks& hooks, Chain& chain) {
    Scheduler scheduler(instance);
    scheduler.reset(chain.string);
    bool running = true;
    while (running && chain.iteration < until) {
        const Cooling cooling = cooling_at(options, chain.iteration);
        if (cooling.number > 0 && chain.iteration == cooling.begin) {
            const std::uint64_t stream = hash_bits(chain.number, cooling.number);
            chain.cooling_value =
                scheduler.reset(start_string(instance, Start::random, options.seed, stream));
        }
        std::size_t mixture = 0;
        if (options.method == AnnealingMethod::portfolio) mixture = choose_mixture(options, chain, cooling);
        const MoveWeights& weights =
            options.method == AnnealingMethod::paper ? paper_mixture : portfolio_mixtures[mixture];
        running = anneal(options, cooling, std::min(until, cooling.end), hooks, Neighbourhood(weights),
                         scheduler, chain);
        if (chain.iteration == cooling.end && options.method == AnnealingMethod::portfolio) {
            int& best = chain.mixture_value[mixture];
            if (best == 0 || better(options.objective, chain.cooling_value, best)) best = chain.cooling_value;
        }
    }
    chain.string = scheduler.string();
}

template <typename Function>
auto with_scheduler(const KernelInstance& instance, Function&& function) {
    return search_reading(instance) == StringReading::serial
               ? function.template operator()<SerialScheduler>()
               : function.template operator()<MaximalStepScheduler>();
}

}  // namespace

Chain begin_chain(const KernelInstance& instance, const AnnealingOptions& options, std::uint32_t number,
                  Start start) {
    check_instance(instance);
    if (!(options.temperature >= 0))
        throw InputError(
            fmt::format("annealing: temperature {}; expected a number of at least 0", options.temperature));
    Chain chain{.number = number,
                .start = start,
                .string = start_string(instance, start, options.seed, hash_bits(number, 0))};
    chain.cooling_value = with_scheduler(
        instance, [&]<typename Scheduler>() { return Scheduler(instance).reset(chain.string); });
    if (options.method == AnnealingMethod::portfolio)
        chain.mixture_value.assign(portfolio_mixtures.size(), 0);
    note_improvement({}, chain.cooling_value, chain.string, chain);
    return chain;
}

void advance_chain(const KernelInstance& instance, const AnnealingOptions& options, std::uint64_t until,
                   const ChainHooks& hooks, Chain& chain) {
    with_scheduler(instance, [&]<typename Scheduler>() {
        advance_with<Scheduler>(instance, options, std::min(until, options.iterations), hooks, chain);
    });
}

}  // namespace warpnet

#include "analysis/kernel/annealing.hpp"

#include "analysis/kernel/maximal_step_scheduler.hpp"
#include "analysis/kernel/moves.hpp"
#include "analysis/kernel/serial_scheduler.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

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
    if (options.method != AnnealingMethod::portfolio) return {0, 0, options.iterations};
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
    bool operator()(const AnnealingOptions& options, const Chain& chain, const Cooling& cooling, int loss,
                    CounterRandom& random) {
        if (options.method == AnnealingMethod::tempering)
            return random.uniform() < std::exp(-loss / chain.temperature);
        const std::uint64_t iteration = chain.iteration - 1;
        const std::uint64_t age = iteration - cooling.begin;
        const auto length = static_cast<double>(cooling.end - cooling.begin);
        if (options.method == AnnealingMethod::paper)
            return random.uniform() * loss < options.temperature * (1 - static_cast<double>(age) / length);
        if (age / temperature_span != span_) {
            span_ = age / temperature_span;
            temperature_ = options.temperature *
                           std::pow(last_temperature, static_cast<double>(span_ * temperature_span) / length);
        }
        return random.uniform() < std::exp(-loss / temperature_);
    }

  private:
    std::uint64_t span_ = ~std::uint64_t{0};
    double temperature_ = 0;
};

void note_improvement(const ChainHooks& hooks, int value, const PrecedenceString& string, Chain& chain) {
    chain.best = string;
    chain.best_value = value;
    chain.log.push_back({chain.iteration, value, hooks.seconds ? hooks.seconds() : 0});
}

/// A chain while it advances: proposes candidates to its scheduler, and decides on them once they are
/// evaluated.
template <typename Scheduler>
class Annealer {
  public:
    Annealer(const KernelInstance& instance, const AnnealingOptions& options, const ChainHooks& hooks,
             const ChainStretch& stretch)
        : scheduler(instance),
          instance_(instance),
          options_(options),
          hooks_(hooks),
          until_(std::min(stretch.until, options.iterations)),
          chain_(*stretch.chain),
          key_(hash_bits(options.seed, chain_.number)) {
        scheduler.reset(chain_.string);
    }

    /// False at the end of the stretch or if stopped. The chain is then complete.
    bool propose() {
        while (!stopped_ && chain_.iteration < until_) {
            if (chain_.iteration >= cooling_.end) begin_cooling();
            if (chain_.iteration % stop_span == 0 && stop()) break;
            random_ = CounterRandom(key_, chain_.iteration);
            const bool drawn = neighbourhood_.draw(scheduler.string(), random_);
            ++chain_.iteration;
            if (drawn) {
                ++chain_.evaluations;
                scheduler.propose(neighbourhood_.first(), neighbourhood_.letters());
                return true;
            }
            end_iteration();
        }
        chain_.string = scheduler.string();
        chain_.value = scheduler.makespan();
        return false;
    }

    void decide() {
        const int value = scheduler.candidate_makespan();
        const int gain = options_.objective == Objective::longest ? value - scheduler.makespan()
                                                                  : scheduler.makespan() - value;
        if (gain >= 0 || accepts_(options_, chain_, cooling_, -gain, random_)) {
            scheduler.accept();
            if (better(options_.objective, value, chain_.cooling_value)) chain_.cooling_value = value;
            if (better(options_.objective, value, chain_.best_value)) {
                note_improvement(hooks_, value, scheduler.string(), chain_);
                stopped_ = stop();
            }
        }
        end_iteration();
    }

    Scheduler scheduler;

  private:
    bool stop() const { return hooks_.stop && hooks_.stop(chain_); }

    void begin_cooling() {
        cooling_ = cooling_at(options_, chain_.iteration);
        if (cooling_.number > 0 && chain_.iteration == cooling_.begin) {
            const std::uint64_t stream = hash_bits(chain_.number, cooling_.number);
            chain_.cooling_value =
                scheduler.reset(start_string(instance_, Start::random, options_.seed, stream));
        }
        accepts_ = Acceptance();
        if (options_.method == AnnealingMethod::paper) return;
        mixture_ = options_.method == AnnealingMethod::portfolio ? choose_mixture(options_, chain_, cooling_)
                                                                 : chain_.number % portfolio_mixtures.size();
        neighbourhood_ = Neighbourhood(portfolio_mixtures[mixture_]);
    }

    void end_iteration() {
        if (chain_.iteration < cooling_.end || options_.method != AnnealingMethod::portfolio) return;
        int& best = chain_.mixture_value[mixture_];
        if (best == 0 || better(options_.objective, chain_.cooling_value, best)) best = chain_.cooling_value;
    }

    const KernelInstance& instance_;
    const AnnealingOptions& options_;
    const ChainHooks& hooks_;
    std::uint64_t until_;
    Chain& chain_;
    std::uint64_t key_;
    Cooling cooling_;
    std::size_t mixture_ = 0;
    Acceptance accepts_;
    Neighbourhood neighbourhood_{paper_mixture};
    CounterRandom random_{0, 0};
    bool stopped_ = false;
};

template <typename Scheduler>
void advance_with(const KernelInstance& instance, const AnnealingOptions& options, const ChainHooks& hooks,
                  std::span<const ChainStretch> stretches) {
    std::deque<Annealer<Scheduler>> annealers;
    std::vector<Annealer<Scheduler>*> running;
    std::vector<Scheduler*> schedulers;  // of `running`
    for (const ChainStretch& stretch : stretches) {
        Annealer<Scheduler>& annealer = annealers.emplace_back(instance, options, hooks, stretch);
        if (!annealer.propose()) continue;
        running.push_back(&annealer);
        schedulers.push_back(&annealer.scheduler);
    }
    while (!running.empty()) {
        Scheduler::advance(schedulers);
        for (std::size_t i = running.size(); i-- > 0;) {
            if (!schedulers[i]->evaluated()) continue;
            running[i]->decide();
            if (running[i]->propose()) continue;
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
            schedulers.erase(schedulers.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}

template <typename Function>
auto with_scheduler(const KernelInstance& instance, Function&& function) {
    return search_reading(instance) == StringReading::serial
               ? function.template operator()<SerialScheduler>()
               : function.template operator()<MaximalStepScheduler>();
}

}  // namespace

std::string_view to_string(AnnealingMethod method) {
    switch (method) {
        case AnnealingMethod::paper:
            return "paper";
        case AnnealingMethod::portfolio:
            return "portfolio";
        case AnnealingMethod::tempering:
            break;
    }
    return "tempering";
}

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
    chain.value = chain.cooling_value;
    chain.temperature = options.temperature;
    if (options.method == AnnealingMethod::portfolio)
        chain.mixture_value.assign(portfolio_mixtures.size(), 0);
    note_improvement({}, chain.cooling_value, chain.string, chain);
    return chain;
}

void advance_chains(const KernelInstance& instance, const AnnealingOptions& options, const ChainHooks& hooks,
                    std::span<const ChainStretch> stretches) {
    with_scheduler(instance, [&]<typename Scheduler>() {
        advance_with<Scheduler>(instance, options, hooks, stretches);
    });
}

}  // namespace warpnet

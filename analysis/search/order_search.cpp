#include "analysis/search/order_search.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <oneapi/tbb/parallel_for.h>

namespace warpnet {

namespace {

/// Transitions whose order can matter: they take from a shared place, change the marking, and are no part of
/// a delay (whose ticks are in no conflict).
std::vector<std::uint8_t> worth_ordering(const CompiledNet& net) {
    std::vector<std::uint8_t> worth(net.transition_count(), 0);
    for (std::uint32_t t = 0; t < worth.size(); ++t) {
        worth[t] =
            !net.shared_inputs(static_cast<std::uint32_t>(t)).empty() && !net.effects[t].empty() ? 1 : 0;
    }
    for (const DelayGadget& gadget : net.gadgets) worth[gadget.tick] = worth[gadget.done] = 0;
    return worth;
}

/// The order in which the transitions of a run fired.
class OrderRecorder : public Observer {
  public:
    explicit OrderRecorder(const CompiledNet& net) : worth_(worth_ordering(net)) {}
    void step(std::uint64_t, bool, std::span<const Firing> firings, std::span<const Tokens>) override {
        for (const Firing& firing : firings) {
            if (worth_[firing.transition] != 0) order_.push_back(firing.transition);
        }
    }
    std::vector<std::uint32_t> order() && { return std::move(order_); }

  private:
    std::vector<std::uint8_t> worth_;
    std::vector<std::uint32_t> order_;
};

bool better(Objective objective, std::uint64_t a, std::uint64_t b) {
    return objective == Objective::longest ? a > b : a < b;
}

RunOptions replay_options(const OrderSearchOptions& options, std::span<const std::uint32_t> order) {
    RunOptions run_options;
    run_options.policy = Policy::replayed;
    run_options.order = order;
    run_options.max_steps = options.max_steps;
    return run_options;
}

/// A chain at work.
class Annealing {
  public:
    Annealing(const CompiledNet& net, const OrderSearchOptions& options, OrderChain& chain)
        : net_(net), options_(options), chain_(chain) {}

    /// Makes iterations until the chain is complete, a run did not end or a limit says stop.
    void advance(const OrderSearchLimits& limits) {
        const auto begun = std::chrono::steady_clock::now();
        const std::uint64_t until = std::min(options_.iterations, limits.until);
        while (chain_.iteration < until && !chain_.endless && !stopped(limits)) {
            // Every iteration has its own stream: where a search was stopped does not change what follows.
            CounterRandom random(options_.seed, hash_bits(chain_.number, ++chain_.iteration));
            candidate_ = chain_.order;
            change(random);
            const RunResult result = run(net_, replay_options(options_, candidate_));
            if (result.reason != StopReason::dead) {
                chain_.endless = true;
                return;
            }
            if (accept(result.steps, random)) {
                chain_.order.swap(candidate_);
                chain_.steps = result.steps;
            }
            if (better(options_.objective, chain_.steps, chain_.best_steps)) {
                chain_.best_steps = chain_.steps;
                chain_.best_order = chain_.order;
                const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
                chain_.log.push_back({seconds.count(), chain_.number, chain_.iteration, chain_.steps});
            }
            if (limits.iterations != nullptr) limits.iterations->fetch_add(1, std::memory_order_relaxed);
        }
    }

  private:
    bool stopped(const OrderSearchLimits& limits) const {
        return (limits.interrupt != nullptr && limits.interrupt->load(std::memory_order_relaxed)) ||
               (limits.deadline && std::chrono::steady_clock::now() >= *limits.deadline);
    }

    bool accept(std::uint64_t steps, CounterRandom& random) const {
        if (!better(options_.objective, chain_.steps, steps)) return true;
        const double loss = std::abs(static_cast<double>(steps) - static_cast<double>(chain_.steps));
        const double progress =
            static_cast<double>(chain_.iteration) / static_cast<double>(options_.iterations);
        return random.uniform() < std::exp(-loss / (options_.temperature * (1 - progress) + 1e-9));
    }

    /// One of: two entries near each other exchanged; one entry moved anywhere; a block of entries moved; the
    /// next few entries of one transition gathered behind its first.
    void change(CounterRandom& random) {
        const auto size = static_cast<std::uint32_t>(candidate_.size());
        if (size < 2) return;
        const std::uint32_t from = random.below(size);
        const auto at = [&](std::uint32_t position) { return candidate_.begin() + position; };
        switch (random.below(4)) {
            case 0: {
                const std::uint32_t window = std::min(size, 32u);
                std::swap(candidate_[from], candidate_[(from + 1 + random.below(window - 1)) % size]);
                break;
            }
            case 1:
                move_block(from, from + 1, random.below(size));
                break;
            case 2:
                move_block(from, std::min(size, from + 1 + random.below(12)), random.below(size));
                break;
            default: {
                const std::uint32_t t = candidate_[from];
                std::uint32_t wanted = 1 + random.below(10);
                std::stable_partition(at(from), candidate_.end(), [&](std::uint32_t entry) {
                    return entry == t && wanted > 0 && wanted-- > 0;
                });
                break;
            }
        }
    }

    /// Moves the entries [begin, end) so that they start at `to` or end there.
    void move_block(std::uint32_t begin, std::uint32_t end, std::uint32_t to) {
        const auto first = candidate_.begin();
        if (to < begin) {
            std::rotate(first + to, first + begin, first + end);
        } else if (to >= end) {
            std::rotate(first + begin, first + end, first + to + 1);
        }
    }

    const CompiledNet& net_;
    const OrderSearchOptions& options_;
    OrderChain& chain_;
    std::vector<std::uint32_t> candidate_;
};

constexpr OrderStart all_starts[] = {OrderStart::round_robin, OrderStart::fixed_priority, OrderStart::random};

}  // namespace

std::string_view to_string(OrderStart start) {
    switch (start) {
        case OrderStart::round_robin:
            return "round-robin";
        case OrderStart::fixed_priority:
            return "fixed-priority";
        case OrderStart::random:
            return "random";
    }
    return "";
}

OrderStart start_of(const OrderSearchOptions& options, std::uint32_t chain) {
    return options.start.value_or(all_starts[chain % std::size(all_starts)]);
}

std::vector<OrderChain> begin_order_search(const CompiledNet& net, const OrderSearchOptions& options) {
    if (options.chains < 1) throw InputError("a search needs at least one chain");
    if (!(options.temperature >= 0)) throw InputError("the temperature of a search must be 0 or more");
    std::vector<OrderChain> chains(options.chains);
    oneapi::tbb::parallel_for(std::uint32_t{0}, options.chains, [&](std::uint32_t i) {
        RunOptions run_options;
        run_options.seed = options.seed;
        run_options.run = i;
        run_options.max_steps = options.max_steps;
        switch (start_of(options, i)) {
            case OrderStart::round_robin:
                run_options.policy = Policy::round_robin;
                break;
            case OrderStart::fixed_priority:
                run_options.policy = Policy::first;
                break;
            case OrderStart::random:
                run_options.policy = Policy::random;
                break;
        }
        OrderRecorder recorder(net);
        const RunResult result = run(net, run_options, &recorder);
        OrderChain& chain = chains[i];
        chain.number = i;
        chain.order = chain.best_order = std::move(recorder).order();
        chain.steps = chain.best_steps = chain.start_steps = result.steps;
        chain.log.push_back({0, i, 0, result.steps});
    });
    return chains;
}

OrderSearchStop continue_order_search(const CompiledNet& net, const OrderSearchOptions& options,
                                      std::vector<OrderChain>& chains, const OrderSearchLimits& limits) {
    oneapi::tbb::parallel_for(std::size_t{0}, chains.size(),
                              [&](std::size_t i) { Annealing(net, options, chains[i]).advance(limits); });
    return order_search_stop(options, chains, limits);
}

OrderSearchStop order_search_stop(const OrderSearchOptions& options, const std::vector<OrderChain>& chains,
                                  const OrderSearchLimits& limits) {
    if (std::any_of(chains.begin(), chains.end(), [](const OrderChain& chain) { return chain.endless; }))
        return OrderSearchStop::endless;
    const bool complete = std::all_of(chains.begin(), chains.end(), [&](const OrderChain& chain) {
        return chain.iteration >= std::min(options.iterations, limits.until);
    });
    if (complete) return OrderSearchStop::complete;
    const bool interrupted = limits.interrupt != nullptr && limits.interrupt->load();
    return interrupted ? OrderSearchStop::interrupted : OrderSearchStop::time_limit;
}

OrderSearchResult order_search_result(const CompiledNet& net, const OrderSearchOptions& options,
                                      const std::vector<OrderChain>& chains) {
    OrderSearchResult result;
    for (std::uint32_t i = 0; i < chains.size(); ++i) {
        if (i == 0 || better(options.objective, chains[i].best_steps, chains[result.chain].best_steps))
            result.chain = i;
        result.log.insert(result.log.end(), chains[i].log.begin(), chains[i].log.end());
    }
    std::stable_sort(result.log.begin(), result.log.end(),
                     [](const OrderImprovement& a, const OrderImprovement& b) {
                         return std::pair(a.iteration, a.chain) < std::pair(b.iteration, b.chain);
                     });
    ScheduleRecorder recorder;
    const RunResult best = run(net, replay_options(options, chains[result.chain].best_order), &recorder);
    result.steps = best.steps;
    result.dead = best.reason == StopReason::dead;
    result.schedule = recorder.schedule();
    return result;
}

}  // namespace warpnet

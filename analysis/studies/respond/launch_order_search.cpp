#include "analysis/studies/respond/launch_order_search.hpp"

#include "analysis/worst/search/annealing.hpp"
#include "analysis/worst/search/annealing_rounds.hpp"

#include <numeric>

namespace warpnet {

namespace {

/// Many orders are equally bad, and a chain has few candidates: it walks across plateaus, never back, and
/// leaves local maxima by moves of several exchanges. Temperatures from 0.0005 to 0.02 of the first value
/// found less with 100 to 1,000 candidates a chain.
constexpr double temperature = 0;

/// Everybody before the operation is the natural worst start.
LaunchOrder others_first(const LaunchOrderTarget& target) {
    LaunchOrder order(target.space->size());
    std::iota(order.begin(), order.end(), 0U);
    if (target.operation < order.size())
        std::rotate(order.begin() + target.operation, order.begin() + target.operation + 1, order.end());
    return order;
}

}  // namespace

LaunchOrder LaunchOrders::begin(const Instance& instance, const AnnealingOptions& options, Start start,
                                std::uint64_t stream, const WorkLimits&) {
    LaunchOrder order = others_first(instance);
    if (start == LaunchStart::random) {
        CounterRandom random(hash_bits(options.seed, stream), instance.operation);
        const std::size_t free = order.size() - (instance.operation < order.size() ? 1 : 0);
        for (std::size_t i = free; i > 1; --i)
            std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    }
    instance.space->repair(order);
    return order;
}

/// See annealing.hpp.
class LaunchOrders::Worker : public CopyingWorker<Worker, LaunchOrders> {
  public:
    explicit Worker(const Instance& instance) : target_(instance) {}

    /// Two operations exchanged, or one moved; now and then several times at once.
    void change(LaunchOrder& order, CounterRandom& random) const {
        const auto size = static_cast<std::uint32_t>(order.size());
        do {
            const std::uint32_t from = random.below(size);
            const std::uint32_t to = random.below(size);
            if (random.below(2) == 0) {
                std::swap(order[from], order[to]);
            } else {
                const std::uint32_t moved = order[from];
                order.erase(order.begin() + from);
                order.insert(order.begin() + to, moved);
            }
        } while (random.below(4) == 0);
        target_.space->repair(order);
    }
    Time evaluate(const LaunchOrder& order) {
        const LaunchOutcome outcome = target_.space->evaluate(order);
        keep_worst(*target_.seen, outcome, order);
        return target_.operation < order.size() ? outcome.response[target_.operation] : outcome.makespan;
    }
    static StopReason end() noexcept { return StopReason::dead; }

  private:
    LaunchOrderTarget target_;
};

WorstOrders search_launch_orders(const LaunchOrderSpace& space, const LaunchOrderOptions& options) {
    const std::size_t targets = space.size() + 1;
    const auto of_each = static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, options.evaluations / static_cast<std::int64_t>(targets)));
    std::vector<WorstOrders> found(targets);
    tbb::parallel_for(std::size_t{0}, targets, [&](std::size_t number) {
        WorstOrders& seen = found[number];
        seen.operations.resize(space.size());
        const LaunchOrderTarget target{&space, static_cast<std::uint32_t>(number), &seen};
        SearchOptionsOf<LaunchOrders> search;
        search.chains = 1;
        search.annealing.seed = hash_bits(options.seed, number);
        search.annealing.iterations = of_each - 1;
        search.annealing.temperature = temperature;
        auto state = begin_search<LaunchOrders>(target, search);
        const WorkEnd stop = continue_search(state);
        seen.evaluations = static_cast<std::int64_t>(search_result(state, stop).iterations) + 1;
    });
    WorstOrders worst = std::move(found.front());
    for (std::size_t number = 1; number < targets; ++number) {
        for (std::size_t i = 0; i < space.size(); ++i)
            if (found[number].operations[i].response > worst.operations[i].response)
                worst.operations[i] = std::move(found[number].operations[i]);
        if (found[number].makespan > worst.makespan) {
            worst.makespan = found[number].makespan;
            worst.makespan_order = std::move(found[number].makespan_order);
        }
        worst.evaluations += found[number].evaluations;
        worst.limit_reached |= found[number].limit_reached;
    }
    worst.method = "annealing over launch orders";
    return worst;
}

}  // namespace warpnet

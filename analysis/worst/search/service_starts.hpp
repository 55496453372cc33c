#pragma once

#include "analysis/worst/search/service_net.hpp"
#include "analysis/worst/search/service_run.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/random.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/plan.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpnet::worst {

/// A rule that determines a whole order: the start of a search. Starvation: one part, the *victim*, is served
/// after all other parts. They keep the hubs busy while it waits, and are all away from them while it works.
struct ServiceStrategy {
    /// The rule by which the other parts are served.
    enum class Service : std::uint8_t {
        most_left,  ///< the part with most remaining steps
        least_left,
        rotation,  ///< the part that has been served least
        first,     ///< in the order of the net
        last,      ///< the reverse
        random,
        long_first,   ///< the part that is then away from hubs longest
        short_first,  ///< the part that returns first
    };
    static constexpr std::uint32_t services = 8;

    /// A number of each label, by its position among the labels of a part, repeated `repeats` times.
    struct Piece {
        std::vector<std::uint32_t> counts;
        std::uint32_t repeats = 1;
        bool operator==(const Piece&) const = default;
    };
    /// The order of the choices of a part: pieces while enough of a label is left, then the rest, label by
    /// label in permutation `order` of the labels, all of it in `rounds` rounds.
    struct Pattern {
        std::uint32_t order = 0;
        std::uint32_t rounds = 1;
        std::vector<Piece> pieces = {};
        bool operator==(const Pattern&) const = default;
    };

    std::uint32_t victim = no_index;
    bool victim_first = false;  ///< it is served before all other parts, not after them
    Service service = Service::most_left;
    Pattern of_victim = {};
    std::array<Pattern, 2> of_others = {};  ///< by turns
    std::uint32_t turn = 1;                 ///< parts with the first pattern, then as many with the second
    bool operator==(const ServiceStrategy&) const = default;
};

/// Makes orders for one net.
class ServiceStarts {
  public:
    /// Runs the net a few times to observe its parts, or only once if the time limits are met. `seed` decides
    /// their choices in these runs.
    ServiceStarts(const ServiceNet& net, std::uint64_t max_steps, std::uint64_t seed,
                  const WorkLimits& limits = {});

    ServiceOrder plan(const ServiceStrategy& strategy, CounterRandom& random) const;
    /// Random choices and priorities.
    ServiceOrder random_order(CounterRandom& random) const;

    ServiceStrategy random_strategy(CounterRandom& random) const;
    /// With one parameter drawn again.
    ServiceStrategy neighbour(const ServiceStrategy& strategy, CounterRandom& random) const;
    /// With a small change to the pieces of one pattern.
    ServiceStrategy reshaped(const ServiceStrategy& strategy, CounterRandom& random) const;

    /// The total of an order, all rows together.
    std::size_t decisions() const noexcept { return base_.choice.size(); }

    /// Whether an endless run was met.
    bool endless() const noexcept { return endless_; }

  private:
    void fill_choices(ServiceOrder& order, std::uint32_t part, const ServiceStrategy::Pattern& pattern) const;
    void fill_priorities(ServiceOrder& order, std::uint32_t part, ServiceStrategy::Service service,
                         CounterRandom& random) const;
    ServiceStrategy::Pattern random_pattern(CounterRandom& random) const;
    void reshape(std::vector<ServiceStrategy::Piece>& pieces, CounterRandom& random) const;
    /// Of one part alone, per decision: the steps from it on, and those of the segment that begins with it.
    struct LoneWalk {
        std::vector<std::uint64_t> steps_left, steps;
    };
    LoneWalk walk_alone(const ServiceOrder& order, std::uint32_t part) const;

    const ServiceNet& net_;
    bool endless_ = false;
    std::vector<std::uint32_t> longest_;  // per row: decisions seen
    ServiceOrder base_;                   // the lengths of rows, and how often each choice is made
    std::vector<std::uint32_t> victims_;
    /// Per part: the first part with an equal start, a row of equal length and equal counts of labels.
    std::vector<std::uint32_t> alike_;
    std::uint32_t most_rounds_ = 1;
    std::uint32_t most_labels_ = 1;  // of the choices of one part
};

/// A net whose modules meet only in hubs, ready to be searched.
struct ServiceInstance {
    /// Made by service_instance().
    ServiceInstance(const Plan& planned, std::uint64_t steps, std::uint64_t seed,
                    const WorkLimits& limits = {})
        : net(planned.net(), *planned.modules()), max_steps(steps), starts(net, steps, seed, limits) {}

    ServiceNet net;
    std::uint64_t max_steps;
    ServiceStarts starts;
};

}  // namespace warpnet::worst

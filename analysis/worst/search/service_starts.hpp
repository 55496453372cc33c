#pragma once

#include "analysis/worst/search/service_run.hpp"
#include "engine/base/random.hpp"
#include "engine/base/work_limits.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpnet {

/// A rule from which a whole order follows: where a search begins. Starvation: one part is served after all
/// others, the *victim*, so that they keep the hubs busy while it waits, and are away from them together
/// while it works.
struct ServiceStrategy {
    /// Who of the others is served first.
    enum class Service : std::uint8_t {
        most_left,  ///< who has most steps before it
        least_left,
        rotation,  ///< who has been served least
        first,     ///< in the order of the net
        last,      ///< the other way round
        random,
        long_first,   ///< who is then away from hubs longest
        short_first,  ///< who is back soonest
    };
    static constexpr std::uint32_t services = 8;
    static constexpr std::uint32_t nobody = 0xffffffff;

    /// So many of each label, by its number among those that a part chooses, and again: `repeats` times.
    struct Piece {
        std::vector<std::uint32_t> counts;
        std::uint32_t repeats = 1;
        bool operator==(const Piece&) const = default;
    };
    /// The order of what a part chooses: pieces as far as there is enough of a label, then the rest, label by
    /// label in the order number `order` of their permutations, all of it in `rounds` rounds.
    struct Pattern {
        std::uint32_t order = 0;
        std::uint32_t rounds = 1;
        std::vector<Piece> pieces = {};
        bool operator==(const Pattern&) const = default;
    };

    std::uint32_t victim = nobody;
    bool victim_first = false;  ///< it is served before all others, not after them
    Service service = Service::most_left;
    Pattern of_victim = {};
    std::array<Pattern, 2> of_others = {};  ///< by turns
    std::uint32_t turn = 1;  ///< so many others with the first pattern, so many with the second
    bool operator==(const ServiceStrategy&) const = default;
};

/// Makes orders for one net.
class ServiceStarts {
  public:
    /// Runs the net a few times to see what its parts do, once where the limits of time are met. `seed`
    /// decides how they choose meanwhile.
    ServiceStarts(const ServiceNet& net, std::uint64_t max_steps, std::uint64_t seed,
                  const WorkLimits& limits = {});

    ServiceOrder plan(const ServiceStrategy& strategy, CounterRandom& random) const;
    /// Chooses and priorities all random.
    ServiceOrder random_order(CounterRandom& random) const;

    ServiceStrategy random_strategy(CounterRandom& random) const;
    /// One of its parameters drawn anew.
    ServiceStrategy neighbour(const ServiceStrategy& strategy, CounterRandom& random) const;
    /// The pieces of one of its patterns changed a little.
    ServiceStrategy reshaped(const ServiceStrategy& strategy, CounterRandom& random) const;

    /// Of an order, all rows together.
    std::size_t decisions() const noexcept { return base_.choice.size(); }

    /// Whether a run was met that did not end.
    bool endless() const noexcept { return endless_; }

  private:
    void fill_choices(ServiceOrder& order, std::uint32_t part, const ServiceStrategy::Pattern& pattern) const;
    void fill_priorities(ServiceOrder& order, std::uint32_t part, ServiceStrategy::Service service,
                         CounterRandom& random) const;
    ServiceStrategy::Pattern random_pattern(CounterRandom& random) const;
    void reshape(std::vector<ServiceStrategy::Piece>& pieces, CounterRandom& random) const;
    /// Of a part alone, per decision: the steps from it on, and those of the segment that begins with it.
    struct LoneWalk {
        std::vector<std::uint64_t> steps_left, steps;
    };
    LoneWalk walk_alone(const ServiceOrder& order, std::uint32_t part) const;

    const ServiceNet& net_;
    bool endless_ = false;
    std::vector<std::uint32_t> longest_;  // per row: decisions seen
    ServiceOrder base_;                   // how long rows are, and what is chosen how often
    std::vector<std::uint32_t> victims_;
    /// Per part: the first one that begins alike, in a row as long, and chooses each label as often.
    std::vector<std::uint32_t> alike_;
    std::uint32_t most_rounds_ = 1;
    std::uint32_t most_labels_ = 1;  // that one part chooses
};

}  // namespace warpnet

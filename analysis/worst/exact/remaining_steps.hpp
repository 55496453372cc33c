#pragma once

#include "analysis/worst/exact/multiset_net.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::worst {

/// Bounds on the remaining steps from a state of a net whose modules cannot return to a state, up to the last
/// move of a module. They bound the runs that end; they bound every run only if always_ends() returns true.
///
/// Longest: let w be the module that moves last. In every step it moves, at most as often as its own longest
/// way L allows, or waits. A waiting module lacks tokens of some hub, so the other modules hold nearly all of
/// them: at least `need` token-steps in each such step. Each of them can hold no more than P token-steps, and
/// no more than `most` tokens at a time. So the number X of waiting steps satisfies need * X <= sum of min(P,
/// most * X). (The argument is Graham's, SIAM J. Appl. Math. 17(2), 1969; the cap is McNaughton's, Management
/// Science 6(1), 1959.)
///
/// Shortest: if no module can wait forever, the maximum of the modules' shortest own ways, and the least
/// token-steps of a hub divided by its tokens.
class RemainingSteps {
  public:
    static constexpr std::int64_t unbounded = std::int64_t{1} << 60;

    /// Needs net.order.
    explicit RemainingSteps(const MultisetNet& net);

    /// Own steps of a module without waiting: the longest way.
    std::int64_t longest_alone(LocalCode code) const noexcept {
        return longest_[net_.position_at(code)] + net_.tail_table[net_.tail_at(code)].steps;
    }
    /// Falls in every step in which a module moves; no other meaning.
    std::int64_t potential(const MultisetState& state) const noexcept;

    /// Whether every run certainly ends: no hub loop can continue after everything else has stopped.
    bool always_ends() const noexcept { return always_ends_; }

    /// Memory for the next two, one for each thread.
    struct Scratch {
        std::vector<std::int64_t> time, most;  // per module
        std::vector<double> sum;
    };
    /// In no run from the state does a module move after this many steps; codes ascend. O(modules^2) if all
    /// are different.
    std::int64_t most(const MultisetState& state, Scratch& scratch) const {
        return static_cast<std::int64_t>(longest_left(state, scratch, true));
    }
    /// The same without rounding down: a search prefers states by it if their bounds are equal.
    double most_exactly(const MultisetState& state, Scratch& scratch) const {
        return longest_left(state, scratch, false);
    }
    /// No run from the state that ends has fewer steps.
    std::int64_t least(const MultisetState& state) const noexcept;

  private:
    /// A hub whose tokens the codes determine. Per position: values from the arrival on.
    struct Hub {
        std::uint32_t counter = 0;
        Tokens tokens = 0;                                ///< if no module held any
        std::vector<std::int64_t> held;                   ///< per position: on arrival
        std::vector<std::int64_t> pending, pending_time;  ///< per tail: tokens held in addition; token-steps
        std::vector<std::int64_t> most_time, least_time;  ///< per position: token-steps
        std::vector<std::int64_t> most;                   ///< per position: held at a time
        std::vector<std::int64_t> need;  ///< per position: see above; 0: it never waits for this hub
    };

    void measure_ways();
    Hub measure(const MultisetNet::Share& share) const;
    void measure_held(const MultisetNet::Share& share, Hub& hub) const;
    void find_what_is_missed();
    bool can_go_on(std::size_t loop) const;
    std::int64_t most_time(const Hub& hub, LocalCode code) const noexcept;
    std::int64_t least_time(const Hub& hub, LocalCode code) const noexcept;
    double longest_left(const MultisetState& state, Scratch& scratch, bool rounded) const;
    double waiting(const Hub& hub, const MultisetState& state, std::size_t last_mover, Scratch& scratch,
                   bool rounded) const;

    const MultisetNet& net_;
    std::vector<std::int64_t> longest_, shortest_;  // per position
    std::vector<Hub> hubs_;
    bool countable_ = true;    // no module waits for a hub that is not among hubs_
    bool always_over_ = true;  // no module can wait forever
    bool always_ends_ = true;
};

}  // namespace warpnet::worst

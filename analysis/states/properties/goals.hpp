#pragma once

#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/properties/conditions.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::ranks {
class ByteReader;
class ByteWriter;
}  // namespace warpnet::ranks

namespace warpnet::states {

/// Whether some marking with a condition can be reached, and the evidence.
struct ReachGoal {
    Formula condition;
    std::optional<bool> reachable = {};
    std::optional<Marking> marking = {};    ///< a reached marking with the condition
    std::optional<Schedule> schedule = {};  ///< the steps to it, if they are known
    bool shortest = false;                  ///< no shorter steps lead to such a marking
};

/// Steps to a marking, and steps that can be repeated from it forever, each time with more tokens in the
/// places that grow.
struct Pump {
    Schedule first, repeated;
    std::vector<std::uint32_t> growing;
};

/// The largest value of a sum over the reachable markings.
struct MaximumGoal {
    LinearSum sum;
    WideSum best = 0;                     ///< the largest one seen
    Marking marking = {};                 ///< the marking in which it was seen
    std::optional<WideSum> at_most = {};  ///< a proved upper bound
    bool exact = false;                   ///< `best` is the maximum, or `pump` shows that there is none
    std::optional<Schedule> schedule = {};
    std::optional<Pump> pump = {};  ///< that makes the sum larger each time
};

/// All questions about single markings of a net.
struct Goals {
    std::vector<ReachGoal> reach;
    std::vector<MaximumGoal> maxima;
    /// Per place whether its tokens have been seen to change; empty: not requested.
    std::vector<std::uint8_t> changes;
    bool changes_complete = false;  ///< the other places never change
};

/// A formula about paths, and whether it holds in the initial marking. The goals do not answer it.
struct PathQuestion {
    std::size_t property;  ///< from which it was made
    Formula formula;
    std::optional<std::uint32_t> transition = {};  ///< whether it is live
    std::optional<bool> holds = {};
};

/// The state of goals, for another rank with the same goals. It contains only the existence of a schedule.
void write_known(const Goals& goals, ranks::ByteWriter& writer);
void read_known(ranks::ByteReader& reader, Goals& goals);

/// Checks every marking of an exploration for the open goals, and updates the goals between rounds. The
/// result does not depend on the number of threads, and is nearest to the initial marking.
class GoalWatch : public MarkingWatch {
  public:
    /// The exploration may end when `enough` returns true; it is asked after each round with a finding.
    GoalWatch(const Net& net, Goals& goals, std::function<bool()> enough);

    void see(std::uint32_t shard, const PackedLayout& layout, const Word* packed) override;
    bool satisfied() override;
    std::string news() override;
    void take(const std::vector<std::string>& news_of_ranks) override;

    /// `complete`: every reachable marking has been seen, so a goal without a hit cannot be reached.
    void finish(bool complete);

  private:
    struct OpenGoal {
        std::size_t goal;
        Condition condition;
    };
    /// The findings in one shard since the last call of satisfied().
    struct Seen {
        std::vector<std::optional<Marking>> hits;  // per open goal
        std::vector<std::optional<WideSum>> best;  // per maximum
        std::vector<Marking> best_marking;
        std::vector<std::uint8_t> changes;  // per place
    };
    bool gather();
    bool enter(Seen& seen);
    bool gather_changes();

    Goals& goals_;
    std::function<bool()> enough_;
    bool satisfied_ = false;
    bool entered_ = false;  // something new, by take()
    Marking initial_;
    std::vector<OpenGoal> open_;
    std::vector<std::uint8_t> found_;     // per open goal
    std::vector<std::uint32_t> watched_;  // places that have not been seen to change
    std::array<Seen, StateSpace::shard_count> seen_;
};

}  // namespace warpnet::states

#pragma once

#include "engine/base/no_index.hpp"
#include "engine/base/random.hpp"
#include "engine/run/run.hpp"
#include "engine/run/served_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Puts competing transitions into the order of service of a policy. All executors use this class, so a
/// policy has the same meaning in each of them. It only ranks transitions; the executors decide which steps
/// are possible.
class ConflictOrder {
  public:
    /// Throws InputError if the options name a transition that does not exist, or if they lack the parts that
    /// the policy serves.
    ConflictOrder(const RunOptions& options, std::size_t transitions);

    /// Whether a draw depends on more than the set of competitors, such as earlier firings or hashes. All
    /// competitors must then be examined.
    bool needs_every_competitor() const noexcept { return keyed_ || notes_firings(); }
    /// Whether draws are hashes with a number within the round. All draws of a round must then be made.
    bool numbers_draws() const noexcept { return keyed_ || serves_parts(policy_); }
    /// Whether the string of a replayed order contains a transition.
    bool orders(std::uint32_t transition) const noexcept {
        return !occurrences_.empty() && occurrences_[transition] != no_more;
    }
    /// Whether the firing of a transition serves its part.
    bool serves(std::uint32_t transition) const noexcept {
        return served_ != nullptr && served_->meeting[transition] != no_index;
    }
    Policy policy() const noexcept { return policy_; }
    CounterRandom& random() noexcept { return random_; }

    /// Sorts ascending competitors into the order of service. O(n log n).
    void arrange(std::span<std::uint32_t> competitors);

    /// The position of the next competitor to be served, out of `count` >= 1 competitors in ascending order.
    /// REQUIRES: !needs_every_competitor().
    std::uint32_t pick_of(std::uint32_t count) noexcept {
        if (policy_ == Policy::random) return random_.below(count);
        return policy_ == Policy::first ? 0 : count - 1;
    }

    /// The position of the next competitor to be served. `competitors` must be ascending and not empty. O(n).
    /// Consecutive picks of a round are independent.
    std::size_t pick(std::span<const std::uint32_t> competitors);

    /// Whether note_fired() has any effect.
    bool notes_firings() const noexcept {
        return policy_ == Policy::round_robin || policy_ == Policy::replayed || serves_parts(policy_);
    }
    void note_fired(std::uint32_t transition, Tokens times = 1) {
        if (policy_ == Policy::round_robin) last_fired_[transition] = round_;
        if (serves(transition)) note_served(transition);
        for (; times > 0 && orders(transition); --times)
            occurrences_[transition] = next_same_[occurrences_[transition]];
    }
    /// Notes the last tick so far of a skipped delay. It was in the latest timed step, or in the step before
    /// that.
    void note_tick(std::uint32_t tick, bool step_before) {
        if (policy_ == Policy::round_robin)
            last_fired_[tick] = step_before ? timed_round_before_ : timed_round_;
    }

    /// The current round is a timed step, or the first of several equal ones.
    void begin_timed_steps(std::uint64_t steps = 1) noexcept {
        timed_round_before_ = steps == 1 ? timed_round_ : round_ + steps - 2;
        round_ += steps - 1;
        timed_round_ = round_;
    }
    /// Begins a round, which is a timed or an immediate step.
    void next_round() noexcept {
        ++round_;
        draws_ = 0;
    }
    /// Makes a timed step that changes nothing this many times: in the current round and in the rounds after
    /// it.
    void repeat_step(std::span<const Firing> step, std::uint64_t steps) {
        begin_timed_steps(steps);
        const auto repeated = static_cast<Tokens>(std::min<std::uint64_t>(steps, max_tokens));
        for (const Firing& firing : step) note_fired(firing.transition, repeated);
        next_round();
    }
    std::uint64_t round() const noexcept { return round_; }
    /// For executors that skip rounds. REQUIRES: the policy is not Policy::round_robin.
    void go_to_round(std::uint64_t round) noexcept { round_ = round; }

  private:
    static constexpr std::uint64_t no_more = ~std::uint64_t{0};

    /// The transition with the least rank is served first; ties are broken by the order of the net. `key`
    /// belongs to the round or to the draw.
    std::uint64_t rank(std::uint32_t transition, std::uint64_t key) const {
        if (served_ != nullptr) return rank_of_part(transition) << 32 | rank_in_part(transition, key);
        if (keyed_) return hash_bits(key, keys_.empty() ? transition : keys_[transition]);
        return policy_ == Policy::replayed ? occurrences_[transition] : last_fired_[transition];
    }

    /// The memory of a place at which parts meet.
    struct Meeting {
        std::uint64_t round = 0;           // the latest round in which it served a part
        std::uint32_t last = 0, from = 0;  // lrr: the part that it served last, now and before that round
    };

    void note_served(std::uint32_t transition);
    std::uint64_t rank_of_part(std::uint32_t transition) const;
    std::uint64_t rank_in_part(std::uint32_t transition, std::uint64_t key) const;
    /// The distance of a part behind another one in the circle. It is 0 for the part next in order.
    std::uint32_t distance(std::uint32_t from, std::uint32_t part) const {
        return part > from ? part - from - 1 : part + served_->parts - from - 1;
    }

    Policy policy_;
    bool keyed_;
    std::uint64_t key_;
    std::span<const std::uint32_t> keys_;
    std::uint64_t steps_before_;
    CounterRandom random_;
    std::uint64_t round_ = 1;
    std::uint64_t timed_round_ = 0;          // of the latest timed step
    std::uint64_t timed_round_before_ = 0;   // of the timed step before that
    std::uint64_t draws_ = 0;                // picks made in this round
    std::vector<std::uint64_t> last_fired_;  // round robin only: round of the last firing; 0 if none
    std::vector<std::uint64_t>
        occurrences_;  // replayed only, per transition: the position of its next occurrence in the string
    std::vector<std::uint64_t> next_same_;  // per position: the next occurrence of the same transition
    const ServedParts* served_ = nullptr;   // null for policies that do not serve parts
    std::vector<Meeting> meetings_;
    std::vector<std::uint64_t> served_in_;  // gto only, per slot: the latest round in which it was served
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ranked_;
};

}  // namespace warpnet

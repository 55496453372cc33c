#pragma once

#include "engine/executors/general/run_state.hpp"
#include "engine/executors/loop/conflict_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Makes the steps of a run of which most nets with cells mostly consist: cells act, each on its own, and at
/// most one group competes for hubs. They are those that StepChoice would choose, draw for draw; before any
/// other step it stops. For maximal steps, the policy random without keys, and runs that nobody watches and
/// whose firings are not told apart.
class SimpleSteps {
  public:
    SimpleSteps(const CompiledNet& net, const GeneralNet& general, RunState& state, ConflictOrder& order);

    /// Whether it can make steps of this net at all.
    bool usable() const noexcept { return usable_; }
    /// Makes steps up to step `last`, as long as they are simple. False on overflow.
    bool make(std::uint64_t last);
    /// How many transitions have fired in them, those of delays left out.
    std::uint64_t firings() const noexcept { return firings_; }

  private:
    static constexpr std::uint32_t no_group = 0xffffffff;

    bool choose(CounterRandom& random);
    bool choose_groups();
    void add_group(std::uint32_t group);
    bool act(CounterRandom& random);
    void draw(CounterRandom& random);
    void add(std::uint32_t transition);
    bool changes_nothing() const;

    const CompiledNet& net_;
    RunState& state_;
    ConflictOrder& order_;
    std::size_t group_words_;  // of CandidateSets::occupied()
    bool usable_;
    std::uint64_t firings_ = 0;

    // Of the step at hand.
    std::uint64_t chosen_ = 0;            // how many transitions fire
    std::uint32_t contested_ = no_group;  // the group that competes for hubs
    std::uint32_t served_ = 0;            // how many of it fire
    std::vector<Firing> listed_;          // first: what fires outside cells
    std::size_t listed_count_ = 0;
};

}  // namespace warpnet

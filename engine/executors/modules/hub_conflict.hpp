#pragma once

#include "engine/base/random.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/modules/net.hpp"
#include "engine/run/run.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet {

/// The positions of the modules of a net: each is on a segment or has arrived at its end. Derives the
/// firings, counts and markings of the net at any step on the way.
class ModuleWalks {
  public:
    ModuleWalks(const CompiledNet& net, const ModuleNet& modules);
    ModuleWalks(const ModuleWalks&) = delete;
    ModuleWalks& operator=(const ModuleWalks&) = delete;
    ~ModuleWalks() = default;

    const RouteNode& node(std::uint32_t module) const noexcept { return walks_[module].node; }

    /// In one cache line, and aligned so that the index is computed by a shift.
    struct alignas(64) Walk {
        std::uint64_t begun = 0;       ///< the first step
        const Route* route = nullptr;  ///< null: the module has not started yet
        RouteNode node{};              ///< at its end; a copy, which saves a load on the way to its routes
        Tokens* supplies = nullptr;    ///< what is left at its end

        /// Starts a segment; `step` is its first step.
        void start(const Route& along, std::uint64_t step, const ModuleAutomaton& automaton) noexcept {
            begun = step;
            route = &along;
            node = *along.follow(automaton, supplies);
        }
    };
    /// Per module, for a loop that keeps the pointer in a register.
    Walk* data() noexcept { return walks_.data(); }

    /// Adds the firings of a module in its walk up to a step to the counts per transition.
    void count(std::uint32_t module, std::uint64_t step, std::vector<std::uint64_t>& counts) const;
    /// Appends the firings of the modules in a step.
    void fired_in(std::uint64_t step, std::vector<Firing>& firings) const;
    /// The number of firings after a step in walks that have begun.
    std::uint64_t firings_after(std::uint64_t step) const;
    /// Writes the tokens of all modules after a step to `marking`.
    void settle(std::uint64_t step, Marking& marking) const;

  private:
    std::uint64_t steps_until(const Walk& walk, std::uint64_t step) const;
    template <class Visit>
    void for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps, Visit&& visit) const;

    const CompiledNet& net_;
    const ModuleNet& modules_;
    std::vector<Walk> walks_;
    std::vector<Tokens> supplies_;  // per module: what is left at the end of its walk
};

/// The hubs of a net, the modules that wait for them and the hub loops. Decides which of them are served in a
/// step.
class HubConflict {
  public:
    HubConflict(const CompiledNet& net, const ModuleNet& modules, const ModuleWalks& walks,
                const RunOptions& options);

    ConflictOrder& order() noexcept { return order_; }
    HalfDraws& draws() noexcept { return draws_; }
    /// Whether winners are drawn one by one, rather than taken from an order of all candidates.
    bool uniform() const noexcept { return uniform_; }

    /// The tokens of the hubs, then the unmet conditions of the loops, then a dummy that stays 1.
    std::int64_t* counters() noexcept { return counters_.data(); }

    void wait(std::uint32_t module, std::uint32_t demand_class) noexcept {
        *waiting_[demand_class].end++ = module;
        busy_ |= std::uint64_t{1} << demand_class;
    }

    enum class Service : std::uint8_t {
        nothing,    ///< no waiting module can be served; loops may fire without competition
        one_class,  ///< only modules of one class compete, for one hub
        several,
    };
    /// The kind of decision in the next step. Finds the enabled loops.
    Service next_service();

    /// The waiting modules, if all of them belong to one class and wait for one hub.
    struct OneClass {
        std::uint32_t number;
        std::int32_t weight;     ///< the demand of each module on the hub
        std::uint32_t* members;  ///< with space for all modules
        std::uint32_t size;
        std::int64_t pair;  ///< the first pair of timed counters; its low half is the hub
    };
    /// Releases the conflict to a loop, if nothing else has to be decided until a module of another class
    /// waits. A loop of the net can fire only if the high half of the pair is 0. Winners are drawn from
    /// draws().
    std::optional<OneClass> release();
    /// Takes a released conflict back.
    void reacquire(const OneClass& released);
    /// The number of loops that fire in a step in which no module waits, for this value of the counters.
    std::size_t loops_that_fire(std::int64_t pair);

    /// For Service::one_class: draws the winners, takes their tokens and calls served(module) for each.
    template <class Served>
    void serve_one_class(Served&& served);
    /// For Service::several in step number `step`: takes the tokens of the winners and returns them.
    /// Afterwards looping() contains only loops that fire.
    std::span<const std::uint32_t> serve_classes(std::uint64_t step);

    /// The loops that fire in the next step.
    std::span<const std::uint32_t> looping() const noexcept { return looping_; }

  private:
    struct Waiting {
        std::uint32_t* begin;  // in members_
        std::uint32_t* end;
        std::int64_t* hub;  // in counters_, if the class has only one demand
        Tokens weight;

        std::span<const std::uint32_t> members() const noexcept { return {begin, end}; }
    };
    /// A class or a loop that competes. Its wins are taken from counters_ at once.
    struct Competitor {
        std::uint32_t number;
        bool loop;
    };

    std::span<const PlaceWeight> demands(std::uint32_t demand_class) const {
        return modules_.automaton.demand_classes[demand_class];
    }
    std::span<const PlaceWeight> demands(Competitor competitor) const {
        return competitor.loop ? std::span<const PlaceWeight>(modules_.loops[competitor.number].takes)
                               : demands(competitor.number);
    }
    std::uint32_t candidates(Competitor competitor) const {
        return competitor.loop ? 1 : static_cast<std::uint32_t>(waiting_[competitor.number].members().size());
    }
    std::uint32_t transition_of(std::uint32_t module) const {
        const std::uint32_t node = walks_.node(module).number;
        return modules_.transitions[module][modules_.automaton.nodes[node].wanted];
    }
    std::uint32_t class_of(std::uint32_t module) const { return walks_.node(module).demand_class; }
    /// Whether no loop can fire in the next step.
    bool loops_rest() const noexcept { return std::find(first_unmet_, last_unmet_, 0) == last_unmet_; }
    bool fits(std::span<const PlaceWeight> demands) const;
    void take(std::span<const PlaceWeight> demands, Tokens times = 1);
    void want(std::span<const PlaceWeight> demands, Tokens times);
    bool is_short(std::span<const PlaceWeight> demands) const;

    bool is_one_pair() const;
    void find_enabled_loops();
    bool loops_compete();
    void find_competitors();
    void draw_winners();
    void order_winners(std::uint64_t step);
    void win(std::uint32_t demand_class, std::uint32_t rank);

    const ModuleNet& modules_;
    const ModuleWalks& walks_;
    ConflictOrder order_;
    HalfDraws draws_;
    bool uniform_;
    std::vector<std::int64_t> counters_;
    const std::int64_t* first_unmet_ = nullptr;  // of the loops, in counters_
    const std::int64_t* last_unmet_ = nullptr;
    std::vector<Waiting> waiting_;        // per demand class
    std::vector<std::uint32_t> members_;  // of the classes, in any order
    std::uint64_t busy_ = 0;              // classes with waiting modules
    std::uint64_t several_demands_ = 0;   // classes with demands on several hubs
    bool lendable_;
    std::uint32_t released_class_ = 0;  // its class
    std::vector<std::uint32_t> looping_;
    std::vector<std::uint32_t> winners_, competing_;
    std::vector<Competitor> open_;
    std::vector<Tokens> wanted_;  // per hub
};

template <class Served>
void HubConflict::serve_one_class(Served&& served) {
    Waiting& waiting = waiting_[static_cast<std::size_t>(std::countr_zero(busy_))];
    std::uint32_t* const members = waiting.begin;
    auto left = static_cast<std::uint32_t>(waiting.end - members);
    // Tokens that winners give back at once do not count in this step.
    Tokens tokens = *waiting.hub;
    const Tokens before = tokens;
    do {
        std::uint32_t& winner = members[draws_.below(left)];
        served(winner);
        winner = members[--left];
        tokens -= waiting.weight;
    } while (left > 0 && tokens >= waiting.weight);
    waiting.end = members + left;
    if (left == 0) busy_ = 0;
    *waiting.hub -= before - tokens;
}

inline HubConflict::Service HubConflict::next_service() {
    const bool rest = loops_rest();
    if (rest) {
        looping_.clear();
    } else {
        find_enabled_loops();
    }
    if (uniform_ && rest && std::has_single_bit(busy_) && (busy_ & several_demands_) == 0) {
        const Waiting& waiting = waiting_[static_cast<std::size_t>(std::countr_zero(busy_))];
        return *waiting.hub >= waiting.weight ? Service::one_class : Service::nothing;
    }
    for (std::uint64_t busy = busy_; busy != 0; busy &= busy - 1) {
        if (fits(demands(static_cast<std::uint32_t>(std::countr_zero(busy))))) return Service::several;
    }
    return looping_.size() > 1 && loops_compete() ? Service::several : Service::nothing;
}

inline bool HubConflict::fits(std::span<const PlaceWeight> demands) const {
    for (const auto [hub, weight] : demands) {
        if (counters_[hub] < weight) return false;
    }
    return true;
}

}  // namespace warpnet

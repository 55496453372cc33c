#pragma once

#include "analysis/worst/search/service_net.hpp"
#include "engine/executors/modules/calendar.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

/// The result of an order.
struct ServiceOutcome {
    std::uint64_t steps = 0;
    bool dead = false;  ///< false: it did not end within the allowed steps
    bool operator==(const ServiceOutcome&) const = default;
};

/// The departures in a run of an order.
struct ServiceTrace {
    struct Departure {
        std::uint64_t step;
        std::uint32_t row;
        std::uint32_t segment;  ///< of hub loops: undefined
        std::uint8_t label;
    };
    std::vector<Departure> departures;  ///< ascending by step
};

/// Runs orders. An order that differs from the current one in a few decisions runs only in part. It starts
/// from the last state kept before the first change, and ends at the first state that the current run also
/// has, since the rest is then known. Event-driven and deterministic; allocates nothing after the first runs.
/// Some tens of nanoseconds per decision.
class ServiceRun {
  public:
    /// `max_steps`: a longer run counts as endless.
    ServiceRun(const ServiceNet& net, std::uint64_t max_steps);

    /// Runs an order from the beginning and makes it the current one.
    ServiceOutcome run(const ServiceOrder& order, ServiceTrace* trace = nullptr);

    /// Runs an order that differs from the current one by `changes`. Drops an unaccepted candidate.
    ServiceOutcome candidate(const ServiceOrder& order, std::span<const ServiceChange> changes);
    /// Makes the candidate the current order.
    void accept();
    const ServiceOutcome& outcome() const noexcept { return outcome_; }

    /// The number of decisions of a row in the current run, and the number before step `step`, approximately.
    std::uint32_t decisions(std::uint32_t row) const noexcept { return made_[row]; }

    /// The positions of all rows in the current run at one of the kept moments: decisions made by each.
    std::size_t moments() const noexcept { return kept_count_; }
    std::span<const std::uint32_t> moment(std::size_t number) const noexcept { return kept_[number].made; }

  private:
    struct Walk {
        std::int64_t begun;       // its first step, counted from the moment of the state it is kept in
        const Route* route;       // null: has not departed yet
        const RouteNode* target;  // its end
    };
    /// A part in the current evaluation: its position and its decisions.
    struct Lane {
        const RouteNode* target;
        const Route* route;  // null: has not departed yet
        std::int64_t begun;  // the first step of the route
        Tokens* supplies;
        const std::uint32_t* priority;
        const std::uint8_t* choice;
        std::uint32_t length;
        std::uint32_t made;
        /// Of the next decision.
        std::uint32_t number() const noexcept {
            if (made < length) [[likely]]
                return made;
            return made % length;
        }
    };
    /// The parts that wait for the hubs of a demand class: priority and part, the first one last. Large
    /// enough for all.
    struct Queue {
        std::uint64_t* entries;
        std::uint32_t size = 0;
    };
    /// Everything on which the rest of a run depends. In `state_` the lanes have the decisions and positions
    /// of parts.
    struct State {
        std::uint64_t now = 0;
        std::vector<std::uint32_t> made;  // per row
        std::vector<Walk> walks;          // per part
        std::vector<Tokens> supplies;
        std::vector<std::int64_t> counters;  // hubs, unmet conditions of loops, one for no use
    };

    bool is_on_the_way(const Walk& walk) const noexcept {
        return walk.route != nullptr && walk.begun + static_cast<std::int64_t>(walk.route->steps) - 1 > 0;
    }
    /// Whether it reached its node before the moment, so that its priority may have been used.
    bool has_waited(const Walk& walk) const noexcept {
        return walk.route == nullptr || walk.begun + static_cast<std::int64_t>(walk.route->steps) - 1 < 0;
    }

    template <bool traced>
    ServiceOutcome continue_run(const ServiceOrder& order, std::span<const ServiceChange> changes);
    bool is_before(const State& state, std::span<const ServiceChange> changes) const;
    void begin();
    void restore(const State& kept);
    void keep(State& kept) const;
    bool agrees(const State& kept) const;
    std::uint32_t made(std::uint32_t row) const noexcept {
        return row < lanes_.size() ? lanes_[row].made : state_.made[row];
    }
    Walk walk_of(const Lane& lane) const noexcept {
        return {lane.begun - static_cast<std::int64_t>(state_.now), lane.route, lane.target};
    }
    void fill_lanes(const ServiceOrder& order);
    bool pass_mark(std::span<const ServiceChange> changes);

    void arrive(std::uint32_t part);
    template <bool traced>
    void depart(std::uint32_t part, std::uint64_t step);
    template <bool traced>
    bool serve(std::uint64_t step);
    std::uint32_t* serve_private(std::uint32_t demand_class, std::uint32_t* winner);
    template <bool traced>
    bool serve_shared(std::uint64_t step);
    bool serves_somebody() const noexcept;
    bool fits(std::span<const PlaceWeight> demands) const noexcept;
    void take(std::span<const PlaceWeight> demands, std::int64_t times) noexcept;
    bool loop_is_enabled(std::uint32_t loop) const;
    bool loops_rest() const noexcept;

    const ServiceNet& net_;
    const ModuleNet& modules_;
    const ModuleAutomaton& automaton_;
    std::uint64_t max_steps_;
    std::uint32_t interval_;                   // decisions between two states that are kept
    std::vector<PlaceWeight> private_demand_;  // per demand class that is private: of its hub

    // The current evaluation.
    const ServiceOrder* order_ = nullptr;
    ServiceTrace* trace_ = nullptr;
    State state_;
    std::uint64_t count_ = 0;  // decisions of all parts
    std::size_t next_mark_ = 0;
    ModuleCalendar calendar_;
    std::vector<Lane> lanes_;             // per part
    std::vector<std::uint64_t> entries_;  // of all queues
    std::vector<Queue> waiting_;          // per demand class
    std::uint64_t busy_ = 0;              // with waiting parts
    std::vector<std::uint32_t> continuing_;
    std::vector<std::uint64_t> open_;
    std::vector<std::uint32_t> winners_;  // large enough for all

    // The current run, and the changes that a candidate would make to it.
    ServiceOutcome outcome_;
    std::vector<std::uint32_t> made_;
    std::vector<State> kept_, fresh_;
    std::size_t kept_count_ = 0;
    ServiceOutcome candidate_outcome_;
    std::size_t fresh_begin_ = 0, fresh_end_ = 0;
    bool may_rejoin_ = false, rejoined_ = false;
    std::int64_t delay_ = 0;  // after it has rejoined
};

}  // namespace warpnet::worst

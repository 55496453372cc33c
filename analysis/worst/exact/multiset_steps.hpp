#pragma once

#include "analysis/worst/exact/local_states.hpp"
#include "analysis/worst/exact/multiset_net.hpp"
#include "engine/run/replay.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet::worst {

/// Modules that wait in equal states.
struct WaitingGroup {
    LocalCode code;
    std::uint32_t demand_class;
    std::uint32_t count;
};

/// The services of a step: every maximal set of waiting modules that the hubs can serve, as a number for each
/// group of equal ones. Hub loops compete too. Keeps memory between calls: one for each thread.
class HubService {
  public:
    HubService(const MultisetNet& net, bool probabilities) : net_(net), probabilities_(probabilities) {}

    /// Finds the services of a step from the counters before it; valid until the next call. Only the first
    /// `most` if there are more: there can be exponentially many. Returns whether these are all.
    bool find(std::span<const Tokens> counters, std::span<const WaitingGroup> groups,
              std::size_t most = ~std::size_t{0});
    /// Whether a quick check shows that there is only one service.
    bool is_certain(std::span<const Tokens> counters, std::span<const WaitingGroup> groups);

    std::size_t size() const noexcept { return blocked_.size(); }
    /// The number served of each group.
    std::span<const std::uint32_t> served(std::size_t service) const noexcept {
        return std::span(served_).subspan(service * groups_.size(), groups_.size());
    }
    /// Whether a module is left out that would fit without the firing loops.
    bool blocked(std::size_t service) const noexcept { return blocked_[service] != 0; }
    /// With probabilities: under a uniformly random order of all that are enabled.
    double probability(std::size_t service) const noexcept { return probability_[service]; }

    /// Whether a loop could fire if no module or other loop does.
    bool loop_enabled(std::span<const Tokens> counters) const;

  private:
    struct Item {
        std::span<const PlaceWeight> demands;
        std::uint32_t count;
        std::uint32_t group;  ///< or the number of groups for a loop
    };

    bool is_enabled(const MultisetNet::Loop& loop, std::size_t number,
                    std::span<const Tokens> counters) const;
    bool fits(const Item& item) const;
    void take(const Item& item, Tokens times);
    void divide(std::span<const Tokens> counters);
    bool all_want_the_same() const;
    void enumerate(std::size_t item, double ways);
    void draw();
    void emit(double probability);

    const MultisetNet& net_;
    bool probabilities_;
    std::span<const WaitingGroup> groups_;
    std::vector<Tokens> room_, wanted_;
    std::vector<Item> items_;             // that compete
    std::vector<std::uint32_t> chosen_;   // per item
    std::vector<std::uint32_t> certain_;  // per group: those served without a conflict
    std::vector<std::uint32_t> served_;
    std::vector<std::uint8_t> blocked_;
    std::vector<double> probability_;
    bool loops_compete_ = false;
    std::size_t most_ = 0;
    bool too_many_ = false;
};

/// A module in a position departs on an edge.
struct LocalMove {
    std::uint64_t after;  ///< steps before the one of the departure
    std::uint32_t position;
    std::uint32_t edge;  ///< among those of the position
};

/// The continuation of a run from a state.
enum class Ending : std::uint8_t {
    open,     ///< there is a decision
    dead,     ///< nothing can fire
    endless,  ///< only hub loops can fire, forever
    stalled,  ///< only hub loops fired in a step: they took the tokens that modules wait for
};

/// The states of a net with a decision, and the moves between them. Keeps memory between calls, so each
/// thread has its own.
class MultisetSteps {
  public:
    /// With probabilities, successors have them; without, each represents at least one resolution of the
    /// conflicts and choices.
    MultisetSteps(const MultisetNet& net, bool probabilities)
        : net_(net), service_(net, probabilities), forced_service_(net, probabilities) {}

    struct Successor {
        MultisetState state;  ///< codes ascend
        std::uint64_t steps = 0;
        Ending ending = Ending::open;
        double probability = 1;
    };

    /// The first state with a decision from the beginning of a run.
    Successor first(std::vector<LocalMove>* moves = nullptr);

    /// Calls visit(successor) for all continuations of an open state up to the next decision, until it
    /// returns false; steps count from the state. The same state may be reached in several ways. `moves`, if
    /// given, are those of the successor that is being visited. Returns whether all were visited: false if
    /// visit() ended it or there are more than max_services services.
    template <class Visit>
    bool for_each_successor(const MultisetState& state, Visit&& visit,
                            std::vector<LocalMove>* moves = nullptr);

    static constexpr std::size_t max_services = std::size_t{1} << 20;

  private:
    /// The modules of a state by their activity.
    struct Plan {
        std::vector<LocalCode> away;  // on their way, or ended
        std::vector<WaitingGroup> waiting;
        std::vector<WaitingGroup> choosing;  // they depart by themselves
    };
    struct Mover {
        std::uint32_t position;
        std::uint32_t count;
    };
    struct Sent {
        std::uint32_t position;
        std::uint32_t edge;
        std::uint32_t count;
    };

    void make_plan(const MultisetState& state, Plan& plan) const;
    void set_movers(const Plan& plan, const HubService& service, std::size_t number);
    bool one_edge_each(const Plan& plan) const;
    bool is_decided(const MultisetState& state) const;
    void send(const MultisetState& from, const Plan& plan, const HubService& service, std::size_t number,
              Successor& to) const;
    void advance(Successor& to, bool blocked) const;
    void settle(Successor& to, std::vector<LocalMove>* moves);
    void note(std::uint64_t after, std::vector<LocalMove>* moves) const;
    template <class Leaf>
    bool assign(std::size_t mover, std::uint32_t edge, std::uint32_t left, double probability, Leaf&& leaf);

    const MultisetNet& net_;
    HubService service_, forced_service_;
    Plan plan_, forced_order_;
    std::vector<Mover> movers_, forced_movers_;
    std::vector<Sent> sent_, forced_sent_;
    Successor successor_;
};

/// Every way to divide a mover's modules among its edges, until leaf(probability) returns false.
template <class Leaf>
bool MultisetSteps::assign(std::size_t mover, std::uint32_t edge, std::uint32_t left, double probability,
                           Leaf&& leaf) {
    if (mover == movers_.size()) return leaf(probability);
    const MultisetNet::Position& position = net_.positions[movers_[mover].position];
    const auto go_on = [&](std::uint32_t count, double then) {
        if (edge + 1 < position.edges) return assign(mover, edge + 1, left - count, then, leaf);
        return assign(mover + 1, 0, mover + 1 < movers_.size() ? movers_[mover + 1].count : 0, then, leaf);
    };
    const double each = net_.edges[position.first_edge + edge].probability;
    double then = probability;  // times (left choose count) each^count
    for (std::uint32_t count = 0; count <= left; ++count) {
        if (count == left || edge + 1 < position.edges) {
            if (count > 0) sent_.push_back({movers_[mover].position, edge, count});
            const bool more = go_on(count, then);
            if (count > 0) sent_.pop_back();
            if (!more) return false;
        }
        then *= each * (left - count) / (count + 1);
    }
    return true;
}

template <class Visit>
bool MultisetSteps::for_each_successor(const MultisetState& state, Visit&& visit,
                                       std::vector<LocalMove>* moves) {
    make_plan(state, plan_);
    if (!service_.find(state.counters, plan_.waiting, max_services)) return false;
    for (std::size_t number = 0; number < service_.size(); ++number) {
        set_movers(plan_, service_, number);
        const auto make = [&](double probability) {
            successor_.steps = 0;
            successor_.probability = probability;
            send(state, plan_, service_, number, successor_);
            if (moves != nullptr) moves->clear();
            note(0, moves);
            advance(successor_, service_.blocked(number));
            settle(successor_, moves);
            return visit(successor_);
        };
        if (!assign(0, 0, movers_.empty() ? 0 : movers_.front().count, service_.probability(number), make))
            return false;
    }
    return true;
}

/// The steps of a run given by the moves of its modules: per step the transitions that they fire, and the hub
/// loops that fire in addition. O(steps x transitions).
Schedule schedule_of_moves(const Plan& planned, const LocalStates& states, const MultisetNet& net,
                           std::span<const LocalMove> moves, std::uint64_t steps);

}  // namespace warpnet::worst

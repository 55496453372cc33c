#pragma once

#include "engine/base/random.hpp"
#include "engine/modules/module_net.hpp"
#include "engine/modules/module_walks.hpp"
#include "engine/run/conflict_order.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The hubs of a net, the modules that wait for them and the hub loops: who is served in a step.
class HubConflict {
  public:
    HubConflict(const CompiledNet& net, const ModuleNet& parts, const ModuleWalks& walks,
                const RunOptions& options);

    ConflictOrder& order() noexcept { return order_; }
    HalfDraws& draws() noexcept { return draws_; }
    /// Whether winners are drawn, not taken in an order of all.
    bool uniform() const noexcept { return uniform_; }

    /// Tokens of the hubs, then the unmet conditions of the loops, then one that stays 1, for no use.
    std::int64_t* counters() noexcept { return counters_.data(); }

    void wait(std::uint32_t module, std::uint32_t demand_class) noexcept {
        *waiting_[demand_class].end++ = module;
        busy_ |= std::uint64_t{1} << demand_class;
    }

    enum class Service : std::uint8_t {
        nobody,     ///< nobody waits whom the hubs could serve; loops fire that need not compete
        one_class,  ///< only modules of one class compete, for one hub
        several,
    };
    /// What is to be decided in the next step; finds the loops that are enabled.
    Service next_service();

    /// Whether nobody but modules of one class can compete in the next step, for one hub, and no loop
    /// fires: the case that must be fast.
    bool is_simple() const noexcept {
        return loops_rest() && (busy_ & (busy_ - 1)) == 0 && (busy_ & several_demands_) == 0;
    }
    /// Whether no loop can fire in the next step.
    bool loops_rest() const noexcept {
        const std::int64_t* unmet = first_unmet_;
        do {
            if (*unmet == 0) return false;
        } while (++unmet < last_unmet_);
        return true;
    }
    /// Of is_simple(): whether somebody can be served.
    bool serves_one() const noexcept {
        if (busy_ == 0) return false;
        const Waiting& waiting = waiting_[static_cast<std::size_t>(std::countr_zero(busy_))];
        return *waiting.hub >= waiting.weight;
    }

    /// Of serves_one(): draws the winners and calls served(module) for each; their tokens are taken.
    /// Says whether somebody can be served in the next step too.
    template <class Served>
    bool serve_one_class(HalfDraws& draws, Served&& served);
    /// Of Service::several in step number `step`: the winners; their tokens are taken. Only loops that fire
    /// stay in looping().
    std::span<const std::uint32_t> serve_classes(std::uint64_t step);

    /// Loops that fire in the next step.
    std::span<const std::uint32_t> looping() const noexcept { return looping_; }

  private:
    struct Waiting {
        std::uint32_t* begin;  // in members_
        std::uint32_t* end;
        std::int64_t* hub;  // in counters_, where there is one demand only
        Tokens weight;

        std::span<const std::uint32_t> members() const noexcept { return {begin, end}; }
    };
    /// A class or a loop that competes; what it wins is taken from counters_ at once.
    struct Competitor {
        std::uint32_t number;
        bool loop;
    };

    std::span<const PlaceWeight> demands(std::uint32_t demand_class) const {
        return parts_.automaton.demand_classes[demand_class];
    }
    std::span<const PlaceWeight> demands(Competitor competitor) const {
        return competitor.loop ? std::span<const PlaceWeight>(parts_.loops[competitor.number].takes)
                               : demands(competitor.number);
    }
    std::uint32_t candidates(Competitor competitor) const {
        return competitor.loop ? 1 : static_cast<std::uint32_t>(waiting_[competitor.number].members().size());
    }
    std::uint32_t transition_of(std::uint32_t module) const {
        const std::uint32_t node = parts_.routes.number_of(walks_.node(module));
        return parts_.transitions[module][parts_.automaton.nodes[node].wanted];
    }
    std::uint32_t class_of(std::uint32_t module) const { return walks_.node(module).demand_class; }
    bool fits(std::span<const PlaceWeight> demands) const;
    void take(std::span<const PlaceWeight> demands, Tokens times = 1);
    void want(std::span<const PlaceWeight> demands, Tokens times);
    bool is_short(std::span<const PlaceWeight> demands) const;

    void find_enabled_loops();
    bool loops_compete();
    void find_competitors();
    void draw_winners();
    void order_winners(std::uint64_t step);
    void win(std::uint32_t demand_class, std::uint32_t rank);

    const ModuleNet& parts_;
    const ModuleWalks& walks_;
    ConflictOrder order_;
    HalfDraws draws_;
    bool uniform_;
    std::vector<std::int64_t> counters_;
    const std::int64_t* first_unmet_ = nullptr;  // of the loops, in counters_
    const std::int64_t* last_unmet_ = nullptr;
    std::vector<Waiting> waiting_;        // per demand class
    std::vector<std::uint32_t> members_;  // of the classes, in any order
    std::uint64_t busy_ = 0;              // classes in which somebody waits
    std::uint64_t several_demands_ = 0;   // classes that want something of several hubs
    std::vector<std::uint32_t> looping_;
    std::vector<std::uint32_t> winners_, competing_;
    std::vector<Competitor> open_;
    std::vector<Tokens> wanted_;  // per hub
};

template <class Served>
bool HubConflict::serve_one_class(HalfDraws& draws, Served&& served) {
    Waiting& waiting = waiting_[static_cast<std::size_t>(std::countr_zero(busy_))];
    std::uint32_t* const members = waiting.begin;
    const Tokens weight = waiting.weight;
    auto left = static_cast<std::uint32_t>(waiting.end - members);
    // What the winners give back at once is not for this step.
    Tokens tokens = *waiting.hub;
    const Tokens before = tokens;
    do {
        std::uint32_t& winner = members[draws.below(left)];
        served(winner);
        winner = members[--left];
        tokens -= weight;
    } while (left > 0 && tokens >= weight);
    waiting.end = members + left;
    if (left == 0) busy_ = 0;
    return (*waiting.hub -= before - tokens) >= weight && left > 0;
}

inline HubConflict::Service HubConflict::next_service() {
    for (std::size_t i = 0; i < parts_.loops.size(); ++i) {
        if (counters_[parts_.hubs.size() + i] == 0) {
            find_enabled_loops();
            break;
        }
        looping_.clear();
    }
    if (uniform_ && is_simple()) return serves_one() ? Service::one_class : Service::nobody;
    for (std::uint64_t rest = busy_; rest != 0; rest &= rest - 1) {
        if (fits(demands(static_cast<std::uint32_t>(std::countr_zero(rest))))) return Service::several;
    }
    return looping_.size() > 1 && loops_compete() ? Service::several : Service::nobody;
}

inline bool HubConflict::fits(std::span<const PlaceWeight> demands) const {
    for (const auto [hub, weight] : demands) {
        if (counters_[hub] < weight) return false;
    }
    return true;
}

}  // namespace warpnet

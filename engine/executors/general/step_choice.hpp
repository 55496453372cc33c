#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/executors/general/candidates.hpp"
#include "engine/executors/general/run_state.hpp"
#include "engine/executors/loop/conflict_order.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Chooses multiset steps, in which a transition fires as often as its tokens allow. Candidates without
/// competitors fire at once. Candidates with competitors fire one at a time, since each firing changes which
/// competitors still fit.
class MultisetChoice {
  public:
    MultisetChoice(const CompiledNet& net, RunState& state, ConflictOrder& order)
        : net_(net), state_(state), order_(order) {}

    /// Adds the firings of the next step for some priority levels, in the order of service. Returns whether
    /// the step is the only possible one. O(candidates + firings in conflicts · competitors).
    bool choose(std::span<const PriorityLevel> priority_levels, FiringList& firings);

    /// A step can have as many firings as there are tokens. From now on a step is left unfinished if these
    /// limits end the work. They must outlive this object.
    void obey(const WorkLimits& limits) noexcept { limits_ = &limits; }
    bool left_unfinished() const noexcept { return left_unfinished_; }

  private:
    void find_candidates(std::span<const PriorityLevel> priority_levels);
    void fire_uncontested(FiringList& firings);
    void fire_contested(std::span<std::uint32_t> competitors, FiringList& firings);

    const CompiledNet& net_;
    RunState& state_;
    ConflictOrder& order_;
    const WorkLimits* limits_ = nullptr;
    std::uint64_t firings_ = 0;  // in conflicts, over all steps
    bool left_unfinished_ = false;
    std::vector<std::uint32_t> contested_;  // all candidates at first
    std::vector<Tokens> residual_;          // per input place of theirs: the tokens that the step has left
    std::vector<std::uint32_t> takers_;     // per shared place: the number of competitors
};

/// The tokens that a step under construction has left in the places that may run short. All other places have
/// enough tokens for their candidates.
class ResidualTokens {
  public:
    explicit ResidualTokens(std::size_t places) : questioned_in_(places, 0), tokens_(places, 0) {}

    void begin_step() noexcept { ++step_; }
    /// Notes that a place may run short in this step.
    void question(std::uint32_t place, Tokens tokens) noexcept {
        questioned_in_[place] = step_;
        tokens_[place] = tokens;
    }
    bool fit(std::span<const PlaceWeight> demands) const noexcept {
        return std::all_of(demands.begin(), demands.end(), [&](PlaceWeight demand) {
            return !is_questioned(demand.place) || tokens_[demand.place] >= demand.weight;
        });
    }
    /// The number of transitions with the same demands that can be served, at most `most`.
    std::uint32_t how_many_fit(std::span<const PlaceWeight> demands, std::uint32_t most) const noexcept {
        for (const auto [place, weight] : demands) {
            if (!is_questioned(place)) continue;
            const Tokens times = weight == 1 ? tokens_[place] : tokens_[place] / weight;
            most = static_cast<std::uint32_t>(std::min(Tokens{most}, times));
        }
        return most;
    }
    void take(std::span<const PlaceWeight> demands) noexcept {
        for (const auto [place, weight] : demands) tokens_[place] -= weight;
    }

  private:
    bool is_questioned(std::uint32_t place) const noexcept { return questioned_in_[place] == step_; }

    std::uint64_t step_ = 0;
    std::vector<std::uint64_t> questioned_in_;  // per place: the last step in which it could run short
    std::vector<Tokens> tokens_;                // of these places
};

/// The conflict groups with candidates that may still be served in a step, and the choice of the next one.
class OpenGroups {
  public:
    OpenGroups(const CompiledNet& net, const CandidateSets& sets, ConflictOrder& order)
        : net_(net), sets_(sets), order_(order) {}

    void clear() noexcept {
        groups_.clear();
        candidates_ = 0;
    }
    void add(std::uint32_t group) {
        groups_.push_back(group);
        candidates_ += sets_.count(group);
    }
    /// Opens the groups, of those given, that have candidates and whose demands on hubs fit.
    void open(std::span<const std::uint32_t> groups, const ResidualTokens& residual) {
        groups_.assign(groups.begin(), groups.end());
        close_blocked(residual);
    }
    /// Removes the groups without candidates and those whose demands no longer fit.
    void close_blocked(const ResidualTokens& residual);

    std::span<const std::uint32_t> groups() const noexcept { return groups_; }
    /// The total number of candidates in open groups.
    std::uint32_t candidates() const noexcept { return candidates_; }
    /// The candidate with this rank among those of all open groups. REQUIRES: rank < candidates().
    GroupSlot candidate(std::uint32_t rank) const;
    /// The candidate that the policy serves next. REQUIRES: candidates() > 0.
    GroupSlot next();

  private:
    const CompiledNet& net_;
    const CandidateSets& sets_;
    ConflictOrder& order_;
    std::vector<std::uint32_t> groups_;
    std::uint32_t candidates_ = 0;
};

/// Chooses the next step of a RunState under a semantics and a policy. It examines only enabled transitions
/// and, for conflicts, their competitors. Transitions without conflicts fire without a check. If many
/// transitions compete for a hub, only the winners are drawn. The draws depend on the marking alone, and not
/// on the way to it.
class StepChoice {
  public:
    StepChoice(const CompiledNet& net, const GeneralNet& general, RunState& state, ConflictOrder& order,
               Semantics semantics);

    /// The firings of the next step of this phase. Valid until the next call.
    std::span<const Firing> choose(bool immediate);
    bool chose_nothing() const noexcept { return firings_.all().empty(); }

    /// See MultisetChoice::obey().
    void obey(const WorkLimits& limits) noexcept { multiset_choice_.obey(limits); }
    bool left_unfinished() const noexcept { return multiset_choice_.left_unfinished(); }

    /// Whether the last step was the only possible one and left the marking unchanged.
    bool changes_nothing() const { return chose_nothing() || (forced_ && no_firing_has_effects()); }

  private:
    /// The timed or the immediate transitions. `levels` is their number of priority levels.
    struct Phase {
        std::vector<std::uint64_t> groups;  // a bit each
        std::uint32_t first_level = 0;
        std::uint32_t levels = 0;
        bool one_order = false;  // all competitors are put into one order, drawn or not
    };

    /// The state of the competitors for the places of a row of GeneralNet::rival_groups, if all of them also
    /// need hubs that cannot serve all of them.
    enum class Rivals : std::uint8_t {
        scattered,  ///< this is not the case
        drawn,      ///< they are drawn with their groups
        blocked,    ///< the hubs can serve none of them
    };

    /// The candidates that together demand more tokens from a place than it holds. The place is no hub.
    struct Conflict {
        std::uint32_t place;
        std::uint32_t first, end;  // in competitors_, ascending
    };

    bool no_firing_has_effects() const;
    void choose_maximal(const Phase& phase);
    void choose_from(const Phase& phase, std::uint32_t group);
    void forget_conflicts();
    void find_conflicts(const Phase& phase);
    void find_conflict_over(const Phase& phase, std::uint32_t place);
    void settle_conflicts(const Phase& phase);
    bool is_apart(const Conflict& conflict);
    void serve_apart(const Conflict& conflict);
    std::span<std::uint32_t> competitors(const Conflict& conflict) {
        return std::span(competitors_).subspan(conflict.first, conflict.end - conflict.first);
    }
    Tokens wanted_of(std::uint32_t place, std::uint32_t transition) const;
    void fire_uncontested(std::uint32_t group);
    void add_contested(std::uint32_t transition);
    void note_contested_groups(const Phase& phase);
    Rivals find_rivals(const Phase& phase, std::uint32_t row) const;
    void merge_groups();
    void serve_contested(const Phase& phase);
    void serve_in_order(std::span<std::uint32_t> competitors);
    void draw_winners();
    void draw_one_by_one();
    void draw_from_one_group(std::uint32_t group);
    void draw_from_groups();
    GroupSlot next_of_all();
    void choose_one(const Phase& phase);

    bool in_phase(const Phase& phase, std::uint32_t transition) const;
    bool is_contested(std::uint32_t transition) const { return contested_in_[transition] == round_; }
    bool group_is_contested(std::uint32_t group) const { return group_contested_in_[group] == round_; }
    bool is_in_contested_group(std::uint32_t transition) const {
        return group_is_contested(net_.slots[transition].group);
    }
    bool hubs_serve(std::uint32_t group) const { return state_.serves(net_.groups[group].demands); }
    bool group_is_over(std::span<const PlaceWeight> demands);
    void take_winner(GroupSlot group_slot);

    const CompiledNet& net_;
    const GeneralNet& general_;
    RunState& state_;
    ConflictOrder& order_;
    Phase timed_;
    Phase immediate_;
    Semantics semantics_;

    bool forced_ = true;
    bool any_contested_ = false;  // in groups
    bool coupled_ = false;        // some members of contested groups compete for another place, too
    std::uint64_t round_ = 0;
    FiringList firings_;
    std::vector<Conflict> conflicts_;
    std::vector<std::uint32_t> competitors_;
    std::vector<std::uint32_t> contested_;
    std::vector<std::uint64_t> contested_in_;  // per transition: the last round in which it was contested
    std::vector<std::uint32_t> contested_groups_;
    std::vector<std::uint64_t> group_contested_in_;
    std::vector<std::uint64_t>
        group_blocked_in_;  // per group: the last round in which its hubs could serve no member
    std::vector<std::uint32_t>
        seek_;  // per place: the position among its conditions of the last candidates found
    ResidualTokens residual_;
    OpenGroups open_groups_;
    MultisetChoice multiset_choice_;
    std::vector<std::uint32_t> winners_;  // drawn from groups, to be inserted again
};

}  // namespace warpnet

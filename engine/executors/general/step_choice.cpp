// Conflicts are known before they are resolved. Candidates tracks the demand of the enabled transitions on
// each shared place. While no place is over, all enabled transitions fire without a check. Otherwise only the
// consumers of places that are over compete. A conflict whose competitors compete for nothing else needs one
// draw instead of an order of all candidates.
//
// Hubs are no conditions. The candidates for a hub are stored in the set of their conflict group, which has
// equal demands on hubs. Only winners are drawn: 4 draws instead of a permutation of 64. This is exact,
// because tokens only shrink within a step, so a blocked candidate stays blocked. A candidate may also
// compete for another place: a warp has eight ways to start a load and takes one. It is drawn with its group
// and removed if it can no longer be served. If the hubs can serve none of the competitors for a place, the
// place is not examined.
//
// Three details matter for correctness. The method must be chosen before the first draw, because a change
// after seeing a winner would bias the result. A transition without effects, such as `idle`, still takes its
// tokens within the step and counts as a firing. Under `round-robin` the firings inside skipped delays must
// be recorded, since the transitions of a woken gadget can be in conflict. Candidate sets are sorted, so a
// draw depends on the enabled transitions and not on the history. Runs are therefore identical with and
// without skipped delays or an observer.
//
// A step without conflict takes O(groups / 64 + firings). A conflict over one place adds its competitors,
// found among the consumers of the place from the position of the previous search on. A group whose members
// compete for hubs alone costs draws for its winners and none for its losers. Draws one by one, for coupled
// conflicts, sort the contested candidates and remove each from a list: O(c^2) for c of them. A policy that
// needs one order of all competitors pays for sorting them in each contested step.

#include "engine/executors/general/step_choice.hpp"

#include "engine/base/bits.hpp"
#include "engine/base/no_index.hpp"
#include "engine/run/executor.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpnet {

// Multiset steps. The firings of a step follow one another: the policy picks a competitor that still fits, it
// fires once, and competitors that no longer fit are removed. Most candidates have no competitor. They fire
// as often as their tokens allow in one operation, so only conflicts cost one draw per firing.

void MultisetChoice::find_candidates(std::span<const PriorityLevel> priority_levels) {
    contested_.clear();
    for (const PriorityLevel& priority_level : priority_levels) {
        for (const std::uint32_t group : priority_level.groups) {
            if (!state_.serves(net_.groups[group].demands)) continue;
            state_.candidates().sets().for_each(
                group, [&](std::uint32_t slot) { contested_.push_back(net_.groups[group].members[slot]); });
        }
    }
    residual_.resize(net_.place_count());
    for (const std::uint32_t t : contested_) {
        for (const auto [place, weight] : net_.inputs[t]) residual_[place] = state_.marking()[place];
    }
}

bool MultisetChoice::choose(std::span<const PriorityLevel> priority_levels, FiringList& firings) {
    find_candidates(priority_levels);
    if (!order_.numbers_draws()) fire_uncontested(firings);
    if (contested_.empty()) return true;
    std::sort(contested_.begin(), contested_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(net_.priority_level(a), a) < std::pair(net_.priority_level(b), b);
    });
    for (auto begin = contested_.begin(); begin != contested_.end();) {
        const auto end = std::find_if(begin, contested_.end(), [&](std::uint32_t t) {
            return net_.priority_level(t) != net_.priority_level(*begin);
        });
        fire_contested({begin, end}, firings);
        begin = end;
    }
    return false;
}

/// Fires the candidates that share no input place with another competitor as often as their tokens allow, and
/// removes them from the list.
void MultisetChoice::fire_uncontested(FiringList& firings) {
    const auto for_shared = [&](std::uint32_t t, auto visit) {
        for (const PlaceWeight input : net_.shared_inputs(t)) visit(takers_[input.place]);
    };
    takers_.resize(net_.place_count(), 0);
    for (const std::uint32_t t : contested_) for_shared(t, [](std::uint32_t& takers) { ++takers; });
    const std::vector<std::uint32_t> all = contested_;
    std::erase_if(contested_, [&](std::uint32_t t) {
        bool alone = true;
        for_shared(t, [&](std::uint32_t takers) { alone = alone && takers == 1; });
        if (!alone) return false;
        Tokens times = max_tokens;
        for (const auto [place, weight] : net_.inputs[t])
            times = std::min(times, state_.marking()[place] / weight);
        firings.add(t, times);
        return true;
    });
    for (const std::uint32_t t : all) for_shared(t, [](std::uint32_t& takers) { takers = 0; });
}

/// Fires one competitor at a time. The policy chooses it among those that still fit.
void MultisetChoice::fire_contested(std::span<std::uint32_t> competitors, FiringList& firings) {
    std::vector<std::uint32_t> fitting(competitors.begin(), competitors.end());
    const std::size_t first_new = firings.all().size();
    for (const std::uint32_t t : fitting) firings.add(t, 0);
    for (;;) {
        std::erase_if(fitting, [&](std::uint32_t t) {
            const auto inputs = net_.inputs[t];
            return std::any_of(inputs.begin(), inputs.end(),
                               [&](PlaceWeight in) { return residual_[in.place] < in.weight; });
        });
        if (fitting.empty()) break;
        if (++firings_ % firings_between_looks == 0 && limits_ != nullptr && limits_->must_end()) {
            left_unfinished_ = true;
            break;
        }
        const std::uint32_t t = fitting[order_.pick(fitting)];
        for (const auto [place, weight] : net_.inputs[t]) residual_[place] -= weight;
        const auto at = std::lower_bound(competitors.begin(), competitors.end(), t) - competitors.begin();
        ++firings.all()[first_new + static_cast<std::size_t>(at)].times;
    }
    firings.drop_those_without_times();
}

StepChoice::StepChoice(const CompiledNet& net, const GeneralNet& general, RunState& state,
                       ConflictOrder& order, Semantics semantics)
    : net_(net),
      general_(general),
      state_(state),
      order_(order),
      semantics_(semantics),
      firings_(net.transition_count()),
      contested_in_(net.transition_count(), 0),
      group_contested_in_(net.groups.size(), 0),
      group_blocked_in_(net.groups.size(), 0),
      residual_(net.place_count()),
      open_groups_(net, state.candidates().sets(), order),
      multiset_choice_(net, state, order) {
    for (std::uint32_t s = 0; s < net.priority_levels.size(); ++s) {
        Phase& phase = net.priority_levels[s].immediate ? immediate_ : timed_;
        if (phase.levels++ == 0) phase.first_level = s;
        phase.groups.resize((net.groups.size() + 63) / 64);
        for (const std::uint32_t group : net.priority_levels[s].groups)
            phase.groups[group / 64] |= std::uint64_t{1} << (group % 64);
        phase.one_order = phase.levels > 1 || order.needs_every_competitor();
    }
}

bool StepChoice::no_firing_has_effects() const {
    const auto firings = firings_.all();
    return std::all_of(firings.begin(), firings.end(),
                       [&](const Firing& firing) { return net_.effects[firing.transition].empty(); });
}

bool StepChoice::in_phase(const Phase& phase, std::uint32_t transition) const {
    if (phase.levels == net_.priority_levels.size()) return true;
    return net_.priority_level(transition) - phase.first_level <
           phase.levels;  // unsigned, so it is also false below the first level
}

// --- maximal steps
// ---------------------------------------------------------------------------------------------------

/// Chooses a maximal step. Conflicts over places that are no hubs come first, because they show which
/// candidates of the groups compete for a further place. Then each group with candidates fires or joins the
/// contested groups. The winners of these are drawn last: by groups if possible, one by one if some
/// candidates are coupled, or in one order of all candidates if the policy requires it.
inline void StepChoice::choose_maximal(const Phase& phase) {
    forget_conflicts();
    if (!state_.candidates().over_rows().empty()) {
        if (!phase.one_order) note_contested_groups(phase);
        find_conflicts(phase);
        if (!conflicts_.empty()) settle_conflicts(phase);
    }
    for (std::size_t word = 0; word < phase.groups.size(); ++word) {
        for_each_bit(state_.candidates().sets().occupied(word) & phase.groups[word], [&](std::uint32_t bit) {
            choose_from(phase, static_cast<std::uint32_t>(word * 64) + bit);
        });
    }
    if (coupled_) return draw_one_by_one();
    if (!contested_groups_.empty()) {
        if (phase.one_order) {
            merge_groups();
        } else {
            draw_winners();
        }
    }
    if (!contested_.empty()) serve_contested(phase);
}

std::span<const Firing> StepChoice::choose(bool immediate) {
    firings_.clear();
    forced_ = true;
    const Phase& phase = immediate ? immediate_ : timed_;
    if (phase.levels == 0) return firings_.all();
    ++round_;
    residual_.begin_step();
    if (semantics_ == Semantics::maximal) {
        choose_maximal(phase);
    } else if (semantics_ == Semantics::multiset) {
        const auto priority_levels = std::span(net_.priority_levels).subspan(phase.first_level, phase.levels);
        forced_ = multiset_choice_.choose(priority_levels, firings_);
    } else {
        choose_one(phase);
    }
    return firings_.all();
}

/// Fires the candidates of a group, or adds the group to contested_groups_.
void StepChoice::choose_from(const Phase& phase, std::uint32_t group) {
    const auto& demands = net_.groups[group].demands;
    if (demands.empty() || !group_is_over(demands)) {
        fire_uncontested(group);
    } else if (phase.one_order || hubs_serve(group)) {
        // Candidates that the hubs cannot serve at all need no draw, unless they have a position in the order
        // of all competitors.
        group_contested_in_[group] = round_;
        contested_groups_.push_back(group);
    }
}

/// Notes the groups that choose_from() will find contested, and those that the hubs cannot serve at all.
void StepChoice::note_contested_groups(const Phase& phase) {
    for (std::size_t word = 0; word < phase.groups.size(); ++word) {
        for_each_bit(state_.candidates().sets().occupied(word) & phase.groups[word], [&](std::uint32_t bit) {
            const std::uint32_t group = static_cast<std::uint32_t>(word * 64) + bit;
            if (group_is_over(net_.groups[group].demands))
                (hubs_serve(group) ? group_contested_in_ : group_blocked_in_)[group] = round_;
        });
    }
}

/// Clears the conflicts of the last step. After most steps there are none.
void StepChoice::forget_conflicts() {
    if (conflicts_.empty() && contested_groups_.empty()) return;
    conflicts_.clear();
    competitors_.clear();
    contested_.clear();
    contested_groups_.clear();
    any_contested_ = coupled_ = false;
}

/// Fires all candidates of a group, except those that take part in a conflict.
void StepChoice::fire_uncontested(std::uint32_t group) {
    const std::uint32_t* const members = net_.groups[group].members.data();
    firings_.add_each([&](auto add) {
        CandidateSets& candidates = state_.candidates().sets();
        if (!any_contested_) {
            candidates.for_each(group, [members, add](std::uint32_t slot) { add(members[slot]); });
        } else {
            candidates.for_each(group, [this, members, add](std::uint32_t slot) {
                if (!is_contested(members[slot])) add(members[slot]);
            });
        }
    });
}

void StepChoice::add_contested(std::uint32_t transition) {
    if (is_contested(transition)) return;
    contested_in_[transition] = round_;
    contested_.push_back(transition);
}

/// Finds the conflicts over places that are over and no hubs. A place whose rivals are all drawn with their
/// groups needs no conflict of its own. Its tokens are then checked at each draw.
void StepChoice::find_conflicts(const Phase& phase) {
    Candidates& candidates = state_.candidates();
    for (const std::uint32_t row : candidates.over_rows()) {
        const Rivals rivals = find_rivals(phase, row);
        if (rivals == Rivals::blocked) continue;
        for (const std::uint32_t place : candidates.over_places(row)) {
            if (rivals == Rivals::drawn) {
                coupled_ = true;
                residual_.question(place, state_.marking()[place]);
            } else {
                find_conflict_over(phase, place);
            }
        }
    }
    candidates.drop_served_rows();
}

/// Finds the competitors for a place. Candidates that a hub cannot serve at all are skipped here and in
/// merge_groups(), because a step in which no transition can fire must draw nothing. Few of the consumers of
/// a place are candidates, and they are often close to those of the previous search, so the search starts
/// there.
void StepChoice::find_conflict_over(const Phase& phase, std::uint32_t place) {
    const std::size_t first = competitors_.size();
    const auto watches = net_.watches[place];
    if (seek_.empty()) seek_.resize(net_.place_count(), 0);
    Tokens to_find = state_.candidates().demand(place);
    for (std::size_t at = seek_[place], looks = 0; to_find > 0 && looks < watches.size(); ++at, ++looks) {
        if (at >= watches.size()) at = 0;
        const auto [t, threshold] = watches[at];
        if (threshold <= 0 || !state_.candidates().contains(t)) continue;
        if (to_find == state_.candidates().demand(place)) seek_[place] = static_cast<std::uint32_t>(at);
        const Tokens wanted = wanted_of(place, t);
        const auto found = competitors_.begin() + static_cast<std::ptrdiff_t>(first);
        // A transition that takes from the place and reads it has two conditions on it.
        if (wanted == 0 || std::find(found, competitors_.end(), t) != competitors_.end()) continue;
        to_find -= wanted;
        competitors_.push_back(t);
    }
    const auto begin = competitors_.begin() + static_cast<std::ptrdiff_t>(first);
    competitors_.erase(std::remove_if(begin, competitors_.end(),
                                      [&](std::uint32_t t) {
                                          return !in_phase(phase, t) || !hubs_serve(net_.slots[t].group);
                                      }),
                       competitors_.end());
    std::sort(competitors_.begin() + static_cast<std::ptrdiff_t>(first), competitors_.end());
    if (first < competitors_.size())
        conflicts_.push_back(
            {place, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(competitors_.size())});
}

/// Whether the places of a row need no conflict of their own, because their competitors are drawn with their
/// groups or are not drawn at all.
StepChoice::Rivals StepChoice::find_rivals(const Phase& phase, std::uint32_t row) const {
    if (phase.one_order || general_.rivals.empty()) return Rivals::scattered;
    const auto groups = general_.rival_groups[row];
    Rivals found = groups.empty() ? Rivals::scattered : Rivals::blocked;
    for (const std::uint32_t group : groups) {
        if (group_is_contested(group)) {
            found = Rivals::drawn;
        } else if (group_blocked_in_[group] != round_ && state_.candidates().sets().count(group) > 0 &&
                   (phase.groups[group / 64] >> group % 64 & 1) != 0) {
            return Rivals::scattered;
        }
    }
    return found;
}

/// Settles each conflict whose competitors compete for nothing else. Adds the competitors of the other
/// conflicts to contested_.
void StepChoice::settle_conflicts(const Phase& phase) {
    forced_ = false;
    const auto by_place = [](const Conflict& a, const Conflict& b) { return a.place < b.place; };
    if (!std::is_sorted(conflicts_.begin(), conflicts_.end(), by_place))
        std::sort(conflicts_.begin(), conflicts_.end(), by_place);
    for (const Conflict& conflict : conflicts_) {
        if (phase.levels == 1 && is_apart(conflict)) {
            for (const std::uint32_t t : competitors(conflict)) contested_in_[t] = round_;
            any_contested_ = true;
            serve_apart(conflict);
        } else {
            for (const std::uint32_t t : competitors(conflict)) {
                if (!phase.one_order && is_in_contested_group(t)) {
                    coupled_ = true;  // the draw from its group includes it
                } else {
                    add_contested(t);
                }
            }
            any_contested_ = true;
            residual_.question(conflict.place, state_.marking()[conflict.place]);
        }
    }
}

/// Whether the competitors of a conflict compete for nothing else, including hubs.
bool StepChoice::is_apart(const Conflict& conflict) {
    const auto all = competitors(conflict);
    return std::none_of(all.begin(), all.end(), [&](std::uint32_t t) {
        const auto inputs = net_.shared_inputs(t);
        return std::any_of(inputs.begin(), inputs.end(), [&](PlaceWeight in) {
            return in.place != conflict.place && state_.candidates().is_over(in.place);
        });
    });
}

/// Serves the competitors of an isolated conflict. One token needs one draw instead of an order of all
/// competitors.
void StepChoice::serve_apart(const Conflict& conflict) {
    const auto all = competitors(conflict);
    Tokens left = state_.marking()[conflict.place];
    if (left == 1 && all.size() > 1 && !order_.needs_every_competitor()) {
        firings_.add(all[order_.pick_of(static_cast<std::uint32_t>(all.size()))]);
        return;
    }
    order_.arrange(all);
    for (const std::uint32_t t : all) {
        const Tokens wanted = wanted_of(conflict.place, t);
        if (left < wanted) continue;
        left -= wanted;
        firings_.add(t);
    }
}

/// The tokens that a transition takes from a shared place, or 0.
Tokens StepChoice::wanted_of(std::uint32_t place, std::uint32_t transition) const {
    for (const PlaceWeight in : net_.shared_inputs(transition)) {
        if (in.place == place) return in.weight;
    }
    return 0;
}

/// Whether a group competes for a hub. Notes the tokens of the hubs that may run short.
bool StepChoice::group_is_over(std::span<const PlaceWeight> demands) {
    bool over = false;
    for (const auto [place, weight] : demands) {
        if (!state_.candidates().is_over(place)) continue;
        residual_.question(place, state_.marking()[place]);
        over = true;
    }
    return over;
}

/// Adds the candidates of all contested groups to contested_, for policies that need one order of all
/// competitors.
void StepChoice::merge_groups() {
    for (const std::uint32_t group : contested_groups_) {
        if (!hubs_serve(group)) continue;
        state_.candidates().sets().for_each(
            group, [&](std::uint32_t slot) { add_contested(net_.groups[group].members[slot]); });
    }
}

/// Serves the contested transitions, each priority level before the next one.
void StepChoice::serve_contested(const Phase& phase) {
    forced_ = false;
    if (!std::is_sorted(contested_.begin(), contested_.end()))
        std::sort(contested_.begin(), contested_.end());
    if (phase.levels == 1) return serve_in_order(contested_);
    std::stable_sort(contested_.begin(), contested_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return net_.priority_level(a) < net_.priority_level(b);
    });
    for (auto begin = contested_.begin(); begin != contested_.end();) {
        const auto end = std::find_if(begin, contested_.end(), [&](std::uint32_t t) {
            return net_.priority_level(t) != net_.priority_level(*begin);
        });
        serve_in_order({begin, end});
        begin = end;
    }
}

void StepChoice::serve_in_order(std::span<std::uint32_t> competitors) {
    order_.arrange(competitors);
    for (const std::uint32_t t : competitors) {
        if (!residual_.fit(net_.shared_inputs(t))) continue;
        residual_.take(net_.shared_inputs(t));
        firings_.add(t);
    }
}

/// Draws winners in a uniform order of all candidates of the contested groups, without drawing the losers.
/// This is exact because tokens only shrink within a step: a group that a hub cannot serve now stays blocked.
void StepChoice::draw_winners() {
    winners_.clear();
    if (contested_groups_.size() == 1) {
        draw_from_one_group(contested_groups_.front());
    } else {
        draw_from_groups();
    }
    for (const std::uint32_t winner : winners_) state_.candidates().sets().insert(net_.slots[winner]);
}

void StepChoice::take_winner(GroupSlot group_slot) {
    const ConflictGroup& group = net_.groups[group_slot.group];
    const std::uint32_t winner = group.members[group_slot.slot];
    state_.candidates().sets().erase(group_slot);
    winners_.push_back(winner);
    firings_.add(winner);
    residual_.take(group.demands);
    forced_ = false;
}

void StepChoice::draw_from_one_group(std::uint32_t group) {
    const std::uint32_t* const members = net_.groups[group].members.data();
    CandidateSets& candidates = state_.candidates().sets();
    const std::uint32_t most = residual_.how_many_fit(net_.groups[group].demands, candidates.count(group));
    forced_ = forced_ && most == 0;
    candidates.draw(
        group, most, [this](std::uint32_t count) { return order_.pick_of(count); },
        [this, members](std::uint32_t slot) { firings_.add(members[slot]); });
}

void StepChoice::draw_from_groups() {
    for (open_groups_.open(contested_groups_, residual_); open_groups_.candidates() > 0;
         open_groups_.close_blocked(residual_))
        take_winner(open_groups_.next());
}

/// The same for all competitors, in contested groups or not, if some members of contested groups compete for
/// more than their hubs. A drawn transition that cannot be served is removed.
void StepChoice::draw_one_by_one() {
    forced_ = false;
    std::sort(contested_.begin(), contested_.end());
    winners_.clear();
    CandidateSets& candidates = state_.candidates().sets();
    for (open_groups_.open(contested_groups_, residual_);; open_groups_.close_blocked(residual_)) {
        const auto alone = static_cast<std::uint32_t>(contested_.size());
        if (open_groups_.candidates() + alone == 0) break;
        const auto [group, slot] = next_of_all();
        const bool is_alone = group == no_index;
        const std::uint32_t t = is_alone ? contested_[slot] : net_.groups[group].members[slot];
        if (is_alone) {
            contested_.erase(contested_.begin() + slot);
        } else {
            candidates.erase({group, slot});
            winners_.push_back(t);
        }
        if (!residual_.fit(net_.shared_inputs(t))) continue;
        residual_.take(net_.shared_inputs(t));
        firings_.add(t);
    }
    for (const std::uint32_t drawn : winners_) candidates.insert(net_.slots[drawn]);
}

/// The competitor to be served next, from the open groups or from contested_. For the latter it returns the
/// position and no_index.
GroupSlot StepChoice::next_of_all() {
    const auto alone = static_cast<std::uint32_t>(contested_.size());
    if (order_.policy() == Policy::random) {
        const std::uint32_t rank = order_.random().below(open_groups_.candidates() + alone);
        return rank < alone ? GroupSlot{no_index, rank} : open_groups_.candidate(rank - alone);
    }
    const bool last = order_.policy() == Policy::last;
    const GroupSlot best_alone = {no_index, last ? alone - 1 : 0};
    if (open_groups_.candidates() == 0) return best_alone;
    const GroupSlot best = open_groups_.next();
    if (alone == 0) return best;
    const std::uint32_t in_groups = net_.groups[best.group].members[best.slot];
    const bool is_alone = last ? contested_.back() > in_groups : contested_.front() < in_groups;
    return is_alone ? best_alone : best;
}

// --- interleaving
// ----------------------------------------------------------------------------------------------------

void StepChoice::choose_one(const Phase& phase) {
    for (std::uint32_t s = phase.first_level; s < phase.first_level + phase.levels; ++s) {
        open_groups_.clear();
        for (const std::uint32_t group : net_.priority_levels[s].groups) {
            if (state_.candidates().sets().count(group) > 0 && hubs_serve(group)) open_groups_.add(group);
        }
        if (open_groups_.candidates() == 0) continue;
        forced_ = open_groups_.candidates() == 1;
        if (!order_.needs_every_competitor()) {
            const auto [group, slot] = open_groups_.next();
            firings_.add(net_.groups[group].members[slot]);
            return;
        }
        contested_.clear();
        for (const std::uint32_t group : open_groups_.groups()) {
            state_.candidates().sets().for_each(
                group, [&](std::uint32_t slot) { contested_.push_back(net_.groups[group].members[slot]); });
        }
        std::sort(contested_.begin(), contested_.end());
        firings_.add(contested_[order_.pick(contested_)]);
        return;
    }
}

void OpenGroups::close_blocked(const ResidualTokens& residual) {
    candidates_ = 0;
    std::erase_if(groups_, [&](std::uint32_t group) {
        const std::uint32_t count = sets_.count(group);
        if (count == 0 || !residual.fit(net_.groups[group].demands)) return true;
        candidates_ += count;
        return false;
    });
}

GroupSlot OpenGroups::candidate(std::uint32_t rank) const {
    auto group = groups_.begin();
    for (;; ++group) {
        const std::uint32_t count = sets_.count(*group);
        if (rank < count) return {*group, sets_.select(*group, rank)};
        rank -= count;
    }
}

GroupSlot OpenGroups::next() {
    if (order_.policy() == Policy::random) return candidate(order_.random().below(candidates_));
    const bool last = order_.policy() == Policy::last;
    GroupSlot best{};
    std::uint32_t best_transition = 0;
    for (const std::uint32_t group : groups_) {
        const std::uint32_t slot = last ? sets_.highest(group) : sets_.lowest(group);
        const std::uint32_t t = net_.groups[group].members[slot];
        if (group != groups_.front() && (last ? t < best_transition : t > best_transition)) continue;
        best = {group, slot};
        best_transition = t;
    }
    return best;
}

}  // namespace warpnet

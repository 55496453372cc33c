// Resolves the conflicts of modules over hubs. Modules with equal demands form a class, and the members of a
// class are interchangeable. So a draw first selects a class by its number of members and then a member.
// Three cases are distinguished before each step. If no module can be served, only loops fire. If one class
// waits for one hub, which is the usual case of warps and their scheduler, the number of winners follows from
// one division. In all other cases the classes and loops that want something of a short hub compete.
//
// The decision between these cases depends only on demands and tokens, and never on the result of a draw.
// Otherwise the draws would not be uniform.

#include "engine/executors/modules/hub_conflict.hpp"

#include <algorithm>

namespace warpnet {

// Reconstructs firings and markings in the middle of segments. The executor itself only moves modules from
// node to node. When an observer, a count or the end of a run needs the state at a step, the path parts of
// the current segment are replayed up to this step. The cost is proportional to the path parts and not to the
// steps, because a path part covers consecutive equal steps.

ModuleWalks::ModuleWalks(const CompiledNet& net, const ModuleNet& modules)
    : net_(net), modules_(modules), walks_(modules_.size()), supplies_(modules_.start_supplies) {
    for (std::uint32_t c = 0; c < modules_.size(); ++c) {
        walks_[c].node = modules_.routes.node(modules_.start[c]);
        walks_[c].supplies = supplies_.data() + c * modules_.most_supplies;
    }
}

/// The number of steps that a walk has made up to a step. REQUIRES: the step is not before its beginning.
std::uint64_t ModuleWalks::steps_until(const Walk& walk, std::uint64_t step) const {
    if (walk.route == nullptr) return 0;
    return std::min<std::uint64_t>(walk.route->steps, step + 1 - walk.begun);
}

/// Calls visit(transitions of the module, number of consecutive steps) for `steps` steps of a walk, beginning
/// `skip` steps after its start.
template <class Visit>
void ModuleWalks::for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps,
                                Visit&& visit) const {
    const ModuleAutomaton& automaton = modules_.automaton;
    const Segment& segment = automaton.segments[walk.route->segment];
    for (std::uint32_t i = 0; i < segment.parts && steps > 0; ++i) {
        const PathPart& part = automaton.parts[segment.first_part + i];
        const std::uint64_t skipped = std::min<std::uint64_t>(skip, part.repeats);
        const std::uint64_t repeats = std::min(part.repeats - skipped, steps);
        skip -= skipped;
        steps -= repeats;
        if (repeats > 0) visit(std::span(automaton.fired).subspan(part.first_fired, part.fired), repeats);
    }
}

void ModuleWalks::count(std::uint32_t c, std::uint64_t step, std::vector<std::uint64_t>& counts) const {
    const std::uint64_t steps = steps_until(walks_[c], step);
    if (steps == 0) return;
    for_each_part(walks_[c], 0, steps, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
        for (const std::uint32_t t : fired) counts[modules_.transitions[c][t]] += repeats;
    });
}

void ModuleWalks::fired_in(std::uint64_t step, std::vector<Firing>& firings) const {
    for (std::uint32_t c = 0; c < walks_.size(); ++c) {
        const Walk& walk = walks_[c];
        if (steps_until(walk, step) != step + 1 - walk.begun) continue;
        for_each_part(walk, step - walk.begun, 1, [&](std::span<const std::uint32_t> fired, std::uint64_t) {
            for (const std::uint32_t t : fired) firings.push_back({modules_.transitions[c][t], 1});
        });
    }
}

std::uint64_t ModuleWalks::firings_after(std::uint64_t step) const {
    std::uint64_t firings = 0;
    for (const Walk& walk : walks_) {
        const std::uint64_t done = steps_until(walk, step);
        if (done == 0) continue;
        const std::uint64_t left = walk.route->steps - done;
        for_each_part(walk, done, left, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
            firings += fired.size() * repeats;
        });
    }
    return firings;
}

void ModuleWalks::settle(std::uint64_t step, Marking& marking) const {
    const ModuleAutomaton& automaton = modules_.automaton;
    for (std::uint32_t c = 0; c < walks_.size(); ++c) {
        const Walk& walk = walks_[c];
        const std::uint64_t done = steps_until(walk, step);
        const bool arrived = walk.route == nullptr || done == walk.route->steps;
        const auto row =
            automaton.markings[arrived ? walk.node.number : automaton.segments[walk.route->segment].origin];
        for (std::size_t i = 0; i < row.size(); ++i) marking[modules_.places[c][i]] = row[i];
        const auto supplies = modules_.supplies[c];
        for (std::size_t i = 0; i < supplies.size(); ++i) marking[supplies[i]] = walk.supplies[i];
        if (arrived) continue;
        const Segment& segment = automaton.segments[walk.route->segment];
        for (std::uint32_t i = 0; i < segment.uses; ++i) {
            const SupplyUse& use = automaton.uses[segment.first_use + i];
            marking[supplies[use.supply]] += use.weight;
        }
        for_each_part(walk, 0, done, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
            for (const std::uint32_t t : fired) {
                for (const Effect& effect : net_.effects[modules_.transitions[c][t]]) {
                    if (!modules_.is_hub(effect.place))
                        marking[effect.place] += effect.delta * static_cast<Tokens>(repeats);
                }
            }
        });
    }
}

HubConflict::HubConflict(const CompiledNet& net, const ModuleNet& modules, const ModuleWalks& walks,
                         const RunOptions& options)
    : modules_(modules),
      walks_(walks),
      order_(options, net.transition_count()),
      draws_(order_.random()),
      uniform_(options.policy == Policy::random && !options.keyed),
      counters_(modules.start_counters),
      waiting_(modules_.automaton.demand_classes.size()),
      members_(waiting_.size() * modules_.size()) {
    counters_.push_back(1);
    first_unmet_ = counters_.data() + modules_.hubs.size();
    last_unmet_ = first_unmet_ + modules_.loops.size();
    lendable_ = uniform_ && !waiting_.empty() && is_one_pair();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const auto wanted = demands(static_cast<std::uint32_t>(i));
        std::uint32_t* const members = members_.data() + i * modules_.size();
        if (wanted.size() > 1) several_demands_ |= std::uint64_t{1} << i;
        waiting_[i] = {members, members, &counters_[wanted.front().place], wanted.front().weight};
    }
}

/// Whether the modules and loops depend on one pair of timed counters only: a hub, and a counter that
/// determines all loops.
bool HubConflict::is_one_pair() const {
    const auto& timed = modules_.automaton.timed;
    return timed.size() == 2 && timed[0] < modules_.hubs.size() && timed[1] >= modules_.hubs.size() &&
           (modules_.loops.empty() || (modules_.loops.size() == 1 && timed[1] == modules_.hubs.size()));
}

std::optional<HubConflict::OneClass> HubConflict::release() {
    // No overflow is possible within the steps of a share, because a step wins at most 2^16 tokens (see
    // find_modules()).
    constexpr std::int64_t most = std::int64_t{1} << 30;
    if (!lendable_ || (busy_ & (busy_ - 1)) != 0) return std::nullopt;
    if (busy_ != 0) released_class_ = static_cast<std::uint32_t>(std::countr_zero(busy_));
    const Waiting& waiting = waiting_[released_class_];
    const auto& timed = modules_.automaton.timed;
    if ((several_demands_ >> released_class_ & 1) != 0 || waiting.hub != &counters_[timed[0]] ||
        *waiting.hub > most || waiting.weight > most)
        return std::nullopt;
    return OneClass{released_class_, static_cast<std::int32_t>(waiting.weight), waiting.begin,
                    static_cast<std::uint32_t>(waiting.end - waiting.begin),
                    counters_[timed[0]] + (counters_[timed[1]] << 32)};
}

void HubConflict::reacquire(const OneClass& released) {
    const auto low = static_cast<std::int32_t>(released.pair);
    counters_[modules_.automaton.timed[0]] = low;
    counters_[modules_.automaton.timed[1]] = (released.pair - low) >> 32;
    waiting_[released.number].end = released.members + released.size;
    const std::uint64_t bit = std::uint64_t{1} << released.number;
    busy_ = released.size > 0 ? busy_ | bit : busy_ & ~bit;
}

std::size_t HubConflict::loops_that_fire(std::int64_t pair) {
    counters_[modules_.automaton.timed[0]] = static_cast<std::int32_t>(pair);
    counters_[modules_.automaton.timed[1]] = pair >> 32;
    find_enabled_loops();
    return looping_.size();
}

void HubConflict::take(std::span<const PlaceWeight> demands, Tokens times) {
    for (const auto [hub, weight] : demands) counters_[hub] -= weight * times;
}

void HubConflict::want(std::span<const PlaceWeight> demands, Tokens times) {
    for (const auto [hub, weight] : demands) wanted_[hub] += weight * times;
}

/// Whether a hub cannot serve all modules and loops that demand tokens from it.
bool HubConflict::is_short(std::span<const PlaceWeight> demands) const {
    return std::any_of(demands.begin(), demands.end(),
                       [&](PlaceWeight demand) { return wanted_[demand.place] > counters_[demand.place]; });
}

void HubConflict::find_enabled_loops() {
    looping_.clear();
    for (std::uint32_t i = 0; i < modules_.loops.size(); ++i) {
        if (counters_[modules_.hubs.size() + i] != 0) continue;
        const HubLoop& loop = modules_.loops[i];
        const bool holds = std::all_of(loop.hub_tests.begin(), loop.hub_tests.end(), [&](const Watch& test) {
            return meets(counters_[test.transition], test.threshold);
        });
        if (holds && fits(loop.takes)) looping_.push_back(i);
    }
}

bool HubConflict::loops_compete() {
    wanted_.assign(modules_.hubs.size(), 0);
    for (const std::uint32_t loop : looping_) want(modules_.loops[loop].takes, 1);
    return std::any_of(looping_.begin(), looping_.end(),
                       [&](std::uint32_t loop) { return is_short(modules_.loops[loop].takes); });
}

std::span<const std::uint32_t> HubConflict::serve_classes(std::uint64_t step) {
    winners_.clear();
    find_competitors();
    if (open_.empty()) return winners_;
    const std::size_t uncontested = looping_.size();
    if (uniform_) {
        draw_winners();
    } else {
        order_winners(step);
    }
    for (std::size_t i = uncontested; i < looping_.size(); ++i)  // loops return the tokens that they took
        take(modules_.loops[looping_[i]].takes, -1);
    return winners_;
}

/// Lets all candidates without demands on short hubs win. All remaining candidates become open_.
void HubConflict::find_competitors() {
    wanted_.assign(modules_.hubs.size(), 0);
    for (std::uint64_t rest = busy_; rest != 0; rest &= rest - 1) {
        const auto demand_class = static_cast<std::uint32_t>(std::countr_zero(rest));
        want(demands(demand_class), static_cast<Tokens>(waiting_[demand_class].members().size()));
    }
    for (const std::uint32_t loop : looping_) want(modules_.loops[loop].takes, 1);
    open_.clear();
    std::uint64_t uncontested = 0;
    for (std::uint64_t rest = busy_; rest != 0; rest &= rest - 1) {
        const auto demand_class = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (is_short(demands(demand_class))) {
            open_.push_back({demand_class, false});
        } else {
            uncontested |= std::uint64_t{1} << demand_class;
        }
    }
    std::erase_if(looping_, [&](std::uint32_t loop) {
        const bool contested = is_short(modules_.loops[loop].takes);
        if (contested) open_.push_back({loop, true});
        return contested;
    });
    for (std::uint64_t rest = uncontested; rest != 0; rest &= rest - 1) {
        const auto demand_class = static_cast<std::uint32_t>(std::countr_zero(rest));
        Waiting& waiting = waiting_[demand_class];
        const auto members = waiting.members();
        take(demands(demand_class), static_cast<Tokens>(members.size()));
        winners_.insert(winners_.end(), members.begin(), members.end());
        waiting.end = waiting.begin;
    }
    busy_ &= ~uncontested;
}

/// Removes a member from its class.
void HubConflict::win(std::uint32_t demand_class, std::uint32_t rank) {
    Waiting& waiting = waiting_[demand_class];
    std::uint32_t& winner = waiting.begin[rank];
    winners_.push_back(winner);
    winner = *--waiting.end;
    if (waiting.end == waiting.begin) busy_ &= ~(std::uint64_t{1} << demand_class);
}

/// Draws winners in a uniform order of all candidates, without drawing the losers. Tokens only shrink within
/// a step, so a class that a hub cannot serve now stays blocked.
void HubConflict::draw_winners() {
    for (;;) {
        std::uint32_t total = 0;
        std::erase_if(open_, [&](Competitor open) {
            const std::uint32_t count = candidates(open);
            if (count == 0 || !fits(demands(open))) return true;
            total += count;
            return false;
        });
        if (total == 0) return;
        std::uint32_t rank = draws_.below(total);
        auto open = open_.begin();
        for (; rank >= candidates(*open); ++open) rank -= candidates(*open);
        take(demands(*open));
        if (open->loop) {
            looping_.push_back(open->number);
            open_.erase(open);
        } else {
            win(open->number, rank);
        }
    }
}

/// Serves all candidates in the order of the policy.
void HubConflict::order_winners(std::uint64_t step) {
    competing_.clear();
    for (const Competitor open : open_) {
        if (open.loop) {
            competing_.push_back(modules_.loops[open.number].transition);
            continue;
        }
        for (const std::uint32_t c : waiting_[open.number].members()) competing_.push_back(transition_of(c));
    }
    std::sort(competing_.begin(), competing_.end());
    order_.go_to_round(step);
    order_.arrange(competing_);
    for (const std::uint32_t t : competing_) {
        const std::uint32_t owner = modules_.owner[t];
        if (owner >= modules_.size()) {
            const auto loop = static_cast<std::uint32_t>(owner - modules_.size());
            if (!fits(modules_.loops[loop].takes)) continue;
            take(modules_.loops[loop].takes);
            looping_.push_back(loop);
        } else if (const std::uint32_t demand_class = class_of(owner); fits(demands(demand_class))) {
            take(demands(demand_class));
            const auto members = waiting_[demand_class].members();
            const auto at = std::find(members.begin(), members.end(), owner);
            win(demand_class, static_cast<std::uint32_t>(at - members.begin()));
        }
    }
}

}  // namespace warpnet

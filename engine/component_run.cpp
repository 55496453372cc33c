#include "engine/component_run.hpp"

#include "engine/component_calendar.hpp"
#include "engine/component_net.hpp"
#include "engine/conflict_order.hpp"
#include "engine/stop_check.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// Two uniform draws out of each random number.
class Draws {
  public:
    explicit Draws(CounterRandom random) : random_(random) {}

    /// Exactly uniform in [0, bound), bound >= 1 (Lemire, ACM TOMACS 29, 2019).
    std::uint32_t below(std::uint32_t bound) {
        std::uint64_t product = half() * bound;
        if (static_cast<std::uint32_t>(product) < bound) {
            const std::uint32_t threshold = static_cast<std::uint32_t>(-bound) % bound;
            while (static_cast<std::uint32_t>(product) < threshold) product = half() * bound;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

  private:
    std::uint64_t half() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        const std::uint64_t number = random_.next();
        spare_ = number & 0xffffffff;
        has_spare_ = true;
        return number >> 32;
    }

    CounterRandom random_;
    std::uint64_t spare_ = 0;
    bool has_spare_ = false;
};

/// One run.
class ComponentExecutor {
  public:
    ComponentExecutor(const CompiledNet& net, const RunOptions& options, Observer* observer)
        : net_(net),
          parts_(*net.components),
          automaton_(parts_.automaton),
          options_(options),
          observer_(observer),
          order_(options, net.transition_count()),
          draws_(order_.random()),
          uniform_(options.policy == Policy::random && !options.keyed),
          stop_(options),
          calendar_(parts_.size(), parts_.counters(), 2 * std::uint64_t{parts_.longest_segment}),
          walks_(parts_.size()),
          waiting_(automaton_.demand_classes.size()) {
        result_.run = options.run;
        if (options.count_firings) result_.counts.assign(net.transition_count(), 0);
        if (observer != nullptr) observed_ = net.initial;
        for (const std::uint32_t hub : parts_.hubs) counters_.push_back(net.initial[hub]);
        for (const HubLoop& loop : parts_.loops) counters_.push_back(initially_unmet(loop));
        for (auto& members : waiting_) members.reserve(parts_.size());
        for (const std::uint32_t place : parts_.supplies.all()) supplies_.push_back(net.initial[place]);
        for (std::uint32_t c = 0; c < parts_.size(); ++c) {
            walks_[c].node = parts_.start[c];
            arrive(c);
        }
    }

    RunResult run() && {
        result_.reason = run_until_stopped();
        result_.steps = now_;
        result_.marking = settle();
        return std::move(result_);
    }

  private:
    static constexpr std::uint32_t no_segment = 0xffffffff;

    /// Where a component is: on its way through one or two segments, then at a node.
    struct Walk {
        std::uint64_t begun = 0;  // the first step of the first segment
        std::uint32_t first = no_segment;
        std::uint32_t second = no_segment;
        std::uint32_t node = 0;
    };

    Tokens initially_unmet(const HubLoop& loop) const {
        Tokens unmet = 0;
        for (const auto [place, weight] : net_.reads[loop.transition])
            unmet += !is_hub(place) && net_.initial[place] < weight ? 1 : 0;
        for (const auto [place, weight] : net_.inhibitors[loop.transition])
            unmet += !is_hub(place) && net_.initial[place] >= weight ? 1 : 0;
        return unmet;
    }
    bool is_hub(std::uint32_t place) const {
        return std::binary_search(parts_.hubs.begin(), parts_.hubs.end(), place);
    }

    // --- time

    StopReason run_until_stopped() {
        for (;;) {
            if (!parts_.loops.empty()) find_enabled_loops();
            const Service service = find_service();
            if (service == Service::nobody && looping_.empty() && calendar_.empty() && continuing_.empty())
                return StopReason::dead;
            if (const auto reason = stop_.reached(now_, false, 0)) return *reason;
            serve(service, now_ + 1);
            const std::uint64_t begun = now_ + 1;
            now_ = service == Service::nobody ? end_of_pause() : begun;
            if (!looping_.empty()) count_loops(now_ + 1 - begun);
            if (observer_ != nullptr) observe(begun);
            if (calendar_.is_due(now_))
                calendar_.take(now_, counters_.data(), [&](std::uint32_t c) { arrive(c); });
        }
    }

    /// Until which step nothing happens to the hubs but what loops do to them.
    std::uint64_t end_of_pause() {
        result_.endless = calendar_.empty();
        return result_.endless ? options_.max_steps
                               : std::min(calendar_.next_due(now_ + 1), options_.max_steps);
    }

    void count_loops(std::uint64_t steps) {
        result_.firings += looping_.size() * steps;
        if (!options_.count_firings) return;
        for (const std::uint32_t loop : looping_) result_.counts[parts_.loops[loop].transition] += steps;
    }

    // --- components

    /// A component is at its node after step now_ (0: at the beginning).
    void arrive(std::uint32_t c) {
        const Node& node = automaton_.nodes[walks_[c].node];
        if (node.kind == Node::Kind::waiting) {
            waiting_[node.demand_class].push_back(c);
            busy_classes_ |= std::uint64_t{1} << node.demand_class;
        } else if (node.kind == Node::Kind::choosing) {
            continuing_.push_back(c);
        }
    }

    /// A component sets out from its node in a step: its way to the next node or the one after that.
    void set_out(std::uint32_t c, std::uint64_t step) {
        Walk& walk = walks_[c];
        if (options_.count_firings) count_walk(c, steps_of(walk));
        walk.begun = step;
        walk.first = choose(c, walk.node, step);
        step = follow(c, walk.first, step);
        walk.second = no_segment;
        if (automaton_.nodes[walk.node].kind == Node::Kind::choosing) {
            walk.second = choose(c, walk.node, step);
            step = follow(c, walk.second, step);
        }
        calendar_.arrive(step - 1, c);
    }

    std::uint32_t choose(std::uint32_t c, std::uint32_t number, std::uint64_t step) {
        const Node& node = automaton_.nodes[number];
        const std::uint32_t* orders = automaton_.orders.data() + node.first_order;
        if (node.orders == 1 || options_.policy == Policy::first) return orders[0];
        if (uniform_) return orders[draws_.below(node.orders)];
        if (options_.policy == Policy::last) return orders[node.orders - 1];
        competitors_.clear();
        for (std::uint32_t i = 0; i < node.competitors; ++i) {
            competitors_.push_back(parts_.transitions[c][automaton_.competitors[node.first_competitor + i]]);
        }
        order_.go_to_round(step);
        order_.arrange(competitors_);
        return orders[ComponentAutomaton::rank_of_order(competitors_)];
    }

    /// Enters the effects of a segment that begins in a step, and finds where it leads. Returns the step
    /// after its last one.
    std::uint64_t follow(std::uint32_t c, std::uint32_t number, std::uint64_t step) {
        const Segment& segment = automaton_.segments[number];
        const TimedEffect* effect = automaton_.effects.data() + segment.first_effect;
        for (const TimedEffect* const end = effect + segment.effects; effect != end; ++effect)
            calendar_.add(step + effect->offset, effect->counter, effect->delta);
        std::size_t target = segment.first_target;
        const SupplyUse* use = automaton_.uses.data() + segment.first_use;
        for (const SupplyUse* const end = use + segment.uses; use != end; ++use) {
            Tokens& left = supplies_[parts_.supplies.first(c) + use->supply];
            left -= use->weight;
            if (left < use->capacity) target += use->stride * static_cast<std::size_t>(use->capacity - left);
        }
        walks_[c].node = automaton_.targets[target];
        result_.firings += segment.firings;
        return step + segment.steps;
    }

    // --- hubs

    /// Who of the waiting is served in the next step.
    enum class Service : std::uint8_t { nobody, one_class, several };

    void find_enabled_loops() {
        looping_.clear();
        for (std::uint32_t i = 0; i < parts_.loops.size(); ++i) {
            if (counters_[parts_.hubs.size() + i] != 0) continue;
            const HubLoop& loop = parts_.loops[i];
            const bool holds =
                std::all_of(loop.hub_tests.begin(), loop.hub_tests.end(), [&](const Watch& test) {
                    const Tokens tokens = counters_[test.transition];
                    return test.threshold > 0 ? tokens >= test.threshold : tokens < -Tokens{test.threshold};
                });
            if (holds && fits(loop.takes, counters_.data())) looping_.push_back(i);
        }
    }

    static bool fits(std::span<const PlaceWeight> demands, const Tokens* tokens) {
        return std::all_of(demands.begin(), demands.end(),
                           [&](PlaceWeight demand) { return tokens[demand.place] >= demand.weight; });
    }
    static void take(std::span<const PlaceWeight> demands, Tokens* tokens) {
        for (const auto [hub, weight] : demands) tokens[hub] -= weight;
    }

    Service find_service() {
        bool served = false;
        for (std::uint64_t rest = busy_classes_; rest != 0; rest &= rest - 1)
            served |= fits(demands(static_cast<std::uint32_t>(std::countr_zero(rest))), counters_.data());
        if (!served) return looping_.size() > 1 && loops_compete() ? Service::several : Service::nobody;
        const bool one = uniform_ && looping_.empty() && (busy_classes_ & (busy_classes_ - 1)) == 0;
        return one && demands(only_class()).size() == 1 ? Service::one_class : Service::several;
    }
    std::uint32_t only_class() const { return static_cast<std::uint32_t>(std::countr_zero(busy_classes_)); }
    std::span<const PlaceWeight> demands(std::uint32_t demand_class) const {
        return automaton_.demand_classes[demand_class];
    }

    bool loops_compete() {
        wanted_.assign(parts_.hubs.size(), 0);
        for (const std::uint32_t loop : looping_) want(parts_.loops[loop].takes, 1);
        return std::any_of(looping_.begin(), looping_.end(),
                           [&](std::uint32_t loop) { return is_short(parts_.loops[loop].takes); });
    }
    void want(std::span<const PlaceWeight> demands, std::size_t times) {
        for (const auto [hub, weight] : demands) wanted_[hub] += weight * static_cast<Tokens>(times);
    }
    bool is_short(std::span<const PlaceWeight> demands) const {
        return std::any_of(demands.begin(), demands.end(), [&](PlaceWeight demand) {
            return wanted_[demand.place] > counters_[demand.place];
        });
    }

    /// Sends out who fires in a step: those the hubs serve, and those who wait for nothing. What they do to
    /// hubs and loops stands in the calendar, so nobody sees it within the step.
    void serve(Service service, std::uint64_t step) {
        if (service == Service::one_class) {
            serve_one_class(step);
        } else if (service == Service::several) {
            serve_classes();
            for (const std::uint32_t c : winners_) set_out(c, step);
            winners_.clear();
        }
        for (const std::uint32_t c : continuing_) set_out(c, step);
        continuing_.clear();
    }

    void serve_one_class(std::uint64_t step) {
        const std::uint32_t demand_class = only_class();
        const auto [hub, weight] = demands(demand_class).front();
        std::vector<std::uint32_t>& members = waiting_[demand_class];
        Tokens tokens = counters_[hub];
        for (auto left = static_cast<std::uint32_t>(members.size()); left > 0 && tokens >= weight; --left) {
            tokens -= weight;
            std::uint32_t& winner = members[draws_.below(left)];
            set_out(winner, step);
            winner = members.back();
            members.pop_back();
        }
        counters_[hub] = tokens;
        if (members.empty()) busy_classes_ = 0;
    }

    /// Finds the winners among all classes and enabled loops; only loops that fire stay in looping_.
    void serve_classes() {
        wanted_.assign(parts_.hubs.size(), 0);
        for (std::uint64_t rest = busy_classes_; rest != 0; rest &= rest - 1) {
            const auto demand_class = static_cast<std::uint32_t>(std::countr_zero(rest));
            want(demands(demand_class), waiting_[demand_class].size());
        }
        for (const std::uint32_t loop : looping_) want(parts_.loops[loop].takes, 1);
        open_.clear();
        std::uint64_t uncontested = 0;
        for (std::uint64_t rest = busy_classes_; rest != 0; rest &= rest - 1) {
            const auto demand_class = static_cast<std::uint32_t>(std::countr_zero(rest));
            if (is_short(demands(demand_class))) {
                open_.push_back({demand_class, false});
            } else {
                uncontested |= std::uint64_t{1} << demand_class;
            }
        }
        std::erase_if(looping_, [&](std::uint32_t loop) {
            const bool contested = is_short(parts_.loops[loop].takes);
            if (contested) open_.push_back({loop, true});
            return contested;
        });
        for (std::uint64_t rest = uncontested; rest != 0; rest &= rest - 1) {
            const auto demand_class = static_cast<std::uint32_t>(std::countr_zero(rest));
            auto& members = waiting_[demand_class];
            for (const auto [hub, weight] : demands(demand_class))
                counters_[hub] -= weight * static_cast<Tokens>(members.size());
            winners_.insert(winners_.end(), members.begin(), members.end());
            members.clear();
        }
        busy_classes_ &= ~uncontested;
        if (open_.empty()) return;
        const std::size_t loops = looping_.size();
        if (uniform_) {
            draw_winners();
        } else {
            order_winners();
        }
        for (std::size_t i = loops; i < looping_.size(); ++i) {  // what contested loops took, they give back
            for (const auto [hub, weight] : parts_.loops[looping_[i]].takes) counters_[hub] += weight;
        }
    }

    /// Classes and loops that compete; what they take is taken from counters_ at once.
    struct Competitor {
        std::uint32_t number;
        bool loop;
    };
    std::span<const PlaceWeight> demands(Competitor competitor) const {
        return competitor.loop ? std::span<const PlaceWeight>(parts_.loops[competitor.number].takes)
                               : demands(competitor.number);
    }
    std::uint32_t candidates(Competitor competitor) const {
        return competitor.loop ? 1 : static_cast<std::uint32_t>(waiting_[competitor.number].size());
    }

    /// A uniform order of all candidates, of which only those are drawn who win: tokens only shrink within a
    /// step, so a class that a hub cannot serve now stays blocked.
    void draw_winners() {
        for (;;) {
            std::uint32_t total = 0;
            std::erase_if(open_, [&](Competitor open) {
                const std::uint32_t count = candidates(open);
                if (count == 0 || !fits(demands(open), counters_.data())) return true;
                total += count;
                return false;
            });
            if (total == 0) return;
            std::uint32_t rank = draws_.below(total);
            auto open = open_.begin();
            for (; rank >= candidates(*open); ++open) rank -= candidates(*open);
            take(demands(*open), counters_.data());
            if (open->loop) {
                looping_.push_back(open->number);
                open_.erase(open);
                continue;
            }
            auto& members = waiting_[open->number];
            winners_.push_back(members[rank]);
            members[rank] = members.back();
            members.pop_back();
            if (members.empty()) busy_classes_ &= ~(std::uint64_t{1} << open->number);
        }
    }

    /// All candidates in the order of the policy.
    void order_winners() {
        competitors_.clear();
        for (const Competitor open : open_) {
            if (open.loop) {
                competitors_.push_back(parts_.loops[open.number].transition);
                continue;
            }
            for (const std::uint32_t c : waiting_[open.number])
                competitors_.push_back(parts_.transitions[c][waited_for(c)]);
        }
        std::sort(competitors_.begin(), competitors_.end());
        order_.go_to_round(now_ + 1);
        order_.arrange(competitors_);
        for (const std::uint32_t t : competitors_) {
            const std::uint32_t owner = parts_.owner[t];
            const bool loop = owner >= parts_.size();
            const auto number = static_cast<std::uint32_t>(owner - (loop ? parts_.size() : 0));
            const auto wanted = loop ? demands(Competitor{number, true})
                                     : demands(automaton_.nodes[walks_[number].node].demand_class);
            if (!fits(wanted, counters_.data())) continue;
            take(wanted, counters_.data());
            if (loop) {
                looping_.push_back(number);
                continue;
            }
            winners_.push_back(number);
            auto& members = waiting_[automaton_.nodes[walks_[number].node].demand_class];
            *std::find(members.begin(), members.end(), number) = members.back();
            members.pop_back();
            if (members.empty())
                busy_classes_ &= ~(std::uint64_t{1} << automaton_.nodes[walks_[number].node].demand_class);
        }
    }
    std::uint32_t waited_for(std::uint32_t c) const {
        return automaton_.competitors[automaton_.nodes[walks_[c].node].first_competitor];
    }

    // --- looking into walks

    std::uint64_t steps_of(const Walk& walk) const {
        std::uint64_t steps = 0;
        for (const std::uint32_t segment : {walk.first, walk.second}) {
            if (segment != no_segment) steps += automaton_.segments[segment].steps;
        }
        return steps;
    }

    /// Calls visit(transitions of the component, how many steps in a row) for `steps` steps of a walk, some
    /// steps after its beginning.
    template <class Visit>
    void for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps, Visit&& visit) const {
        for (const std::uint32_t number : {walk.first, walk.second}) {
            if (number == no_segment) continue;
            const Segment& segment = automaton_.segments[number];
            for (std::uint32_t i = 0; i < segment.parts && steps > 0; ++i) {
                const PathPart& part = automaton_.parts[segment.first_part + i];
                const std::uint64_t skipped = std::min<std::uint64_t>(skip, part.repeats);
                const std::uint64_t repeats = std::min(part.repeats - skipped, steps);
                skip -= skipped;
                steps -= repeats;
                if (repeats > 0)
                    visit(std::span(automaton_.fired).subspan(part.first_fired, part.fired), repeats);
            }
        }
    }

    /// Adds the first `steps` steps of a component's walk to the counts.
    void count_walk(std::uint32_t c, std::uint64_t steps) {
        for_each_part(walks_[c], 0, steps, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
            for (const std::uint32_t t : fired) result_.counts[parts_.transitions[c][t]] += repeats;
        });
    }

    /// Shows the steps from `step` to now_ one by one.
    void observe(std::uint64_t step) {
        for (; step <= now_; ++step) {
            seen_.clear();
            for (const std::uint32_t loop : looping_) seen_.push_back({parts_.loops[loop].transition, 1});
            for (std::uint32_t c = 0; c < parts_.size(); ++c) {
                const Walk& walk = walks_[c];
                if (walk.first == no_segment || step - walk.begun >= steps_of(walk)) continue;
                for_each_part(walk, step - walk.begun, 1,
                              [&](std::span<const std::uint32_t> fired, std::uint64_t) {
                                  for (const std::uint32_t t : fired)
                                      seen_.push_back({parts_.transitions[c][t], 1});
                              });
            }
            std::sort(seen_.begin(), seen_.end(),
                      [](const Firing& a, const Firing& b) { return a.transition < b.transition; });
            for (const Firing& firing : seen_) {
                for (const Effect& effect : net_.effects[firing.transition])
                    observed_[effect.place] += effect.delta;
            }
            observer_->step(step, false, seen_, observed_);
        }
    }

    /// The marking after step now_; completes the numbers of firings.
    Marking settle() {
        Marking marking = net_.initial;
        for (std::size_t hub = 0; hub < parts_.hubs.size(); ++hub) marking[parts_.hubs[hub]] = counters_[hub];
        for (std::uint32_t c = 0; c < parts_.size(); ++c) {
            const Walk& walk = walks_[c];
            const std::uint64_t all = steps_of(walk);
            const std::uint64_t done = all == 0 ? 0 : std::min(all, now_ + 1 - walk.begun);
            if (options_.count_firings) count_walk(c, done);
            const bool arrived = done == all;
            const auto row =
                automaton_.markings[arrived ? walk.node : automaton_.segments[walk.first].origin];
            for (std::size_t i = 0; i < row.size(); ++i) marking[parts_.places[c][i]] = row[i];
            const auto supplies = parts_.supplies[c];
            for (std::size_t i = 0; i < supplies.size(); ++i)
                marking[supplies[i]] = supplies_[parts_.supplies.first(c) + i];
            if (!arrived) settle_walk(c, done, marking);
        }
        return marking;
    }

    /// Of a component that has not arrived yet: `marking` holds what it had at the beginning of its walk, but
    /// for the supplies.
    void settle_walk(std::uint32_t c, std::uint64_t done, Marking& marking) {
        const Walk& walk = walks_[c];
        for (const std::uint32_t number : {walk.first, walk.second}) {
            if (number == no_segment) continue;
            const Segment& segment = automaton_.segments[number];
            for (std::uint32_t i = 0; i < segment.uses; ++i) {
                const SupplyUse& use = automaton_.uses[segment.first_use + i];
                marking[parts_.supplies[c][use.supply]] += use.weight;
            }
            result_.firings -= segment.firings;
        }
        for_each_part(walk, 0, done, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
            result_.firings += fired.size() * repeats;
            for (const std::uint32_t t : fired) {
                for (const Effect& effect : net_.effects[parts_.transitions[c][t]]) {
                    if (!is_hub(effect.place))
                        marking[effect.place] += effect.delta * static_cast<Tokens>(repeats);
                }
            }
        });
    }

    const CompiledNet& net_;
    const ComponentNet& parts_;
    const ComponentAutomaton& automaton_;
    const RunOptions& options_;
    Observer* observer_;
    ConflictOrder order_;
    Draws draws_;
    bool uniform_;  // draws are made rather than orders formed
    StopCheck stop_;
    ComponentCalendar calendar_;
    std::uint64_t now_ = 0;
    std::vector<Walk> walks_;
    std::vector<Tokens> counters_;  // tokens of the hubs, then unmet conditions of the loops
    std::vector<Tokens> supplies_;  // what is left after the walks
    std::vector<std::vector<std::uint32_t>> waiting_;  // per demand class: components, in any order
    std::uint64_t busy_classes_ = 0;                   // those in which somebody waits
    std::vector<std::uint32_t> continuing_;            // components that set out in the next step anyway
    std::vector<std::uint32_t> looping_;               // loops that fire in the next step
    std::vector<std::uint32_t> winners_, competitors_;
    std::vector<Competitor> open_;
    std::vector<Tokens> wanted_;  // per hub
    RunResult result_;
    Marking observed_;
    std::vector<Firing> seen_;
};

}  // namespace

bool runs_by_components(const CompiledNet& net, const RunOptions& options) {
    return net.components != nullptr && options.semantics == Semantics::maximal &&
           (options.policy == Policy::random || options.policy == Policy::first ||
            options.policy == Policy::last);
}

RunResult component_run(const CompiledNet& net, const RunOptions& options, Observer* observer) {
    return ComponentExecutor(net, options, observer).run();
}

}  // namespace warpnet

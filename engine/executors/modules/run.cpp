// The module executor. A run stores one arrival per module and the future changes of the counters on a timing
// wheel (ModuleCalendar). So the cost depends on the interactions of modules with hubs and not on the number
// of steps. In each step all waiting modules are served if the hubs suffice. Otherwise winners are drawn
// among the classes of equal demands, together with the enabled hub loops, as in the general executor. Tokens
// that winners give back at once are added after the last draw of the step.
//
// Most steps only serve modules that wait for one hub with one demand, such as the scheduler.
// make_simple_steps() executes them in a loop that keeps its data in registers: the two counters as one
// number, the busy slots as one word (for latencies of up to 60 steps), and modules as records of one cache
// line. Any other event ends the loop, and the step is then made as described above.
//
// Step limits, observers and counts need markings and firings in the middle of a segment. They are
// reconstructed from the path of the segment (ModuleWalks), so a run is the same with and without an
// observer.

#include "engine/base/no_index.hpp"
#include "engine/executors/loop/run_loop.hpp"
#include "engine/executors/modules/calendar.hpp"
#include "engine/executors/modules/hub_conflict.hpp"
#include "engine/executors/modules/net.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// One run of the module executor.
class ModuleRun final : public RunLoop<ModuleRun> {
  public:
    ModuleRun(const CompiledNet& net, const ModuleNet& modules, const RunOptions& options, Observer* observer)
        : RunLoop(net, options, observer),
          net_(net),
          modules_(modules),
          automaton_(modules_.automaton),
          walks_(net, modules),
          conflict_(net, modules, walks_, options_),
          calendar_(modules_.size(), automaton_.timed, modules_.longest_segment),
          simple_(conflict_.uniform() && observer == nullptr && !options.count_firings),
          display_(net, observer) {
        if (options.count_firings) result_.counts.assign(net.transition_count(), 0);
        for (std::uint32_t c = 0; c < modules_.size(); ++c) arrive(c);
    }

    std::uint64_t now() const { return now_; }

    std::optional<StopReason> stop_before_step() {
        if (!simple_) return std::nullopt;
        const std::uint64_t last = now_ + steps_between_looks;
        if (continuing_.empty()) make_simple_steps(std::min(last, options_.max_steps));
        return now_ == last ? stop_.asked_to() : std::nullopt;
    }

    bool find(bool /*immediate*/) {
        service_ = conflict_.next_service();
        return service_ != Service::nothing || !continuing_.empty() || !conflict_.looping().empty();
    }

    /// A step from which on something is due, if anything is; repeat() finds the exact step.
    std::uint64_t next_due() const { return calendar_.empty() ? never : now_ + 1; }

    bool repeats(std::uint64_t /*due*/) const { return service_ == Service::nothing && continuing_.empty(); }

    /// Makes the steps until the next module is due. In these steps only hub loops fire.
    bool repeat(std::uint64_t due) {
        return make_steps(due == never ? options_.max_steps
                                       : std::min(calendar_.next_due(now_ + 1), options_.max_steps));
    }

    bool fire(bool /*immediate*/, std::uint64_t /*due*/) { return make_steps(now_ + 1); }

    void collect(RunResult& result) {
        result.firings -= walks_.firings_after(now_);
        if (options_.count_firings) {
            for (std::uint32_t c = 0; c < modules_.size(); ++c) walks_.count(c, now_, result.counts);
        }
        result.marking = net_.initial;
        walks_.settle(now_, result.marking);
        for (std::size_t i = 0; i < modules_.hubs.size(); ++i)
            result.marking[modules_.hubs[i]] = conflict_.counters()[i];
    }

  private:
    using Service = HubConflict::Service;

    static constexpr std::uint64_t steps_between_looks = 1024;  // checks of the clock

    /// Makes the step after now_, and the steps up to `until` in which the same loops and nothing else fire.
    bool make_steps(std::uint64_t until) {
        const std::uint64_t step = now_ + 1;
        send_out(step);
        now_ = until;
        if (!conflict_.looping().empty()) count_loops(now_ + 1 - step);
        if (observer_ != nullptr) observe(step);
        if (calendar_.is_due(now_))
            calendar_.take(now_, conflict_.counters(), [&](std::uint32_t c) { arrive(c); });
        return true;
    }

    /// Does the same as find(), repeat() and fire() up to step `last`, while only modules of one class
    /// compete for one hub. If a step would serve no module, time advances at once to the next due step.
    void make_simple_steps(std::uint64_t last) {
        auto released = conflict_.release();
        if (!released) return;
        calendar_.release([&](auto& calendar) { return make_simple_steps(last, *released, calendar); });
        conflict_.reacquire(*released);
    }

    /// Returns the number of modules on the way afterwards. The loop keeps its state in local variables,
    /// because the compiler then knows that no other code changes it.
    template <class Busy>
    std::size_t make_simple_steps(std::uint64_t last, HubConflict::OneClass& released,
                                  PairCalendar<Busy>& released_calendar) {
        HalfDraws draws = conflict_.draws();
        PairCalendar<Busy> calendar = released_calendar;
        ModuleWalks::Walk* const walks = walks_.data();
        std::uint32_t* const members = released.members;
        const std::int32_t weight = released.weight;
        std::size_t waiting = released.size;
        // The modules of the class that wait or are on the way.
        std::size_t here = waiting + calendar_.on_the_way();
        std::int64_t pair = released.pair;
        std::uint64_t now = now_, firings = 0;
        for (bool alone = true; alone && now < last;) {
            const std::uint64_t step = now + 1;
            if (pair >> 32 == 0) {
                if (waiting > 0 || here == 0) break;
                now = std::min(calendar.busy.next(step), last);
                firings += conflict_.loops_that_fire(pair) * (now - step + 1);
            } else if (auto tokens = static_cast<std::int32_t>(pair); waiting > 0 && tokens >= weight) {
                do {
                    std::uint32_t& winner = members[draws.below(static_cast<std::uint32_t>(waiting))];
                    const std::uint32_t c = winner;
                    winner = members[--waiting];
                    ModuleWalks::Walk& walk = walks[c];
                    const RouteNode& node = walk.node;
                    const Route& route = node.routes[node.orders > 1 ? draws.below(node.orders) : 0];
                    pair += route.at_once - weight;
                    calendar.add_and_arrive(step, route.pair_offset, route.deltas, route.steps - 1, c);
                    walk.start(route, step, automaton_);
                    if (route.more) [[unlikely]]
                        add_more(automaton_.segments[route.segment], step, calendar);
                    firings += route.firings;
                    tokens -= weight;
                } while (waiting > 0 && tokens >= weight);
                now = step;
            } else {
                if (waiting == here) break;
                now = calendar.busy.next(step);
                if (now > last) {
                    now = last;
                    break;
                }
            }
            if (!calendar.busy.is_busy(now)) continue;
            std::uint32_t c = calendar.take(now, pair);
            while (c != no_index) {
                const std::uint32_t next = calendar.next[c];
                if (walks[c].node.demand_class == released.number) [[likely]] {
                    members[waiting++] = c;
                } else {
                    alone = false;
                    --here;
                    arrive(c);
                }
                c = next;
            }
        }
        now_ = now;
        result_.firings += firings;
        released_calendar.busy = calendar.busy;
        released.size = static_cast<std::uint32_t>(waiting);
        released.pair = pair;
        conflict_.draws() = draws;
        return here - waiting;
    }

    /// Applies the effects of a segment that its route does not contain, while the first pair of counters is
    /// released.
    template <class Busy>
    void add_more(const Segment& segment, std::uint64_t step, PairCalendar<Busy>& calendar) {
        for (std::uint32_t i = 0; i < segment.at_once; ++i) {
            const TimedEffect& effect = automaton_.effects[segment.first_effect + i];
            if (!automaton_.is_in_first_pair(effect.counter))
                conflict_.counters()[effect.counter] += effect.delta;
        }
        for (std::uint32_t i = 1; i < segment.pairs; ++i) {
            const EffectPair& pair = automaton_.pairs[segment.first_pair + i];
            calendar.add(step + pair.offset, pair.deltas);
        }
    }

    /// A module arrives at a node after step now_; 0 is the beginning.
    void arrive(std::uint32_t c) {
        const RouteNode& node = walks_.node(c);
        if (node.kind == ModuleNode::Kind::waiting) {
            conflict_.wait(c, node.demand_class);
        } else if (node.kind == ModuleNode::Kind::choosing) {
            continuing_.push_back(c);
        }
    }

    /// Starts the segments of a step: those of the modules that the hubs serve, and those of modules that
    /// wait for nothing. All winners are determined before any tokens come back.
    void send_out(std::uint64_t step) {
        if (service_ == Service::one_class) {
            conflict_.serve_one_class([&](std::uint32_t c) { start(c, step); });
        } else if (service_ == Service::several) {
            for (const std::uint32_t c : conflict_.serve_classes(step)) start(c, step);
        }
        if (continuing_.empty()) return;
        for (const std::uint32_t c : continuing_) start(c, step);
        continuing_.clear();
    }

    void start(std::uint32_t c, std::uint64_t step) {
        if (options_.count_firings) walks_.count(c, step - 1, result_.counts);
        const RouteNode& node = walks_.node(c);
        std::uint32_t rank = 0;
        if (node.orders > 1)
            rank = conflict_.uniform() ? conflict_.draws().below(node.orders) : order(c, node, step);
        const Route& route = node.routes[rank];
        conflict_.counters()[route.counter] += route.delta;
        calendar_.add(step + route.pair_offset, route.pair, route.deltas);
        walks_.data()[c].start(route, step, automaton_);
        if (route.more) add_more(automaton_.segments[route.segment], step);
        calendar_.arrive(step + route.steps - 1, c);
        result_.firings += route.firings;
    }

    /// Applies the effects of a segment on hubs and loops that its route does not contain.
    void add_more(const Segment& segment, std::uint64_t step) {
        for (std::uint32_t i = 1; i < segment.at_once; ++i) {
            const TimedEffect& effect = automaton_.effects[segment.first_effect + i];
            conflict_.counters()[effect.counter] += effect.delta;
        }
        for (std::uint32_t i = 1; i < segment.pairs; ++i) {
            const EffectPair& pair = automaton_.pairs[segment.first_pair + i];
            calendar_.add(step + pair.offset, pair.pair, pair.deltas);
        }
    }

    /// The rank of the order in which the policy serves the competitors at a node.
    std::uint32_t order(std::uint32_t c, const RouteNode& route_node, std::uint64_t step) {
        if (options_.policy == Policy::first) return 0;
        if (options_.policy == Policy::last) return route_node.orders - 1;
        const ModuleNode& node = automaton_.nodes[route_node.number];
        competitors_.clear();
        for (std::uint32_t i = 0; i < node.competitors; ++i) {
            const std::uint32_t t = automaton_.competitors[node.first_competitor + i];
            competitors_.push_back(modules_.transitions[c][t]);
        }
        conflict_.order().go_to_round(step + node.choice_offset);
        conflict_.order().arrange(competitors_);
        return ModuleAutomaton::rank_of_order(competitors_);
    }

    void count_loops(std::uint64_t steps) {
        result_.firings += conflict_.looping().size() * steps;
        if (!options_.count_firings) return;
        for (const std::uint32_t loop : conflict_.looping())
            result_.counts[modules_.loops[loop].transition] += steps;
    }

    /// Shows the steps from `step` to now_ one by one.
    void observe(std::uint64_t step) {
        for (; step <= now_; ++step) {
            for (const std::uint32_t loop : conflict_.looping())
                display_.firings().push_back({modules_.loops[loop].transition, 1});
            walks_.fired_in(step, display_.firings());
            display_.show(step);
        }
    }

    const CompiledNet& net_;
    const ModuleNet& modules_;
    const ModuleAutomaton& automaton_;
    ModuleWalks walks_;
    HubConflict conflict_;
    ModuleCalendar calendar_;
    bool simple_;                         // only the result of the run is requested
    Service service_ = Service::nothing;  // in the next step
    std::uint64_t now_ = 0;
    std::vector<std::uint32_t> continuing_;  // modules that start a segment in the next step in any case
    std::vector<std::uint32_t> competitors_;
    StepDisplay display_;
};

}  // namespace

std::unique_ptr<RunInProgress> begin_module_run(const CompiledNet& net, const ModuleNet& modules,
                                                const RunOptions& options, Observer* observer) {
    return std::make_unique<ModuleRun>(net, modules, options, observer);
}

}  // namespace warpnet

// The search for nets whose modules meet only in hubs. A chain starts at the best of 600 strategies
// (ServiceStrategy), some drawn and the rest improved by small changes, followed by a short annealing over
// the patterns of that strategy. Starvation makes runs of these nets long, and strategies express it
// directly; that start alone gives the longest possible run of most nets of equal warps. Annealing with moves
// on stretches, gangs, periods and priorities adds the rest.

#include "analysis/worst/search/service_search.hpp"

#include "analysis/worst/search/annealing_rounds.hpp"
#include "analysis/worst/search/annealing_text.hpp"
#include "analysis/worst/search/service_moves.hpp"
#include "analysis/worst/search/service_starts.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/to_json.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/input/parse_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace warpnet::worst {

template <>
struct annealing::CandidateText<ServiceOrders> {
    static Json write(const ServiceOrders::Instance&, const ServiceOrder& order) {
        return {{"first", order.first}, {"priority", order.priority}, {"choice", order.choice}};
    }
    static ServiceOrder read(const ServiceOrders::Instance& instance, const Json& json) {
        ServiceOrder order{json.at("first"), json.at("priority"), json.at("choice")};
        const ServiceNet& net = instance->net;
        const auto& first = order.first;
        const bool fits =
            first.size() == net.rows() + 1 && first.front() == 0 &&
            std::adjacent_find(first.begin(), first.end(), std::greater_equal<>()) == first.end() &&
            order.priority.size() == first.back() && order.choice.size() == first.back() &&
            std::all_of(order.choice.begin(), order.choice.end(),
                        [&](std::uint8_t choice) { return choice < net.labels(); });
        if (!fits) throw InputError("checkpoint: an order that does not fit the net");
        return order;
    }
};

namespace {

constexpr int checkpoint_version = 3;
constexpr int strategies_of_a_start = 600;

constexpr std::array<ServiceMoveWeights, ServiceOrders::mixtures> move_mixtures{{{.exchange = 10,
                                                                                  .shift = 10,
                                                                                  .gather = 10,
                                                                                  .gang = 10,
                                                                                  .serve = 10,
                                                                                  .stretch = 10,
                                                                                  .swap = 5,
                                                                                  .copy = 5,
                                                                                  .relabel = 2,
                                                                                  .repeat = 5},
                                                                                 {.exchange = 20,
                                                                                  .shift = 10,
                                                                                  .gather = 5,
                                                                                  .gang = 2,
                                                                                  .serve = 20,
                                                                                  .stretch = 5,
                                                                                  .swap = 5,
                                                                                  .copy = 2,
                                                                                  .relabel = 10,
                                                                                  .repeat = 5}}};

using Json = annealing::Json;

/// The facts on which an order depends in addition to the net's own numbers: the ids, in a hash that is the
/// same for every file of the net.
std::uint64_t fingerprint(const ServiceNet& net) {
    std::uint64_t hash = hash_bits(net.rows(), net.labels());
    for (const Tokens tokens : net.net().initial) hash = hash_bits(hash, static_cast<std::uint64_t>(tokens));
    for (const PlaceWeight arc : net.net().inputs.all())
        hash = hash_bits(hash, (std::uint64_t{arc.place} << 32) ^ static_cast<std::uint64_t>(arc.weight));
    return hash;
}

std::int64_t value_of(const ServiceOutcome& outcome) { return static_cast<std::int64_t>(outcome.steps); }

/// The search for a first strategy.
class StrategySearch {
  public:
    StrategySearch(const ServiceInstance& instance, Objective objective, CounterRandom& random,
                   const WorkLimits& limits)
        : instance_(instance),
          objective_(objective),
          random_(random),
          limits_(limits),
          runner_(instance.net, instance.max_steps) {}

    /// Some drawn strategies, then small changes of the best so far, then an annealing over the pieces of its
    /// patterns. At least one strategy, and further ones until a limit is met.
    ServiceOrder best() {
        for (int i = 0; i < strategies_of_a_start; ++i) {
            if (i > 0 && limits_.must_end()) return std::move(best_order_);
            ServiceStrategy strategy = i < strategies_of_a_start / 4
                                           ? instance_.starts.random_strategy(random_)
                                           : instance_.starts.neighbour(current_, random_);
            if (random_.below(4) == 0) strategy = instance_.starts.neighbour(strategy, random_);
            if (loss_of(strategy) <= 0) accept(strategy);
        }
        const std::uint64_t decisions = std::max<std::size_t>(1, instance_.starts.decisions());
        const std::uint64_t shapes = std::min({decisions, most_shapes, decisions_for_shapes / decisions});
        for (std::uint64_t i = 0; i < shapes && !limits_.must_end(); ++i) {
            const ServiceStrategy strategy = instance_.starts.reshaped(current_, random_);
            const auto loss = static_cast<double>(std::max<std::int64_t>(0, loss_of(strategy)));
            const double cold = static_cast<double>(i) / static_cast<double>(shapes);
            if (random_.uniform() < std::exp(-loss / (hottest * (1 - cold)))) accept(strategy);
        }
        return std::move(best_order_);
    }

  private:
    static constexpr std::uint64_t decisions_for_shapes = 13'000'000;  // some tenths of a second
    static constexpr std::uint64_t most_shapes = 3'000;                // and no more than there are decisions
    static constexpr double hottest = 5;                               // steps

    /// The loss of a strategy against the current one. Its order is run from its first difference.
    std::int64_t loss_of(const ServiceStrategy& strategy) {
        candidate_order_ = instance_.starts.plan(strategy, random_);
        const bool is_first = current_order_.first.empty();
        candidate_value_ = value_of(
            is_first ? runner_.run(candidate_order_)
                     : runner_.candidate(candidate_order_, changes(current_order_, candidate_order_)));
        if (best_order_.first.empty() || !better(objective_, best_value_, candidate_value_)) {
            best_value_ = candidate_value_;
            best_order_ = candidate_order_;
        }
        if (is_first) return 0;
        return objective_ == Objective::longest ? value_ - candidate_value_ : candidate_value_ - value_;
    }

    void accept(const ServiceStrategy& strategy) {
        if (!current_order_.first.empty()) runner_.accept();  // the first one is already its current order
        current_ = strategy;
        value_ = candidate_value_;
        std::swap(current_order_, candidate_order_);
    }

    const ServiceInstance& instance_;
    Objective objective_;
    CounterRandom& random_;
    const WorkLimits& limits_;
    ServiceRun runner_;
    ServiceStrategy current_;
    ServiceOrder current_order_, candidate_order_, best_order_;
    std::int64_t value_ = 0, candidate_value_ = 0, best_value_ = 0;
};

}  // namespace

ServiceOrder ServiceOrders::begin(const Instance& instance, const AnnealingOptions& options, Start start,
                                  std::uint64_t stream, const WorkLimits& limits) {
    CounterRandom random(hash_bits(options.seed, stream), 0);
    if (start == SearchStart::starvation)
        return StrategySearch(*instance, options.objective, random, limits).best();
    if (start == SearchStart::random) return instance->starts.random_order(random);
    ServiceStrategy strategy = instance->starts.random_strategy(random);
    strategy.victim = no_index;
    strategy.service = start == SearchStart::round_robin ? ServiceStrategy::Service::rotation
                                                         : ServiceStrategy::Service::first;
    return instance->starts.plan(strategy, random);
}

/// The Worker of annealing.hpp.
class ServiceOrders::Worker {
  public:
    using Evaluator = EvaluatedAtOnce;

    explicit Worker(const Instance& instance)
        : net_(instance->net), runner_(net_, instance->max_steps), moves_(net_, move_mixtures.front()) {}

    std::int64_t reset(ServiceOrder order) {
        order_ = std::move(order);
        outcome_ = runner_.run(order_);
        return value_of(outcome_);
    }
    void use_moves(AnnealingMethod, std::size_t mixture) {
        moves_ = ServiceMoves(net_, move_mixtures[mixture]);
    }
    bool draw(CounterRandom& random) {
        if (!moves_.draw(order_, runner_, random)) return false;
        outcome_ = runner_.candidate(order_, moves_.changes());
        return true;
    }
    std::int64_t value() const { return value_of(runner_.outcome()); }
    std::int64_t candidate_value() const { return value_of(outcome_); }
    void accept() { runner_.accept(); }
    void reject() { moves_.undo(order_); }
    const ServiceOrder& current() const { return order_; }
    StopReason end() const { return outcome_.dead ? StopReason::dead : StopReason::step_limit; }

    Evaluator evaluator;

  private:
    const ServiceNet& net_;
    ServiceRun runner_;
    ServiceMoves moves_;
    ServiceOrder order_;
    ServiceOutcome outcome_;
};

std::shared_ptr<const ServiceInstance> service_instance(const Plan& planned, std::uint64_t max_steps,
                                                        std::uint64_t seed, const WorkLimits& limits) {
    return std::make_shared<const ServiceInstance>(planned, max_steps, seed, limits);
}

Schedule schedule_of(const ServiceInstance& instance, const ServiceOrder& order) {
    const CompiledNet& net = instance.net.net();
    const ModuleNet& parts = instance.net.parts();
    ServiceRun runner(instance.net, instance.max_steps);
    ServiceTrace trace;
    const ServiceOutcome outcome = runner.run(order, &trace);
    if (!outcome.dead) return {};
    Schedule schedule(outcome.steps);
    for (const ServiceTrace::Departure& departure : trace.departures) {
        std::size_t step = departure.step - 1;
        if (departure.row >= parts.size()) {
            schedule[step].transitions.push_back(parts.loops[departure.row - parts.size()].transition);
            continue;
        }
        const Segment& segment = parts.automaton.segments[departure.segment];
        for (std::uint32_t i = 0; i < segment.parts; ++i) {
            const PathPart& path = parts.automaton.parts[segment.first_part + i];
            for (std::uint32_t repeat = 0; repeat < path.repeats; ++repeat, ++step) {
                for (std::uint32_t k = 0; k < path.fired; ++k) {
                    const std::uint32_t fired = parts.automaton.fired[path.first_fired + k];
                    schedule[step].transitions.push_back(parts.transitions[departure.row][fired]);
                }
            }
        }
    }
    // Hub loops fire whenever they can, in addition to the known firings.
    Marking marking = net.initial;
    for (ScheduledStep& step : schedule) {
        Marking residual = marking;
        for (const std::uint32_t t : step.transitions) take(net, residual, t);
        for (const HubLoop& loop : parts.loops) {
            const bool fires = std::find(step.transitions.begin(), step.transitions.end(), loop.transition) !=
                               step.transitions.end();
            if (fires || !enabled(net, marking, loop.transition) || !fits(net, residual, loop.transition))
                continue;
            take(net, residual, loop.transition);
            step.transitions.push_back(loop.transition);
        }
        for (const std::uint32_t t : step.transitions) give(net, residual, t);
        marking = std::move(residual);
        std::sort(step.transitions.begin(), step.transitions.end());
    }
    return schedule;
}

std::string write_checkpoint(const ServiceSearchState& state) {
    Json json = annealing::state_to_json(state);
    json["warpnet_plan_search"] = checkpoint_version;
    json["net"] = fingerprint(state.instance->net);
    return sealed_json(std::move(json));
}

ServiceSearchState read_checkpoint(const ServiceOrders::Instance& instance, std::string_view text) {
    return name_json_faults("checkpoint", [&] {
        const Json json = read_sealed_json(text, "checkpoint", "warpnet_plan_search", checkpoint_version);
        if (json.at("net") != fingerprint(instance->net))
            throw InputError("checkpoint: this is a search of another net");
        ServiceSearchState state = annealing::state_from_json<ServiceOrders>(instance, json);
        ServiceRun runner(instance->net, instance->max_steps);
        annealing::check_state(state, [&](const ServiceOrder& order) { return value_of(runner.run(order)); });
        return state;
    });
}

template ServiceSearchState begin_search(const ServiceOrders::Instance&, const ServiceSearchOptions&,
                                         const WorkLimits&);
template ServiceSearchState begin_search_at(const ServiceOrders::Instance&, ServiceSearchOptions,
                                            const ServiceOrders::Candidate&, const WorkLimits&);
template WorkEnd advance_search(ServiceSearchState&, std::uint64_t, const ServiceSearchLimits&);
template WorkEnd continue_search(ServiceSearchState&, const ServiceSearchLimits&);
template WorkEnd continue_search(ServiceSearchState&, const ServiceSearchLimits&, ranks::Collectives&);
template void share_search(ServiceSearchState&, ranks::Collectives&);
template ServiceSearchResult search_result(const ServiceSearchState&, WorkEnd);

namespace {

// Reads the decisions of a service order off a schedule: the firings are divided by modules, and each module
// follows its automaton along its own firings. Every departure in the schedule becomes a decision with the
// segment that fits the next firings. The modules that depart first have the highest priority. So a run found
// by another method (an exact search, a strategy of a kernel) can start a search.

using Fired = std::vector<std::uint32_t>;  // transitions of a module, ascending

/// The firings of one part in a schedule, step by step; steps without a firing are left out.
struct PartSteps {
    struct Step {
        std::uint64_t number;  // from 1
        Fired fired;
    };
    std::vector<Step> steps;
};

std::vector<PartSteps> steps_of_parts(const ModuleNet& parts, const Schedule& schedule) {
    std::vector<PartSteps> result(parts.size());
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        for (const std::uint32_t t : schedule[i].transitions) {
            const std::uint32_t part = parts.owner[t];
            if (part >= parts.size()) continue;  // a hub loop: fires whenever it can
            auto& steps = result[part].steps;
            if (steps.empty() || steps.back().number != i + 1) steps.push_back({i + 1, {}});
            const auto transitions = parts.transitions[part];
            const auto at = std::lower_bound(transitions.begin(), transitions.end(), t);
            steps.back().fired.push_back(static_cast<std::uint32_t>(at - transitions.begin()));
        }
    }
    for (PartSteps& part : result)
        for (PartSteps::Step& step : part.steps) std::sort(step.fired.begin(), step.fired.end());
    return result;
}

/// A part that follows its automaton along the schedule.
class PartWalk {
  public:
    PartWalk(const ServiceNet& net, std::uint32_t part, const PartSteps& steps)
        : net_(net),
          automaton_(net.parts().automaton),
          steps_(steps.steps),
          node_(&net.parts().routes.node(net.parts().start[part])) {
        const auto supplies = net.parts().start_supplies_of(part);
        supplies_.assign(supplies.begin(), supplies.end());
    }

    /// Adds the decisions to an order; false if the schedule does not belong to this net.
    bool add_decisions(ServiceOrder& order) {
        while (next_ < steps_.size()) {
            const ServiceNode& node = net_.node(*node_);
            const Route* const way = way_taken(node);
            if (way == nullptr) return false;
            const std::uint8_t label = net_.label_of(node, *way);
            order.priority.push_back(static_cast<std::uint32_t>(steps_[next_].number));
            order.choice.push_back(label < net_.labels() ? label : std::uint8_t{0});
            go(*way);
        }
        return true;
    }

  private:
    const Route* way_taken(const ServiceNode& node) const {
        if (node.kind == ModuleNode::Kind::over || node.ways == nullptr) return nullptr;
        for (std::uint32_t label = 0; label <= node.mask; ++label) {
            if (fires(automaton_.segments[node.ways[label]->segment])) return node.ways[label];
        }
        return nullptr;
    }

    /// Whether the next firings are those of this segment.
    bool fires(const Segment& segment) const {
        std::size_t at = next_;
        for (std::uint32_t i = 0; i < segment.parts; ++i) {
            const PathPart& part = automaton_.parts[segment.first_part + i];
            const auto fired = std::span(automaton_.fired).subspan(part.first_fired, part.fired);
            if (fired.empty()) continue;
            for (std::uint32_t repeat = 0; repeat < part.repeats; ++repeat, ++at) {
                if (at >= steps_.size() || !std::ranges::equal(steps_[at].fired, fired)) return false;
            }
        }
        return at > next_;
    }

    void go(const Route& way) {
        const Segment& segment = automaton_.segments[way.segment];
        for (std::uint32_t i = 0; i < segment.parts; ++i) {
            const PathPart& part = automaton_.parts[segment.first_part + i];
            if (part.fired > 0) next_ += part.repeats;
        }
        node_ = way.follow(automaton_, supplies_.data());
    }

    const ServiceNet& net_;
    const ModuleAutomaton& automaton_;
    const std::vector<PartSteps::Step>& steps_;
    const RouteNode* node_;
    std::vector<Tokens> supplies_;
    std::size_t next_ = 0;  // of steps_
};

}  // namespace

std::optional<ServiceOrder> order_from(const ServiceInstance& instance, const Schedule& schedule) {
    const bool timed = std::none_of(schedule.begin(), schedule.end(),
                                    [](const ScheduledStep& step) { return step.immediate; });
    if (!timed) return {};
    const ServiceNet& net = instance.net;
    const std::vector<PartSteps> steps = steps_of_parts(net.parts(), schedule);
    ServiceOrder order;
    for (std::uint32_t row = 0; row < net.rows(); ++row) {
        order.first.push_back(static_cast<std::uint32_t>(order.choice.size()));
        if (row < steps.size() && !PartWalk(net, row, steps[row]).add_decisions(order)) return {};
        // A part that still waits at the end was never served; loops come after all parts.
        order.priority.push_back(0xffffffff);
        order.choice.push_back(0);
    }
    order.first.push_back(static_cast<std::uint32_t>(order.choice.size()));
    const ServiceOutcome outcome = ServiceRun(net, instance.max_steps).run(order);
    if (!outcome.dead || outcome.steps != schedule.size()) return {};
    return order;
}

}  // namespace warpnet::worst

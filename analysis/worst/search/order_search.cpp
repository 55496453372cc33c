// The search for nets without modules: a candidate is a string of transitions that resolves every conflict,
// and evaluating it is one run of the net. Only transitions that can lose a conflict are in the string; all
// other transitions fire in each maximal step anyway. First strings are the firings of runs under simple
// policies. An iteration costs a whole run, so this is far slower than service_search.cpp, which is used for
// every net that it supports.

#include "analysis/worst/search/order_search.hpp"

#include "analysis/worst/search/annealing.hpp"
#include "analysis/worst/search/annealing_rounds.hpp"
#include "analysis/worst/search/annealing_text.hpp"
#include "analysis/worst/search/sm_service.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/parse_json.hpp"

#include <fmt/format.h>

namespace warpnet::worst {

template <>
struct annealing::CandidateText<TransitionOrders> {
    using Instance = TransitionOrders::Instance;
    static Json write(const Instance& instance, const std::vector<std::uint32_t>& order) {
        Json ids = Json::array();
        for (const std::uint32_t t : order) ids.push_back(instance->net->transitions()[t].id);
        return ids;
    }
    static std::vector<std::uint32_t> read(const Instance& instance, const Json& json) {
        const NodeIndex nodes(*instance->net);
        std::vector<std::uint32_t> order;
        for (const std::string id : json) {
            const auto transition = nodes.transition(id);
            if (!transition) throw InputError("checkpoint: transition '" + id + "' is not in the net");
            order.push_back(static_cast<std::uint32_t>(index(*transition)));
        }
        return order;
    }
};

namespace {

constexpr int version = 6;

using Json = annealing::Json;

/// Transitions with an order that can matter: they take from a shared place, change the marking, and do not
/// belong to a delay (whose ticks have no conflict).
std::vector<std::uint8_t> worth_ordering(const CompiledNet& net) {
    std::vector<std::uint8_t> worth(net.transition_count(), 0);
    for (std::uint32_t t = 0; t < worth.size(); ++t)
        worth[t] = !net.shared_inputs(t).empty() && !net.effects[t].empty() ? 1 : 0;
    for (const DelayGadget& gadget : net.gadgets) worth[gadget.tick] = worth[gadget.done] = 0;
    return worth;
}

/// The order in which the transitions of a run fired.
class OrderRecorder : public Observer {
  public:
    explicit OrderRecorder(const CompiledNet& net) : worth_(worth_ordering(net)) {}
    void step(std::uint64_t, bool, std::span<const Firing> firings, std::span<const Tokens>) override {
        for (const Firing& firing : firings) {
            if (worth_[firing.transition] != 0) order_.push_back(firing.transition);
        }
    }
    std::vector<std::uint32_t> order() && { return std::move(order_); }

  private:
    std::vector<std::uint8_t> worth_;
    std::vector<std::uint32_t> order_;
};

RunResult run_order(const OrderInstance& instance, std::span<const std::uint32_t> order,
                    const WorkLimits& limits, Observer* observer = nullptr) {
    RunOptions options;
    options.policy = instance.policy;
    options.served = &instance.served;
    options.order = order;
    options.max_steps = instance.max_steps;
    options.limits.deadline = limits.deadline;
    options.limits.interrupt = limits.interrupt;
    return run(instance.strings, options, observer);
}

/// A run that is endless, for any reason, counts as one of max_steps. Not for a run that a limit of time cut.
std::int64_t value_of(const OrderInstance& instance, const RunResult& result) {
    return static_cast<std::int64_t>(result.reason == StopReason::dead ? result.steps : instance.max_steps);
}

/// Moves the entries [begin, end) so that they start at `to` or end there.
void move_block(std::vector<std::uint32_t>& order, std::uint32_t begin, std::uint32_t end, std::uint32_t to) {
    const auto first = order.begin();
    if (to < begin) {
        std::rotate(first + to, first + begin, first + end);
    } else if (to >= end) {
        std::rotate(first + begin, first + end, first + to + 1);
    }
}

/// One of: two entries near each other exchanged; one entry moved anywhere; a block of entries moved; the
/// next few entries of one transition gathered after its first.
void change_order(std::vector<std::uint32_t>& order, CounterRandom& random) {
    const auto size = static_cast<std::uint32_t>(order.size());
    const std::uint32_t from = random.below(size);
    switch (random.below(4)) {
        case 0: {
            const std::uint32_t window = std::min(size, 32u);
            std::swap(order[from], order[(from + 1 + random.below(window - 1)) % size]);
            break;
        }
        case 1:
            move_block(order, from, from + 1, random.below(size));
            break;
        case 2: {
            const std::uint32_t to = random.below(size);
            move_block(order, from, std::min(size, from + 1 + random.below(12)), to);
            break;
        }
        default: {
            const std::uint32_t t = order[from];
            std::uint32_t wanted = 1 + random.below(10);
            std::stable_partition(order.begin() + from, order.end(), [&](std::uint32_t entry) {
                return entry == t && wanted > 0 && wanted-- > 0;
            });
            break;
        }
    }
}

/// The firings of a long run of an sm net; nothing for other nets.
std::optional<std::vector<std::uint32_t>> order_of_sm(const Net& net) {
    const std::optional<netgen::SmNet> sm = netgen::recognise_sm(net);
    if (!sm) return {};
    const NodeIndex nodes(net);
    std::vector<std::uint32_t> order;
    for (const SmFiring& firing : longest_run(*sm, true).firings) {
        const netgen::SmOpKind kind = sm->program.bodies[firing.warp][firing.op].kind;
        const auto transition =
            nodes.transition(fmt::format("w{}_i{}_{}{}", firing.warp + 1, firing.op + 1, to_string(kind),
                                         firing.slot == 0 ? "" : fmt::format("_{}", firing.slot)));
        order.push_back(static_cast<std::uint32_t>(index(transition.value())));
    }
    return order;
}

}  // namespace

OrderInstance::OrderInstance(const Net& whole, Plan planned, std::uint64_t steps, Policy how,
                             const WorkLimits& of_runs)
    : net(&whole),
      starts(std::move(planned)),
      strings(plan(compiled(), {.policy = how})),
      max_steps(steps),
      policy(how),
      limits(of_runs) {
    if (serves_parts(policy)) served = find_served_parts(compiled());
}

TransitionOrders::Candidate TransitionOrders::begin(const Instance& instance, const AnnealingOptions& options,
                                                    Start start, std::uint64_t stream,
                                                    const WorkLimits& limits) {
    if (start == SearchStart::fixed_priority && instance->policy == Policy::replayed)
        if (auto order = order_of_sm(*instance->net)) return *std::move(order);
    RunOptions run_options;
    run_options.seed = options.seed;
    run_options.run = stream;
    run_options.max_steps = instance->max_steps;
    run_options.limits.deadline = limits.deadline;
    run_options.limits.interrupt = limits.interrupt;
    run_options.policy = start == SearchStart::round_robin      ? Policy::round_robin
                         : start == SearchStart::fixed_priority ? Policy::first
                                                                : Policy::random;
    OrderRecorder recorder(instance->compiled());
    run(instance->starts, run_options, &recorder);
    return std::move(recorder).order();
}

/// The Worker of annealing.hpp.
class TransitionOrders::Worker : public CopyingWorker<Worker, TransitionOrders> {
  public:
    explicit Worker(const Instance& instance) : instance_(*instance) {}

    static void change(std::vector<std::uint32_t>& order, CounterRandom& random) {
        if (order.size() >= 2) change_order(order, random);
    }
    std::int64_t evaluate(const std::vector<std::uint32_t>& order) {
        const RunResult result = run_order(instance_, order, instance_.limits);
        end_ = result.reason;
        return value_of(instance_, result);
    }
    StopReason end() const { return end_; }

  private:
    const OrderInstance& instance_;
    StopReason end_ = StopReason::dead;
};

Schedule schedule_of(const OrderInstance& instance, const std::vector<std::uint32_t>& order,
                     const WorkLimits& limits) {
    ScheduleRecorder recorder;
    const RunResult result = run_order(instance, order, limits, &recorder);
    return result.reason == StopReason::dead ? recorder.schedule() : Schedule{};
}

std::optional<std::vector<std::uint32_t>> order_of(const OrderInstance& instance, const Schedule& schedule,
                                                   const WorkLimits& limits) {
    const std::vector<std::uint8_t> worth = worth_ordering(instance.compiled());
    std::vector<std::uint32_t> order;
    for (const ScheduledStep& step : schedule) {
        std::copy_if(step.transitions.begin(), step.transitions.end(), std::back_inserter(order),
                     [&](std::uint32_t t) { return worth[t] != 0; });
    }
    const RunResult result = run_order(instance, order, limits);
    if (result.reason != StopReason::dead || result.steps != timed_steps(schedule)) return {};
    return order;
}

std::string write_checkpoint(const OrderSearchState& state) {
    Json json = annealing::state_to_json(state);
    json["warpnet_order_search"] = version;
    json["policy"] = to_string(state.instance->policy);
    return sealed_json(std::move(json));
}

OrderSearchState read_checkpoint(const TransitionOrders::Instance& instance, std::string_view text) {
    return name_json_faults("checkpoint", [&] {
        const Json json = read_sealed_json(text, "checkpoint", "warpnet_order_search", version);
        if (json.at("policy") != to_string(instance->policy))
            throw InputError("checkpoint: of a search under another policy");
        OrderSearchState state = annealing::state_from_json<TransitionOrders>(instance, json);
        annealing::check_state(state,
                               [&](const std::vector<std::uint32_t>& order) -> std::optional<std::int64_t> {
                                   const RunResult result = run_order(*instance, order, instance->limits);
                                   if (annealing::was_cut(result.reason)) return {};
                                   return value_of(*instance, result);
                               });
        return state;
    });
}

template OrderSearchState begin_search(const TransitionOrders::Instance&, const OrderSearchOptions&,
                                       const WorkLimits&);
template OrderSearchState begin_search_at(const TransitionOrders::Instance&, OrderSearchOptions,
                                          const TransitionOrders::Candidate&, const WorkLimits&);
template WorkEnd advance_search(OrderSearchState&, std::uint64_t, const OrderSearchLimits&);
template WorkEnd continue_search(OrderSearchState&, const OrderSearchLimits&);
template WorkEnd continue_search(OrderSearchState&, const OrderSearchLimits&, ranks::Collectives&);
template void share_search(OrderSearchState&, ranks::Collectives&);
template OrderSearchResult search_result(const OrderSearchState&, WorkEnd);

}  // namespace warpnet::worst

// Reads the decisions of a service order off a schedule: the firings are divided by modules, and each module
// follows its automaton along its own firings. Every departure in the schedule becomes a decision with the
// segment that fits the next firings. The modules that depart first have the highest priority. So a run found
// by another method (an exact search, a strategy of a kernel) can start a search.

#include "analysis/worst/search/order_of_schedule.hpp"

#include "analysis/worst/search/service_instance.hpp"

#include <algorithm>

namespace warpnet::worst {

namespace {

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

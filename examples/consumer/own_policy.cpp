// A policy of one's own: of all steps that are possible in a marking, it chooses one. Here two machines serve
// the jobs with the most work left, or those with the least.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <warpnet/explore.hpp>
#include <warpnet/net.hpp>

using namespace warpnet;

Net jobs_net(const std::vector<Tokens>& work) {
    NetBuilder net("jobs", "jobs on two machines");
    const PlaceId machines = net.add_place("machines", 2);
    for (std::size_t job = 0; job < work.size(); ++job) {
        const PlaceId left = net.add_place("left" + std::to_string(job), work[job]);
        const TransitionId serve = net.add_transition("serve" + std::to_string(job));
        net.add_input(left, serve);
        net.add_input(machines, serve);
        net.add_output(serve, machines);
    }
    return net.build();
}

/// The work left of the jobs that a step serves.
Tokens work_left(const Net& net, const Marking& marking, const ScheduledStep& step) {
    Tokens sum = 0;
    for (const std::uint32_t transition : step.transitions)
        for (const Arc& arc : net.arcs_of(TransitionId{transition}))
            if (arc.kind == ArcKind::input && net[arc.place].id != "machines")
                sum += marking[index(arc.place)];
    return sum;
}

/// The steps of the run in which each step is the one with the most (least) work left.
std::uint64_t steps_of(const Net& net, bool most_work_first) {
    TokenGame game(net, Semantics::maximal, 1);
    for (;;) {
        const std::vector<ScheduledStep> possible = game.possible_steps(1'000).steps;
        if (possible.empty()) return game.timed_steps();
        const auto less = [&](const ScheduledStep& a, const ScheduledStep& b) {
            return work_left(net, game.marking(), a) < work_left(net, game.marking(), b);
        };
        game.make(most_work_first ? *std::max_element(possible.begin(), possible.end(), less)
                                  : *std::min_element(possible.begin(), possible.end(), less));
    }
}

int main() {
    const Net net = jobs_net({4, 2, 2});
    const std::uint64_t most_first = steps_of(net, true), least_first = steps_of(net, false);
    std::cout << most_first << " steps with the most work first, " << least_first
              << " with the least first\n";
    return most_first == 4 && least_first == 6 ? 0 : 1;
}

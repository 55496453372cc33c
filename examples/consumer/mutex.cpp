// Three jobs share one unit: each works twice on it, two steps at a time. How many steps do they need?
#include <iostream>
#include <string>

#include <warpnet/net.hpp>
#include <warpnet/pnml.hpp>
#include <warpnet/run.hpp>

using namespace warpnet;

Net mutex_net(int jobs) {
    NetBuilder net("mutex", "jobs that share one unit");
    const PlaceId unit = net.add_place("unit", 1);
    for (int job = 1; job <= jobs; ++job) {
        const std::string prefix = "j" + std::to_string(job) + "_";
        const PlaceId left = net.add_place(prefix + "left", 2);
        const PlaceId working = net.add_place(prefix + "working");
        const TransitionId begin = net.add_transition(prefix + "begin");
        const TransitionId end = net.add_transition(prefix + "end");
        net.add_input(left, begin);
        net.add_input(unit, begin);
        net.add_output(begin, working);
        net.add_input(working, end);
        net.add_output(end, unit);
    }
    return net.build();
}

int main() {
    const Net net = mutex_net(3);
    ManyOptions options;
    options.runs = 100;
    const RunStatistics result = statistics(run_many(compile(net), options));
    std::cout << result.dead << " of " << result.runs << " runs are dead after " << result.min_steps << " to "
              << result.max_steps << " steps\n";
    write_pnml_file(net, "mutex.pnml");
    return result.dead == result.runs && result.min_steps == 12 && result.max_steps == 12 ? 0 : 1;
}

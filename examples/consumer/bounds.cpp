// Upper bounds without a search: one that is known at once, and the best that is proved, each with its proof
// and the machine that it is for.
#include <iostream>
#include <optional>

#include <warpnet/families.hpp>
#include <warpnet/run.hpp>
#include <warpnet/worst.hpp>

using namespace warpnet;

int main() {
    WarpsSpec spec;
    spec.warps.assign(4, {.arith = 20, .shared = 5, .global = 2});
    const Net net = warps_net(spec);

    const std::optional<QuickBound> quick = quick_bound(net);
    const WorstCase proved = worst_case(net, {.search = false});
    if (quick) std::cout << "at once: at most " << quick->steps << " steps\n";
    for (const worst::StepBound& bound : proved.bounds)
        std::cout << "at most " << bound.steps << " steps: " << bound.argument << '\n';
    std::cout << "machine: " << worst::to_text(proved.machine) << '\n';

    const RunResult one = run(compile(net));
    std::cout << "a run takes " << one.steps << " steps\n";
    return one.steps <= *proved.bound && (!quick || *proved.bound <= quick->steps) ? 0 : 1;
}

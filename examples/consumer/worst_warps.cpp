// Four warps on one SM: how long they take in 1,000 runs, and at worst, with a schedule and a certified
// bound.
#include <fstream>
#include <iostream>

#include <warpnet/draw.hpp>
#include <warpnet/families.hpp>
#include <warpnet/pnml.hpp>
#include <warpnet/run.hpp>
#include <warpnet/worst.hpp>

using namespace warpnet;

int main() {
    WarpsSpec spec;
    spec.warps.assign(4, {.arith = 20, .shared = 5, .global = 2});
    const Net net = warps_net(spec);
    write_pnml_file(net, "warps.pnml");

    ManyOptions many;
    many.runs = 1'000;
    const RunStatistics runs = statistics(run_many(compile(net), many));

    const WorstCase worst = worst_case(net, {.iterations = 2'000});

    std::cout << "1,000 runs: " << runs.min_steps << " to " << runs.max_steps << " steps; worst found "
              << *worst.found << ", never more than " << *worst.bound << '\n';
    std::ofstream("warps.svg") << render_dot(draw_dot(net), PictureFormat::svg);
    return runs.max_steps <= *worst.found && *worst.found <= *worst.bound ? 0 : 1;
}

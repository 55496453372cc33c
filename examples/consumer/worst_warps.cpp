// Four warps on one SM: how long they take in 1,000 runs, at worst as far as a search finds and a bound
// certifies.
#include "analysis/pictures/net/draw.hpp"
#include "analysis/worst/bounds/run_bounds.hpp"
#include "analysis/worst/search/service_search.hpp"
#include "engine/plan.hpp"
#include "netgen/warps/warps.hpp"
#include "pnml/write_pnml.hpp"

#include <fstream>
#include <iostream>

using namespace warpnet;

int main() {
    WarpsSpec spec;
    spec.warps.assign(4, {.arith = 20, .shared = 5, .global = 2});
    const Net net = warps_net(spec);
    write_pnml_file(net, "warps.pnml");
    const Plan planned = plan(compile(net));

    ManyOptions many;
    many.runs = 1'000;
    const RunStatistics runs = statistics(run_many(planned, many));

    ServiceSearchOptions search;
    search.annealing.iterations = 2'000;
    auto state = begin_search(service_instance(planned, 1'000'000, search.annealing.seed), search);
    const ServiceSearchResult worst = search_result(state, continue_search(state));
    const auto bound = static_cast<std::int64_t>(run_bounds(net, planned).upper.front().steps);

    std::cout << "1,000 runs: " << runs.min_steps << " to " << runs.max_steps << " steps; worst found "
              << worst.found << ", never more than " << bound << '\n';
    std::ofstream("warps.svg") << render_dot(draw_dot(net), PictureFormat::svg);
    return static_cast<std::int64_t>(runs.max_steps) <= worst.found && worst.found <= bound ? 0 : 1;
}

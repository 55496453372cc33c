#pragma once

#include "analysis/ranks/collectives.hpp"
#include "tests/support/team_of_threads.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// What work(ranks) returns on each of `size` ranks. Throws what rank 0 threw.
template <class Result, class Work>
std::vector<Result> results_of_ranks(int size, const Work& work) {
    std::vector<Result> results(static_cast<std::size_t>(size));
    TeamOfThreads::run(size, [&](Team& team) {
        Collectives ranks(team);
        results[static_cast<std::size_t>(team.rank())] = work(ranks);
    });
    return results;
}

/// What work(options) returns on rank 0 of `size`, the options being those of each rank with its `ranks`.
template <class Options, class Work>
auto result_on_ranks(int size, const Options& options, const Work& work) {
    using Result = decltype(work(options));
    return std::move(results_of_ranks<Result>(size, [&](Collectives& ranks) {
                         Options own = options;
                         own.ranks = &ranks;
                         return work(own);
                     }).front());
}

}  // namespace warpnet::testing

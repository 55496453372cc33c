#pragma once

#include "analysis/ranks/command_session.hpp"
#include "tests/support/team_of_threads.hpp"

#include <cstddef>
#include <vector>

namespace warpnet::testing {

/// What work(ranks) returns on each of `size` ranks.
template <class Result, class Work>
std::vector<Result> results_of_ranks(int size, const Work& work) {
    std::vector<Result> results(static_cast<std::size_t>(size));
    TeamOfThreads::run(size, [&](Team& team) {
        Collectives ranks(team);
        results[static_cast<std::size_t>(team.rank())] = work(ranks);
    });
    return results;
}

/// Calls lead(session) on rank 0 of `size`, and follow(team) on the others.
template <class Lead, class Follow>
void in_session(int size, const Lead& lead, const Follow& follow) {
    TeamOfThreads::run(size, [&](Team& team) {
        if (team.rank() > 0) {
            follow(team);
            return;
        }
        CommandSession session(team);
        lead(session);
        session.end();
    });
}

/// What lead(options) returns on rank 0 of `size`, the session being set in the options; the others
/// follow(team).
template <class Options, class Lead, class Follow>
auto result_in_session(int size, Options options, const Lead& lead, const Follow& follow) {
    decltype(lead(options)) result;
    in_session(
        size,
        [&](CommandSession& session) {
            options.session = &session;
            result = lead(options);
        },
        follow);
    return result;
}

}  // namespace warpnet::testing

#pragma once

#include "engine/base/random.hpp"
#include "engine/plan.hpp"
#include "engine/run/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

namespace warpnet::testing {

/// The steps of the longest of random runs and of runs that serve some transitions first.
inline std::uint64_t longest_of_runs(const Net& net, CounterRandom& random, std::size_t runs) {
    const Plan planned = plan(compile(net));
    std::vector<std::uint32_t> transitions(net.transitions().size());
    std::iota(transitions.begin(), transitions.end(), 0U);
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < runs; ++i) {
        for (std::size_t k = transitions.size(); k > 1; --k)
            std::swap(transitions[k - 1], transitions[random.below(static_cast<std::uint32_t>(k))]);
        std::vector<std::uint32_t> order;
        for (const std::uint32_t t : transitions) order.insert(order.end(), 30, t);
        RunOptions options{.policy = i % 4 == 0 ? Policy::random : Policy::replayed, .seed = i};
        if (options.policy == Policy::replayed) options.order = order;
        const RunResult result = run(planned, options);
        REQUIRE(result.reason == StopReason::dead);
        longest = std::max(longest, result.steps);
    }
    return longest;
}

}  // namespace warpnet::testing

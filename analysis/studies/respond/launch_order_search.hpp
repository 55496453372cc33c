#pragma once

#include "analysis/studies/respond/launch_order_space.hpp"
#include "analysis/worst/search/annealing.hpp"

#include <array>
#include <string_view>

namespace warpnet {

/// Whose response is searched, and where what is seen on the way is kept.
struct LaunchOrderTarget {
    const LaunchOrderSpace* space;
    std::uint32_t operation;  ///< space->size(): the makespan
    WorstOrders* seen;        ///< of all operations, in every order that was evaluated; by one chain alone
};

/// How the first order of a chain is made.
enum class LaunchStart : std::uint8_t {
    others_first,  ///< the order of the set, but for the operation, which comes last
    random,        ///< the others shuffled, the operation last
};

/// The Problem (analysis/worst/search/annealing.hpp) of the longest response of one operation, or of the
/// makespan, over all orders of launch: candidates are orders, evaluated by schedule_blocks().
struct LaunchOrders : SimpleProblem<LaunchOrders> {
    using Instance = LaunchOrderTarget;
    using Candidate = LaunchOrder;
    using Value = Time;
    using Start = LaunchStart;
    static constexpr std::array starts{LaunchStart::others_first};
    static constexpr Start restart = LaunchStart::random;
    static constexpr std::size_t mixtures = 1;
    static constexpr std::uint64_t check_interval = 64;
    static constexpr std::uint64_t shortest_round = 64;
    static constexpr std::uint64_t shortest_stretch = 64;
    static constexpr const char* candidate_name = "order";

    class Worker;

    static Candidate begin(const Instance& instance, const AnnealingOptions& options, Start start,
                           std::uint64_t stream, const WorkLimits& limits = {});
    static std::string_view name_of(Start start) {
        return start == LaunchStart::random ? "random" : "others first";
    }
};

/// The worst responses seen by one chain for each operation and one for the makespan, in parallel, with
/// LaunchOrderOptions::evaluations divided among them. The answer does not depend on the number of threads.
WorstOrders search_launch_orders(const LaunchOrderSpace& space, const LaunchOrderOptions& options);

}  // namespace warpnet

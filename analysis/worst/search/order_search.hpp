#pragma once

#include "analysis/worst/search/annealing.hpp"
#include "engine/net/net.hpp"
#include "engine/plan.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/served_parts.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::worst {

/// Any net, ready to be searched.
struct OrderInstance {
    /// `planned` is for random runs, as plan() makes it; the net must outlive the instance. A run longer than
    /// `steps` counts as endless. With Policy::replayed strings decide all conflicts; with gto and lrr they
    /// decide those within a part, and the policy fixes the service order. `of_runs`: limits of time, which
    /// end the run of a candidate. Errors as in find_served_parts().
    OrderInstance(const Net& whole, Plan planned, std::uint64_t steps, Policy how = Policy::replayed,
                  const WorkLimits& of_runs = {});

    const CompiledNet& compiled() const noexcept { return starts.net(); }

    const Net* net;  ///< for the ids of a checkpoint
    Plan starts;     ///< for the runs that give first strings
    Plan strings;    ///< for the runs of strings
    std::uint64_t max_steps;
    Policy policy;
    WorkLimits limits;
    ServedParts served = {};  ///< with gto and lrr
};

/// The Problem (annealing.hpp) of the worst or best run of any net: candidates are strings of transitions
/// that decide every conflict (Policy::replayed; [Berezovskyi13] section IV), evaluated by run(). For nets
/// whose modules meet only in hubs see service_search.hpp.
struct TransitionOrders : SimpleProblem<TransitionOrders> {
    using Instance = std::shared_ptr<const OrderInstance>;
    using Candidate = std::vector<std::uint32_t>;
    using Value = std::int64_t;  ///< steps
    using Start = SearchStart;
    /// The order in which transitions fire in a run under a policy: fixed_priority is Policy::first, and of
    /// sm nets the best of some rules of the last service (sm_service.hpp).
    static constexpr std::array starts{SearchStart::round_robin, SearchStart::fixed_priority,
                                       SearchStart::random};
    static constexpr Start restart = SearchStart::random;
    static constexpr std::size_t mixtures = 1;
    static constexpr double temperature = 0.3;          // the default
    static constexpr std::uint64_t check_interval = 1;  // an iteration is a whole run
    static constexpr std::uint64_t shortest_round = 64;
    static constexpr std::uint64_t shortest_stretch = 64;
    static constexpr const char* candidate_name = "order";
    static constexpr const char* subject = "strings of transitions";

    class Worker;

    static Candidate begin(const Instance& instance, const AnnealingOptions& options, Start start,
                           std::uint64_t stream, const WorkLimits& limits = {});
    static std::string_view name_of(Start start) { return to_string(start); }
};

using OrderSearchOptions = SearchOptionsOf<TransitionOrders>;
using OrderSearchState = SearchStateOf<TransitionOrders>;
using OrderSearchLimits = SearchLimitsOf<TransitionOrders>;
using OrderSearchResult = SearchResultOf<TransitionOrders>;

/// The run of a string, step by step. Empty if it is endless, or if it did not end within `limits` of time.
Schedule schedule_of(const OrderInstance& instance, const std::vector<std::uint32_t>& order,
                     const WorkLimits& limits = {});

/// The string whose run takes as many steps as `schedule`, a run of the net to its end: its transitions in
/// the order of their firings. Nothing if the run of that string differs, or does not end within `limits` of
/// time. O(firings).
std::optional<std::vector<std::uint32_t>> order_of(const OrderInstance& instance, const Schedule& schedule,
                                                   const WorkLimits& limits = {});

/// As JSON text; transitions by id, so that it fits the net in any file.
std::string write_checkpoint(const OrderSearchState& state);
/// Throws InputError if the text is no checkpoint of a search of this net. Runs the strings of each chain;
/// chains whose runs the limits of the instance cut are left out (SearchStateOf::begun).
OrderSearchState read_checkpoint(const TransitionOrders::Instance& instance, std::string_view text);

}  // namespace warpnet::worst

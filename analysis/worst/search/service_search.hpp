#pragma once

#include "analysis/worst/search/annealing.hpp"
#include "analysis/worst/search/service_net.hpp"
#include "engine/plan.hpp"
#include "engine/run/replay.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace warpnet::worst {

struct ServiceInstance;

/// A net whose modules meet only in hubs, ready to be searched. REQUIRES planned.modules(). It and the order
/// must outlive the instance. A run longer than `max_steps` counts as endless. `seed` as in AnnealingOptions.
/// If the time `limits` are already met, starts know only one run. Such an instance is for a search with the
/// same limits, which ends at once.
std::shared_ptr<const ServiceInstance> service_instance(const Plan& planned, std::uint64_t max_steps,
                                                        std::uint64_t seed, const WorkLimits& limits = {});

/// The Problem (annealing.hpp) of the worst or best run of a net whose modules meet only in hubs: candidates
/// are orders, evaluated by ServiceRun. Defined for `Method::portfolio` and `tempering`.
struct ServiceOrders : SimpleProblem<ServiceOrders> {
    using Instance = std::shared_ptr<const ServiceInstance>;
    using Candidate = ServiceOrder;
    using Value = std::int64_t;  ///< steps
    using Start = SearchStart;
    /// Starvation: the best of many rules, ServiceStrategy; mostly, one part is served after all other parts.
    static constexpr std::array starts{SearchStart::starvation,  SearchStart::starvation,
                                       SearchStart::round_robin, SearchStart::starvation,
                                       SearchStart::starvation,  SearchStart::fixed_priority,
                                       SearchStart::starvation,  SearchStart::random};
    static constexpr Start restart = SearchStart::starvation;
    static constexpr std::size_t mixtures = 2;
    static constexpr double temperature = 1.0;  // the default
    static constexpr std::uint64_t check_interval = 64;
    static constexpr std::uint64_t shortest_round = 512;
    static constexpr std::uint64_t shortest_stretch = 512;
    static constexpr const char* candidate_name = "order";
    static constexpr const char* subject = "a net whose parts meet in hubs";

    class Worker;

    static Candidate begin(const Instance& instance, const AnnealingOptions& options, Start start,
                           std::uint64_t stream, const WorkLimits& limits = {});
    static std::string_view name_of(Start start) { return to_string(start); }
};

using ServiceSearchOptions = SearchOptionsOf<ServiceOrders>;
using ServiceSearchState = SearchStateOf<ServiceOrders>;
using ServiceSearchLimits = SearchLimitsOf<ServiceOrders>;
using ServiceSearchResult = SearchResultOf<ServiceOrders>;

/// The run of an order, step by step. Empty if it is endless. O(firings + steps x hub loops).
Schedule schedule_of(const ServiceInstance& instance, const ServiceOrder& order);

/// As JSON text. It fits the net in any file.
std::string write_checkpoint(const ServiceSearchState& state);
/// Throws InputError if the text is no checkpoint of a search of this net.
ServiceSearchState read_checkpoint(const ServiceOrders::Instance& instance, std::string_view text);

/// The order whose run takes as many steps as `schedule`, a run of the net to its end: every decision as in
/// the schedule, with the priority of earlier departures. Nothing if no such order is found: the schedule has
/// immediate steps, or does not belong to the net. O(firings).
std::optional<ServiceOrder> order_from(const ServiceInstance& instance, const Schedule& schedule);

}  // namespace warpnet::worst

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace warpnet::worst {

/// The extreme that is sought, of a makespan or of the steps of a run.
enum class Objective : std::uint8_t {
    longest,   ///< the worst case over all service orders
    shortest,  ///< the best case
};

/// Whether value `a` is better than `b`.
template <class Value>
constexpr bool better(Objective objective, Value a, Value b) {
    return objective == Objective::longest ? a > b : a < b;
}

/// The starts of the chains of a search. Each kind of search has some of them: Problem::starts
/// (annealing.hpp).
enum class SearchStart : std::uint8_t {
    starvation,
    round_robin,
    fixed_priority,
    most_pending,
    random,
    mixed
};

/// All of them, in the order of the help.
inline constexpr std::initializer_list<SearchStart> search_starts = {
    SearchStart::starvation,      ///< nets whose parts meet in hubs
    SearchStart::round_robin,     ///< the part with the fewest services is served first
    SearchStart::fixed_priority,  ///< in the order of the net
    SearchStart::most_pending,    ///< kernels ([Berezovskyi13] section VI)
    SearchStart::random,
    SearchStart::mixed,  ///< all starts of the search in turn
};

std::string_view to_string(SearchStart start);

}  // namespace warpnet::worst

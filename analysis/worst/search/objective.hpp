#pragma once

#include <cstdint>

namespace warpnet {

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

}  // namespace warpnet

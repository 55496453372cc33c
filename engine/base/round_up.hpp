#pragma once

#include <concepts>
#include <type_traits>

namespace warpnet {

/// The quotient of nonnegative numbers, rounded up. The sum of both must fit.
template <std::integral Number>
constexpr Number divided_up(Number value, std::type_identity_t<Number> unit) noexcept {
    return (value + unit - 1) / unit;
}

/// The smallest multiple of `unit` that is at least `value`.
template <std::integral Number>
constexpr Number rounded_up(Number value, std::type_identity_t<Number> unit) noexcept {
    return divided_up(value, unit) * unit;
}

}  // namespace warpnet

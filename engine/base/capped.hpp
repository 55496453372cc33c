#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

namespace warpnet {

/// The sum and the product of nonnegative numbers, or the largest number of the type on overflow.
template <std::integral Number>
constexpr Number capped_sum(Number a, std::type_identity_t<Number> b) noexcept {
    Number sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<Number>::max() : sum;
}

template <std::integral Number>
constexpr Number capped_product(Number a, std::type_identity_t<Number> b) noexcept {
    Number product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<Number>::max() : product;
}

}  // namespace warpnet

// Element-wise extremes of rows of bytes or 16-bit numbers, the inner loop of a segment bound: a few
// operations per 16 or 32 states. One function body is compiled for two instruction sets and chosen when the
// program is loaded, because one build serves all machines. The dimensions around the rows are an odometer.

#include "analysis/worst/kernel/row_extremes.hpp"

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WARPNET_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WARPNET_CLONES
#endif

namespace warpnet::worst {
namespace {

/// A run of `bytes` bytes: whole vectors, the last of which may overlap the previous one (the extreme of a
/// value with itself is the value).
template <bool longest, int bytes, class Value>
inline __attribute__((always_inline)) void by_vectors(Value* to, const Value* from, std::size_t count) {
    typedef Value Vector __attribute__((vector_size(bytes)));
    constexpr std::size_t width = bytes / sizeof(Value);
    for (std::size_t i = 0;; i += width) {
        if (i + width > count) i = count - width;
        Vector a;
        Vector b;
        std::memcpy(&a, to + i, bytes);
        std::memcpy(&b, from + i, bytes);
        a = (longest ? b > a : b < a) ? b : a;
        std::memcpy(to + i, &a, bytes);
        if (i + width == count) return;
    }
}

template <bool longest, class Value>
inline __attribute__((always_inline)) void take_row(Value* to, const Value* from, std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    if (bytes >= 32) return by_vectors<longest, 32>(to, from, count);
    if (bytes >= 16) return by_vectors<longest, 16>(to, from, count);
    if (bytes >= 8) return by_vectors<longest, 8>(to, from, count);
    constexpr Objective objective = longest ? Objective::longest : Objective::shortest;
    for (std::size_t i = 0; i < count; ++i) to[i] = better(objective, from[i], to[i]) ? from[i] : to[i];
}

template <bool longest, class Value>
inline __attribute__((always_inline)) void for_rows(Value* to, const Value* from, const BoxPair& box) {
    std::int32_t at[max_box_dimensions] = {};
    while (true) {
        take_row<longest>(to, from, box.row);
        int d = 0;
        for (; d < box.outer; ++d) {
            to += box.to_stride[d];
            from += box.from_stride[d];
            if (++at[d] < box.extent[d]) break;
            to -= static_cast<std::ptrdiff_t>(box.to_stride[d]) * box.extent[d];
            from -= static_cast<std::ptrdiff_t>(box.from_stride[d]) * box.extent[d];
            at[d] = 0;
        }
        if (d == box.outer) return;
    }
}

WARPNET_CLONES void raise(std::uint8_t* to, const std::uint8_t* from, const BoxPair& box) {
    for_rows<true>(to, from, box);
}
WARPNET_CLONES void lower(std::uint8_t* to, const std::uint8_t* from, const BoxPair& box) {
    for_rows<false>(to, from, box);
}
WARPNET_CLONES void raise(std::int16_t* to, const std::int16_t* from, const BoxPair& box) {
    for_rows<true>(to, from, box);
}
WARPNET_CLONES void lower(std::int16_t* to, const std::int16_t* from, const BoxPair& box) {
    for_rows<false>(to, from, box);
}

}  // namespace

void take_extremes(Objective objective, std::uint8_t* to, const std::uint8_t* from, const BoxPair& box) {
    objective == Objective::longest ? raise(to, from, box) : lower(to, from, box);
}

void take_extremes(Objective objective, std::int16_t* to, const std::int16_t* from, const BoxPair& box) {
    objective == Objective::longest ? raise(to, from, box) : lower(to, from, box);
}

}  // namespace warpnet::worst

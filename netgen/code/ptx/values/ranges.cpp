// Interval arithmetic on registers, for all threads of a part of a launch at once [Cousot77]. A range holds
// all values modulo 2^width, so sums may wrap; an operation whose result fits no interval of the type gives
// any value. Each range remembers the coordinates of the thread on which it depends, so that a part is
// divided only along an axis that can decide a condition. O(1) per instruction.

#include "netgen/code/ptx/values/ranges.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace warpnet::netgen {

namespace {

using Interval = std::array<std::int64_t, 2>;
__extension__ using Wide = __int128;

constexpr std::int64_t most_block_threads = 1024;  // of a block, on any GPU
constexpr std::int64_t most_grid_blocks = 2'147'483'647;
constexpr std::int64_t farthest = std::int64_t{1} << 62U;

std::optional<Interval> fitting(Wide low, Wide high) {
    if (low < -farthest || high > farthest) return std::nullopt;
    return Interval{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

std::optional<Interval> product(const Interval& a, const Interval& b) {
    const std::array<Wide, 4> corners = {Wide{a[0]} * b[0], Wide{a[0]} * b[1], Wide{a[1]} * b[0],
                                         Wide{a[1]} * b[1]};
    return fitting(*std::min_element(corners.begin(), corners.end()),
                   *std::max_element(corners.begin(), corners.end()));
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t by) {
    const std::int64_t quotient = a / by;
    return a % by < 0 ? quotient - 1 : quotient;
}

/// x mod `by`, of numbers of one sign or of any.
Interval rest(const Interval& x, std::int64_t by) {
    const std::int64_t turn = floor_quotient(x[0], by);
    if (turn != floor_quotient(x[1], by)) return {0, by - 1};
    return {x[0] - turn * by, x[1] - turn * by};
}

std::optional<Interval> as_numbers(const PtxRange& range) {
    if (!range.known) return std::nullopt;
    return Interval{range.low, range.high};
}

std::optional<Interval> masked(const PtxRange& value, std::int64_t mask, int bits) {
    const auto x = as_numbers(value);
    if (mask < 0 && bits < 64) mask += std::int64_t{1} << bits;
    if (mask < 0) {
        // The low bits are cleared: -32.
        const bool low_bits = std::has_single_bit(0 - static_cast<std::uint64_t>(mask));
        return low_bits && x ? std::optional(Interval{(*x)[0] & mask, (*x)[1] & mask}) : std::nullopt;
    }
    const std::uint64_t cleared =
        ~static_cast<std::uint64_t>(mask) & (bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
    if (std::has_single_bit(cleared + 1) && x && cleared != 0)
        return Interval{(*x)[0] & ~static_cast<std::int64_t>(cleared),
                        (*x)[1] & ~static_cast<std::int64_t>(cleared)};
    if (x && std::has_single_bit(static_cast<std::uint64_t>(mask) + 1) && mask < farthest)
        return rest(*x, mask + 1);
    return Interval{0, mask};
}

/// True if the relation holds for all values, false if for none, otherwise nothing.
std::optional<bool> compared(PtxOperator op, const Interval& a, const Interval& b) {
    const auto certain = [](bool yes, bool no) {
        return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt;
    };
    const bool apart = a[1] < b[0] || b[1] < a[0];
    const bool same = a[0] == a[1] && a == b;
    switch (op) {
        case PtxOperator::equal:
            return certain(same, apart);
        case PtxOperator::not_equal:
            return certain(apart, same);
        case PtxOperator::less:
            return certain(a[1] < b[0], a[0] >= b[1]);
        case PtxOperator::less_equal:
            return certain(a[1] <= b[0], a[0] > b[1]);
        case PtxOperator::greater:
            return certain(a[0] > b[1], a[1] <= b[0]);
        default:
            return certain(a[0] >= b[1], a[1] < b[0]);
    }
}

std::optional<Interval> evaluate(const PtxOperation& operation, std::span<const PtxRange> sources) {
    const int bits = operation.bits;
    const PtxRange& first = sources[0];
    const PtxRange& second = sources.size() > 1 ? sources[1] : sources[0];
    const auto a = range_as(first, bits, operation.is_signed);
    const auto b = range_as(second, bits, operation.is_signed);
    const auto x = as_numbers(first);  // modulo 2^bits
    const auto y = as_numbers(second);
    const std::int64_t by = second.is_exact() && b ? (*b)[0] : 0;  // 0: not a number to divide by
    const auto plus = [](const std::optional<Interval>& p, const std::optional<Interval>& q) {
        return p && q ? fitting(Wide{(*p)[0]} + (*q)[0], Wide{(*p)[1]} + (*q)[1]) : std::nullopt;
    };
    switch (operation.op) {
        case PtxOperator::move:
            return x;
        case PtxOperator::convert:
            return a;
        case PtxOperator::invert:
            return x ? fitting(-1 - Wide{(*x)[1]}, -1 - Wide{(*x)[0]}) : std::nullopt;
        case PtxOperator::negate:
            return x ? fitting(-Wide{(*x)[1]}, -Wide{(*x)[0]}) : std::nullopt;
        case PtxOperator::absolute: {
            if (!a) return std::nullopt;
            const auto magnitude = [](std::int64_t value) { return value < 0 ? -Wide{value} : Wide{value}; };
            const Wide low = magnitude((*a)[0]);
            const Wide high = magnitude((*a)[1]);
            const bool crosses = (*a)[0] < 0 && (*a)[1] > 0;
            return fitting(crosses ? 0 : std::min(low, high), std::max(low, high));
        }
        case PtxOperator::count_ones:
            return Interval{0, bits};
        case PtxOperator::add:
            return plus(x, y);
        case PtxOperator::subtract:
            return x && y ? fitting(Wide{(*x)[0]} - (*y)[1], Wide{(*x)[1]} - (*y)[0]) : std::nullopt;
        case PtxOperator::multiply:
            return x && y ? product(*x, *y) : std::nullopt;
        case PtxOperator::multiply_wide:
            return a && b ? product(*a, *b) : std::nullopt;
        case PtxOperator::multiply_add:
            return x && y ? plus(product(*x, *y), as_numbers(sources[2])) : std::nullopt;
        case PtxOperator::multiply_add_wide:
            return a && b ? plus(product(*a, *b), as_numbers(sources[2])) : std::nullopt;
        case PtxOperator::divide:
            if (!a || by <= 0) return std::nullopt;
            return Interval{(*a)[0] / by, (*a)[1] / by};
        case PtxOperator::remainder:
            if (!a || by <= 0) return std::nullopt;
            if ((*a)[0] >= 0) return rest(*a, by);
            return Interval{1 - by, by - 1};
        case PtxOperator::bit_and:
            if (second.is_exact()) return masked(first, second.low, bits);
            return first.is_exact() ? masked(second, first.low, bits) : std::nullopt;
        case PtxOperator::bit_or:
        case PtxOperator::bit_xor: {
            const auto p = range_as(first, bits, false);
            const auto q = range_as(second, bits, false);
            if (!p || !q) return std::nullopt;
            const auto most = std::bit_ceil(static_cast<std::uint64_t>(std::max((*p)[1], (*q)[1])) + 1) - 1;
            const std::int64_t least =
                operation.op == PtxOperator::bit_or ? std::max((*p)[0], (*q)[0]) : std::int64_t{0};
            return fitting(least, Wide{most});
        }
        case PtxOperator::minimum:
            return a && b ? std::optional(Interval{std::min((*a)[0], (*b)[0]), std::min((*a)[1], (*b)[1])})
                          : std::nullopt;
        case PtxOperator::maximum:
            return a && b ? std::optional(Interval{std::max((*a)[0], (*b)[0]), std::max((*a)[1], (*b)[1])})
                          : std::nullopt;
        case PtxOperator::shift_left:
            if (!x || !second.is_exact() || second.low < 0 || second.low >= std::min(bits, 62))
                return std::nullopt;
            return product(*x, {std::int64_t{1} << second.low, std::int64_t{1} << second.low});
        case PtxOperator::shift_right:
            if (!a || !second.is_exact() || second.low < 0 || second.low >= bits) return std::nullopt;
            return Interval{(*a)[0] >> second.low, (*a)[1] >> second.low};
        default:
            return std::nullopt;
    }
}

bool is_comparison(PtxOperator op) { return op >= PtxOperator::equal && op <= PtxOperator::greater_equal; }

/// A predicate with an unknown value.
PtxRange open(std::uint8_t of) { return PtxRange::between(0, 1, of); }

/// p and q, p or q. If smaller parts determine one of the two, the result depends on their coordinates.
PtxRange joined_predicate(PtxOperator op, const PtxRange& p, const PtxRange& q) {
    const std::int64_t deciding = op == PtxOperator::bit_or ? 1 : 0;
    for (const PtxRange* one : {&p, &q})
        if (op != PtxOperator::bit_xor && one->is_exact() && (one->low != 0 ? 1 : 0) == deciding)
            return PtxRange::exact(deciding);
    const bool first_hopeless = !p.is_exact() && (p.of & PtxRange::unknown) != 0;
    const bool second_hopeless = !q.is_exact() && (q.of & PtxRange::unknown) != 0;
    std::uint8_t of = 0;
    if (!p.is_exact() && (op == PtxOperator::bit_xor || !first_hopeless || q.is_exact())) of |= p.of;
    if (!q.is_exact() && (op == PtxOperator::bit_xor || !second_hopeless || p.is_exact())) of |= q.of;
    return open(of == 0 ? PtxRange::unknown : of);
}

}  // namespace

PtxPart PtxPart::whole(const PtxLaunch& launch) {
    PtxPart part;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        part.last[axis] = (launch.block[axis] > 0 ? launch.block[axis] : most_block_threads) - 1;
        part.last[3 + axis] = (launch.grid[axis] > 0 ? launch.grid[axis] : most_grid_blocks) - 1;
    }
    return part;
}

PtxRange PtxPart::value(PtxSpecial special, const PtxLaunch& launch) const {
    using enum PtxSpecial::Kind;
    const auto on_axis = [&](std::size_t axis, bool shape_known) {
        const auto bit = static_cast<std::uint8_t>(1U << axis);
        return PtxRange::between(first[axis], last[axis], shape_known ? bit : PtxRange::unknown);
    };
    const auto size = [&](std::int64_t given, std::int64_t most) {
        return given > 0 ? PtxRange::exact(given) : PtxRange::between(1, most, PtxRange::unknown);
    };
    const std::size_t axis = special.axis;
    switch (special.kind) {
        case tid:
            return on_axis(axis, launch.block[axis] > 0);
        case ctaid:
            return on_axis(3 + axis, launch.grid[axis] > 0);
        case ntid:
            return size(launch.block[axis], most_block_threads);
        case nctaid:
            return size(launch.grid[axis], most_grid_blocks);
        case lane:
            break;
    }
    if (launch.block[0] == 0) return PtxRange::between(0, 31, PtxRange::unknown);
    const auto number = [&](const std::array<std::int64_t, 6>& at) {
        return at[0] + launch.block[0] * (at[1] + launch.block[1] * at[2]);
    };
    const std::int64_t from = number(first);
    const std::int64_t to = number(last);
    constexpr std::uint8_t threads = 7;
    return from / 32 == to / 32 ? PtxRange::between(from % 32, to % 32, threads)
                                : PtxRange::between(0, 31, threads);
}

PtxRange range_of(const PtxSource& source, std::span<const PtxRange> registers, const PtxPart& part,
                  const PtxLaunch& launch) {
    switch (source.kind) {
        case PtxSource::Kind::constant:
            return PtxRange::exact(source.value);
        case PtxSource::Kind::reg:
            return registers[source.slot];
        case PtxSource::Kind::special:
            return part.value(source.special, launch);
        case PtxSource::Kind::unknown:
            break;
    }
    return {};
}

std::optional<std::array<std::int64_t, 2>> range_as(const PtxRange& range, int bits, bool is_signed) {
    if (bits >= 64) {
        if (!range.known || (!is_signed && range.low < 0)) return std::nullopt;
        return Interval{range.low, range.high};
    }
    const std::int64_t size = std::int64_t{1} << bits;
    const std::int64_t least = is_signed ? -size / 2 : 0;
    const std::int64_t most = least + size - 1;
    if (range.known && range.low >= -farthest && range.high <= farthest) {
        // Values wrap around at 2^bits any number of times.
        const std::int64_t turn = floor_quotient(range.low, size) * size;
        for (const std::int64_t shift : {-turn, -turn - size}) {
            if (range.low + shift >= least && range.high + shift <= most)
                return Interval{range.low + shift, range.high + shift};
        }
    }
    return Interval{least, most};
}

PtxRange evaluate_range(const PtxOperation& operation, std::span<const PtxRange> sources) {
    if (sources.size() != operation.sources || sources.size() > 3) return {};
    std::uint8_t of = 0;
    bool exact = true;
    for (const PtxRange& source : sources) {
        exact &= source.is_exact();
        if (!source.is_exact()) of |= source.of;
    }
    if (operation.op == PtxOperator::move) return sources[0];
    if (exact) {
        std::array<std::uint64_t, 3> values = {};
        for (std::size_t i = 0; i < sources.size(); ++i)
            values[i] = static_cast<std::uint64_t>(sources[i].low);
        const auto value = ptx_evaluate(operation, std::span(values).first(sources.size()));
        if (!value) return {};
        return PtxRange::exact(operation.is_signed ? as_signed(*value, operation.result_bits)
                                                   : static_cast<std::int64_t>(*value));
    }
    if (operation.op == PtxOperator::select) {
        if (sources[2].is_exact()) return sources[2].low != 0 ? sources[0] : sources[1];
        PtxRange result = either(sources[0], sources[1]);
        if (sources[0].known && sources[1].known) result.of = of;
        return result;
    }
    if (is_comparison(operation.op) && operation.bits > 1) {
        // Equality needs no type: -1 and 2^32 - 1 are the same word.
        for (const bool is_signed : {operation.is_signed, !operation.is_signed}) {
            const bool order = operation.op != PtxOperator::equal && operation.op != PtxOperator::not_equal;
            if (order && is_signed != operation.is_signed) continue;
            const auto a = range_as(sources[0], operation.bits, is_signed);
            const auto b = range_as(sources[1], operation.bits, is_signed);
            const auto certain = a && b ? compared(operation.op, *a, *b) : std::nullopt;
            if (certain) return PtxRange::exact(*certain ? 1 : 0);
        }
        return open(of);
    }
    if (operation.op == PtxOperator::is_zero) return open(of);
    if (operation.result_bits == 1) {
        if (operation.op == PtxOperator::bit_and || operation.op == PtxOperator::bit_or ||
            operation.op == PtxOperator::bit_xor)
            return joined_predicate(operation.op, sources[0], sources[1]);
        return open(of);
    }
    const auto result = evaluate(operation, sources);
    if (!result) return {false, 0, 0, of};
    return PtxRange::between((*result)[0], (*result)[1], of);
}

PtxRange either(const PtxRange& a, const PtxRange& b) {
    if (a == b) return a;
    const auto of = static_cast<std::uint8_t>(a.of | b.of | PtxRange::unknown);
    if (!a.known || !b.known) return {false, 0, 0, of};
    if (a.is_exact() && b.is_exact() && a.low == b.low) return PtxRange::exact(a.low);
    return PtxRange::between(std::min(a.low, b.low), std::max(a.high, b.high), of);
}

}  // namespace warpnet::netgen

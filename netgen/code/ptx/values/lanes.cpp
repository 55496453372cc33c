// Integer arithmetic on the 32 lanes of a warp, and their requests to memory. A value is a known number per
// lane plus an unknown multiple of a known number, shared by a group of lanes. Sums keep that form. Quotients
// and remainders keep it if the divisor divides the unknown part. All other results are computed lane by lane
// if they are exact, and unknown otherwise. O(32) per operation.

#include "netgen/code/ptx/values/lanes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace warpnet::netgen {

namespace {

constexpr std::size_t lanes = 32;

/// Exact values in the form of addends of an unknown number.
PtxLanes as_numbers(PtxLanes x, int bits) {
    if (x.multiple == 0)
        for (std::uint64_t& value : x.value) value = static_cast<std::uint64_t>(as_signed(value, bits));
    return x;
}

/// Numbers the combinations of keys that occur, in the order of the lanes.
template <class Key>
std::array<std::uint8_t, lanes> classes(Key key) {
    std::map<decltype(key(std::size_t{})), std::uint8_t> number;
    std::array<std::uint8_t, lanes> result = {};
    for (std::size_t lane = 0; lane < lanes; ++lane)
        result[lane] = number.emplace(key(lane), static_cast<std::uint8_t>(number.size())).first->second;
    return result;
}

std::uint64_t magnitude(std::uint64_t value) {
    const auto number = static_cast<std::int64_t>(value);
    return number < 0 ? 0 - value : value;
}

/// An unknown number in which two lanes agree if they agree in all sources.
PtxLanes opaque(std::span<const PtxLanes> sources) {
    PtxLanes result = PtxLanes::uniform(1, 0);
    result.group = classes([&](std::size_t lane) {
        std::vector<std::pair<std::uint64_t, std::uint8_t>> key;
        for (const PtxLanes& source : sources) key.emplace_back(source.value[lane], source.group[lane]);
        return key;
    });
    return result;
}

PtxLanes sum(const PtxLanes& a, const PtxLanes& b, bool minus) {
    PtxLanes result = a;
    result.multiple = std::gcd(a.multiple, b.multiple);
    for (std::size_t lane = 0; lane < lanes; ++lane)
        result.value[lane] = minus ? a.value[lane] - b.value[lane] : a.value[lane] + b.value[lane];
    result.group = classes([&](std::size_t lane) { return std::pair(a.group[lane], b.group[lane]); });
    return result;
}

std::optional<std::uint64_t> scalar(const PtxLanes& x) {
    if (!x.is_exact() || !x.is_uniform()) return std::nullopt;
    return x.value[0];
}

PtxLanes product(const PtxLanes& a, const PtxLanes& b) {
    if (!scalar(a) && !scalar(b)) {
        const std::array both = {a, b};
        PtxLanes result = opaque(both);
        // An unknown stride times the number of a row: a multiple of both.
        const auto common = [](const PtxLanes& x) {
            std::uint64_t divisor = x.multiple;
            for (const std::uint64_t value : x.value) divisor = std::gcd(divisor, magnitude(value));
            return divisor;
        };
        result.multiple = std::max<std::uint64_t>(1, common(a) * common(b));
        return result;
    }
    const std::uint64_t by = scalar(b) ? *scalar(b) : *scalar(a);
    PtxLanes result = scalar(b) ? a : b;
    if (by == 0) return PtxLanes::exact(0);
    for (std::uint64_t& value : result.value) value *= by;
    result.multiple *= magnitude(by);
    return result;
}

/// x / by and x % by for a divisor that divides the unknown part.
PtxLanes divided(const PtxLanes& x, std::uint64_t by, bool remainder) {
    const bool negative =
        std::any_of(x.value.begin(), x.value.end(), [](std::uint64_t v) { return as_signed(v, 64) < 0; });
    if (by == 0 || negative || x.multiple % by != 0) return PtxLanes::unknown();
    PtxLanes result = x;
    for (std::uint64_t& value : result.value) value = remainder ? value % by : value / by;
    result.multiple = remainder ? 0 : x.multiple / by;
    if (remainder) result.group = {};
    return result;
}

PtxLanes with_unknown_parts(const PtxOperation& operation, std::span<const PtxLanes> given) {
    std::vector<PtxLanes> sources;
    for (const PtxLanes& source : given) sources.push_back(as_numbers(source, operation.bits));
    const PtxLanes& a = sources[0];
    const PtxLanes& b = sources.size() > 1 ? sources[1] : sources[0];
    const auto second = sources.size() > 1 ? scalar(given[1]) : std::nullopt;
    const bool is_scalar = second.has_value();
    const std::uint64_t by = second.value_or(0);
    switch (operation.op) {
        case PtxOperator::move:
            return a;
        case PtxOperator::convert:
            return operation.result_bits >= 32 && operation.bits >= 32 ? a : PtxLanes::unknown();
        case PtxOperator::add:
            return sum(a, b, false);
        case PtxOperator::subtract:
            return sum(a, b, true);
        case PtxOperator::negate:
            return product(a, PtxLanes::exact(~std::uint64_t{0}));
        case PtxOperator::multiply:
        case PtxOperator::multiply_wide:
            return product(a, b);
        case PtxOperator::multiply_add:
        case PtxOperator::multiply_add_wide: {
            const PtxLanes scaled = product(a, b);
            return scaled.is_known() ? sum(scaled, as_numbers(given[2], operation.result_bits), false)
                                     : scaled;
        }
        case PtxOperator::shift_left:
            return is_scalar && by < 63 ? product(a, PtxLanes::exact(std::uint64_t{1} << by))
                                        : PtxLanes::unknown();
        case PtxOperator::shift_right:
            return is_scalar && by < 63 ? divided(a, std::uint64_t{1} << by, false) : PtxLanes::unknown();
        case PtxOperator::divide:
            return is_scalar ? divided(a, by, false) : PtxLanes::unknown();
        case PtxOperator::remainder:
            return is_scalar ? divided(a, by, true) : PtxLanes::unknown();
        case PtxOperator::bit_and:
            return is_scalar && ((by + 1) & by) == 0 ? divided(a, by + 1, true) : PtxLanes::unknown();
        case PtxOperator::bit_or:  // of bits that cannot both be set
            if (is_scalar && a.multiple % 2 == 0 && a.multiple > 0) {
                const std::uint64_t free = a.multiple & (0 - a.multiple);
                const bool apart = by < free && std::all_of(a.value.begin(), a.value.end(), [&](auto value) {
                                       return (value & (free - 1) & by) == 0;
                                   });
                if (apart) return sum(a, b, false);
            }
            return PtxLanes::unknown();
        case PtxOperator::minimum:
        case PtxOperator::maximum:
            if (a.is_uniform() != b.is_uniform()) return a.is_uniform() ? b : a;
            return PtxLanes::unknown();
        default:
            return PtxLanes::unknown();
    }
}

}  // namespace

PtxLanes PtxLanes::exact(std::uint64_t value) {
    PtxLanes result;
    result.state = State::known;
    result.value.fill(value);
    return result;
}
PtxLanes PtxLanes::unknown() {
    PtxLanes result;
    result.state = State::unknown;
    result.blocks = all_blocks;
    return result;
}
PtxLanes PtxLanes::uniform(std::uint64_t multiple, std::uint8_t blocks) {
    PtxLanes result = exact(0);
    result.multiple = std::max<std::uint64_t>(1, multiple);
    result.blocks = blocks;
    return result;
}
bool PtxLanes::is_uniform() const {
    if (!is_known()) return false;
    for (std::size_t lane = 1; lane < lanes; ++lane)
        if (value[lane] != value[0] || group[lane] != group[0]) return false;
    return true;
}

PtxLanes evaluate_lanes(const PtxOperation& operation, std::span<const PtxLanes> sources) {
    std::uint8_t of_blocks = 0;
    bool exact = true;
    bool uniform = true;
    if (sources.size() != operation.sources) return PtxLanes::unknown();
    for (const PtxLanes& source : sources) {
        if (!source.is_known()) return source;
        of_blocks = static_cast<std::uint8_t>(of_blocks | source.blocks);
        exact &= source.is_exact();
        uniform &= source.is_uniform();
    }
    PtxLanes result;
    if (exact) {
        result = PtxLanes::exact(0);
        std::vector<std::uint64_t> own(sources.size());
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            for (std::size_t s = 0; s < sources.size(); ++s) own[s] = sources[s].value[lane];
            const auto value = ptx_evaluate(operation, own);
            if (!value) return PtxLanes::unknown();
            result.value[lane] = *value;
        }
    } else {
        result = with_unknown_parts(operation, sources);
        if (!result.is_known() && uniform) result = PtxLanes::uniform(1, of_blocks);
        // A selection by a uniform condition is one of the two.
        if (!result.is_known() && operation.op == PtxOperator::select && sources[2].is_uniform()) {
            result =
                join_lanes(as_numbers(sources[0], operation.bits), as_numbers(sources[1], operation.bits));
        }
    }
    if (result.is_known()) result.blocks = of_blocks;
    return result;
}

PtxLanes join_lanes(const PtxLanes& a, const PtxLanes& b) {
    if (a.state == PtxLanes::State::unreached) return b;
    if (b.state == PtxLanes::State::unreached || a == b) return a;
    if (!a.is_known() || !b.is_known()) return PtxLanes::unknown();
    PtxLanes result = a;
    result.blocks = static_cast<std::uint8_t>(a.blocks | b.blocks);
    const auto groups = [](const PtxLanes& x) {
        return classes([&](std::size_t lane) { return x.group[lane]; });
    };
    if (groups(a) != groups(b)) return PtxLanes::unknown();
    result.group = groups(a);
    result.multiple = std::gcd(a.multiple, b.multiple);
    std::array<std::optional<std::uint64_t>, lanes> difference = {};  // by group
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint64_t own = b.value[lane] - a.value[lane];
        std::optional<std::uint64_t>& of_group = difference[result.group[lane]];
        if (of_group && *of_group != own) return PtxLanes::unknown();
        of_group = own;
        result.multiple = std::gcd(result.multiple, magnitude(own));
    }
    return result;
}

namespace {

using Piece = std::pair<std::uint8_t, std::uint64_t>;  // group, number of the piece

/// The different pieces of `size` bytes that the lanes [first, last) touch.
std::vector<Piece> pieces(const WarpAddresses& access, std::uint32_t first, std::uint32_t last,
                          std::uint64_t size) {
    std::vector<Piece> found;
    const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(1, access.bytes));
    for (std::uint32_t lane = first; lane < last; ++lane) {
        if (((access.active >> lane) & 1U) == 0) continue;
        const std::uint64_t begin = access.address[lane];
        for (std::uint64_t piece = begin / size; piece <= (begin + length - 1) / size; ++piece)
            found.emplace_back(access.group[lane], piece);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace

std::int64_t shared_passes(const WarpAddresses& access) {
    constexpr std::uint64_t word = 4;
    constexpr std::uint64_t banks = 32;
    const std::uint32_t lanes = access.bytes <= 4 ? 32 : access.bytes <= 8 ? 16 : 8;
    std::int64_t passes = 0;
    for (std::uint32_t first = 0; first < 32; first += lanes) {
        std::array<std::int64_t, banks> words = {};
        for (const Piece& piece : pieces(access, first, first + lanes, word)) ++words[piece.second % banks];
        passes += *std::max_element(words.begin(), words.end());
    }
    return passes;
}

std::int64_t global_sectors(const WarpAddresses& access) {
    return static_cast<std::int64_t>(pieces(access, 0, 32, 32).size());
}

std::int64_t global_lines(const WarpAddresses& access) {
    return static_cast<std::int64_t>(pieces(access, 0, 32, 128).size());
}

}  // namespace warpnet::netgen

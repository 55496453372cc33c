// Computes the representative of a marking and the size of its orbit. Interchangeable parts are sorted by
// their tokens, after their own symmetries have been applied inside each part. For a group that is kept
// element by element, the lexicographically smallest image is the representative. Parts are sorted by
// insertion, because a step changes few parts of a sorted marking.
//
// The orbit of n parts has n! markings, divided by the factorial of each multiplicity of equal parts and
// multiplied by the orbits within the parts. The orbit under a listed group has the order of the group
// divided by the order of the stabiliser.

#include "analysis/states/symmetry/net_symmetry.hpp"

#include "engine/base/capped.hpp"
#include "engine/base/text.hpp"
#include "engine/formula/formula.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace warpnet::states {

namespace {

using Factor = NetSymmetry::Factor;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

/// n over k, capped.
std::uint64_t binomial(std::uint32_t n, std::uint32_t k) noexcept {
    WideSum value = 1;
    for (std::uint32_t i = 1; i <= k; ++i) {
        value = value * (n - k + i) / i;  // exact: the value is n - k + i over i
        if (value > WideSum{most}) return most;
    }
    return static_cast<std::uint64_t>(value);
}

std::uint64_t order_of(std::span<const Factor> factors) noexcept {
    std::uint64_t order = 1;
    for (const Factor& factor : factors) {
        if (factor.parts == 1) {
            order = capped_product(order, factor.images.size() + 1);
            continue;
        }
        const std::uint64_t inner = order_of(factor.inner);
        for (std::uint32_t part = 1; part <= factor.parts; ++part)
            order = capped_product(order, capped_product(inner, part));
    }
    return order;
}

std::uint64_t listed_in(std::span<const Factor> factors) noexcept {
    std::uint64_t elements = 0;
    for (const Factor& factor : factors)
        elements += factor.parts == 1 ? factor.images.size() : factor.parts * listed_in(factor.inner);
    return elements;
}

void make_group_canonical(const Factor& factor, Tokens* tokens) {
    const std::vector<std::uint32_t>* best = nullptr;
    for (const auto& image : factor.images) {
        for (std::uint32_t i = 0; i < factor.length; ++i) {
            const Tokens ours = tokens[image[i]], other = tokens[best == nullptr ? i : (*best)[i]];
            if (ours == other) continue;
            if (ours < other) best = &image;
            break;
        }
    }
    if (best == nullptr) return;
    thread_local std::vector<Tokens> copy;
    copy.assign(tokens, tokens + factor.length);
    for (std::uint32_t i = 0; i < factor.length; ++i) tokens[i] = copy[(*best)[i]];
}

int compare(const Tokens* a, const Tokens* b, std::uint32_t length) noexcept {
    for (std::uint32_t i = 0; i < length; ++i)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/// By insertion: a step changes few parts of a sorted marking.
void sort_parts(const Factor& factor, Tokens* tokens) {
    thread_local std::vector<Tokens> part;
    const std::uint32_t length = factor.length;
    for (std::uint32_t i = 1; i < factor.parts; ++i) {
        Tokens* const moving = tokens + std::size_t{i} * length;
        if (compare(moving - length, moving, length) <= 0) continue;
        part.assign(moving, moving + length);
        std::uint32_t first = 0, last = i - 1;  // the first part that is larger is among them
        while (first < last) {
            const std::uint32_t middle = (first + last) / 2;
            if (compare(tokens + std::size_t{middle} * length, part.data(), length) > 0) {
                last = middle;
            } else {
                first = middle + 1;
            }
        }
        Tokens* const to = tokens + std::size_t{first} * length;
        std::copy_backward(to, moving, moving + length);
        std::copy(part.begin(), part.end(), to);
    }
}

void make_factors_canonical(std::span<const Factor> factors, Tokens* tokens) {
    for (const Factor& factor : factors) {
        Tokens* const begin = tokens + factor.begin;
        if (factor.parts == 1) {
            make_group_canonical(factor, begin);
            continue;
        }
        if (!factor.inner.empty()) {
            for (std::uint32_t part = 0; part < factor.parts; ++part)
                make_factors_canonical(factor.inner, begin + std::size_t{part} * factor.length);
        }
        sort_parts(factor, begin);
    }
}

/// The order of a group divided by the number of its elements that change nothing.
std::uint64_t group_orbit(const Factor& factor, const Tokens* tokens) noexcept {
    std::uint64_t same = 1;
    for (const auto& image : factor.images) {
        std::uint32_t i = 0;
        while (i < factor.length && tokens[image[i]] == tokens[i]) ++i;
        if (i == factor.length) ++same;
    }
    return (factor.images.size() + 1) / same;
}

/// The ways to order the parts if equal parts are indistinguishable, each part in all the forms that its own
/// symmetries give it.
std::uint64_t factors_orbit(std::span<const Factor> factors, const Tokens* tokens) {
    std::uint64_t size = 1;
    for (const Factor& factor : factors) {
        const Tokens* const begin = tokens + factor.begin;
        if (factor.parts == 1) {
            size = capped_product(size, group_orbit(factor, begin));
            continue;
        }
        for (std::uint32_t part = 0; part < factor.parts && !factor.inner.empty(); ++part)
            size =
                capped_product(size, factors_orbit(factor.inner, begin + std::size_t{part} * factor.length));
        std::uint32_t equal = 1;
        for (std::uint32_t part = 1; part <= factor.parts; ++part) {
            const Tokens* const at = begin + std::size_t{part} * factor.length;
            if (part < factor.parts && compare(at - factor.length, at, factor.length) == 0) {
                ++equal;
                continue;
            }
            size = capped_product(size, binomial(part, equal));
            equal = 1;
        }
    }
    return size;
}

std::string described(const Factor& factor) {
    if (factor.parts == 1)
        return fmt::format("{} permutations of {} places", factor.images.size() + 1, factor.length);
    std::string text = fmt::format("{} equal parts of {}", factor.parts, plural(factor.length, "place"));
    for (std::size_t i = 0; i < factor.inner.size(); ++i)
        text += (i == 0 ? ", each with " : " and ") + described(factor.inner[i]);
    return text;
}

}  // namespace

std::uint64_t NetSymmetry::order() const noexcept { return order_of(factors_); }

std::uint64_t NetSymmetry::listed_elements() const noexcept { return listed_in(factors_); }

std::string NetSymmetry::description() const {
    std::vector<std::pair<std::string, std::size_t>> kinds;
    for (const Factor& factor : factors_) {
        const std::string text = described(factor);
        const auto known =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == text; });
        if (known == kinds.end()) {
            kinds.emplace_back(text, 1);
        } else {
            ++known->second;
        }
    }
    std::string text;
    for (const auto& [kind, count] : kinds) {
        text += text.empty() ? "" : "; ";
        text += count == 1 ? kind : fmt::format("{} times {}", count, kind);
    }
    return text;
}

void NetSymmetry::make_canonical(std::span<Tokens> by_position) const {
    make_factors_canonical(factors_, by_position.data());
}

void NetSymmetry::make_canonical(Marking& marking) const {
    std::vector<Tokens> tokens(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) tokens[i] = marking[places_[i]];
    make_canonical(std::span<Tokens>(tokens));
    for (std::size_t i = 0; i < places_.size(); ++i) marking[places_[i]] = tokens[i];
}

std::uint64_t NetSymmetry::orbit_size(std::span<const Tokens> canonical_by_position) const {
    return factors_orbit(factors_, canonical_by_position.data());
}

}  // namespace warpnet::states

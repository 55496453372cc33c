#include "analysis/states/structure/incidence.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

namespace warpnet {

namespace {

constexpr std::uint64_t most_work = 300'000'000;  // entries that matrix_rank() combines

}  // namespace

std::vector<SparseRow> incidence_matrix(const Net& net) {
    std::vector<SparseRow> rows(net.places().size());
    for (std::size_t t = 0; t < net.transitions().size(); ++t) {
        std::map<std::uint32_t, Tokens> effects;
        for (const Arc& arc : net.arcs_of(TransitionId(t))) {
            const auto place = static_cast<std::uint32_t>(index(arc.place));
            if (arc.kind == ArcKind::output) effects[place] += arc.weight;
            if (arc.kind == ArcKind::input) effects[place] -= arc.weight;
        }
        for (const auto& [place, effect] : effects) {
            if (effect != 0) rows[place].push_back({static_cast<std::uint32_t>(t), effect});
        }
    }
    return rows;
}

std::vector<SparseRow> transposed(const std::vector<SparseRow>& rows, std::size_t columns) {
    std::vector<SparseRow> result(columns);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (const auto [at, value] : rows[row])
            result[at].push_back({static_cast<std::uint32_t>(row), value});
    }
    return result;
}

std::optional<SparseRow> combine(Tokens a, const SparseRow& x, Tokens b, const SparseRow& y) {
    SparseRow result;
    result.reserve(x.size() + y.size());
    bool in_range = true;
    const auto scaled = [&](Tokens factor, Tokens value) {
        Tokens product = 0;
        in_range &= !__builtin_mul_overflow(factor, value, &product);
        return product;
    };
    auto left = x.begin();
    auto right = y.begin();
    while (left != x.end() || right != y.end()) {
        if (right == y.end() || (left != x.end() && left->at < right->at)) {
            result.push_back({left->at, scaled(a, left->value)});
            ++left;
        } else if (left == x.end() || right->at < left->at) {
            result.push_back({right->at, scaled(b, right->value)});
            ++right;
        } else {
            Tokens sum = 0;
            in_range &= !__builtin_add_overflow(scaled(a, left->value), scaled(b, right->value), &sum);
            if (sum != 0) result.push_back({left->at, sum});
            ++left;
            ++right;
        }
    }
    return in_range ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<std::size_t> matrix_rank(std::vector<SparseRow> rows) {
    // Row with a given first column; a row is reduced until its first column is new. Short rows first.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const SparseRow& a, const SparseRow& b) { return a.size() < b.size(); });
    std::map<std::uint32_t, SparseRow> pivots;
    std::uint64_t work = 0;
    for (SparseRow& row : rows) {
        while (!row.empty()) {
            const auto pivot = pivots.find(row.front().at);
            if (pivot == pivots.end()) {
                const std::uint32_t first = row.front().at;
                pivots.emplace(first, std::move(row));
                break;
            }
            work += row.size() + pivot->second.size();
            if (work > most_work) return std::nullopt;
            const Tokens mine = row.front().value, theirs = pivot->second.front().value;
            const Tokens divisor = std::gcd(mine, theirs);
            auto reduced = combine(theirs / divisor, row, -(mine / divisor), pivot->second);
            if (!reduced) return std::nullopt;
            Tokens common = 0;
            for (const SparseEntry& entry : *reduced) common = std::gcd(common, entry.value);
            for (SparseEntry& entry : *reduced) entry.value /= common;
            row = std::move(*reduced);
        }
    }
    return pivots.size();
}

}  // namespace warpnet

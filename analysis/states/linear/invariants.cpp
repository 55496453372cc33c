// Minimal semi-positive invariants by Farkas' algorithm [Colom91]. The columns of the matrix are eliminated
// one by one, each time the column that adds the fewest rows. A row is dropped if its support contains that
// of another row. A priority queue with outdated entries finds the cheapest column, and a bit signature of
// the support makes most containment tests one operation. Every result is multiplied with the matrix before
// it is returned.
//
// There can be exponentially many invariants. If rows exceed a limit, those with many nodes are dropped and
// the result is marked as incomplete: the listed invariants are right, and a missing one proves nothing. No
// linear program is solved here: a net is conservative exactly if its P-invariants cover all places, and
// structurally bounded exactly if the minimal solutions of y C + s = 0, y, s >= 0, cover them.
// has_weighting() (net_class.cpp) solves one if the enumeration is incomplete.

#include "analysis/states/linear/invariants.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace warpnet::states {

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
    // Rows with a given first column; a row is reduced until its first column is new. Short rows first.
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

namespace {

/// A combination of the rows of the matrix: its remaining entries in the columns, and its weights.
struct Row {
    SparseRow left;
    SparseRow weights;
    std::uint64_t signature = 0;  // bits of the nodes that have a weight, 64 kinds of them
};

constexpr std::uint64_t signature_of(std::uint32_t node) { return std::uint64_t{1} << node % 64; }

bool support_contains(const auto& larger, const auto& smaller, auto node_of) {
    return std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end(),
                         [&](const auto& a, const auto& b) { return node_of(a) < node_of(b); });
}

/// Nearly always it is 1, which the first few entries show.
void divide_by_common_divisor(SparseRow& left, SparseRow& weights) {
    Tokens common = 0;
    for (const SparseRow* part : {&weights, &left}) {
        for (const SparseEntry& entry : *part) {
            common = std::gcd(common, entry.value);
            if (common == 1) return;
        }
    }
    for (SparseRow* part : {&weights, &left})
        for (SparseEntry& entry : *part) entry.value /= common;
}

/// Finds the minimal x >= 0 with x * rows = 0.
class Farkas {
  public:
    Farkas(const std::vector<SparseRow>& matrix, std::size_t columns, const InvariantOptions& options)
        : options_(options),
          by_first_(matrix.size()),
          by_column_(columns),
          positive_(columns, 0),
          negative_(columns, 0),
          open_(columns, 1),
          noted_(columns, never) {
        for (std::uint32_t i = 0; i < matrix.size(); ++i) {
            Row row;
            row.left = matrix[i];
            row.weights = {{i, 1}};
            row.signature = signature_of(i);
            add(std::move(row));
        }
    }

    Invariants run() && {
        Invariants result;
        for (bool going = true; going;) {
            const std::optional<std::size_t> column = cheapest_column();
            if (!column) break;
            going = eliminate(*column);
            complete_ = complete_ && going;
        }
        result.complete = complete_;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (!alive_[r] || !rows_[r].left.empty()) continue;
            Invariant invariant;
            for (const auto [at, value] : rows_[r].weights) invariant.push_back({at, value});
            result.all.push_back(std::move(invariant));
        }
        std::sort(result.all.begin(), result.all.end());
        return result;
    }

  private:
    /// The column whose elimination adds the fewest rows; the first of several.
    std::optional<std::size_t> cheapest_column() {
        while (!cheapest_.empty()) {
            const auto [growth, column] = cheapest_.top();
            cheapest_.pop();
            ++work_;
            if (open_[column] == 0 || growth != noted_[column]) continue;
            noted_[column] = never;
            if (positive_[column] == 0 && negative_[column] == 0) continue;
            if (growth == growth_of(column)) return column;
            note_growth(column);
        }
        return std::nullopt;
    }

    double growth_of(std::uint32_t column) const {
        const auto plus = static_cast<double>(positive_[column]);
        const auto minus = static_cast<double>(negative_[column]);
        return plus * minus - plus - minus;
    }

    bool eliminate(std::size_t column) {
        std::vector<std::uint32_t> plus, minus;
        for (const std::uint32_t r : by_column_[column]) {
            if (!alive_[r]) continue;
            (entry(r, column) > 0 ? plus : minus).push_back(r);
        }
        give_up_large(plus, minus);
        std::vector<Row> made;
        for (const std::uint32_t p : plus) {
            for (const std::uint32_t m : minus) {
                auto row = combined(rows_[p], rows_[m], entry(p, column), -entry(m, column));
                if (!row || work_ > options_.max_work) return false;
                made.push_back(std::move(*row));
            }
        }
        for (const std::uint32_t r : plus) remove(r);
        for (const std::uint32_t r : minus) remove(r);
        // Small supports first: supersets are then dropped at once.
        std::stable_sort(made.begin(), made.end(),
                         [](const Row& a, const Row& b) { return a.weights.size() < b.weights.size(); });
        for (Row& row : made) {
            if (work_ > options_.max_work) return false;
            if (!contains_another(row)) add(std::move(row));
        }
        open_[column] = 0;
        return true;
    }

    /// Drops rows with many nodes until the remaining ones make few enough. If there are exponentially many
    /// invariants, the small ones are still found and the work stays bounded.
    void give_up_large(std::vector<std::uint32_t>& plus, std::vector<std::uint32_t>& minus) {
        const auto fewer_nodes = [&](std::uint32_t a, std::uint32_t b) {
            return rows_[a].weights.size() < rows_[b].weights.size();
        };
        std::stable_sort(plus.begin(), plus.end(), fewer_nodes);
        std::stable_sort(minus.begin(), minus.end(), fewer_nodes);
        const std::uint64_t most = matrix_rows_ + (complete_ ? options_.max_rows : options_.max_rows / 20);
        while (plus.size() * minus.size() > plus.size() + minus.size() &&
               alive_count_ + plus.size() * minus.size() > most + plus.size() + minus.size()) {
            std::vector<std::uint32_t>& larger = fewer_nodes(plus.back(), minus.back()) ? minus : plus;
            remove(larger.back());
            larger.pop_back();
            complete_ = false;
        }
    }

    std::optional<Row> combined(const Row& p, const Row& m, Tokens plus, Tokens minus) {
        const Tokens divisor = std::gcd(plus, minus);
        auto left = combine(minus / divisor, p.left, plus / divisor, m.left);
        auto weights = combine(minus / divisor, p.weights, plus / divisor, m.weights);
        if (!left || !weights) return std::nullopt;
        work_ += left->size() + weights->size();
        divide_by_common_divisor(*left, *weights);
        return Row{std::move(*left), std::move(*weights), p.signature | m.signature};
    }

    /// A row is in the list of its first place; a row whose support it contains has its first place in the
    /// row.
    bool contains_another(const Row& row) {
        for (const SparseEntry& weight : row.weights) {
            for (const std::uint32_t other : by_first_[weight.at]) {
                ++work_;
                if (!alive_[other] || (rows_[other].signature & ~row.signature) != 0) continue;
                work_ += row.weights.size();
                if (support_contains(row.weights, rows_[other].weights,
                                     [](const SparseEntry& e) { return e.at; }))
                    return true;
            }
        }
        return false;
    }

    Tokens entry(std::uint32_t row, std::size_t column) const {
        const SparseRow& left = rows_[row].left;
        return std::lower_bound(left.begin(), left.end(), column,
                                [](const SparseEntry& e, std::size_t c) { return e.at < c; })
            ->value;
    }

    void add(Row row) {
        const auto number = static_cast<std::uint32_t>(rows_.size());
        by_first_[row.weights.front().at].push_back(number);
        for (const SparseEntry& e : row.left) {
            by_column_[e.at].push_back(number);
            ++(e.value > 0 ? positive_ : negative_)[e.at];
            note_growth(e.at);
        }
        rows_.push_back(std::move(row));
        alive_.push_back(1);
        ++alive_count_;
    }

    void remove(std::uint32_t number) {
        Row& row = rows_[number];
        for (const SparseEntry& e : row.left) {
            --(e.value > 0 ? positive_ : negative_)[e.at];
            note_growth(e.at);
        }
        std::erase(by_first_[row.weights.front().at], number);
        row = {};
        alive_[number] = 0;
        --alive_count_;
    }

    /// To be called if the growth of a column may have decreased. An increase is found when the column is
    /// next in the queue.
    void note_growth(std::uint32_t column) {
        const double growth = growth_of(column);
        if (open_[column] == 0 || growth >= noted_[column]) return;
        noted_[column] = growth;
        cheapest_.emplace(growth, column);
    }

    using Candidate = std::pair<double, std::uint32_t>;  // growth, column
    static constexpr double never = std::numeric_limits<double>::infinity();

    const InvariantOptions& options_;
    std::vector<Row> rows_;
    std::vector<std::uint8_t> alive_;
    std::uint64_t alive_count_ = 0;
    std::vector<std::vector<std::uint32_t>> by_first_;   // rows, by the first of their weights
    std::vector<std::vector<std::uint32_t>> by_column_;  // rows with an entry there, and removed ones
    std::vector<std::uint64_t> positive_, negative_;     // per column: entries of that sign
    std::vector<std::uint8_t> open_;                     // columns not yet eliminated
    std::vector<double> noted_;                          // per column: its growth in cheapest_, or never
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> cheapest_;  // some are outdated
    std::uint64_t work_ = 0;
    bool complete_ = true;
    std::size_t matrix_rows_ = by_first_.size();
};

__extension__ using Wide = __int128;

/// Whether x * matrix = 0, independent of how x was found. `sums` has a 0 for each column, before and after.
bool is_invariant(const std::vector<SparseRow>& matrix, const Invariant& invariant, std::vector<Wide>& sums) {
    for (const auto [node, weight] : invariant) {
        for (const auto [at, value] : matrix[node]) sums[at] += Wide{weight} * value;
    }
    bool all_zero = true;
    for (const InvariantTerm term : invariant) {
        for (const SparseEntry& entry : matrix[term.node]) all_zero &= std::exchange(sums[entry.at], 0) == 0;
    }
    return all_zero;
}

/// All minimal invariants of a matrix, without those that contain another, each verified.
Invariants invariants_of(const std::vector<SparseRow>& matrix, std::size_t columns,
                         const InvariantOptions& options) {
    Invariants result = Farkas(matrix, columns, options).run();
    // A later row can be smaller than an earlier one. Candidates share the first node of the smaller one.
    std::vector<std::vector<std::size_t>> by_first(matrix.size());
    for (std::size_t i = 0; i < result.all.size(); ++i) by_first[result.all[i].front().node].push_back(i);
    std::vector<Invariant> minimal;
    std::vector<Wide> sums(columns, 0);
    for (std::size_t i = 0; i < result.all.size(); ++i) {
        const Invariant& invariant = result.all[i];
        const bool contains_another =
            std::any_of(invariant.begin(), invariant.end(), [&](InvariantTerm term) {
                const auto& others = by_first[term.node];
                return std::any_of(others.begin(), others.end(), [&](std::size_t j) {
                    return result.all[j].size() < invariant.size() &&
                           support_contains(invariant, result.all[j],
                                            [](InvariantTerm one) { return one.node; });
                });
            });
        if (contains_another) continue;
        if (is_invariant(matrix, invariant, sums)) {
            minimal.push_back(invariant);
        } else {
            result.complete = false;
        }
    }
    result.all = std::move(minimal);
    return result;
}

}  // namespace

Invariants p_invariants(const Net& net, const InvariantOptions& options) {
    return invariants_of(incidence_matrix(net), net.transitions().size(), options);
}

Invariants p_invariants(const CompiledNet& net, const InvariantOptions& options) {
    std::vector<SparseRow> effects(net.transition_count());
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        std::map<std::uint32_t, Tokens> changes;
        for (const auto [place, weight] : net.outputs[t]) changes[place] += weight;
        for (const auto [place, weight] : net.inputs[t]) changes[place] -= weight;
        for (const auto& [place, change] : changes)
            if (change != 0) effects[t].push_back({place, change});
    }
    return invariants_of(transposed(effects, net.place_count()), net.transition_count(), options);
}

Invariants t_invariants(const Net& net, const InvariantOptions& options) {
    return invariants_of(transposed(incidence_matrix(net), net.transitions().size()), net.places().size(),
                         options);
}

Invariants p_subinvariants(const Net& net, const InvariantOptions& options) {
    std::vector<SparseRow> matrix = incidence_matrix(net);
    for (std::uint32_t t = 0; t < net.transitions().size(); ++t) matrix.push_back({{t, 1}});
    return invariants_of(matrix, net.transitions().size(), options);
}

std::vector<std::optional<Tokens>> invariant_bounds(const Net& net, const Invariants& invariants) {
    std::vector<std::optional<Tokens>> bounds(net.places().size());
    for (const Invariant& invariant : invariants.all) {
        Wide sum = 0;
        for (const auto [node, weight] : invariant)
            if (node < bounds.size()) sum += Wide{weight} * net.places()[node].initial;
        for (const auto [node, weight] : invariant) {
            if (node >= bounds.size()) continue;
            const Wide bound = sum / weight;
            if (bound > max_tokens) continue;
            const auto tokens = static_cast<Tokens>(bound);
            bounds[node] = std::min(bounds[node].value_or(tokens), tokens);
        }
    }
    return bounds;
}

}  // namespace warpnet::states

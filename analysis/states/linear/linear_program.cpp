// A solver proposes prices (duals) in floating point, and bound_of() turns them into a bound in whole
// numbers, so no solver has to be trusted. GLPK's simplex method solves small programs and recognises
// programs without a maximum or a solution. Interior points solve the flows through states: the number of
// their rounds hardly grows with the program (15 to 30), while the simplex method stalls on degenerate flows.
// On flows of 1,000 to 4,200 columns they take 0.01 to 0.2 s and the simplex method 0.04 to 0.6 s, for the
// same bounds.
//
// Rejected: Clp 1.17.6 instead of both. Its simplex method takes 0.01 to 0.3 s on flows of 1,000 to 4,600
// columns. On 15,670 columns its primal method takes 22 s, its dual method more than 60 s, its barrier method
// 8 s, and interior points on CHOLMOD 2 s. The ordering of the barrier method leads to 780 million operations
// per factorisation instead of 170 million, and it uses no BLAS. On 33,724 columns one factorisation is
// 36,000 million operations, while CHOLMOD needs 25 s for the whole program. Clp also loads LAPACK with every
// start of warpnet, some 3 ms, and its licence (EPL-1.0) conflicts with the GPL of CHOLMOD's supernodal
// factorisation.

#include "analysis/states/linear/linear_program.hpp"

#include "analysis/states/linear/glpk_problem.hpp"
#include "analysis/states/linear/interior_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

namespace warpnet::states {

std::uint32_t LinearProgram::add_row(Sense sense, Coefficient right_hand_side) {
    senses_.push_back(sense);
    right_hand_sides_.push_back(right_hand_side);
    return static_cast<std::uint32_t>(senses_.size() - 1);
}

std::uint32_t LinearProgram::add_column(Coefficient objective) {
    objective_.push_back(objective);
    return static_cast<std::uint32_t>(objective_.size() - 1);
}

void LinearProgram::add_entry(std::uint32_t row, std::uint32_t column, Coefficient coefficient) {
    if (coefficient != 0) entries_.push_back({row, column, coefficient});
}

std::vector<LinearProgram::Entry> LinearProgram::entries() const {
    std::vector<Entry> sorted = entries_;
    const auto place = [](const Entry& entry) { return std::uint64_t{entry.column} << 32 | entry.row; };
    std::sort(sorted.begin(), sorted.end(),
              [&](const Entry& a, const Entry& b) { return place(a) < place(b); });
    std::vector<Entry> result;
    for (const Entry& entry : sorted) {
        if (result.empty() || place(result.back()) != place(entry)) {
            if (!result.empty() && result.back().coefficient == 0) result.pop_back();
            result.push_back(entry);
        } else {
            result.back().coefficient += entry.coefficient;
        }
    }
    if (!result.empty() && result.back().coefficient == 0) result.pop_back();
    return result;
}

namespace {

using Sense = LinearProgram::Sense;
using Entry = LinearProgram::Entry;

/// One linear program of GLPK. GLPK has an environment of its own and does not support several threads.
class SimplexSolver {
  public:
    SimplexSolver(const LinearProgram& program, const std::vector<Entry>& entries) {
        glp_set_obj_dir(problem_.get(), GLP_MAX);
        add_rows(program);
        add_columns(program);
        load(entries);
        glp_scale_prob(problem_.get(), GLP_SF_AUTO);
    }

    /// The work of glp_simplex() with its preprocessor on, but in slices.
    BoundStatus solve(const WorkLimits& limits) {
        struct DeletePreprocessor {
            void operator()(glp_prep* preprocessor) const { glp_npp_free_wksp(preprocessor); }
        };
        const std::unique_ptr<glp_prep, DeletePreprocessor> preprocessor(glp_npp_alloc_wksp());
        glp_npp_load_prob(preprocessor.get(), problem_.get(), GLP_SOL, GLP_OFF);
        const int refused = glp_npp_preprocess1(preprocessor.get(), 0);
        if (refused != 0) return status_of(refused);
        const GlpkProblem reduced = make_glpk_problem();
        glp_npp_build_prob(preprocessor.get(), reduced.get());
        glp_scale_prob(reduced.get(), GLP_SF_AUTO);
        glp_adv_basis(reduced.get(), 0);
        const BoundStatus status = status_after_simplex(*reduced, limits);
        if (status == BoundStatus::bounded) {
            glp_npp_postprocess(preprocessor.get(), reduced.get());
            glp_npp_obtain_sol(preprocessor.get(), problem_.get());
        }
        return status;
    }

    std::vector<double> prices() const {
        std::vector<double> result(static_cast<std::size_t>(glp_get_num_rows(problem_.get())));
        for (std::size_t row = 0; row < result.size(); ++row)
            result[row] = glp_get_row_dual(problem_.get(), static_cast<int>(row) + 1);
        return result;
    }

  private:
    static BoundStatus status_of(int failure) {
        switch (failure) {
            case GLP_ENODFS:
                return BoundStatus::unbounded;
            case GLP_ENOPFS:
                return BoundStatus::infeasible;
            default:
                return BoundStatus::gave_up;
        }
    }

    static BoundStatus status_after_simplex(glp_prob& problem, const WorkLimits& limits) {
        glp_smcp parameters;
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_OFF;
        const int failure = simplex_in_slices(problem, parameters, limits);
        if (failure != 0) return status_of(failure);
        switch (glp_get_status(&problem)) {
            case GLP_OPT:
                return BoundStatus::bounded;
            case GLP_UNBND:
                return BoundStatus::unbounded;
            case GLP_NOFEAS:
                return BoundStatus::infeasible;
            default:
                return BoundStatus::gave_up;
        }
    }

    void add_rows(const LinearProgram& program) {
        const int rows = static_cast<int>(program.rows());
        if (rows > 0) glp_add_rows(problem_.get(), rows);
        for (int row = 0; row < rows; ++row) {
            const auto at = static_cast<std::size_t>(row);
            const auto side = static_cast<double>(program.right_hand_side(at));
            glp_set_row_bnds(problem_.get(), row + 1, program.sense(at) == Sense::equal ? GLP_FX : GLP_UP,
                             side, side);
        }
    }

    void add_columns(const LinearProgram& program) {
        const int columns = static_cast<int>(program.columns());
        if (columns > 0) glp_add_cols(problem_.get(), columns);
        for (int column = 0; column < columns; ++column) {
            glp_set_col_bnds(problem_.get(), column + 1, GLP_LO, 0.0, 0.0);
            glp_set_obj_coef(problem_.get(), column + 1,
                             static_cast<double>(program.objective(static_cast<std::size_t>(column))));
        }
    }

    void load(const std::vector<Entry>& entries) {
        std::vector<int> rows(1), columns(1);  // GLPK counts from 1
        std::vector<double> values(1);
        for (const Entry& entry : entries) {
            rows.push_back(static_cast<int>(entry.row) + 1);
            columns.push_back(static_cast<int>(entry.column) + 1);
            values.push_back(static_cast<double>(entry.coefficient));
        }
        glp_load_matrix(problem_.get(), static_cast<int>(entries.size()), rows.data(), columns.data(),
                        values.data());
    }

    GlpkProblem problem_ = make_glpk_problem();
};

__extension__ using Wide = __int128;
constexpr int scale_bits = 32;

/// Rounds down, which whole solutions allow.
Wide floor_of(Wide numerator, Wide denominator) {
    const Wide quotient = numerator / denominator;
    return numerator % denominator < 0 ? quotient - 1 : quotient;
}

/// The prices in fixed point, with the sign that their rows allow. Any price is sound, 0 too.
std::vector<Wide> rounded(const LinearProgram& program, const std::vector<double>& prices) {
    std::vector<Wide> result(program.rows());
    for (std::size_t row = 0; row < result.size(); ++row) {
        const double scaled = std::ldexp(prices[row], scale_bits);
        if (!std::isfinite(scaled) || std::abs(scaled) > 0x1p62) continue;
        result[row] = std::llround(scaled);
        if (program.sense(row) == Sense::at_most) result[row] = std::max<Wide>(result[row], 0);
    }
    return result;
}

/// The bound that the prices prove; nothing if it is too large for whole numbers.
std::optional<std::int64_t> bound_of(const LinearProgram& program, const std::vector<Entry>& entries,
                                     const std::vector<Wide>& prices,
                                     std::optional<std::int64_t> most_total) {
    std::vector<Wide> missing(program.columns());
    for (std::size_t column = 0; column < missing.size(); ++column)
        missing[column] = Wide{program.objective(column)} << scale_bits;
    Wide sum = 0;
    for (std::size_t row = 0; row < prices.size(); ++row) sum += prices[row] * program.right_hand_side(row);
    for (const Entry& entry : entries) missing[entry.column] -= prices[entry.row] * entry.coefficient;
    const Wide one = Wide{1} << scale_bits;
    const Wide most =
        std::max<Wide>(missing.empty() ? 0 : *std::max_element(missing.begin(), missing.end()), 0);
    // objective <= sum + most * total; without most_total, total <= objective + 1.
    if (!most_total && most >= one) return std::nullopt;
    const Wide value =
        most_total ? floor_of(sum + most * *most_total, one) : floor_of(sum + most, one - most);
    if (value > std::numeric_limits<std::int64_t>::max() / 2 ||
        value < std::numeric_limits<std::int64_t>::min() / 2)
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

/// With one more column per inequality, for its slack.
EqualityProgram equality_program(const LinearProgram& program, const std::vector<Entry>& entries) {
    EqualityProgram result;
    for (std::size_t row = 0; row < program.rows(); ++row)
        result.right_hand_side.push_back(static_cast<double>(program.right_hand_side(row)));
    const auto close_column = [&](double objective) {
        result.objective.push_back(objective);
        result.column_begin.push_back(static_cast<std::int32_t>(result.row.size()));
    };
    const auto put = [&](std::size_t row, double value) {
        result.row.push_back(static_cast<std::int32_t>(row));
        result.value.push_back(value);
    };
    result.column_begin.push_back(0);
    auto entry = entries.begin();
    for (std::size_t column = 0; column < program.columns(); ++column) {
        for (; entry != entries.end() && entry->column == column; ++entry)
            put(entry->row, static_cast<double>(entry->coefficient));
        close_column(static_cast<double>(program.objective(column)));
    }
    for (std::size_t row = 0; row < program.rows(); ++row) {
        if (program.sense(row) == Sense::equal) continue;
        put(row, 1);
        close_column(0);
    }
    return result;
}

/// Interior points do not distinguish a program without a maximum from a hard one. `has_total` means that the
/// caller knows a maximum. Below 1,000 columns they save less than loading CHOLMOD takes.
bool is_for_interior_points(const LinearProgram& program, bool has_total) {
    constexpr std::size_t least_with_total = 1'000, least = 4'000;
    return program.columns() >= (has_total ? least_with_total : least);
}

struct Prices {
    BoundStatus status;
    std::vector<double> of_rows;
};

Prices prices_by_simplex(const LinearProgram& program, const std::vector<Entry>& entries,
                         const WorkLimits& limits) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    SimplexSolver solver(program, entries);
    if (limits.must_end()) return {BoundStatus::gave_up, {}};
    const BoundStatus status = solver.solve(limits);
    return {status, solver.prices()};
}

/// Any final prices prove a bound; poor prices prove a poor one.
Prices prices_by_interior_points(const LinearProgram& program, const std::vector<Entry>& entries,
                                 std::optional<std::int64_t> most_total, const WorkLimits& limits) {
    InteriorPointLimits of_points{.work = limits};
    if (most_total) of_points.most_total = static_cast<double>(*most_total);
    auto prices = interior_prices(equality_program(program, entries), of_points);
    if (!prices) return {BoundStatus::gave_up, {}};
    return {BoundStatus::bounded, std::move(*prices)};
}

}  // namespace

CertifiedMaximum certified_maximum(const LinearProgram& program, std::optional<std::int64_t> most_total,
                                   const WorkLimits& limits) {
    const std::vector<Entry> entries = program.entries();
    Prices prices = is_for_interior_points(program, most_total.has_value())
                        ? prices_by_interior_points(program, entries, most_total, limits)
                        : prices_by_simplex(program, entries, limits);
    if (prices.status != BoundStatus::bounded) return {prices.status};
    const auto value = bound_of(program, entries, rounded(program, prices.of_rows), most_total);
    if (!value) return {BoundStatus::gave_up};
    return {BoundStatus::bounded, *value, std::move(prices.of_rows)};
}

}  // namespace warpnet::states

#include "analysis/linear/linear_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include <glpk.h>

namespace warpnet {

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

/// One linear program in GLPK's hands. GLPK keeps an environment of its own and is not made for several
/// threads.
class SimplexSolver {
  public:
    explicit SimplexSolver(const LinearProgram& program) : program_(program) {
        glp_term_out(GLP_OFF);
        glp_set_obj_dir(problem_.get(), GLP_MAX);
        add_rows();
        add_columns();
        load_entries();
    }

    BoundStatus solve(std::optional<std::chrono::milliseconds> time_limit) {
        glp_scale_prob(problem_.get(), GLP_SF_AUTO);
        interior_ = program_.columns() >= least_columns_for_interior;
        return interior_ ? solve_by_interior_points(time_limit) : solve_by_simplex(time_limit);
    }

    /// The bound that the dual solution proves; nothing where it is too large for whole numbers.
    std::optional<std::int64_t> bound(std::optional<std::int64_t> most_total) const {
        std::vector<Wide> missing(program_.columns());
        for (std::size_t column = 0; column < missing.size(); ++column)
            missing[column] = Wide{program_.objective_[column]} << scale_bits;
        Wide sum = 0;
        const std::vector<Wide> prices = rounded_prices();
        for (std::size_t row = 0; row < prices.size(); ++row)
            sum += prices[row] * program_.right_hand_sides_[row];
        for (const LinearProgram::Entry& entry : program_.entries_)
            missing[entry.column] -= prices[entry.row] * entry.coefficient;
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

  private:
    /// The simplex method stalls on large flows through pairs of states.
    static constexpr std::size_t least_columns_for_interior = 4'000;
    /// About what they need a column: GLPK cannot be asked to stop them.
    static constexpr std::chrono::microseconds interior_time_of_column{600};

    BoundStatus solve_by_simplex(std::optional<std::chrono::milliseconds> time_limit) {
        glp_smcp parameters;
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_OFF;
        parameters.presolve = GLP_ON;
        if (time_limit) {
            const auto most = std::int64_t{std::numeric_limits<int>::max()};
            parameters.tm_lim = static_cast<int>(std::clamp<std::int64_t>(time_limit->count(), 0, most));
        }
        switch (glp_simplex(problem_.get(), &parameters)) {
            case 0:
                break;
            case GLP_ENODFS:
                return BoundStatus::unbounded;
            case GLP_ENOPFS:
                return BoundStatus::infeasible;
            default:
                return BoundStatus::gave_up;
        }
        switch (glp_get_status(problem_.get())) {
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

    /// Whatever it ends with proves a bound; a poor end, a poor one.
    BoundStatus solve_by_interior_points(std::optional<std::chrono::milliseconds> time_limit) {
        if (time_limit && interior_time_of_column * program_.columns() > *time_limit)
            return BoundStatus::gave_up;
        glp_iptcp parameters;
        glp_init_iptcp(&parameters);
        parameters.msg_lev = GLP_MSG_OFF;
        parameters.ord_alg = GLP_ORD_SYMAMD;
        if (glp_interior(problem_.get(), &parameters) != 0) return BoundStatus::gave_up;
        return glp_ipt_status(problem_.get()) == GLP_OPT ? BoundStatus::bounded : BoundStatus::gave_up;
    }

    __extension__ using Wide = __int128;
    static constexpr int scale_bits = 32;

    /// Rounds down, which whole solutions allow.
    static Wide floor_of(Wide numerator, Wide denominator) {
        const Wide quotient = numerator / denominator;
        return numerator % denominator < 0 ? quotient - 1 : quotient;
    }

    struct Delete {
        void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
    };

    void add_rows() {
        const int rows = static_cast<int>(program_.rows());
        if (rows > 0) glp_add_rows(problem_.get(), rows);
        for (int row = 0; row < rows; ++row) {
            const auto at = static_cast<std::size_t>(row);
            const auto side = static_cast<double>(program_.right_hand_sides_[at]);
            const bool equal = program_.senses_[at] == LinearProgram::Sense::equal;
            glp_set_row_bnds(problem_.get(), row + 1, equal ? GLP_FX : GLP_UP, side, side);
        }
    }

    void add_columns() {
        const int columns = static_cast<int>(program_.columns());
        if (columns > 0) glp_add_cols(problem_.get(), columns);
        for (int column = 0; column < columns; ++column) {
            glp_set_col_bnds(problem_.get(), column + 1, GLP_LO, 0.0, 0.0);
            glp_set_obj_coef(problem_.get(), column + 1,
                             static_cast<double>(program_.objective_[static_cast<std::size_t>(column)]));
        }
    }

    /// GLPK wants every place of the matrix at most once.
    void load_entries() {
        std::vector<LinearProgram::Entry> entries = program_.entries_;
        const auto place = [](const LinearProgram::Entry& entry) {
            return std::uint64_t{entry.column} << 32 | entry.row;
        };
        std::sort(entries.begin(), entries.end(),
                  [&](const auto& a, const auto& b) { return place(a) < place(b); });
        std::vector<int> rows(1), columns(1);  // GLPK counts from 1
        std::vector<double> values(1);
        for (std::size_t i = 0; i < entries.size();) {
            const std::uint64_t here = place(entries[i]);
            std::int64_t sum = 0;
            for (; i < entries.size() && place(entries[i]) == here; ++i) sum += entries[i].coefficient;
            if (sum == 0) continue;
            rows.push_back(static_cast<int>(here & 0xffffffff) + 1);
            columns.push_back(static_cast<int>(here >> 32) + 1);
            values.push_back(static_cast<double>(sum));
        }
        glp_load_matrix(problem_.get(), static_cast<int>(rows.size()) - 1, rows.data(), columns.data(),
                        values.data());
    }

    /// The duals in fixed point, with the sign that their rows allow.
    std::vector<Wide> rounded_prices() const {
        std::vector<Wide> prices(program_.rows());
        for (std::size_t row = 0; row < prices.size(); ++row) {
            const int number = static_cast<int>(row) + 1;  // GLPK counts from 1
            const double dual = interior_ ? glp_ipt_row_dual(problem_.get(), number)
                                          : glp_get_row_dual(problem_.get(), number);
            const double scaled = std::ldexp(dual, scale_bits);
            if (!std::isfinite(scaled) || std::abs(scaled) > 0x1p62) continue;  // any price is sound, 0 too
            prices[row] = std::llround(scaled);
            if (program_.senses_[row] == LinearProgram::Sense::at_most)
                prices[row] = std::max<Wide>(prices[row], 0);
        }
        return prices;
    }

    const LinearProgram& program_;
    bool interior_ = false;
    std::unique_ptr<glp_prob, Delete> problem_{glp_create_prob()};
};

CertifiedMaximum certified_maximum(const LinearProgram& program, std::optional<std::int64_t> most_total,
                                   std::optional<std::chrono::milliseconds> time_limit) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    SimplexSolver solver(program);
    const BoundStatus status = solver.solve(time_limit);
    if (status != BoundStatus::bounded) return {status, 0};
    const auto value = solver.bound(most_total);
    if (!value) return {BoundStatus::gave_up, 0};
    return {BoundStatus::bounded, *value};
}

}  // namespace warpnet

// Linear programs over the state equation decide questions about single markings. Under every semantics, a
// reachable marking is `m0 + C x` with whole `x >= 0`. A condition is divided into cases only if a solution
// of the linear relaxation violates it. Solutions that empty a trap that is marked at the start are cut off
// [Esparza00], which also covers Commoner's property. The same program bounds sums from above. GLPK computes
// in floating point, so nets with numbers above a million are skipped.

#include "analysis/states/linear/glpk_problem.hpp"
#include "analysis/states/linear/invariants.hpp"
#include "analysis/states/properties/conditions.hpp"
#include "analysis/states/properties/parts.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <memory>
#include <utility>

namespace warpnet::states {

namespace {

constexpr double tolerance = 1e-6;
constexpr Tokens largest = 1'000'000;
constexpr int most_nodes = 100;  // of one search for a whole solution

enum class Feasible : std::uint8_t { no, yes, not_known };

/// The state equation as a linear program: columns for firings, then for tokens, and one row per place.
class Equation {
  public:
    Equation(const Net& net, const std::vector<SparseRow>& incidence, const WorkLimits& limits)
        : limits_(limits),
          transitions_(static_cast<int>(net.transitions().size())),
          places_(static_cast<int>(net.places().size())),
          problem_(make_glpk_problem()) {
        glp_set_obj_dir(problem_.get(), GLP_MIN);
        if (transitions_ + places_ > 0) glp_add_cols(problem_.get(), transitions_ + places_);
        if (places_ > 0) glp_add_rows(problem_.get(), places_);
        for (int column = 1; column <= transitions_ + places_; ++column)
            glp_set_col_bnds(problem_.get(), column, GLP_LO, 0, 0);
        // Firings have a cost: without one every solution would be optimal, and the dual method could not
        // start.
        for (int column = 1; column <= transitions_; ++column) glp_set_obj_coef(problem_.get(), column, 1);
        const Marking initial = net.initial_marking();
        for (int place = 0; place < places_; ++place) {
            std::vector<int> columns = {0};
            std::vector<double> values = {0};
            for (const SparseEntry& entry : incidence[static_cast<std::size_t>(place)]) {
                columns.push_back(static_cast<int>(entry.at) + 1);
                values.push_back(static_cast<double>(entry.value));
            }
            columns.push_back(column_of(place));
            values.push_back(-1);
            glp_set_mat_row(problem_.get(), place + 1, static_cast<int>(columns.size()) - 1, columns.data(),
                            values.data());
            const auto start = -static_cast<double>(initial[static_cast<std::size_t>(place)]);
            glp_set_row_bnds(problem_.get(), place + 1, GLP_FX, start, start);
        }
        glp_std_basis(problem_.get());
    }

    /// A state of the program to which the search returns.
    struct Mark {
        int rows;
        std::size_t changes;
    };
    Mark mark() const { return {glp_get_num_rows(problem_.get()), changes_.size()}; }
    void back_to(const Mark& mark) {
        while (changes_.size() > mark.changes) {
            const Change& change = changes_.back();
            set_bounds(change.column, change.low, change.high);
            changes_.pop_back();
        }
        const int rows = glp_get_num_rows(problem_.get());
        if (rows == mark.rows) return;
        std::vector<int> extra = {0};
        for (int row = mark.rows + 1; row <= rows; ++row) extra.push_back(row);
        glp_del_rows(problem_.get(), rows - mark.rows, extra.data());
        if (glp_factorize(problem_.get()) != 0) glp_std_basis(problem_.get());
    }

    /// Adds low <= sum of tokens <= high, without the constant of the sum.
    void require(const LinearSum& sum, double low, double high) {
        if (sum.tokens.size() == 1 && sum.tokens[0].coefficient == 1) {
            restrict_column(column_of(static_cast<int>(sum.tokens[0].node)), low, high);
            return;
        }
        std::vector<int> columns = {0};
        std::vector<double> values = {0};
        for (const LinearSum::Term& term : sum.tokens) {
            columns.push_back(column_of(static_cast<int>(term.node)));
            values.push_back(static_cast<double>(term.coefficient));
        }
        const int row = glp_add_rows(problem_.get(), 1);
        glp_set_mat_row(problem_.get(), row, static_cast<int>(columns.size()) - 1, columns.data(),
                        values.data());
        glp_set_row_bnds(problem_.get(), row, kind_of(low, high), low, high);
    }

    Feasible solve(std::uint64_t& work) {
        if (empty_bounds()) return Feasible::no;
        glp_smcp parameters;
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_OFF;
        parameters.meth = GLP_DUALP;
        const auto rows = static_cast<std::uint64_t>(glp_get_num_rows(problem_.get())) + 1;
        parameters.it_lim = static_cast<int>(std::min<std::uint64_t>(work / rows + 1, 1'000'000));
        const int before = glp_get_it_cnt(problem_.get());
        const int failed = simplex_in_slices(*problem_, parameters, limits_);
        const auto spent = static_cast<std::uint64_t>(glp_get_it_cnt(problem_.get()) - before + 1) * rows;
        work -= std::min(work, spent);
        if (failed != 0) return Feasible::not_known;
        const int status = glp_get_status(problem_.get());
        if (status == GLP_NOFEAS) return Feasible::no;
        return status == GLP_OPT || status == GLP_FEAS || status == GLP_UNBND ? Feasible::yes
                                                                              : Feasible::not_known;
    }

    /// After solve() said yes: a solution in whole numbers? Branches on the column that is furthest from a
    /// whole number, depth first.
    Feasible solve_whole(std::uint64_t& work) {
        struct Branch {
            Mark before;
            int column;
            double low;
        };
        const Mark root = mark();
        std::vector<Branch> open;
        Feasible result = Feasible::yes;
        for (int nodes = 1; result == Feasible::yes; ++nodes) {
            const int column = furthest_from_whole();
            if (column == 0) {
                whole_tokens_ = tokens();
                break;
            }
            const double value = glp_get_col_prim(problem_.get(), column);
            open.push_back({mark(), column, std::ceil(value)});
            restrict_column(column, -HUGE_VAL, std::floor(value));
            for (result = solve(work); result == Feasible::no && !open.empty(); result = solve(work)) {
                const Branch branch = open.back();
                open.pop_back();
                back_to(branch.before);
                restrict_column(branch.column, branch.low, HUGE_VAL);
            }
            if (result == Feasible::yes && (nodes >= most_nodes || work == 0)) result = Feasible::not_known;
        }
        back_to(root);
        return result;
    }

    /// Tokens per place in the last solution.
    std::vector<double> tokens() const {
        std::vector<double> result;
        result.reserve(static_cast<std::size_t>(places_));
        for (int place = 0; place < places_; ++place)
            result.push_back(glp_get_col_prim(problem_.get(), column_of(place)));
        return result;
    }
    /// And in the last one in whole numbers.
    const std::vector<double>& whole_tokens() const { return whole_tokens_; }

    /// The largest value of a sum without its constant; nothing: no bound, or not found.
    std::optional<double> largest_value(const LinearSum& sum) {
        for (int column = 1; column <= transitions_; ++column) glp_set_obj_coef(problem_.get(), column, 0);
        for (const LinearSum::Term& term : sum.tokens)
            glp_set_obj_coef(problem_.get(), column_of(static_cast<int>(term.node)),
                             -static_cast<double>(term.coefficient));
        glp_smcp parameters;
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_OFF;
        parameters.it_lim = 200'000;
        const int failed = simplex_in_slices(*problem_, parameters, limits_);
        std::optional<double> value;
        if (failed == 0 && glp_get_status(problem_.get()) == GLP_OPT)
            value = -glp_get_obj_val(problem_.get());
        for (const LinearSum::Term& term : sum.tokens)
            glp_set_obj_coef(problem_.get(), column_of(static_cast<int>(term.node)), 0);
        return value;
    }

  private:
    struct Change {
        int column;
        double low, high;
    };

    /// 0: all columns are whole.
    int furthest_from_whole() const {
        int furthest = 0;
        double most = tolerance;
        for (int column = 1; column <= transitions_ + places_; ++column) {
            const double value = glp_get_col_prim(problem_.get(), column);
            const double distance = std::abs(value - std::round(value));
            if (distance <= most) continue;
            most = distance;
            furthest = column;
        }
        return furthest;
    }

    void restrict_column(int column, double low, double high) {
        const double old_low = glp_get_col_lb(problem_.get(), column);
        const double old_high = glp_get_col_ub(problem_.get(), column);
        changes_.push_back({column, old_low, old_high});
        set_bounds(column, std::max(low, old_low), std::min(high, old_high));
    }

    int column_of(int place) const { return transitions_ + place + 1; }

    static int kind_of(double low, double high) {
        const bool has_low = low > -HUGE_VAL, has_high = high < HUGE_VAL;
        if (!has_low) return has_high ? GLP_UP : GLP_FR;
        if (!has_high) return GLP_LO;
        return low == high ? GLP_FX : GLP_DB;
    }
    void set_bounds(int column, double low, double high) {
        if (high == DBL_MAX) high = HUGE_VAL;
        if (low == -DBL_MAX) low = -HUGE_VAL;
        empty_ -= low_above_high(column) ? 1 : 0;
        glp_set_col_bnds(problem_.get(), column, kind_of(low, high), low, high);
        empty_ += low_above_high(column) ? 1 : 0;
    }
    bool low_above_high(int column) const {
        return glp_get_col_lb(problem_.get(), column) > glp_get_col_ub(problem_.get(), column);
    }
    bool empty_bounds() const { return empty_ > 0; }

    const WorkLimits& limits_;
    int transitions_, places_;
    GlpkProblem problem_;
    std::vector<Change> changes_;
    std::vector<double> whole_tokens_;
    int empty_ = 0;  // columns with a lower bound above the upper one
};

/// Tries to prove that a condition is impossible.
class Refutation {
  public:
    Refutation(const Net& net, Equation& equation, std::vector<LinearSum>& traps,
               const StateEquationOptions& options)
        : net_(net),
          equation_(equation),
          traps_(traps),
          options_(options),
          work_(options.max_work),
          programs_(options.max_programs) {}

    bool refutes(const Formula& condition) {
        const Equation::Mark start = equation_.mark();
        const Formula plain = simplified(without_transitions(condition, net_));
        std::vector<Formula> open;
        const bool refuted = !add(plain, open) || search(std::move(open));
        equation_.back_to(start);
        return refuted;
    }

  private:
    /// Requires a formula; disjunctions are kept for later. False if it cannot hold at all.
    bool add(const Formula& formula, std::vector<Formula>& open) {
        switch (formula.kind) {
            case Formula::Kind::constant:
                return formula.value;
            case Formula::Kind::conjunction:
                return std::all_of(formula.operands.begin(), formula.operands.end(),
                                   [&](const Formula& operand) { return add(operand, open); });
            case Formula::Kind::disjunction:
                open.push_back(formula);
                return true;
            default:
                break;
        }
        const auto rest = -static_cast<double>(formula.sum.constant);
        if (formula.sum.tokens.empty()) return compares(formula.sum.constant, formula.relation);
        switch (formula.relation) {
            case Relation::equal:
                equation_.require(formula.sum, rest, rest);
                break;
            case Relation::not_equal: {
                Formula less = formula, greater = formula;
                less.relation = Relation::less;
                greater.relation = Relation::greater;
                open.push_back(disjunction({std::move(less), std::move(greater)}));
                break;
            }
            case Relation::less:
                equation_.require(formula.sum, -HUGE_VAL, rest - 1);
                break;
            case Relation::less_equal:
                equation_.require(formula.sum, -HUGE_VAL, rest);
                break;
            case Relation::greater:
                equation_.require(formula.sum, rest + 1, HUGE_VAL);
                break;
            case Relation::greater_equal:
                equation_.require(formula.sum, rest, HUGE_VAL);
                break;
        }
        return true;
    }

    static bool holds(const Formula& formula, const std::vector<double>& tokens) {
        const auto part = [&](const Formula& operand) { return holds(operand, tokens); };
        if (formula.kind == Formula::Kind::constant) return formula.value;
        if (formula.kind == Formula::Kind::conjunction)
            return std::all_of(formula.operands.begin(), formula.operands.end(), part);
        if (formula.kind == Formula::Kind::disjunction)
            return std::any_of(formula.operands.begin(), formula.operands.end(), part);
        auto value = static_cast<double>(formula.sum.constant);
        for (const auto& term : formula.sum.tokens)
            value += static_cast<double>(term.coefficient) * tokens[term.node];
        switch (formula.relation) {
            case Relation::equal:
                return std::abs(value) < tolerance;
            case Relation::not_equal:
                return std::abs(value) > 1 - tolerance;
            case Relation::less:
                return value < -1 + tolerance;
            case Relation::less_equal:
                return value < tolerance;
            case Relation::greater:
                return value > 1 - tolerance;
            case Relation::greater_equal:
                return value > -tolerance;
        }
        return false;
    }

    bool spent() const { return programs_ == 0 || work_ == 0 || options_.limits.must_end(); }

    /// Whether the requirements contradict the open disjunctions.
    bool search(std::vector<Formula> open) {
        for (;;) {
            if (spent()) return false;
            --programs_;
            const Feasible feasible = equation_.solve(work_);
            if (feasible == Feasible::no) return true;
            if (feasible == Feasible::not_known) return false;
            const std::vector<double> tokens = equation_.tokens();
            if (const std::size_t broken = broken_one(open, tokens); broken < open.size())
                return divide(std::move(open), broken);
            if (cut_off(tokens)) continue;
            const Feasible whole = equation_.solve_whole(work_);
            work_ -= std::min<std::uint64_t>(work_, options_.max_work / 100);
            if (whole == Feasible::no) return true;
            if (whole == Feasible::not_known) return false;
            const std::vector<double> counts = equation_.whole_tokens();
            if (const std::size_t broken = broken_one(open, counts); broken < open.size())
                return divide(std::move(open), broken);
            if (!cut_off(counts)) return false;
        }
    }

    /// The disjunction with the fewest cases that the solution violates.
    static std::size_t broken_one(const std::vector<Formula>& open, const std::vector<double>& tokens) {
        std::size_t best = open.size();
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (best < open.size() && open[i].operands.size() >= open[best].operands.size()) continue;
            if (!holds(open[i], tokens)) best = i;
        }
        return best;
    }

    bool divide(std::vector<Formula> open, std::size_t which) {
        const Formula disjunction = std::move(open[which]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        return std::all_of(disjunction.operands.begin(), disjunction.operands.end(),
                           [&](const Formula& operand) {
                               const Equation::Mark mark = equation_.mark();
                               std::vector<Formula> rest = open;
                               const bool refuted = !add(operand, rest) || search(std::move(rest));
                               equation_.back_to(mark);
                               return refuted;
                           });
    }

    /// Requires tokens in a trap that the solution leaves empty although it is marked at the start.
    bool cut_off(const std::vector<double>& tokens) {
        for (const LinearSum& known : traps_) {
            double sum = 0;
            for (const auto& term : known.tokens) sum += tokens[term.node];
            if (sum > 1 - tolerance) continue;
            equation_.require(known, 1, HUGE_VAL);
            return true;
        }
        std::vector<std::uint8_t> empty;
        empty.reserve(tokens.size());
        for (const double count : tokens) empty.push_back(count < tolerance ? 1 : 0);
        LinearSum trap;
        bool marked = false;
        for (const std::uint32_t place : greatest_trap(net_, std::move(empty))) {
            trap.tokens.push_back({place, 1});
            marked = marked || net_.places()[place].initial > 0;
        }
        if (!marked) return false;
        equation_.require(trap, 1, HUGE_VAL);
        traps_.push_back(std::move(trap));
        return true;
    }

    const Net& net_;
    Equation& equation_;
    std::vector<LinearSum>& traps_;  // found so far: they are valid for every goal
    const StateEquationOptions& options_;
    std::uint64_t work_, programs_;
};

bool has_large_numbers(const Net& net) {
    return std::any_of(net.places().begin(), net.places().end(),
                       [](const Place& place) { return place.initial > largest; }) ||
           std::any_of(net.arcs().begin(), net.arcs().end(),
                       [](const Arc& arc) { return arc.weight > largest; });
}

}  // namespace

std::vector<std::uint32_t> greatest_trap(const Net& net, std::vector<std::uint8_t> within) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t t = 0; t < net.transitions().size(); ++t) {
            const auto arcs = net.arcs_of(TransitionId(t));
            const bool gives = std::any_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
                return arc.kind == ArcKind::output && within[index(arc.place)] != 0;
            });
            if (gives) continue;
            for (const Arc& arc : arcs) {
                if (arc.kind != ArcKind::input || within[index(arc.place)] == 0) continue;
                within[index(arc.place)] = 0;
                changed = true;
            }
        }
    }
    std::vector<std::uint32_t> trap;
    for (std::uint32_t p = 0; p < within.size(); ++p)
        if (within[p] != 0) trap.push_back(p);
    return trap;
}

void try_state_equation(const Net& net, const StateEquationOptions& options, Goals& goals) {
    if (net.arcs().size() > options.max_arcs || has_large_numbers(net) || net.places().empty()) return;
    const std::vector<SparseRow> incidence = incidence_matrix(net);
    std::unique_ptr<Equation> bounds;
    for (MaximumGoal& goal : goals.maxima) {
        if (options.limits.must_end()) return;
        if (goal.exact || goal.at_most) continue;
        if (!bounds) bounds = std::make_unique<Equation>(net, incidence, options.limits);
        const auto value = bounds->largest_value(goal.sum);
        if (!value || std::abs(*value) > 1e12) continue;
        goal.at_most = goal.sum.constant + static_cast<std::int64_t>(std::floor(*value + tolerance));
        goal.exact = !goal.marking.empty() && goal.best >= *goal.at_most;
    }
    std::vector<LinearSum> traps;
    std::unique_ptr<Equation> equation;
    for (ReachGoal& goal : goals.reach) {
        if (goal.reachable) continue;
        if (!equation) equation = std::make_unique<Equation>(net, incidence, options.limits);
        if (Refutation(net, *equation, traps, options).refutes(goal.condition)) goal.reachable = false;
    }
}

}  // namespace warpnet::states

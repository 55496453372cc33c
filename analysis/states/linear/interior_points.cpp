// Mehrotra's predictor-corrector method [Mehrotra92] for linear programs with equality rows. In each round,
// CHOLMOD factorises the normal equations matrix * D * matrix^T. Conjugate gradients with this factor as
// preconditioner refine the solution, because rows may depend on each other and the factor is regularised.
// Rows and columns are scaled towards entries of size 1 first.
//
// Only the prices (duals) are wanted, since they give an upper bound. So the prices with the lowest bound are
// kept from all rounds, and the method stops early when they no longer improve. Floating point proves nothing
// here: linear_program.cpp turns the prices into a bound in whole numbers.
//
// CHOLMOD is loaded with dlopen() on first use, because with its BLAS it takes longer to load than most
// commands take to run. linear_program.cpp names the rejected solvers.

#include "analysis/states/linear/interior_points.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include <dlfcn.h>
#include <suitesparse/cholmod.h>
#include <sys/mman.h>

namespace warpnet::states {

namespace {

/// The functions of CHOLMOD that are used here.
struct CholmodLibrary {
    decltype(&cholmod_start) start;
    decltype(&cholmod_finish) finish;
    decltype(&cholmod_analyze) analyze;
    decltype(&cholmod_factorize_p) factorize_p;
    decltype(&cholmod_solve) solve;
    decltype(&cholmod_free_factor) free_factor;
    decltype(&cholmod_free_dense) free_dense;
    /// Functions of OpenMP; null if CHOLMOD is built without it.
    void (*set_max_active_levels)(int);
    int (*get_max_active_levels)();
};

/// Null if neither the library nor its dependencies have such a function.
template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

template <class Function>
void find_certainly(void* library, const char* name, Function& function) {
    find(library, name, function);
    if (function == nullptr) throw InputError(std::string("cannot load CHOLMOD: ") + dlerror());
}

CholmodLibrary load() {
    void* const library = dlopen(WARPNET_CHOLMOD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw InputError(std::string("cannot load CHOLMOD: ") + dlerror());
    CholmodLibrary functions{};
    find_certainly(library, "cholmod_start", functions.start);
    find_certainly(library, "cholmod_finish", functions.finish);
    find_certainly(library, "cholmod_analyze", functions.analyze);
    find_certainly(library, "cholmod_factorize_p", functions.factorize_p);
    find_certainly(library, "cholmod_solve", functions.solve);
    find_certainly(library, "cholmod_free_factor", functions.free_factor);
    find_certainly(library, "cholmod_free_dense", functions.free_dense);
    find(library, "omp_set_max_active_levels", functions.set_max_active_levels);
    find(library, "omp_get_max_active_levels", functions.get_max_active_levels);
    return functions;
}

/// Loaded on first use, because with its BLAS it takes longer to load than most commands take to run. Throws
/// InputError if it is not installed.
const CholmodLibrary& cholmod_library() {
    static const CholmodLibrary functions = load();
    return functions;
}

using Vector = std::vector<double>;
using Clock = std::chrono::steady_clock;

double dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double norm(const Vector& a) { return std::sqrt(dot(a, a)); }
double largest(const Vector& a) {
    double most = 0;
    for (const double value : a) most = std::max(most, std::abs(value));
    return most;
}

/// The matrix, its rows and columns scaled towards entries of size 1.
class ScaledMatrix {
  public:
    explicit ScaledMatrix(const EqualityProgram& program)
        : row_scale(program.right_hand_side.size(), 1),
          column_scale(program.objective.size(), 1),
          begin_(program.column_begin),
          row_(program.row),
          value_(program.value) {
        for (int round = 0; round < scaling_rounds; ++round) equilibrate();
    }

    std::size_t rows() const { return row_scale.size(); }
    std::size_t columns() const { return column_scale.size(); }

    /// matrix x
    Vector times(const Vector& x) const {
        Vector result(rows(), 0);
        for_each_entry([&](std::size_t c, std::size_t r, double value) { result[r] += value * x[c]; });
        return result;
    }
    /// matrix^T y
    Vector transposed_times(const Vector& y) const {
        Vector result(columns(), 0);
        for_each_entry([&](std::size_t c, std::size_t r, double value) { result[c] += value * y[r]; });
        return result;
    }

    /// The columns times `factors`, into `values`; a view of them for CHOLMOD.
    cholmod_sparse weighed(const Vector& factors, Vector& values) {
        values.resize(value_.size());
        for (std::size_t c = 0; c < columns(); ++c) {
            for (auto e = first(c); e < first(c + 1); ++e) values[e] = value_[e] * factors[c];
        }
        cholmod_sparse view{};
        view.nrow = rows();
        view.ncol = columns();
        view.nzmax = value_.size();
        view.p = begin_.data();
        view.i = row_.data();
        view.x = values.data();
        view.itype = CHOLMOD_INT;
        view.xtype = CHOLMOD_REAL;
        view.dtype = CHOLMOD_DOUBLE;
        view.sorted = view.packed = 1;
        return view;
    }

    Vector row_scale, column_scale;

  private:
    static constexpr int scaling_rounds = 8;

    std::size_t first(std::size_t column) const { return static_cast<std::size_t>(begin_[column]); }

    template <typename Visit>
    void for_each_entry(const Visit& visit) const {
        for (std::size_t c = 0; c < columns(); ++c) {
            for (auto e = first(c); e < first(c + 1); ++e)
                visit(c, static_cast<std::size_t>(row_[e]), value_[e]);
        }
    }

    static double scale_of(double most) { return most > 0 ? 1 / std::sqrt(most) : 1; }

    void equilibrate() {
        Vector most_of_row(rows(), 0);
        for (std::size_t c = 0; c < columns(); ++c) {
            double most = 0;
            for (auto e = first(c); e < first(c + 1); ++e) most = std::max(most, std::abs(value_[e]));
            column_scale[c] *= scale_of(most);
            for (auto e = first(c); e < first(c + 1); ++e) {
                value_[e] *= scale_of(most);
                double& of_row = most_of_row[static_cast<std::size_t>(row_[e])];
                of_row = std::max(of_row, std::abs(value_[e]));
            }
        }
        for (std::size_t r = 0; r < rows(); ++r) row_scale[r] *= scale_of(most_of_row[r]);
        for (std::size_t e = 0; e < value_.size(); ++e)
            value_[e] *= scale_of(most_of_row[static_cast<std::size_t>(row_[e])]);
    }

    std::vector<std::int32_t> begin_, row_;
    Vector value_;
};

/// CHOLMOD divides its loops among four threads of OpenMP, which spin while they wait, even if the user
/// allows fewer threads. During the life of this object, calls from its thread use one thread. Without OpenMP
/// it does nothing.
class OneThread {
  public:
    explicit OneThread(const CholmodLibrary& cholmod) : cholmod_(cholmod) {
        if (!has_openmp()) return;
        levels_ = cholmod_.get_max_active_levels();
        cholmod_.set_max_active_levels(0);
    }
    ~OneThread() {
        if (has_openmp()) cholmod_.set_max_active_levels(levels_);
    }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

  private:
    bool has_openmp() const {
        return cholmod_.set_max_active_levels != nullptr && cholmod_.get_max_active_levels != nullptr;
    }

    const CholmodLibrary& cholmod_;
    int levels_ = 0;
};

/// OpenBLAS tries forever to map the buffer of a thread if a limit of memory does not allow it.
void require_blas_buffer() {
    constexpr std::size_t bytes = std::size_t{128} << 20;
    void* buffer = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) throw std::bad_alloc();
    ::munmap(buffer, bytes);
}

/// Solves matrix D matrix^T y = b for successive diagonals D.
class NormalEquations {
  public:
    explicit NormalEquations(ScaledMatrix& matrix) : matrix_(matrix) {
        cholmod_.start(&common_);
        common_.print = 0;
        common_.supernodal = CHOLMOD_AUTO;
        cholmod_sparse view = matrix_.weighed(Vector(matrix_.columns(), 1), values_);
        factor_ = cholmod_.analyze(&view, &common_);
    }
    ~NormalEquations() {
        cholmod_.free_factor(&factor_, &common_);
        cholmod_.finish(&common_);
    }
    NormalEquations(const NormalEquations&) = delete;
    NormalEquations& operator=(const NormalEquations&) = delete;

    /// The approximate number of operations of a factorisation and of the solutions with it.
    double operations() const { return common_.fl + 4 * most_refinements * common_.lnz; }

    bool factorise(const Vector& diagonal) {
        if (factor_ == nullptr) return false;
        require_blas_buffer();
        diagonal_ = diagonal;
        Vector roots(diagonal.size());
        std::transform(diagonal.begin(), diagonal.end(), roots.begin(),
                       [](double d) { return std::sqrt(d); });
        cholmod_sparse view = matrix_.weighed(roots, values_);
        double shift[2] = {regularisation, 0};
        cholmod_.factorize_p(&view, shift, nullptr, 0, factor_, &common_);
        return common_.status == CHOLMOD_OK;
    }

    /// By conjugate gradients; the factor is the preconditioner, so few rounds suffice.
    Vector solve(const Vector& right_hand_side) {
        Vector y(right_hand_side.size(), 0), rest = right_hand_side;
        const double enough = tolerance * norm(right_hand_side);
        Vector nearer = by_factor(rest), direction = nearer;
        double size = dot(rest, nearer);
        for (int round = 0; round < most_refinements; ++round) {
            Vector along = matrix_.transposed_times(direction);
            for (std::size_t c = 0; c < along.size(); ++c) along[c] *= diagonal_[c];
            const Vector change = matrix_.times(along);
            const double length = size / dot(direction, change);
            if (!std::isfinite(length)) break;
            for (std::size_t r = 0; r < y.size(); ++r) {
                y[r] += length * direction[r];
                rest[r] -= length * change[r];
            }
            if (norm(rest) <= enough) break;
            nearer = by_factor(rest);
            const double before = std::exchange(size, dot(rest, nearer));
            for (std::size_t r = 0; r < y.size(); ++r)
                direction[r] = nearer[r] + size / before * direction[r];
        }
        return y;
    }

  private:
    static constexpr double regularisation = 1e-9;  // rows may depend on each other
    static constexpr double tolerance = 1e-8;
    static constexpr int most_refinements = 12;

    Vector by_factor(const Vector& right_hand_side) {
        cholmod_dense view{};
        Vector copy = right_hand_side;
        view.nrow = view.nzmax = view.d = copy.size();
        view.ncol = 1;
        view.x = copy.data();
        view.xtype = CHOLMOD_REAL;
        view.dtype = CHOLMOD_DOUBLE;
        cholmod_dense* solution = cholmod_.solve(CHOLMOD_A, factor_, &view, &common_);
        if (solution == nullptr) return Vector(copy.size(), std::numeric_limits<double>::quiet_NaN());
        const auto* first = static_cast<const double*>(solution->x);
        copy.assign(first, first + copy.size());
        cholmod_.free_dense(&solution, &common_);
        return copy;
    }

    const CholmodLibrary& cholmod_ = cholmod_library();
    OneThread one_thread_{cholmod_};
    ScaledMatrix& matrix_;
    Vector diagonal_, values_;
    cholmod_common common_{};
    cholmod_factor* factor_ = nullptr;
};

/// Minimises cost x, in which the costs are scaled objectives of opposite sign. x are the columns, y the
/// prices, s the reduced costs.
class InteriorPoints {
  public:
    InteriorPoints(const EqualityProgram& program, const InteriorPointLimits& limits)
        : limits_(limits), matrix_(program), equations_(matrix_), side_(program.right_hand_side) {
        for (std::size_t r = 0; r < matrix_.rows(); ++r) side_[r] *= matrix_.row_scale[r];
        for (std::size_t c = 0; c < matrix_.columns(); ++c)
            cost_.push_back(-program.objective[c] * matrix_.column_scale[c]);
        side_unit_ = std::max(largest(side_), least_unit);
        cost_unit_ = std::max(largest(cost_), least_unit);
        for (double& side : side_) side /= side_unit_;
        for (double& cost : cost_) cost /= cost_unit_;
    }

    std::optional<Vector> prices() {
        const auto begin = Clock::now();
        if (!effort_for(expected_rounds) || !start()) return std::nullopt;
        for (int round = 0; round < most_rounds; ++round) {
            find_residuals();
            const double gap = keep_if_better();
            if (!std::isfinite(gap) || gap < enough || (gap < near && gained_ < little)) break;
            if (round == 1 && !time_for(Clock::now() - begin)) return std::nullopt;
            if (limits_.work.must_end() || !effort_for(round + 1)) break;
            if (!advance()) break;
        }
        if (best_.empty()) return std::nullopt;
        for (std::size_t r = 0; r < best_.size(); ++r) best_[r] *= -matrix_.row_scale[r] * cost_unit_;
        return best_;
    }

  private:
    static constexpr double least_unit = 1e-30;
    static constexpr double enough = 1e-7;  // relative to the bound
    static constexpr double near = 3e-3;    // from here on a round is worth its time only while prices
    static constexpr double little = 2e-5;  // gain at least this much in two rounds
    static constexpr double centring = 0.5;
    static constexpr double least_start = 1e-8;
    static constexpr double short_of_the_border = 0.995;
    static constexpr int most_rounds = 100;
    static constexpr int expected_rounds = 20;  // after which prices are near enough

    /// Whether the deadline leaves time for the usual number of rounds, if the first two took `time`.
    bool time_for(Clock::duration time) const {
        const auto& deadline = limits_.work.deadline;
        return !deadline || Clock::now() + expected_rounds / 2 * time < *deadline;
    }

    /// Whether this number of rounds is within the effort.
    bool effort_for(int rounds) const {
        constexpr double operations_of_a_unit = 100;
        const double effort = static_cast<double>(limits_.work.effort);
        return effort == 0 || rounds * equations_.operations() <= effort * operations_of_a_unit;
    }

    /// Least squares, moved inside.
    bool start() {
        if (!equations_.factorise(Vector(matrix_.columns(), 1))) return false;
        x_ = matrix_.transposed_times(equations_.solve(side_));
        y_ = equations_.solve(matrix_.times(cost_));
        s_ = cost_;
        const Vector priced = matrix_.transposed_times(y_);
        for (std::size_t c = 0; c < s_.size(); ++c) s_[c] -= priced[c];
        move_inside(x_);
        move_inside(s_);
        const double product = dot(x_, s_);
        const double sum_x = std::accumulate(x_.begin(), x_.end(), 0.0);
        const double sum_s = std::accumulate(s_.begin(), s_.end(), 0.0);
        for (double& x : x_) x += centring * product / std::max(sum_s, least_unit) + least_start;
        for (double& s : s_) s += centring * product / std::max(sum_x, least_unit) + least_start;
        return true;
    }

    static void move_inside(Vector& v) {
        const double least = *std::min_element(v.begin(), v.end());
        if (least >= 0) return;
        for (double& value : v) value -= 1.5 * least;
    }

    void find_residuals() {
        missing_side_ = matrix_.times(x_);
        for (std::size_t r = 0; r < missing_side_.size(); ++r) missing_side_[r] = side_[r] - missing_side_[r];
        missing_cost_ = matrix_.transposed_times(y_);
        unpaid_ = 0;
        for (std::size_t c = 0; c < missing_cost_.size(); ++c) {
            const double left = cost_[c] - missing_cost_[c];
            unpaid_ = std::max(unpaid_, -left / matrix_.column_scale[c]);
            missing_cost_[c] = left - s_[c];
        }
    }

    /// Keeps the prices if their bound is the lowest so far. Returns the relative gap to the best bound.
    double keep_if_better() {
        const double unit = side_unit_ * cost_unit_;
        const double paid = -dot(side_, y_) * unit;
        const double bound = paid + unpaid_ * cost_unit_ * limits_.most_total.value_or(std::max(paid, 1.0));
        const double size = std::max(1.0, std::abs(bound));
        const double before = best_bound_;
        if (std::isfinite(bound) && (best_.empty() || bound < best_bound_)) {
            best_bound_ = bound;
            best_ = y_;
        }
        const double gain = (before - best_bound_) / size;
        gained_ = std::exchange(gained_last_, gain) + gain;
        const double reached = -dot(cost_, x_) * unit;
        return std::abs(bound - reached) / size + norm(missing_side_);
    }

    struct Direction {
        Vector x, y, s;
    };

    /// The step after which, to first order, x s = x s + `products` and no row is violated.
    Direction direction_for(const Vector& products) {
        Vector weighed(x_.size());
        for (std::size_t c = 0; c < weighed.size(); ++c)
            weighed[c] = (x_[c] * missing_cost_[c] - products[c]) / s_[c];
        Vector side = matrix_.times(weighed);
        for (std::size_t r = 0; r < side.size(); ++r) side[r] += missing_side_[r];
        Direction result;
        result.y = equations_.solve(side);
        result.s = matrix_.transposed_times(result.y);
        result.x.resize(x_.size());
        for (std::size_t c = 0; c < x_.size(); ++c) {
            result.s[c] = missing_cost_[c] - result.s[c];
            result.x[c] = (products[c] - x_[c] * result.s[c]) / s_[c];
        }
        return result;
    }

    /// The step length at which a component of v becomes 0, at most `most`.
    static double room(const Vector& v, const Vector& direction, double most) {
        for (std::size_t c = 0; c < v.size(); ++c) {
            if (direction[c] < 0) most = std::min(most, -v[c] / direction[c]);
        }
        return most;
    }

    bool advance() {
        Vector diagonal(x_.size()), products(x_.size());
        for (std::size_t c = 0; c < x_.size(); ++c) {
            diagonal[c] = x_[c] / s_[c];
            products[c] = -x_[c] * s_[c];
        }
        if (!equations_.factorise(diagonal)) return false;
        const Direction predicted = direction_for(products);
        const double ahead_x = room(x_, predicted.x, 1), ahead_s = room(s_, predicted.s, 1);
        double product = 0;
        for (std::size_t c = 0; c < x_.size(); ++c)
            product += (x_[c] + ahead_x * predicted.x[c]) * (s_[c] + ahead_s * predicted.s[c]);
        const double now = dot(x_, s_);
        const double centre = std::pow(product / now, 3) * now / static_cast<double>(x_.size());
        for (std::size_t c = 0; c < x_.size(); ++c) products[c] += centre - predicted.x[c] * predicted.s[c];
        const Direction corrected = direction_for(products);
        const double most = 1 / short_of_the_border;
        const double step_x = short_of_the_border * room(x_, corrected.x, most);
        const double step_s = short_of_the_border * room(s_, corrected.s, most);
        for (std::size_t c = 0; c < x_.size(); ++c) {
            x_[c] += step_x * corrected.x[c];
            s_[c] += step_s * corrected.s[c];
        }
        for (std::size_t r = 0; r < y_.size(); ++r) y_[r] += step_s * corrected.y[r];
        return true;
    }

    InteriorPointLimits limits_;
    ScaledMatrix matrix_;
    NormalEquations equations_;
    Vector side_, cost_;
    double side_unit_ = 1, cost_unit_ = 1;
    Vector x_, y_, s_;
    Vector missing_side_, missing_cost_;
    double unpaid_ = 0;  // the most that prices are short of a column, in units of the scaled costs
    Vector best_;
    double best_bound_ = 0;
    double gained_ = 0,
           gained_last_ = 0;  // in the last two rounds, and in the last one, in parts of the bound
};

}  // namespace

std::optional<std::vector<double>> interior_prices(const EqualityProgram& program,
                                                   const InteriorPointLimits& limits) {
    if (program.objective.empty() || program.right_hand_side.empty()) return std::nullopt;
    return InteriorPoints(program, limits).prices();
}

}  // namespace warpnet::states

// Busy intervals of one queue [Lehoczky90]; the header has both inequalities. Only some windows x have to be
// tried: the lengths at which one more job of the same priority can enter, up to the longest busy interval.
// For each window, the end of the busy interval is the least fixed point of the arrived work. The iteration
// jumps to the time at which the work known so far is done. Times are whole. A quotient in floating point is
// rounded up a little, so an error makes a bound too large and never too small. The number of evaluations is
// limited; beyond it there is no bound.

#include "analysis/studies/respond/queue_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace warpnet::studies {
namespace {

constexpr std::int64_t most_work = 50'000'000;  // evaluations of n_j
constexpr int most_limited_rounds = 1000;
constexpr std::size_t most_windows = 1'000'000;
constexpr const char* too_long = "busy intervals are too long to follow";

enum class Load : std::uint8_t { below, equal, above };

double entries(const QueuedOperation& operation, netgen::Time length) {
    if (!operation.period) return 1;
    const netgen::Time periods = (length + operation.jitter) / *operation.period;
    return static_cast<double>(periods + 1);
}

bool whole(double value) { return value == std::floor(value) && value < static_cast<double>(longest_time); }

class Queue {
  public:
    Queue(const std::vector<QueuedOperation>& operations, double full)
        : operations_(operations), full_(full) {}

    std::vector<QueueBound> bounds() {
        std::vector<QueueBound> result(operations_.size());
        std::set<std::int32_t> priorities;
        for (const QueuedOperation& operation : operations_) priorities.insert(operation.priority);
        for (const std::int32_t priority : priorities) {
            begin(priority);
            for (std::size_t i = 0; i < operations_.size(); ++i)
                if (operations_[i].priority == priority) result[i] = bound(operations_[i]);
        }
        return result;
    }

  private:
    using Members = std::vector<const QueuedOperation*>;

    /// Collects the operations above a priority and of that priority, their load on the server, and the
    /// windows to try.
    void begin(std::int32_t priority) {
        above_.clear();
        level_.clear();
        windows_.clear();
        obstacle_.clear();
        for (const QueuedOperation& operation : operations_) {
            if (operation.priority > priority) above_.push_back(&operation);
            if (operation.priority == priority) level_.push_back(&operation);
        }
        Members both = above_;
        both.insert(both.end(), level_.begin(), level_.end());
        in_streams_ = false;
        if (std::any_of(both.begin(), both.end(),
                        [](const QueuedOperation* operation) { return std::isinf(operation->work); })) {
            obstacle_ = "it waits for work that has no bound";
            return;
        }
        if (load_of(above_, hyperperiod_of(above_)) != Load::below) {
            obstacle_ = "work of higher priority takes all the time";
            return;
        }
        in_streams_ = std::all_of(both.begin(), both.end(), [](const QueuedOperation* operation) {
            return operation->stream.has_value();
        });
        const std::optional<netgen::Time> cycle = hyperperiod_of(both);
        if (load_of(both, cycle) == Load::above)
            obstacle_ =
                fmt::format("work{} arrives at {:.4g} % of the rate at which it is certain to be done",
                            above_.empty() ? "" : " of this priority and of higher ones",
                            100 * utilisation_of(both) / full_);
        else
            find_windows(both, cycle);
    }

    static std::optional<netgen::Time> hyperperiod_of(const Members& members) {
        netgen::Time cycle = 1;
        for (const QueuedOperation* operation : members) {
            if (!operation->period) continue;
            const netgen::Time rest = *operation->period / std::gcd(cycle, *operation->period);
            if (rest > longest_time / cycle) return std::nullopt;
            cycle *= rest;
        }
        return cycle;
    }

    static double utilisation_of(const Members& members) {
        double sum = 0;
        for (const QueuedOperation* operation : members)
            if (operation->period) sum += operation->work / static_cast<double>(*operation->period);
        return sum;
    }

    Load load_of(const Members& members, const std::optional<netgen::Time>& cycle) const {
        const double utilisation = utilisation_of(members);
        if (utilisation < full_ * (1 - 1e-9)) return Load::below;
        if (utilisation > full_ * (1 + 1e-9) || !cycle || !whole(full_)) return Load::above;
        __extension__ using Wide = __int128;
        Wide in_cycle = 0;
        for (const QueuedOperation* operation : members) {
            if (!operation->period) continue;
            if (!whole(operation->work)) return Load::above;
            in_cycle += Wide{static_cast<netgen::Time>(operation->work)} * (*cycle / *operation->period);
        }
        const Wide served = Wide{static_cast<netgen::Time>(full_)} * *cycle;
        return in_cycle < served ? Load::below : in_cycle == served ? Load::equal : Load::above;
    }

    /// The work of the operation in question, from a time on.
    struct Own {
        double work = 0;
        double rate = 0;
        netgen::Time from = 0;
    };

    /// The longest t up to which the arrived work keeps the server busy, at least own.from. Times beyond
    /// `most` are not followed. `come(t)` is the work of the other operations, and must not fall with t.
    template <class Come>
    std::optional<netgen::Time> busy_until(const Come& come, const Own& own, netgen::Time most) {
        netgen::Time t = own.from + 1;
        while (t <= most) {
            const double others = come(t);
            double done = (others + own.work) / full_;
            if (own.rate < full_)
                done =
                    std::min(done, (others - own.rate * static_cast<double>(own.from)) / (full_ - own.rate));
            // Rounded up a little: a bound may be too large, never too small.
            done = std::floor(done * (1 + 1e-12) + 1e-9);
            if (done >= static_cast<double>(longest_time)) return std::nullopt;
            if (static_cast<double>(t) > done) break;
            t = static_cast<netgen::Time>(done) + 1;
            if (work_ > most_work) return std::nullopt;
        }
        return std::min(t - 1, most);
    }

    double sum_of(const Members& members, netgen::Time length) {
        double sum = 0;
        for (const QueuedOperation* operation : members) sum += entries(*operation, length) * operation->work;
        work_ += static_cast<std::int64_t>(members.size()) + 1;
        return sum;
    }

    /// Lengths x at which one more job of this priority can enter.
    void find_windows(const Members& both, const std::optional<netgen::Time>& cycle) {
        const double carried = level_.front()->carried;
        const std::optional<netgen::Time> longest = busy_until(
            [&](netgen::Time t) { return carried + sum_of(both, t - 1); }, {}, cycle ? *cycle : longest_time);
        if (!longest) {
            obstacle_ = too_long;
            return;
        }
        windows_.insert(0);
        for (const QueuedOperation* operation : level_) {
            if (!operation->period || operation->work == 0) continue;
            for (netgen::Time x = *operation->period - operation->jitter % *operation->period; x <= *longest;
                 x += *operation->period) {
                windows_.insert(x);
                if (windows_.size() <= most_windows) continue;
                obstacle_ = too_long;
                return;
            }
        }
    }

    QueueBound bound(const QueuedOperation& operation) {
        std::optional<netgen::Time> least;
        if (obstacle_.empty()) least = by_windows(operation);
        if (const auto other = in_streams_ ? by_streams(operation) : std::nullopt)
            least = std::min(least.value_or(*other), *other);
        if (!least) return {{}, obstacle_.empty() ? too_long : obstacle_};
        return {*least + operation.rest, {}};
    }

    std::optional<netgen::Time> by_windows(const QueuedOperation& operation) {
        netgen::Time longest = 0;
        for (const netgen::Time x : windows_) {
            const double level = operation.first ? 0 : sum_of(level_, x) - operation.work;
            const double entered = operation.carried + level;
            const std::optional<netgen::Time> until =
                busy_until([&](netgen::Time t) { return entered + sum_of(above_, t - 1); },
                           {operation.own, operation.own_rate, x}, longest_time);
            if (!until) return std::nullopt;
            longest = std::max(longest, *until - x);
            if (operation.first) break;
        }
        return longest;
    }

    /// The operations of a stream that are not below a priority.
    struct Stream {
        double largest = 0;
        double rate = 0;
        Members above;
    };

    std::optional<netgen::Time> by_streams(const QueuedOperation& operation) {
        std::map<std::size_t, Stream> streams;
        const auto add = [&](const Members& members, bool above) {
            for (const QueuedOperation* other : members) {
                if (other->stream == operation.stream) continue;
                Stream& stream = streams[*other->stream];
                stream.largest = std::max(stream.largest, other->work);
                stream.rate = std::max(stream.rate, other->rate);
                if (above) stream.above.push_back(other);
            }
        };
        add(above_, true);
        if (!operation.first) add(level_, false);
        // If rates nearly fill the server, many rounds are needed to show that they do not. Assuming that
        // they do is safe.
        int rounds = 0;
        const auto come = [&](netgen::Time t) {
            const auto time = static_cast<double>(t);
            const bool limited = ++rounds < most_limited_rounds;
            const auto least = [&](double work, double rate) {
                return limited ? std::min(work, rate * time) : work;
            };
            double sum = least(operation.running, operation.running_rate);
            for (const auto& [number, stream] : streams)
                sum += least(stream.largest + sum_of(stream.above, t - 1), stream.rate);
            return sum;
        };
        return busy_until(come, {operation.own, operation.own_rate, 0}, longest_time);
    }

    const std::vector<QueuedOperation>& operations_;
    double full_;
    Members above_, level_;
    std::set<netgen::Time> windows_;
    std::string obstacle_;
    bool in_streams_ = false;
    std::int64_t work_ = 0;
};

}  // namespace

std::vector<QueueBound> queue_bounds(const std::vector<QueuedOperation>& operations, double full) {
    return Queue(operations, full).bounds();
}

}  // namespace warpnet::studies

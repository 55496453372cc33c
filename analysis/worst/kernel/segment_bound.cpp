// Dynamic programming over the abstract states, level by level: a level has the compositions with one total
// number of finished segments. A step leads to a higher level, or stays in its box with less slack, so a
// level needs only the few levels that one step can reach. The bound of the start alone keeps just this
// window. The states of a composition are a box, stored so that the widest group is contiguous, and a step is
// an extreme of shifted rows. Ranks fill shares of a level that are about equal in states, and exchange them
// after each level. Cells have one byte, two if a bound exceeds 254.
//
// Each abstract state takes one extreme per abstract step of its composition, 16 or 32 states per vector
// operation. Memory is one cell per state, and about 40 bytes per composition for the tables of this file.
// The window holds most_together() + 1 levels instead of all. Cells of one byte are half as large and twice
// as many per vector, so they are tried first. If a bound exceeds them, or is known to, two bytes are used.
//
// Ranks divide the work and not the memory. A beam or a layered search reads the table at random positions,
// so each rank needs all of it. A step to the same row depends on earlier cells of that row. Such steps are
// done cell by cell, after all vector operations on the row.

#include "analysis/worst/kernel/segment_bound.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/worst/search/objective.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for_each.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WARPNET_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WARPNET_CLONES
#endif

namespace warpnet::worst {
namespace {

// Element-wise extremes of rows of bytes or 16-bit numbers, the inner loop of a segment bound: a few
// operations per 16 or 32 states. One function body is compiled for two instruction sets and chosen when the
// program is loaded, because one build serves all machines. The dimensions around the rows are an odometer.

constexpr int max_box_dimensions = 16;

/// A box inside two arrays of different shape, made of rows that are contiguous in both.
struct BoxPair {
    std::size_t row = 1;  ///< cells of a row
    int outer = 0;        ///< further dimensions
    std::int32_t extent[max_box_dimensions] = {};
    std::int32_t to_stride[max_box_dimensions] = {};
    std::int32_t from_stride[max_box_dimensions] = {};

    /// Adds an outer dimension; it makes the rows longer if it continues them in both arrays.
    void add(std::int32_t size, std::int32_t to, std::int32_t from) {
        if (size == 1) return;
        if (outer == 0 && to == from && static_cast<std::size_t>(to) == row) {
            row *= static_cast<std::size_t>(size);
            return;
        }
        extent[outer] = size;
        to_stride[outer] = to;
        from_stride[outer] = from;
        ++outer;
    }
};

/// A run of `bytes` bytes: whole vectors, the last of which may overlap the previous one (the extreme of a
/// value with itself is the value).
template <bool longest, int bytes, class Value>
inline __attribute__((always_inline)) void by_vectors(Value* to, const Value* from, std::size_t count) {
    typedef Value Vector __attribute__((vector_size(bytes)));
    constexpr std::size_t width = bytes / sizeof(Value);
    for (std::size_t i = 0;; i += width) {
        if (i + width > count) i = count - width;
        Vector a;
        Vector b;
        std::memcpy(&a, to + i, bytes);
        std::memcpy(&b, from + i, bytes);
        a = (longest ? b > a : b < a) ? b : a;
        std::memcpy(to + i, &a, bytes);
        if (i + width == count) return;
    }
}

template <bool longest, class Value>
inline __attribute__((always_inline)) void take_row(Value* to, const Value* from, std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    if (bytes >= 32) return by_vectors<longest, 32>(to, from, count);
    if (bytes >= 16) return by_vectors<longest, 16>(to, from, count);
    if (bytes >= 8) return by_vectors<longest, 8>(to, from, count);
    constexpr Objective objective = longest ? Objective::longest : Objective::shortest;
    for (std::size_t i = 0; i < count; ++i) to[i] = better(objective, from[i], to[i]) ? from[i] : to[i];
}

template <bool longest, class Value>
inline __attribute__((always_inline)) void for_rows(Value* to, const Value* from, const BoxPair& box) {
    std::int32_t at[max_box_dimensions] = {};
    while (true) {
        take_row<longest>(to, from, box.row);
        int d = 0;
        for (; d < box.outer; ++d) {
            to += box.to_stride[d];
            from += box.from_stride[d];
            if (++at[d] < box.extent[d]) break;
            to -= static_cast<std::ptrdiff_t>(box.to_stride[d]) * box.extent[d];
            from -= static_cast<std::ptrdiff_t>(box.from_stride[d]) * box.extent[d];
            at[d] = 0;
        }
        if (d == box.outer) return;
    }
}

WARPNET_CLONES void raise(std::uint8_t* to, const std::uint8_t* from, const BoxPair& box) {
    for_rows<true>(to, from, box);
}
WARPNET_CLONES void lower(std::uint8_t* to, const std::uint8_t* from, const BoxPair& box) {
    for_rows<false>(to, from, box);
}
WARPNET_CLONES void raise(std::int16_t* to, const std::int16_t* from, const BoxPair& box) {
    for_rows<true>(to, from, box);
}
WARPNET_CLONES void lower(std::int16_t* to, const std::int16_t* from, const BoxPair& box) {
    for_rows<false>(to, from, box);
}

/// to[i] = the larger (longest) or smaller (shortest) of to[i] and from[i] for all cells i of the box. The
/// two boxes must not overlap. Uses the widest vector instructions of the machine.
void take_extremes(Objective objective, std::uint8_t* to, const std::uint8_t* from, const BoxPair& box) {
    objective == Objective::longest ? raise(to, from, box) : lower(to, from, box);
}

void take_extremes(Objective objective, std::int16_t* to, const std::int16_t* from, const BoxPair& box) {
    objective == Objective::longest ? raise(to, from, box) : lower(to, from, box);
}

using Strides = std::array<std::int32_t, max_segments>;

constexpr int widest_byte = 254;

/// Compositions sorted by the total number of segments that their warps have finished, and the size of each
/// box.
class Compositions {
  public:
    Compositions(const SegmentSteps& steps)
        : levels_(steps.compositions().warps() * steps.compositions().length() + 1) {
        const MultisetSpace& space = steps.compositions();
        const StateNumber all = space.size();
        level_.resize(all);
        first_.resize(all);
        begin_.assign(static_cast<std::size_t>(levels_) + 1, 0);
        size_.assign(static_cast<std::size_t>(levels_), 0);
        std::vector<int> segment_of(static_cast<std::size_t>(space.warps()));
        for (StateNumber c = 0; c < all; ++c) {
            space.unrank(c, segment_of);
            level_[c] = std::accumulate(segment_of.begin(), segment_of.end(), 0);
            const SegmentCounts slack = steps.most_slack(steps.warps_in(c));
            std::uint64_t states = 1;
            for (int g = 0; g < steps.scheme().groups; ++g)
                states *= static_cast<std::uint64_t>(slack[static_cast<std::size_t>(g)]) + 1;
            const auto l = static_cast<std::size_t>(level_[c]);
            first_[c] = size_[l];
            size_[l] += states;
            ++begin_[l + 1];
        }
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        sorted_.resize(all);
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (StateNumber c = 0; c < all; ++c) sorted_[next[static_cast<std::size_t>(level_[c])]++] = c;
    }

    int levels() const { return levels_; }
    int level(StateNumber composition) const { return level_[composition]; }
    std::uint64_t first_in_level(StateNumber composition) const { return first_[composition]; }
    std::uint64_t states(int level) const { return size_[static_cast<std::size_t>(level)]; }
    std::span<const StateNumber> of_level(int level) const {
        const auto l = static_cast<std::size_t>(level);
        return std::span(sorted_).subspan(begin_[l], begin_[l + 1] - begin_[l]);
    }

    /// Some compositions of a level and their states, which are consecutive.
    struct Share {
        std::span<const StateNumber> compositions;
        std::uint64_t first, end;  // states of the level
    };
    /// One of this many shares of a level, about equal in states.
    Share share(int level, int number, int shares) const {
        const std::span<const StateNumber> all = of_level(level);
        const auto begin_of = [&](int share) {
            const auto parts = static_cast<std::uint64_t>(shares);
            // Levels of 2^64 / parts states exceed the memory anyway.
            const std::uint64_t first = states(level) * static_cast<std::uint64_t>(share) / parts;
            return std::partition_point(all.begin(), all.end(),
                                        [&](StateNumber c) { return first_[c] < first; });
        };
        const auto begin = begin_of(number), end = begin_of(number + 1);
        const auto first_of = [&](auto at) { return at == all.end() ? states(level) : first_[*at]; };
        return {{begin, end}, first_of(begin), first_of(end)};
    }

  private:
    int levels_;
    std::vector<int> level_;            // per composition
    std::vector<std::uint64_t> first_;  // per composition: states of its level before its own
    std::vector<std::uint64_t> size_;   // per level: states
    std::vector<std::size_t> begin_;    // per level: in sorted_
    std::vector<StateNumber> sorted_;
};

/// Groups in the order of storage: the one that tends to be widest last, with contiguous rows.
std::vector<int> storage_order(const SegmentScheme& scheme) {
    std::vector<int> width(static_cast<std::size_t>(scheme.groups), 0);
    for (const StringSegment& segment : scheme.segments) {
        int& w = width[static_cast<std::size_t>(segment.group)];
        w = std::max(w, segment.length() - 1);
    }
    std::vector<int> order(width.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int g) { return width[static_cast<std::size_t>(g)]; });
    return order;
}

Strides strides_of(const SegmentCounts& most_slack, const std::vector<int>& order) {
    Strides strides{};
    std::int32_t stride = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
        const auto g = static_cast<std::size_t>(order[k]);
        strides[g] = stride;
        stride *= most_slack[g] + 1;
    }
    return strides;
}

/// Fills the boxes of one composition after another, from the end of all runs to their start. With `ranks`
/// each fills a share of every level, and all have the whole level before the next.
template <class Value>
class SegmentSweep {
  public:
    SegmentSweep(const SegmentSteps& steps, const Compositions& compositions, const std::vector<int>& order,
                 Objective objective, const WorkLimits& limits, ranks::Collectives* ranks)
        : steps_(steps),
          compositions_(compositions),
          order_(order),
          objective_(objective),
          limits_(limits),
          ranks_(ranks),
          level_values_(static_cast<std::size_t>(compositions.levels()), nullptr) {}

    void set_level(int level, Value* values) { level_values_[static_cast<std::size_t>(level)] = values; }

    /// Fills one level; the levels that a step can reach from it must be complete. Called on all ranks, since
    /// one of them may have too little memory for the level.
    WorkEnd fill_level(int level, WorkEnd room = WorkEnd::complete) {
        if (ranks_ == nullptr) return room == WorkEnd::complete ? fill(compositions_.of_level(level)) : room;
        Value* const values = level_values_[static_cast<std::size_t>(level)];
        const auto own = compositions_.share(level, ranks_->rank(), ranks_->size());
        const WorkEnd own_end = room == WorkEnd::complete ? fill(own.compositions) : room;
        ranks::ByteWriter writer;
        writer.put(own_end);
        if (own_end == WorkEnd::complete)
            writer.put_all(std::span<const Value>(values + own.first, values + own.end));
        const std::vector<std::string> texts = ranks_->gather(std::move(writer).take());
        for (const std::string& text : texts) {
            if (const auto end = ranks::ByteReader(text).get<WorkEnd>(); end != WorkEnd::complete) return end;
        }
        for (int rank = 0; rank < ranks_->size(); ++rank) {
            if (rank == ranks_->rank()) continue;
            ranks::ByteReader reader(texts[static_cast<std::size_t>(rank)]);
            reader.get<WorkEnd>();
            const auto share = compositions_.share(level, rank, ranks_->size());
            reader.get_all(std::span(values + share.first, values + share.end));
        }
        return WorkEnd::complete;
    }

  private:
    static constexpr Value widest = std::numeric_limits<Value>::max();

    WorkEnd fill(std::span<const StateNumber> compositions) {
        tbb::parallel_for_each(compositions, [&](StateNumber c) {
            if (!out_of_time_) fill_box(c);
            if (limits_.must_end()) out_of_time_ = true;
        });
        if (out_of_time_) return limits_.asked_to_end();
        return overflow_ ? WorkEnd::overflow : WorkEnd::complete;
    }

    Value* values_of(StateNumber composition) const {
        return level_values_[static_cast<std::size_t>(compositions_.level(composition))] +
               compositions_.first_in_level(composition);
    }

    void fill_box(StateNumber composition) {
        std::vector<SegmentStep>& steps = step_lists_.local();
        steps_.list(composition, steps);
        const SegmentCounts most = steps_.most_slack(steps_.warps_in(composition));
        const Strides stride = strides_of(most, order_);
        Value* const values = values_of(composition);
        std::size_t states = 1;
        for (const int g : order_) states *= static_cast<std::size_t>(most[static_cast<std::size_t>(g)]) + 1;
        const bool longest = objective_ == Objective::longest;
        std::fill_n(values, states, steps.empty() || longest ? Value{0} : widest);
        if (steps.empty()) return;  // all warps have finished

        const auto inside = std::partition(steps.begin(), steps.end(),
                                           [](const SegmentStep& s) { return s.finishing_segments > 0; });
        for (auto step = steps.begin(); step != inside; ++step) from_other_block(*step, stride, values);
        from_same_block({inside, steps.end()}, most, stride, values);
    }

    void from_other_block(const SegmentStep& step, const Strides& stride, Value* values) const {
        const Strides target = strides_of(steps_.most_slack(steps_.warps_in(step.target)), order_);
        Value* to = values;
        const Value* from = values_of(step.target);
        BoxPair box;
        for (std::size_t k = order_.size(); k-- > 0;) {
            const auto g = static_cast<std::size_t>(order_[k]);
            to += static_cast<std::ptrdiff_t>(step.staying[g]) * stride[g];
            from += static_cast<std::ptrdiff_t>(step.arriving[g]) * target[g];
            box.add(step.most_slack[g] - step.staying[g] + 1, stride[g], target[g]);
        }
        take_extremes(objective_, to, from, box);
    }

    /// Steps in which no warp leaves its segment lead to states with less slack in the same box, so rows are
    /// completed in storage order.
    void from_same_block(std::span<const SegmentStep> steps, const SegmentCounts& most, const Strides& stride,
                         Value* values) {
        const auto last = static_cast<std::size_t>(order_.back());
        const std::size_t outer = order_.size() - 1;
        const int row = most[last] + 1;
        std::vector<int> shifts;  // within a row
        std::vector<const SegmentStep*> from_rows_before;
        for (const SegmentStep& step : steps) {
            const bool same_row =
                std::all_of(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(outer),
                            [&](int g) { return step.staying[static_cast<std::size_t>(g)] == 0; });
            if (same_row)
                shifts.push_back(step.staying[last]);
            else
                from_rows_before.push_back(&step);
        }
        SegmentCounts slack{};
        bool fits = true;
        for (Value* to = values;; to += row) {
            for (const SegmentStep* step : from_rows_before) {
                std::ptrdiff_t distance = step->staying[last];
                bool possible = step->staying[last] < row;
                for (std::size_t k = 0; k < outer && possible; ++k) {
                    const auto g = static_cast<std::size_t>(order_[k]);
                    possible = step->staying[g] <= slack[g];
                    distance += static_cast<std::ptrdiff_t>(step->staying[g]) * stride[g];
                }
                if (!possible) continue;
                const int skipped = step->staying[last];
                take_extremes(objective_, to + skipped, to + skipped - distance,
                              {.row = static_cast<std::size_t>(row - skipped)});
            }
            fits &= finish_row(to, row, shifts);
            std::size_t k = outer;
            for (; k-- > 0;) {
                const auto g = static_cast<std::size_t>(order_[k]);
                if (++slack[g] <= most[g]) break;
                slack[g] = 0;
            }
            if (k == std::numeric_limits<std::size_t>::max()) break;
        }
        if (!fits) overflow_ = true;
    }

    bool finish_row(Value* values, int row, const std::vector<int>& shifts) const {
        const bool longest = objective_ == Objective::longest;
        bool fits = true;
        for (int r = 0; r < row; ++r) {
            Value value = values[r];
            for (const int shift : shifts)
                if (shift <= r)
                    value = longest ? std::max(value, values[r - shift]) : std::min(value, values[r - shift]);
            fits &= value < widest;
            values[r] = static_cast<Value>(value + 1);
        }
        return fits;
    }

    const SegmentSteps& steps_;
    const Compositions& compositions_;
    const std::vector<int>& order_;
    Objective objective_;
    const WorkLimits& limits_;
    ranks::Collectives* ranks_;
    std::vector<Value*> level_values_;
    tbb::enumerable_thread_specific<std::vector<SegmentStep>> step_lists_;
    std::atomic<bool> overflow_ = false;
    std::atomic<bool> out_of_time_ = false;
};

std::uint64_t table_overhead(const SegmentScheme& scheme, int warps) {
    const auto space = MultisetSpace::create(warps, static_cast<int>(scheme.segments.size()));
    constexpr std::uint64_t bytes_per_composition = 40;
    return space && space->size() < (std::uint64_t{1} << 40) ? space->size() * bytes_per_composition
                                                             : std::numeric_limits<std::uint64_t>::max();
}

template <class Value>
WorkEnd sweep_window(const SegmentSteps& steps, const Compositions& compositions,
                     const std::vector<int>& order, Objective objective, const WorkLimits& limits,
                     ranks::Collectives* ranks, int& makespan) {
    SegmentSweep<Value> sweep(steps, compositions, order, objective, limits, ranks);
    const int reach = steps.rule().most_together();
    std::vector<std::vector<Value>> levels(static_cast<std::size_t>(compositions.levels()));
    std::uint64_t held = 0;
    for (int level = compositions.levels() - 1; level >= 0; --level) {
        auto& values = levels[static_cast<std::size_t>(level)];
        held += compositions.states(level) * sizeof(Value);
        const WorkEnd room = held > limits.memory ? WorkEnd::memory_limit : WorkEnd::complete;
        if (room == WorkEnd::complete) values.resize(compositions.states(level));
        sweep.set_level(level, values.data());
        if (const WorkEnd end = sweep.fill_level(level, room); end != WorkEnd::complete) return end;
        // No step from a lower level reaches this far.
        if (const int out_of_reach = level + reach; out_of_reach < compositions.levels()) {
            auto& done = levels[static_cast<std::size_t>(out_of_reach)];
            held -= done.size() * sizeof(Value);
            std::vector<Value>().swap(done);
        }
    }
    makespan = levels[0].back();
    return WorkEnd::complete;
}

}  // namespace

Strides SegmentBound::strides(StateNumber composition) const {
    return strides_of(steps_->most_slack(steps_->warps_in(composition)), group_order_);
}

std::optional<SegmentBound> SegmentBound::create(const netgen::KernelInstance& instance,
                                                 const SegmentScheme& scheme, Objective objective,
                                                 const WorkLimits& limits, int expected,
                                                 ranks::Collectives* ranks) {
    if (!SegmentSteps::fits(scheme, instance.warps)) return std::nullopt;
    const std::uint64_t overhead = table_overhead(scheme, instance.warps);
    const std::uint64_t states = count_states(scheme, instance.warps);
    const auto has_room = [&](std::size_t cell) {
        const bool has = overhead <= limits.memory && states <= (limits.memory - overhead) / cell;
        return ranks::end_of_any(ranks, has ? WorkEnd::complete : WorkEnd::memory_limit) == WorkEnd::complete;
    };
    if (!has_room(1)) return std::nullopt;
    SegmentBound bound;
    bound.steps_ = std::make_unique<SegmentSteps>(instance, scheme);
    bound.group_order_ = storage_order(scheme);
    bound.objective_ = objective;
    const Compositions compositions(*bound.steps_);
    bound.first_.resize(bound.steps_->compositions().size());
    std::uint64_t first = 0;
    std::vector<std::uint64_t> level_first;
    for (int level = 0; level < compositions.levels(); ++level) {
        level_first.push_back(first);
        for (const StateNumber c : compositions.of_level(level))
            bound.first_[c] = first + compositions.first_in_level(c);
        first += compositions.states(level);
    }
    const auto fill = [&]<class Value>(std::vector<Value>& values) {
        if (!has_room(sizeof(Value))) return WorkEnd::memory_limit;
        values.resize(first);
        SegmentSweep<Value> sweep(*bound.steps_, compositions, bound.group_order_, objective, limits, ranks);
        for (int level = compositions.levels() - 1; level >= 0; --level) {
            sweep.set_level(level, values.data() + level_first[static_cast<std::size_t>(level)]);
            if (const WorkEnd end = sweep.fill_level(level); end != WorkEnd::complete) return end;
        }
        // The initial state has the maximal slack, so it is the last one of its box.
        bound.makespan_ = values[compositions.states(0) - 1];
        return WorkEnd::complete;
    };
    WorkEnd end = expected > widest_byte ? WorkEnd::overflow : fill(bound.values8_);
    if (end == WorkEnd::overflow) {
        std::vector<std::uint8_t>().swap(bound.values8_);
        end = fill(bound.values16_);
    }
    return end == WorkEnd::complete ? std::optional(std::move(bound)) : std::nullopt;
}

std::optional<int> segment_bound_makespan(const netgen::KernelInstance& instance, const SegmentScheme& scheme,
                                          Objective objective, const WorkLimits& limits, int expected,
                                          ranks::Collectives* ranks) {
    if (!SegmentSteps::fits(scheme, instance.warps)) return std::nullopt;
    const std::uint64_t overhead = table_overhead(scheme, instance.warps);
    const WorkEnd room = overhead > limits.memory ? WorkEnd::memory_limit : WorkEnd::complete;
    if (ranks::end_of_any(ranks, room) != WorkEnd::complete) return std::nullopt;
    const SegmentSteps steps(instance, scheme);
    const Compositions compositions(steps);
    const std::vector<int> order = storage_order(scheme);
    WorkLimits rest = limits;
    rest.memory -= overhead;
    int makespan = 0;
    WorkEnd end = WorkEnd::overflow;
    if (expected <= widest_byte)
        end = sweep_window<std::uint8_t>(steps, compositions, order, objective, rest, ranks, makespan);
    if (end == WorkEnd::overflow)
        end = sweep_window<std::int16_t>(steps, compositions, order, objective, rest, ranks, makespan);
    return end == WorkEnd::complete ? std::optional(makespan) : std::nullopt;
}

}  // namespace warpnet::worst

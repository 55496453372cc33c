#pragma once

#include "engine/net/net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warpnet {

/// A place and what an arc does with it. Weights of executable nets fit in 31 bits; markings have 63.
struct PlaceWeight {
    std::uint32_t place;
    std::int32_t weight;
    bool operator==(const PlaceWeight&) const = default;
};

/// What firing a transition does to one place in total.
struct Effect {
    std::uint32_t place;
    std::int32_t delta;  ///< outputs minus inputs, not 0
    bool operator==(const Effect&) const = default;
};

/// Rows of varying length in one flat array. No rows take no memory, and where all rows are empty, they may
/// take none.
template <class T>
class Rows {
  public:
    Rows() = default;
    /// Row by row all items, and where each row begins in them and the last one ends.
    Rows(std::vector<T> items, std::vector<std::uint32_t> firsts)
        : items_(std::move(items)), first_(std::move(firsts)), rows_(first_.size() - 1) {}

    std::span<const T> operator[](std::size_t row) const noexcept {
        if (items_.empty()) return {};
        return {items_.data() + first_[row], items_.data() + first_[row + 1]};
    }
    std::span<T> row(std::size_t row) noexcept {
        return {items_.data() + first_[row], items_.data() + first_[row + 1]};
    }
    std::size_t size() const noexcept { return rows_; }
    /// Per row its position in all(), and one past the last.
    std::span<const std::uint32_t> firsts() const noexcept { return first_; }
    std::span<const T> all() const noexcept { return items_; }
    std::size_t bytes() const noexcept {
        return items_.capacity() * sizeof(T) + first_.capacity() * sizeof(std::uint32_t);
    }

    /// Calls visit(row, item) for all items in order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        const T* const items = items_.data();
        const T* const end = items + items_.size();
        const std::uint32_t* row_end = first_.data();
        std::uint32_t row = 0;
        for (const T* item = items; item != end; ++row) {
            for (const T* const last = items + *++row_end; item != last; ++item) visit(row, *item);
        }
    }

    /// Rows are filled in order: append to the last one, then close it.
    void append(T item) { items_.push_back(item); }
    void close_row() {
        if (first_.empty()) first_.push_back(0);
        first_.push_back(static_cast<std::uint32_t>(items_.size()));
        ++rows_;
    }
    void append_row(std::span<const T> row) {
        items_.insert(items_.end(), row.begin(), row.end());
        close_row();
    }
    std::span<const T> open_row() const { return std::span(items_).subspan(rows_ == 0 ? 0 : first_.back()); }
    void reserve(std::size_t rows, std::size_t items) {
        first_.reserve(rows + 1);
        items_.reserve(items);
    }
    void shrink_to_fit() {
        items_.shrink_to_fit();
        first_.shrink_to_fit();
    }
    /// Gives back the memory of empty rows where there are no others; firsts() must not be asked for then.
    void forget_empty_rows() {
        if (items_.empty()) first_ = std::vector<std::uint32_t>();
    }

    /// Rows out of items in any order, which they keep within a row: each(put) calls put(row, item) for all
    /// items, and is called twice. O(rows + items).
    template <class Each>
    static Rows sorted(std::size_t rows, Each&& each) {
        Rows result;
        if (rows == 0) return result;
        result.rows_ = rows;
        result.first_.assign(rows + 1, 0);
        // Per row how many items it has, then where its next item goes, in the end where it ends.
        std::uint32_t* const next = result.first_.data() + 1;
        each([&](std::size_t row, const T&) { ++next[row]; });
        std::uint32_t items = 0;
        for (std::size_t row = 0; row < rows; ++row) items += std::exchange(next[row], items);
        result.items_.resize(items);
        T* const put = result.items_.data();
        each([&](std::size_t row, const T& item) { put[next[row]++] = item; });
        return result;
    }

    bool operator==(const Rows&) const = default;

  private:
    std::vector<T> items_;
    std::vector<std::uint32_t> first_;
    std::size_t rows_ = 0;
};

/// The arcs of a net, or of a part of one, by indices: what compile() starts from.
struct NetArcs {
    /// Immediate transitions and priorities, as Transition has them.
    struct Urgency {
        bool immediate = false;
        std::int32_t priority = 0;
        bool operator==(const Urgency&) const = default;
    };
    Marking initial;                                       ///< per place
    Rows<PlaceWeight> inputs, outputs, inhibitors, reads;  ///< per transition, sorted by place
    std::vector<Urgency> urgency;                          ///< per transition
    /// Of a part: places that transitions outside give tokens to, or look at. Ascending.
    std::vector<std::uint32_t> fed, watched;

    std::size_t place_count() const noexcept { return initial.size(); }
    std::size_t transition_count() const noexcept { return inputs.size(); }
    bool operator==(const NetArcs&) const = default;
};

/// A condition on one place that a transition depends on: `threshold` > 0 holds while the place has at least
/// that many tokens, `threshold` < 0 (an inhibitor arc) while it has fewer than -threshold.
struct Watch {
    std::uint32_t transition;
    std::int32_t threshold;
    bool operator==(const Watch&) const = default;
};

/// Whether a condition (Watch::threshold) holds for a place with so many tokens.
inline bool meets(Tokens tokens, std::int32_t threshold) {
    return threshold > 0 ? tokens >= threshold : tokens < -Tokens{threshold};
}

/// Whether all thresholds are 1 or -1.
inline bool is_binary(std::span<const Watch> watches) {
    return std::all_of(watches.begin(), watches.end(),
                       [](Watch watch) { return watch.threshold == 1 || watch.threshold == -1; });
}

/// Where a transition stands among the candidates.
struct GroupSlot {
    std::uint32_t group;
    std::uint32_t slot;  ///< position in the group's members
    bool operator==(const GroupSlot&) const = default;
};

/// Transitions that are interchangeable in a conflict: of one priority level and with the same demands on
/// hubs.
struct ConflictGroup {
    std::uint32_t priority_level;
    std::vector<PlaceWeight> demands;    ///< on hub places, sorted by place; empty: no hub
    std::vector<std::uint32_t> members;  ///< transitions, ascending
    bool operator==(const ConflictGroup&) const = default;
};

/// Transitions that are served together: all immediate ones of a priority, or all timed ones of a priority.
struct PriorityLevel {
    bool immediate;
    std::int32_t priority;
    std::vector<std::uint32_t> groups;
    bool operator==(const PriorityLevel&) const = default;
};

/// A delay of `length` steps in the shape of [Gogolinska17] section 4: tick: wait + timer -> 2 wait; done:
/// length wait -> ... + (length-1) timer; nothing else takes from or tests either place.
struct DelayGadget {
    std::uint32_t wait;
    std::uint32_t timer;
    std::uint32_t tick;
    std::uint32_t done;
    std::int32_t length;
    bool operator==(const DelayGadget&) const = default;
};

struct CompileOptions {
    /// A place with more consumers than this becomes a hub.
    std::uint32_t hub_consumers = 8;
    /// Unless its consumers, or all transitions, would stand in conflict groups of fewer than this on
    /// average: settling conflicts group by group pays off only while there are few groups.
    std::uint32_t group_size = 4;
    bool operator==(const CompileOptions&) const = default;
};

/// A Net as indices and flat arrays: what machines run. Made by compile(), immutable, shared by all threads.
///
/// Indices are those of the Net. A *shared* place has several consumers; a *hub* is a shared place with so
/// many that its token count is kept out of the enabledness counters and conflicts over it are settled by
/// drawing winners (README).
struct CompiledNet {
    std::vector<Tokens> initial;  ///< per place
    /// Per transition; of the inputs first those from shared places.
    Rows<PlaceWeight> inputs, outputs, inhibitors, reads;
    Rows<Effect> effects;              ///< per transition: the places that it changes, binary_places() first
    std::vector<std::uint8_t> shared;  ///< per transition: how many inputs are shared; 255: that or more
    Rows<Watch> watches;               ///< per place: the conditions that count towards enabledness
    std::vector<std::uint8_t> hub;     ///< per place

    std::vector<GroupSlot> slots;  ///< per transition
    std::vector<ConflictGroup> groups;
    std::vector<PriorityLevel>
        priority_levels;  ///< immediate before timed, then by falling priority: the order of service
    std::vector<DelayGadget> gadgets;  ///< ascending by `wait`
    CompileOptions options;            ///< that it was compiled with

    std::size_t place_count() const noexcept { return initial.size(); }
    std::size_t transition_count() const noexcept { return slots.size(); }
    std::uint32_t priority_level(std::uint32_t transition) const noexcept {
        return groups[slots[transition].group].priority_level;
    }
    /// The inputs from shared places; all inputs where that are 255 or more.
    std::span<const PlaceWeight> shared_inputs(std::uint32_t transition) const noexcept {
        const auto row = inputs[transition];
        return row.first(shared[transition] < 255 ? shared[transition] : row.size());
    }
    bool immediate(std::uint32_t transition) const noexcept {
        return priority_levels[priority_level(transition)].immediate;
    }
    bool operator==(const CompiledNet&) const = default;
};

/// Whether there are neither immediate transitions nor priorities.
inline bool is_timed(const CompiledNet& net) {
    return net.priority_levels.size() == 1 && !net.priority_levels.front().immediate;
}

/// Throws InputError where a weight exceeds 2^31-1. O(n log n) in arcs.
CompiledNet compile(const Net& net, const CompileOptions& options = {});

/// The same from arcs by indices. O(n log n) in arcs.
CompiledNet compile(NetArcs arcs, const CompileOptions& options = {});

/// Per place, 1 where it has more than `hub_consumers` consumers, and not only those of one sequence of
/// transitions that pass single tokens on: what would be a hub if groups could be of any size. O(arcs).
std::vector<std::uint8_t> crowded_places(const CompiledNet& net, std::uint32_t hub_consumers);

/// Per place, 1 where it seems to hold 0 or 1 token only: it has at most one now, arcs change it by one, few
/// conditions look at it, and it is no hub. Nothing keeps it from holding more.
std::vector<std::uint8_t> binary_places(const CompiledNet& net);

/// The memory that a compiled net takes.
std::size_t compiled_bytes(const CompiledNet& net);

}  // namespace warpnet

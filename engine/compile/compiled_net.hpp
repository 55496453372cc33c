#pragma once

#include "engine/net/net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warpnet {

/// A place and the weight of an arc. Weights of executable nets fit into 31 bits, token counts into 63.
struct PlaceWeight {
    std::uint32_t place;
    std::int32_t weight;
    bool operator==(const PlaceWeight&) const = default;
};

/// The total effect of a firing on one place.
struct Effect {
    std::uint32_t place;
    std::int32_t delta;  ///< outputs minus inputs, not 0
    bool operator==(const Effect&) const = default;
};

/// Rows of varying length in one flat array. If all rows are empty, they may take no memory.
template <class T>
class Rows {
  public:
    Rows() = default;
    /// Takes the items of all rows and the position of the first item of each row, followed by the end of the
    /// last row.
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
    /// Per row its position in all(), and the end of the last row.
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

    /// Rows are filled in order: append items to the last row, then close it.
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
    /// Releases the memory of the row positions if all rows are empty. firsts() is then empty.
    void forget_empty_rows() {
        if (items_.empty()) first_ = std::vector<std::uint32_t>();
    }

    /// Sorts items into rows; within a row they keep their order. each(put) must call put(row, item) for all
    /// items, and is called twice. O(rows + items).
    template <class Each>
    static Rows sorted(std::size_t rows, Each&& each) {
        Rows result;
        if (rows == 0) return result;
        result.rows_ = rows;
        result.first_.assign(rows + 1, 0);
        // Per row first its number of items, then the position of its next item, and finally its end.
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

/// The arcs of a net, or of a part of a net, by indices. This is the input of compile().
struct NetArcs {
    /// Immediate transitions and priorities, as in Transition.
    struct Urgency {
        bool immediate = false;
        std::int32_t priority = 0;
        bool operator==(const Urgency&) const = default;
    };
    Marking initial;                                       ///< per place
    Rows<PlaceWeight> inputs, outputs, inhibitors, reads;  ///< per transition, sorted by place
    std::vector<Urgency> urgency;                          ///< per transition
    /// For a part: the places that transitions outside give tokens to, or test. Ascending.
    std::vector<std::uint32_t> fed, watched;

    std::size_t place_count() const noexcept { return initial.size(); }
    std::size_t transition_count() const noexcept { return inputs.size(); }
    bool operator==(const NetArcs&) const = default;
};

/// A condition of a transition on one place. With `threshold` > 0 it holds while the place has at least that
/// many tokens. With `threshold` < 0 (an inhibitor arc) it holds while the place has fewer than -threshold.
struct Watch {
    std::uint32_t transition;
    std::int32_t threshold;
    bool operator==(const Watch&) const = default;
};

/// Whether a condition with this threshold holds for a place with this many tokens.
inline bool meets(Tokens tokens, std::int32_t threshold) {
    return threshold > 0 ? tokens >= threshold : tokens < -Tokens{threshold};
}

/// Whether all thresholds are 1 or -1.
inline bool is_binary(std::span<const Watch> watches) {
    return std::all_of(watches.begin(), watches.end(),
                       [](Watch watch) { return watch.threshold == 1 || watch.threshold == -1; });
}

/// The position of a transition among the candidates.
struct GroupSlot {
    std::uint32_t group;
    std::uint32_t slot;  ///< position in the group's members
    bool operator==(const GroupSlot&) const = default;
};

/// A demand class: transitions of one priority level with equal demands on hubs. They are interchangeable in
/// a conflict.
struct ConflictGroup {
    std::uint32_t priority_level;
    std::vector<PlaceWeight> demands;    ///< on hub places, sorted by place; empty: no hub
    std::vector<std::uint32_t> members;  ///< transitions, ascending
    bool operator==(const ConflictGroup&) const = default;
};

/// Transitions that are served together: all immediate or all timed ones with one priority.
struct PriorityLevel {
    bool immediate;
    std::int32_t priority;
    std::vector<std::uint32_t> groups;
    bool operator==(const PriorityLevel&) const = default;
};

/// A delay of `length` steps with the structure of [Gogolinska17] section 4. Its transitions are tick: wait +
/// timer -> 2 wait, and done: length wait -> ... + (length-1) timer. No other transition takes from either
/// place or tests it.
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
    /// Exception: a place is no hub if its consumers, or all transitions, would be in conflict groups with
    /// fewer members than this on average. Resolving conflicts group by group pays off only if there are few
    /// groups.
    std::uint32_t group_size = 4;
    bool operator==(const CompileOptions&) const = default;
};

/// The executable form of a Net: indices and flat arrays. Made by compile(), immutable, shared by all
/// threads.
///
/// Indices are those of the Net. A *shared* place has several consumers. A *hub* is a shared place with so
/// many consumers that its tokens are no condition of them. Conflicts over a hub are resolved by drawing
/// winners.
struct CompiledNet {
    std::vector<Tokens> initial;  ///< per place
    /// Per transition; inputs from shared places come first.
    Rows<PlaceWeight> inputs, outputs, inhibitors, reads;
    Rows<Effect> effects;  ///< per transition: the places that it changes
    std::vector<std::uint8_t>
        shared;                     ///< per transition: the number of shared inputs; 255 means at least 255
    Rows<Watch> watches;            ///< per place: the conditions counted in unmet conditions
    std::vector<std::uint8_t> hub;  ///< per place

    std::vector<GroupSlot> slots;  ///< per transition
    std::vector<ConflictGroup> groups;
    std::vector<PriorityLevel>
        priority_levels;  ///< immediate before timed, then by falling priority: the order of service
    std::vector<DelayGadget> gadgets;  ///< ascending by `wait`
    CompileOptions options;            ///< of the call of compile()

    std::size_t place_count() const noexcept { return initial.size(); }
    std::size_t transition_count() const noexcept { return slots.size(); }
    std::uint32_t priority_level(std::uint32_t transition) const noexcept {
        return groups[slots[transition].group].priority_level;
    }
    /// The inputs from shared places, or all inputs if at least 255 of them are shared.
    std::span<const PlaceWeight> shared_inputs(std::uint32_t transition) const noexcept {
        const auto row = inputs[transition];
        return row.first(shared[transition] < 255 ? shared[transition] : row.size());
    }
    bool immediate(std::uint32_t transition) const noexcept {
        return priority_levels[priority_level(transition)].immediate;
    }
    bool operator==(const CompiledNet&) const = default;
};

/// Whether the net has neither immediate transitions nor priorities.
inline bool is_timed(const CompiledNet& net) {
    return net.priority_levels.size() == 1 && !net.priority_levels.front().immediate;
}

/// Throws InputError if a weight exceeds 2^31-1. O(n log n) in arcs.
CompiledNet compile(const Net& net, const CompileOptions& options = {});

/// The same for arcs by indices. O(n log n) in arcs.
CompiledNet compile(NetArcs arcs, const CompileOptions& options = {});

/// Per place, 1 if it has more than `hub_consumers` consumers that do not all belong to one sequence of
/// transitions that pass single tokens on. These places would be hubs if groups could have any size. O(arcs).
std::vector<std::uint8_t> crowded_places(const CompiledNet& net, std::uint32_t hub_consumers);

/// The memory of a compiled net.
std::size_t compiled_bytes(const CompiledNet& net);

}  // namespace warpnet

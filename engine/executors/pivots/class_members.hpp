#pragma once

#include "engine/executors/pivots/net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The *candidates* of a run, class by class: the *members* of a class. During a step some members are
/// *open*, which means that they may still fire. A member that fires leaves its class. A member that turns
/// out to be unable to fire is *closed* until the next step. Neither is drawn again in the step.
class ClassMembers {
  public:
    explicit ClassMembers(const PivotNet& pivots)
        : members_(pivots.transitions.size()),
          position_(pivots.transitions.size(), 0),
          occupied_(pivots.timed_classes.size(), 0) {
        for (const PivotClass& one : pivots.classes) classes_.push_back({one.first_member, 0, 0, 0});
    }

    /// The number of members of a class that may still fire in the current step.
    std::uint32_t open(std::uint32_t number) const noexcept { return classes_[number].open; }
    /// The open members, in the order in which they are drawn.
    std::span<const std::uint32_t> open_members(std::uint32_t number) const noexcept {
        return {members_.data() + classes_[number].first, classes_[number].open};
    }
    std::uint32_t member(std::uint32_t number, std::uint32_t rank) const noexcept {
        return members_[classes_[number].first + rank];
    }
    /// A bit per class, set if the class has members.
    const std::vector<std::uint64_t>& occupied() const noexcept { return occupied_; }

    // --- between steps, when no member is closed

    void enter(std::uint32_t number, std::uint32_t transition) noexcept {
        ClassState& one = classes_[number];
        place(one, one.waiting++, transition);
        one.open = one.waiting;
        occupied_[number / 64] |= bit(number);
    }

    // --- at any time

    void leave(std::uint32_t number, std::uint32_t transition) noexcept {
        ClassState& one = classes_[number];
        std::uint32_t at = position_[transition];
        if (at < one.open) {
            // The member may itself be the last one. This code does without a test for that case, because the
            // branch would be mispredicted.
            place(one, at, members_[one.first + --one.open]);
            at = one.open;
        }
        if (at != --one.waiting) place(one, at, members_[one.first + one.waiting]);
        occupied_[number / 64] &= ~(std::uint64_t{one.waiting == 0 ? 1U : 0U} << number % 64);
    }

    // --- during a step

    void close(std::uint32_t number, std::uint32_t transition) {
        ClassState& one = classes_[number];
        const std::uint32_t at = position_[transition];
        closed_.push_back({number, transition, at});
        const std::uint32_t last = --one.open;
        if (at != last) place(one, at, members_[one.first + last]);
        place(one, last, transition);
    }
    /// Reopens all closed members.
    void open_all() noexcept {
        for (const Closed& one : closed_) classes_[one.number].open = classes_[one.number].waiting;
        closed_.clear();
    }
    /// Takes back a leave(): the latest one, of a member that was open.
    void undo_leave(std::uint32_t number, std::uint32_t transition) noexcept {
        ClassState& one = classes_[number];
        const std::uint32_t at = position_[transition], open = one.open++, waiting = one.waiting++;
        if (open != waiting) place(one, waiting, members_[one.first + open]);
        if (at != open) place(one, open, members_[one.first + at]);
        place(one, at, transition);
        occupied_[number / 64] |= bit(number);
    }
    /// Reopens the member that was closed last.
    void undo_close() noexcept {
        const auto [number, transition, at] = closed_.back();
        closed_.pop_back();
        ClassState& one = classes_[number];
        const std::uint32_t open = one.open++;
        if (at != open) place(one, open, members_[one.first + at]);
        place(one, at, transition);
    }

    /// Whether both have the same members in the same order.
    bool operator==(const ClassMembers& other) const noexcept {
        for (std::uint32_t number = 0; number < classes_.size(); ++number) {
            const auto mine = open_members(number), theirs = other.open_members(number);
            if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end())) return false;
        }
        return true;
    }

  private:
    struct ClassState {
        std::uint32_t first, waiting, open;  // the open members come first
        std::uint32_t unused = 0;            // pads the size to a power of two, which makes indexing faster
    };
    struct Closed {
        std::uint32_t number, transition, at;
    };

    static std::uint64_t bit(std::uint32_t number) noexcept { return std::uint64_t{1} << (number % 64); }
    void place(const ClassState& one, std::uint32_t at, std::uint32_t transition) noexcept {
        members_[one.first + at] = transition;
        position_[transition] = at;
    }

    std::vector<ClassState> classes_;
    std::vector<std::uint32_t> members_;   // the members of each class, from first_member on
    std::vector<std::uint32_t> position_;  // per transition: its current or last position in its class
    std::vector<std::uint64_t> occupied_;
    std::vector<Closed> closed_;  // in the current step
};

}  // namespace warpnet

#pragma once

#include "engine/executors/pivots/net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Which transitions are *candidates*, class by class: the *members* of a class. In a step some of them are
/// *open*: they may still fire. Those who do, or turn out to be unable to, are not drawn again: they leave,
/// or are *closed* until the next step.
class ClassMembers {
  public:
    explicit ClassMembers(const PivotNet& pivots)
        : members_(pivots.transitions.size()),
          position_(pivots.transitions.size(), 0),
          occupied_(pivots.timed_classes.size(), 0) {
        for (const PivotClass& one : pivots.classes) classes_.push_back({one.first_member, 0, 0, 0});
    }

    /// How many members of a class may still fire in the step at hand.
    std::uint32_t open(std::uint32_t number) const noexcept { return classes_[number].open; }
    /// All of them, in the order in which they are drawn.
    std::span<const std::uint32_t> open_members(std::uint32_t number) const noexcept {
        return {members_.data() + classes_[number].first, classes_[number].open};
    }
    std::uint32_t member(std::uint32_t number, std::uint32_t rank) const noexcept {
        return members_[classes_[number].first + rank];
    }
    /// A bit per class: it has members.
    const std::vector<std::uint64_t>& occupied() const noexcept { return occupied_; }

    // --- between steps, when nobody is closed

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
            // It may be the last of them itself: a branch would be guessed wrong.
            place(one, at, members_[one.first + --one.open]);
            at = one.open;
        }
        if (at != --one.waiting) place(one, at, members_[one.first + one.waiting]);
        occupied_[number / 64] &= ~(std::uint64_t{one.waiting == 0 ? 1U : 0U} << number % 64);
    }

    // --- in a step

    void close(std::uint32_t number, std::uint32_t transition) {
        ClassState& one = classes_[number];
        const std::uint32_t at = position_[transition];
        closed_.push_back({number, transition, at});
        const std::uint32_t last = --one.open;
        if (at != last) place(one, at, members_[one.first + last]);
        place(one, last, transition);
    }
    /// Nobody is closed any more.
    void open_all() noexcept {
        for (const Closed& one : closed_) classes_[one.number].open = classes_[one.number].waiting;
        closed_.clear();
    }
    /// One that was open has left last: takes it back.
    void undo_leave(std::uint32_t number, std::uint32_t transition) noexcept {
        ClassState& one = classes_[number];
        const std::uint32_t at = position_[transition], open = one.open++, waiting = one.waiting++;
        if (open != waiting) place(one, waiting, members_[one.first + open]);
        if (at != open) place(one, open, members_[one.first + at]);
        place(one, at, transition);
        occupied_[number / 64] |= bit(number);
    }
    /// Opens the one that was closed last.
    void undo_close() noexcept {
        const auto [number, transition, at] = closed_.back();
        closed_.pop_back();
        ClassState& one = classes_[number];
        const std::uint32_t open = one.open++;
        if (at != open) place(one, open, members_[one.first + at]);
        place(one, at, transition);
    }

    /// Whether the same members wait in the same order.
    bool operator==(const ClassMembers& other) const noexcept {
        for (std::uint32_t number = 0; number < classes_.size(); ++number) {
            const auto mine = open_members(number), theirs = other.open_members(number);
            if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end())) return false;
        }
        return true;
    }

  private:
    struct ClassState {
        std::uint32_t first, waiting, open;  // the open ones are the first of those who wait
        std::uint32_t unused = 0;            // a power of two in size is found faster
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
    std::vector<std::uint32_t> members_;   // those of each class from its first on
    std::vector<std::uint32_t> position_;  // per transition: where it stands, or stood, in its class
    std::vector<std::uint64_t> occupied_;
    std::vector<Closed> closed_;  // in the step at hand
};

}  // namespace warpnet

// The members that may fire in a step, compared with lists of them.

#include "engine/base/random.hpp"
#include "engine/executors/pivots/state.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr std::uint32_t transitions = 40, classes = 5;

std::uint32_t class_of(std::uint32_t transition) { return transition % classes; }

PivotNet net_of_classes() {
    PivotNet net;
    net.transitions.resize(transitions);
    net.timed_classes = {(std::uint64_t{1} << classes) - 1};
    for (std::uint32_t number = 0; number < classes; ++number)
        net.classes.push_back({.first_member = number * transitions / classes});
    return net;
}

/// Two representations of the members that wait and of the open members.
class BothMembers {
  public:
    explicit BothMembers(std::uint64_t seed) : random_(seed, 52), members_(net_of_classes()) {}

    void change_between_steps() {
        members_.open_all();
        open_ = waiting_;
        for (std::uint32_t i = random_.below(20); i > 0; --i) {
            const std::uint32_t t = random_.below(transitions);
            if (waiting_.insert(t).second) {
                members_.enter(class_of(t), t);
            } else {
                members_.leave(class_of(t), t);
                waiting_.erase(t);
            }
            open_ = waiting_;
        }
    }
    /// Some open members leave or are closed. Returns them in this order, with whether they left.
    std::vector<std::pair<std::uint32_t, bool>> change_in_step() {
        std::vector<std::pair<std::uint32_t, bool>> changes;
        for (std::uint32_t i = random_.below(20); i > 0 && !open_.empty(); --i) {
            const std::uint32_t number = class_of(*std::next(open_.begin(), random_.below(size(open_))));
            const std::uint32_t t = members_.member(number, random_.below(members_.open(number)));
            const bool leaves = random_.below(2) == 0;
            open_.erase(t);
            if (leaves) {
                members_.leave(number, t);
                waiting_.erase(t);
            } else {
                members_.close(number, t);
            }
            changes.emplace_back(t, leaves);
        }
        return changes;
    }
    /// A closed member leaves.
    void leave_closed() {
        for (const std::uint32_t t : std::set(waiting_)) {
            if (open_.contains(t) || random_.below(3) != 0) continue;
            members_.leave(class_of(t), t);
            waiting_.erase(t);
        }
    }
    void undo(const std::vector<std::pair<std::uint32_t, bool>>& changes) {
        for (auto one = changes.rbegin(); one != changes.rend(); ++one) {
            const auto [t, left] = *one;
            if (left) {
                members_.undo_leave(class_of(t), t);
            } else {
                members_.undo_close();
            }
            waiting_.insert(t);
            open_.insert(t);
        }
    }

    bool agree() const {
        for (std::uint32_t number = 0; number < classes; ++number) {
            const auto open = members_.open_members(number);
            const auto of_class = [&](std::uint32_t t) { return class_of(t) == number; };
            if (std::set<std::uint32_t>(open.begin(), open.end()).size() != open.size() ||
                std::count_if(open_.begin(), open_.end(), of_class) != static_cast<long>(open.size()) ||
                !std::all_of(open.begin(), open.end(), [&](std::uint32_t t) { return open_.contains(t); }) ||
                (members_.occupied()[0] >> number & 1) !=
                    (std::any_of(waiting_.begin(), waiting_.end(), of_class) ? 1U : 0U))
                return false;
        }
        return true;
    }
    const ClassMembers& members() const { return members_; }

  private:
    static std::uint32_t size(const std::set<std::uint32_t>& some) {
        return static_cast<std::uint32_t>(some.size());
    }

    CounterRandom random_;
    ClassMembers members_;
    std::set<std::uint32_t> waiting_, open_;
};

}  // namespace

TEST_CASE("class members: members that wait and members that may still fire in a step") {
    for (std::uint64_t seed = 0; seed < case_count(100); ++seed) {
        BothMembers both(seed);
        bool right = true;
        for (int step = 0; step < 20; ++step) {
            both.change_between_steps();
            right &= both.agree();
            both.change_in_step();
            right &= both.agree();
            both.leave_closed();
            right &= both.agree();
        }
        CAPTURE(seed);
        CHECK(right);
    }
}

TEST_CASE("class members: a step that is undone leaves all in the order it was in") {
    std::uint64_t undone = 0;
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        BothMembers both(seed);
        bool right = true;
        for (int step = 0; step < 10; ++step) {
            both.change_between_steps();
            const ClassMembers before = both.members();
            const auto changes = both.change_in_step();
            both.undo(changes);
            right &= both.agree() && both.members() == before;
            undone += changes.size();
        }
        CAPTURE(seed);
        CHECK(right);
    }
    CHECK(undone >= least_count(10'000));
}

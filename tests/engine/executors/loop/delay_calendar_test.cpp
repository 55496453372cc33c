#include "engine/base/random.hpp"
#include "engine/executors/loop/running_delays.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/executor_checks.hpp"
#include "tests/support/sample_nets.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Due = std::map<std::uint32_t, std::uint64_t>;

// The bits of a timing wheel, compared with an ordered set of steps.

TEST_CASE("busy slots: sizes are powers of two, 64 or more") {
    CHECK(BusySlots(1).size() == 64);
    CHECK(BusySlots(64).size() == 64);
    CHECK(BusySlots(65).size() == 128);
    CHECK(BusySlots(1000).size() == 1024);
}

TEST_CASE("busy slots: the next step is the least that was marked") {
    for (const std::uint64_t size : {std::uint64_t{64}, std::uint64_t{128}, std::uint64_t{1024}}) {
        CounterRandom random(size, 1);
        BusySlots slots(size);
        std::set<std::uint64_t> marked;
        std::uint64_t now = 1'000'003;
        for (int round = 0; round < 3000; ++round) {
            CAPTURE(size, round);
            const std::uint64_t step = now + random.below(static_cast<std::uint32_t>(size));
            slots.mark(step);
            marked.insert(step);
            REQUIRE(slots.next(now) == *marked.begin());
            REQUIRE(slots.is_busy(step));
            if (random.below(3) == 0) continue;
            now = *marked.begin();
            slots.clear(now);
            marked.erase(now);
            REQUIRE(!slots.is_busy(now));
            ++now;
        }
        std::set<std::uint64_t> left, expected;
        for (const std::uint64_t step : marked) expected.insert(slots.slot(step));
        slots.clear_all([&](std::uint64_t slot) { left.insert(slot); });
        CHECK(left == expected);
        for (std::uint64_t step = now; step < now + size; ++step) REQUIRE(!slots.is_busy(step));
    }
}

// The timing wheel of delays, compared with a sorted list, with delays longer than the wheel.

namespace {

constexpr std::uint32_t gadgets = 40;

/// The ends of gadgets, in the plainest way.

std::uint64_t next_of(const Due& due) {
    std::uint64_t next = DelayCalendar::nothing_due;
    for (const auto& [gadget, step] : due) next = std::min(next, step);
    return next;
}

std::vector<std::uint32_t> ending(const Due& due, std::uint64_t step) {
    std::vector<std::uint32_t> result;
    for (const auto& [gadget, at] : due) {
        if (at == step) result.push_back(gadget);
    }
    return result;
}

/// In every step some gadgets begin and some are cancelled, with delays shorter and longer than the wheel's
/// 1024 slots.
void compare_for(std::uint64_t seed, std::uint64_t steps) {
    CounterRandom random(seed, 5);
    DelayCalendar calendar(gadgets);
    Due due;
    for (std::uint64_t now = 0; now < steps;) {
        for (std::uint32_t changes = random.below(4); changes > 0; --changes) {
            const std::uint32_t gadget = random.below(gadgets);
            if (due.contains(gadget)) {
                if (random.below(3) > 0) continue;
                calendar.cancel(gadget, due[gadget]);
                due.erase(gadget);
            } else {
                constexpr std::uint64_t turn = 1024;
                const std::uint64_t turns = random.below(3), near = random.below(4);
                const std::uint64_t delay = turns * turn + (random.below(2) == 0 ? near : random.below(turn));
                due[gadget] = now + std::max<std::uint64_t>(delay, 1);
                calendar.schedule(gadget, due[gadget], now);
            }
        }
        REQUIRE(calendar.next_due(now) == next_of(due));
        const std::uint64_t stop = now + 1 + random.below(40);
        now = std::min(stop, next_of(due));
        std::vector<std::uint32_t> ended;
        calendar.take_due(now, [&](std::uint32_t gadget) { ended.push_back(gadget); });
        std::sort(ended.begin(), ended.end());
        REQUIRE(ended == ending(due, now));
        for (const std::uint32_t gadget : ended) due.erase(gadget);
    }
}

/// A delay of so many steps that is entered at once, and again after another delay of `second` steps.
Net entered_twice(Tokens length, Tokens second) {
    NetBuilder net;
    const auto add_delay = [&](const std::string& id, Tokens steps, Tokens waiting) {
        const PlaceId wait = net.add_place(id + "_wait", waiting),
                      timer = net.add_place(id + "_timer", steps - 1);
        const TransitionId tick = net.add_transition(id + "_tick"), done = net.add_transition(id + "_done");
        add_delay_arcs(net, wait, timer, tick, done, steps);
        return std::pair(wait, done);
    };
    const auto [long_wait, long_done] = add_delay("long", length, 1);
    const auto [short_wait, short_done] = add_delay("short", second, 1);
    const auto [other_wait, other_done] = add_delay("other", length + 1, 1);
    net.add_output(short_done, long_wait);
    net.add_output(long_done, net.add_place("ended"));
    net.add_output(other_done, net.add_place("ended_too"));
    return net.build();
}

}  // namespace

TEST_CASE("the calendar of delays says what a sorted list says") {
    for (std::uint64_t seed = 0; seed < case_count(200); ++seed) {
        CAPTURE(seed);
        compare_for(seed, 6000);
    }
}

TEST_CASE("a cancelled delay does not end, however far it is") {
    for (const auto delay : std::initializer_list<std::uint64_t>{1, 5, 1023, 1024, 1029, 2048, 100'000}) {
        CAPTURE(delay);
        DelayCalendar calendar(4);
        calendar.schedule(0, delay + 3, 3);
        calendar.schedule(1, delay + 3, 3);  // in the same slot
        calendar.schedule(2, 8, 3);          // and 1029 steps later in the same slot as gadget 1
        calendar.schedule(3, 200'000, 3);
        calendar.cancel(0, delay + 3);
        std::vector<std::uint32_t> ended;
        for (std::uint64_t now = 3; (now = calendar.next_due(now)) < 150'000;)
            calendar.take_due(now, [&](std::uint32_t gadget) { ended.push_back(gadget); });
        std::sort(ended.begin(), ended.end());
        CHECK(ended == std::vector<std::uint32_t>{1, 2});
        CHECK(calendar.next_due(150'000) == 200'000);
    }
}

TEST_CASE("a second token in a long delay that is skipped") {
    for (const Tokens length : {30, 1023, 1024, 1500}) {
        const Net net = entered_twice(length, 20);
        const Plan planned = plan(compile(net), {}, {.modules = false});
        for (const auto steps : std::initializer_list<std::uint64_t>{19, 21, 500, 1022, 1024, 1400, 5000}) {
            RunOptions options;
            options.policy = Policy::first;
            options.count_firings = true;
            options.max_steps = steps;
            CAPTURE(length, steps);
            check_against_reference(net, planned, options);
        }
    }
}

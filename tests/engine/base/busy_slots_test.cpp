// The bits of a timing wheel against an ordered set of steps.

#include "engine/base/busy_slots.hpp"

#include "engine/base/random.hpp"

#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;

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

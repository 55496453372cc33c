#include "engine/base/random.hpp"

#include "engine/base/bits.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// Checks the remainders of draws below 3 * 2^30 modulo 3. A draw uses a number below 2^32, and must reject a
/// quarter of them. Draws that reject none would be multiples of 3 in half of the cases, and draws that
/// reject at most once in three of eight cases.
template <class Draws>
void check_remainders(Draws draws) {
    constexpr std::uint32_t bound = 3U << 30;
    constexpr int tries = 30'000;
    std::array<int, 3> seen{};
    for (int i = 0; i < tries; ++i) {
        const std::uint32_t drawn = draws.below(bound);
        REQUIRE(drawn < bound);
        ++seen[drawn % 3];
    }
    const double deviation = std::sqrt(tries * (1.0 / 3) * (2.0 / 3));
    for (const int count : seen) CHECK(std::abs(count - tries / 3) < 4 * deviation);
}

}  // namespace

TEST_CASE("draws below a bound that does not divide 2^32 are uniform") {
    check_remainders(CounterRandom(1, 1));
    check_remainders(HalfDraws(CounterRandom(1, 2)));
}

TEST_CASE("draws reject exactly the numbers that would make some results more probable") {
    // Two neighbouring numbers have the same result; the even one must be rejected.
    constexpr std::uint32_t bound = (1U << 31) + 1;
    const auto draw = [](std::uint64_t first, std::uint64_t second) {
        bool again = false;
        return uniform_below(bound, [&] { return std::exchange(again, true) ? second : first; });
    };
    constexpr std::uint64_t other = 5;
    const std::uint32_t of_other = draw(other, 0);
    std::uint32_t taken = 0;
    for (std::uint64_t number = 1000; number < 2000; ++number) {
        const auto low = static_cast<std::uint32_t>(number * bound);
        const bool rejected = low < (std::uint64_t{1} << 32) % bound;
        CAPTURE(number);
        CHECK(draw(number, other) ==
              (rejected ? of_other : static_cast<std::uint32_t>(number * bound >> 32)));
        taken += rejected ? 0 : 1;
    }
    CHECK(taken > 300);
    CHECK(taken < 700);
    CHECK(draw(0, other) == of_other);
    CHECK(draw(1, other) == 0);
}

TEST_CASE("two half draws come out of one number, the high half first") {
    CounterRandom numbers(7, 3);
    HalfDraws halves{numbers};
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t number = numbers.next();
        CHECK(halves.below(1U << 31) == number >> 33);
        CHECK(halves.below(1U << 31) == (number & 0xffffffff) >> 1);
    }
}

TEST_CASE("bits: counted and selected as one by one") {
    CounterRandom random(1, 0);
    for (int i = 0; i < 2000; ++i) {
        std::uint64_t word = random.next();
        for (std::uint32_t thinned = random.below(6); thinned > 0; --thinned) word &= random.next();
        if (random.below(4) == 0) word = ~word;
        REQUIRE(count_bits(word) == static_cast<unsigned>(std::popcount(word)));
        unsigned rank = 0;
        for_each_bit(word, [&](std::uint32_t bit) { REQUIRE(select_bit(word, rank++) == bit); });
        REQUIRE(rank == count_bits(word));
    }
    CHECK(count_bits(0) == 0);
    CHECK(count_bits(~std::uint64_t{0}) == 64);
}

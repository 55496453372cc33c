#include "engine/base/bits.hpp"

#include "engine/base/random.hpp"

#include <bit>

#include <catch2/catch.hpp>

using namespace warpnet;

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

#include "analysis/worst/kernel/state_space.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("multiset space: ranks and states correspond, and a step forward adds its gain") {
    const auto space = worst::MultisetSpace::create(4, 5);
    REQUIRE(space.has_value());
    CHECK(space->size() == 126);  // C(9, 4)
    std::vector<int> positions(4);
    for (worst::StateNumber rank = 0; rank < space->size(); ++rank) {
        space->unrank(rank, positions);
        CHECK(std::ranges::is_sorted(positions));
        CHECK(space->rank(positions) == rank);
        for (std::size_t j = 0; j < 4; ++j) {
            std::vector<int> after = positions;
            if (++after[j] > 5 || !std::ranges::is_sorted(after)) continue;
            CHECK(space->rank(after) == rank + space->gain(positions[j], static_cast<int>(j)));
        }
    }
    CHECK(!worst::MultisetSpace::create(64, 25));  // C(89, 25) needs 73 bits
    CHECK(worst::MultisetSpaceOf<worst::WideStateNumber>::create(64, 25));
}

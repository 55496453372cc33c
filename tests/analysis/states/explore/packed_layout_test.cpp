#include "analysis/states/explore/packed_layout.hpp"

#include "engine/base/random.hpp"
#include "tests/support/case_count.hpp"

#include <numeric>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Tokens random_tokens(CounterRandom& random, unsigned bits) {
    const auto any = static_cast<Tokens>(random.next() >> (64 - bits));
    const std::uint32_t kind = random.below(4);
    const auto most = static_cast<Tokens>((states::Word{1} << bits) - 1);
    return kind == 0 ? 0 : kind == 1 ? most : any;
}

}  // namespace

TEST_CASE("markings survive packing, and their totals and maxima are right") {
    for (std::uint64_t seed = 1; seed <= case_count(3000); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        std::vector<std::uint8_t> bits(random.below(40));
        const bool narrow = random.below(2) == 0;
        for (std::uint8_t& width : bits) width = static_cast<std::uint8_t>(1 + random.below(narrow ? 4 : 63));
        const states::PackedLayout layout(bits);
        std::vector<states::Word> packed(layout.words()), maxima(layout.words());
        Marking most(bits.size(), 0), unpacked(bits.size());
        for (int i = 0; i < 5; ++i) {
            Marking marking(bits.size());
            for (std::size_t p = 0; p < bits.size(); ++p) {
                marking[p] = random_tokens(random, bits[p]);
                most[p] = std::max(most[p], marking[p]);
            }
            REQUIRE(layout.pack(marking, packed.data()));
            layout.unpack(packed.data(), unpacked);
            REQUIRE(unpacked == marking);
            layout.raise(maxima.data(), packed.data());
            layout.unpack(maxima.data(), unpacked);
            REQUIRE(unpacked == most);
            const double total = std::accumulate(marking.begin(), marking.end(), 0.0);
            if (total < 1e19) {
                std::uint64_t exact = 0;
                for (const Tokens tokens : marking) exact += static_cast<std::uint64_t>(tokens);
                if (total < 1.8e19) REQUIRE(layout.total(packed.data()) == exact);
            } else if (total > 1.9e19) {
                REQUIRE(layout.total(packed.data()) == ~std::uint64_t{0});
            }
        }
    }
}

TEST_CASE("a marking that is too large for its fields is noticed") {
    const states::PackedLayout layout({1, 3, 63});
    std::vector<states::Word> packed(layout.words());
    CHECK(layout.pack(Marking{1, 7, max_tokens}, packed.data()));
    CHECK_FALSE(layout.pack(Marking{2, 7, 0}, packed.data()));
    CHECK_FALSE(layout.pack(Marking{0, 8, 0}, packed.data()));
}

TEST_CASE("fields of one bit fill words without a gap") {
    CHECK(states::PackedLayout(std::vector<std::uint8_t>(64, 1)).words() == 1);
    CHECK(states::PackedLayout(std::vector<std::uint8_t>(65, 1)).words() == 2);
    CHECK(states::PackedLayout({}).words() == 1);
}

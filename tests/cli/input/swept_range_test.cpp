#include "cli/input/swept_range.hpp"

#include "cli/input/command.hpp"

#include <numeric>

#include <catch2/catch.hpp>

using namespace warpnet::cli;

namespace {

using Values = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a range is every number, every so many, or powers of a factor") {
    CHECK(find_swept_range({"warps", "--warps", "1..4"}).values == Values{1, 2, 3, 4});
    CHECK(find_swept_range({"warps", "--warps", "7..7"}).values == Values{7});
    CHECK(find_swept_range({"warps", "--arith", "0..10..5"}).values == Values{0, 5, 10});
    CHECK(find_swept_range({"warps", "--arith", "0..9..5"}).values == Values{0, 5});
    CHECK(find_swept_range({"warps", "--arith", "3..50..x4"}).values == Values{3, 12, 48});
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(find_swept_range({"--a", "9223372036854775806..9223372036854775807"}).values ==
          Values{most - 1, most});
    CHECK(find_swept_range({"--a", "1..9223372036854775807..x4611686018427387904"}).values ==
          Values{1, most / 2 + 1});
    Values thousands(10'000);
    std::iota(thousands.begin(), thousands.end(), 1);
    CHECK(find_swept_range({"--a", "1..10000"}).values == thousands);
}

TEST_CASE("a range stands for a flag's value, or for an item of its list") {
    const SweptRange own = find_swept_range({"kernel", "--warps", "2..3", "--string", "LC"});
    CHECK(own.name == "warps");
    CHECK(own.with(3) == Words{"kernel", "--warps", "3", "--string", "LC"});
    const SweptRange joined = find_swept_range({"warps", "--warps=2..3"});
    CHECK(joined.name == "warps");
    CHECK(joined.with(2) == Words{"warps", "--warps=2"});
    const SweptRange item = find_swept_range({"kernel", "--units", "C=4,L=1..20,S=2"});
    CHECK(item.name == "units L");
    CHECK(item.with(17) == Words{"kernel", "--units", "C=4,L=17,S=2"});
    const SweptRange joined_item = find_swept_range({"kernel", "--units=C=1..2,L=1"});
    CHECK(joined_item.name == "units C");
    CHECK(joined_item.with(2) == Words{"kernel", "--units=C=2,L=1"});
    const SweptRange counts = find_swept_range({"warps", "--warp", "5,1..2,3"});
    CHECK(counts.name == "warp");
    CHECK(counts.with(2) == Words{"warps", "--warp", "5,2,3"});
}

TEST_CASE("names of files are no ranges") {
    CHECK(find_swept_range({"cfg", "../1..2/kernel.json", "--units", "1..2"}).name == "units");
    CHECK_THROWS_AS(find_swept_range({"cfg", "../kernel.json", "--units", "2"}), UsageError);
}

TEST_CASE("a range with another sign is shown in its form") {
    const auto message = [](const std::string& argument) -> std::string {
        try {
            find_swept_range({"warps", "--warps", argument});
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(message("1-8"), Catch::EndsWith("found none; '1-8' is written 1..8"));
    CHECK_THAT(message("C=1:8"), Catch::EndsWith("; '1:8' is written 1..8"));
    CHECK_THAT(message("1...8"), Catch::EndsWith("; '1...8' is written 1..8"));
    for (const char* other : {"8", "1-", "-8", "1x8", "1-2-3", "2026-11-28.csv"})
        CHECK_THAT(message(other), Catch::EndsWith("found none"));
    for (const char* faulty : {"1..a", "a..2", "1..4..", "1.5..2", "-1..4"}) {
        CHECK_THAT(message(faulty),
                   Catch::EndsWith("found '" + std::string(faulty) +
                                   "'; write A..B, A..B..STEP or A..B..xFACTOR with whole numbers"));
        CHECK_THAT(message("C=" + std::string(faulty) + ",L=1"),
                   Catch::Contains("found '" + std::string(faulty) + "'; write"));
    }
    for (const char* file : {"../2", "a..b", "..", "2/../k.json"})
        CHECK_THAT(message(file), Catch::EndsWith("found none"));
}

TEST_CASE("what cannot be swept is refused") {
    const auto refused = [](const char* range) {
        CAPTURE(range);
        CHECK_THROWS_AS(find_swept_range({"warps", "--warps", range}), UsageError);
    };
    for (const char* range :
         {"4", "4..3", "1..4..0", "1..4..x1", "0..4..x2", "1..10001", "0..9223372036854775807"})
        refused(range);
    for (const char* range : {"-1..4", "1...4", "1..b", "a..2", "1..4..", "1..4..x", "1..2..3..4", "1.5..2"})
        refused(range);
    CHECK_THROWS_AS(find_swept_range({"warps", "--warps", "1..2", "--arith", "1..2"}), UsageError);
    CHECK_THROWS_AS(find_swept_range({"warps", "--warp", "1..2,1..2,1"}), UsageError);
}

#include "analysis/linear/linear_program.hpp"

#include "engine/base/random.hpp"

#include <algorithm>
#include <optional>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("linear program: a bound is that of fractions, rounded down") {
    // 2x + 3y <= 12, 2x + y <= 7: the best of x + y is 2.25 + 2.5 = 4.75.
    LinearProgram program;
    const auto first = program.add_row(LinearProgram::Sense::at_most, 12);
    const auto second = program.add_row(LinearProgram::Sense::at_most, 7);
    const auto x = program.add_column(1), y = program.add_column(1);
    program.add_entry(first, x, 2);
    program.add_entry(first, y, 2);
    program.add_entry(first, y, 1);  // entries add up
    program.add_entry(second, x, 2);
    program.add_entry(second, y, 1);
    const CertifiedMaximum result = certified_maximum(program, 100);
    CHECK(result.status == BoundStatus::bounded);
    CHECK(result.value == 4);
}

TEST_CASE("linear program: without a maximum, and without a solution") {
    LinearProgram unbounded;
    unbounded.add_entry(unbounded.add_row(LinearProgram::Sense::at_most, 1), unbounded.add_column(1), -1);
    CHECK(certified_maximum(unbounded).status == BoundStatus::unbounded);
    LinearProgram infeasible;
    infeasible.add_entry(infeasible.add_row(LinearProgram::Sense::equal, -1), infeasible.add_column(1), 1);
    CHECK(certified_maximum(infeasible).status == BoundStatus::infeasible);
}

TEST_CASE("linear program: no whole solution of a random program exceeds the bound") {
    std::size_t tight = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        constexpr int most = 6;  // of each column
        LinearProgram program;
        std::int64_t objective[3], side[3], entry[3][3];
        for (int c = 0; c < 3; ++c) {
            objective[c] = static_cast<std::int64_t>(random.below(9)) - 2;
            program.add_column(objective[c]);
        }
        for (int r = 0; r < 3; ++r) {
            side[r] = random.below(20);
            const auto row = program.add_row(LinearProgram::Sense::at_most, side[r]);
            for (std::uint32_t c = 0; c < 3; ++c) {
                entry[r][c] = static_cast<std::int64_t>(random.below(6)) - 1;
                program.add_entry(row, c, entry[r][c]);
            }
        }
        for (std::uint32_t c = 0; c < 3; ++c) {
            const auto row = program.add_row(LinearProgram::Sense::at_most, most);
            program.add_entry(row, c, 1);
        }
        std::int64_t best = 0;
        for (int x = 0; x <= most; ++x) {
            for (int y = 0; y <= most; ++y) {
                for (int z = 0; z <= most; ++z) {
                    const bool fits =
                        std::all_of(std::begin(entry), std::end(entry), [&, r = 0](const auto& row) mutable {
                            return row[0] * x + row[1] * y + row[2] * z <= side[r++];
                        });
                    if (fits) best = std::max(best, objective[0] * x + objective[1] * y + objective[2] * z);
                }
            }
        }
        const CertifiedMaximum result = certified_maximum(program, 3 * most);
        REQUIRE(result.status == BoundStatus::bounded);
        CHECK(result.value >= best);
        if (result.value == best) ++tight;
    }
    CHECK(tight > 150);
}

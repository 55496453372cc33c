#include "analysis/states/linear/linear_program.hpp"

#include "analysis/states/linear/interior_points.hpp"
#include "engine/base/random.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("linear program: a bound is that of fractions, rounded down") {
    // 2x + 3y <= 12, 2x + y <= 7: the maximum of x + y is 2.25 + 2.5 = 4.75.
    states::LinearProgram program;
    const auto first = program.add_row(states::LinearProgram::Sense::at_most, 12);
    const auto second = program.add_row(states::LinearProgram::Sense::at_most, 7);
    const auto x = program.add_column(1), y = program.add_column(1);
    program.add_entry(first, x, 2);
    program.add_entry(first, y, 2);
    program.add_entry(first, y, 1);  // entries add up
    program.add_entry(second, x, 2);
    program.add_entry(second, y, 1);
    const states::CertifiedMaximum result = states::certified_maximum(program, 100);
    CHECK(result.status == states::BoundStatus::bounded);
    CHECK(result.value == 4);
}

TEST_CASE("linear program: without a maximum, and without a solution") {
    states::LinearProgram unbounded;
    unbounded.add_entry(unbounded.add_row(states::LinearProgram::Sense::at_most, 1), unbounded.add_column(1),
                        -1);
    CHECK(states::certified_maximum(unbounded).status == states::BoundStatus::unbounded);
    states::LinearProgram infeasible;
    infeasible.add_entry(infeasible.add_row(states::LinearProgram::Sense::equal, -1),
                         infeasible.add_column(1), 1);
    CHECK(states::certified_maximum(infeasible).status == states::BoundStatus::infeasible);
}

TEST_CASE("linear program: a simplex of several slices finds the best assignment, and ends where it must") {
    // Persons and tasks: the diagonal has the most value, and no sum of a row's and a column's price is
    // lower.
    constexpr std::uint32_t size = 60;  // 3,600 columns: the limit of the simplex method without a total
    states::LinearProgram program;
    for (std::uint32_t row = 0; row < 2 * size; ++row)
        program.add_row(states::LinearProgram::Sense::at_most, 1);
    CounterRandom random(1, 0);
    std::vector<std::int64_t> person, task;
    for (std::uint32_t i = 0; i < size; ++i) {
        person.push_back(random.below(1000));
        task.push_back(random.below(1000));
    }
    std::int64_t best = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        best += person[i] + task[i];
        for (std::uint32_t j = 0; j < size; ++j) {
            const std::int64_t less = i == j ? 0 : random.below(300);
            const auto column = program.add_column(std::max<std::int64_t>(1, person[i] + task[j] - less));
            program.add_entry(i, column, 1);
            program.add_entry(size + j, column, 1);
        }
    }
    const states::CertifiedMaximum result = states::certified_maximum(program);
    CHECK(result.status == states::BoundStatus::bounded);
    CHECK(result.value == best);
    CHECK(states::certified_maximum(program, 2 * size).value == best);  // by interior points

    const std::atomic<bool> interrupt = true;
    WorkLimits limits;
    limits.interrupt = &interrupt;
    CHECK(states::certified_maximum(program, {}, limits).status == states::BoundStatus::gave_up);
    WorkLimits late;
    late.deadline = std::chrono::steady_clock::time_point::min();
    CHECK(states::certified_maximum(program, {}, late).status == states::BoundStatus::gave_up);
    // An iteration takes 3,720 units of effort: one per row and one per column.
    CHECK(states::certified_maximum(program, {}, {.effort = 10'000}).status == states::BoundStatus::gave_up);
    CHECK(states::certified_maximum(program, {}, {.effort = 1'000'000'000}).value == best);
}

TEST_CASE("linear program: no whole solution of a random program exceeds the bound") {
    std::size_t tight = 0;
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        constexpr int most = 6;  // per column
        states::LinearProgram program;
        std::int64_t objective[3], side[3], entry[3][3];
        for (int c = 0; c < 3; ++c) {
            objective[c] = static_cast<std::int64_t>(random.below(9)) - 2;
            program.add_column(objective[c]);
        }
        for (int r = 0; r < 3; ++r) {
            side[r] = random.below(20);
            const auto row = program.add_row(states::LinearProgram::Sense::at_most, side[r]);
            for (std::uint32_t c = 0; c < 3; ++c) {
                entry[r][c] = static_cast<std::int64_t>(random.below(6)) - 1;
                program.add_entry(row, c, entry[r][c]);
            }
        }
        for (std::uint32_t c = 0; c < 3; ++c) {
            const auto row = program.add_row(states::LinearProgram::Sense::at_most, most);
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
        const states::CertifiedMaximum result = states::certified_maximum(program, 3 * most);
        REQUIRE(result.status == states::BoundStatus::bounded);
        CHECK(result.value >= best);
        if (result.value == best) ++tight;
    }
    CHECK(tight >= least_count(150));
}

namespace {

/// Shipments from sources to sinks: every source sends its whole supply, no sink exceeds its capacity.
struct Shipments {
    states::LinearProgram program;       ///< for the simplex method
    states::EqualityProgram with_slack;  ///< the same with a slack column per sink
    std::vector<std::int64_t> side;

    explicit Shipments(std::uint64_t seed) {
        CounterRandom random(seed, 3);
        const std::uint32_t sources = 2 + random.below(6), sinks = 2 + random.below(6);
        for (std::uint32_t s = 0; s < sources; ++s)
            add_row(states::LinearProgram::Sense::equal, 1 + random.below(20));
        for (std::uint32_t t = 0; t < sinks; ++t)
            add_row(states::LinearProgram::Sense::at_most, 70 + random.below(20));
        with_slack.column_begin.push_back(0);
        for (std::uint32_t s = 0; s < sources; ++s) {
            for (std::uint32_t t = 0; t < sinks; ++t) {
                const std::int64_t worth = random.below(30);
                const std::uint32_t column = program.add_column(worth);
                program.add_entry(s, column, 1);
                program.add_entry(sources + t, column, 1 + t % 3);
                add_slack_column(static_cast<double>(worth), {{s, 1}, {sources + t, 1 + t % 3}});
            }
        }
        for (std::uint32_t t = 0; t < sinks; ++t) add_slack_column(0, {{sources + t, 1}});
    }

    void add_row(states::LinearProgram::Sense sense, std::int64_t amount) {
        program.add_row(sense, amount);
        side.push_back(amount);
        with_slack.right_hand_side.push_back(static_cast<double>(amount));
    }

    void add_slack_column(double worth, const std::vector<std::pair<std::uint32_t, std::int64_t>>& entries) {
        with_slack.objective.push_back(worth);
        for (const auto& [row, value] : entries) {
            with_slack.row.push_back(static_cast<std::int32_t>(row));
            with_slack.value.push_back(static_cast<double>(value));
        }
        with_slack.column_begin.push_back(static_cast<std::int32_t>(with_slack.row.size()));
    }
};

}  // namespace

TEST_CASE("interior points: their prices prove what those of the simplex method prove") {
    for (std::uint64_t seed = 0; seed < case_count(100); ++seed) {
        CAPTURE(seed);
        const Shipments shipments(seed);
        const states::CertifiedMaximum simplex = states::certified_maximum(shipments.program, 10'000);
        REQUIRE(simplex.status == states::BoundStatus::bounded);
        const auto prices = states::interior_prices(shipments.with_slack, {.most_total = 10'000});
        REQUIRE(prices);
        CHECK_FALSE(
            states::interior_prices(shipments.with_slack, {.most_total = 10'000, .work = {.effort = 1}}));
        double by_simplex = 0, by_points = 0;
        for (std::size_t row = 0; row < shipments.side.size(); ++row) {
            by_simplex += simplex.prices[row] * static_cast<double>(shipments.side[row]);
            by_points += (*prices)[row] * static_cast<double>(shipments.side[row]);
        }
        CHECK(by_points == Approx(by_simplex).epsilon(1e-4));
    }
}

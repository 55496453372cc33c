// The algorithm of [Klashtorny24] exactly as printed, to show the errors of the printed text. The program
// does not use it.

#include "analysis/studies/split/split.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <algorithm>
#include <optional>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

// Algorithm 1, FillTables, line by line; nothing if it reads or returns an entry of t that was never
// assigned.
class PrintedTable {
  public:
    PrintedTable(const netgen::StructuredCfg& cfg, netgen::Units units, bool with_missing_line)
        : cfg_(cfg), t_(cfg.size(), Row(static_cast<std::size_t>(units) + 1)) {
        for (std::size_t j = 1; j <= static_cast<std::size_t>(units); ++j) {
            for (auto at = cfg.program_order().rbegin(); at != cfg.program_order().rend(); ++at)
                fill(*at, j, with_missing_line);
        }
    }

    std::optional<std::int64_t> time(netgen::BlockId block, std::size_t j) const {
        return t_[index(block)][j];
    }

    std::optional<std::int64_t> sum(std::span<const netgen::BlockId> blocks, std::size_t j) const {
        std::int64_t sum = 0;
        for (const netgen::BlockId block : blocks) {
            if (!time(block, j)) return std::nullopt;
            sum += *time(block, j);
        }
        return sum;
    }

  private:
    using Row = std::vector<std::optional<std::int64_t>>;

    void fill(netgen::BlockId at, std::size_t j, bool with_missing_line) {
        const netgen::CfgBlock& block = cfg_[at];
        std::optional<std::int64_t>& entry = t_[index(at)][j];
        const auto with = [&](std::size_t left, std::size_t right,
                              auto operation) -> std::optional<std::int64_t> {
            const auto l = sum(block.true_side, left);
            const auto r = sum(block.false_side, right);
            if (!l || !r) return std::nullopt;
            return block.time + operation(*l, *r);
        };
        const auto plus = [](std::int64_t l, std::int64_t r) { return l + r; };
        const auto longer = [](std::int64_t l, std::int64_t r) { return std::max(l, r); };
        if (!block.is_branch() || j == 1) {
            entry = with(1, 1, plus);
            return;
        }
        auto m = with(1, j, plus);                         // line 12
        const auto m_r = with(j, 1, plus);                 // line 14
        if (m && m_r && *m_r < *m) m = m_r;                // lines 15-16
        for (std::size_t delta = 1; delta < j; ++delta) {  // lines 18-24
            const auto split = with(delta, j - delta, longer);
            if (m && split && *split < *m) entry = m = split;
        }
        if (with_missing_line) entry = m;
    }

    const netgen::StructuredCfg& cfg_;
    std::vector<Row> t_;
};

}  // namespace

TEST_CASE("as printed, an if without else leaves its entry of the table empty") {
    CfgSketch sketch;
    const netgen::BlockId body = sketch.block(5);
    const netgen::BlockId branch = sketch.branch(1, {body}, {});
    const netgen::StructuredCfg cfg = sketch.build({branch});
    CHECK_FALSE(PrintedTable(cfg, 2, false).time(branch, 2));
    CHECK(PrintedTable(cfg, 2, true).time(branch, 2) == 6);
    CHECK(studies::best_split(cfg, 2, studies::UnitRule::paper).wcet == 6);
}

TEST_CASE("as printed, the answer forgets what follows the first join") {
    const netgen::StructuredCfg cfg = figure_2();
    const PrintedTable table(cfg, 3, true);
    CHECK(table.time(*cfg.find("b1"), 3) == 4);  // t(b1, S + 1): b1 and one of its sides
    CHECK(table.sum(cfg.root(), 3) == 13);       // the sum over the top level
}

TEST_CASE("as printed, equation (2) takes the worst division of the units") {
    // b1 {b2 | b3 {b4 | b5}} with three units: two belong to the right side. The largest of the maxima over d
    // is 1 + 21.
    CfgSketch sketch;
    const netgen::BlockId left = sketch.block(10);
    const netgen::BlockId a = sketch.block(10);
    const netgen::BlockId b = sketch.block(10);
    const netgen::BlockId inner = sketch.branch(1, {a}, {b});
    const netgen::BlockId outer = sketch.branch(1, {left}, {inner});
    const netgen::StructuredCfg cfg = sketch.build({outer});
    const studies::SplitTable table(cfg, 3, studies::UnitRule::paper);
    std::int64_t worst = 0;
    for (netgen::Units d = 1; d < 3; ++d)
        worst = std::max({worst, table.time(left, d), table.time(inner, 3 - d)});
    const std::int64_t serial = table.time(left, 1) + table.time(inner, 3);
    CHECK(1 + std::min(worst, serial) == 22);
    CHECK(table.wcet(3) == 12);
}

TEST_CASE("with its missing line, the printed algorithm is the paper's rule") {
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 20);
        const PrintedTable printed(cfg, 5, true);
        const studies::SplitTable table(cfg, 5, studies::UnitRule::paper);
        for (netgen::Units units = 1; units <= 5; ++units) {
            for (const netgen::BlockId block : cfg.program_order())
                REQUIRE(printed.time(block, static_cast<std::size_t>(units)) == table.time(block, units));
        }
    }
}

TEST_CASE("the paper's rule is not optimal: spare units serve both sides of an unsplit branch") {
    // split_test.cpp has one such graph and its sums.
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        const netgen::StructuredCfg cfg = random_cfg(seed, 30);
        const std::int64_t reuse = studies::best_split(cfg, 2, studies::UnitRule::reuse).wcet;
        const std::int64_t paper = studies::best_split(cfg, 2, studies::UnitRule::paper).wcet;
        CHECK(reuse <= paper);
        if (reuse < paper) ++better;
    }
    CHECK(better >= least_count(15));
}

// The optimum over static allotments as an integer programme that GLPK solves. It shares nothing with the
// recurrence of split.hpp: units and splits are variables, the rule for units is a set of inequalities.

#include "analysis/states/linear/glpk_problem.hpp"
#include "analysis/studies/split/pool_split.hpp"
#include "analysis/studies/split/split.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Columns of a branch: its split (0 or 1), the units of its sides, the time of all its blocks.
struct Columns {
    int splits, true_units, false_units, time;
};

class IntegerProgramme {
  public:
    IntegerProgramme(const netgen::StructuredCfg& cfg, netgen::Units units)
        : cfg_(cfg), problem_(states::make_glpk_problem()), units_(static_cast<double>(units)) {
        glp_set_obj_dir(problem_.get(), GLP_MIN);
        for (const netgen::CfgBlock& block : cfg.blocks()) whole_ += static_cast<double>(block.time);
        columns_.resize(cfg.size());
        for (const netgen::BlockId b : cfg.branches())
            columns_[index(b)] = {column(GLP_BV, 0, 1), column(GLP_IV, 1, units_), column(GLP_IV, 1, units_),
                                  column(GLP_CV, 0, whole_)};
        for (const netgen::BlockId b : cfg.root()) {
            constant_ += cfg[b].is_branch() ? 0 : static_cast<double>(cfg[b].time);
            if (!cfg[b].is_branch()) continue;
            glp_set_obj_coef(problem_.get(), columns_[index(b)].time, 1);
            add(b, 0);
        }
    }

    std::int64_t optimum() {
        if (glp_get_num_cols(problem_.get()) == 0) return std::llround(constant_);
        glp_iocp parameters;
        glp_init_iocp(&parameters);
        parameters.presolve = GLP_ON;
        parameters.msg_lev = GLP_MSG_OFF;
        REQUIRE(glp_intopt(problem_.get(), &parameters) == 0);
        REQUIRE(glp_mip_status(problem_.get()) == GLP_OPT);
        return std::llround(glp_mip_obj_val(problem_.get()) + constant_);
    }

  private:
    struct Term {
        int column;
        double factor;
    };

    int column(int kind, double least, double most) {
        const int number = glp_add_cols(problem_.get(), 1);
        glp_set_col_kind(problem_.get(), number, kind);
        glp_set_col_bnds(problem_.get(), number, least == most ? GLP_FX : GLP_DB, least, most);
        return number;
    }

    /// The sum of the terms is at least `bound`.
    void at_least(const std::vector<Term>& terms, double bound) {
        const int row = glp_add_rows(problem_.get(), 1);
        glp_set_row_bnds(problem_.get(), row, GLP_LO, bound, 0);
        std::vector<int> places = {0};
        std::vector<double> factors = {0};
        for (const Term& term : terms) {
            places.push_back(term.column);
            factors.push_back(term.factor);
        }
        glp_set_mat_row(problem_.get(), row, static_cast<int>(terms.size()), places.data(), factors.data());
    }

    /// `around`: the column of the units of the side that contains the branch; 0: all units.
    void add(netgen::BlockId b, int around) {
        const auto [splits, true_units, false_units, time] = columns_[index(b)];
        // Each side has at most the units of the branch. The sides of a split share them.
        for (const auto& own : {std::vector<int>{true_units}, {false_units}, {true_units, false_units}}) {
            std::vector<Term> terms;
            double bound = 0;
            for (const int column : own) terms.push_back({column, -1});
            if (around == 0)
                bound -= units_;
            else
                terms.push_back({around, 1});
            if (own.size() == 2) {
                terms.push_back({splits, -units_});
                bound -= units_;
            }
            at_least(terms, bound);
        }
        // The longer side of a split, otherwise both sides.
        std::vector<Term> of_true = {{time, 1}}, of_false = {{time, 1}};
        double true_time = static_cast<double>(cfg_[b].time), false_time = true_time;
        const auto side = [&](const std::vector<netgen::BlockId>& blocks, int units, std::vector<Term>& terms,
                              double& bound) {
            for (const netgen::BlockId child : blocks) {
                if (!cfg_[child].is_branch()) {
                    bound += static_cast<double>(cfg_[child].time);
                    continue;
                }
                terms.push_back({columns_[index(child)].time, -1});
                add(child, units);
            }
        };
        side(cfg_[b].true_side, true_units, of_true, true_time);
        side(cfg_[b].false_side, false_units, of_false, false_time);
        at_least(of_true, true_time);
        at_least(of_false, false_time);
        std::vector<Term> both = of_true;
        both.insert(both.end(), of_false.begin() + 1, of_false.end());
        both.push_back({splits, whole_});
        at_least(both, true_time + false_time - static_cast<double>(cfg_[b].time));
    }

    const netgen::StructuredCfg& cfg_;
    states::GlpkProblem problem_;
    const double units_;
    double whole_ = 1, constant_ = 0;
    std::vector<Columns> columns_;
};

}  // namespace

TEST_CASE("the least WCET over static allotments is that of an integer programme, on 1,000 random graphs") {
    std::uint64_t split = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1'000); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 6);
        const auto units = static_cast<netgen::Units>(2 + seed % 3);
        const studies::SplitResult best = studies::best_split(cfg, units, studies::UnitRule::reuse);
        CHECK(IntegerProgramme(cfg, units).optimum() == best.wcet);
        split += best.wcet < best.unsplit ? 1U : 0U;
    }
    CHECK(split >= least_count(500));
}

TEST_CASE("pooled units are never worse than static allotments, on 1,000 random graphs") {
    std::uint64_t better = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1'000); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 9);
        const auto units = static_cast<netgen::Units>(2 + seed % 3);
        const std::int64_t allotted = studies::best_split(cfg, units, studies::UnitRule::reuse).wcet;
        // The same with an effort that does not suffice for a proof.
        const studies::PoolSplitResult pool =
            studies::best_pool_split(cfg, units, {.evaluations = 1 + seed % 50});
        CHECK(pool.run.wcet <= allotted);
        better += pool.run.wcet < allotted ? 1U : 0U;
    }
    CHECK(better >= least_count(20));
}

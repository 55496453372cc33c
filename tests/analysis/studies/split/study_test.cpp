#include "analysis/studies/split/study.hpp"

#include "engine/net/error.hpp"
#include "netgen/cfg/generator.hpp"

#include <atomic>
#include <chrono>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("the study: only a pool beats the static optimum, and brute force meets it where it ends") {
    studies::SplitStudyOptions options;
    options.graphs = 2;
    options.random_draws = 20;
    options.brute_force_evaluations = 2000;
    options.pool_evaluations = 20;
    const studies::SplitStudy study = studies::split_study(options);
    REQUIRE(study.rows.size() == 50);
    REQUIRE(study.seconds.size() == 50);
    int complete = 0;
    for (const studies::SplitStudyRow& row : study.rows) {
        CAPTURE(row.depth, row.branches_in_sequence, row.graph_seed);
        for (const studies::SplitMethod method : studies::split_methods) {
            if (method == studies::SplitMethod::pool) continue;
            CHECK(studies::at(row.wcet, method) >= studies::at(row.wcet, studies::SplitMethod::allotted));
        }
        CHECK(studies::at(row.wcet, studies::SplitMethod::pool) <=
              studies::at(row.wcet, studies::SplitMethod::allotted));
        CHECK(studies::at(row.wcet, studies::SplitMethod::brute_force) <=
              studies::at(row.wcet, studies::SplitMethod::none));
        if (!row.brute_force_complete) continue;
        ++complete;
        CHECK(studies::at(row.wcet, studies::SplitMethod::brute_force) ==
              studies::at(row.wcet, studies::SplitMethod::allotted));
    }
    CHECK(complete > 0);
    CHECK(complete < 50);
    CHECK(studies::at(study.mean_reduction, studies::SplitMethod::allotted) == 0);
    CHECK(studies::at(study.mean_reduction, studies::SplitMethod::none) >
          at(study.mean_reduction, studies::SplitMethod::naive));

    const studies::SplitStudyRow& last = study.rows.back();
    CHECK(last.depth == 6);
    CHECK(last.branches_in_sequence == 6);
    const netgen::StructuredCfg again =
        netgen::generate_cfg({6, 6, netgen::CfgShape{}.max_time, last.graph_seed});
    CHECK(again.size() == last.blocks);
    CHECK(static_cast<double>(studies::best_split(again, 3).wcet) ==
          studies::at(last.wcet, studies::SplitMethod::allotted));
}

TEST_CASE("the study is the same on any number of threads") {
    studies::SplitStudyOptions options;
    options.random_draws = 5;
    options.brute_force_evaluations = 200;
    options.threads = 1;
    const studies::SplitStudy one = studies::split_study(options);
    options.threads = 3;
    std::uint64_t total = 0, finished = 0;
    options.progress = [&](const WorkPart& part) {
        total = part.total;
        return std::shared_ptr<void>(nullptr, [&, count = part.done](void*) { finished = *count; });
    };
    const studies::SplitStudy three = studies::split_study(options);
    CHECK(total == three.rows.size());
    CHECK(finished == total);
    CHECK(one.rows == three.rows);
    CHECK(one.mean_reduction == three.mean_reduction);
}

TEST_CASE("graphs that are given are compared like generated ones") {
    studies::SplitStudyOptions options;
    options.depths = {2, 3};
    options.random_draws = 5;
    options.brute_force_evaluations = 200;
    const studies::SplitStudy generated = studies::split_study(options);
    std::vector<studies::NamedCfg> graphs;
    for (const studies::SplitStudyRow& row : generated.rows)
        graphs.push_back({"g" + std::to_string(graphs.size()),
                          netgen::generate_cfg({row.depth, row.branches_in_sequence,
                                                netgen::CfgShape{}.max_time, row.graph_seed})});
    const studies::SplitStudy given = studies::split_study(graphs, options);
    REQUIRE(given.rows.size() == generated.rows.size());
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
        CHECK(given.rows[i].name == graphs[i].name);
        CHECK(given.rows[i].branches == generated.rows[i].branches);
        for (const studies::SplitMethod method : studies::split_methods) {
            if (method != studies::SplitMethod::random)  // its draws have another seed
                CHECK(studies::at(given.rows[i].wcet, method) == studies::at(generated.rows[i].wcet, method));
        }
    }
    CHECK(studies::at(given.mean_reduction, studies::SplitMethod::none) ==
          studies::at(generated.mean_reduction, studies::SplitMethod::none));
    CHECK(studies::split_study(std::vector<studies::NamedCfg>{}, options).rows.empty());
}

TEST_CASE("a study that is ended keeps what was finished, and says why it ended") {
    const std::atomic<bool> stop = true;
    studies::SplitStudyOptions options;
    options.limits.interrupt = &stop;
    const studies::SplitStudy interrupted = studies::split_study(options);
    CHECK(interrupted.rows.empty());
    CHECK(interrupted.end == WorkEnd::interrupted);
    options.limits = {.deadline = std::chrono::steady_clock::now()};
    options.random_draws = std::uint64_t{1} << 60;
    const studies::SplitStudy late = studies::split_study(options);
    CHECK(late.rows.empty());
    CHECK(late.end == WorkEnd::time_limit);
}

TEST_CASE("impossible studies are refused") {
    studies::SplitStudyOptions options;
    options.units = 0;
    CHECK_THROWS_AS(studies::split_study(options), InputError);
    options = {};
    options.depths = {99};
    CHECK_THROWS_AS(studies::split_study(options), InputError);
}

#include "analysis/studies/split/study.hpp"

#include "engine/net/error.hpp"
#include "netgen/cfg/generator.hpp"

#include <atomic>
#include <chrono>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("the study: only a pool beats the static optimum, and brute force meets it where it ends") {
    SplitStudyOptions options;
    options.graphs = 2;
    options.random_draws = 20;
    options.brute_force_evaluations = 2000;
    options.pool_evaluations = 20;
    const SplitStudy study = split_study(options);
    REQUIRE(study.rows.size() == 50);
    REQUIRE(study.seconds.size() == 50);
    int complete = 0;
    for (const SplitStudyRow& row : study.rows) {
        CAPTURE(row.depth, row.branches_in_sequence, row.graph_seed);
        for (const SplitMethod method : split_methods) {
            if (method == SplitMethod::pool) continue;
            CHECK(at(row.wcet, method) >= at(row.wcet, SplitMethod::allotted));
        }
        CHECK(at(row.wcet, SplitMethod::pool) <= at(row.wcet, SplitMethod::allotted));
        CHECK(at(row.wcet, SplitMethod::brute_force) <= at(row.wcet, SplitMethod::none));
        if (!row.brute_force_complete) continue;
        ++complete;
        CHECK(at(row.wcet, SplitMethod::brute_force) == at(row.wcet, SplitMethod::allotted));
    }
    CHECK(complete > 0);
    CHECK(complete < 50);
    CHECK(at(study.mean_reduction, SplitMethod::allotted) == 0);
    CHECK(at(study.mean_reduction, SplitMethod::none) > at(study.mean_reduction, SplitMethod::naive));

    const SplitStudyRow& last = study.rows.back();
    CHECK(last.depth == 6);
    CHECK(last.branches_in_sequence == 6);
    const StructuredCfg again = generate_cfg({6, 6, CfgShape{}.max_time, last.graph_seed});
    CHECK(again.size() == last.blocks);
    CHECK(static_cast<double>(best_split(again, 3).wcet) == at(last.wcet, SplitMethod::allotted));
}

TEST_CASE("the study is the same on any number of threads") {
    SplitStudyOptions options;
    options.random_draws = 5;
    options.brute_force_evaluations = 200;
    options.threads = 1;
    const SplitStudy one = split_study(options);
    options.threads = 3;
    std::uint64_t total = 0, finished = 0;
    options.progress = [&](std::uint64_t rows, const std::atomic<std::uint64_t>& count) {
        total = rows;
        return std::shared_ptr<void>(nullptr, [&](void*) { finished = count; });
    };
    const SplitStudy three = split_study(options);
    CHECK(total == three.rows.size());
    CHECK(finished == total);
    CHECK(one.rows == three.rows);
    CHECK(one.mean_reduction == three.mean_reduction);
}

TEST_CASE("graphs that are given are compared like generated ones") {
    SplitStudyOptions options;
    options.depths = {2, 3};
    options.random_draws = 5;
    options.brute_force_evaluations = 200;
    const SplitStudy generated = split_study(options);
    std::vector<NamedCfg> graphs;
    for (const SplitStudyRow& row : generated.rows)
        graphs.push_back(
            {"g" + std::to_string(graphs.size()),
             generate_cfg({row.depth, row.branches_in_sequence, CfgShape{}.max_time, row.graph_seed})});
    const SplitStudy given = split_study(graphs, options);
    REQUIRE(given.rows.size() == generated.rows.size());
    for (std::size_t i = 0; i < given.rows.size(); ++i) {
        CHECK(given.rows[i].name == graphs[i].name);
        CHECK(given.rows[i].branches == generated.rows[i].branches);
        for (const SplitMethod method : split_methods) {
            if (method != SplitMethod::random)  // whose draws have another seed
                CHECK(at(given.rows[i].wcet, method) == at(generated.rows[i].wcet, method));
        }
    }
    CHECK(at(given.mean_reduction, SplitMethod::none) == at(generated.mean_reduction, SplitMethod::none));
    CHECK(split_study(std::vector<NamedCfg>{}, options).rows.empty());
}

TEST_CASE("a study that is ended keeps what was finished, and says why it ended") {
    const std::atomic<bool> stop = true;
    SplitStudyOptions options;
    options.limits.interrupt = &stop;
    const SplitStudy interrupted = split_study(options);
    CHECK(interrupted.rows.empty());
    CHECK(interrupted.end == WorkEnd::interrupted);
    options.limits = {.deadline = std::chrono::steady_clock::now()};
    options.random_draws = std::uint64_t{1} << 60;
    const SplitStudy late = split_study(options);
    CHECK(late.rows.empty());
    CHECK(late.end == WorkEnd::time_limit);
}

TEST_CASE("impossible studies are refused") {
    SplitStudyOptions options;
    options.units = 0;
    CHECK_THROWS_AS(split_study(options), InputError);
    options = {};
    options.depths = {99};
    CHECK_THROWS_AS(split_study(options), InputError);
}

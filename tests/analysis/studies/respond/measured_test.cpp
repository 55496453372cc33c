#include "analysis/studies/respond/measured.hpp"

#include "engine/net/error.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/shared_data.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace warpnet;
using Catch::Matchers::Contains;

namespace {

constexpr netgen::Time second = 1'000'000'000;

std::string text_of(const std::filesystem::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Two kernels of 2048 threads per block and one second, each in its own stream.
netgen::ExaminerConfig two_kernels(std::int64_t blocks, std::int32_t second_priority = 0) {
    netgen::ExaminerConfig config;
    config.tasks.unit = "ns";
    for (std::uint32_t i = 0; i < 2; ++i) {
        netgen::Operation kernel;
        kernel.name = fmt::format("K{}", i + 1);
        kernel.blocks = blocks;
        kernel.threads = 2048;
        kernel.time = second;
        kernel.stream = i;
        if (i == 1) kernel.priority = second_priority;
        config.tasks.operations.push_back(kernel);
        config.benchmarks.push_back({kernel.name, {i}});
    }
    return config;
}

netgen::MeasuredLog log_of(const std::string& label, netgen::Time launched,
                           std::vector<netgen::MeasuredBlock> blocks) {
    return {label, 4096, {{"GPUSpin", launched, std::move(blocks)}}};
}

std::vector<std::string> violations(const netgen::ExaminerConfig& config,
                                    const std::vector<netgen::MeasuredLog>& logs) {
    return studies::compare_measured(config, logs).violations;
}

}  // namespace

TEST_CASE("a log of another configuration is refused") {
    const auto message = [](std::int64_t threads, std::int64_t shared, netgen::Time release) {
        netgen::ExaminerConfig config = two_kernels(1);
        config.tasks.operations[0].shared = 16384;
        config.benchmarks[0].release = second;
        netgen::MeasuredLog first = log_of("K1", 0, {{0, second, 0}});
        first.kernels[0].threads = threads;
        first.kernels[0].shared = shared;
        first.release = release;
        return testing::input_error_of(
            [&] {
                studies::compare_measured(config, {first, log_of("K2", 0, {{second, 2 * second, 0}})});
            },
            "same");
    };
    CHECK(message(2048, 16384, second + 400) == "same");
    CHECK(message(2048, 4096, second) == "same");  // words
    CHECK(message(32, 16384, second) ==
          "log of 'K1': thread_count: expected 2048 as in the configuration, found 32");
    CHECK_THAT(message(2048, 0, second), Contains("shared_memory: expected 16384"));
    CHECK_THAT(message(2048, 16384, 5 * second), Contains("release_time: expected 1000000000"));
    const auto sized = [](std::optional<double> logged) {
        netgen::ExaminerConfig config = two_kernels(1);
        config.benchmarks[0].data_size = 1024;
        netgen::MeasuredLog first = log_of("K1", 0, {{0, second, 0}});
        first.data_size = logged;
        return testing::input_error_of(
            [&] {
                studies::compare_measured(config, {first, log_of("K2", 0, {{second, 2 * second, 0}})});
            },
            "same");
    };
    CHECK(sized(1024) == "same");
    CHECK(sized({}) == "same");
    CHECK(sized(2048) == "log of 'K1': data_size: expected 1024 as in the configuration, found 2048");
}

TEST_CASE("examiner: a multikernel sleeps once the kernel before has ended") {
    const netgen::ExaminerConfig config = netgen::read_examiner_config(
        R"({"max_iterations":1,"benchmarks":[{"filename":"multikernel.so","label":"m","additional_info":[
            {"kernel_label":"A","duration":500000000,"thread_count":64,"block_count":1},
            {"kernel_label":"B","duration":500000000,"thread_count":64,"block_count":1,"delay":0.5},
            {"kernel_label":"C","duration":500000000,"thread_count":64,"block_count":1}]}]})",
        "c.json");
    const studies::RespondResult result = studies::respond(config.tasks);
    CHECK(result.operations[2].worst.start == second);  // B
    CHECK(result.operations[2].worst.completion == 3 * second / 2);
    CHECK(result.makespan == 2 * second);
    CHECK_THAT(warpnet::testing::input_error_of([&] { studies::compare_measured(config, {}); }),
               Catch::Contains("'m: sleep before B': logs cannot be compared"));
}

TEST_CASE("examiner: iterations that begin together begin when all have ended the one before") {
    netgen::ExaminerOptions options;
    options.makespan = [](const netgen::TaskSet& tasks) { return studies::respond(tasks).makespan; };
    const netgen::ExaminerConfig config = netgen::read_examiner_config(
        R"({"max_iterations":3,"sync_every_iteration":true,"benchmarks":[
            {"filename":"timer_spin.so","label":"slow","thread_count":256,"block_count":1,"additional_info":500},
            {"filename":"timer_spin.so","label":"fast","thread_count":512,"block_count":1,"additional_info":250}]})",
        "c.json", options);
    const studies::RespondResult result = studies::respond(config.tasks);
    CHECK(result.operations[4].worst.start == 500);  // fast #2
    CHECK(result.operations[5].worst.start == 1'000);
    CHECK(result.operations[5].worst.completion == 1'250);
    CHECK(result.makespan == 1'500);
}

TEST_CASE("measured: scenario 1 of the thesis on a Jetson TX2") {
    const auto folder = warpnet::testing::shared_data("measurements/tx2_scenario1");
    SKIP_WITHOUT(folder, "measurements/tx2_scenario1");
    const netgen::ExaminerConfig config =
        netgen::read_examiner_config(text_of(*folder / "rta_config.json"), "rta_config.json");
    std::vector<netgen::MeasuredLog> logs;
    for (int i = 1; i <= 4; ++i) {
        const std::string name = fmt::format("concurrent_1st_{}.json", i);
        logs.push_back(netgen::read_examiner_log(text_of(*folder / name), name));
    }
    for (const netgen::SmPolicy policy : {netgen::SmPolicy::first_fit, netgen::SmPolicy::most_free}) {
        studies::MeasuredBlockOptions options;
        options.policy = policy;
        const studies::MeasuredComparison comparison = studies::compare_measured(config, logs, options);
        // K2, K3, K4, K1: the order in the thesis.
        CHECK(comparison.launch_order == std::vector<std::uint32_t>{1, 2, 3, 0});
        std::vector<netgen::Time> predicted;
        for (const studies::OperationComparison& operation : comparison.operations)
            predicted.push_back(operation.predicted_completion / second);
        CHECK(predicted == std::vector<netgen::Time>{10, 6, 12, 11});
        CHECK(comparison.operations[1].measured_completion == 6'068'822'517);
        CHECK(comparison.max_error < 0.012);
        CHECK(comparison.max_error > 0.011);
        // The first launch took 68.6 ms; the remaining time passes until the next block starts.
        CHECK(comparison.offset == 68'618'165);
        CHECK(comparison.max_error_less_offset < 1e-4);
        CHECK(comparison.violations.empty());
        CHECK(comparison.notes.empty());
        CHECK(comparison.blocks.size() == 16);
        for (const studies::BlockComparison& block : comparison.blocks) {
            CHECK(std::abs(block.measured_start - block.predicted_start) < second / 1000);
            CHECK(std::abs(block.measured_end - block.predicted_end) < second / 1000);
        }
    }
}

TEST_CASE("measured: a log that keeps the rules") {
    const studies::MeasuredComparison comparison = studies::compare_measured(
        two_kernels(2),
        {log_of("K1", 10, {{20, second + 20, 0}, {20, second + 20, 1}}),
         log_of("K2", 15, {{second + 20, 2 * second + 20, 1}, {second + 20, 2 * second + 20, 0}})});
    CHECK(comparison.violations.empty());
    CHECK(comparison.offset == 20);
    CHECK(comparison.max_error_less_offset == 0);
}

TEST_CASE("measured: violations of the rules are named") {
    const std::vector<netgen::MeasuredBlock> both_sms = {{0, second, 0}, {0, second, 1}};
    SECTION("more threads than an SM has") {
        CHECK_THAT(violations(two_kernels(2), {log_of("K1", 0, both_sms), log_of("K2", 0, both_sms)}).at(0),
                   Contains("R2: threads of SM 0 exceeded"));
    }
    SECTION("a kernel overtakes") {
        const auto found = violations(
            two_kernels(2), {log_of("K1", 0, {{0, second, 0}, {second, 2 * second, 1}}),
                             log_of("K2", second / 10, {{second / 5, second, 1}, {second, 2 * second, 0}})});
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0], Contains("X1: 'K2' starts at 0.2"));
    }
    SECTION("a lower priority goes first") {
        const auto found = violations(
            two_kernels(2, 1), {log_of("K1", 0, {{second, 2 * second, 0}, {second, 2 * second, 1}}),
                                log_of("K2", 0, {{2 * second, 3 * second, 0}, {2 * second, 3 * second, 1}})});
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0], Contains("A2: a block of 'K1'"));
    }
    SECTION("a stream runs two kernels at once") {
        netgen::ExaminerConfig config = two_kernels(1);
        config.tasks.operations[1].stream = 0;
        config.benchmarks = {{"K", {0, 1}}};
        netgen::MeasuredLog log = log_of("K", 0, {{0, second, 0}});
        log.kernels.push_back({"GPUSpin", 1, {{second / 2, second, 1}}});
        CHECK_THAT(violations(config, {log}).at(0), Contains("G4: 'K2' starts at 0.5"));
    }
    SECTION("an SM that the GPU does not have") {
        CHECK_THAT(
            violations(two_kernels(1), {log_of("K1", 0, {{0, second, 2}}), log_of("K2", 1, {{0, second, 1}})})
                .at(0),
            Contains("blocks on SM 2"));
    }
}

TEST_CASE("measured: logs must belong to the configuration") {
    const netgen::ExaminerConfig config = two_kernels(1);
    const netgen::MeasuredLog first = log_of("K1", 0, {{0, second, 0}});
    CHECK_THROWS_WITH(studies::compare_measured(config, {first}), Contains("'K2': expected a log"));
    CHECK_THROWS_WITH(studies::compare_measured(config, {first, log_of("K2", 0, {{0, 1, 0}, {0, 1, 0}})}),
                      Contains("expected 1 blocks, found 2"));
    CHECK_THROWS_WITH(studies::compare_measured(
                          config, {first, log_of("K2", 0, {{0, 1, 0}}), log_of("K3", 0, {{0, 1, 0}})}),
                      Contains("'K3': expected a benchmark"));
    netgen::MeasuredLog twice = log_of("K2", 0, {{0, 1, 0}});
    twice.kernels.push_back(twice.kernels[0]);
    CHECK_THROWS_WITH(studies::compare_measured(config, {first, twice}),
                      Contains("expected 1 kernels, found 2"));
}

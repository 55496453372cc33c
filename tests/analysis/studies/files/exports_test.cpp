// Unchanged files of profilers and users.
#include "analysis/studies/files/read_measured.hpp"
#include "tests/support/shared_data.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

studies::SourceText file(const std::string& name) {
    std::ifstream in(*testing::shared_data("measurements/" + name), std::ios::binary);
    return {std::string(std::istreambuf_iterator<char>(in), {}), name};
}

studies::MeasuredTable read(const std::vector<std::string>& names) {
    std::vector<studies::SourceText> files;
    for (const std::string& name : names) files.push_back(file(name));
    return studies::read_measured(files);
}

}  // namespace

TEST_CASE("exports of nvprof are read as they are") {
    SKIP_WITHOUT(testing::shared_data("measurements/exports"), "measurements/exports");
    const studies::MeasuredTable scholes =
        read({"exports/nvprof_metrics_blackscholes.csv", "exports/nvprof_trace_blackscholes.csv"});
    REQUIRE(scholes.measurements.size() == 1);
    CHECK(scholes.measurements[0].profile->blocks == 125000);
    CHECK(scholes.measurements[0].profile->threads == 16);
    CHECK(scholes.measurements[0].profile->instructions() == Approx(249).margin(1));
    CHECK(scholes.measurements[0].measured == Approx(1184).margin(2));
    CHECK(scholes.measurements[0].launches == 10);
    CHECK(scholes.warnings.empty());
    const studies::MeasuredTable transpose =
        read({"exports/nvprof_trace_transpose.csv", "exports/nvprof_metrics_transpose.csv"});
    CHECK(transpose.measurements.size() == 8);
    CHECK(transpose.warnings.empty());
    for (const studies::Measurement& one : transpose.measurements) {
        CHECK(one.launches == 101);
        CHECK(one.measured > 90);
    }
}

TEST_CASE("exports of Nsight Compute are read as they are, and what they lack is named") {
    SKIP_WITHOUT(testing::shared_data("measurements/exports"), "measurements/exports");
    for (const char* name : {"exports/ncu_gemm_naive.csv", "exports/ncu_gemm_tiled.csv"}) {
        const studies::MeasuredTable table = read({name});
        REQUIRE(table.measurements.size() == 1);
        const studies::Measurement& one = table.measurements[0];
        CHECK(one.measured > 9000);  // 9,589,248 and 10,195,552 ns
        CHECK(one.profile->blocks == 4096);
        CHECK(one.profile->threads == 1024);
        CHECK(one.profile->loads.requests > 100);
        CHECK(one.profile->dram_bytes > 50e6);
        CHECK(one.profile->unknowns.size() == 1);
        REQUIRE(table.warnings.size() == 1);
        CHECK_THAT(table.warnings[0], Catch::Contains("smsp__inst_executed.sum"));
        CHECK_THAT(table.warnings[0], Catch::Contains("launch__registers_per_thread"));
    }
}

TEST_CASE("tables of other devices are read as they are") {
    SKIP_WITHOUT(testing::shared_data("measurements/gpuperfpredict"), "measurements/gpuperfpredict");
    for (const char* name : {"gpuperfpredict/Tesla-K40.csv", "gpuperfpredict/GTX-980.csv"}) {
        const studies::MeasuredTable table = read({name});
        CHECK(table.measurements.size() == 82);
        REQUIRE(table.warnings.size() == 1);
        CHECK_THAT(table.warnings[0], Catch::Contains("inst_bit_convert"));
        for (const studies::Measurement& one : table.measurements) CHECK(one.elapsed_cycles > 0);
    }
}

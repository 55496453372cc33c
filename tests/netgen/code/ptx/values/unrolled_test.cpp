#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/trips.hpp"
#include "tests/support/bad_input.hpp"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// `for (i = 0; i < n; ++i)` as nvcc 13 unrolls it, with U iterations per trip of the loop MAIN. `n` is a
/// parameter, or comes from memory.
std::string unrolled_text(int factor, bool of_parameter, bool rest_first = false) {
    const std::string u = std::to_string(factor), last = std::to_string(factor - 1);
    const std::string main = "setp.lt.u32 %p2, %r12, " + last +
                             ";\n@%p2 bra BEHIND;\nsub.s32 %r17, %r10, %r19;\nmov.u32 %r18, 0;\nMAIN:\n"
                             "sin.approx.f32 %f1, %f1;\nadd.s32 %r18, %r18, " +
                             u + ";\nadd.s32 %r17, %r17, -" + u +
                             ";\nsetp.ne.s32 %p3, %r17, 0;\n@%p3 bra MAIN;\nBEHIND:\n";
    const std::string rest =
        "setp.eq.s32 %p4, %r20, 0;\n@%p4 bra END;\nREST:\nsin.approx.f32 %f1, %f1;\n"
        "add.s32 %r20, %r20, -1;\nsetp.ne.s32 %p5, %r20, 0;\n@%p5 bra REST;\nEND:\n";
    return ".version 9.0\n.target sm_80\n.entry k(.param .u32 n)\n{\n" +
           std::string(of_parameter ? "ld.param.u32 %r10, [n];\n" : "ld.global.u32 %r10, [%rd1];\n") +
           "setp.lt.s32 %p1, %r10, 1;\n@%p1 bra OUT;\nadd.s32 %r12, %r10, -1;\nand.b32 %r19, %r10, " + last +
           ";\nand.b32 %r20, %r10, " + last + ";\n" + (rest_first ? rest + main : main + rest) +
           "OUT:\nret;\n}\n";
}

std::vector<netgen::PtxLoopReport> loops_of(const std::string& text, netgen::PtxOptions options = {}) {
    return netgen::analyse_ptx(netgen::read_ptx(text, "k.ptx"), "k", options).loops;
}

const netgen::PtxLoopReport& loop_of(const std::vector<netgen::PtxLoopReport>& loops,
                                     const std::string& label) {
    for (const netgen::PtxLoopReport& loop : loops)
        if (loop.label == label) return loop;
    FAIL("no loop " << label);
    return loops.front();
}

}  // namespace

TEST_CASE("a loop and what its unrolling leaves over are one loop of the source") {
    for (const bool rest_first : {false, true}) {
        const auto loops = loops_of(unrolled_text(4, false, rest_first));
        REQUIRE(loops.size() == 2);
        CHECK(loop_of(loops, "MAIN").source_loop == "@1");
        CHECK(loop_of(loops, "MAIN").factor == 4);
        CHECK_FALSE(loop_of(loops, "MAIN").remainder);
        CHECK(loop_of(loops, "REST").source_loop == "@1");
        CHECK(loop_of(loops, "REST").factor == 1);
        CHECK(loop_of(loops, "REST").remainder);
    }
}

TEST_CASE("iterations of the source are the trips that a known bound proves") {
    for (const int factor : {2, 4, 8})
        for (std::int64_t n = 1; n <= 40; ++n) {
            INFO(n << " iterations, " << factor << " per trip");
            netgen::PtxOptions proved, given;
            proved.launch.params["n"] = n;
            given.trips["@1"] = n;
            const auto by_proof = loops_of(unrolled_text(factor, true), proved);
            const auto by_number = loops_of(unrolled_text(factor, false), given);
            std::int64_t iterations = 0;
            for (const char* label : {"MAIN", "REST"}) {
                const netgen::PtxLoopReport& loop = loop_of(by_number, label);
                REQUIRE(loop.trips);
                iterations += *loop.trips * loop.factor;
                // If the bound proves that a loop is skipped, the loop has no trips.
                if (*loop.trips > 0) CHECK(loop_of(by_proof, label).trips == loop.trips);
            }
            CHECK(iterations == n);
        }
}

TEST_CASE("a number of trips that the remainder cannot have is refused") {
    const auto error_of = [](std::vector<std::pair<std::string, std::int64_t>> trips) {
        netgen::PtxOptions options;
        for (auto& [label, number] : trips) options.trips[label] = number;
        return input_error_of([&] { loops_of(unrolled_text(4, false), options); });
    };
    CHECK_THAT(
        error_of({{"MAIN", 16}, {"REST", 4}}),
        Catch::Contains(
            "'REST' executes the iterations that 'MAIN' leaves over, which takes 4 iterations at a time: it "
            "runs at most 3 times, but 4 trips are given"));
    CHECK_THAT(error_of({{"MAIN", 16}, {"@1", 64}}), Catch::Contains("loop 'MAIN' has two numbers of trips"));
    netgen::PtxOptions options;
    options.trips = {{"MAIN", 16}, {"REST", 3}};
    CHECK(loop_of(loops_of(unrolled_text(4, false), options), "MAIN").trips == 16);
    CHECK_NOTHROW(netgen::check_ptx_trips(netgen::read_ptx(unrolled_text(4, false), "k.ptx"), options));
    options.trips = {{"@2", 5}};
    CHECK_THROWS_WITH(netgen::check_ptx_trips(netgen::read_ptx(unrolled_text(4, false), "k.ptx"), options),
                      Catch::Contains("no loop begins at '@2'"));
}

TEST_CASE("loops with other counters are loops of their own") {
    const auto sources_of = [](const std::string& from, const std::string& to) {
        std::string text = unrolled_text(4, false);
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        text.replace(at, from.size(), to);
        std::vector<std::string> sources;
        for (const netgen::PtxLoopReport& loop : loops_of(text)) sources.push_back(loop.source_loop);
        return sources;
    };
    const std::vector<std::string> one = {"@1", "@1"}, two = {"@1", "@2"};
    CHECK(sources_of("add.s32 %r17, %r17, -4", "add.s32 %r17, %r17, -8") == two);
    CHECK(sources_of("and.b32 %r20, %r10, 3", "and.b32 %r20, %r10, 6") == two);
    CHECK(sources_of("and.b32 %r20, %r10, 3", "rem.u32 %r20, %r10, 4") == one);
    CHECK(sources_of("and.b32 %r20, %r10, 3", "mov.u32 %r20, %r10") == two);
    CHECK(sources_of("add.s32 %r20, %r20, -1", "add.s32 %r20, %r20, -2") == two);
}

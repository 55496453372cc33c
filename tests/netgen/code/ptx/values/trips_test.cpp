#include "netgen/code/ptx/values/trips.hpp"

#include "engine/base/random.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/ptx_lines.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

netgen::PtxLoopReport only_loop(const std::string& body) {
    const netgen::PtxReport report = netgen::analyse_ptx(netgen::read_ptx(kernel_text(body), "k.ptx"), "k");
    REQUIRE(report.loops.size() == 1);
    return report.loops[0];
}

struct Operation {
    const char* name;
    std::function<std::uint32_t(std::uint32_t, std::uint32_t)> run;
};

const std::array<Operation, 9> operations = {{
    {"add.s32", [](auto a, auto b) { return a + b; }},
    {"sub.s32", [](auto a, auto b) { return a - b; }},
    {"mul.lo.s32", [](auto a, auto b) { return a * b; }},
    {"shl.b32", [](auto a, auto b) { return b > 31 ? 0 : a << b; }},
    {"shr.u32", [](auto a, auto b) { return b > 31 ? 0 : a >> b; }},
    {"shr.s32",
     [](auto a, auto b) {
         return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> (b > 31 ? 31 : b));
     }},
    {"xor.b32", [](auto a, auto b) { return a ^ b; }},
    {"min.s32",
     [](auto a, auto b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b; }},
    {"div.u32", [](auto a, auto b) { return b == 0 ? 0 : a / b; }},
}};

struct Relation {
    const char* name;
    std::function<bool(std::uint32_t, std::uint32_t)> holds;
};

std::int32_t s(std::uint32_t value) { return static_cast<std::int32_t>(value); }

const std::array<Relation, 8> relations = {{
    {"lt.s32", [](auto a, auto b) { return s(a) < s(b); }},
    {"le.s32", [](auto a, auto b) { return s(a) <= s(b); }},
    {"gt.u32", [](auto a, auto b) { return a > b; }},
    {"ge.u32", [](auto a, auto b) { return a >= b; }},
    {"eq.s32", [](auto a, auto b) { return a == b; }},
    {"ne.s32", [](auto a, auto b) { return a != b; }},
    {"lo.u32", [](auto a, auto b) { return a < b; }},
    {"hs.u32", [](auto a, auto b) { return a >= b; }},
}};

}  // namespace

// The same loop in C++ and in PTX, in four shapes.
TEST_CASE("trips of constant loops are those of running them") {
    constexpr std::int64_t longest = 3000;
    CounterRandom random(1, 0);
    std::uint64_t proved = 0;
    for (std::uint64_t round = 0; round < case_count(4000); ++round) {
        const auto small = [&] { return random.below(60) - 20U; };  // wraps below 0
        const std::uint32_t start = small();
        const std::uint32_t bound = small();
        const Operation& first = operations[random.below(operations.size())];
        const Operation& second = operations[random.below(operations.size())];
        const bool two = random.below(2) == 0;
        const std::uint32_t by =
            first.name == std::string_view("div.u32") ? 1 + random.below(4) : random.below(6);
        const std::uint32_t then = 1 + random.below(3);
        const Relation& relation = relations[random.below(relations.size())];
        const bool test_first = random.below(2) == 0;
        const bool negated = random.below(2) == 0;
        const auto next = [&](std::uint32_t value) {
            value = first.run(value, by);
            return two ? second.run(value, then) : value;
        };
        // The condition decides when the loop continues, or with `negated` when it ends.
        std::optional<std::int64_t> expected;
        std::uint32_t value = start;
        for (std::int64_t trips = 0; trips <= longest; ++trips) {
            if (!test_first) value = next(value);
            if (relation.holds(value, bound) == negated) {
                expected = test_first ? trips : trips + 1;
                break;
            }
            if (test_first) value = next(value);
        }
        const std::string step =
            std::string(first.name) + " %t, %i, " + std::to_string(by) + ";\n" +
            (two ? std::string(second.name) + " %t, %t, " + std::to_string(then) + ";\n" : "") +
            "mov.u32 %i, %t;\n";
        const std::string test = "setp." + std::string(relation.name) + " %p, %i, %b;\n";
        const std::string begin =
            "mov.u32 %i, " + std::to_string(s(start)) + ";\nmov.u32 %b, " + std::to_string(s(bound)) + ";\n";
        std::string body;
        if (test_first) {
            body =
                begin + "L:\n" + test + (negated ? "@%p" : "@!%p") + " bra End;\n" + step + "bra L;\nEnd:\n";
        } else {
            body = begin + "L:\n" + step + test + (negated ? "@!%p" : "@%p") + " bra L;\n";
        }
        CAPTURE(body);
        const netgen::PtxLoopReport loop = only_loop(body);
        if (expected) {
            ++proved;
            CHECK(loop.trips == expected);
            CHECK(loop.source == netgen::PtxTripSource::proved);
        } else {
            CHECK(loop.trips.value_or(longest + 1) > longest);
        }
    }
    CHECK(proved >= least_count(2000));
}

TEST_CASE("what is no constant is not proved") {
    const std::string count = "L:\nadd.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, 10;\n@%p bra L;\n";
    CHECK(only_loop("mov.u32 %i, 0;\n" + count).trips == 10);
    CHECK_FALSE(only_loop(count).trips);                                           // no start
    CHECK_FALSE(only_loop("ld.param.u32 %i, [n];\n" + count).trips);               // an argument
    CHECK_FALSE(only_loop("mov.u32 %i, %tid.x;\n" + count).trips);                 // a special register
    CHECK_FALSE(only_loop("mov.u32 %i, 0;\n@%q mov.u32 %i, 5;\n" + count).trips);  // under a guard
    CHECK_FALSE(only_loop("mov.u32 %i, 0;\n@%q bra L;\nmov.u32 %i, 5;\n" + count).trips);  // two starts
    CHECK(only_loop("mov.u32 %i, 5;\n@%q bra L;\nmov.u32 %i, 5;\n" + count).trips == 5);   // that agree
    CHECK_FALSE(
        only_loop("mov.u32 %i, 0;\nL:\n@%q add.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, 10;\n@%p bra L;\n").trips);
    CHECK_FALSE(
        only_loop(
            "mov.u32 %i, 0;\nL:\n@%q bra M;\nadd.s32 %i, %i, 1;\nM:\nsetp.lt.s32 %p, %i, 10;\n@%p bra L;\n")
            .trips);
    CHECK_FALSE(
        only_loop("mov.u32 %i, 0;\nL:\nadd.s32 %i, %i, 0;\nsetp.lt.s32 %p, %i, 10;\n@%p bra L;\n").trips);
    CHECK_FALSE(
        only_loop("mov.u32 %i, 0;\nL:\nfancy.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, 10;\n@%p bra L;\n").trips);
    CHECK_FALSE(only_loop("mov.u32 %v.x, 0;\nmov.u32 %i, %v.x;\n" + count).trips);
    CHECK_FALSE(only_loop("mov.b64 {%i, %j}, 0;\n" + count).trips);
    // The same name in an inner scope is another register.
    CHECK(only_loop("mov.u32 %i, 0;\n{\n.reg .b32 %i;\nmov.u32 %i, 7;\n}\n" + count).trips == 10);
    // A value that a call writes.
    CHECK_FALSE(only_loop("mov.u32 %i, 0;\ncall (%i), f, (%i);\n" + count).trips);
}

TEST_CASE("other ways out make a proved count an upper bound") {
    const netgen::PtxLoopReport loop = only_loop(
        "mov.u32 %i, 0;\nL:\nsetp.ge.s32 %p, %i, 10;\n@%p bra End;\nld.u32 %x, [%a];\n@%q bra End;\nadd.s32 "
        "%i, %i, 1;\n"
        "bra L;\nEnd:\n");
    CHECK(loop.trips == 10);
    CHECK(loop.source == netgen::PtxTripSource::proved_at_most);
}

TEST_CASE("nested loops: an inner start that every outer iteration sets is a constant") {
    const netgen::PtxReport report = netgen::analyse_ptx(
        netgen::read_ptx(
            kernel_text(
                "mov.u32 %i, 0;\nA:\nmov.u32 %j, 16;\nB:\nsin.approx.f32 %f, %f;\nshr.u32 %j, %j, 1;\n"
                "setp.ne.s32 %p, %j, 0;\n@%p bra B;\nadd.s32 %i, %i, 2;\nsetp.lt.s32 %q, %i, 6;\n@%q "
                "bra A;\n"),
            "k.ptx"),
        "k");
    REQUIRE(report.loops.size() == 2);
    CHECK(report.loops[0].label == "A");
    CHECK(report.loops[0].trips == 3);
    CHECK(report.loops[1].trips == 5);
    CHECK(report.loops[1].depth == 2);
    CHECK(report.profile.counts[netgen::PtxClass::special] == 15);
}

TEST_CASE("integer instructions compute what the hardware does") {
    const auto value = [](const char* opcode, std::initializer_list<std::int64_t> sources) -> std::int64_t {
        std::vector<std::uint64_t> bits;
        for (const std::int64_t source : sources) bits.push_back(static_cast<std::uint64_t>(source));
        const auto operation = netgen::ptx_operation(opcode);
        REQUIRE(operation);
        const auto result = netgen::ptx_evaluate(*operation, bits);
        REQUIRE(result);
        return static_cast<std::int64_t>(*result);
    };
    CHECK(value("add.s32", {-1, 0}) == 0xFFFFFFFF);
    CHECK(value("add.s64", {-1, 0}) == -1);
    CHECK(value("mul.wide.s32", {-2, 3}) == -6);
    CHECK(value("mul.wide.u32", {0xFFFFFFFF, 2}) == 0x1FFFFFFFE);
    CHECK(value("mad.lo.s32", {3, 4, 5}) == 17);
    CHECK(value("mad.wide.s32", {-1, 4, 5}) == 1);
    CHECK(value("shl.b32", {1, 32}) == 0);
    CHECK(value("shl.b32", {1, 100}) == 0);
    CHECK(value("shr.s32", {-8, 40}) == 0xFFFFFFFF);
    CHECK(value("shr.u64", {-1, 64}) == 0);
    CHECK(value("div.s32", {-2147483648LL, -1}) == 0x80000000);
    CHECK(value("rem.s32", {-7, 3}) == 0xFFFFFFFF);
    CHECK(value("div.u32", {-1, 2}) == 0x7FFFFFFF);
    CHECK(value("cvt.s64.s32", {0xFFFFFFFF}) == -1);
    CHECK(value("cvt.u64.u32", {0xFFFFFFFF}) == 0xFFFFFFFF);
    CHECK(value("cvt.u32.u64", {0x100000005}) == 5);
    CHECK(value("cvt.u16.u32", {0x12345}) == 0x2345);
    CHECK(value("setp.lt.s32", {0xFFFFFFFF, 0}) == 1);
    CHECK(value("setp.lt.u32", {0xFFFFFFFF, 0}) == 0);
    CHECK(value("setp.ge.s64", {-1, -1}) == 1);
    CHECK(value("selp.b32", {4, 5, 0}) == 5);
    CHECK(value("not.pred", {1}) == 0);
    CHECK(value("mov.pred", {-1}) == 1);
    CHECK(value("and.pred", {1, 0}) == 0);
    CHECK(value("abs.s32", {-5}) == 5);
    CHECK(value("neg.s32", {5}) == 0xFFFFFFFB);
    CHECK(value("popc.b32", {0xF0}) == 4);
    CHECK(value("max.s32", {-1, 1}) == 1);
    CHECK(value("max.u32", {-1, 1}) == 0xFFFFFFFF);
    for (const char* opcode : {"add.f32", "add.cc.u32", "add.sat.s32", "mul.hi.s32", "cvt.s16.s32",
                               "cvt.rzi.s32.f32", "setp.eq.and.s32", "mul.wide.s64", "mov", "ld.global.u32"})
        CHECK_FALSE(netgen::ptx_operation(opcode));
    const std::array<std::uint64_t, 2> by_zero = {1, 0};
    CHECK_FALSE(netgen::ptx_evaluate(*netgen::ptx_operation("div.u32"), by_zero));
}

namespace {

// for (i = begin; i < end; i += step), tested first; `before` precedes it.
std::string for_loop(const std::string& before, const std::string& begin, const std::string& end,
                     const std::string& step) {
    return before + "mov.u32 %i, " + begin + ";\nsetp.ge.s32 %p, %i, " + end +
           ";\n@%p bra End;\nL:\nadd.f32 %f, %f, %f;\nadd.s32 %i, %i, " + step + ";\nsetp.lt.s32 %p, %i, " +
           end + ";\n@%p bra L;\nEnd:\n";
}

netgen::PtxReport report_of_launch(const std::string& body, const netgen::PtxLaunch& launch) {
    netgen::PtxOptions options;
    options.launch = launch;
    return netgen::analyse_ptx(netgen::read_ptx(kernel_text(body), "k.ptx"), "k", options);
}

}  // namespace

TEST_CASE("for loops: constant bounds need nothing, others say what they need") {
    netgen::PtxLoopReport loop = only_loop(for_loop("", "0", "64", "1"));
    CHECK(loop.trips == 64);
    CHECK(loop.source == netgen::PtxTripSource::proved);
    CHECK(loop.needs.empty());
    CHECK(only_loop(for_loop("", "3", "64", "4")).trips == 16);
    loop = only_loop(for_loop("ld.param.u32 %n, [n];\n", "0", "%n", "1"));
    CHECK_FALSE(loop.trips);
    CHECK(loop.needs == std::vector<std::string>{"parameter n"});
    loop = only_loop(for_loop("ld.global.u32 %n, [%a];\n", "0", "%n", "1"));
    CHECK(loop.needs == std::vector<std::string>{"memory"});
    loop = only_loop(for_loop("ld.param.u32 %n, [n];\nmov.u32 %t, %tid.x;\n", "%t", "%n", "%ntid.x"));
    CHECK(loop.needs == std::vector<std::string>{"%ntid.x", "%tid.x", "parameter n"});
}

TEST_CASE("a loop and the loop in it that use one predicate register are both proved") {
    const netgen::PtxReport report = netgen::analyse_ptx(
        netgen::read_ptx(kernel_text("mov.u32 %r2, 0;\nO:\nmov.u32 %r3, 0;\nI:\nadd.s32 %r3, %r3, 1;\n"
                                     "setp.lt.s32 %p1, %r3, 4;\n@%p1 bra I;\nadd.s32 %r2, %r2, 1;\n"
                                     "setp.lt.s32 %p1, %r2, 3;\n@%p1 bra O;\n"),
                         "k.ptx"),
        "k");
    REQUIRE(report.loops.size() == 2);
    CHECK(report.loops[0].trips == 3);
    CHECK(report.loops[1].trips == 4);
}

TEST_CASE("WARP_SZ is a number, and tests that are not followed give their reason") {
    const auto until = [](const std::string& test) {
        return only_loop("mov.u32 %r1, 0;\nsetp.eq.s32 %p3, %r1, 0;\nA:\nadd.s32 %r1, %r1, 1;\n" + test +
                         " bra A;\n");
    };
    CHECK(until("setp.lt.s32 %p1, %r1, WARP_SZ;\n@%p1").trips == 32);
    CHECK(until("setp.lt.and.s32 %p1, %r1, 5, %p3;\n@%p1").needs ==
          std::vector<std::string>{"setp.lt.and.s32"});
    CHECK(until("setp.lt.s32 %p1|%p2, %r1, 5;\n@!%p2").needs ==
          std::vector<std::string>{"setp.lt.s32 with two results"});
    CHECK(until("add.s32 %r1, %r1, -1;\nsetp.lt.s32 %p1, %r1, 5;\n@%p1").needs ==
          std::vector<std::string>{"arithmetic that is not followed"});
}

TEST_CASE("two loops that use one predicate register depend on what each needs") {
    const netgen::PtxReport report = report_of_launch(
        "ld.param.u32 %n, [n];\nmov.u32 %i, 0;\nA:\nadd.s32 %i, %i, 1;\nld.global.u32 %x, [%a];\nsetp.lt.s32 "
        "%p, %x, 9;\n@%p bra A;\nmov.u32 %j, 0;\nB:\nadd.s32 %j, %j, 1;\nsetp.lt.s32 %p, %j, %n;\n@%p bra "
        "B;\n",
        {});
    REQUIRE(report.loops.size() == 2);
    CHECK(report.loops[0].needs == std::vector<std::string>{"memory"});
    CHECK(report.loops[1].needs == std::vector<std::string>{"parameter n"});
}

TEST_CASE("bounds from parameters, and what their arithmetic gives") {
    const std::string body = for_loop("ld.param.u32 %n, [n];\nshr.u32 %n, %n, 2;\n", "0", "%n", "1");
    netgen::PtxReport report = report_of_launch(body, {.params = {{"n", 1024}}});
    CHECK(report.loops[0].trips == 256);
    CHECK(report.loops[0].source == netgen::PtxTripSource::proved);
    CHECK(report.profile.counts[netgen::PtxClass::float32] == 256);
    // A loop that is skipped does not run at all.
    report = report_of_launch(body, {.params = {{"n", 3}}});
    CHECK(report.loops[0].trips == 0);
    CHECK(report.profile.counts[netgen::PtxClass::float32] == 0);
    CHECK_THROWS_WITH(netgen::check_ptx_params(netgen::read_ptx(kernel_text(body), "k.ptx"),
                                               {.launch = {.params = {{"m", 1}}}}),
                      "k.ptx: no kernel loads a parameter 'm'; there is n (or what follows _param_)");
    CHECK_NOTHROW(netgen::check_ptx_params(netgen::read_ptx(kernel_text(body), "k.ptx"),
                                           {.launch = {.params = {{"n", 1}}}}));
    netgen::PtxLaunch by_number;
    by_number.params["2"] = 5;
    netgen::PtxFunction function;
    CHECK_FALSE(by_number.param(function, "scale_param_2"));
    function.is_kernel = true;
    CHECK(by_number.param(function, "scale_param_2") == 5);
    CHECK_FALSE(by_number.param(function, "scale_param_12"));
}

TEST_CASE("grid-stride loops run as often as the warp of the launch that has the most") {
    // for (i = ctaid * ntid + tid; i < n; i += nctaid * ntid)
    const std::string body = for_loop(
        "ld.param.u32 %n, [n];\nmov.u32 %c, %ctaid.x;\nmov.u32 %d, %ntid.x;\nmov.u32 %t, %tid.x;\n"
        "mad.lo.s32 %b, %c, %d, %t;\nmov.u32 %g, %nctaid.x;\nmul.lo.s32 %s, %g, %d;\n",
        "%b", "%n", "%s");
    netgen::PtxLaunch launch{.params = {{"n", 100'000}}, .grid = {40, 1, 1}, .block = {256, 1, 1}};
    netgen::PtxReport report = report_of_launch(body, launch);
    REQUIRE(report.loops.size() == 1);
    CHECK(report.loops[0].trips == (100'000 + 40 * 256 - 1) / (40 * 256));
    CHECK(report.loops[0].source == netgen::PtxTripSource::proved_at_most);
    CHECK(report.loops[0].least == 100'000 / (40 * 256));
    launch.grid = {};
    report = report_of_launch(body, launch);
    CHECK_FALSE(report.loops[0].trips);
    CHECK(report.loops[0].needs == std::vector<std::string>{"%ctaid.x", "%nctaid.x"});
}

TEST_CASE("loops that only some threads of a block enter are named") {
    const std::string guard = "mov.u32 %t, %tid.x;\nsetp.ne.s32 %q, %t, 0;\n@%q bra Out;\n" +
                              for_loop("", "0", "64", "1") + "Out:\n";
    CHECK(report_of_launch(guard, {}).profile.some_threads == std::vector<std::string>{"L"});
    CHECK(report_of_launch(for_loop("", "0", "64", "1"), {}).profile.some_threads.empty());
    // A bounds check of the whole grid has no effect: all blocks but the last pass it alike.
    const std::string bounds =
        "mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nadd.s32 %t, %t, %c;\nsetp.gt.s32 %q, %t, 99;\n@%q bra "
        "Out;\n" +
        for_loop("", "0", "64", "1") + "Out:\n";
    CHECK(report_of_launch(bounds, {}).profile.some_threads.empty());
}

TEST_CASE("loads from constant memory at addresses of the thread are counted") {
    const std::string body =
        "mov.u32 %t, %tid.x;\nmul.wide.u32 %rd1, %t, 4;\nmov.u64 %rd2, table;\nadd.s64 %rd3, %rd2, %rd1;\n"
        "ld.const.f32 %f, [%rd3];\nld.const.f32 %g, [table];\n";
    CHECK(report_of_launch(body, {}).profile.indexed_constants == 1);
}

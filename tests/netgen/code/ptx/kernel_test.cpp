#include "netgen/code/ptx/kernel.hpp"

#include "engine/net/error.hpp"
#include "netgen/cfg/text.hpp"
#include "netgen/code/ptx/shares.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx_input.hpp"
#include "tests/netgen/code/ptx/check_ptx.hpp"

#include <chrono>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

netgen::PtxModule module_of(const std::string& functions) {
    return netgen::read_ptx(".version 9.0\n.target sm_80\n" + functions, "k.ptx");
}
netgen::PtxModule kernel(const std::string& body) {
    return module_of(".entry k(.param .u64 a)\n{\n" + body + "}\n");
}

netgen::PtxOptions with_trips(std::map<std::string, std::int64_t> trips,
                              netgen::PtxPaths paths = netgen::PtxPaths::all_sides) {
    netgen::PtxOptions options;
    options.trips = std::move(trips);
    options.paths = paths;
    return options;
}

// 1 once; the loop's header 2 per iteration and once more; its body 3.
const std::string while_loop =
    "mov.u32 %i, 0;\n"
    "H:\nsetp.ge.s32 %p, %i, %n;\n@%p bra End;\n"
    "ld.global.u32 %x, [%a];\nadd.s32 %i, %i, 1;\nbra H;\n"
    "End:\nret;\n";

}  // namespace

TEST_CASE("a loop with its test first runs the test once more than the body") {
    const netgen::PtxModule module = kernel(while_loop);
    for (const std::int64_t n : {0, 1, 7}) {
        const netgen::PtxReport report = netgen::analyse_ptx(module, "k", with_trips({{"H", n}}));
        CHECK(report.profile.counts.total() == 1 + 2 * (n + 1) + 3 * n + 1);
        CHECK(report.profile.counts[netgen::PtxClass::global_load] == n);
        CHECK(netgen::expand_ptx_string(module, "k", with_trips({{"H", n}})) == "C" + [&] {
            std::string body;
            for (std::int64_t i = 0; i < n; ++i) body += "CLC";
            return body;
        }() + "C");
    }
    CHECK(netgen::analyse_ptx(module, "k").profile.string == "CCLC");
    CHECK(netgen::analyse_ptx(module, "k", with_trips({{"#1", 7}})).formula == "C (C L C)*7 C");
    CHECK(netgen::analyse_ptx(module, "k").formula == "C (C L C)*? C");
    CHECK_THROWS_WITH(netgen::expand_ptx_string(module, "k", {}),
                      "k.ptx:6: the trips of loop 'H' of 'k' cannot be proved; give --trips 'H=N'");
    check_ptx_kernel(module, "k", with_trips({{"H", 7}}));
}

TEST_CASE("sides of a branch: both, or those of the longest path") {
    const netgen::PtxModule module = kernel(
        "@%p bra Else;\nmov.u32 %r1, 1;\nmov.u32 %r1, 1;\nbra Join;\n"
        "Else:\nld.shared.u32 %r1, [%a];\n"
        "Join:\n@%q bra Out;\nst.shared.u32 [%a], %r1;\nOut:\nret;\n");
    const netgen::PtxReport all = netgen::analyse_ptx(module, "k");
    CHECK(all.profile.counts.total() == 8);
    CHECK(all.profile.string == "CCLL");
    const netgen::PtxReport longest =
        netgen::analyse_ptx(module, "k", with_trips({}, netgen::PtxPaths::longest));
    CHECK(longest.profile.counts.total() == 7);
    CHECK(longest.profile.string == "CCL");
    const netgen::ControlFlowGraph graph = netgen::ptx_control_flow(module, "k", {});
    CHECK(netgen::write_cfg_text(graph) == "b1 1 b3 b2\nb2 3 b4\nb3 1 b4\nb4 1 b6 b5\nb5 1 b6\nb6 1\n");
    check_ptx_kernel(module, "k", {});
}

TEST_CASE("longest paths through loops take the longest body") {
    const std::string body =
        "H:\n@%p bra Short;\nmov.u32 %r, 1;\nmov.u32 %r, 1;\nbra Next;\nShort:\nld.local.u32 %r, [%a];\n"
        "Next:\nsetp.lt.s32 %q, %i, %n;\n@%q bra H;\nret;\n";
    const netgen::PtxReport report =
        netgen::analyse_ptx(kernel(body), "k", with_trips({{"H", 10}}, netgen::PtxPaths::longest));
    CHECK(report.profile.counts.total() == 10 * 6 + 1);
    CHECK(report.profile.counts.of("local") == 0);
    CHECK(netgen::analyse_ptx(kernel(body), "k", with_trips({{"H", 10}})).profile.counts.total() ==
          10 * 7 + 1);
}

TEST_CASE("a loop that is not entered takes nothing") {
    const netgen::PtxModule module =
        kernel("mov.u32 %i, 0;\n@%p bra Out;\nL:\nadd.s32 %i, %i, %k;\n@%q bra L;\nOut:\nret;\n");
    CHECK(netgen::analyse_ptx(module, "k", with_trips({{"L", 0}})).profile.counts.total() == 3);
    check_ptx_kernel(module, "k", with_trips({{"L", 0}}));
}

TEST_CASE("ways out under a guard, dead code, and the end of the text") {
    const netgen::PtxReport report = netgen::analyse_ptx(
        kernel("@%p ret;\nmov.u32 %r, 1;\n@%q exit;\nbra End;\nsin.approx.f32 %f, %f;\nEnd:\n"), "k");
    CHECK(report.profile.counts.total() == 4);
    CHECK(report.unreachable_instructions == 1);
    CHECK(report.profile.counts[netgen::PtxClass::leave] == 2);
    check_ptx_kernel(kernel("@%p ret;\nmov.u32 %r, 1;\n"), "k", {});
    CHECK(netgen::analyse_ptx(kernel(""), "k").profile.counts.total() == 0);
}

TEST_CASE("calls through aliases and registers with known targets count") {
    const std::string functions =
        ".visible .func f()\n{\nsin.approx.f32 %f1, %f1;\nret;\n}\n"
        ".visible .func two()\n{\nsin.approx.f32 %f1, %f1;\nsin.approx.f32 %f1, %f1;\nret;\n}\n";
    const auto report = [&](const std::string& before, const std::string& body, netgen::PtxPaths paths) {
        netgen::PtxOptions options;
        options.paths = paths;
        return netgen::analyse_ptx(module_of(functions + before + ".entry k\n{\n" + body + "ret;\n}\n"), "k",
                                   options);
    };
    const auto specials = [](const netgen::PtxReport& one) {
        return one.profile.counts[netgen::PtxClass::special];
    };
    for (const std::string declared : {"", ".visible .func g();\n"}) {
        const netgen::PtxReport alias =
            report(declared + ".alias g, two;\n", "call g;\n", netgen::PtxPaths::all_sides);
        CHECK(specials(alias) == 2);
        CHECK(alias.not_in_file.empty());
        CHECK(alias.profile.undeclared_names.empty());
    }
    CHECK_THROWS_WITH(report(".alias g, none;\n", "call g;\n", netgen::PtxPaths::all_sides),
                      Contains("expected a function of this file behind the alias 'g', found 'none'"));
    CHECK_THROWS_WITH(report(".alias f, two;\n", "call f;\n", netgen::PtxPaths::all_sides),
                      Contains("function 'f' is there a second time"));

    // The warp may call any of them: either all count, or the longest one.
    const std::string through = "T: .calltargets f, two, f;\n{\ncall %rd1, T;\n}\n";
    const netgen::PtxReport all = report("", through, netgen::PtxPaths::all_sides);
    CHECK(specials(all) == 3);
    CHECK(all.profile.string == "SSS");
    CHECK(all.not_in_file.empty());
    CHECK(specials(report("", through, netgen::PtxPaths::longest)) == 2);
    CHECK(report("", "T: .calltargets two;\ncall (%r1), %rd1, (%r2), T;\n", netgen::PtxPaths::all_sides)
              .profile.string == "SS");
    const netgen::PtxReport outside = report(
        ".extern .func out();\n", "T: .calltargets f, out;\ncall %rd1, T;\n", netgen::PtxPaths::all_sides);
    CHECK(specials(outside) == 1);
    CHECK(outside.not_in_file == std::vector<std::string>{"out"});
}

TEST_CASE("values of parameters fit the types of their loads") {
    const auto count = [](const std::string& load, std::int64_t value, const std::string& name = "1") {
        const netgen::PtxModule module =
            module_of(".entry k(.param .b64 k_param_1)\n{\n" + load + " %r1, [k_param_1];\nret;\n}\n");
        netgen::PtxOptions options;
        options.launch.params[name] = value;
        return netgen::analyse_ptx(module, "k", options).profile.counts.total();
    };
    for (const std::int64_t value : {-2'147'483'648, 4'294'967'295}) CHECK(count("ld.param.u32", value) == 2);
    for (const std::int64_t value : {-2'147'483'649, 4'294'967'296})
        CHECK_THROWS_WITH(count("ld.param.b32", value),
                          "k.ptx:5: parameter 'k_param_1' is loaded by ld.param.b32: expected -2147483648 to "
                          "4294967295, found " +
                              std::to_string(value));
    CHECK(count("ld.param.s16", 32767) == 2);
    CHECK_THROWS_WITH(count("ld.param.s16", 32768), Contains("expected -32768 to 32767, found 32768"));
    CHECK_THROWS_WITH(count("ld.param.u8", 256, "k_param_1"), Contains("expected -128 to 255, found 256"));
    CHECK(count("ld.param.u64", std::numeric_limits<std::int64_t>::min()) == 2);
    CHECK_THROWS_WITH(count("ld.param.f32", 2), Contains("loaded by ld.param.f32: expected no value"));
}

TEST_CASE("numbers of parameters are those of kernels") {
    const netgen::PtxModule module = module_of(
        ".func f(.param .b32 f_param_1)\n{\nld.param.u32 %r1, [f_param_1];\nmov.u32 %r2, 0;\nL:\n"
        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\nret;\n}\n"
        ".entry k(.param .b32 k_param_1)\n{\nld.param.u32 %r1, [k_param_1];\ncall f, (%r1);\nret;\n}\n");
    netgen::PtxOptions options;
    options.launch.params["1"] = 7;
    CHECK_FALSE(netgen::analyse_ptx(module, "k", options).loops.at(0).trips);
    options.launch.params["f_param_1"] = 5;
    CHECK(netgen::analyse_ptx(module, "k", options).loops.at(0).trips == 5);
}

TEST_CASE("a loop that tests at its end runs at least once if nothing goes past it") {
    const auto total = [](const std::string& body, std::map<std::string, std::int64_t> trips) {
        return netgen::analyse_ptx(module_of(".entry k\n{\n" + body + "ret;\n}\n"), "k",
                                   with_trips(std::move(trips)))
            .profile.counts.total();
    };
    const std::string loop = "L:\nsin.approx.f32 %f1, %f1;\n@%p1 bra L;\n";
    CHECK(total(loop, {{"L", 1}}) == 3);
    CHECK_THROWS_WITH(total(loop, {{"L", 0}}),
                      Contains("k.ptx:5: loop 'L' tests at its end and nothing goes past it"));
    CHECK(total("@%p2 bra E;\n" + loop + "E:\n", {{"L", 0}}) == 2);
    CHECK(total("W:\n@%p2 bra E;\nbra W;\nE:\n", {{"W", 0}}) == 2);  // tests first

    const std::string nested = "O:\nmov.u32 %r1, 0;\n" + loop + "@%p2 bra O;\n";
    CHECK_THROWS_WITH(total(nested, {{"O", 3}, {"L", 0}}), Contains("loop 'L' tests at its end"));
    CHECK_THROWS_WITH(total(nested, {{"O", 0}, {"L", 0}}), Contains("loop 'O' tests at its end"));
    CHECK(total("@%p3 bra E;\n" + nested + "E:\n", {{"O", 0}, {"L", 0}}) == 2);
    CHECK_THROWS_WITH(total("@%p3 bra E;\n" + nested + "E:\n", {{"O", 1}, {"L", 0}}),
                      Contains("loop 'L' tests at its end"));
    CHECK(total("O:\n@%p3 bra E;\n" + loop + "E:\n@%p2 bra O;\n", {{"O", 2}, {"L", 0}}) == 5);
    // Leaving the outer loop early skips the inner loop only in its last iteration.
    CHECK_THROWS_WITH(total("O:\n@%p3 bra E;\n" + loop + "@%p2 bra O;\nE:\n", {{"O", 2}, {"L", 0}}),
                      Contains("loop 'L' tests at its end"));
    // A launch proves that no path skips the loop.
    netgen::PtxOptions launched = with_trips({{"L", 0}});
    const std::string past = "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p2, %r1, 40;\n@%p2 bra P;\n" + loop +
                             "bra E;\nP:\nmov.u32 %r1, 0;\nE:\nret;\n}\n";
    const netgen::PtxModule decided = module_of(".entry k\n{\n" + past);
    CHECK_NOTHROW(netgen::analyse_ptx(decided, "k", launched));
    launched.launch.block = {32, 1, 1};
    CHECK_THROWS_WITH(netgen::analyse_ptx(decided, "k", launched), Contains("loop 'L' tests at its end"));
}

TEST_CASE("a loop and a branch have one number under one name") {
    const std::string loop = "$L__B:\nsin.approx.f32 %f1, %f1;\n@%p1 bra $L__B;\nret;\n";
    CHECK_THROWS_WITH(netgen::analyse_ptx(kernel(loop), "k", with_trips({{"$L__B", 2}, {"#1", 3}})),
                      "loop '$L__B' has two numbers of trips: '$L__B' and '#1' are the same loop");
    CHECK_THROWS_WITH(netgen::analyse_ptx(kernel(loop), "k", with_trips({{"B", 2}, {"L__B", 2}})),
                      Contains("'L__B' and 'B' are the same loop"));
    const auto special = [](std::map<std::string, double> taken) {
        netgen::PtxOptions options;
        options.taken = std::move(taken);
        return netgen::analyse_ptx(kernel("@%p1 bra $L__E;\nsin.approx.f32 %f1, %f1;\n$L__E:\nret;\n"), "k",
                                   options)
            .profile.averages()[netgen::PtxClass::special];
    };
    CHECK(special({{"E", 0.25}}) == 0.75);
    CHECK(special({{"E", 0.25}, {"E@5", 1}}) == 0);  // the line number is more precise
    CHECK_THROWS_WITH(special({{"E", 0.25}, {"L__E", 0.5}}),
                      "a branch has two shares: 'L__E' and 'E' are the same branch");
    CHECK_THROWS_WITH(special({{"E@5", 0.25}, {"$L__E@5", 0.5}}), Contains("are the same branch"));
    const std::string fork = "@%p1 bra $L__E;\nmov.u32 %r1, 1;\n";
    const auto check_shares = [](const netgen::PtxModule& module, std::map<std::string, double> taken) {
        netgen::PtxOptions shares;
        shares.taken = std::move(taken);
        netgen::check_ptx_shares(module, shares);
    };
    CHECK_THROWS_WITH(check_shares(kernel(fork + "$L__E:\nret;\n"), {{"E@5", 0.25}, {"E", 0.5}}),
                      "a branch has two shares: 'E@5' and 'E' are the same branch");
    check_shares(kernel(fork + fork + "$L__E:\nret;\n"), {{"E@5", 0.25}, {"E", 0.5}});  // E of the second
    netgen::PtxOptions options;
    options.launch.params = {{"1", 10}, {"k_param_1", 10}};
    const netgen::PtxModule module =
        module_of(".entry k(.param .b32 k_param_1)\n{\nld.param.u32 %r1, [k_param_1];\nret;\n}\n");
    CHECK_THROWS_WITH(netgen::analyse_ptx(module, "k", options),
                      "parameter 'k_param_1' has two values: 'k_param_1' and '1' are the same parameter");
}

TEST_CASE("the clusters of a kernel divide its grid") {
    const auto check = [](const std::string& tuning, std::array<std::int64_t, 3> grid, bool linear) {
        netgen::PtxLaunch launch;
        launch.grid = grid;
        netgen::check_ptx_grid(module_of(".entry k() " + tuning + "\n{\nret;\n}\n"), "k", launch, linear);
    };
    check(".reqnctapercluster 2, 2", {4, 6, 1}, false);
    CHECK_THROWS_WITH(check(".reqnctapercluster 2, 2", {4, 5, 1}, false),
                      "k.ptx:3: the launch fails: kernel 'k' is compiled for clusters of 2 x 2 x 1 blocks "
                      "(.reqnctapercluster), of which the grid of 4 x 5 x 1 is no multiple");
    check(".reqnctapercluster 2, 2", {20, 1, 1}, true);
    CHECK_THROWS_WITH(check(".reqnctapercluster 2, 2", {21, 1, 1}, true), Contains("the grid of 21 blocks"));
    const std::string clusters = ".reqnctapercluster 4 .reqntid 32 .blocksareclusters";
    check(clusters, {3, 1, 1}, false);
    CHECK_THROWS_WITH(check(clusters, {3, 1, 1}, true), Contains("the grid of 3 blocks is no multiple"));
    check(".reqnctapercluster 0", {3, 1, 1}, false);
}

TEST_CASE("the grid of a launch that counts clusters has the blocks of all of them") {
    const netgen::PtxModule module = module_of(
        ".entry k() .reqnctapercluster 2, 4 .reqntid 32 .blocksareclusters\n{\n"
        "mov.u32 %r1, 0;\n$L:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %nctaid.x;\n@%p1 bra "
        "$L;\nret;\n}\n");
    netgen::PtxInput input;
    input.options.launch.block = {32, 1, 1};
    input.options.launch.grid = {3, 5, 1};
    const netgen::PtxReport report = ptx_report_of(module, input);
    CHECK(report.loops.at(0).trips == 6);  // %nctaid counts blocks
    CHECK(netgen::launch_profile_of(input, report)->blocks == 120);
    CHECK_THAT(
        netgen::warnings_of(report).at(0),
        Contains("its launch counts clusters (.blocksareclusters): the grid has 2 x 4 x 1 blocks for each"));
    input.linear_grid = true;  // a number of blocks
    input.options.launch.grid = {120, 1, 1};
    CHECK(netgen::launch_profile_of(input, ptx_report_of(module, input))->blocks == 120);
    input.options.launch = {};
    input.linear_grid = false;
    CHECK_THROWS_WITH(ptx_report_of(module, input), Contains("give --trips"));
    CHECK_THROWS_WITH(module_of(".entry k() .reqnctapercluster 2 .blocksareclusters\n{\nret;\n}\n"),
                      "k.ptx:3: function 'k': .blocksareclusters needs .reqntid and .reqnctapercluster");
}

TEST_CASE("code runs on its own compute capability and on newer ones") {
    const auto runs = [](const char* target, bool machine_code, std::string_view compute_capability) {
        netgen::PtxExecution execution;
        execution.kernel = "k";
        execution.target = target;
        execution.machine_code = machine_code;
        return netgen::warning_of_target(execution, compute_capability).empty();
    };
    for (const char* const newer : {"8.0", "8.6", "9.0", "10.0"}) CHECK(runs("sm_80", false, newer));
    CHECK_FALSE(runs("sm_80", false, "7.5"));
    CHECK(runs("compute_120", false, "12.0"));
    CHECK(runs("sm_90a", false, "9.0"));
    CHECK_FALSE(runs("sm_90a", false, "10.0"));
    CHECK(runs("sm_100f", false, "10.3"));
    CHECK_FALSE(runs("sm_100f", false, "12.0"));
    CHECK(runs("sm_80", true, "8.6"));
    CHECK_FALSE(runs("sm_86", true, "8.0"));
    CHECK_FALSE(runs("sm_80", true, "9.0"));
    CHECK(runs("sm_80", true, ""));
    CHECK(runs("unknown", true, "8.0"));
    netgen::PtxExecution execution;
    execution.kernel = "k";
    execution.target = "sm_90";
    CHECK(netgen::warning_of_target(execution, "7.0") ==
          "kernel 'k': PTX for sm_90 does not run on compute capability 7.0; its instructions count as if it "
          "did");
}

TEST_CASE("calls count as what they execute") {
    const std::string helper =
        ".func (.param .b32 r) h(.param .b32 x)\n{\nfma.rn.f64 %d, %d, %d, %d;\nret;\n}\n";
    const netgen::PtxModule module = module_of(
        helper +
        ".extern .func out();\n.shared .b32 used[4];\n.shared .b32 unused[9];\n"
        ".entry k\n{\nL:\ncall.uni (r), h, (x);\nst.shared.u32 [used], %r;\n@%p bra L;\ncall.uni out;\n"
        "call (r), %rd1, (x), proto;\nret;\n}\n");
    const netgen::PtxReport report = netgen::analyse_ptx(module, "k", with_trips({{"L", 5}}));
    CHECK(report.profile.counts[netgen::PtxClass::double_] == 5);
    CHECK(report.profile.counts[netgen::PtxClass::call] == 7);
    CHECK(report.profile.static_shared_bytes == 16);
    CHECK(report.profile.string == "DL");
    CHECK(report.not_in_file == std::vector<std::string>{"a function through a register", "out"});
    CHECK_THROWS_WITH(netgen::analyse_ptx(
                          module_of(".func f()\n{\ncall f;\nret;\n}\n.entry k\n{\ncall f;\nret;\n}\n"), "k"),
                      Contains("k.ptx:3: function 'f' calls itself"));
    CHECK_THROWS_WITH(
        netgen::analyse_ptx(
            module_of(".func a();\n.func b()\n{\ncall a;\nret;\n}\n.func a()\n{\ncall b;\nret;\n}\n"
                      ".entry k()\n{\ncall a;\nret;\n}\n"),
            "k"),
        Contains("function 'a' calls itself ('a' calls 'b', which calls 'a'): how often is not known"));
    std::string twice = ".func f0()\n{\nret;\n}\n";
    for (int i = 1; i < 100; ++i) {
        const std::string call = "call f" + std::to_string(i - 1) + ";\n";
        twice += ".func f" + std::to_string(i) + "()\n{\n" + call + call + "ret;\n}\n";
    }
    CHECK_THROWS_WITH(netgen::analyse_ptx(module_of(twice + ".entry k\n{\ncall f99;\nret;\n}\n"), "k"),
                      Contains("takes more than 2^63 - 1 instructions"));
}

TEST_CASE("static shared memory: variables lie at multiples of their alignment, 48 KiB is the most") {
    const auto bytes_of = [](const std::string& outside, const std::string& inside) {
        return netgen::analyse_ptx(module_of(outside + ".entry k\n{\n" + inside + "ret;\n}\n"), "k")
            .profile.static_shared_bytes;
    };
    CHECK(bytes_of("", ".shared .align 1024 .b8 a[5740];\n.shared .align 1024 .b8 b[5740];\n") ==
          6144 + 5740);
    CHECK(bytes_of("", ".shared .b8 a[1];\n.shared .align 1024 .b8 b[1];\n.shared .align 1024 .b8 c[1];\n") ==
          1026);
    CHECK(bytes_of("", ".shared .b8 a;\n.shared .f64 b, c;\n") == 17);
    CHECK(bytes_of(".shared .b8 a[3];\n", ".shared .v4 .f32 b[2];\nst.shared.u8 [a], %r;\n") == 35);
    CHECK(bytes_of("", ".shared .b8 a[49152];\n") == 49152);
    CHECK(bytes_of(".extern .shared .align 16 .b8 a[];\n", "st.shared.u8 [a], %r;\n") == 0);
    CHECK_THROWS_WITH(bytes_of("", ".shared .b8 a[49153];\n"),
                      Contains("kernel 'k' declares 49153 bytes of shared memory, expected at most 49152"));
    CHECK_THROWS_WITH(bytes_of("", ".shared .align 3 .b8 a[4];\n"),
                      Contains("expected a power of 2 after .align"));
    CHECK(bytes_of("", ".shared .align 4 .b8 a[4*(2+3)*WARP_SZ];\n.shared .b8 b[WARP_SZ];\n") == 640 + 32);
}

TEST_CASE("accesses and conditions of called functions are named") {
    const netgen::PtxModule module = module_of(
        ".func f(.param .b64 a)\n{\nld.param.u64 %x, [a];\nld.global.f32 %y, [%x];\nmov.u32 %t, %tid.x;\n"
        "setp.ge.u32 %q, %t, 32;\n@%q st.shared.f32 [%x], %y;\n@%q ret;\nsin.approx.f32 %y, %y;\nret;\n}\n"
        ".func g()\n{\nmov.u32 %n, %ntid.x;\nsetp.eq.u32 %q, %n, 64;\n@!%q ld.global.f32 %y, [%x];\n@%q "
        "ret;\n"
        "ret;\n}\n"
        ".entry k(.param .u64 p)\n{\nld.param.u64 %rd, [p];\ncall f, (%rd);\ncall g;\nret;\n}\n");
    netgen::PtxOptions options;
    options.launch.block = {64, 1, 1};
    const netgen::PtxExecution profile = netgen::analyse_ptx(module, "k", options).profile;
    CHECK(profile.unknown_accesses == std::vector<std::uint32_t>{6, 9});
    CHECK(profile.unfollowed_conditions == std::vector<std::uint32_t>{9, 10});
}

TEST_CASE("generic addresses get the space they come from") {
    const auto counts = [](const std::string& address) {
        return netgen::analyse_ptx(
                   kernel(".reg .b64 %t;\n" + address + "add.s64 %a, %b, %o;\nld.f32 %f, [%a+4];\nret;\n"),
                   "k")
            .profile;
    };
    CHECK(
        counts("cvta.shared.u64 %b, %s;\nmul.wide.s32 %o, %i, 4;\n").counts[netgen::PtxClass::shared_load] ==
        1);
    CHECK(counts("cvta.local.u64 %b, %s;\n").counts[netgen::PtxClass::local_load] == 1);
    CHECK(counts("cvta.const.u64 %b, %s;\n").counts[netgen::PtxClass::constant_load] == 1);
    CHECK(counts("cvta.global.u64 %b, %s;\n").counts[netgen::PtxClass::global_load] == 1);
    const netgen::PtxExecution argument = counts("ld.param.u64 %b, [a];\n");
    CHECK(argument.counts[netgen::PtxClass::global_load] == 1);
    CHECK(argument.unresolved_generic == 0);
    // An offset that is no pointer does not matter; one that may be a pointer does.
    CHECK(
        counts("cvta.shared.u64 %b, %s;\nld.param.u32 %i, [a];\ncvt.s64.s32 %o, %i;\n").unresolved_generic ==
        0);
    for (const char* unclear :
         {"cvta.shared.u64 %b, %s;\nld.param.u64 %o, [a];\n", "ld.global.u64 %b, [%x];\n", "",
          "cvta.shared.u64 %b, %s;\n@%p cvta.local.u64 %b, %s;\n"}) {
        CAPTURE(unclear);
        CHECK(counts(unclear).counts[netgen::PtxClass::global_load] >= 1);
        CHECK(counts(unclear).unresolved_generic == 1);
    }
}

TEST_CASE("an indirect branch is a chain of two-way branches") {
    const netgen::PtxModule module = kernel(
        "T: .branchtargets A, B, C;\nbrx.idx %i, T;\nA:\nbra End;\nB:\nmov.u32 %r, 1;\nbra "
        "End;\nC:\nEnd:\nret;\n");
    CHECK(netgen::write_cfg_text(netgen::ptx_control_flow(module, "k", {})) ==
          "b1 1 b2 b1_2\nb2 1 b4\nb3 2 b4\nb4 1\nb1_2 0 b3 b4\n");
    check_ptx_kernel(module, "k", {});
}

TEST_CASE("graphs that no analysis takes") {
    CHECK_THROWS_WITH(
        netgen::analyse_ptx(kernel("@%p bra B;\nA:\nmov.u32 %r, 1;\nB:\nmov.u32 %r, 2;\n@%q bra A;\nret;\n"),
                            "k"),
        Contains("k.ptx:3: function 'k'") && Contains("past its header"));
    const netgen::PtxModule counted =
        kernel("mov.u32 %i, 0;\nL:\nadd.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, 9;\n@%p bra L;\nret;\n");
    CHECK_THROWS_WITH(netgen::analyse_ptx(counted, "k", with_trips({{"L", 8}})),
                      "k.ptx:6: loop 'L' runs exactly 9 times by its constants, but 8 trips are given");
    CHECK_THROWS_WITH(netgen::check_ptx_trips(counted, with_trips({{"M", 8}})),
                      "--trips: k.ptx: no loop begins at 'M'; there is L");
    CHECK_THROWS_WITH(netgen::analyse_ptx(counted, "x"), "k.ptx: no kernel 'x'");
    CHECK_THROWS_WITH(netgen::ptx_kernel_name(counted, "x"),
                      "--kernel: k.ptx: no kernel 'x'; did you mean k?");
    CHECK(netgen::ptx_kernel_name(counted, "") == "k");
    CHECK_THROWS_WITH(netgen::analyse_ptx(kernel(while_loop), "k", with_trips({{"H", -1}})),
                      Contains("expected 0 to 10^18"));
    CHECK_THROWS_WITH(netgen::expand_ptx_string(kernel(while_loop), "k", with_trips({{"H", 1'000'000}})),
                      Contains("longer than 1000000 letters"));
    const netgen::PtxModule nested = kernel(
        "A:\nmov.u32 %r, 1;\nB:\nmov.u32 %r, 1;\nC:\nmov.u32 %r, 1;\n@%p bra C;\n@%p bra B;\n@%p bra "
        "A;\nret;\n");
    CHECK_THROWS_AS(
        netgen::analyse_ptx(nested, "k", with_trips({{"C", 1'000'000'000'000}, {"B", 1'000'000'000}})),
        InputError);
}

TEST_CASE("opcodes that are not known are counted, listed and in no string without a mark") {
    const netgen::PtxModule module = kernel("frob.u32 %r1, %r2;\nfrob.u32 %r1, %r2;\nblub.x %r1;\nret;\n");
    const netgen::PtxReport report = netgen::analyse_ptx(module, "k");
    CHECK(report.profile.counts[netgen::PtxClass::unknown] == 3);
    CHECK(report.profile.unknown_opcodes == std::vector<std::string>{"blub.x", "frob.u32"});
    CHECK(report.profile.string == "???");
    CHECK_THROWS_WITH(netgen::expand_ptx_string(module, "k", {}), Contains("not known here: blub.x"));
}

TEST_CASE("loops of one label in two scopes are distinguished by their lines") {
    const std::string wait = "{\nWait:\nmov.u32 %r, 1;\n@%p bra Wait;\n}\n";
    const netgen::PtxModule module = kernel(wait + wait + "ret;\n");
    const netgen::PtxReport report = netgen::analyse_ptx(module, "k", with_trips({{"Wait@6", 2}, {"#2", 5}}));
    REQUIRE(report.loops.size() == 2);
    CHECK(report.loops[0].label == "Wait@6");
    CHECK(report.loops[0].trips == 2);
    CHECK(report.loops[1].trips == 5);
}

TEST_CASE("PTX: a name that several kernels have is ambiguous") {
    const netgen::PtxModule two = netgen::read_ptx(
        ".version 9.0\n.target sm_80\n.entry _Z1kILi1EEvv()\n{\nret;\n}\n.entry _Z1kILi2EEvv()\n{\nret;\n}\n",
        "k.ptx");
    CHECK(netgen::ptx_kernel_name(two, "k<2>") == "_Z1kILi2EEvv");
    CHECK_THROWS_WITH(netgen::ptx_kernel_name(two, "k"),
                      "k.ptx: several kernels are called 'k', expected one of _Z1kILi1EEvv, _Z1kILi2EEvv");
}

TEST_CASE("PTX: the time of many branches grows as their number") {
    const auto begun = std::chrono::steady_clock::now();
    std::string body;
    for (int i = 0; i < 8000; ++i) {
        const std::string number = std::to_string(i);
        body += "setp.eq.u32 %p1, %r1, " + number + ";\n@%p1 bra L" + number + ";\nadd.u32 %r1, %r1, 1;\nL" +
                number + ":\n";
    }
    netgen::PtxOptions options;
    options.launch.block = {256, 1, 1};
    const netgen::PtxModule module = kernel(body + "ret;\n");
    CHECK(netgen::analyse_ptx(module, "k").profile.counts.total() == 24001);
    CHECK(netgen::analyse_ptx(module, "k", options).profile.counts.total() == 24001);
    // Takes half a second; quadratic work on 8000 steps would take a minute.
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
}

TEST_CASE("PTX: the time of many loops in a row grows nearly as their number") {
    const auto begun = std::chrono::steady_clock::now();
    std::string body;
    for (int i = 0; i < 8000; ++i) {
        const std::string number = std::to_string(i);
        body += "mov.u32 %r1, 0;\nL" + number +
                ":\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 3;\n@%p1 bra L" + number + ";\n";
    }
    CHECK(netgen::analyse_ptx(kernel(body + "ret;\n"), "k").profile.counts.total() == 8000 * 10 + 1);
    // Takes half a second; quadratic work took minutes.
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
}

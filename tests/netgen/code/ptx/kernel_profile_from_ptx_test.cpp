#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"

#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/module.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

netgen::PtxModule module_of(const std::string& name, const std::string& body) {
    return netgen::read_ptx(
        ".version 9.0\n.target sm_80\n.entry " + name + "(.param .u32 n)\n{\n" + body + "ret;\n}\n", "k.ptx");
}

}  // namespace

TEST_CASE("the longest warp executes the most of every class, and asks for as much more memory") {
    netgen::PtxExecution ptx;
    ptx.kernel = "k";
    ptx.counts[netgen::PtxClass::float32] = 10;
    ptx.counts[netgen::PtxClass::global_load] = 4;
    CHECK_FALSE(netgen::take_longest_warp(ptx));  // the mean is unknown
    ptx.mix.emplace();
    ptx.mix->by_class[static_cast<std::size_t>(netgen::PtxClass::float32)] = 5;
    ptx.mix->by_class[static_cast<std::size_t>(netgen::PtxClass::global_load)] = 2;
    ptx.mix->requests[netgen::AccessKind::global_load] = 2;
    ptx.mix->transactions[netgen::AccessKind::global_load] = 8;
    ptx.mix->routines.fp32 = 3;
    ptx.busy_share = 0.5;
    CHECK(netgen::kernel_profile_from_ptx(ptx).idle_share == 0.5);
    REQUIRE(netgen::take_longest_warp(ptx));
    const netgen::KernelProfile longest = netgen::kernel_profile_from_ptx(ptx);
    CHECK(longest.fp32 == 10);
    CHECK(longest.loads.requests == 4);
    CHECK(longest.loads.sectors == 4);  // per request
    CHECK(longest.routines.fp32 == 6);
    CHECK(longest.idle_share == 0);
    CHECK_FALSE(netgen::take_longest_warp(ptx));
    ptx.mix->by_class[static_cast<std::size_t>(netgen::PtxClass::float32)] = 5;
    ptx.averaged = true;  // from shares of branches
    CHECK_FALSE(netgen::take_longest_warp(ptx));
}

TEST_CASE("PTX counts become a profile: widths are sectors, moves and parameters are gone") {
    netgen::PtxExecution ptx;
    ptx.kernel = "k";
    ptx.max_threads = 128;
    ptx.static_shared_bytes = 2048;
    const std::pair<netgen::PtxClass, std::int64_t> counts[] = {
        {netgen::PtxClass::float32, 10},      {netgen::PtxClass::integer, 5},
        {netgen::PtxClass::divide, 1},        {netgen::PtxClass::compare, 3},
        {netgen::PtxClass::move, 7},          {netgen::PtxClass::param_load, 4},
        {netgen::PtxClass::global_load, 2},   {netgen::PtxClass::global_store, 1},
        {netgen::PtxClass::global_atomic, 1}, {netgen::PtxClass::shared_load, 6},
        {netgen::PtxClass::shared_store, 2},  {netgen::PtxClass::barrier, 2},
        {netgen::PtxClass::shuffle, 1},       {netgen::PtxClass::branch, 3},
        {netgen::PtxClass::leave, 1}};
    for (const auto& [ptx_class, count] : counts) ptx.counts[ptx_class] = count;
    ptx.bytes[netgen::AccessKind::global_load] = 32;  // 16 bytes per thread and load
    ptx.bytes[netgen::AccessKind::global_store] = 4;
    const netgen::KernelProfile kernel = netgen::kernel_profile_from_ptx(ptx);
    CHECK(kernel.name == "k");
    CHECK(kernel.threads == 128);
    CHECK(kernel.shared_bytes == 2048);
    CHECK(kernel.fp32 == 10);
    CHECK(kernel.integer == 20);  // of the division, of unknown kinds
    CHECK(kernel.logic == 5);
    CHECK(kernel.compares == 3);
    CHECK(kernel.other == 0);
    CHECK(kernel.branches == 4);
    CHECK(kernel.barriers == 2);
    CHECK(kernel.shuffles == 1);
    CHECK(kernel.shared_loads == 6);
    CHECK(kernel.shared_stores == 2);
    CHECK(kernel.loads.requests == 2);
    CHECK(kernel.loads.sectors == 16);
    CHECK(kernel.loads.transactions == 16);
    CHECK(kernel.loads.dram_share == 1);
    CHECK(kernel.stores.requests == 2);
    CHECK(kernel.stores.sectors == 4);
    REQUIRE(kernel.unknowns.size() == 2);  // PTX has no caches
    CHECK_THAT(kernel.unknowns[1],
               Catch::Contains("atomics of a warp are taken as accesses without conflicts"));
    CHECK_NOTHROW(netgen::validate(kernel));
}

TEST_CASE("divisions, roots and constants are what ptxas makes of them") {
    const auto routines = [](const std::string& body) {
        const netgen::PtxModule module = module_of("k", body);
        return netgen::kernel_profile_from_ptx(netgen::analyse_ptx(module, "k", {}).profile).routines;
    };
    CHECK(routines("div.rn.f32 %f1, %f2, %f3;\n").fp32 == 5);
    CHECK(routines("div.approx.f32 %f1, %f2, %f3;\n").fp32 == 2);
    CHECK(routines("sqrt.rn.f64 %fd1, %fd2;\n").fp64 == 7);
    CHECK(routines("rsqrt.approx.ftz.f32 %f1, %f2;\n") == netgen::MachineRoutines{});
    CHECK(routines("add.f32 %f1, %f2, %f3;\n") == netgen::MachineRoutines{});
    const netgen::MachineRoutines divided = routines("div.u32 %r1, %r2, %r3;\nrem.s32 %r1, %r2, %r3;\n");
    CHECK(divided.integer == -40);
    CHECK(divided.multiplies == 16);
    CHECK(routines("ld.const.f32 %f1, [table+8];\n").other == -1);
    CHECK(routines("ld.const.f32 %f1, [%rd1];\n").other == 0);
}

TEST_CASE("two operations that are one with three inputs") {
    const auto fused = [](const std::string& body) {
        const netgen::PtxModule module = module_of("k", body + "st.global.u32 [%rd1], %r9;\n");
        const netgen::MachineRoutines saved =
            netgen::kernel_profile_from_ptx(netgen::analyse_ptx(module, "k", {}).profile).fused;
        return std::pair(saved.logic, saved.shifts);
    };
    const std::pair none(0.0, 0.0);
    CHECK(fused("and.b32 %r2, %r1, 5;\nxor.b32 %r9, %r2, %r3;\n") == std::pair(-1.0, 0.0));
    CHECK(fused("add.s32 %r2, %r1, 5;\nsub.s32 %r9, %r3, %r2;\n") == std::pair(-1.0, 0.0));
    CHECK(fused("shl.b32 %r2, %r1, 5;\nadd.s32 %r9, %r2, %r3;\n") == std::pair(0.0, -1.0));
    CHECK(fused("shl.b32 %r2, %r1, %r4;\nadd.s32 %r9, %r2, %r3;\n") == none);
    CHECK(fused("add.s32 %r2, %r1, 5;\nxor.b32 %r9, %r2, %r3;\n") == none);
    // Used twice, with 64 bits, under a guard, with four inputs.
    CHECK(fused("and.b32 %r2, %r1, 5;\nxor.b32 %r9, %r2, %r2;\n") == none);
    CHECK(fused("and.b64 %rd2, %rd1, 5;\nxor.b64 %rd3, %rd2, %rd4;\n") == none);
    CHECK(fused("and.b32 %r2, %r1, 5;\n@%p1 xor.b32 %r9, %r2, %r3;\n") == none);
    CHECK(fused("and.b32 %r2, %r1, 5;\nor.b32 %r3, %r4, %r5;\nxor.b32 %r9, %r2, %r3;\n") ==
          std::pair(-1.0, 0.0));
    CHECK(fused("shl.b32 %r2, %r1, 5;\nadd.s32 %r3, %r2, %r4;\nadd.s32 %r9, %r3, %r5;\n") ==
          std::pair(0.0, -1.0));
    // In a different block.
    CHECK(fused("and.b32 %r2, %r1, 5;\nL:\nxor.b32 %r9, %r2, %r3;\n@%p1 bra L;\n") == none);
}

TEST_CASE("sectors that the accesses to a row, iterations or warps ask for again") {
    const auto loads = [](const std::string& body) {
        netgen::PtxOptions options;
        options.launch.block = {128, 1, 1};
        const netgen::PtxModule module = netgen::read_ptx(
            ".version 9.0\n.target sm_80\n.entry k(.param .u64 p)\n{\nld.param.u64 %rd1, [k_param_0];\n"
            "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4096;\nadd.s64 %rd3, %rd1, %rd2;\n" +
                body + "ret;\n}\n",
            "k.ptx");
        return netgen::kernel_profile_from_ptx(netgen::analyse_ptx(module, "k", options).profile).loads;
    };
    const auto repeated = [&](const std::string& body) { return loads(body).repeated; };
    const auto again = [&](const std::string& body) { return loads(body).again; };
    // Each thread has its own row.
    CHECK(repeated("ld.global.f32 %f1, [%rd3];\n") == 0);
    CHECK(repeated("ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\n") == 0.5);
    CHECK(repeated("ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+32];\n") == 0);
    const auto walk = [](const std::string& step) {
        return "mov.u32 %r2, 0;\nL:\nld.global.f32 %f1, [%rd3];\nadd.s64 %rd3, %rd3, " + step +
               ";\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 64;\n@%p1 bra L;\n";
    };
    CHECK(repeated(walk("4")) == 0.875);
    CHECK(repeated(walk("16")) == 0.5);
    CHECK(repeated(walk("32")) == 0);
    // All warps of the block read the same words.
    CHECK(repeated("ld.global.f32 %f1, [%rd1];\n") == 0.75);
    // A warp that requests the words of the remaining warps does not repeat a request; a warp that walks a
    // row does.
    CHECK(again("ld.global.f32 %f1, [%rd1];\n") == 0);
    CHECK(again(walk("4")) == 0.875);
    CHECK(again(walk("4") + "ld.global.f32 %f1, [%rd1];\n") == Approx(64 * 0.875 / 65));
    CHECK(loads("ld.global.f32 %f1, [%rd3];\n").passes == 32);
    CHECK(loads("ld.global.f32 %f1, [%rd1];\n").passes == 1);
}

TEST_CASE("atomics in single precision on one word are distinguished from other atomics") {
    netgen::PtxOptions options;
    options.launch.block = {64, 1, 1};
    const netgen::PtxModule module = netgen::read_ptx(
        ".version 9.0\n.target sm_80\n.entry k(.param .u64 p)\n{\nld.param.u64 %rd1, [k_param_0];\n"
        "red.global.add.f32 [%rd1], 0f3F800000;\nred.global.add.f32 [%rd1+64], 0f3F800000;\n"
        "red.global.add.u32 [%rd1+128], 1;\nret;\n}\n",
        "k.ptx");
    const netgen::KernelProfile kernel =
        netgen::kernel_profile_from_ptx(netgen::analyse_ptx(module, "k", options).profile);
    CHECK(kernel.one_word_float_atomics == 64);
    CHECK(kernel.one_word_atomics == 32);
}

TEST_CASE("what has no unit in the model is named") {
    netgen::PtxExecution ptx;
    ptx.counts[netgen::PtxClass::tensor] = 8;
    ptx.counts[netgen::PtxClass::other] = 1;
    ptx.counts[netgen::PtxClass::texture] = 1;
    const netgen::KernelProfile kernel = netgen::kernel_profile_from_ptx(ptx);
    REQUIRE(kernel.unknowns.size() == 3);
    CHECK(kernel.unknowns[1].starts_with("9 instructions of a warp"));
    CHECK(kernel.other == 9);
}

TEST_CASE("PTX knows widths: conversions, accesses to shared memory") {
    netgen::PtxExecution ptx;
    ptx.counts[netgen::PtxClass::convert] = 9;
    ptx.wide_conversions = 4;
    ptx.integer_conversions = 2;
    ptx.counts[netgen::PtxClass::shared_load] = 2;
    ptx.bytes[netgen::AccessKind::shared_load] = 32;  // 16 bytes per thread and load
    ptx.counts[netgen::PtxClass::shared_store] = 2;
    ptx.bytes[netgen::AccessKind::shared_store] = 2;  // a byte
    const netgen::KernelProfile kernel = netgen::kernel_profile_from_ptx(ptx);
    CHECK(kernel.convert64 == 4);
    CHECK(kernel.convert == 3);
    CHECK(kernel.logic == 2);
    CHECK(kernel.shared_load_transactions == 4);
    CHECK(kernel.shared_store_transactions == 1);
}

TEST_CASE("where one warp of a block does all the work, it gets it all") {
    netgen::PtxExecution ptx;
    ptx.kernel = "k";
    ptx.max_threads = 256;
    ptx.busy_share = 0.125;
    ptx.counts[netgen::PtxClass::float32] = 100;
    ptx.counts[netgen::PtxClass::global_load] = 10;
    ptx.counts[netgen::PtxClass::barrier] = 3;
    const netgen::KernelProfile kernel = netgen::kernel_profile_from_ptx(ptx);
    CHECK(kernel.idle_share == Approx(0.875));
    CHECK(kernel.fp32 == 100);  // a mean
    const netgen::KernelProfile working = netgen::working_profile(kernel);
    CHECK(working.working_warps() == 1);
    CHECK(working.warps_per_block() == 8);  // all of them occupy space
    CHECK(working.fp32 == Approx(800));
    CHECK(working.loads.requests == Approx(80));
    CHECK(working.barriers == 3);
    // If most warps have equal work, the mean is enough.
    ptx.busy_share = 0.9;
    CHECK(netgen::kernel_profile_from_ptx(ptx).idle_share == 0);
    CHECK(netgen::working_profile(netgen::kernel_profile_from_ptx(ptx)) ==
          netgen::kernel_profile_from_ptx(ptx));
}

TEST_CASE("integers of unknown kind are divided as the PTX of the kernel has them") {
    const std::vector<netgen::PtxModule> modules = {
        module_of("_Z3mixILi16EEvPf",
                  "add.s32 %a, %a, 1;\nshl.b32 %a, %a, 1;\nL:\nmul.lo.s32 %a, %a, 3;\nadd.f32 %f, "
                  "%f, %f;\nsetp.lt.s32 %p, %a, %n;\n@%p bra L;\n"),
        module_of("other", "mov.u32 %a, 1;\n")};
    netgen::KernelProfile profile;
    profile.integer = 220;
    REQUIRE(take_integer_kinds(profile, modules, "mix"));
    // One addition and one shift, ten multiplications and ten comparisons of the loop.
    CHECK(profile.integer == Approx(0).margin(1e-12));
    CHECK(profile.logic == Approx(10));
    CHECK(profile.shifts == Approx(10));
    CHECK(profile.multiplies == Approx(100));
    CHECK(profile.compares == Approx(100));
    CHECK(profile.integer_instructions() == Approx(220));
    netgen::KernelProfile without;
    without.integer = 5;
    CHECK_FALSE(take_integer_kinds(without, modules, "other"));
    CHECK_FALSE(take_integer_kinds(without, modules, "ix"));
    CHECK(without.integer == 5);
}

TEST_CASE("names of kernels are found plain and mangled") {
    const std::vector<netgen::PtxModule> modules = {module_of("_Z14transposeNaivePfS_ii", ""),
                                                    module_of("naive", ""), module_of("_ZN3abc4scanEv", ""),
                                                    module_of("_Z15xtransposeNaivev", "")};
    CHECK(netgen::ptx_kernels_of(modules, "transposeNaive").size() == 1);
    CHECK(netgen::ptx_kernels_of(modules, "ransposeNaive").empty());
    CHECK(netgen::ptx_kernels_of(modules, "naive").size() == 1);
    CHECK(netgen::ptx_kernels_of(modules, "scan").size() == 1);
}

TEST_CASE("kernels of a profiler's name are those of its parameters") {
    const std::vector<netgen::PtxModule> modules = {module_of("_Z1kPf", ""), module_of("_Z1kPd", "")};
    CHECK(netgen::ptx_kernels_of(modules, "k").size() == 2);
    CHECK(netgen::ptx_kernels_of(modules, "k", "k(double *)").at(0).kernel == "_Z1kPd");
    CHECK(netgen::ptx_kernels_of(modules, "k", "k(int *)").empty());
}

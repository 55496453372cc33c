#include "netgen/code/ptx/text/memory_operations.hpp"

#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/text/names.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/sass/read_sass.hpp"
#include "netgen/sm/costs.hpp"
#include "netgen/sm/device.hpp"
#include "tests/support/bad_input.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::input_error_of;

namespace {

constexpr std::optional load = netgen::AccessKind::global_load, store = netgen::AccessKind::global_store,
                        shared_load = netgen::AccessKind::shared_load,
                        shared_store = netgen::AccessKind::shared_store;
constexpr std::optional<netgen::AccessKind> nothing = {};

netgen::MemoryOperation operation_of(std::string_view opcode) {
    netgen::PtxFunction function;
    netgen::PtxInstruction instruction;
    instruction.opcode = opcode;
    instruction.ptx_class = netgen::ptx_class_of(opcode);
    // [a], [b], 64 of a copy; [a], 64 of st.bulk.
    for (const std::uint16_t position : {std::uint16_t{1}, std::uint16_t{2}})
        function.operands.push_back(
            {.kind = netgen::PtxOperand::Kind::integer, .position = position, .value = 64});
    instruction.operand_count = 2;
    return netgen::memory_operation(function, instruction).value_or(netgen::MemoryOperation{});
}

/// A kernel in which thread t of a row accesses p + width * t, t counted over the grid.
netgen::PtxReport report_of(const std::string& access, int width, const std::string& before = {},
                            const std::map<std::string, std::int64_t, std::less<>>& params = {}) {
    const std::string text =
        ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %q;\n"
        ".shared .align 128 .b8 sm[4096]; .shared .b64 bar;\n"
        "ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,%ctaid.x; mad.lo.u32 %r1,%r2,128,%r1;\n" +
        before + "\nmul.wide.u32 %rd3,%r1," + std::to_string(width) + "; add.s64 %rd2,%rd1,%rd3;\n" + access +
        "\nret;\n}\n";
    netgen::PtxOptions options;
    options.launch.block = {128, 1, 1};
    options.launch.grid = {100, 1, 1};
    options.launch.params = params;
    const netgen::PtxModule module = netgen::read_ptx(text, "k.ptx");
    netgen::check_ptx_params(module, options);
    return netgen::analyse_ptx(module, "k", options);
}

netgen::KernelProfile profile_with(const std::string& access, int width, const std::string& before = {}) {
    return netgen::kernel_profile_from_ptx(report_of(access, width, before).profile);
}

}  // namespace

TEST_CASE("memory operations: what an opcode moves, how many bytes, and which thread moves them") {
    struct Expected {
        std::string_view opcode;
        std::optional<netgen::AccessKind> kind;
        std::int64_t bytes;
        netgen::MemoryExecutor executor = netgen::MemoryExecutor::thread;
    };
    constexpr netgen::MemoryExecutor one = netgen::MemoryExecutor::one_thread;
    constexpr netgen::MemoryExecutor warp = netgen::MemoryExecutor::warp;
    for (const Expected& expected : {
             Expected{"ld.global.u8", load, 1},
             {"ld.global.nc.L1::no_allocate.v2.f64", load, 16},
             {"ld.global.v8.f32", load, 32},
             {"ld.global.v4.b64", load, 32},
             {"ld.relaxed.gpu.global.b128", load, 16},
             {"ld.shared::cluster.u16", shared_load, 2},
             {"ld.local.f32", nothing, 4},
             {"ld.param.u64", nothing, 8},
             {"st.global.v8.b32", store, 32},
             {"st.shared.v4.f32", shared_store, 16},
             {"st.bulk.weak.shared::cta", shared_store, 64, one},
             {"atom.global.add.u64", store, 8},
             {"atom.global.cas.b128", store, 16},
             {"atom.global.v4.f32.add", store, 16},
             {"atom.shared.add.f64", shared_load, 8},
             {"red.global.add.noftz.bf16x2", store, 4},
             {"red.global.v8.bf16.add.noftz", store, 16},
             {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32", nothing, 4},
             {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32", nothing, 16},
             {"st.async.mmio.release.sys.global.u64", store, 8},
             {"cp.async.ca.shared.global", load, 64},
             {"cp.async.cg.shared::cta.global.L2::128B", load, 64},
             {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", load, 64, one},
             {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", nothing, 64, one},
             {"cp.async.bulk.global.shared::cta.bulk_group", store, 64, one},
             {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32", store, 64, one},
             {"cp.async.bulk.prefetch.L2.global", nothing, 0, one},
             {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", load, 0,
              one},
             {"cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group", store, 0, one},
             {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", store, 0, one},
             {"multimem.ld_reduce.relaxed.sys.global.add.v4.f32", load, 16},
             {"multimem.st.global.f32", store, 4},
             {"multimem.red.relaxed.sys.global.add.v2.f32", store, 8},
             {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", shared_load, 16, warp},
             {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", shared_load, 4, warp},
             {"stmatrix.sync.aligned.m8n8.x2.shared.b16", shared_store, 8, warp},
             {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16", load, 16, warp},
             {"wmma.load.b.sync.aligned.col.m32n8k16.shared.f16", shared_load, 8, warp},
             {"wmma.load.a.sync.aligned.row.m16n16k8.global.tf32", load, 16, warp},
             {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32", store, 32, warp},
             {"suld.b.2d.v2.b32.trap", load, 8},
             {"sust.b.2d.v4.b32.trap", store, 16},
             {"sured.b.add.2d.u32.trap", store, 4},
             {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned", store,
              64, one},
             {"tex.2d.v4.f32.f32", load, 4},
             {"txq.width.b32", nothing, 0},
             {"prefetch.global.L2", nothing, 0},
             {"tcgen05.ld.sync.aligned.32x32b.x2.b32", nothing, 0, warp},
             {"tcgen05.cp.cta_group::1.128x256b", nothing, 0, one},
         }) {
        CAPTURE(expected.opcode);
        const netgen::MemoryOperation operation = operation_of(expected.opcode);
        CHECK(operation.kind == expected.kind);
        CHECK(operation.bytes == expected.bytes);
        CHECK(operation.executor == expected.executor);
        CHECK(netgen::unknown_modifiers(expected.opcode).empty());
    }
    for (const std::string_view opcode : {"cp.async.bulk.wait_group.read", "cp.async.wait_all", "add.f32"})
        CHECK_FALSE(operation_of(opcode).kind);
    for (
        const std::string_view opcode :
        {"tensormap.replace.tile.global_address.shared::cta.b1024.b64", "cvt.rn.satfinite.e4m3x2.f32",
         "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0",
         "tcgen05.mma.cta_group::1.kind::f16.collector::a::use",
         "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16",
         "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64", "fence.proxy.tensormap::generic.acquire.gpu",
         "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::"
         "all.b128",
         "createpolicy.fractional.L2::evict_last.b64", "barrier.cluster.arrive.release.aligned",
         "setp.lt.and.f32"}) {
        CAPTURE(opcode);
        CHECK(netgen::unknown_modifiers(opcode).empty());
    }
    CHECK(netgen::unknown_modifiers("ld.global.L9::frob.f32") == std::vector<std::string_view>{"L9::frob"});
}

TEST_CASE(
    "sectors of wide accesses, atomics and copies follow their bytes, and side by side is not scattered") {
    const netgen::SmDevice device;
    const auto check = [&](const netgen::MemoryRequests& requests, double sectors, double factor) {
        CHECK(requests.requests == 1);
        CHECK(requests.sectors == sectors);
        CHECK(netgen::scatter_factor(device, requests) == factor);
    };
    check(profile_with("ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%rd2];", 16).loads, 16, 1);
    check(profile_with("ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8},[%rd2];", 32).loads, 32, 1);
    check(profile_with("ld.global.f32 %f1,[%rd2];", 32).loads, 32, 2);
    check(profile_with("ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%rd2];", 32).loads, 32, 2);
    check(profile_with("atom.global.add.u64 %rd4,[%rd2],%rd5;", 8).stores, 8, 1);
    check(profile_with("red.global.add.u32 [%rd2],%r1;", 4).stores, 4, 1);
    check(profile_with("red.global.add.u32 [%rd1],%r1;", 4).stores, 1, 1);
    check(profile_with("cp.async.ca.shared.global [sm],[%rd2],4;", 4).loads, 4, 1);
    check(profile_with("cp.async.ca.shared.global [sm],[%rd2],8;", 8).loads, 8, 1);
    check(profile_with("cp.async.cg.shared.global [sm],[%rd2],16;", 16).loads, 16, 1);
    // The bytes that are read, not the bytes that are written, and no bytes at all.
    check(profile_with("cp.async.cg.shared.global [sm],[%rd2],16,4;", 4).loads, 4, 1);
    check(profile_with("cp.async.cg.shared.global [sm],[%rd2],16,%r1;", 16).loads, 16, 1);
    const netgen::PtxReport none = report_of("cp.async.cg.shared.global [sm],[%rd2],16,0;", 16);
    CHECK(netgen::kernel_profile_from_ptx(none.profile).loads.requests == 0);
    CHECK(none.profile.unsized_operations.empty());
}

TEST_CASE("bulk copies: bytes and direction come from the operands, one thread of a warp makes the copy") {
    const std::string in = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sm],[%rd2],";
    const netgen::KernelProfile all = profile_with(in + "4096,[bar];", 16);
    CHECK(all.loads.requests == 1);
    CHECK(all.loads.sectors == 128);
    CHECK(netgen::scatter_factor(netgen::SmDevice{}, all.loads) == 1);
    CHECK(all.stores.requests == 0);
    const netgen::KernelProfile of_register = profile_with(in + "%r4,[bar];", 16, "mov.u32 %r4,2048;");
    CHECK(of_register.loads.sectors == 64);
    const netgen::KernelProfile out =
        profile_with("cp.async.bulk.global.shared::cta.bulk_group [%rd2],[sm],4096;", 16);
    CHECK(out.stores.sectors == 128);
    CHECK(out.loads.requests == 0);
    // Thread 0 of a block of 4 warps.
    const netgen::PtxReport first =
        report_of("@%q bra E;\n" + in + "4096,[bar];\nE:", 16, "setp.ne.u32 %q,%tid.x,0;");
    CHECK(first.profile.averages().transactions[netgen::AccessKind::global_load] == 32);
    CHECK(first.profile.unsized_operations.empty());
    CHECK(first.profile.bytes[netgen::AccessKind::global_load] == 128);
}

TEST_CASE("eight-bit floating-point vectors, and parameters by their address") {
    CHECK(operation_of("multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v8.e5m2").bytes == 8);
    CHECK(operation_of("multimem.ld_reduce.relaxed.sys.global.add.acc::f16.v4.e4m3x4").bytes == 16);
    const netgen::PtxModule module = netgen::read_ptx(
        ".version 9.0\n.target sm_90\n.entry k(.param .align 8 .b8 p[16])\n{\nmov.u64 %a, p;\n"
        "cvta.param.u64 %b, %a;\nld.u64 %c, [%b+8];\nret;\n}\n",
        "k.ptx");
    const netgen::PtxExecution profile = netgen::analyse_ptx(module, "k").profile;
    CHECK(profile.counts[netgen::PtxClass::param_load] == 1);
    CHECK(profile.counts.of("global") == 0);
    CHECK(profile.unresolved_generic == 0);
}

TEST_CASE("copies of unknown size have no traffic and are named, and so are unknown modifiers") {
    const netgen::PtxReport tensor = report_of(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[sm],[%rd1,{%r1,%r2}],[bar];",
        4);
    REQUIRE(tensor.profile.unsized_operations.size() == 1);
    CHECK(tensor.profile.unsized_operations[0].ends_with("complete_tx::bytes (line 11)"));
    CHECK(netgen::kernel_profile_from_ptx(tensor.profile).loads.requests == 0);
    const netgen::PtxReport bulk = report_of(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sm],[%rd2],%r2,[bar];", 16);
    CHECK(bulk.profile.unsized_operations.size() == 1);
    CHECK(bulk.profile.unknown_accesses.empty());
    const netgen::PtxReport modifier = report_of("ld.global.frob.f32 %f1,[%rd2];", 4);
    CHECK(modifier.profile.unknown_modifiers == std::vector<std::string>{".frob of ld.global.frob.f32"});
    CHECK(netgen::kernel_profile_from_ptx(modifier.profile).loads.sectors == 4);
}

TEST_CASE("the bytes of a copy may be given by its line") {
    const std::string tensor =
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[sm],[%rd1,{%r1,%r2}],[bar];";
    // Thread 0 of a block of 4 warps starts it.
    const netgen::PtxReport report =
        report_of("@%q bra E;\n" + tensor + "\nE:", 4, "setp.ne.u32 %q,%tid.x,0;", {{"bytes@12", 4096}});
    CHECK(report.profile.unsized_operations.empty());
    CHECK(report.profile.averages().transactions[netgen::AccessKind::global_load] == 32);
    CHECK(report.profile.bytes[netgen::AccessKind::global_load] == 128);
    const auto error_of = [&](std::int64_t bytes, const std::string& line) {
        return input_error_of([&] { report_of(tensor, 4, {}, {{"bytes@" + line, bytes}}); });
    };
    CHECK(error_of(64, "11").empty());
    CHECK(error_of(0, "11") == "k.ptx: expected at least 1 byte for 'bytes@11'");
    CHECK(error_of(64, "8") ==
          "k.ptx: expected 'bytes@8' to name a line with a memory operation of unknown size, there is 11");
    netgen::PtxOptions options;
    options.launch.params["bytes@3"] = 1024;
    const std::string listing =
        "code for sm_90\nFunction : k\n/*0000*/ UTMALDG.2D [UR8], [UR4] ;\n/*0010*/ EXIT ;\n";
    const netgen::PtxExecution machine =
        netgen::analyse_ptx(netgen::read_sass(listing, "k.sass"), "k", options).profile;
    CHECK(machine.bytes[netgen::AccessKind::global_load] == 32);
    CHECK(netgen::kernel_profile_from_ptx(machine).loads.sectors == 32);
}

TEST_CASE("stores to shared memory of the cluster have no traffic of global memory") {
    const netgen::KernelProfile kernel =
        profile_with("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [sm],%r1,[bar];", 4);
    CHECK(kernel.loads.requests == 0);
    CHECK(kernel.stores.requests == 0);
}

TEST_CASE("ldmatrix: rows of 16 bytes by the threads that give their addresses") {
    const auto passes = [](const std::string& opcode) {
        return report_of(opcode + " [%rd3];", 16)
            .profile.averages()
            .transactions[netgen::AccessKind::shared_load];
    };
    CHECK(passes("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7},") == 4);
    CHECK(passes("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4},") == 1);
}

TEST_CASE("memory operations: parameters that point to a space") {
    const auto counts = [](const std::string& pointer) {
        const netgen::PtxModule module =
            netgen::read_ptx(".version 8.8\n.target sm_90\n.entry k(.param .u64 .ptr " + pointer +
                                 " .align 4 p)\n{\nld.param.u64 %rd1, [p];\n"
                                 "add.u64 %rd2, %rd1, 4;\nld.f32 %f1, [%rd2];\nret;\n}\n",
                             "k.ptx");
        return netgen::analyse_ptx(module, "k", {}).profile;
    };
    CHECK(counts(".shared").counts[netgen::PtxClass::shared_load] == 1);
    CHECK(counts(".const").counts[netgen::PtxClass::constant_load] == 1);
    CHECK(counts(".local").counts[netgen::PtxClass::local_load] == 1);
    for (const char* const global : {".global", ""}) {
        CHECK(counts(global).counts[netgen::PtxClass::global_load] == 1);
        CHECK(counts(global).unresolved_generic == 0);
    }
}

#include "netgen/code/ptx/text/opcodes.hpp"

#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/names.hpp"

#include <string>
#include <utility>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("PTX opcodes have the class of what they ask of the hardware") {
    using enum netgen::PtxClass;
    for (const auto& [opcode, expected] : {
             std::pair{"add.f32", float32},
             {"fma.rn.ftz.f32", float32},
             {"add.rn.f16x2", float16},
             {"fma.rn.bf16", float16},
             {"add.f64", double_},
             {"setp.gtu.f64", double_},
             {"min.f64", double_},
             {"div.rn.f64", double_},
             {"sqrt.rn.f64", double_},
             {"rsqrt.approx.f64", double_},
             {"neg.f64", double_},
             {"mov.f64", move},
             {"selp.f64", compare},
             {"cvt.rn.f64.s32", convert},
             {"cvt.f64.f32", convert},
             {"sin.approx.ftz.f32", special},
             {"sqrt.approx.f32", special},
             {"div.full.f32", special},
             {"tanh.approx.bf16x2", special},
             {"add.s32", integer},
             {"add.cc.u32", integer},
             {"popc.b64", integer},
             {"bfe.u32", integer},
             {"mul.wide.s32", multiply},
             {"mad.lo.cc.u32", multiply},
             {"dp4a.s32.s32", multiply},
             {"mul.f32", float32},
             {"mad.rn.f32", float32},
             {"div.s32", divide},
             {"rem.u64", divide},
             {"lop3.b32", logic},
             {"or.pred", logic},
             {"shf.l.wrap.b32", shift},
             {"setp.lt.s32", compare},
             {"max.f32", compare},
             {"slct.u32.s32", compare},
             {"cvta.to.global.u64", move},
             {"ld.global.nc.L2::128B.v4.f32", global_load},
             {"ld.u32", global_load},
             {"ldu.global.f32", global_load},
             {"ld.volatile.shared::cta.u32", shared_load},
             {"ld.local.f32", local_load},
             {"ld.const.f64", constant_load},
             {"ld.param::entry.u64", param_load},
             {"st.global.v2.f64", global_store},
             {"st.shared::cluster.u32", shared_store},
             {"st.local.u8", local_store},
             {"st.param.b32", param_store},
             {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32", shared_store},
             {"st.async.mmio.release.sys.global.u64", async_copy},
             {"st.bulk.weak.shared::cta", shared_store},
             {"atom.global.add.u32", global_atomic},
             {"atom.shared.cas.b32", shared_atomic},
             {"red.add.f32", global_atomic},
             {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32",
              shared_atomic},
             {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", shared_store},
             {"cp.async.bulk.commit_group", fence},
             {"tex.2d.v4.f32.f32", texture},
             {"sust.b.2d.v2.b32.trap", texture},
             {"cp.async.ca.shared.global", async_copy},
             {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", async_copy},
             {"cp.async.wait_group", fence},
             {"cp.async.commit_group", fence},
             {"cp.async.bulk.wait_group.read", fence},
             {"cp.async.mbarrier.arrive.shared.b64", fence},
             {"cp.async.bulk.prefetch.L2.global", other},
             {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", shared_load},
             {"stmatrix.sync.aligned.m8n8.x4.shared.b16", shared_store},
             {"movmatrix.sync.aligned.m8n8.trans.b16", shuffle},
             {"shfl.sync.down.b32", shuffle},
             {"vote.sync.ballot.b32", vote},
             {"redux.sync.add.s32", vote},
             {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", tensor},
             {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", tensor},
             {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", shared_load},
             {"wmma.store.d.sync.aligned.row.m16n16k16.f32", global_store},
             {"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", tensor},
             {"wgmma.commit_group.sync.aligned", fence},
             {"tcgen05.mma.cta_group::1.kind::f16", tensor},
             {"tcgen05.ld.sync.aligned.32x32b.x2.b32", other},
             {"tcgen05.st.sync.aligned.32x32b.x2.b32", other},
             {"tcgen05.cp.cta_group::1.128x256b", other},
             {"tcgen05.shift.cta_group::1.down", other},
             {"tcgen05.wait::ld.sync.aligned", fence},
             {"multimem.ld_reduce.global.add.f32", global_load},
             {"multimem.st.global.f32", global_store},
             {"multimem.red.global.add.f32", global_atomic},
             {"bar.sync", barrier},
             {"bar.warp.sync", warp_barrier},
             {"barrier.cluster.arrive.aligned", barrier},
             {"mbarrier.try_wait.shared.b64", barrier},
             {"fence.proxy.async", fence},
             {"membar.gl", fence},
             {"bra.uni", branch},
             {"brx.idx", branch},
             {"call.uni", call},
             {"ret", leave},
             {"exit", leave},
             {"trap", leave},
             {"nanosleep.u32", other},
             {"setmaxnreg.inc.sync.aligned.u32", other},
             {"vadd4.s32.s32.s32", integer},
             {"frobnicate.u32", unknown},
             {"adder.u32", unknown},
             {"tcgen06.mma", unknown},
             {"cp.frob.bulk", unknown},
             {"multimem.frob.f32", unknown},
             {"multimem.cp.async.bulk.global.shared::cta.bulk_group", async_copy},
             {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32", async_copy},
             {"", unknown},
         }) {
        CAPTURE(opcode);
        CHECK(to_string(netgen::ptx_class_of(opcode)) == to_string(expected));
    }
}

TEST_CASE("letters: as Berezovskyi13 has them, none for what uses no unit, ? for what is not known") {
    using enum netgen::PtxClass;
    for (const netgen::PtxClass c : {float32, integer, logic, compare, move, convert, vote})
        CHECK(netgen::ptx_letter(c) == 'C');
    for (const netgen::PtxClass c :
         {global_load, shared_store, param_load, local_load, constant_load, shared_atomic, shuffle})
        CHECK(netgen::ptx_letter(c) == 'L');
    CHECK(netgen::ptx_letter(special) == 'S');
    CHECK(netgen::ptx_letter(double_) == 'D');
    for (const netgen::PtxClass c : {branch, call, leave, barrier, warp_barrier, fence, other})
        CHECK(netgen::ptx_letter(c) == '-');
    CHECK(netgen::ptx_letter(unknown) == '?');
}

TEST_CASE("of a device, an L is what waits for memory, as the family warps counts it") {
    for (std::size_t c = 0; c < netgen::ptx_class_count; ++c) {
        const auto ptx_class = static_cast<netgen::PtxClass>(c);
        CAPTURE(to_string(ptx_class));
        netgen::PtxCounts one;
        one[ptx_class] = 1;
        const netgen::WarpCounts warp = netgen::ptx_warp_counts(one);
        CHECK((netgen::ptx_letter(ptx_class, netgen::PtxLetters::of_device) == 'L') ==
              (warp.shared + warp.global == 1));
        CHECK(warp.arith + warp.shared + warp.global == 1);
    }
    using enum netgen::PtxClass;
    for (const netgen::PtxClass c : {param_load, param_store, constant_load})
        CHECK(netgen::ptx_letter(c, netgen::PtxLetters::of_device) == 'C');
    for (const netgen::PtxClass c : {local_load, local_store, texture, async_copy})
        CHECK(netgen::ptx_memory(c) == netgen::PtxMemory::dram);
    CHECK(netgen::ptx_memory(shuffle) == netgen::PtxMemory::shared);
}

TEST_CASE("bytes of an access are its type times its vector") {
    CHECK(netgen::ptx_access_bytes("ld.global.nc.v4.f32") == 16);
    CHECK(netgen::ptx_access_bytes("st.global.u8") == 1);
    CHECK(netgen::ptx_access_bytes("ld.shared.b128") == 16);
    CHECK(netgen::ptx_access_bytes("ld.global.v8.b32") == 32);
    CHECK(netgen::ptx_access_bytes("atom.add.noftz.f16x2") == 4);
    CHECK(netgen::ptx_access_bytes("ld.global.bf16") == 2);
    CHECK(netgen::ptx_access_bytes("cp.async.ca.shared.global") == 0);
}

TEST_CASE("sorted words are found, and nothing else is") {
    constexpr netgen::SortedWords words("a aa ab b bcd c::d d1 d10 d2 x");
    for (const char* word : {"a", "aa", "ab", "b", "bcd", "c::d", "d1", "d10", "d2", "x"}) {
        CAPTURE(word);
        CHECK(words.contains(word));
    }
    for (const char* word :
         {"", " ", "a aa", "aaa", "ac", "bc", "bcde", "c", "c::", "d", "d11", "xx", "y", "A"}) {
        CAPTURE(word);
        CHECK_FALSE(words.contains(word));
    }
    CHECK(netgen::SortedWords("one").contains("one"));
    CHECK_FALSE(netgen::SortedWords("").contains("one"));
}

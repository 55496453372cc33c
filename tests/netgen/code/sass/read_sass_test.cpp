#include "netgen/code/sass/read_sass.hpp"

#include "engine/base/random.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/sass/opcodes.hpp"
#include "tests/netgen/code/ptx/check_ptx.hpp"
#include "tests/support/bad_input.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

// The format of cuobjdump -sass for Volta: encodings next to and below the instructions.
const std::string volta = R"SASS(
Fatbin elf code:
================
arch = sm_70
code version = [1,7]

	code for sm_70
		Function : _Z4axpyPfS_i
	.headerflags	@"EF_CUDA_SM70 EF_CUDA_PTX_SM(EF_CUDA_SM70)"
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;              /* 0x00000a00ff017624 */
                                                                                        /* 0x000fe400078e00ff */
        /*0010*/                   S2R R0, SR_TID.X ;                                   /* 0x0000000000007919 */
                                                                                        /* 0x000e240000002100 */
        /*0020*/                   ISETP.GE.AND P0, PT, R0, c[0x0][0x170], PT ;         /* 0x00005c0000007a0c */
        /*0030*/               @P0 EXIT ;                                               /* 0x000000000000094d */
        /*0040*/                   MOV R2, 0x4 ;
        /*0050*/                   IMAD.WIDE R2, R0, R2, c[0x0][0x160] ;
        /*0060*/                   LDG.E.128.SYS R4, [R2] ;
        /*0070*/                   FFMA R4, R4, R4, R4 ;
        /*0080*/                   IADD3 R0, R0, -0x1, RZ ;
        /*0090*/                   ISETP.NE.AND P1, PT, R0, RZ, PT ;
        /*00a0*/               @P1 BRA 0x60 ;
        /*00b0*/                   STG.E.64.SYS [R2], R4 ;
        /*00c0*/                   EXIT ;
        /*00d0*/                   BRA 0xd0;
        /*00e0*/                   NOP;
		......................................
)SASS";

// The format of nvdisasm for Ampere.
const std::string ampere = R"SASS(	.headerflags	@"EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"
	.elftype	@"ET_EXEC"
//--------------------- .text._Z3sumPd            --------------------------
	.section	.text._Z3sumPd,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=12"
.text._Z3sumPd:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   ULDC.64 UR4, c[0x0][0x118] ;
.L_x_0:
        /*0020*/                   LDG.E.64 R4, [R2.64] ;
        /*0030*/                   F2F.F64.F32 R6, R7 ;
        /*0040*/                   DADD R4, R4, R6 ;
        /*0050*/                   STS.128 [R0], R4 ;
        /*0060*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0070*/                   MUFU.RCP R8, R8 ;
        /*0080*/              @!P0 BRA `(.L_x_0) ;
        /*0090*/                   EXIT ;
.L_x_1:
        /*00a0*/                   BRA `(.L_x_1);
)SASS";

}  // namespace

TEST_CASE("a listing without addresses says what is missing") {
    const std::string text =
        "\t.headerflags\t@\"EF_CUDA_SM89\"\n\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n"
        "      MOV R1, c[0x0][0x28] ;\n";
    REQUIRE(netgen::is_sass(text));
    CHECK(input_error_of([&] { netgen::read_sass(text, "k.sass"); }) ==
          "k.sass: expected instructions behind their addresses (/*0000*/), as cuobjdump -sass and nvdisasm "
          "print them, found none");
}

TEST_CASE("a listing of cuobjdump: counts by class, loops by the address of their branch") {
    CHECK(netgen::is_sass(volta));
    const netgen::PtxModule module = netgen::read_sass(volta, "k.sass");
    CHECK(module.machine_code);
    CHECK(module.target == "sm_70");
    REQUIRE(module.kernels() == std::vector<std::string>{"_Z4axpyPfS_i"});
    netgen::PtxOptions options;
    options.trips["0x60"] = 10;
    const netgen::PtxReport report = netgen::analyse_ptx(module, "_Z4axpyPfS_i", options);
    REQUIRE(report.loops.size() == 1);
    CHECK(report.loops[0].label == "0x60");
    CHECK(report.loops[0].trips == 10);
    const netgen::PtxCounts& counts = report.profile.counts;
    CHECK(counts[netgen::PtxClass::global_load] == 10);
    CHECK(report.profile.bytes[netgen::AccessKind::global_load] == 160);
    CHECK(report.profile.bytes[netgen::AccessKind::global_store] == 8);
    CHECK(counts[netgen::PtxClass::float32] == 10);
    CHECK(counts[netgen::PtxClass::move] == 3);  // IMAD.MOV, S2R, MOV
    CHECK(counts[netgen::PtxClass::compare] == 11);
    CHECK(counts[netgen::PtxClass::branch] == 10);
    CHECK(counts[netgen::PtxClass::leave] == 2);
    CHECK(counts[netgen::PtxClass::unknown] == 0);
    const netgen::KernelProfile kernel = netgen::kernel_profile_from_ptx(report.profile);
    CHECK(kernel.loads.sectors == 16);
    CHECK(kernel.other == 3);  // moves are instructions here
    testing::check_ptx_kernel(module, "_Z4axpyPfS_i", options);
}

TEST_CASE("a listing of nvdisasm: labels of its own, widths and conversions") {
    CHECK(netgen::is_sass(ampere));
    const netgen::PtxModule module = netgen::read_sass(ampere, "k.sass");
    CHECK(module.target == "SM80");
    const netgen::PtxReport report = netgen::analyse_ptx(module, "_Z3sumPd", {.trips = {{".L_x_0", 5}}});
    REQUIRE(report.loops.size() == 1);
    const netgen::PtxExecution& profile = report.profile;
    CHECK(profile.wide_conversions == 5);
    CHECK(profile.counts[netgen::PtxClass::double_] == 5);
    CHECK(profile.counts[netgen::PtxClass::special] == 5);
    CHECK(profile.counts[netgen::PtxClass::barrier] == 5);
    CHECK(profile.bytes[netgen::AccessKind::shared_store] == 80);
    CHECK(profile.bytes[netgen::AccessKind::global_load] == 40);
}

TEST_CASE("opcodes of Volta to Hopper have a counterpart of the right class, others are unknown") {
    const auto class_of = [](std::string_view sass) {
        const std::string_view ptx = netgen::ptx_counterpart_of_sass(sass);
        return ptx.empty() ? netgen::PtxClass::unknown : netgen::ptx_class_of(ptx);
    };
    CHECK(class_of("FADD") == netgen::PtxClass::float32);
    CHECK(class_of("HFMA2.MMA") == netgen::PtxClass::float16);
    CHECK(class_of("DFMA") == netgen::PtxClass::double_);
    CHECK(class_of("IMAD.WIDE") == netgen::PtxClass::multiply);
    CHECK(class_of("IMAD.SHL.U32") == netgen::PtxClass::shift);
    CHECK(class_of("IADD3.X") == netgen::PtxClass::integer);
    CHECK(class_of("LEA.HI.X") == netgen::PtxClass::integer);
    CHECK(class_of("LOP3.LUT") == netgen::PtxClass::logic);
    CHECK(class_of("SHF.R.U32.HI") == netgen::PtxClass::shift);
    CHECK(class_of("FSETP.GT.AND") == netgen::PtxClass::compare);
    CHECK(class_of("SEL") == netgen::PtxClass::compare);
    CHECK(class_of("LDS.U.64") == netgen::PtxClass::shared_load);
    CHECK(class_of("ATOMS.ADD") == netgen::PtxClass::shared_atomic);
    CHECK(class_of("RED.E.ADD.STRONG.GPU") == netgen::PtxClass::global_atomic);
    CHECK(class_of("LDL") == netgen::PtxClass::local_load);
    CHECK(class_of("LDC") == netgen::PtxClass::constant_load);
    CHECK(class_of("SHFL.BFLY") == netgen::PtxClass::shuffle);
    CHECK(class_of("HMMA.16816.F32") == netgen::PtxClass::tensor);
    CHECK(class_of("LDGSTS.E.BYPASS.128") == netgen::PtxClass::async_copy);
    CHECK(class_of("LDGDEPBAR") == netgen::PtxClass::fence);
    CHECK(class_of("I2F") == netgen::PtxClass::convert);
    CHECK(class_of("WARPSYNC") == netgen::PtxClass::warp_barrier);
    CHECK(class_of("NANOSLEEP") == netgen::PtxClass::other);
    CHECK(class_of("FROB") == netgen::PtxClass::unknown);
}

TEST_CASE("Hopper and Blackwell: copies, matrices, reductions and barriers have their class and width") {
    const auto class_of = [](std::string_view sass) {
        const std::string_view ptx = netgen::ptx_counterpart_of_sass(sass);
        return ptx.empty() ? netgen::PtxClass::unknown : netgen::ptx_class_of(ptx);
    };
    for (const std::string_view opcode :
         {"UTMALDG.2D", "UTMASTG.2D", "UBLKCP.S.G", "UTMAREDG.2D.ADD", "UBLKRED"})
        CHECK(class_of(opcode) == netgen::PtxClass::async_copy);
    CHECK(netgen::ptx_counterpart_of_sass("UBLKCP.S.G").starts_with("cp.async.bulk.shared::cluster.global"));
    CHECK(netgen::ptx_counterpart_of_sass("UBLKCP.G.S").starts_with("cp.async.bulk.global.shared"));
    CHECK(class_of("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU") == netgen::PtxClass::global_atomic);
    CHECK(netgen::ptx_access_bytes(netgen::ptx_counterpart_of_sass("ATOMG.E.ADD.64.STRONG.GPU")) == 8);
    CHECK(netgen::ptx_access_bytes(netgen::ptx_counterpart_of_sass("LDG.E.ENL2.256")) == 32);
    CHECK(netgen::ptx_access_bytes(netgen::ptx_counterpart_of_sass("LD.E.128")) == 16);
    CHECK(class_of("LDSM.16.MT88.4") == netgen::PtxClass::shared_load);
    CHECK(class_of("STSM.16.M88.4") == netgen::PtxClass::shared_store);
    for (const std::string_view opcode : {"HGMMA.64x128x16.F32", "QGMMA.64x128x32.F32.E4M3.E4M3", "UTCHMMA"})
        CHECK(class_of(opcode) == netgen::PtxClass::tensor);
    CHECK(class_of("SYNCS.ARRIVE.TRANS64") == netgen::PtxClass::barrier);
    CHECK(class_of("UCGABAR_ARV") == netgen::PtxClass::barrier);
    CHECK(class_of("WARPGROUP.ARRIVE") == netgen::PtxClass::fence);
    CHECK(class_of("UTMACMDFLUSH") == netgen::PtxClass::fence);
    CHECK(class_of("ELECT") == netgen::PtxClass::vote);
    CHECK(class_of("USETMAXREG.DEALLOC.CTAPOOL") == netgen::PtxClass::other);
    CHECK(class_of("VIADDMNMX") == netgen::PtxClass::compare);
}

TEST_CASE("a listing of Hopper: copies of unknown size are named, those of LDGSTS have their bytes") {
    const netgen::PtxModule module = netgen::read_sass(
        ".headerflags @\"EF_CUDA_SM90\"\n.text.k:\n/*0000*/ UTMALDG.2D [UR8], [UR4] ;\n"
        "/*0010*/ LDGSTS.E.BYPASS.128 [R2], [R4.64] ;\n/*0020*/ LDGSTS.E [R2], [R4.64] ;\n/*0030*/ EXIT ;\n",
        "k.sass");
    const netgen::PtxExecution profile = netgen::analyse_ptx(module, "k", {}).profile;
    CHECK(profile.unknown_opcodes.empty());
    REQUIRE(profile.unsized_operations.size() == 1);
    CHECK(profile.unsized_operations[0] == "line 3");
    CHECK(profile.bytes[netgen::AccessKind::global_load] == 20);
    CHECK(netgen::kernel_profile_from_ptx(profile).loads.sectors == 10);
}

TEST_CASE("atomics and surfaces move what their types and widths say") {
    const auto bytes_of = [](std::string_view opcode) {
        return netgen::ptx_access_bytes(netgen::ptx_counterpart_of_sass(opcode));
    };
    for (const auto& [opcode, bytes] :
         std::vector<std::pair<std::string_view, std::int64_t>>{{"REDG.E.MAX.S64.STRONG.GPU", 8},
                                                                {"ATOMG.E.MIN.U64.STRONG.GPU", 8},
                                                                {"ATOMS.MIN.S64", 8},
                                                                {"ATOM.E.ADD.F64.RN", 8},
                                                                {"RED.E.ADD.F16x2.RN", 4},
                                                                {"REDG.E.ADD.F16x4.RN.STRONG.GPU", 8},
                                                                {"REDG.E.ADD.F32x4.RN", 16},
                                                                {"ATOMG.E.ADD.BF16x2_V4", 16},
                                                                {"ATOMG.E.ADD.BF16_V2", 4},
                                                                {"ATOMG.E.CAS.128", 16},
                                                                {"ATOMG.E.ADD.S32", 4},
                                                                {"UREDGR.ADD.U64", 8},
                                                                {"LDGMC.E.ADD.F16x8.RN.STRONG.SYS", 16},
                                                                {"LDGMC.E.ADD.F32x4.RN.STRONG.SYS", 16},
                                                                {"LDGMC.E.MIN.S64.STRONG.GPU", 8},
                                                                {"LDGMC.E.MIN.64", 8},
                                                                {"LDGMC.E.ADD.F32.FTZ.RN", 4},
                                                                {"SUATOM.D.2D.MAX.S64", 8},
                                                                {"SURED.D.2D.ADD.U32", 4},
                                                                {"SULD.D.BA.2D.128.STRONG.SM.TRAP", 16},
                                                                {"SULD.D.BA.1D.64.TRAP", 8},
                                                                {"SULD.D.2D.U8.TRAP", 1},
                                                                {"SULD.P.2D.RGBA.TRAP", 16},
                                                                {"SULD.P.2D.R.TRAP", 4},
                                                                {"SUST.D.BA.2D.128.TRAP", 16},
                                                                {"SUST.D.BA.2D.S16.TRAP", 2},
                                                                {"LDU.E.128", 16},
                                                                {"USTGR.64", 8}}) {
        CAPTURE(opcode);
        CHECK(bytes_of(opcode) == bytes);
        CHECK(netgen::unknown_sass_modifiers(opcode).empty());
    }
    CHECK(netgen::unknown_sass_modifiers("REDG.F64x8x8.S7.F16x_V2").size() == 3);
}

TEST_CASE("matrices of bytes are twice as large as those of halves") {
    CHECK(netgen::ptx_counterpart_of_sass("LDSM.8.MT1616.2") ==
          "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8");
    CHECK(netgen::ptx_counterpart_of_sass("LDSM.8.MT1616") ==
          "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8");
    for (const std::string_view opcode : {"LDSM.8.MT1616.2", "LDSM.U4x16P64TO8.4", "LDSM.U6x16P32TO8.2"})
        CHECK(netgen::unknown_sass_modifiers(opcode).empty());
    CHECK_THROWS_WITH(
        netgen::read_sass("\t.headerflags\t@\"EF_CUDA_SM90\"\n        /*0000*/ EXIT ;\n", "k.sass"),
        Catch::Contains("expected a function before the first instruction, found none"));
}

TEST_CASE("tensor memory and stores to the cluster are no accesses to global memory") {
    const netgen::PtxModule module = netgen::read_sass(
        ".headerflags @\"EF_CUDA_SM100\"\n.text.k:\n"
        "/*0000*/ LDTM.x32 R4, tmem[UR4] ;\n/*0010*/ STTM.x32 tmem[UR4], R4 ;\n"
        "/*0020*/ UTCCP.T.S tmem[UR4], gdesc[UR4] ;\n/*0030*/ LDT R4 ;\n"
        "/*0040*/ STAS [R2.64], R4 ;\n/*0050*/ REDAS [R2.64], R4 ;\n"
        "/*0060*/ UBLKCP.S.S [UR8], [UR4], UR6 ;\n/*0070*/ EXIT ;\n",
        "k.sass");
    const netgen::PtxExecution profile = netgen::analyse_ptx(module, "k", {}).profile;
    const netgen::WarpCounts warps = netgen::ptx_warp_counts(profile.counts);
    CHECK(warps.global == 0);
    CHECK(warps.shared == 3);
    CHECK(warps.arith == 5);
    CHECK(profile.bytes == netgen::ByAccess<std::int64_t>{});
}

TEST_CASE("unknown modifiers are those of the listing, not of counterparts in PTX") {
    const netgen::PtxModule module = netgen::read_sass(
        "code for sm_90\nFunction : k\n/*0000*/ UTMACMDFLUSH ;\n"
        "/*0010*/ UTMAPF.L2.2D [UR4], [UR6] ;\n/*0020*/ EXIT ;\n",
        "k.sass");
    CHECK(netgen::analyse_ptx(module, "k", {}).profile.unknown_modifiers.empty());
    const netgen::PtxModule ptx = netgen::read_ptx(
        ".version 9.0\n.target sm_90\n.entry k()\n{\ncp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 0;\ncp.async.bulk.frob.commit_group;\nret;\n}\n",
        "k.ptx");
    CHECK(netgen::analyse_ptx(ptx, "k", {}).profile.unknown_modifiers ==
          std::vector<std::string>{".frob of cp.async.bulk.frob.commit_group"});
}

TEST_CASE("architectures from sm_30 on are read, all others rejected with their names") {
    for (const std::string_view number : {"30", "52", "75", "90", "100", "120"}) {
        CAPTURE(number);
        CHECK(netgen::is_gpu_architecture(number));
        const std::string text = "code for sm_" + std::string(number) + "\nFunction : f\n/*0000*/ EXIT ;\n";
        CHECK(netgen::read_sass(text, "k.sass").kernels().size() == 1);
    }
    const std::string fermi = "code for sm_20\nFunction : f\n/*0000*/ EXIT ;\n";
    CHECK(input_error_of([&] { netgen::read_sass(fermi, "k.sass"); }) ==
          "k.sass:1: expected machine code of an architecture from sm_30 to sm_121, found 'sm_20'");
    const std::string new_one = ".headerflags @\"EF_CUDA_SM999\"\n.text.k:\n/*0000*/ EXIT ;\n";
    CHECK(input_error_of([&] { netgen::read_sass(new_one, "k.sass"); }) ==
          "k.sass:1: expected machine code of an architecture from sm_30 to sm_121, found 'SM999'");
}

TEST_CASE("jumps are followed, and a kernel that reaches an indirect branch is rejected") {
    const auto report_of = [](const std::string& jump) {
        const std::string text = "code for sm_75\nFunction : k\n/*0000*/ MOV R1, R2 ;\n/*0010*/ " + jump +
                                 " ;\n/*0020*/ EXIT ;\n/*0030*/ LDG.E R6, [R4] ;\n/*0040*/ EXIT ;\n";
        return netgen::analyse_ptx(netgen::read_sass(text, "k.sass"), "k");
    };
    const netgen::PtxReport jumps = report_of("JMP 0x30");
    CHECK(jumps.profile.counts[netgen::PtxClass::global_load] == 1);
    CHECK(jumps.unreachable_instructions == 1);  // the EXIT after it
    for (const std::string indirect : {"BRX R4 -0x20", "@P0 BRX R4", "JMX R4", "BRXU UR4", "JMXU UR4"}) {
        CAPTURE(indirect);
        CHECK(input_error_of([&] { report_of(indirect); }) ==
              "k.sass:4: function 'k' has an indirect branch; expected its targets, found a register");
    }
}

TEST_CASE("what is no listing, and what is cut, is refused with its place") {
    const auto error_of = [](const std::string& text) -> std::string {
        return input_error_of([&] { netgen::read_sass(text, "k.sass"); });
    };
    CHECK_FALSE(netgen::is_sass(".version 7.0\n.target sm_70\n"));
    CHECK_FALSE(netgen::is_sass(""));
    CHECK_THAT(error_of(""), Catch::Contains("found no function"));
    CHECK(error_of("Function : f\n/*0000*/ BRA 0x50 ;\n/*0010*/ EXIT ;\n") ==
          "k.sass:2: a branch to an address without an instruction of this function");
    CHECK(error_of("Function : f\n/*0000*/ BRA `(.L_9) ;\n/*0010*/ EXIT ;\n") ==
          "k.sass:2: a branch to '.L_9', which is no label of this function");
    CHECK(error_of("Function : f\n/*0000*/ @P0 BRA ;\n/*0010*/ EXIT ;\n") ==
          "k.sass:2: expected a branch to a label or an address");
    CHECK(error_of("Function : f\n/*0000*/ @P0 ;\n") ==
          "k.sass:2: expected an instruction after its address, found none");
}

TEST_CASE("listings with a character changed are read or refused, never worse") {
    for (const std::string& whole : {volta, ampere}) {
        read_damaged(whole, CounterRandom(7, 3), 400, [](const std::string& text) {
            const netgen::PtxModule module = netgen::read_sass(text, "k.sass");
            for (const std::string& kernel : module.kernels())
                input_error_of([&] { check_ptx_kernel(module, kernel, {.trips = {{"#1", 3}}}); });
        });
    }
}

TEST_CASE("a listing whose lines are missing is refused") {
    const auto without = [](std::string text, const std::string& line) {
        const std::size_t begin = text.rfind('\n', text.find(line)) + 1;
        return text.erase(begin, text.find('\n', begin) + 1 - begin);
    };
    CHECK_THAT(input_error_of([&] { netgen::read_sass(without(volta, "/*0060*/"), "k.sass"); }),
               Catch::Contains("k.sass:18: expected the instruction at address 0x60, found the one at 0x70: "
                               "lines of the listing are missing"));
    CHECK_THAT(input_error_of([&] { netgen::read_sass(without(ampere, "/*0000*/"), "k.sass"); }),
               Catch::Contains("expected the instruction at address 0x0, found the one at 0x10"));
    const auto pascal = [](const std::string& addresses) {
        std::string text = "\tcode for sm_61\n\t\tFunction : k\n";
        for (std::size_t i = 0; i < addresses.size(); i += 2)
            text += "        /*00" + addresses.substr(i, 2) + "*/ EXIT ;\n";
        return input_error_of([&] { netgen::read_sass(text + "/*0000*/ ;\n", "k.sass"); }, "read");
    };
    CHECK(pascal("0810182830") == "read");
    CHECK_THAT(pascal("08102830"), Catch::Contains("expected the instruction at address 0x18"));
    const std::vector<std::string> warnings = netgen::read_sass(ampere, "k.sass").warnings;
    REQUIRE_FALSE(warnings.empty());
    CHECK(warnings.front() ==
          "k.sass:5: SHI_REGISTERS=12 is ignored: --registers says how many a thread has");
}

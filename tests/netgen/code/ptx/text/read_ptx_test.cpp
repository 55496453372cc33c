#include "engine/base/random.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "tests/netgen/code/ptx/check_ptx.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/shared_data.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

const std::string head = ".version 9.0\n.target sm_80\n.address_size 64\n";

netgen::PtxModule read(const std::string& text) { return netgen::read_ptx(text, "k.ptx"); }
netgen::PtxModule kernel(const std::string& body) { return read(head + ".entry k\n{\n" + body + "}\n"); }

std::string error_of(const std::string& text) {
    return input_error_of([&] { read(text); }, "accepted");
}
// The body begins in line 6.
std::string body_error(const std::string& body) { return error_of(head + ".entry k\n{\n" + body + "}\n"); }

std::string operands_text(const netgen::PtxModule& module, std::size_t instruction) {
    const netgen::PtxFunction& function = module.functions.back();
    std::string text;
    for (const netgen::PtxOperand& operand : function.operands_of(function.instructions[instruction])) {
        text += std::to_string(operand.position) + (operand.in_address ? "@" : ":");
        if (operand.kind == netgen::PtxOperand::Kind::integer) {
            text += std::to_string(operand.value);
        } else {
            text += operand.text;
        }
        text += ' ';
    }
    return text;
}

}  // namespace

TEST_CASE("PTX: operands of all kinds keep their places") {
    const netgen::PtxModule module = kernel(
        "add.s32 %r1, %r2, -4;\n"
        "ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];\n"
        "shfl.sync.bfly.b32 %r20|%p9, %r17, 0x10, 31, -1;\n"
        "st.shared.u32 [sym+-8], 0b101U;\n"
        "mov.f64 %fd1, 0d4008000000000000; mov.f32 %f1, 1.5e3; mov.b32 %r1, 017;\n"
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}];\n"
        "@!%p1 vadd.s32.u32.s32 %r1, %r2.b0, -%r3.h1, %r4;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 64, [%r3];\n");
    CHECK(operands_text(module, 0) == "0:%r1 1:%r2 2:-4 ");
    CHECK(operands_text(module, 1) == "0:%f1 0:%f2 0:_ 0:%f4 1@%rd1 1@16 ");
    CHECK(operands_text(module, 2) == "0:%r20 0:%p9 1:%r17 2:16 3:31 4:-1 ");
    CHECK(operands_text(module, 3) == "0@sym 0@-8 1:5 ");
    CHECK(operands_text(module, 6) == "0:%r1 1:15 ");
    CHECK(operands_text(module, 7) == "0:%f1 0:%f2 0:%f3 0:%f4 1@t 1@%f5 1@%f6 ");
    CHECK(operands_text(module, 8) == "0:%r1 1:%r2.b0 2:%r3.h1 3:%r4 ");
    CHECK(module.functions[0].instructions[8].guard->negated);
    CHECK(module.functions[0].instructions[9].opcode ==
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
    CHECK(module.functions[0].instructions[9].line == 13);
}

TEST_CASE("PTX: a further module is named, and the highest target counts") {
    const std::string one = ".version 8.8\n.target sm_80\n.entry k()\n{\nret;\n}\n";
    const netgen::PtxModule two =
        read(one + ".version 8.7\n.target sm_90a\n.entry l()\n{\nret;\n}\n.target sm_75\n");
    CHECK(two.kernels() == std::vector<std::string>{"k", "l"});
    CHECK(two.target == "sm_90a");
    CHECK(two.warnings == std::vector<std::string>{
                              "k.ptx:7: a further module begins: it is read as a part of the first one"});
    CHECK(read(one).warnings.empty());
}

TEST_CASE("PTX: tuning directives that contradict one another") {
    const auto tuned = [](const std::string& tuning) {
        return read(".version 9.0\n.target sm_90\n.entry k() " + tuning + "\n{\nret;\n}\n").functions.at(0);
    };
    CHECK(tuned(".maxnreg 64 .reqnctapercluster 4, 2 .maxclusterrank 8").cluster ==
          std::array<std::int64_t, 3>{4, 2, 1});
    CHECK(tuned(".maxnreg 64").max_registers == 64);
    CHECK_THROWS_WITH(tuned(".maxnreg 500"),
                      Catch::Contains("expected at most 255 registers after .maxnreg"));
    for (const std::string directive :
         {".maxntid", ".reqntid", ".maxnreg", ".minnctapersm", ".maxclusterrank", ".reqnctapercluster"})
        CHECK_THROWS_WITH(tuned(directive + " 4 " + directive + " 8"),
                          Catch::Contains("expected one " + directive + ", found a second"));
    CHECK_THROWS_WITH(
        tuned(".reqnctapercluster 16 .maxclusterrank 8"),
        "k.ptx:3: function 'k': expected .reqnctapercluster up to the 8 of .maxclusterrank, found 16");
    CHECK(tuned(".reqntid 16, 8 .maxntid 256").max_threads == 128);
    CHECK_THROWS_WITH(tuned(".reqntid 256 .maxntid 128"),
                      Catch::Contains("expected .reqntid up to the 128 of .maxntid, found 256"));
}

TEST_CASE("PTX: pragmas that change counts are named") {
    const netgen::PtxModule module = read(
        ".version 9.0\n.target sm_90\n.pragma \"enable_smem_spilling\";\n.entry k()\n{\n"
        "L:\n.pragma \"frequency 10\";\n.pragma \"nounroll\", \"used_bytes_mask 0xf\";\nbra L;\n}\n");
    CHECK(module.warnings ==
          std::vector<std::string>{
              "k.ptx:3: pragma \"enable_smem_spilling\": shared memory to which registers are spilled is not "
              "counted",
              "k.ptx:7: pragma \"frequency 10\" is ignored: --trips and --taken say how often blocks run"});
}

TEST_CASE("PTX: what is around functions") {
    const netgen::PtxModule module = read(
        "// a comment\n.version 8.7 /* another\n one */\n.target sm_90a, debug\n.address_size 64\n"
        ".const .align 8 .b8 coef[32];\n.global .u32 counter, other = 5;\n.extern .shared .align 16 .b8 "
        "dyn[];\n"
        ".shared .align 4 .v2 .f32 s[4][8];\n.global .align 1 .b8 $str[3] = {107, 61, {1}};\n"
        ".weak .func (.param .b32 r) f (.param .align 8 .b8 p[16]) .noreturn;\n"
        ".visible .func (.reg .f32 r) f(.reg .f32 x)\n{\nret;\n}\n"
        ".visible .entry k(\n.param .u64 .ptr .global .align 4 a\n)\n"
        ".maxntid 32, 4, 2\n.minnctapersm 3\n.pragma \"abi\";\n{\n.shared .b64 t[10];\n.loc 1 2 3, "
        "function_name $L, inlined_at 1 2\nret;\n}\n"
        ".file 1 \"a;{.cu\"\n.section .debug_str\n{\n$L:\n.b8 1\n}\n.alias g, f;\n");
    CHECK(module.version == "8.7");
    CHECK(module.target == "sm_90a");
    CHECK(module.shared.size() == 2);
    CHECK(module.shared[0].bytes == 0);
    CHECK(module.shared[1].bytes == 2 * 4 * 4 * 8);
    REQUIRE(module.functions.size() == 2);
    CHECK(module.functions[0].has_body);
    CHECK_FALSE(module.functions[0].is_kernel);
    CHECK(module.functions[1].max_threads == 256);
    CHECK(module.functions[1].required_block == std::array<std::int64_t, 3>{});
    CHECK(module.functions[1].min_blocks == 3);
    REQUIRE(module.functions[1].shared.size() == 1);
    CHECK(module.functions[1].shared[0].bytes == 80);
    CHECK(module.functions[1].shared[0].alignment == 8);
    CHECK(module.shared[0].alignment == 16);
    CHECK(module.shared[1].alignment == 4);
    CHECK(module.kernels() == std::vector<std::string>{"k"});
}

TEST_CASE("PTX: scopes have their own labels and registers") {
    const netgen::PtxModule module = kernel(
        "mov.u32 %r1, 1;\n"
        "{\n.reg .b32 %r<2>;\nL: mov.u32 %r1, 2;\n@p bra L;\nbra Out;\n}\n"
        "{\n.reg .b32 x;\nL: mov.u32 %r1, 3; mov.u32 x, %r2;\n@p bra L;\n}\n"
        "Out: ret;\n");
    const netgen::PtxFunction& function = module.functions[0];
    const auto written = [&](std::size_t i) { return function.operands_of(function.instructions[i])[0].reg; };
    CHECK(written(0) == written(4));
    CHECK(written(0) != written(1));
    REQUIRE(function.targets.size() == 3);
    CHECK(function.labels[function.targets[0]].instruction == 1);
    CHECK(function.labels[function.targets[1]].name == "Out");
    CHECK(function.labels[function.targets[2]].instruction == 4);
    CHECK(body_error("bra L;\n{\nL: ret;\n}\n") ==
          "k.ptx:6: a branch to 'L', which is no label of this function");
}

TEST_CASE("PTX that is malformed is refused with its place") {
    CHECK(error_of("") == "k.ptx:1:1: expected .version, found the end of the file");
    CHECK(error_of("hello") == "k.ptx:1:1: expected .version, found 'hello'");
    CHECK(error_of(".version 9\n") == "k.ptx:1:10: expected a version such as 9.0, found '9'");
    CHECK(error_of(".version 9.0\n.entry k\n") == "k.ptx:2:1: expected .target, found '.entry'");
    CHECK(error_of(head + "add.s32 a, b;\n") ==
          "k.ptx:4:1: expected a directive such as .entry, found 'add.s32'");
    CHECK(error_of(head + ".wrong x;\n") == "k.ptx:4: expected a directive such as .entry, found '.wrong'");
    CHECK(error_of(head + ".entry k(\n") ==
          "k.ptx:5:1: expected .param, .reg or ')', found the end of the file");
    CHECK(error_of(head + ".entry k(]\n") == "k.ptx:4:10: expected .param, .reg or ')', found ']'");
    CHECK(error_of(head + ".entry (.param .b32 a)\n") ==
          "k.ptx:5:1: expected the name of a function, found the end of the file");
    CHECK(error_of(head + ".entry k\n") ==
          "k.ptx:5:1: expected '{' before the body of a function, found the end of the file");
    CHECK(error_of(head + ".entry k\n{ret;}\n.entry k\n{ret;}\n") ==
          "k.ptx:6: function 'k' is there a second time, first in line 4");
    CHECK(error_of(head + ".shared .b8 s[x];\n") == "k.ptx:4:15: expected a size or ']', found 'x'");
    CHECK(error_of(head + ".shared .b64 s[1000000][1000000][1000000];\n") ==
          "k.ptx:4:32: a variable of more than 2^40 bytes");
    CHECK(error_of(head + ".entry k\n.maxntid 65536, 65536, 1\n{ret;}\n") ==
          "k.ptx:5:22: numbers after .maxntid whose product exceeds 2^31 - 1");
    CHECK(error_of(head + "/* open") == "k.ptx:4:1: a comment begins here and does not end, expected '*/'");
    CHECK(error_of(head + ".pragma \"open;\n") ==
          "k.ptx:4:9: a string begins here and does not end on its line");
    CHECK(error_of(head + "\x01") == "k.ptx:4:1: '?' begins nothing that PTX has");
}

TEST_CASE("malformed bodies are refused with their place") {
    CHECK(body_error("ret\n") == "k.ptx:7:1: expected an operand, found '}'");
    CHECK(body_error("add.s32 %r1 %r2;\n") == "k.ptx:6:13: expected ';' after an instruction, found '%r2'");
    CHECK(body_error("add.s32 %r1, ;\n") == "k.ptx:6:14: expected an operand, found ';'");
    CHECK(body_error("  @p ;\n") == "k.ptx:6:6: expected an instruction, found ';'");
    CHECK(body_error("@ ;\n") == "k.ptx:6:3: expected a predicate after '@', found ';'");
    CHECK(body_error("ld.u32 %r1, [%r2;\n") == "k.ptx:6:17: expected ']' or ',', found ';'");
    CHECK(body_error("%r1 = 5;\n") == "k.ptx:6:5: expected an instruction before '%r1', found '='");
    CHECK(body_error("mov.f32 %f1, 0f12;\n") ==
          "k.ptx:6:14: expected a number of at most 64 bits, found '0f12'");
    CHECK(body_error("mov.u32 %r1, 09;\n") == "k.ptx:6:14: expected a number of at most 64 bits, found '09'");
    CHECK(body_error("mov.u64 %r1, 18446744073709551616;\n") ==
          "k.ptx:6:14: expected a number of at most 64 bits, found '18446744073709551616'");
    CHECK(body_error("mov.u64 %, 1;\n") == "k.ptx:6:9: expected the name of a register after '%'");
    CHECK(body_error("bra Nowhere;\n") ==
          "k.ptx:6: a branch to 'Nowhere', which is no label of this function");
    CHECK(body_error("bra;\n") == "k.ptx:6: expected a label after 'bra'");
    CHECK(body_error("brx.idx %r1, T;\n") == "k.ptx:6: no .branchtargets list 'T' in this function");
    CHECK(body_error("T: .branchtargets A, 5;\n") == "k.ptx:6:22: expected a label, found '5'");
    CHECK(body_error("L: ret;\nL: ret;\n") == "k.ptx:7: label 'L' is there a second time, first in line 6");
    CHECK(body_error("call (r);\n") == "k.ptx:6: a call without a function");
    CHECK(body_error(".reg .b32 %r<x>;\n") == "k.ptx:6:14: expected how many registers, found 'x'");
    CHECK(body_error("{\nret;\n") ==
          "k.ptx:9:1: expected an instruction, a label, a directive, or '}' of the '{' in line 5, found the "
          "end of the file");
    CHECK(body_error("mov.b32 r, " + std::string(20, '{') + "\n") ==
          "k.ptx:6:29: brackets nested more than 16 deep");
}

// Every truncated file is rejected, or still passes the check for every kernel.
TEST_CASE("the corpus of the fuzzer, whole, cut and damaged") {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_dir() / "tests/fuzz/corpus/read_ptx")) {
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        CAPTURE(entry.path().filename().string());
        CHECK_NOTHROW(check_ptx(text));
        CounterRandom random(5, ++files);
        for (int round = 0; round < 20; ++round) {
            const auto at = random.below(static_cast<std::uint32_t>(text.size()) + 1);
            CAPTURE(round, at);
            CHECK_NOTHROW(check_ptx(text.substr(0, at)));
            std::string damaged = text;
            damaged.erase(at, 1 + random.below(20));
            CHECK_NOTHROW(check_ptx(damaged));
        }
    }
    CHECK(files >= 5);
}

TEST_CASE("PTX: constant expressions are computed") {
    const auto value = [](const std::string& text) {
        const netgen::PtxModule module = kernel("mov.u64 %rd1, " + text + ";\n");
        return operands_text(module, 0);
    };
    CHECK(value("(1<<3)+2") == "0:%rd1 1:10 ");
    CHECK(value("2+3*4-1") == "0:%rd1 1:13 ");
    CHECK(value("-(2+3)*-4") == "0:%rd1 1:20 ");
    CHECK(value("~5 & 0xF") == "0:%rd1 1:10 ");
    CHECK(value("!0 + !7") == "0:%rd1 1:1 ");
    CHECK(value("1 ? 2 : 0 ? 3 : 4") == "0:%rd1 1:2 ");
    CHECK(value("0 ? 2 : 0 ? 3 : 4") == "0:%rd1 1:4 ");
    CHECK(value("17 % 5 == 2 && 7 / 2 >= 3 || 0") == "0:%rd1 1:1 ");
    CHECK(value("1 | 6 ^ 2") == "0:%rd1 1:5 ");
    CHECK(value("(.u64)(1 << 4 >> 2) != 4") == "0:%rd1 1:0 ");
    CHECK(operands_text(kernel("st.shared.u32 [buf+4*2], %r1;\n"), 0) == "0@buf 0@8 1:%r1 ");
    CHECK(operands_text(kernel("ld.shared.u32 %r1, [buf+16-4];\n"), 0) == "0:%r1 1@buf 1@12 ");
    CHECK(operands_text(kernel("call (%r1), f, (%r2, 4+1);\n"), 0) == "0:%r1 1:f 2:%r2 2:5 ");
    CHECK(read(head + ".shared .b8 s[4*32];\n.entry k\n{\nmov.u32 %r1, s;\nret;\n}\n").shared[0].bytes ==
          128);
    CHECK(body_error("mov.u32 %r1, 1+;\n") == "k.ptx:6:16: expected a number, found ';'");
    CHECK(body_error("mov.u32 %r1, (1+2;\n") == "k.ptx:6:18: expected ')', found ';'");
    CHECK(body_error("mov.u32 %r1, 1 ? 2;\n") == "k.ptx:6:19: expected ':', found ';'");
    CHECK(body_error("mov.u32 %r1, (1 ? 2);\n") == "k.ptx:6:21: expected ':', found ';'");
    CHECK(body_error("mov.u32 %r1, 4/(2-2);\n") == "k.ptx:6:21: a constant is divided by zero");
    CHECK(body_error("mov.u32 %r1, " + std::string(1001, '(') + "1" + std::string(1001, ')') + ";\n")
              .ends_with("a constant expression nested more than 1000 deep"));
}

TEST_CASE("PTX: versions and architectures that do not exist are warnings, wrong operands errors") {
    const auto module = [](const std::string& head, const std::string& code = "") {
        return netgen::read_ptx(head +
                                    "\n.address_size 64\n.entry k() {\n.reg .b32 %r<9>;\n.reg .b64 %rd1;\n"
                                    ".reg .pred %p;\n" +
                                    code + "\nret;\n}\n",
                                "k.ptx");
    };
    CHECK(module(".version 8.0\n.target sm_80").warnings.empty());
    CHECK(module(".version 99.9\n.target sm_80").warnings ==
          std::vector<std::string>{"k.ptx:1: unknown version 99.9: read as version 9, instructions that it "
                                   "adds have no class"});
    CHECK(module(".version 8.0\n.target sm_999").warnings ==
          std::vector<std::string>{"k.ptx:2: unknown target 'sm_999' is ignored"});
    const auto code = [&](const std::string& text) {
        return input_error_of([&] { module(".version 8.0\n.target sm_80", text); }, "read");
    };
    CHECK(code("add.s32 %r1, %r2;") == "k.ptx:8: expected 3 operands of 'add.s32', found 2");
    CHECK(code("shfl.sync.bfly.b32 %r1, %r2, 1;") ==
          "k.ptx:8: expected 4 or 5 operands of 'shfl.sync.bfly.b32', found 3");
    CHECK(code("atom.global.add.u32 %r1, [%r2];") ==
          "k.ptx:8: expected 3 to 5 operands of 'atom.global.add.u32', found 2");
    CHECK(code("ld.global.u32 %r1;") == "k.ptx:8: expected 2 or 3 operands of 'ld.global.u32', found 1");
    CHECK(code("mov.u32 %r1, %r2, %r3;") == "k.ptx:8: expected 2 operands of 'mov.u32', found 3");
    CHECK(code("ret %r1;") == "k.ptx:8: expected 0 operands of 'ret', found 1");
    for (const char* const right :
         {"ld.global.v2.u32 {%r1, %r2}, [%rd1+8];", "setp.lt.and.s32 %p|_, %r1, %r2, !%p;",
          "lop3.or.b32 %r1|%p, %r2, %r3, %r4, 0x3f, %p;", "min.s32 %r1, %r2, %r3;", "bra.uni L;\nL:"})
        CHECK(code(right) == "read");
}

TEST_CASE("PTX: constant operands and vectors are in the ranges that ptxas checks") {
    // Accepted and rejected instructions according to ptxas 13.0.
    const auto fault = [](const std::string& target, const std::string& instruction) {
        return error_of(".version 9.0\n.target " + target + "\n.entry k\n{\n" + instruction + "\n}\n");
    };
    const std::string bulk =
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], ";
    const std::string v8 = " {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1];";
    for (const std::string& accepted :
         {std::string("cp.async.ca.shared.global [%r1], [%rd1], 4, 4;"),
          std::string("cp.async.ca.shared.global [%r1], [%rd1], 16, %r2;"),
          std::string("cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16, 0;"),
          bulk + "0, [%r1];",
          bulk + "48, [%r1];",
          bulk + "%r2, [%r1];",
          std::string("setmaxnreg.inc.sync.aligned.u32 232;"),
          std::string("bar.sync 15;"),
          std::string("bar.sync %r1, 64;"),
          std::string("bar.sync 1, 0;"),
          std::string("bar.warp.sync 0xffffffff;"),
          std::string("barrier.cluster.arrive.aligned;"),
          std::string("bar.red.and.pred %p1, 2, 64, !%p2;"),
          std::string("bar.red.popc.u32 %r2, 1, %p1;"),
          std::string("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];"),
          std::string("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r5];"),
          std::string("ld.global.v2.f32 {%f1, _}, [%rd1];"),
          std::string("ld.global.v4.f32 %v1, [%rd1];"),
          std::string("red.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};"),
          std::string("pmevent 15;"),
          std::string("mbarrier.init.shared.b64 [%r1], 1;"),
          std::string("bfe.u32 %r1, %r2, 255, 3;")}) {
        CAPTURE(accepted);
        CHECK(fault("sm_90a", accepted) == "accepted");
    }
    CHECK(fault("sm_100", "ld.global.v8.f32" + v8) == "accepted");
    CHECK(fault("sm_100", "ld.v4.b64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];") == "accepted");
    CHECK(fault("sm_100a", "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;") ==
          "accepted");
    for (const auto& [rejected, why] : std::vector<std::pair<std::string, std::string>>{
             {"cp.async.ca.shared.global [%r1], [%rd1], 4, 8;",
              "k.ptx:5: expected a number from 0 to 4 as operand 4 of 'cp.async.ca.shared.global', found 8"},
             {"cp.async.ca.shared.global [%r1], [%rd1], 4, -1;", "from 0 to 4 as operand 4"},
             {"cp.async.ca.shared.global [%r1], [%rd1], 5;", "a power of two from 4 to 16 as operand 3"},
             {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "from 16 to 16 as operand 3"},
             {bulk + "8, [%r1];", "a multiple of 16 as operand 3"},
             {"cp.async.bulk.prefetch.L2.global [%rd1], 24;", "a multiple of 16 as operand 2"},
             {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 8;",
              "multiple of 16"},
             {"setmaxnreg.dec.sync.aligned.u32 20;",
              "expected a multiple of 8 from 24 to 256 as operand 1 of 'setmaxnreg.dec.sync.aligned.u32', "
              "found 20"},
             {"bar.sync 16;", "from 0 to 15 as operand 1"},
             {"bar.sync 1, 33;", "a multiple of 32 as operand 2"},
             {"bar.arrive 1, 0;", "operand 2 of 'bar.arrive', found 0"},
             {"barrier.cta.red.and.pred %p1, 16, %p2;", "from 0 to 15 as operand 2"},
             {"bar.red.popc.u32 %r2, 1, 33, %p1;", "a multiple of 32 as operand 3"},
             {"ldmatrix.sync.aligned.m8n8.x8.shared.b16 {%r1, %r2}, [%r5];", "expected .x1, .x2 or .x4 in"},
             {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r5];",
              "expected 4 registers as operand 1"},
             {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {%r1, %r2};",
              "expected 4 registers as operand 2"},
             {"ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {%r1, %r2}, [%r5];", "expected .x1 or .x2 in"},
             {"ld.global.v2.f32 {%f1, %f2, %f3}, [%rd1];", "expected 2 registers as operand 1"},
             {"ld.global.f32 {%f1, %f2}, [%rd1];", "expected 1 register as operand 1"},
             {"st.global.v4.f32 [%rd1], {%f1, %f2};", "expected 4 registers as operand 2"},
             {"ld.global.v8.f32" + v8,
              "expected up to 16 bytes, or 32 for sm_100 and newer, in "
              "'ld.global.v8.f32', found 32"},
             {"ld.shared.v4.f64 {%d1, %d2, %d3, %d4}, [%r1];", "expected up to 16 bytes in"},
             {"pmevent 16;", "from 0 to 15"},
             {"mbarrier.init.shared.b64 [%r1], 0;", "from 1 to 1048575"},
             {"mbarrier.arrive.shared.b64 %rd1, [%r1], 0;", "from 1 to 1048575 as operand 3"},
             {"bfi.b32 %r1, %r2, %r3, 300, 1;", "from 0 to 255 as operand 4"}}) {
        CAPTURE(rejected);
        CHECK_THAT(fault("sm_90a", rejected), Catch::Matchers::Contains(why));
    }
    CHECK_THAT(fault("sm_100a", "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 48;"),
               Catch::Matchers::Contains("a power of two from 32 to 512 as operand 2"));
    const auto tuning = [](const std::string& text) {
        return error_of(head + ".entry k " + text + "\n{\nret;\n}\n");
    };
    for (const char* zero : {".reqntid", ".maxntid", ".maxnreg", ".minnctapersm"})
        CHECK(tuning(zero + std::string(" 0")) ==
              "k.ptx:4: expected a number above 0 after " + std::string(zero));
    CHECK_THAT(tuning(".reqntid"), Catch::Matchers::Contains("expected a number after .reqntid"));
    CHECK_THAT(tuning(".maxntid 1, 2, 3, 4"), Catch::Matchers::Contains("expected the end of .maxntid"));
    CHECK_THAT(tuning(".maxnreg 1, 2"), Catch::Matchers::Contains("expected the end of .maxnreg"));
    const netgen::PtxModule clusters = read(head + ".entry k .reqnctapercluster 2, 0\n{\nret;\n}\n");
    CHECK(clusters.functions.at(0).cluster[0] == 0);
    CHECK(clusters.warnings.at(0) == "k.ptx:4: .reqnctapercluster of 0 blocks is ignored");
}

#include "netgen/code/sass/control_flow.hpp"

#include "engine/base/random.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/sass/read_sass.hpp"
#include "tests/netgen/code/ptx/check_ptx.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A listing with an instruction at every address: 16 bytes apart since Volta, 8 before. A line that ends
/// with a colon is a label.
std::string listing(int architecture, const std::vector<std::string>& lines) {
    std::string text = fmt::format("\tcode for sm_{}\n\t\tFunction : k\n", architecture);
    int address = 0;
    for (const std::string& line : lines) {
        if (line.ends_with(':')) {
            text += line + "\n";
            continue;
        }
        text += fmt::format("        /*{:04x}*/  {} ;\n", address, line);
        address += architecture < 70 ? 8 : 16;
    }
    return text;
}

netgen::PtxReport report_of(int architecture, const std::vector<std::string>& lines,
                            netgen::PtxOptions options = {}) {
    const netgen::PtxModule module = netgen::read_sass(listing(architecture, lines), "k.sass");
    check_ptx_kernel(module, "k", options);
    return netgen::analyse_ptx(module, "k", options);
}

std::string error_of(int architecture, const std::vector<std::string>& lines) {
    return input_error_of([&] { report_of(architecture, lines); }, "read");
}

std::int64_t count(const netgen::PtxReport& report, netgen::PtxClass ptx_class) {
    return report.profile.counts[ptx_class];
}

}  // namespace

TEST_CASE("listings of Maxwell begin behind a word of control, and branches lead to such words") {
    const std::string text =
        "\tcode for sm_52\n\t\tFunction : k\n"
        "        /*0008*/  MOV R1, c[0x0][0x20] ;\n        /*0010*/  @P0 BRA 0x20 ;\n"
        "        /*0018*/  LDG.E R2, [R2] ;\n        /*0028*/  STG.E [R2], R2 ;\n        /*0030*/  EXIT ;\n";
    REQUIRE(netgen::is_sass(text));
    const netgen::PtxReport report = netgen::analyse_ptx(netgen::read_sass(text, "k.sass"), "k", {});
    CHECK(report.profile.counts.total() == 5);
    CHECK(report.blocks.size() == 3);
}

TEST_CASE("what an instruction waits for is no operand, and an indirect call may be noted") {
    const netgen::PtxReport report =
        report_of(120, {"LDC R1, c[0x0][0x37c] &wr=0x0 ?trans1", "@P0 EXIT &req={0,1} ?trans5",
                        "CALL.ABS.NOINC R2 (*\"INDIRECT_CALL\"*)", "EXIT ?WAIT13_END_GROUP"});
    CHECK(report.profile.counts.total() == 4);
    CHECK(error_of(120, {"EXIT ?other"}).find("found '?other'") != std::string::npos);
}

TEST_CASE("a branch with a condition among its operands or modifiers leaves both ways open") {
    // The load after the branch counts unless the branch is always taken.
    const auto loads_behind = [](const std::string& branch) {
        return count(report_of(90, {branch, "LDG.E R2, [R2.64]", "EXIT", "STG.E [R2.64], R2", "EXIT"}),
                     netgen::PtxClass::global_load);
    };
    for (const std::string conditional : {"@P0 BRA 0x30",
                                          "@!UP6 BRA 0x30",
                                          "BRA P0, 0x30",
                                          "BRA !P1, 0x30",
                                          "BRA.U UP0, 0x30",
                                          "BRA.U !UP0, 0x30",
                                          "@P0 BRA P1, 0x30",
                                          "BRA.DIV UR4, 0x30",
                                          "BRA.DIV ~URZ, 0x30",
                                          "BRA.DIV P0, URZ, 0x30",
                                          "BRA.CONV ~URZ, 0x30",
                                          "BRA.CONV 0x30",
                                          "BRA R4, 0x30",
                                          "BRA CC.NE, 0x30",
                                          "BRA.U.NOT_TID0 0x30",
                                          "BRA.FROB 0x30",
                                          "JMP P0, 0x30",
                                          "JMP.U UP0, 0x30",
                                          "EXIT P1",
                                          "EXIT CC.LT",
                                          "EXIT !P1",
                                          "EXIT.FROB",
                                          "@P0 EXIT",
                                          "RET.REL.NODEC P0, R20 0x0",
                                          "RET CC.GE",
                                          "KILL P0",
                                          "KIL CC.EQ",
                                          "@P0 BPT.TRAP 0x1",
                                          "BPT.INT 0x1",
                                          "BPT.PAUSE 0x0",
                                          "@P0 RTT"}) {
        CAPTURE(conditional);
        CHECK(loads_behind(conditional) == 1);
    }
    for (const std::string always :
         {"BRA 0x30", "@PT BRA 0x30", "BRA.U 0x30", "BRA.U UPT, 0x30", "BRA PT, 0x30", "BRA CC.T, 0x30",
          "BRA.INC 0x30", "JMP 0x30", "JMP.U 0x30", "EXIT", "EXIT PT", "EXIT.NO_ATEXIT", "EXIT.KEEPREFCOUNT",
          "RET", "RET.ABS.NODEC R20 0x0", "RET.REL.NODEC R20 `(k)", "KILL", "BPT.TRAP 0x1",
          "RTT.TERMINATE"}) {
        CAPTURE(always);
        CHECK(loads_behind(always) == 0);
    }
    for (const std::string never : {"@!PT BRA 0x30", "@!UPT BRA 0x30", "BRA.U !UPT, 0x30", "BRA !PT, 0x30",
                                    "BRA CC.F, 0x30", "@!PT EXIT", "EXIT CC.F", "EXIT !PT"}) {
        CAPTURE(never);
        const netgen::PtxReport report =
            report_of(90, {never, "LDG.E R2, [R2.64]", "EXIT", "STG.E [R2.64], R2", "EXIT"});
        CHECK(count(report, netgen::PtxClass::global_load) == 1);
        CHECK(count(report, netgen::PtxClass::global_store) == 0);
        CHECK(count(report, netgen::PtxClass::move) == 1);
        CHECK(report.profile.both_sides.empty());
    }
}

TEST_CASE("a loop that a uniform predicate closes goes on behind it") {
    const netgen::PtxReport report =
        report_of(100, {"MOV R1, R2", "LDG.E R2, [R2.64]", "BRA.U !UP0, 0x10", "STG.E [R2.64], R2", "EXIT"},
                  {.trips = {{"0x10", 64}}});
    CHECK(count(report, netgen::PtxClass::global_load) == 64);
    CHECK(count(report, netgen::PtxClass::global_store) == 1);
    CHECK(report.unreachable_instructions == 0);
}

TEST_CASE("operands that control flow does not have are rejected") {
    for (const auto& [instruction, operand] :
         std::vector<std::pair<std::string, std::string>>{{"BRA SR5, 0x20", "SR5"},
                                                          {"BRA P8, 0x20", "P8"},
                                                          {"BRA 0x10, 0x20", "0x20"},
                                                          {"EXIT R1", "R1"},
                                                          {"KILL UR4", "UR4"},
                                                          {"SYNC 0x20", "0x20"},
                                                          {"BRX R2 (*\"FROB\"*)", "(*\"FROB\"*)"},
                                                          {"CALL.REL.NOINC FOO", "FOO"}}) {
        CAPTURE(instruction);
        const std::string opcode = instruction.substr(0, instruction.find(' '));
        const std::string expected = "k.sass:3: expected a target, a predicate or a register as operand of " +
                                     opcode + ", found '" + operand + "'";
        CHECK(error_of(90, {instruction, "NOP", "EXIT"}) == expected);
    }
}

TEST_CASE("what is never executed is issued and moves nothing") {
    const netgen::PtxReport report =
        report_of(80, {"@!PT LDS RZ, [RZ]", "@!UPT LDG.E.128 R4, [R2.64]", "@!PT LDGSTS.E [R2], [R4.64]",
                       "@!PT CALL.REL.NOINC 0x1000", "@PT LDS R4, [R2]", "EXIT"});
    CHECK(count(report, netgen::PtxClass::shared_load) == 1);
    CHECK(count(report, netgen::PtxClass::move) == 4);
    CHECK(report.profile.bytes[netgen::AccessKind::global_load] == 0);
    CHECK(report.not_in_file.empty());
}

TEST_CASE("calls to code of the listing count like those of PTX") {
    const std::vector<std::string> code = {"LDG.E R2, [R2.64]",
                                           "CALL.REL.NOINC 0x60",
                                           "@P0 BRA 0x0",
                                           "STG.E [R2.64], R2",
                                           "EXIT",
                                           "BRA 0x50",
                                           "MUFU.RCP R3, R3",
                                           "@P1 BRA 0x60",
                                           "FFMA R2, R2, R2, R2",
                                           "RET.REL.NODEC R20 0x0"};
    const netgen::PtxReport report = report_of(90, code, {.trips = {{"0x0", 5}, {"0x60", 3}}});
    CHECK(count(report, netgen::PtxClass::special) == 15);
    CHECK(count(report, netgen::PtxClass::float32) == 5);
    CHECK(count(report, netgen::PtxClass::call) == 5);
    CHECK(count(report, netgen::PtxClass::leave) == 6);
    CHECK(report.not_in_file.empty());
    CHECK(report.unreachable_instructions == 1);
    REQUIRE(report.loops.size() == 2);
    CHECK(report.loops[1].function == "0x60");
    // Nested loops; with a label of nvdisasm; up to Pascal.
    const netgen::PtxReport nested =
        report_of(80, {"CALL.REL.NOINC `($k$pow)", "CALL.REL.NOINC `($k$rcp)", "EXIT",
                       "$k$pow:", "DFMA R4, R4, R4, R4", "CALL.REL.NOINC `($k$rcp)", "RET.REL.NODEC R20 `(k)",
                       "$k$rcp:", "MUFU.RCP R3, R3", "RET.REL.NODEC R22 `(k)"});
    CHECK(count(nested, netgen::PtxClass::special) == 2);
    CHECK(count(nested, netgen::PtxClass::double_) == 1);
    CHECK(nested.unreachable_instructions == 0);
    for (const std::string call : {"CAL 0x18", "JCAL 0x18", "@P0 CAL 0x18"}) {
        CAPTURE(call);
        CHECK(count(report_of(52, {call, "EXIT", "NOP", "LDG.E R2, [R2]", "RET"}),
                    netgen::PtxClass::global_load) == 1);
    }
}

TEST_CASE("a call that does not return is a jump") {
    // A loop exit of nvcc: the store counts once, not in each iteration.
    const netgen::PtxReport report =
        report_of(80,
                  {"LDG.E R2, [R2.64]", "@P1 CALL.REL.NOINC 0x30", "BRA 0x0", "STG.E [R2.64], R2",
                   "CALL.REL.NOINC 0x60", "EXIT", "MUFU.RCP R3, R3", "RET.REL.NODEC R20 0x0"},
                  {.trips = {{"0x0", 10}}});
    CHECK(count(report, netgen::PtxClass::global_load) == 11);
    CHECK(count(report, netgen::PtxClass::global_store) == 1);
    CHECK(count(report, netgen::PtxClass::special) == 1);
    CHECK(count(report, netgen::PtxClass::call) == 1);
}

TEST_CASE("calls to other functions and to what is not in the file") {
    const std::string text =
        ".text.k:\n/*0000*/ CALL.ABS.NOINC `(f) ;\n/*0010*/ CALL.ABS.NOINC `(vprintf) ;\n"
        "/*0020*/ CALL.ABS.NOINC 0x0 ;\n/*0030*/ CALL.ABS.NOINC R20 ;\n/*0040*/ EXIT ;\n"
        ".text.f:\n/*0000*/ MUFU.RCP R3, R3 ;\n/*0010*/ RET.ABS.NODEC R20 0x0 ;\n";
    const netgen::PtxModule module = netgen::read_sass(text, "k.sass");
    CHECK(module.kernels() == std::vector<std::string>{"k"});
    const netgen::PtxReport report = netgen::analyse_ptx(module, "k");
    CHECK(count(report, netgen::PtxClass::special) == 1);
    CHECK(report.not_in_file == std::vector<std::string>{"0x0", "a function through a register", "vprintf"});
    CHECK_THAT(error_of(80, {"CALL.REL.NOINC `(k)", "RET.REL.NODEC R20 0x0"}),
               Catch::Contains("function 'k' calls itself"));
}

TEST_CASE("up to Pascal SYNC, BRK, CONT, RET and EXIT continue where SSY, PBK, … say") {
    // The loop of `while (true) { …; if (p) break; …; }`.
    const std::vector<std::string> loop = {
        "PBK 0x30", "LDG.E R2, [R2]", "@P0 BRK", "SHL R2, R2, 0x1", "BRA 0x8",
        "NOP",      "STG.E [R2], R2", "EXIT"};
    const netgen::PtxReport report = report_of(52, loop, {.trips = {{"0x8", 10}}});
    CHECK(count(report, netgen::PtxClass::global_load) == 11);
    CHECK(count(report, netgen::PtxClass::shift) == 10);
    CHECK(count(report, netgen::PtxClass::global_store) == 1);
    CHECK(report.unreachable_instructions == 1);
    // The same with SYNC, also out of an inner region; in the notation of nvdisasm; CONT at the end of a
    // body.
    std::vector<std::string> synced = loop;
    synced[0] = "SSY 0x30";
    synced[2] = "@P0 SYNC";
    CHECK(report_of(61, synced, {.trips = {{"0x8", 10}}}).profile.counts == report.profile.counts);
    const netgen::PtxReport inner = report_of(52,
                                              {"PBK 0x38", "SSY 0x28", "@P1 BRA 0x20", "BRK", "SYNC",
                                               "LDG.E R2, [R2]", "BRA 0x8", "STG.E [R2], R2", "EXIT"},
                                              {.trips = {{"0x8", 4}}});
    CHECK(count(inner, netgen::PtxClass::global_load) == 4);
    CHECK(count(inner, netgen::PtxClass::global_store) == 1);
    CHECK(inner.unreachable_instructions == 0);
    const netgen::PtxReport noted = report_of(
        52, {"@P0 BRK (*\"TARGET= .L_1 \"*)", "LDG.E R2, [R2]", "EXIT", ".L_1:", "STG.E [R2], R2", "EXIT"});
    CHECK(count(noted, netgen::PtxClass::global_store) == 1);
    const netgen::PtxReport continued =
        report_of(52, {"PCNT 0x20", "LDG.E R2, [R2]", "@P0 CONT", "SHL R2, R2, 0x1", "@P1 BRA 0x0", "EXIT"},
                  {.trips = {{"0x0", 3}}});
    CHECK(count(continued, netgen::PtxClass::shift) == 3);
    for (const auto& [push, pop] : std::vector<std::pair<std::string, std::string>>{
             {"PRET 0x18", "RET"}, {"PEXIT 0x18", "EXIT"}, {"PLONGJMP 0x18", "LONGJMP"}}) {
        CAPTURE(pop);
        const netgen::PtxReport other =
            report_of(35, {push, pop, "LDG.E R2, [R2]", "STG.E [R2], R2", "EXIT"});
        CHECK(count(other, netgen::PtxClass::global_store) == 1);
        CHECK(count(other, netgen::PtxClass::global_load) == 0);
    }
    // Kepler's modifier .S joins as SYNC does.
    const netgen::PtxReport kepler =
        report_of(35, {"SSY 0x20", "@P0 BRA 0x18", "FADD.S R1, R1, R2", "NOP.S", "STG.E [R2], R2", "EXIT"});
    CHECK(count(kepler, netgen::PtxClass::float32) == 1);
    CHECK(count(kepler, netgen::PtxClass::global_store) == 1);
    CHECK(error_of(52, {"BRK", "EXIT"}) ==
          "k.sass:3: expected the place at which BRK continues, found none on the way to it");
    CHECK(error_of(52, {"SSY 0x20", "@P0 BRA 0x18", "SSY 0x28", "SYNC", "EXIT", "EXIT"}) ==
          "k.sass:6: expected that SYNC continues at one place, found different ones on different paths");
    // A target that only one path pushes matters only to its own kind; a call takes the target of PRET with
    // it.
    const netgen::PtxReport left =
        report_of(52, {"SSY 0x28", "@P0 BRA 0x18", "PBK 0x8", "@P1 SYNC", "NOP", "EXIT"});
    CHECK(left.unreachable_instructions == 0);
    const netgen::PtxReport returned = report_of(52,
                                                 {"SSY 0x30", "PRET 0x18", "CAL 0x48", "@P0 BRA 0x8", "SYNC",
                                                  "NOP", "SSY 0x40", "SYNC", "EXIT", "LDG.E R2, [R2]", "RET"},
                                                 {.trips = {{"0x8", 3}}});
    CHECK(count(returned, netgen::PtxClass::global_load) == 3);
    CHECK(returned.unreachable_instructions == 1);
    // A loop that pushes targets does not keep the reader busy.
    CHECK(error_of(52, {"SSY 0x0", "BRA 0x0"}) == "read");
}

TEST_CASE("the place where lanes meet is reached") {
    const netgen::PtxReport report =
        report_of(80, {"BSSY B0, 0x30", "@P0 BREAK B0", "EXIT", "LDG.E R2, [R2.64]", "EXIT"});
    CHECK(count(report, netgen::PtxClass::global_load) == 1);
    const netgen::PtxReport collective =
        report_of(90, {"WARPSYNC.COLLECTIVE R6, 0x30", "SHFL.BFLY PT, R4, R5, 0x10, 0x1f", "EXIT",
                       "LDG.E R2, [R2.64]", "EXIT"});
    CHECK(count(collective, netgen::PtxClass::shuffle) == 1);
    CHECK(count(collective, netgen::PtxClass::global_load) == 1);
}

TEST_CASE("an indirect branch leads where a note of nvdisasm says") {
    const netgen::PtxReport report =
        report_of(80, {"BRX R2 -0x20 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)", ".L_x_1:", "LDG.E R2, [R2.64]",
                       "EXIT", ".L_x_2:", "STG.E [R2.64], R2", "EXIT", "NOP"});
    CHECK(count(report, netgen::PtxClass::global_load) == 1);
    CHECK(count(report, netgen::PtxClass::global_store) == 1);
    CHECK(report.unreachable_instructions == 1);
}

TEST_CASE("code that runs on behind the last instruction is refused") {
    const auto runs_on = [](int line, const std::string& behind) {
        return fmt::format(
            "k.sass:{}: expected EXIT, RET or a branch behind {}, found the end of the file: "
            "lines of the listing are missing",
            line, behind);
    };
    CHECK(error_of(80, {"NOP", "LDG.E R2, [R2.64]"}) == runs_on(4, "the last instruction"));
    CHECK(error_of(80, {"LDG.E R2, [R2.64]", "@P0 BRA 0x0"}) == runs_on(4, "BRA"));
    CHECK(error_of(80, {"FROB"}) == runs_on(3, "FROB"));
    CHECK(error_of(80, {"EXIT.FROB"}) == runs_on(3, "EXIT.FROB"));
    CHECK(error_of(80, {"CALL.REL.NOINC 0x20", "EXIT", "@P0 RET.REL.NODEC R20 0x0"}) ==
          runs_on(5, "RET.REL.NODEC"));
    CHECK(error_of(80, {"EXIT", "NOP"}) == "read");
}

namespace {

/// One thread that executes a listing with a real stack of targets and calls, and random conditions. Returns
/// the executed lines.
std::set<std::uint32_t> executed_lines(const std::vector<std::string>& lines, bool kepler,
                                       CounterRandom& random) {
    struct Frame {
        std::size_t back;
        std::vector<std::pair<std::string, std::size_t>> places;
    };
    const std::map<std::string, std::string> pops_of = {
        {"SSY", "SYNC"}, {"PBK", "BRK"}, {"PCNT", "CONT"}, {"PRET", "RET"}, {"PEXIT", "EXIT"}};
    std::vector<Frame> frames(1);
    std::set<std::uint32_t> executed;
    std::size_t at = 0;
    for (int steps = 0; steps < 200; ++steps) {
        executed.insert(static_cast<std::uint32_t>(at + 3));
        std::string line = lines[at++];
        const bool guarded = line.starts_with("@P");
        if (guarded) line = line.substr(line.find(' ') + 1);
        std::string opcode = line.substr(0, std::min(line.find(' '), line.find('.')));
        const bool joins = kepler && line == "NOP.S";
        if (joins) opcode = "SYNC";
        const bool conditional = guarded || line == "EXIT P0" || line.find(" UP0") != std::string::npos;
        if (line.starts_with("@!PT") || line.find("!PT") != std::string::npos) continue;
        if (conditional && random.below(2) == 0) continue;
        std::size_t target = 0;
        if (const std::size_t number = line.find("0x"); number != std::string::npos)
            target = std::stoul(line.substr(number), nullptr, 16) / 8;
        auto& places = frames.back().places;
        if (opcode == "BRA") at = target;
        if (opcode == "CALL" || opcode == "CAL" || opcode == "JCAL") {
            if (target == 0) return executed;  // not in the file, or a recursion that is rejected
            if (!places.empty() && places.back().first == "RET") places.pop_back();
            frames.push_back({at, {}});
            at = target;
        }
        if (pops_of.contains(opcode)) places.emplace_back(pops_of.at(opcode), target);
        if (opcode != "SYNC" && opcode != "BRK" && opcode != "CONT" && opcode != "RET" && opcode != "EXIT")
            continue;
        const auto place = std::find_if(places.rbegin(), places.rend(),
                                        [&](const auto& one) { return one.first == opcode; });
        if (place != places.rend()) {
            if (!joins || place->second + 1 != at) at = place->second;
            places.erase(place.base() - 1, places.end());
        } else if (opcode == "RET" && frames.size() > 1) {
            at = frames.back().back;
            frames.pop_back();
        } else if (!joins) {
            return executed;
        }
    }
    return executed;
}

}  // namespace

TEST_CASE("random code of every control opcode: what a thread executes is reached, or the code is refused") {
    constexpr std::array<std::string_view, 26> opcodes = {"BRA 0x{:x}",
                                                          "BRA.U UP0, 0x{:x}",
                                                          "@P0 BRA 0x{:x}",
                                                          "BRA !PT, 0x{:x}",
                                                          "CALL.REL.NOINC 0x{:x}",
                                                          "@P0 CAL 0x{:x}",
                                                          "JCAL 0x{:x}",
                                                          "RET",
                                                          "@P1 RET",
                                                          "EXIT",
                                                          "EXIT P0",
                                                          "SSY 0x{:x}",
                                                          "@P0 SSY 0x{:x}",
                                                          "SYNC",
                                                          "@P0 SYNC",
                                                          "PBK 0x{:x}",
                                                          "@P0 BRK",
                                                          "BRK",
                                                          "PCNT 0x{:x}",
                                                          "@P0 CONT",
                                                          "PRET 0x{:x}",
                                                          "PEXIT 0x{:x}",
                                                          "BSSY B0, 0x{:x}",
                                                          "@!PT EXIT",
                                                          "NOP.S",
                                                          "LDG.E R2, [R2]"};
    CounterRandom random(11, 5);
    std::size_t read = 0;
    const std::size_t rounds = case_count(3000);
    for (std::size_t round = 0; round < rounds; ++round) {
        const std::uint32_t size = 2 + random.below(10);
        std::vector<std::string> lines;
        for (std::uint32_t i = 0; i < size; ++i)
            lines.push_back(
                fmt::format(fmt::runtime(opcodes[random.below(opcodes.size())]), 8 * random.below(size)));
        lines.emplace_back("EXIT");
        const std::string text = listing(round % 2 == 0 ? 35 : 52, lines);
        CAPTURE(text);
        if (!check_ptx(text)) continue;
        ++read;
        const netgen::PtxModule module = netgen::read_sass(text, "k.sass");
        std::set<std::uint32_t> reached;
        try {
            for (const netgen::PtxFunction& function : module.functions) {
                if (!function.has_body) continue;
                for (const netgen::PtxBlock& block : netgen::ptx_flow(module, function).blocks)
                    for (std::uint32_t i = block.first; i < block.last; ++i)
                        reached.insert(function.instructions[i].line);
            }
        } catch (const InputError&) {  // a loop with two entries
            continue;
        }
        for (int thread = 0; thread < 5; ++thread) {
            const std::set<std::uint32_t> executed = executed_lines(lines, round % 2 == 0, random);
            REQUIRE(std::includes(reached.begin(), reached.end(), executed.begin(), executed.end()));
        }
    }
    CHECK(read > rounds / 6);
}

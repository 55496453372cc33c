// AMD GPU assembly: compiled kernels are compared with their source, and random kernels with an interpreter
// that executes their text.

#include "netgen/code/gcn/read_gcn.hpp"

#include "engine/base/random.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/graph.hpp"
#include "netgen/cfg/text.hpp"
#include "netgen/code/gcn/gem5_times.hpp"
#include "netgen/code/gcn/opcodes.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx_input.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string text_of(const std::string& name) {
    std::ifstream stream(source_dir() / "examples/kernels/gcn" / name);
    REQUIRE(stream.good());
    return {std::istreambuf_iterator<char>(stream), {}};
}

netgen::PtxReport report_of(const std::string& text, const netgen::PtxOptions& options = {}) {
    const netgen::PtxModule module = netgen::read_code(text, "k.s");
    return netgen::analyse_ptx(module, module.kernels().at(0), options);
}

std::string fault(const std::string& text) {
    try {
        netgen::read_code(text, "k.s");
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

std::int64_t unsplit(const netgen::StructuredCfg& cfg) {
    std::int64_t sum = 0;
    for (const netgen::CfgBlock& block : cfg.blocks()) sum += block.time;
    return sum;
}

/// A kernel `k` with these lines.
std::string kernel_of(const std::string& lines) {
    return "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n\t.type k,@function\nk:\n" + lines + "\n";
}

}  // namespace

TEST_CASE("a compiled kernel: blocks, lanes and classes for three architectures") {
    for (const std::string target : {"gfx803", "gfx900", "gfx1010"}) {
        CAPTURE(target);
        const std::string text = text_of("clamp_rows." + target + ".s");
        CHECK(netgen::read_gcn(text, "k.s").target == target);
        netgen::PtxOptions options;
        options.trips["#1"] = 5;
        const netgen::PtxReport report = report_of(text, options);
        CHECK(report.profile.unknown_opcodes.empty());
        REQUIRE(report.loops.size() == 1);
        std::vector<netgen::CfgLanes> lanes;
        for (const netgen::PtxBlockReport& block : report.blocks)
            if (block.successors.size() == 2) lanes.push_back(block.lanes);
        using enum netgen::CfgLanes;
        // if (value < 0), its else, the loop, if (rows > 4)
        CHECK(lanes == std::vector{divergent, others, uniform, uniform});
        // in[lane], 5 times in[lane + 64 * r]; out[lane + 4096], out[lane + 8192], out[lane]
        CHECK(report.profile.counts[netgen::PtxClass::global_load] == 6);
        CHECK(report.profile.counts[netgen::PtxClass::global_store] == 3);
        CHECK(report.profile.counts[netgen::PtxClass::leave] == 1);
    }
}

TEST_CASE("a disassembly has the graph of the assembly") {
    netgen::PtxOptions options;
    options.trips["#1"] = 5;
    const auto graph = [&](const char* name) {
        const netgen::PtxModule module = netgen::read_code(text_of(name), name);
        return netgen::ptx_control_flow(module, "clamp_rows", options);
    };
    CHECK(graph("clamp_rows.gfx900.s") == graph("clamp_rows.gfx900.objdump.s"));
}

TEST_CASE("addresses that are computed are those of the disassembly") {
    const netgen::PtxModule ours = netgen::read_gcn(text_of("clamp_rows.gfx900.s"), "k.s");
    const netgen::PtxModule listed = netgen::read_gcn(text_of("clamp_rows.gfx900.objdump.s"), "k.s");
    const auto& a = ours.functions.at(0).instructions;
    const auto& b = listed.functions.at(0).instructions;
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].address == b[i].address);
}

TEST_CASE("mnemonics: families, types, widths and encodings") {
    const std::vector<std::pair<const char*, const char*>> known = {
        {"v_add_f32_e32", "add.f32"},
        {"v_pk_fma_f16", "fma.rn.f16"},
        {"v_mul_lo_u32", "mul.lo.s32"},
        {"v_rcp_iflag_f32_e32", "rcp.approx.f32"},
        {"v_cmp_gt_f64_e32", "setp.lt.f64"},
        {"s_lshl4_add_u32", "shl.b32"},
        {"global_load_dwordx4", "ld.global.v4.b32"},
        {"flat_load_ubyte", "ld.global.u8"},
        {"ds_read2_b64", "ld.shared.v4.b32"},
        {"buffer_store_format_xyz", "st.global.v3.b32"},
        {"scratch_load_dword", "ld.local.b32"},
        {"ds_bpermute_b32", "shfl.sync.idx.b32"},
        {"v_mfma_f32_32x32x8f16", "mma.sync.f16"},
        {"s_load_dwordx8", "ld.const.v8.b32"},
        {"buffer_wbinvl1_vol", "membar.gl"},
        {"s_endpgm_saved", "exit"},
        {"v_mov_b32_dpp", "mov.u32"},
        {"ds_add_rtn_u32", "atom.shared.add.u32"}};
    for (const auto& [mnemonic, counterpart] : known) {
        CAPTURE(mnemonic);
        CHECK(netgen::ptx_counterpart_of_gcn(mnemonic) == counterpart);
    }
    for (const char* unknown :
         {"v_add_g32", "s_fly_b32", "ds_read_b31", "global_loads_dword", "v_addx_f32", "flat_load"}) {
        CAPTURE(unknown);
        CHECK(netgen::ptx_counterpart_of_gcn(unknown).empty());
    }
}

TEST_CASE("unknown mnemonics are counted and named, unknown directives are warned of") {
    const std::string text = kernel_of("\t.strange 7\n\tv_fly_f32_e32 v0, v1\n\ts_endpgm");
    const netgen::PtxReport report = report_of(text);
    CHECK(report.profile.unknown_opcodes == std::vector<std::string>{"v_fly_f32_e32"});
    CHECK(report.profile.counts[netgen::PtxClass::unknown] == 1);
    CHECK(netgen::read_code(text, "k.s").warnings ==
          std::vector<std::string>{"k.s:4: unknown directive '.strange' is ignored"});
}

TEST_CASE("what is no assembly is rejected with its line") {
    CHECK(fault(kernel_of("\tfrobnicate v0\n\ts_endpgm")) ==
          "k.s:4: expected an instruction, a label or a directive, found 'frobnicate'");
    CHECK(fault(kernel_of("\ts_cbranch_scc0 nowhere\n\ts_endpgm")) ==
          "k.s:4: expected a label of function 'k' as target, found 'nowhere'");
    CHECK(fault(kernel_of("a:\na:\n\ts_endpgm")) == "k.s:5: label 'a' is there a second time");
    CHECK(fault(kernel_of("\ts_endpgm\n\t.macro m\n\t.endm"))
              .starts_with("k.s:5: expected instructions, found the assembler directive .macro"));
    CHECK(fault(kernel_of("\ts_endpgm\na:\n\ts_nop 0\n\ts_cbranch_scc0 a"))
              .starts_with("k.s:7: expected s_endpgm, s_setpc_b64 or a branch at the end"));
    CHECK(fault(kernel_of("\ts_cbranch_join s0\n\ts_endpgm"))
              .starts_with("k.s:4: expected a branch to a label"));
    CHECK(fault("\t.amdgcn_target \"x\"\n\t.type k,@function\n\ts_endpgm\n") ==
          "k.s:3: expected a function before the first instruction, found s_endpgm");
    CHECK(fault("\t.amdgcn_target \"x\"\n").ends_with("found no instruction"));
    CHECK(fault(kernel_of("\ts_endpgm\n\t.amdhsa_kernel k")) ==
          "k.s:5: expected .end_amdhsa_kernel, found the end of the file");
}

TEST_CASE("calls through an address count what is called") {
    const std::string text =
        kernel_of(
            "\ts_getpc_b64 s[4:5]\n\ts_add_u32 s4, s4, f@rel32@lo+4\n\ts_addc_u32 s5, s5, "
            "f@rel32@hi+12\n\ts_swappc_b64 s[30:31], s[4:5]\n\ts_endpgm\n.Lfunc_end0:") +
        "\t.type f,@function\nf:\n\tv_sqrt_f32_e32 v0, v0\n\ts_setpc_b64 s[30:31]\n";
    const netgen::PtxReport report = report_of(text);
    CHECK(report.profile.counts[netgen::PtxClass::special] == 1);
    CHECK(report.not_in_file.empty());
    std::string other = text;
    other.insert(other.find("\ts_swappc"), "\ts_mov_b64 s[4:5], s[8:9]\n");
    CHECK(report_of(other).not_in_file == std::vector<std::string>{"a function through a register"});
}

TEST_CASE("trips are proved of scalar counters, and only of those") {
    const auto trips = [](const std::string& inside) {
        const netgen::PtxReport report =
            report_of(kernel_of("\ts_mov_b32 s4, 3\nL:\n" + inside + "\n\ts_cbranch_scc1 L\n\ts_endpgm"));
        REQUIRE(report.loops.size() == 1);
        return report.loops[0].trips;
    };
    CHECK(trips("\ts_add_i32 s4, s4, -1\n\ts_cmp_lg_u32 s4, 0") == 3);
    CHECK(trips("\ts_addk_i32 s4, 0xffff\n\ts_cmpk_lg_u32 s4, 0x0") == 3);
    CHECK(trips("\ts_sub_u32 s4, s4, 1\n\ts_cmp_lg_u32 s4, 0\n\tv_mul_f32_e32 v0, s4, v1\n\ts_waitcnt "
                "vmcnt(0)") == 3);
    // Another instruction sets SCC, or the counter is overwritten.
    CHECK(trips("\ts_cmp_lg_u32 s4, 0\n\ts_add_i32 s4, s4, -1") == std::nullopt);
    CHECK(trips("\ts_add_i32 s4, s4, -1\n\ts_cmp_lg_u32 s4, 0\n\ts_and_b64 s[6:7], s[6:7], exec") ==
          std::nullopt);
    CHECK(trips("\ts_add_i32 s4, s4, -1\n\ts_load_dwordx2 s[4:5], s[8:9], 0x0\n\ts_cmp_lg_u32 s4, 0") ==
          std::nullopt);
    CHECK(trips("\ts_add_i32 s4, s4, -1\n\tv_readfirstlane_b32 s4, v0\n\ts_cmp_lg_u32 s4, 0") ==
          std::nullopt);
    CHECK(trips("\ts_add_i32 s4, s4, -1\n\tv_fly_b32 v0, v1, v2, s4\n\ts_cmp_lg_u32 s4, 0") == std::nullopt);
    CHECK(trips("\ts_add_i32 s4, s4, -1\n\tv_add_co_u32_e64 v0, s[4:5], v1, v2\n\ts_cmp_lg_u32 s4, 0") ==
          std::nullopt);
}

TEST_CASE("latencies by class are the times of blocks") {
    netgen::PtxInput input;
    netgen::parse_latencies("global_load=300,default=4,special=16", input.times);
    const std::string text = kernel_of(
        "\tglobal_load_dword v1, v0, s[0:1]\n\tv_sqrt_f32_e32 v1, v1\n\tv_add_f32_e32 v1, v1, "
        "v1\n\ts_endpgm");
    std::vector<std::string> unmeasured;
    const netgen::ControlFlowGraph graph =
        netgen::ptx_graph_of(netgen::read_code(text, "k.s"), input, unmeasured);
    REQUIRE(graph.nodes.size() == 1);
    CHECK(graph.nodes[0].time == 300 + 16 + 4 + 4);
    CHECK_THROWS_AS(netgen::parse_latencies("wings=3", input.times), UsageError);
    CHECK_THROWS_AS(netgen::parse_latencies("special=-3", input.times), UsageError);
}

TEST_CASE("times of gem5: the longest between two branches, in ticks") {
    // 0: s_mov, 4: s_cmp, 8: branch; 12: v_nop, 16: branch; 20: L, s_endpgm
    const netgen::PtxModule module =
        netgen::read_code(kernel_of("\ts_mov_b32 s0, 0\n\ts_cmp_eq_u32 s1, 0\n\ts_cbranch_scc1 "
                                    "L\n\tv_nop\n\ts_branch L\nL:\n\ts_endpgm"),
                          "k.s");
    const auto times = [&](const std::string& log) {
        netgen::ControlFlowGraph graph = netgen::ptx_control_flow(module, "k", {});
        std::vector<std::string> unmeasured = netgen::add_gem5_times(graph, module, "k", log, "t.log");
        std::vector<std::int64_t> result;
        for (const netgen::CfgNode& node : graph.nodes) result.push_back(node.time);
        return std::pair(result, unmeasured);
    };
    const std::string log =
        "noise\n1: x: | Measure | 0 | 0 | 8 | 1 | 700 |\n1: x: | Measure | 0 | 0 | 8 | 1 | 900 |\n"
        "1: x: | Measure | 1 | 0 | 8 | 1 | 5000 |\n1: x: | Measure | 0 | 8 | 16 | 1 | 40 |\n";
    CHECK(times(log) == std::pair(std::vector<std::int64_t>{900, 40, 1}, std::vector<std::string>{"b3"}));
    CHECK(times(log + "1: x: | Measure | 0 | 16 | 20 | 1 | 7 |\n").first ==
          std::vector<std::int64_t>{900, 40, 7});
    // Parts of a block add up; a measurement whose end is its beginning times nothing.
    CHECK(times("| Measure | 0 | 0 | 4 | 1 | 30 |\n| Measure | 0 | 4 | 8 | 1 | 5 |\n| Measure | 0 | 8 | 20 | "
                "1 | 7 |\n")
              .first == std::vector<std::int64_t>{35, 2, 7});
    CHECK_THROWS_WITH(times(log + "| Measure | 0 | 16 | 8 | 1 | 7 |\n"),
                      Catch::Matchers::StartsWith("t.log:6: expected a way from byte 16"));
    CHECK_THROWS_WITH(times("| Measure | 0 | x |\n"),
                      Catch::Matchers::StartsWith("t.log:1: expected | Measure |"));
    CHECK_THROWS_WITH(times("nothing\n"),
                      Catch::Matchers::StartsWith("t.log: expected lines '| Measure | 0 |"));
}

TEST_CASE("the table of the authors' solver is read: their figure 2") {
    const std::string table =
        "wcet,is_bsb_node,is_reconv_node,successors\n4,False,False,1;2\n3,False,False,2\n0,True,False,3;4\n"
        "2,False,False,4\n1,False,True,\n";
    const netgen::StructuredCfg cfg = netgen::read_cfg(table, "t.csv");
    REQUIRE(cfg.branches().size() == 1);
    const netgen::CfgBlock& branch = cfg[cfg.branches()[0]];
    CHECK(branch.true_side.size() == 1);
    CHECK(branch.false_side.size() == 1);
    CHECK(unsplit(cfg) == 10);
    CHECK_THROWS_WITH(netgen::read_cfg("wcet,is_bsb_node,is_reconv_node,successors\n4,no,False,\n", "t.csv"),
                      Catch::Matchers::StartsWith("t.csv: line 2: expected time"));
    CHECK_THROWS_WITH(
        netgen::read_cfg("wcet,is_bsb_node,is_reconv_node,successors\n4,True,False,7\n", "t.csv"),
        Catch::Matchers::StartsWith("t.csv: line 2: expected a row from 0 to 0"));
}

namespace {

/// Writes random structured kernels in the layout of a compiler.
class RandomKernel {
  public:
    explicit RandomKernel(std::uint64_t seed) : random_(seed, 0) { sequence(0); }

    std::string text() const { return kernel_of(text_ + "\ts_endpgm"); }
    int uniform_sites() const { return uniform_; }
    bool divergent_in_uniform() const { return divergent_in_uniform_; }

  private:
    void line(const std::string& instruction) { text_ += "\t" + instruction + "\n"; }
    void work() {
        for (std::uint32_t n = 1 + random_.below(3); n > 0; --n) line("v_add_f32_e32 v1, v1, v2");
    }

    void sequence(int depth) {
        for (std::uint32_t n = 1 + random_.below(2); n > 0; --n) {
            work();
            if (depth >= 3) continue;
            switch (random_.below(4)) {
                case 0:
                    divergent(depth, false);
                    break;
                case 1:
                    divergent(depth, true);
                    break;
                case 2:
                    uniform(depth);
                    break;
                default:
                    loop(depth);
                    break;
            }
        }
        work();
    }

    void divergent(int depth, bool has_else) {
        divergent_in_uniform_ |= inside_uniform_ > 0;
        const int label = labels_++;
        const std::string saved = fmt::format("s[{}:{}]", 20 + 2 * depth, 21 + 2 * depth);
        line("v_cmp_lt_u32_e32 vcc, 31, v0");
        line("s_and_saveexec_b64 " + saved + ", vcc");
        if (has_else) line("s_xor_b64 " + saved + ", exec, " + saved);
        line(fmt::format("s_cbranch_execz L{}", label));
        sequence(depth + 1);
        text_ += fmt::format("L{}:\n", label);
        if (has_else) {
            const int end = labels_++;
            if (random_.below(2) == 0) {
                line("s_or_saveexec_b64 " + saved + ", " + saved);
                line("s_xor_b64 exec, exec, " + saved);
            } else {
                line("s_andn2_saveexec_b64 " + saved + ", " + saved);
            }
            line(fmt::format("s_cbranch_execz L{}", end));
            sequence(depth + 1);
            text_ += fmt::format("L{}:\n", end);
        }
        line("s_or_b64 exec, exec, " + saved);
    }

    void uniform(int depth) {
        const int side = labels_++, end = labels_++;
        // The site is a number to which the interpreter assigns a value.
        line(fmt::format("s_cmp_eq_u32 s{}, 0", 60 + uniform_++));
        line(fmt::format("s_cbranch_scc{} L{}", random_.below(2), side));
        ++inside_uniform_;
        sequence(depth + 1);
        const bool two = random_.below(2) == 0;
        if (two) line(fmt::format("s_branch L{}", end));
        text_ += fmt::format("L{}:\n", side);
        if (two) {
            sequence(depth + 1);
            text_ += fmt::format("L{}:\n", end);
        }
        --inside_uniform_;
    }

    void loop(int depth) {
        const int label = labels_++;
        const std::uint32_t trips = 1 + random_.below(4), by = 1 + random_.below(3);
        line(fmt::format(
            "s_mov_b32 s{}, {}", depth,
            random_.below(2) == 0 ? fmt::format("{:#x}", trips * by) : std::to_string(trips * by)));
        text_ += fmt::format("L{}:\n", label);
        if (random_.below(3) == 0 && depth < 3) divergent(depth + 1, random_.below(2) == 0);
        line(fmt::format("s_sub_u32 s{0}, s{0}, {1}", depth, by));
        work();
        line(fmt::format("s_cmp_gt_u32 s{}, 0", depth));
        line(fmt::format("s_cbranch_scc1 L{}", label));
    }

    CounterRandom random_;
    std::string text_;
    int labels_ = 0, uniform_ = 0, inside_uniform_ = 0;
    bool divergent_in_uniform_ = false;
};

/// Executes the text: the instructions of a wavefront with lanes on both sides of every branch on EXEC.
std::int64_t executed(const std::string& text, std::uint32_t outcomes) {
    std::vector<std::vector<std::string>> program;
    std::map<std::string, std::size_t> labels;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> instruction;
        for (std::string word; words >> word;)
            instruction.push_back(word.back() == ',' ? word.substr(0, word.size() - 1) : word);
        if (instruction.empty() || instruction[0][0] == '.') continue;
        if (instruction[0].back() == ':') {
            labels[instruction[0].substr(0, instruction[0].size() - 1)] = program.size();
        } else {
            program.push_back(instruction);
        }
    }
    std::map<std::string, std::int64_t> scalars;
    const auto value = [&](const std::string& name) -> std::int64_t {
        if (name[0] != 's') return std::stoll(name, nullptr, 0);
        const int number = std::stoi(name.substr(1));
        return number < 60 ? scalars[name] : static_cast<std::int64_t>((outcomes >> (number - 60)) & 1U);
    };
    bool scc = false;
    std::int64_t count = 0;
    for (std::size_t at = 0;; ++at) {
        const std::vector<std::string>& own = program.at(at);
        ++count;
        if (own[0] == "s_endpgm") return count;
        if (own[0] == "s_mov_b32") scalars[own[1]] = value(own[2]);
        if (own[0] == "s_sub_u32") scalars[own[1]] = value(own[2]) - value(own[3]);
        if (own[0] == "s_cmp_eq_u32") scc = value(own[1]) == value(own[2]);
        if (own[0] == "s_cmp_gt_u32") scc = value(own[1]) > value(own[2]);
        const bool jumps = own[0] == "s_branch" || own[0] == (scc ? "s_cbranch_scc1" : "s_cbranch_scc0");
        if (jumps) at = labels.at(own[1]) - 1;
    }
}

}  // namespace

TEST_CASE("random kernels: the time without splits is that of an interpreter") {
    std::uint64_t exact = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1'500); ++seed) {
        CAPTURE(seed);
        const RandomKernel kernel(seed);
        if (kernel.uniform_sites() > 8) continue;
        const std::string text = kernel.text();
        CAPTURE(text);
        const netgen::PtxModule module = netgen::read_code(text, "k.s");
        const netgen::ControlFlowGraph graph = netgen::ptx_control_flow(module, "k", {});
        const std::int64_t ours = unsplit(netgen::structure(graph));
        std::int64_t longest = 0;
        for (std::uint32_t outcomes = 0; outcomes < (1U << static_cast<unsigned>(kernel.uniform_sites()));
             ++outcomes)
            longest = std::max(longest, executed(text, outcomes));
        if (kernel.divergent_in_uniform()) {
            CHECK(ours >= longest);
        } else {
            CHECK(ours == longest);
            ++exact;
        }
        // The graph's text keeps its lanes.
        CHECK(netgen::read_cfg_text(netgen::write_cfg_text(graph), "k.cfg") == graph);
    }
    CHECK(exact >= least_count(700));
}

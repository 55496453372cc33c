#include "netgen/code/ptx/chains.hpp"

#include "engine/base/random.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/ptx_lines.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

netgen::PtxBlockChain only_chain(const std::string& body) {
    const netgen::PtxModule module = netgen::read_ptx(kernel_text(body), "k.ptx");
    const auto chains =
        netgen::block_chains(module.functions.at(0), netgen::ptx_flow(module, module.functions.at(0)));
    REQUIRE(chains.size() == 1);
    return chains.front();
}

double cycles(const netgen::PtxChain& chain) {
    return 4 * chain.alu + 16 * (chain.fp64 + chain.special) + 28 * chain.shared + 400 * chain.loads;
}

/// An instruction of a random text, and its time.
struct Line {
    std::size_t writes;
    std::vector<std::size_t> reads;
    double latency;
    bool barrier = false;
};

/// The longest path to the end of a line: checks for every earlier line whether the line waits for it.
double longest_to(const std::vector<Line>& lines, std::size_t at) {
    double before = 0;
    for (std::size_t i = 0; i < at; ++i) {
        bool waited = lines[i].barrier;
        for (const std::size_t reg : lines[at].reads) {
            std::size_t last = at;
            for (std::size_t j = 0; j < at; ++j)
                if (!lines[j].barrier && lines[j].writes == reg) last = j;
            waited |= last == i;
        }
        if (lines[at].barrier) waited = true;
        if (waited) before = std::max(before, longest_to(lines, i));
    }
    return before + lines[at].latency;
}

}  // namespace

TEST_CASE("independent instructions overlap, dependent ones wait") {
    const netgen::PtxBlockChain apart = only_chain(
        "ld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r1+4];\nfma.rn.f32 %f3, %f1, %f9, %f3;\n"
        "fma.rn.f32 %f4, %f2, %f9, %f4;\n");
    CHECK(apart.all == netgen::PtxChain{.alu = 2, .shared = 2});
    CHECK(apart.longest == netgen::PtxChain{.alu = 1, .shared = 1});
    const netgen::PtxBlockChain chased =
        only_chain("ld.global.u64 %rd1, [%rd1];\nld.global.u64 %rd1, [%rd1];\nld.global.u64 %rd1, [%rd1];\n");
    CHECK(chased.longest == netgen::PtxChain{.loads = 3});
    CHECK(only_chain("mov.u32 %r1, %r2;\nld.param.u32 %r3, [n];\n").all == netgen::PtxChain{});
    CHECK(only_chain("div.u32 %r1, %r2, %r3;\n").longest == netgen::PtxChain{.alu = 20});
    const netgen::PtxBlockChain parted =
        only_chain("ld.global.f32 %f1, [%rd1];\nbar.sync 0;\nld.global.f32 %f2, [%rd2];\n");
    CHECK(parted.longest == netgen::PtxChain{.loads = 2});
    const netgen::PtxBlockChain vectors = only_chain(
        "ld.global.v2.f32 {%f1, %f2}, [%rd1];\nadd.f32 %f3, %f2, %f2;\nst.global.f32 [%rd2], %f3;\n");
    CHECK(vectors.longest == netgen::PtxChain{.alu = 1, .loads = 1});
    const netgen::PtxBlockChain reduced =
        only_chain("add.f32 %f1, %f2, %f3;\nred.global.add.f32 [%rd1], %f1;\n");
    CHECK(reduced.all == netgen::PtxChain{.alu = 1});
    CHECK(reduced.longest == netgen::PtxChain{.alu = 1});
    CHECK(only_chain("setp.lt.s32 %p1, %r1, %r2;\n@%p1 add.s32 %r3, %r3, 1;\n").longest.alu == 2);
}

TEST_CASE("the longest chain of a random text is that of every way through it") {
    for (std::uint64_t round = 0; round < case_count(100); ++round) {
        CounterRandom random(round, 0);
        std::vector<Line> lines;
        std::string body;
        for (int i = 0; i < 12; ++i) {
            const std::size_t d = random.below(4), a = random.below(4), b = random.below(4);
            const auto reg = [](std::size_t r) { return "%f" + std::to_string(r); };
            switch (random.below(5)) {
                case 0:
                    body += "ld.shared.f32 " + reg(d) + ", [%r1];\n";
                    lines.push_back({d, {}, 28});
                    break;
                case 1:
                    body += "sin.approx.f32 " + reg(d) + ", " + reg(a) + ";\n";
                    lines.push_back({d, {a}, 16});
                    break;
                case 2:
                    body += "bar.sync 0;\n";
                    lines.push_back({9, {}, 0, true});
                    break;
                default:
                    body += "add.f32 " + reg(d) + ", " + reg(a) + ", " + reg(b) + ";\n";
                    lines.push_back({d, {a, b}, 4});
            }
        }
        double most = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) most = std::max(most, longest_to(lines, i));
        INFO(body);
        CHECK(cycles(only_chain(body).longest) == most);
    }
}

#include "netgen/cfg/annotation.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/text.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/cfg_samples.hpp"

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

/// "5(9|7),1": times and sides, without blocks that neither take time nor branch.
std::string shape(const netgen::StructuredCfg& cfg, std::span<const netgen::BlockId> sequence) {
    std::string text;
    for (const netgen::BlockId id : sequence) {
        const netgen::CfgBlock& block = cfg[id];
        if (!block.is_branch() && block.time == 0) continue;
        text += (text.empty() ? "" : ",") + std::to_string(block.time);
        if (block.is_branch())
            text += "(" + shape(cfg, block.true_side) + "|" + shape(cfg, block.false_side) + ")";
    }
    return text;
}

/// If both sides of a branch have only blocks without time, it may be read back as no branch.
bool has_work_in_every_branch(const netgen::StructuredCfg& cfg) {
    for (const netgen::CfgBlock& block : cfg.blocks())
        if (block.is_branch() && shape(cfg, block.true_side).empty() && shape(cfg, block.false_side).empty())
            return false;
    return true;
}

}  // namespace

TEST_CASE("annotated graphs: 1,000 random ones are the same when they are read again, in every format") {
    std::uint64_t judged = 0, splits_seen = 0;
    for (std::uint64_t seed = 1; seed <= case_count(1500); ++seed) {
        CAPTURE(seed);
        const netgen::StructuredCfg cfg = random_cfg(seed, 8);
        if (!has_work_in_every_branch(cfg)) continue;
        ++judged;
        CounterRandom random(seed, 5);
        netgen::SplitSet splits(cfg.size(), false);
        for (const netgen::BlockId branch : cfg.branches()) splits[index(branch)] = random.below(2) == 0;
        const netgen::CfgAnnotation annotation =
            netgen::annotate(cfg, splits, netgen::unit_demand(cfg, splits) + random.below(2));
        const std::string json = netgen::annotated_cfg_json(cfg, annotation);
        REQUIRE(netgen::read_cfg(json, "json") == cfg);
        std::size_t notes = 0;
        for (const std::string& text :
             {netgen::annotated_cfg_text(cfg, annotation), netgen::numbered_cfg_text(cfg, annotation)}) {
            INFO(text);
            const netgen::StructuredCfg again = netgen::read_cfg(text, "text");
            REQUIRE(shape(again, again.root()) == shape(cfg, cfg.root()));
            notes = 0;
            for (std::size_t at = text.find("split: "); at != std::string::npos;
                 at = text.find("split: ", at + 1))
                ++notes;
            REQUIRE(notes == netgen::split_ids(cfg, splits).size());
        }
        splits_seen += notes;
    }
    CHECK(judged >= least_count(1000));
    CHECK(splits_seen >= least_count(1000));
}

TEST_CASE("annotated graphs: what is written at which block") {
    const netgen::StructuredCfg cfg =
        netgen::read_cfg("a 1 b c\nb 2 d\nc 3 d\nd 4 e f\ne 5 f\nf 6\n", "test");
    const netgen::CfgAnnotation annotation =
        netgen::annotate(cfg, {true, false, false, false, false, false}, 3);
    CHECK(netgen::annotated_cfg_text(cfg, annotation) ==
          "a 1 b c  # split: true side 1 unit, false side 1 unit\n"
          "b 2 d\nc 3 d\n"
          "d 4 e f  # merge of a; no split\n"
          "e 5 f\nf 6\n");
    CHECK(netgen::numbered_cfg_text(cfg, annotation) ==
          "0 1 1 2  # a: split: true side 1 unit, false side 1 unit\n"
          "1 2 3  # b\n2 3 3  # c\n"
          "3 4 4 5  # d: merge of a; no split\n"
          "4 5 5  # e\n5 6 6  # f\n");
    CHECK_THAT(netgen::annotated_cfg_json(cfg, annotation),
               Contains(R"("comment":"split: true side 1 unit, false side 1 unit")") &&
                   Contains(R"("comment":"merge of a; no split")"));
    const netgen::StructuredCfg spaced({{"a b", 1}}, {netgen::BlockId{0}});
    CHECK_THROWS_AS(netgen::annotated_cfg_text(spaced, netgen::annotate(spaced, {false}, 1)), InputError);
}

TEST_CASE("annotated graphs: PTX gets comments and stays the same otherwise") {
    const std::string text =
        ".visible .entry k()\n{\n  mov.u32 %r1, %tid.x;\n  setp.eq.s32 %p1, %r1, 0;\n  @%p1 bra $L1; // bra\n"
        "  add.s32 %r2, %r1, 1;\n$L1:\n  add.s32 %r2, %r1, 2;\n  ret;\n}";
    const netgen::StructuredCfg cfg = netgen::read_cfg("b1 3 b3 b2\nb2 1 b3\nb3 2\n", "test");
    const std::vector<netgen::CodeBlock> code = {{"b1", 3}, {"b2", 6}, {"b3", 8}};
    CHECK(netgen::annotated_ptx(text, code, cfg, netgen::annotate(cfg, {true, false, false}, 2)) ==
          ".visible .entry k()\n{\n  mov.u32 %r1, %tid.x;\n  setp.eq.s32 %p1, %r1, 0;\n"
          "// b1: split: true side 1 unit, false side 1 unit\n"
          "  @%p1 bra $L1; // bra\n  add.s32 %r2, %r1, 1;\n$L1:\n"
          "// merge of b1\n"
          "  add.s32 %r2, %r1, 2;\n  ret;\n}");
    CHECK(netgen::annotated_ptx(text, code, cfg, netgen::annotate(cfg, {false, false, false}, 2)) == text);
}

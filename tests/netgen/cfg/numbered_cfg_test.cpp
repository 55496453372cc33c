#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "netgen/cfg/text.hpp"
#include "tests/support/case_count.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// A statement of a program: straight code, or a branch with one or two sides.
struct Statement {
    std::uint64_t time = 0, flow_time = 0;
    bool self_loop = false, swapped = false;
    std::vector<Statement> first, second;

    bool branch() const { return !first.empty(); }
};

using Program = std::vector<Statement>;

std::size_t lines_of(const Program& program) {
    std::size_t lines = 0;
    for (const Statement& s : program)
        lines += 1 + lines_of(s.first) + (s.second.empty() ? 0 : 1 + lines_of(s.second));
    return lines;
}

/// Writes the program from line `at` on in the layout of the benchmarks. The code after it has the next
/// number.
void write(const Program& program, std::size_t at, std::string& text) {
    const auto line = [&](std::size_t node, std::uint64_t time, std::initializer_list<std::size_t> next) {
        text += std::to_string(node) + ' ' + std::to_string(time);
        for (const std::size_t n : next) text += ' ' + std::to_string(n);
        text += '\n';
    };
    for (const Statement& s : program) {
        const std::size_t flow = at + 1 + lines_of(s.first);
        const std::size_t next = s.second.empty() ? flow : flow + 1 + lines_of(s.second);
        if (!s.branch() && s.self_loop) {
            line(at, s.time, {at, next});
        } else if (!s.branch()) {
            line(at, s.time, {next});
        } else {
            s.swapped ? line(at, s.time, {flow, at + 1}) : line(at, s.time, {at + 1, flow});
        }
        write(s.first, at + 1, text);
        if (!s.second.empty()) {
            line(flow, s.flow_time, {flow + 1, next});
            write(s.second, flow + 1, text);
        }
        at = next;
    }
}

/// "3(1,2|4),5": times, and the two sides of branches.
std::string shape(const Program& program) {
    std::string text;
    for (const Statement& s : program) {
        text += (text.empty() ? "" : ",") + std::to_string(s.time);
        if (!s.branch()) continue;
        text += s.swapped ? "(" + shape(s.second) + "|" + shape(s.first) + ")"
                          : "(" + shape(s.first) + "|" + shape(s.second) + ")";
        if (!s.second.empty()) text += "," + std::to_string(s.flow_time);
    }
    return text;
}

std::string shape(const netgen::StructuredCfg& cfg, std::span<const netgen::BlockId> sequence) {
    std::string text;
    for (const netgen::BlockId at : sequence) {
        const netgen::CfgBlock& block = cfg[at];
        text += (text.empty() ? "" : ",") + std::to_string(block.time);
        if (block.is_branch())
            text += "(" + shape(cfg, block.true_side) + "|" + shape(cfg, block.false_side) + ")";
    }
    return text;
}

Program random_program(CounterRandom& random, int depth) {
    Program program;
    const std::uint64_t statements = 1 + random.below(4);
    while (program.size() < statements) {
        Statement s;
        s.time = random.below(100);
        s.flow_time = random.below(10);
        s.self_loop = random.below(3) == 0;
        if (depth > 0 && random.below(2) == 0) {
            s.first = random_program(random, depth - 1);
            s.swapped = random.below(4) == 0;
            if (random.below(3) > 0) s.second = random_program(random, depth - 1);
        }
        const bool alone = s.branch() && s.second.empty();
        program.push_back(s);
        // Two branches with one side equal one branch with two, so a statement separates branches that must
        // stay apart.
        if (alone) program.push_back({random.below(100), 0, false, false, {}, {}});
    }
    return program;
}

}  // namespace

TEST_CASE("numbered graphs: exit without a line, rounds in the times, branches with two sides") {
    const netgen::StructuredCfg cfg = netgen::read_cfg("0 5 1 2\n1 9 2\n2 1 3 4\n3 7 3 4\n", "test");
    CHECK(shape(cfg, cfg.root()) == "5(9|7),1,0");
    CHECK(cfg.blocks()[0].id == "0");
}

TEST_CASE("numbered graphs of 2,000 random programs have the shape of the program") {
    for (std::uint64_t seed = 1; seed <= testing::case_count(2000); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const Program program = random_program(random, 4);
        std::string text;
        write(program, 0, text);
        INFO(text);
        const netgen::StructuredCfg cfg = netgen::read_cfg(text, "test");
        REQUIRE(shape(cfg, cfg.root()) == shape(program) + ",0");
    }
}

TEST_CASE("graphs that are not numbered are read as before") {
    CHECK_THROWS_AS(netgen::read_cfg("a 5 b 2\nb 9 2\n", "test"), InputError);  // no line for 2
    CHECK_THROWS_AS(netgen::read_cfg("1 5 2\n0 9 2\n", "test"), InputError);    // not in order
    CHECK_THROWS_AS(netgen::read_cfg("0 5 1 3\n1 9 3\n", "test"), InputError);  // 3 is not the next number
    CHECK_THROWS_AS(netgen::read_cfg("0 5 1\n1 9 1 2\n2 1\n", "test"),
                    InputError);  // the exit has a line: a loop without bound
    const netgen::StructuredCfg apart = netgen::read_cfg("a 5 b c\nb 9 c\nc 1 d e\nd 7 e\ne 0\n", "test");
    CHECK(shape(apart, apart.root()) == "5(9|),1(7|),0");
}

#include "netgen/code/ptx/values/threads.hpp"

#include "engine/base/random.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/ptx_lines.hpp"
#include "tests/support/ptx_lock_step.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A random structured kernel whose conditions and trips depend on the numbers of its threads, on a
/// parameter, and occasionally on memory.
class RandomKernel {
  public:
    explicit RandomKernel(std::uint64_t seed) : random_(seed, 1) {
        for (const char* special : {"%tid.x", "%ctaid.x", "%ntid.x", "%tid.y", "%ctaid.y", "%laneid"}) {
            const std::string reg = fresh();
            line("mov.u32 " + reg + ", " + special);
            numbers_.push_back(reg);
        }
        line("ld.param.u32 %n, [n]");
        const std::string row = fresh();
        line("mad.lo.s32 " + row + ", " + numbers_[1] + ", " + numbers_[2] + ", " + numbers_[0]);
        numbers_.push_back(row);
        uses_n_ = below(3) == 0;
        if (uses_n_) numbers_.emplace_back("%n");
        line("mov.u32 %m, 3");
        numbers_.emplace_back("%m");  // written repeatedly
        statements(3 + below(3), 0);
    }

    const std::string& body() const { return body_; }
    /// The called functions: one is equal for all threads, one has guards that differ.
    static std::map<std::string, std::string> functions() {
        return {{"f",
                 "mov.u32 %x, %ntid.x\nsetp.lt.u32 %y, %x, 40\n@%y sin.approx.f32 %f, %f\n"
                 "@!%y ld.shared.f32 %f, [%a]\nret\n"},
                {"g",
                 "mov.u32 %x, %tid.x\nsetp.lt.u32 %y, %x, 20\n@%y sin.approx.f32 %f, %f\n"
                 "add.f32 %f, %f, %f\nret\n"}};
    }
    bool uses_n() const { return uses_n_; }
    bool uses_memory() const { return uses_memory_; }

  private:
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_.below(count)); }
    std::string fresh() { return "%r" + std::to_string(++registers_); }
    std::string label(const std::string& kind) { return kind + std::to_string(++labels_); }
    void line(const std::string& text) { body_ += text + ";\n"; }
    void place(const std::string& name) { body_ += name + ":\n"; }
    std::string any() { return numbers_[below(static_cast<std::uint32_t>(numbers_.size()))]; }
    std::string constant(std::uint32_t most) { return std::to_string(below(most)); }

    std::string expression() {
        const std::string result = fresh();
        const auto three = [&](const char* opcode, const std::string& a, const std::string& b) {
            line(opcode + std::string(" ") + result + ", " + a + ", " + b);
        };
        switch (below(13)) {
            case 0:
                three("shr.u32", any(), constant(7));
                break;
            case 1:
                three("and.b32", any(), constant(40));
                break;
            case 2:
                three("add.s32", any(), std::to_string(static_cast<int>(below(60)) - 30));
                break;
            case 3:
                three("sub.s32", constant(70), any());
                break;
            case 4:
                three("mul.lo.s32", any(), constant(6));
                break;
            case 5:
                three("min.s32", any(), constant(50));
                break;
            case 6:
                three("max.u32", any(), constant(50));
                break;
            case 7:
                three("rem.u32", any(), std::to_string(1 + below(9)));
                break;
            case 8:
                three("div.s32", any(), std::to_string(1 + below(9)));
                break;
            case 9:
                three("add.s32", any(), any());
                break;
            case 10:
                three("xor.b32", any(), constant(9));
                break;
            case 11: {
                const std::string p = condition();
                line("selp.b32 " + result + ", " + any() + ", " + any() + ", " + p);
                break;
            }
            default:
                three("or.b32", any(), constant(9));
                break;
        }
        numbers_.push_back(result);
        return result;
    }

    std::string condition() {
        const std::string p = "%p" + std::to_string(++registers_);
        if (below(12) == 0) {
            uses_memory_ = true;
            const std::string loaded = fresh();
            line("ld.global.u32 " + loaded + ", [%a]");
            line("setp.lt.s32 " + p + ", " + loaded + ", 2000");
            return p;
        }
        const char* relations[] = {"lt.s32", "ge.s32", "gt.s32", "lt.u32", "ge.u32", "eq.s32", "ne.s32"};
        const std::string left = below(2) == 0 ? any() : expression();
        const std::string right = below(4) == 0 ? any() : constant(below(2) == 0 ? 5 : 70);
        line(std::string("setp.") + relations[below(7)] + " " + p + ", " + left + ", " + right);
        if (below(5) == 0) {
            const std::string q = condition();
            const std::string both = "%p" + std::to_string(++registers_);
            line((below(2) == 0 ? "and.pred " : "or.pred ") + both + ", " + p + ", " + q);
            return both;
        }
        return p;
    }

    void work() {
        const char* opcodes[] = {"sin.approx.f32 %f, %f",
                                 "add.f32 %f, %f, %f",
                                 "ld.shared.f32 %f, [%a]",
                                 "ex2.approx.f32 %f, %f",
                                 "call f",
                                 "st.global.f32 [%a], %f",
                                 "ld.shared.f32 %f, [%a]",
                                 "sin.approx.f32 %f, %f",
                                 "call g"};
        for (std::uint32_t i = 1 + below(3); i > 0; --i) {
            const std::string guard =
                below(3) == 0 ? "@" + std::string(below(2) == 0 ? "!" : "") + condition() + " " : "";
            line(guard + opcodes[below(below(6) == 0 ? 9 : 8)]);
        }
    }

    void loop(std::uint32_t depth) {
        const std::string number = std::to_string(++labels_);
        const std::string counter = "%i" + number;
        const std::string p = "%q" + number;
        // At most about 40 trips.
        const std::string start = fresh();
        const std::string end = fresh();
        line("and.b32 " + start + ", " + (below(2) == 0 ? any() : expression()) + ", " + constant(8));
        line("and.b32 " + end + ", " + (below(3) == 0 ? any() : expression()) + ", " + constant(40));
        const std::string step = std::to_string(1 + below(3));
        const bool ends_early = depth == 0 && below(6) == 0;
        const std::string leave = ends_early ? condition() : "";
        line("mov.u32 " + counter + ", " + start);
        const std::size_t known = numbers_.size();
        if (below(2) == 0) {  // while
            place("H" + number);
            line("setp.ge.s32 " + p + ", " + counter + ", " + end);
            line("@" + p + " bra X" + number);
            if (ends_early) line("@" + leave + " bra X" + number);
            statements(1 + below(2), depth + 1);
            line("add.s32 " + counter + ", " + counter + ", " + step);
            line("bra H" + number);
        } else {  // do while
            place("H" + number);
            statements(1 + below(2), depth + 1);
            line("add.s32 " + counter + ", " + counter + ", " + step);
            line("setp.lt.s32 " + p + ", " + counter + ", " + end);
            line("@" + p + " bra H" + number);
        }
        place("X" + number);
        numbers_.resize(known);
    }

    void branch(std::uint32_t depth) {
        const std::string p = condition();
        const std::string number = std::to_string(++labels_);
        const std::size_t known = numbers_.size();
        line("@" + std::string(below(2) == 0 ? "!" : "") + p + " bra E" + number);
        statements(1 + below(2), depth + 1);
        numbers_.resize(known);
        const bool other = below(2) == 0;
        if (other) {
            line("bra J" + number);
            place("E" + number);
            statements(1 + below(2), depth + 1);
            numbers_.resize(known);
            place("J" + number);
        } else {
            place("E" + number);
        }
    }

    void statements(std::uint32_t count, std::uint32_t depth) {
        for (; count > 0; --count) {
            const std::uint32_t kind = below(10);
            if (depth > 2 || kind < 3) {
                work();
            } else if (kind < 5) {
                loop(depth);
            } else if (kind < 7) {
                branch(depth);
            } else if (kind == 7) {
                line("@" + condition() + " mov.u32 %m, " + (below(2) == 0 ? any() : constant(30)));
            } else if (kind == 8 && depth < 2) {
                const std::string p = condition();
                line("@" + p + " ret");
            } else {
                line("mov.u32 %m, " + expression());
            }
        }
    }

    CounterRandom random_;
    std::string body_;
    std::vector<std::string> numbers_;
    int registers_ = 0;
    int labels_ = 0;
    bool uses_n_ = false;
    bool uses_memory_ = false;
};

struct Counts {
    std::int64_t total = 0, special = 0, loads = 0, stores = 0, skipped = 0;
    auto operator<=>(const Counts&) const = default;
};

Counts truth_of(const OpcodeCounts& counts) {
    Counts result;
    for (const auto& [opcode, count] : counts) {
        result.total += count;
        if (opcode == "sin" || opcode == "ex2") result.special += count;
        if (opcode == "ld") result.loads += count;
        if (opcode == "st") result.stores += count;
        if (opcode == "skipped") result.skipped += count;
    }
    return result;
}

Counts counted(const netgen::PtxCounts& counts) {
    return {counts.total(), counts[netgen::PtxClass::special],
            counts[netgen::PtxClass::global_load] + counts[netgen::PtxClass::shared_load] +
                counts[netgen::PtxClass::param_load],
            counts[netgen::PtxClass::global_store], counts[netgen::PtxClass::skipped]};
}

netgen::PtxReport launched(const std::string& body, const netgen::PtxLaunch& launch,
                           const std::map<std::string, std::int64_t>& trips = {}) {
    netgen::PtxOptions options;
    options.launch = launch;
    options.trips = trips;
    std::string functions;
    for (const auto& [name, text] : RandomKernel::functions()) {
        std::string statements;
        for (const char c : text) statements += c == '\n' ? std::string(";\n") : std::string(1, c);
        functions += ".func " + name + "\n{\n" + statements + "}\n";
    }
    return netgen::analyse_ptx(netgen::read_ptx(kernel_text(body, functions), "k.ptx"), "k", options);
}

}  // namespace

TEST_CASE("warps of a launch execute what every thread alone shows") {
    std::uint64_t proved = 0, decisive = 0, complete = 0, given = 0, uneven = 0, skipping = 0;
    for (std::uint64_t round = 0; round < case_count(400); ++round) {
        CounterRandom random(7, round);
        const RandomKernel kernel(round);
        LockStepPtx::Launch run;
        const std::array<std::array<std::uint32_t, 3>, 5> shapes = {
            {{32, 1, 1}, {64, 1, 1}, {100, 1, 1}, {8, 8, 1}, {20, 3, 1}}};
        run.block = shapes[random.below(5)];
        run.grid = {static_cast<std::uint32_t>(1 + random.below(4)),
                    static_cast<std::uint32_t>(1 + random.below(2)), 1};
        run.n = static_cast<std::uint32_t>(random.below(100));
        netgen::PtxLaunch launch;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            launch.grid[axis] = run.grid[axis];
            launch.block[axis] = run.block[axis];
        }
        if (!kernel.uses_n() || random.below(3) > 0) launch.params["n"] = run.n;
        CAPTURE(round, kernel.body(), run.block, run.grid, run.n);
        netgen::PtxReport report = launched(kernel.body(), launch);
        if (report.complete()) {
            ++complete;
        } else {
            // No loop of these kernels runs more often than that.
            std::map<std::string, std::int64_t> trips;
            for (const netgen::PtxLoopReport& loop : report.loops)
                if (!loop.trips) trips[loop.label] = 41;
            report = launched(kernel.body(), launch, trips);
            ++given;
        }
        std::vector<Counts> truth;
        Counts most;
        const std::vector<OpcodeCounts> warps =
            LockStepPtx(kernel.body() + "ret\n", RandomKernel::functions()).run(run);
        for (const OpcodeCounts& warp : warps) {
            truth.push_back(truth_of(warp));
            most = {std::max(most.total, truth.back().total), std::max(most.special, truth.back().special),
                    std::max(most.loads, truth.back().loads), std::max(most.stores, truth.back().stores)};
        }
        std::vector<Counts> groups;
        bool exact = true;
        for (const netgen::PtxWarpGroup& group : report.groups) {
            exact &= group.exact;
            groups.insert(groups.end(), static_cast<std::size_t>(group.warps), counted(group.counts));
        }
        REQUIRE(groups.size() == truth.size());
        REQUIRE(report.complete());
        const Counts all = counted(report.profile.counts);
        CHECK(all.total >= most.total);
        CHECK(all.special >= most.special);
        CHECK(all.loads >= most.loads);
        CHECK(all.stores >= most.stores);
        const std::size_t in_block = report.warps_of_block.size();
        REQUIRE(in_block == (run.block[0] * run.block[1] * run.block[2] + 31) / 32);
        for (std::size_t w = 0; w < truth.size(); ++w) {
            const Counts bound = counted(report.warps_of_block[w % in_block]);
            CHECK(bound.total >= truth[w].total);
            CHECK(bound.special >= truth[w].special);
            CHECK(bound.stores >= truth[w].stores);
        }
        std::sort(groups.begin(), groups.end());
        std::sort(truth.begin(), truth.end());
        for (std::size_t w = 0; w < truth.size(); ++w) CHECK(groups[w].total >= truth[w].total);
        if (truth.front() != truth.back()) ++uneven;
        if (!exact) continue;
        ++proved;
        if (truth.front() != truth.back()) ++decisive;
        if (truth.front().skipped > 0 || truth.back().skipped > 0) ++skipping;
        CHECK(groups == truth);
    }
    CAPTURE(complete, given, uneven, proved, decisive, skipping);
    CHECK(complete >= least_count(300));
    CHECK(given >= least_count(20));
    CHECK(decisive >= least_count(30));
    CHECK(skipping >= least_count(30));
}

namespace {

const std::string threads =
    "mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nmov.u32 %d, %ntid.x;\nmad.lo.s32 %row, %c, %d, %t;\n";

/// for (i = 0; i < end; ++i), which is skipped if end is 0.
std::string counted_loop(const std::string& end) {
    return "setp.lt.s32 %p, " + end + ", 1;\n@%p bra End;\nmov.u32 %i, 0;\nL:\nsin.approx.f32 %f, %f;\n" +
           "add.s32 %i, %i, 1;\nsetp.lt.s32 %q, %i, " + end + ";\n@%q bra L;\nEnd:\n";
}

/// (warps, sines of each), the largest number first.
using Sines = std::vector<std::pair<std::int64_t, std::int64_t>>;
Sines sines(const netgen::PtxReport& report) {
    Sines result;
    for (const netgen::PtxWarpGroup& group : report.groups) {
        CHECK(group.exact);
        result.emplace_back(group.warps, group.counts[netgen::PtxClass::special]);
    }
    return result;
}

}  // namespace

TEST_CASE("each warp of a block has its own trips") {
    const std::string body = threads + "shr.u32 %w, %t, 5;\nmul.lo.s32 %e, %w, 100;\n" + counted_loop("%e");
    const netgen::PtxReport report = launched(body, {.block = {256, 1, 1}});
    CHECK(sines(report) ==
          Sines{{1, 700}, {1, 600}, {1, 500}, {1, 400}, {1, 300}, {1, 200}, {1, 100}, {1, 0}});
    CHECK(report.profile.counts[netgen::PtxClass::special] == 700);
    REQUIRE(report.warps_of_block.size() == 8);
    CHECK(report.warps_of_block[3][netgen::PtxClass::special] == 300);
    REQUIRE(report.loops.size() == 1);
    CHECK(report.loops[0].trips == 700);
    CHECK(report.loops[0].least == 100);
    CHECK(report.loops[0].source == netgen::PtxTripSource::proved_at_most);
    CHECK(report.profile.mix->by_class[static_cast<std::size_t>(netgen::PtxClass::special)] == Approx(350));
}

TEST_CASE("given trips are taken or contradict a proof") {
    const std::string body = threads + "shr.u32 %w, %t, 5;\nmul.lo.s32 %e, %w, 100;\n" + counted_loop("%e");
    CHECK(launched(body, {.block = {256, 1, 1}}, {{"L", 700}}).profile.counts[netgen::PtxClass::special] ==
          700);
    for (const std::int64_t trips : {3, 800})
        CHECK_THROWS_WITH(
            launched(body, {.block = {256, 1, 1}}, {{"L", trips}}),
            "k.ptx:14: loop 'L' runs 100 to 700 times, depending on the warp, by its constants, "
            "but " +
                std::to_string(trips) + " trips are given");
    const std::string never = threads + "setp.ge.u32 %z, %t, 0;\n@%z ret;\n" + counted_loop("5");
    CHECK(launched(never, {.block = {64, 1, 1}}, {{"L", 0}}).profile.counts[netgen::PtxClass::special] == 0);
    CHECK_THROWS_WITH(launched(never, {.block = {64, 1, 1}}, {{"L", 5}}),
                      "k.ptx:14: loop 'L' is never reached by its constants, but 5 trips are given");
    // The given trips must not be fewer than some threads prove.
    const std::string memory =
        threads + "mov.u32 %e, 9;\nsetp.lt.u32 %z, %t, 32;\n@%z bra J;\nld.global.u32 %e, [%a];\nJ:\n" +
        counted_loop("%e");
    CHECK_FALSE(launched(memory, {.block = {64, 1, 1}}).complete());
    CHECK(launched(memory, {.block = {64, 1, 1}}, {{"L", 20}}).profile.counts[netgen::PtxClass::special] ==
          20);
    CHECK_THROWS(launched(memory, {.block = {64, 1, 1}}, {{"L", 8}}));
}

TEST_CASE("code behind a condition on the thread or its block counts for those that execute it") {
    const std::string rows = threads + "setp.eq.s32 %z, %c, 0;\n@%z bra End;\n" + counted_loop("12");
    CHECK(sines(launched(rows, {.grid = {10, 1, 1}, .block = {64, 1, 1}})) == Sines{{18, 12}, {2, 0}});
    // The grid is unknown: any block may be the first.
    netgen::PtxReport report = launched(rows, {.block = {64, 1, 1}});
    REQUIRE(report.groups.size() == 1);
    CHECK(report.groups[0].warps == 2);
    CHECK_FALSE(report.groups[0].exact);
    CHECK(report.groups[0].counts[netgen::PtxClass::special] == 12);
    // The condition is one of two, and the second is unknown.
    const std::string specialised = threads +
                                    "ld.param.u32 %n, [n];\nsetp.lt.u32 %y, %t, 32;\nsetp.lt.s32 %x, "
                                    "%n, 1;\nor.pred %z, %y, %x;\n@%z bra End;\n" +
                                    counted_loop("12");
    report = launched(specialised, {.block = {96, 1, 1}});
    REQUIRE(report.groups.size() == 2);
    CHECK(report.groups[0].counts[netgen::PtxClass::special] == 12);
    CHECK(report.groups[1].warps == 1);
    CHECK(report.groups[1].counts[netgen::PtxClass::special] == 0);
    CHECK(report.groups[1].exact);
    const std::string last =
        threads + "add.s32 %l, %d, -1;\nsetp.ne.s32 %z, %t, %l;\n@%z bra End;\n" + counted_loop("1000");
    CHECK(sines(launched(last, {.block = {256, 1, 1}})) == Sines{{1, 1000}, {7, 0}});
    const std::string up_to_row = threads + counted_loop("%row");
    report = launched(up_to_row, {.grid = {2, 1, 1}, .block = {64, 1, 1}});
    CHECK(sines(report) == Sines{{1, 127}, {1, 95}, {1, 63}, {1, 31}});
    // A counter that only meets its end because each thread's start is a multiple of 4.
    const std::string by_fours =
        threads +
        "and.b32 %u, %row, 3;\nsub.s32 %e, %row, %u;\nsetp.eq.s32 %p, %e, 0;\n@%p bra "
        "End;\nL:\nsin.approx.f32 %f, %f;\nadd.s32 %e, %e, -4;\nsetp.ne.s32 %q, %e, "
        "0;\n@%q bra L;\nEnd:\n";
    report = launched(by_fours, {.grid = {40, 1, 1}, .block = {128, 1, 1}});
    REQUIRE(report.groups.size() == 160);
    CHECK(sines(report).front() == std::pair<std::int64_t, std::int64_t>{1, 1279});
    // Without a launch, nothing is known about the threads.
    CHECK_FALSE(launched(up_to_row, {}).complete());
}

TEST_CASE("an instruction under a guard counts for the warps that a branch around it lets through") {
    const auto counts = [](const std::string& condition, const std::string& instruction, bool branch,
                           const netgen::PtxLaunch& launch) {
        return launched(
            threads + "ld.param.u32 %n, [n];\n" + condition + ";\n" +
                (branch ? "@!%p bra End;\n" + instruction + ";\nEnd:\n" : "@%p " + instruction + ";\n"),
            launch);
    };
    const netgen::PtxLaunch launch{.params = {{"n", 5}}, .grid = {100, 1, 1}, .block = {256, 1, 1}};
    for (const char* condition : {"setp.lt.u32 %p, %c, 10", "setp.lt.u32 %p, %t, 64", "setp.lt.u32 %p, %t, 0",
                                  "setp.gt.s32 %p, %n, 4", "setp.gt.s32 %p, %n, 5", "setp.eq.u32 %p, %t, 3",
                                  "setp.lt.u32 %p, %row, 1000"}) {
        for (const char* instruction :
             {"ld.global.f32 %f, [%a]", "st.global.f32 [%a], %f", "cp.async.ca.shared.global [%s], [%a], 4",
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%a], 4096, [%m]",
              "sin.approx.f32 %f, %f", "bar.sync 0", "red.global.add.f32 [%a], %f", "call f",
              "atom.shared.add.u32 %u, [%a], 1",
              "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 %d, %d, %d, %d"}) {
            CAPTURE(condition, instruction);
            const netgen::PtxReport branch = counts(condition, instruction, true, launch);
            const netgen::PtxReport guard = counts(condition, instruction, false, launch);
            for (std::size_t c = 0; c < netgen::ptx_class_count; ++c) {
                const auto own = static_cast<netgen::PtxClass>(c);
                if (own == netgen::PtxClass::branch || own == netgen::PtxClass::skipped) continue;
                CHECK(guard.profile.mix->by_class[c] == Approx(branch.profile.mix->by_class[c]));
                CHECK(guard.profile.counts[own] == branch.profile.counts[own]);
            }
            for (const netgen::AccessKind kind : netgen::access_kinds) {
                CHECK(guard.profile.mix->requests[kind] == Approx(branch.profile.mix->requests[kind]));
                CHECK(guard.profile.mix->transactions[kind] ==
                      Approx(branch.profile.mix->transactions[kind]));
            }
            CHECK(guard.profile.mix->dram_sectors == Approx(branch.profile.mix->dram_sectors));
            REQUIRE(guard.groups.size() == branch.groups.size());
            for (std::size_t g = 0; g < guard.groups.size(); ++g) {
                CHECK(guard.groups[g].warps == branch.groups[g].warps);
                CHECK(guard.groups[g].exact == branch.groups[g].exact);
                CHECK(guard.groups[g].counts.of("global") == branch.groups[g].counts.of("global"));
            }
        }
    }
    const netgen::PtxReport never = counts("setp.lt.u32 %p, %t, 0", "ld.global.f32 %f, [%a]", false, launch);
    CHECK(never.profile.counts[netgen::PtxClass::skipped] == 1);
    CHECK(never.profile.string.find('L') == never.profile.string.rfind('L'));  // of the parameter
    // Nothing is known about an open guard.
    const netgen::PtxReport open =
        counts("ld.global.u32 %u, [%a];\nsetp.lt.u32 %p, %u, 3", "st.global.f32 [%a], %f", false, launch);
    REQUIRE(open.groups.size() == 1);
    CHECK_FALSE(open.groups[0].exact);
    CHECK(open.groups[0].counts[netgen::PtxClass::global_store] == 1);
}

TEST_CASE("shares of branches that the launch decides") {
    const std::string body = threads + "setp.lt.u32 %p, %c, 100;\n@!%p bra D;\nld.global.f32 %f, [%a];\nD:\n";
    netgen::PtxOptions options;
    options.launch = {.grid = {10000, 1, 1}, .block = {256, 1, 1}};
    const auto report_of = [&](const std::string& text) {
        return netgen::analyse_ptx(netgen::read_ptx(kernel_text(text), "k.ptx"), "k", options);
    };
    CHECK(report_of(body).profile.both_sides.empty());
    options.taken = {{"D", 0.99}};
    CHECK_THROWS_WITH(report_of(body),
                      "k.ptx:10: the launch decides the branch to 'D', which the same threads "
                      "take each time, but a share of 0.99 is given");
    const std::string never = threads + "setp.lt.u32 %p, %t, 0;\n@%p bra D;\nld.global.f32 %f, [%a];\nD:\n";
    CHECK_THROWS_WITH(report_of(never),
                      "k.ptx:10: the launch decides the branch to 'D', which no thread takes, "
                      "but a share of 0.99 is given");
    options.taken = {{"D", 0}};
    const netgen::PtxReport report = report_of(never);
    REQUIRE(report.groups.size() == 1);
    CHECK(report.groups[0].exact);
    options.taken = {{"D", 0.5}};
    CHECK(report_of(threads + "ld.global.u32 %u, [%a];\nsetp.lt.u32 %p, %u, 9;\n@%p bra D;\n"
                              "ld.global.f32 %f, [%a];\nD:\n")
              .profile.averaged);
}

TEST_CASE("lanes that leave nested loops at different times") {
    // for (i <= tid) for (j <= 31 - tid): in iteration i the lanes from i on are active.
    const std::string body = threads +
                             "sub.s32 %u, 31, %t;\nmov.u32 %i, 0;\nA:\nmov.u32 %j, 0;\nB:\n"
                             "sin.approx.f32 %f, %f;\nadd.s32 %j, %j, 1;\nsetp.le.s32 %p, %j, %u;\n@%p bra "
                             "B;\nadd.s32 %i, %i, 1;\nsetp.le.s32 %q, %i, %t;\n@%q bra A;\n";
    const netgen::PtxReport report = launched(body, {.block = {32, 1, 1}});
    CHECK(sines(report) == Sines{{1, 32 * 33 / 2}});
    CHECK(report.profile.counts[netgen::PtxClass::special] == 32 * 32);  // each loop by itself
}

TEST_CASE("large launches are divided where their threads differ, and quickly") {
    const auto begun = std::chrono::steady_clock::now();
    netgen::PtxLaunch launch{
        .params = {{"n", 1'000'000'007}}, .grid = {2'147'483'647, 1, 1}, .block = {1024, 1, 1}};
    // Only the last warp with a row is partly active.
    const std::string guard =
        threads + "ld.param.u32 %n, [n];\nsetp.ge.u32 %z, %row, %n;\n@%z bra End;\n" + counted_loop("3");
    launch.grid = {4'000'000, 1, 1};
    CHECK(sines(launched(guard, launch)) == Sines{{31'250'001, 3}, {4'000'000LL * 32 - 31'250'001, 0}});
    launch.grid = {2'147'483'647, 1, 1};
    const netgen::PtxReport report = launched(threads + counted_loop("%c"), launch);
    CHECK(report.loops[0].trips == 2'147'483'646);
    std::int64_t warps = 0;
    for (const netgen::PtxWarpGroup& group : report.groups) warps += group.warps;
    CHECK(warps == 2'147'483'647LL * 32);
    // The mean of 0, 1, … is half of the last number.
    CHECK(report.profile.mix->by_class[static_cast<std::size_t>(netgen::PtxClass::special)] ==
          Approx(2'147'483'646 / 2.0).epsilon(0.01));
    launch.grid = {2'147'483'647, 2'147'483'647, 2'147'483'647};
    CHECK_THROWS_WITH(launched(guard, launch), "k.ptx: expected a launch of at most 2^63 - 1 warps");
    launch.block = {64, 64, 1};
    CHECK_THROWS_WITH(launched(guard, launch), "k.ptx: expected a block of at most 1024 threads");
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(sanitized() ? 60 : 10));
}

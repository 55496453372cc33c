// The files of ../shared/ptx and the kernels of examples/kernels, compared with two independent counts: by
// hand, from the CUDA sources, and by a counter without a grammar.

#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "tests/netgen/code/ptx/check_ptx.hpp"
#include "tests/support/ptx_lines.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

netgen::PtxModule read(const fs::path& file) {
    return netgen::read_ptx(text_of(file), file.filename().string());
}

std::vector<fs::path> ptx_files(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

bool begins(const std::string& text, std::initializer_list<const char*> starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](const char* start) { return text.starts_with(start); });
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// The coarse class of an opcode, by its letters only.
std::string coarse(const std::string& opcode) {
    if (begins(opcode, {"ld.param", "st.param", "ld.const"})) return "constant";
    if (begins(opcode, {"ld.", "st.", "atom.", "red."})) return "memory";
    if (begins(opcode, {"bar."})) return "barrier";
    if (begins(opcode, {"bra", "brx", "call", "ret", "exit"})) return "control";
    if (begins(opcode, {"shfl"})) return "shuffle";
    const bool moves = begins(opcode, {"mov", "cvt", "selp"});
    if (has(opcode, ".f64") && !moves) return "double";
    if (begins(opcode,
               {"sin", "cos", "ex2", "lg2", "sqrt", "rsqrt", "rcp", "div.approx", "div.rn", "div.full"}))
        return "special";
    return "arith";
}

/// Adds up the instructions that a function executes; its blocks run `times(line)` times.
void count_lines(const std::map<std::string, std::vector<PtxStatement>>& functions,
                 const std::string& function, const std::function<std::int64_t(std::size_t)>& times,
                 std::map<std::string, std::int64_t>& counts) {
    for (const PtxStatement& statement : functions.at(function)) {
        const std::int64_t n = times(statement.line);
        counts[coarse(statement.opcode)] += n;
        if (!begins(statement.opcode, {"call"})) continue;
        for (const auto& [name, body] : functions) {
            const std::size_t at = statement.text.find(name);
            if (at == std::string::npos) continue;
            const char behind =
                at + name.size() < statement.text.size() ? statement.text[at + name.size()] : ' ';
            if (std::isalnum(static_cast<unsigned char>(behind)) != 0 || behind == '_') continue;
            count_lines(
                functions, name, [&](std::size_t) { return n; }, counts);
        }
    }
}

std::map<std::string, std::int64_t> coarse_counts(const netgen::PtxCounts& counts) {
    std::map<std::string, std::int64_t> result = {
        {"arith", counts.of("arith")},
        {"memory", counts.of("shared") + counts.of("global") + counts.of("local")},
        {"constant", counts.of("constant")},
        {"barrier", counts.of("barrier")},
        {"control", counts.of("control")},
        {"shuffle", counts[netgen::PtxClass::shuffle]},
        {"double", counts[netgen::PtxClass::double_]},
        {"special", counts[netgen::PtxClass::special]}};
    std::erase_if(result, [](const auto& entry) { return entry.second == 0; });
    return result;
}

/// Counts every kernel of a file, with several trips, by the reader and by lines. Returns the number of
/// kernels.
std::size_t compare_with_lines(const fs::path& file) {
    const netgen::PtxModule module = read(file);
    const auto functions = ptx_statements(text_of(file));
    for (const std::string& kernel : module.kernels()) {
        for (const std::int64_t trips : {1, 5}) {
            CAPTURE(file.filename().string(), kernel, trips);
            netgen::PtxOptions options;
            for (const netgen::PtxLoopReport& loop : netgen::analyse_ptx(module, kernel).loops)
                if (!loop.trips) options.trips[loop.label] = loop.remainder ? 1 : trips;
            const netgen::PtxReport report = netgen::analyse_ptx(module, kernel, options);
            CHECK(report.complete());
            CHECK(report.profile.unknown_opcodes.empty());
            const auto times = [&](std::size_t line) {
                std::int64_t executions = 0;
                for (const netgen::PtxBlockReport& block : report.blocks)
                    if (block.line <= line && block.line > 0) executions = block.executions;
                return executions;
            };
            std::map<std::string, std::int64_t> counts;
            count_lines(functions, kernel, times, counts);
            CHECK(coarse_counts(report.profile.counts) == counts);
            check_ptx_kernel(module, kernel, options);
        }
    }
    return module.kernels().size();
}

netgen::PtxCounts counts_of(const netgen::PtxModule& module, const std::string& kernel,
                            const std::map<std::string, std::int64_t>& trips) {
    netgen::PtxOptions options;
    options.trips = trips;
    return netgen::analyse_ptx(module, kernel, options).profile.counts;
}

}  // namespace

TEST_CASE("the PTX of the harness equals a count by lines") {
    std::size_t kernels = 0;
    for (const fs::path& file : ptx_files(source_dir() / "examples/kernels"))
        kernels += compare_with_lines(file);
    CHECK(kernels >= 36);
}

TEST_CASE("the PTX of ../shared/ptx equals a count by lines") {
    const auto folder = shared_data("ptx");
    SKIP_WITHOUT(folder, "ptx");
    std::size_t kernels = 0;
    for (const fs::path& file : ptx_files(*folder)) kernels += compare_with_lines(file);
    CHECK(kernels >= 17);
}

// By hand from features.cu and its PTX, line by line.
TEST_CASE("features: every class by hand") {
    const auto folder = shared_data("ptx");
    SKIP_WITHOUT(folder, "ptx");
    for (const char* target : {"sm_75", "sm_80", "sm_90"}) {
        const netgen::PtxModule module = read(*folder / ("features." + std::string(target) + ".ptx"));
        CHECK(module.target == target);
        const netgen::PtxReport report = netgen::analyse_ptx(module, "features");
        using enum netgen::PtxClass;
        const netgen::PtxCounts& counts = report.profile.counts;
        CHECK(counts[special] == 5);  // sin, cos, sqrt, div.approx, ex2
        CHECK(counts[double_] == 5);  // 4 fma, 1 div
        CHECK(counts[float32] == 7);  // 4 add, 2 mul; the fma of helper()
        CHECK(counts[convert] == 4);  // to f64 twice, to s64, to u32
        CHECK(counts[constant_load] == 4);
        CHECK(counts[param_load] == 5 + 2 + 1);  // arguments, those of helper(), its result
        CHECK(counts[param_store] == 2 + 1);     // to helper(), from it
        CHECK(counts[global_load] == 1);         // one float4
        CHECK(counts[global_store] == 2);
        CHECK(counts[global_atomic] == 1);
        CHECK(counts[shared_load] == 1);
        CHECK(counts[shared_store] == 1);
        CHECK(counts[barrier] == 1);
        CHECK(counts[warp_barrier] == 1);
        CHECK(counts[shuffle] == 1);
        CHECK(counts[vote] == 1);
        CHECK(counts[divide] == 1);  // the remainder
        CHECK(counts[shift] == 4);
        CHECK(counts[compare] == 9);  // 6 of the switch, n, w > 0; one more in the switch
        CHECK(counts[call] == 1);
        CHECK(counts[leave] == 2);
        CHECK(report.profile.bytes[netgen::AccessKind::global_load] == 16);
        CHECK(report.profile.bytes[netgen::AccessKind::global_store] == 16 + 8 + 4);
        CHECK(report.profile.static_shared_bytes == 0);
    }
}

TEST_CASE("shared/ptx: loops, prints, bounds and unrolled reductions by hand") {
    const auto folder = shared_data("ptx");
    SKIP_WITHOUT(folder, "ptx");
    using enum netgen::PtxClass;
    for (const char* target : {"sm_75", "sm_80", "sm_90"}) {
        const std::string end = "." + std::string(target) + ".ptx";
        // n = 4 q + r: q trips of the unrolled loop, r of the rest loop.
        const netgen::PtxModule matmul = read(*folder / ("matmul_naive" + end));
        const netgen::PtxCounts products =
            counts_of(matmul, "matmul_naive", {{"$L__BB0_4", 16}, {"$L__BB0_7", 3}});
        CHECK(products[float32] == 67);  // fma; moves are no arithmetic
        CHECK(products.of("global") == 2 * 67 + 1);
        // The sum of 256 in eight halvings: a store, 8 (2 loads, 1 store), a load.
        const netgen::PtxModule radix = read(*folder / ("radix_count" + end));
        const netgen::PtxReport report = netgen::analyse_ptx(radix, "radix_count_zeros");
        CHECK(report.complete());
        CHECK(report.profile.counts[shared_load] == 17);
        CHECK(report.profile.counts[shared_store] == 9);
        CHECK(report.profile.counts[barrier] == 9);
        CHECK(report.profile.counts.of("global") == 2);
        CHECK(report.profile.static_shared_bytes == 1024);
        // 64 points: the first, 15 times 4, and 3; each point has 2 loads.
        const netgen::PtxModule voronoi = read(*folder / ("voronoi" + end));
        const netgen::PtxCounts unrolled =
            counts_of(voronoi, "voronoi", {{"$L__BB0_4", 15}, {"$L__BB0_7", 3}});
        CHECK(unrolled[global_load] == 2 * 64);
        CHECK(unrolled[float32] == 4 * 64);  // 2 sub, mul, fma
        const netgen::PtxCounts rolled = counts_of(voronoi, "voronoi_nounroll", {{"$L__BB1_3", 63}});
        CHECK(rolled[global_load] == 2 * 64);
        CHECK(rolled[float32] == 4 * 64);
    }
    const netgen::PtxModule features2 = read(*folder / "features2.sm_80.ptx");
    for (const char* kernel : {"_Z4tmplIfEvPT_i", "_Z4tmplIdEvPT_i"}) {
        const netgen::PtxReport report = netgen::analyse_ptx(features2, kernel);
        CHECK(report.profile.max_threads == 256);
        CHECK(report.profile.min_blocks == 4);
        CHECK(report.not_in_file == std::vector<std::string>{"vprintf"});
        CHECK(report.profile.counts[global_load] == 32 + 3);  // p[i * k]; cases 1, 2, 8
        CHECK(report.profile.counts[global_store] == 1 + 1);  // case 7; the end
        CHECK(report.loops.size() == 2);
        CHECK(report.loops[1].nounroll);
    }
}

// Counted from the sources. Optimisation does not change the accesses.
TEST_CASE("the harness: what the sources say, optimised and not") {
    using enum netgen::PtxClass;
    for (const char* variant : {"O3.sm_80", "O3.sm_90", "O0.sm_75"}) {
        CAPTURE(variant);
        const fs::path folder = source_dir() / "examples/kernels/ptx";
        const auto module = [&](const char* name) {
            return read(folder / (std::string(name) + "." + variant + ".ptx"));
        };
        const bool optimised = std::string_view(variant).starts_with("O3");
        const netgen::PtxCounts sum = counts_of(module("vector_add"), "vector_add", {});
        CHECK(sum[global_load] == 2);
        CHECK(sum[global_store] == 1);
        CHECK(sum[float32] == 1);
        const netgen::PtxCounts naive = counts_of(module("matmul_naive"), "matmul_naive", {{"#1", 64}});
        CHECK(naive[global_load] == 2 * 64);
        CHECK(naive[global_store] == 1);
        CHECK(naive[float32] == 64 * (optimised ? 1 : 2));  // fma, or mul and add
        const netgen::PtxCounts tiled = counts_of(module("matmul_tiled"), "matmul_tiled", {{"#1", 4}});
        CHECK(tiled[global_load] == 2 * 4);
        CHECK(tiled[shared_store] == 2 * 4);
        CHECK(tiled[shared_load] == 2 * 16 * 4);
        CHECK(tiled[barrier] == 2 * 4);
        const netgen::PtxCounts reduction =
            counts_of(module("reduction"), "reduce_sum", {{"#1", 10}, {"#2", 8}});
        CHECK(reduction[global_load] == 10);
        CHECK(reduction[float32] == 10 + 8);
        CHECK(reduction[shared_store] == 1 + 8);
        CHECK(reduction[shared_load] == 2 * 8 + 1);
        CHECK(reduction[barrier] == 1 + 8);
        const netgen::PtxCounts voronoi = counts_of(module("voronoi"), "voronoi", {{"#1", 63}});
        CHECK(voronoi[global_load] == (optimised ? 1 : 2) * 64);  // float2 at once, or x and y
        CHECK(voronoi[global_store] == 1);

        const netgen::PtxModule radix = module("radix_sort");
        const netgen::PtxCounts global_count = counts_of(radix, "radix_global_count", {});
        CHECK(global_count[global_load] == 8);
        CHECK(global_count[global_store] == 1);
        const netgen::PtxCounts global_move = counts_of(radix, "radix_global_move", {});
        CHECK(global_move[global_load] == 2 + 8);
        CHECK(global_move[global_store] == 8);
        CHECK(global_move.of("shared") == 0);
        const netgen::PtxCounts tile_count = counts_of(radix, "radix_tile_count", {{"#1", 8}});
        CHECK(tile_count[global_load] == 8);
        CHECK(tile_count[shared_store] == 8);
        CHECK(tile_count[shared_load] == 8);
        CHECK(tile_count[barrier] == 1);
        const netgen::PtxCounts tile_move = counts_of(radix, "radix_tile_move", {});
        CHECK(tile_move[global_load] == 2 + 8);
        CHECK(tile_move[global_store] == 8);
        CHECK(tile_move.of("shared") == 16);
        const netgen::PtxCounts block_count = counts_of(radix, "radix_block_count", {});
        CHECK(block_count[global_load] == 8);
        CHECK(block_count[vote] == 8);
        CHECK(block_count[shared_store] == 1);
        CHECK(block_count[shared_load] == 8);
        const netgen::PtxCounts block_move = counts_of(radix, "radix_block_move", {});
        CHECK(block_move[vote] == 8);
        CHECK(block_move[barrier] == 2 * 8);
        // Unoptimised code reads the counts of the previous warps twice.
        CHECK(block_move[shared_load] == 8 * 8 * (optimised ? 1 : 2));
        const netgen::PtxCounts scan = counts_of(radix, "radix_scan", {{"#1", 3}});
        CHECK(scan[barrier] == 3 * (1 + 2 * 8 + 1));
        CHECK(scan[shared_store] == 3 * (1 + 8));
        CHECK(scan[shared_load] == 3 * (2 * 8 + 2));
        for (const std::string& kernel : radix.kernels())
            CHECK(netgen::analyse_ptx(radix, kernel).profile.unresolved_generic == 0);
    }
}

TEST_CASE("the naive product of the README: 30 + 6 n arithmetic instructions, 2 n + 1 accesses") {
    const netgen::PtxModule module = read(source_dir() / "examples/kernels/matmul_naive.ptx");
    for (const std::int64_t n : {1, 64, 1000}) {
        CHECK(netgen::ptx_warp_counts(counts_of(module, "matmul_naive", {{"$L__BB0_2", n}})) ==
              netgen::WarpCounts{30 + 6 * n, 0, 2 * n + 1});
    }
}

TEST_CASE("the Voronoi kernel of Berezovskyi13 has the string of its paper") {
    const netgen::PtxModule module = read(source_dir() / "examples/kernels/voronoi_paper.ptx");
    CHECK(netgen::ptx_string_until(module, "voronoi_paper", {}, "Loop") == "LLLLLCCCCCCCCCLLCCCCCCCCC");
    netgen::PtxOptions options;
    options.trips["Loop"] = 2;
    CHECK(netgen::expand_ptx_string(module, "voronoi_paper", options) ==
          "LLLLLCCCCCCCCCLLCCCCCCCCCLLCCCCCCCCCCCCL");
    options.letters = netgen::PtxLetters::with_control;
    CHECK(netgen::expand_ptx_string(module, "voronoi_paper", options) ==
          "LLLLLCCCCCCCCCLLCCCCCCCCCCLLCCCCCCCCCCCCCLC");
}

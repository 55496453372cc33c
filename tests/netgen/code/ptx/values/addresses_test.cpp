#include "netgen/code/ptx/values/addresses.hpp"

#include "engine/base/random.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/values/lanes.hpp"
#include "tests/support/case_count.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr std::uint64_t pointer = 256 * 4001;
constexpr std::uint64_t first_stride = 4096 * 77;  // of rows: multiples of a line, and far apart
constexpr std::uint64_t second_stride = 4096 * 40013;
constexpr std::uint64_t offset = 4096 * 9;
constexpr std::uint64_t block_number = 4096 * 3;

std::string tile_kernel_text(const std::string& body) {
    return ".version 9.0\n.target sm_80\n.entry k(.param .u64 k_param_0, .param .u32 k_param_1, .param .u32 "
           "k_param_2, .param .u32 k_param_3)\n{\n.shared .align 128 .b8 tile[4096];\n" +
           body + "ret;\n}\n";
}

netgen::PtxWarps warps_of(const std::string& body, std::array<std::int64_t, 3> block) {
    const netgen::PtxModule module = netgen::read_ptx(tile_kernel_text(body), "k.ptx");
    const netgen::PtxFunction& function = module.functions.at(0);
    netgen::PtxLaunch launch;
    launch.block = block;
    return netgen::follow_ptx_warps(function, netgen::ptx_flow(module, function), launch);
}

netgen::PtxAccess only_access(const std::string& body, std::array<std::int64_t, 3> block) {
    const netgen::PtxWarps warps = warps_of(body, block);
    REQUIRE(warps.accesses.size() == 1);
    return warps.accesses[0];
}

/// Executes a text without loops for one thread, instruction by instruction. The result is its address, or
/// nothing if it does not reach the access.
class Thread {
  public:
    Thread(const std::array<std::int64_t, 3>& block, std::int64_t number) {
        values_["%tid.x"] = static_cast<std::uint64_t>(number % block[0]);
        values_["%tid.y"] = static_cast<std::uint64_t>(number / block[0] % block[1]);
        values_["%tid.z"] = static_cast<std::uint64_t>(number / block[0] / block[1]);
        values_["%ntid.x"] = static_cast<std::uint64_t>(block[0]);
        values_["%ctaid.x"] = block_number;
        values_["[k_param_0]"] = pointer;
        values_["[k_param_1]"] = first_stride;
        values_["[k_param_2]"] = second_stride;
        values_["[k_param_3]"] = offset;
        values_["tile"] = 0;
    }

    std::optional<std::uint64_t> address(const std::string& body) {
        std::istringstream lines(body);
        std::string line;
        while (std::getline(lines, line)) {
            std::replace(line.begin(), line.end(), ',', ' ');
            std::replace(line.begin(), line.end(), ';', ' ');
            std::istringstream words(line);
            std::string op, a, b, c, d;
            words >> op;
            if (op == "Out:") return std::nullopt;
            if (op.starts_with("@")) {
                const bool holds = value(op.substr(op.find('%'))) != 0;
                if (holds == op.starts_with("@!")) continue;
                words >> op;
                if (op == "bra") return std::nullopt;
            }
            words >> a >> b >> c >> d;
            if (op.starts_with("ld.param")) {
                values_[a] = value(b);
            } else if (op.starts_with("ld.")) {
                return memory(a.starts_with("{") ? line.substr(line.find('[')) : b);
            } else {
                values_[a] = compute(op, value(b), value(c), value(d));
            }
        }
        return std::nullopt;
    }

  private:
    std::uint64_t memory(const std::string& text) {
        const std::string inside = text.substr(1, text.find(']') - 1);
        const std::size_t plus = inside.find('+');
        return value(inside.substr(0, plus)) +
               (plus == std::string::npos ? 0 : value(inside.substr(plus + 1)));
    }
    std::uint64_t value(const std::string& text) {
        if (text.empty()) return 0;
        if (const auto found = values_.find(text); found != values_.end()) return found->second;
        return static_cast<std::uint64_t>(std::stoll(text));
    }
    static std::uint64_t compute(const std::string& op, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        const auto word = [](std::uint64_t x) { return x & 0xFFFFFFFF; };
        const auto wide = [](std::uint64_t x) {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)));
        };
        if (op == "mov.u32") return word(a);
        if (op == "add.s32") return word(a + b);
        if (op == "sub.s32") return word(a - b);
        if (op == "mul.lo.s32") return word(a * b);
        if (op == "mad.lo.s32") return word(a * b + c);
        if (op == "shl.b32") return word(a << b);
        if (op == "shr.u32") return word(a) >> b;
        if (op == "and.b32") return a & b;
        if (op == "xor.b32") return a ^ b;
        if (op == "rem.u32") return word(a) % word(b);
        if (op == "div.u32") return word(a) / word(b);
        if (op == "mul.wide.s32") return wide(a) * wide(b);
        if (op == "add.s64") return a + b;
        if (op == "setp.lt.u32") return word(a) < word(b) ? 1 : 0;
        FAIL("unexpected " << op);
        return 0;
    }
    std::map<std::string, std::uint64_t> values_;
};

/// Transactions of a warp, counted from the definition.
std::size_t count_sectors(const std::vector<std::uint64_t>& addresses, std::uint64_t bytes) {
    std::set<std::uint64_t> sectors;
    for (const std::uint64_t address : addresses)
        for (std::uint64_t byte = 0; byte < bytes; ++byte) sectors.insert((address + byte) / 32);
    return sectors.size();
}

std::size_t count_passes(const std::vector<std::optional<std::uint64_t>>& addresses, std::uint64_t bytes) {
    std::size_t passes = 0;
    const std::size_t lanes = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    for (std::size_t phase = 0; phase < 32 / lanes; ++phase) {
        std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
        for (std::size_t lane = phase * lanes; lane < std::min((phase + 1) * lanes, addresses.size());
             ++lane) {
            if (!addresses[lane]) continue;
            for (std::uint64_t byte = 0; byte < bytes; ++byte) {
                const std::uint64_t word = ((*addresses[lane] + byte) & 0xFFFFFFFF) / 4;
                words_of_bank[word % 32].insert(word);
            }
        }
        std::size_t most = 0;
        for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
        passes += most;
    }
    return passes;
}

struct Reference {
    double transactions = 0, lines = 0;  // mean over the warps that make the access
    double making = 0;                   // their share
};

Reference reference(const std::string& body, const std::array<std::int64_t, 3>& block, std::uint64_t bytes,
                    bool shared) {
    const std::int64_t threads = block[0] * block[1] * block[2];
    double transactions = 0, lines = 0, making = 0, warps = 0;
    for (std::int64_t first = 0; first < threads; first += 32, ++warps) {
        std::vector<std::optional<std::uint64_t>> addresses;
        std::vector<std::uint64_t> active;
        for (std::int64_t thread = first; thread < std::min(first + 32, threads); ++thread) {
            addresses.push_back(Thread(block, thread).address(body));
            if (addresses.back()) active.push_back(*addresses.back());
        }
        if (active.empty()) continue;
        ++making;
        transactions +=
            static_cast<double>(shared ? count_passes(addresses, bytes) : count_sectors(active, bytes));
        std::set<std::uint64_t> own_lines;
        for (const std::uint64_t address : active)
            for (std::uint64_t byte = 0; byte < bytes; ++byte) own_lines.insert((address + byte) / 128);
        lines += static_cast<double>(own_lines.size());
    }
    return making > 0 ? Reference{transactions / making, lines / making, making / warps} : Reference{};
}

template <class T>
const T& one_of(CounterRandom& random, const std::vector<T>& all) {
    return all[random.below(static_cast<std::uint32_t>(all.size()))];
}

/// A random sum of functions of the thread's coordinates, unknown strides and values that all lanes share.
class AddressText {
  public:
    AddressText(CounterRandom& random, bool shared) : random_(random) {
        body_ = "mov.u32 %x, %tid.x;\nmov.u32 %y, %tid.y;\nmov.u32 %sum, " +
                std::to_string(random.below(64)) + ";\n";
        if (random.below(3) > 0) add(function_of("%x"));
        if (random.below(2) > 0) add(function_of("%y"));
        if (random.below(3) == 0) add(function_of("%x"));
        if (random.below(3) == 0)
            body_ += "mov.u32 %c, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.s32 %sum, %c, %n, %sum;\n";
        if (random.below(3) == 0) body_ += "ld.param.u32 %o, [k_param_3];\nadd.s32 %sum, %sum, %o;\n";
        if (!shared && random.below(4) == 0)
            body_ += "ld.param.u32 %s, [k_param_1];\nmad.lo.s32 %sum, %y, %s, %sum;\n";
        if (!shared && random.below(6) == 0)
            body_ += "ld.param.u32 %q, [k_param_2];\nmad.lo.s32 %sum, %x, %q, %sum;\n";
        if (random.below(3) == 0) {
            const std::string condition = function_of(random.below(2) == 0 ? "%x" : "%y");
            body_ += "setp.lt.u32 %p, " + condition + ", " + std::to_string(1 + random.below(40)) + ";\n@" +
                     (random.below(2) == 0 ? "!" : "") + "%p bra Out;\n";
        }
    }
    std::string& body() { return body_; }

  private:
    std::string fresh() { return "%t" + std::to_string(next_++); }
    std::string function_of(std::string reg) {
        static const std::vector<std::pair<std::string, std::vector<int>>> steps = {
            {"mul.lo.s32", {2, 3, 5, 7, 8, 16, 17, 32, 33, 40}},
            {"shl.b32", {1, 2, 3, 5}},
            {"shr.u32", {1, 2, 4}},
            {"and.b32", {1, 3, 7, 15, 31, 12}},
            {"xor.b32", {1, 3, 9}},
            {"rem.u32", {3, 5, 16}},
            {"div.u32", {2, 3, 16}},
            {"add.s32", {1, 8, 100}}};
        for (std::uint64_t step = random_.below(4); step > 0; --step) {
            const auto& [op, constants] = one_of(random_, steps);
            const std::string to = fresh();
            body_ += op + " " + to + ", " + reg + ", " + std::to_string(one_of(random_, constants)) + ";\n";
            reg = to;
        }
        return reg;
    }
    void add(const std::string& reg) {
        body_ += (random_.below(5) == 0 ? "sub.s32" : "add.s32") + std::string(" %sum, %sum, ") + reg + ";\n";
    }
    CounterRandom& random_;
    std::string body_;
    std::size_t next_ = 0;
};

}  // namespace

TEST_CASE("passes through shared memory and sectors of plain strides") {
    for (std::uint64_t stride = 0; stride < 70; ++stride) {
        netgen::WarpAddresses access;
        access.active = 0xFFFFFFFF;
        for (std::uint64_t lane = 0; lane < 32; ++lane) access.address[lane] = 4 * stride * lane;
        CAPTURE(stride);
        // gcd(stride, 32) lanes meet in each bank that is used; all read one word at stride 0
        CHECK(netgen::shared_passes(access) ==
              static_cast<std::int64_t>(stride == 0 ? 1 : std::gcd(stride, 32U)));
        CHECK(netgen::global_sectors(access) ==
              static_cast<std::int64_t>(stride == 0 ? 1 : std::min<std::uint64_t>(32, 4 * stride)));
    }
    netgen::WarpAddresses wide;
    wide.active = 0xFFFFFFFF;
    for (const std::int64_t bytes : {8, 16}) {
        wide.bytes = bytes;
        for (std::uint64_t lane = 0; lane < 32; ++lane)
            wide.address[lane] = static_cast<std::uint64_t>(bytes) * lane;
        CHECK(netgen::shared_passes(wide) == bytes / 4);
        CHECK(netgen::global_sectors(wide) == bytes);
        CHECK(netgen::global_lines(wide) == bytes / 4);
    }
    wide.active = 0;
    CHECK(netgen::shared_passes(wide) == 0);
}

TEST_CASE("transactions of random address texts are those of executing them thread by thread") {
    CounterRandom random(5, 0);
    const std::vector<std::array<std::int64_t, 3>> shapes = {{32, 1, 1}, {64, 1, 1},  {16, 16, 1},
                                                             {32, 8, 1}, {8, 4, 2},   {4, 4, 4},
                                                             {48, 2, 1}, {100, 1, 1}, {5, 7, 1}};
    std::uint64_t guarded = 0;
    std::uint64_t strided = 0;
    for (std::uint64_t round = 0; round < case_count(3000); ++round) {
        const bool shared = random.below(2) == 0;
        const auto& shape = one_of(random, shapes);
        AddressText text(random, shared);
        std::string& body = text.body();
        const std::uint64_t bytes = std::uint64_t{4} << random.below(3);
        const std::string to = bytes == 4 ? "f32 %f" : bytes == 8 ? "v2.f32 {%f,%g}" : "v4.f32 {%f,%g,%h,%i}";
        if (shared) {
            body += "shl.b32 %a, %sum, " +
                    std::to_string(bytes == 4   ? 2
                                   : bytes == 8 ? 3
                                                : 4) +
                    ";\nmov.u32 %s, tile;\nadd.s32 %s, %s, %a;\nld.shared." + to + ", [%s+" +
                    std::to_string(bytes * random.below(3)) + "];\n";
        } else {
            body += "ld.param.u64 %rd, [k_param_0];\nmul.wide.s32 %w, %sum, " + std::to_string(bytes) +
                    ";\nadd.s64 %w, %rd, %w;\nld.global." + to + ", [%w+" +
                    std::to_string(bytes * random.below(9)) + "];\n";
        }
        body += "Out:\n";
        if (body.find("bra") != std::string::npos) ++guarded;
        if (body.find("[k_param_1]") != std::string::npos) ++strided;
        CAPTURE(round, body, shape);
        const auto [transactions, lines, making] = reference(body, shape, bytes, shared);
        const netgen::PtxAccess access = only_access(body, shape);
        CHECK(access.warps == Approx(making));
        if (making == 0) continue;
        REQUIRE(access.known);
        CHECK(access.transactions == Approx(transactions));
        if (!shared) CHECK(access.passes == Approx(lines));
        CHECK(access.blocks == (body.find("%ctaid") != std::string::npos ? 1 : 0));
    }
    CHECK(guarded >= least_count(500));
    CHECK(strided >= least_count(200));
}

TEST_CASE(
    "what loops add for all lanes alike leaves the pattern, and behind a loop lanes are in different "
    "places") {
    const std::string loop =
        "mov.u32 %i, %tid.x;\nmov.u32 %n, %ntid.x;\nld.param.u32 %b, [k_param_1];\nld.param.u64 %rd, "
        "[k_param_0];\n"
        "L:\nmul.wide.s32 %w, %i, 8;\nadd.s64 %w, %rd, %w;\nld.global.f32 %f, [%w];\n"
        "add.s32 %i, %i, %n;\nsetp.lt.s32 %p, %i, %b;\n@%p bra L;\n";
    const netgen::PtxWarps warps = warps_of(
        loop + "mul.wide.s32 %v, %i, 4;\nadd.s64 %v, %rd, %v;\nst.global.f32 [%v], %f;\n", {128, 1, 1});
    REQUIRE(warps.accesses.size() == 2);
    CHECK(warps.accesses[0].known);
    CHECK(warps.accesses[0].transactions == 8);
    CHECK_FALSE(warps.accesses[1].known);
    // A loop over tiles; all lanes evaluate its test alike.
    const netgen::PtxAccess tiles = only_access(
        "mov.u32 %t, %tid.x;\nmov.u32 %i, 0;\nld.param.u64 %rd, [k_param_0];\nL:\nshl.b32 %j, %i, "
        "5;\nadd.s32 %j, "
        "%j, %t;\nadd.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, 10;\n@%p bra L;\nmul.wide.s32 %w, %j, 4;\nadd.s64 "
        "%w, %rd, "
        "%w;\nld.global.f32 %f, [%w];\n",
        {64, 1, 1});
    CHECK(tiles.known);
    CHECK(tiles.transactions == 4);
}

TEST_CASE("where lanes take different sides, what the sides write is not known behind them") {
    const auto access = [](const std::string& condition) {
        return only_access(
            "mov.u32 %t, %tid.x;\nld.param.u32 %n, [k_param_1];\n" + condition +
                "mov.u32 %i, 0;\n@%p bra Then;\nmov.u32 %i, 5;\nThen:\nadd.s32 %i, %i, %t;\nshl.b32 %i, %i, "
                "2;\nmov.u32 %s, tile;\nadd.s32 %s, %s, %i;\nld.shared.f32 %f, [%s];\n",
            {64, 1, 1});
    };
    CHECK(access("setp.eq.s32 %p, %n, 7;\n").known);  // all lanes alike
    CHECK(access("setp.eq.s32 %p, %n, 7;\n").transactions == 1);
    CHECK_FALSE(access("setp.lt.s32 %p, %t, %n;\n").known);
    CHECK_FALSE(access("setp.lt.s32 %p, %t, 9;\n").known);
}

TEST_CASE("addresses out of memory, of an unknown shape, unknown strides in shared memory are not known") {
    CHECK_FALSE(
        only_access("mov.u32 %t, %tid.x;\nld.local.u32 %i, [%t];\nld.global.f32 %f, [%i];\n", {32, 1, 1})
            .known);
    const std::string rows =
        "mov.u32 %x, %tid.x;\nmov.u32 %y, %tid.y;\nld.param.u32 %n, [k_param_1];\nmad.lo.s32 %i, %y, %n, "
        "%x;\n"
        "shl.b32 %i, %i, 2;\nmov.u32 %s, tile;\nadd.s32 %s, %s, %i;\nld.shared.f32 %f, [%s];\n";
    CHECK_FALSE(only_access(rows, {16, 16, 1}).known);
    CHECK(only_access(rows, {32, 8, 1}).known);  // one row per warp
    CHECK_FALSE(only_access(rows, {}).known);
    CHECK(warps_of(rows, {}).needs_shape);
    // Only one coordinate: every warp of a row does the same.
    const netgen::PtxAccess row = only_access(
        "mov.u32 %x, %tid.x;\nmul.wide.u32 %w, %x, 12;\nld.param.u64 %rd, [k_param_0];\nadd.s64 %w, %w, "
        "%rd;\nld.global.f32 %f, [%w];\n",
        {});
    CHECK(row.known);
    CHECK(row.transactions == 12);
}

TEST_CASE("warps that conditions exclude do not execute what lies behind them") {
    const netgen::PtxWarps warps = warps_of(
        "mov.u32 %t, %tid.x;\nsetp.ne.s32 %p, %t, 0;\n@%p bra Out;\nadd.s32 %a, %a, 1;\nOut:\n", {256, 1, 1});
    REQUIRE(warps.share.size() == 3);
    CHECK(warps.share[0] == 1);
    CHECK(warps.share[1] == 0.125);
    CHECK(warps.share[2] == 1);
    REQUIRE(warps.executes.size() == 8);
    CHECK(warps.executes[0][1]);
    CHECK_FALSE(warps.executes[1][1]);
}

TEST_CASE("what warps of a block and blocks of the grid ask for alike is found") {
    const auto of = [](const std::string& row, const std::string& column) {
        return only_access(
            "mov.u32 %x, %tid.x;\nmov.u32 %y, %tid.y;\nmov.u32 %a, %ctaid.x;\nmov.u32 %b, "
            "%ctaid.y;\nmad.lo.s32 %r, " +
                row + ", 256, " + column +
                ";\nmul.wide.s32 %w, %r, 4;\nld.param.u64 %rd, [k_param_0];\nadd.s64 %w, %w, "
                "%rd;\nld.global.f32 %f, [%w];\n",
            {16, 16, 1});
    };
    // A row of the block, the same for all of its 8 warps but for every second row: two sectors a row.
    CHECK(of("%y", "%x").distinct == 1);
    CHECK(of("%y", "%x").blocks == 0);
    CHECK(of("5", "%x").distinct == Approx(2 / 16.0));  // 8 warps request the same two sectors
    CHECK(of("%a", "%x").blocks == 1);
    CHECK(of("%b", "%x").blocks == 2);
    CHECK(of("%a", "%b").blocks == 3);
    // By hand: 8 warps request 1 sector each, and all request the same sector.
    CHECK(of("%a", "%b").distinct == Approx(1 / 8.0));
}

TEST_CASE("an access for which all threads of the launch ask at one word is known as that") {
    const auto one_word = [](const std::string& body) {
        return only_access("ld.param.u64 %rd1, [k_param_0];\n" + body, {64, 1, 1}).one_word;
    };
    const std::string add = "red.global.add.u32 [%rd1], 1;\n";
    CHECK(one_word(add) == 32);
    CHECK(one_word("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 " + add) == 8);
    CHECK(one_word("mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n" + add) ==
          0);
    CHECK(one_word("mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n" + add) ==
          0);
    const auto loop = [&](const std::string& step) {
        return one_word("mov.u32 %r1, 0;\nL:\n" + add + step +
                        "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 5;\n@%p1 bra L;\n");
    };
    CHECK(loop("") == 32);
    CHECK(loop("add.s64 %rd1, %rd1, 4;\n") == 0);
}

#include "netgen/sm/sm.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "tests/support/reference_run.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// Round numbers for expectations by hand: no launch cost, and an ALU instruction takes 8 cycles.
netgen::SmDevice round_device() {
    netgen::SmDevice device;
    device.name = "round";
    device.issue = 2;
    device.sms = 2;
    device.block_launch = 0;
    device.alu_latency = 8;
    device.shared_latency = 24;
    device.l2_latency = 160;
    device.dram_latency = 320;
    device.integer_cost = 1;
    return device;
}

netgen::KernelProfile arithmetic(double instructions) {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "test";
    kernel.fp32 = instructions;
    return kernel;
}

RunResult run_net(const Net& net, std::uint64_t seed = 1) {
    RunOptions options;
    options.seed = seed;
    options.count_firings = true;
    return run(compile(net), options);
}

std::uint64_t steps(const netgen::SmDevice& device, const netgen::KernelProfile& kernel,
                    std::int64_t blocks = 1) {
    const netgen::SmProgram program = netgen::sm_program(device, kernel);
    const RunResult result = run_net(netgen::sm_net(program, blocks, program.trips));
    REQUIRE(result.reason == StopReason::dead);
    return result.steps;
}

netgen::KernelProfile random_kernel(CounterRandom& random) {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "random";
    const auto count = [&](std::uint32_t below) { return 0.25 * random.below(4 * below); };
    kernel.blocks = 1 + random.below(40);
    kernel.threads = 16 * (1 + random.below(8));
    kernel.fp32 = 1 + count(30);
    kernel.integer = count(30);
    kernel.fp64 = count(3);
    kernel.convert = count(3);
    kernel.branches = count(4);
    kernel.barriers = random.below(4);
    kernel.shared_loads = count(6);
    kernel.shared_stores = count(4);
    kernel.shuffles = count(2);
    kernel.loads.requests = count(5);
    kernel.stores.requests = count(4);
    kernel.loads.dram_share = 0.5;
    return kernel;
}

}  // namespace

TEST_CASE("one warp takes the sum of its latencies, each step 8 cycles") {
    // 8 ALU slots are one operation of 8 * 8 cycles.
    CHECK(steps(round_device(), arithmetic(8)) == 8);
    CHECK(steps(round_device(), arithmetic(80)) == 80);
    // Each shared load waits 3 steps. A store does not stop the warp: its issue step is subtracted from the
    // wait of the load before or after it.
    netgen::KernelProfile kernel = arithmetic(8);
    kernel.shared_loads = 5;
    CHECK(steps(round_device(), kernel) == 8 + 15);
    kernel.shared_stores = 2;
    CHECK(steps(round_device(), kernel) == 8 + 15);
    // Two loads are in flight at a time; the warp ends when both have returned.
    netgen::KernelProfile loads = arithmetic(8);
    loads.fp32 = 0;
    loads.loads.requests = 2;
    CHECK(steps(round_device(), loads) == 41);  // issued in steps 1 and 2, 40 steps each
    loads.loads.requests = 4;
    CHECK(steps(round_device(), loads) == 81);
    loads.loads.dram_share = 0;
    CHECK(steps(round_device(), loads) == 41);  // 20 steps each
}

TEST_CASE("two slots of an integer instruction and dual issue") {
    netgen::SmDevice device = round_device();
    device.integer_cost = 2;
    netgen::KernelProfile kernel = arithmetic(0);
    kernel.integer = 16;
    CHECK(steps(device, kernel) == 16);  // still the latency of 16 instructions
    kernel.dual_issue = 0.5;
    CHECK(steps(device, kernel) == 8);
    device.issue = 1;
    CHECK(steps(device, kernel) == 16);
}

TEST_CASE("rates limit many warps") {
    const netgen::SmDevice device = round_device();
    SECTION("ALU: 64 warps on 4 schedulers of a slot a cycle") {
        netgen::KernelProfile kernel = arithmetic(80);
        kernel.threads = 128;
        kernel.blocks = 320;  // 16 at a time: small blocks leave few slots unused at their end
        CHECK(steps(device, kernel, 160) == Approx(10 * 16 * 80 / 8.0).epsilon(0.1));
    }
    SECTION("shared memory: a transaction a cycle") {
        netgen::KernelProfile kernel = arithmetic(1);
        kernel.threads = 1024;
        kernel.shared_loads = 20;
        kernel.shared_load_transactions = 4;
        CHECK(steps(device, kernel) == Approx(32 * 20 * 4 / 8.0).epsilon(0.1));
    }
    SECTION("L2: a sector a cycle, twice as many for scattered stores") {
        netgen::KernelProfile kernel = arithmetic(1);
        kernel.threads = 1024;
        kernel.blocks = 2;
        kernel.stores.requests = 10;
        kernel.stores.dram_share = 0;
        kernel.stores.sectors = 16;
        CHECK(steps(device, kernel) == Approx(32 * 10 * 16 / 8.0).epsilon(0.1));
        kernel.stores.sectors = 32;
        CHECK(steps(device, kernel) == Approx(32 * 10 * 64 / 8.0).epsilon(0.1));
    }
}

TEST_CASE("blocks come one after the other where one fills the SM, and at the pace of their launch") {
    netgen::SmDevice device = round_device();
    netgen::KernelProfile kernel = arithmetic(80);
    kernel.blocks = 12;
    device.limits.blocks = 1;
    CHECK(steps(device, kernel, 1) == 80);
    CHECK(steps(device, kernel, 5) == 400);
    device.limits.blocks = 32;
    CHECK(steps(device, kernel, 5) < 90);
    device.block_launch = 160;  // 20 steps
    CHECK(steps(device, kernel, 5) == Approx(80 + 4 * 20).margin(2));
}

TEST_CASE("a barrier waits for the slowest warp and for the loads of each") {
    netgen::SmDevice device = round_device();
    device.barrier_latency = 8;
    netgen::KernelProfile kernel = arithmetic(8);
    kernel.threads = 64;
    kernel.barriers = 3;
    CHECK(steps(device, kernel) == 8 + 3);
    kernel.fp32 = 0;
    kernel.loads.requests = 1;  // after the second barrier of three, or before it
    CHECK(steps(device, kernel) >= 40);
}

TEST_CASE("residency: warps, blocks, registers, shared memory") {
    netgen::SmDevice device;
    device.name = "any";
    netgen::KernelProfile kernel = arithmetic(1);
    kernel.threads = 128;
    CHECK(netgen::resident_blocks(device, kernel) == 16);
    kernel.threads = 32;
    CHECK(netgen::resident_blocks(device, kernel) == 32);
    kernel.registers = 33;  // 1056, rounded up to 1280 a warp: 12 warps of each quarter, 48 in all
    kernel.threads = 256;
    CHECK(netgen::resident_blocks(device, kernel) == 6);
    kernel.shared_bytes = 20000;
    CHECK(netgen::resident_blocks(device, kernel) == 2);
    kernel.shared_bytes = 50000;
    CHECK_THROWS_WITH(netgen::resident_blocks(device, kernel),
                      "test on any: the launch fails: a block has 50000 bytes of shared memory, and "
                      "49152 is the limit of a block");
}

TEST_CASE("every run of every kernel ends with all blocks done and everything given back") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        const netgen::KernelProfile kernel = random_kernel(random);
        netgen::SmProgramOptions options;
        options.max_body = 1 + random.below(60);
        const netgen::SmProgram program = netgen::sm_program(netgen::SmDevice(), kernel, options);
        const std::int64_t trips = std::min<std::int64_t>(program.trips, 3);
        const std::int64_t blocks = 1 + random.below(5);
        const Net net = netgen::sm_net(program, blocks, trips);
        const RunResult result = run_net(net, seed);
        REQUIRE(result.reason == StopReason::dead);
        const NodeIndex nodes(net);
        CHECK(result.marking[index(nodes.place("alive").value())] == 0);
        CHECK(result.marking[index(nodes.place("blocks_left").value())] == 0);
        std::uint64_t begun = 0, ended = 0, operations = 0;
        for (std::size_t t = 0; t < net.transitions().size(); ++t) {
            const std::string& id = net.transitions()[t].id;
            if (id.ends_with("_begin")) begun += result.counts[t];
            if (id.ends_with("_end")) ended += result.counts[t];
            if (id.starts_with("w1_i")) operations += result.counts[t];
        }
        const auto warps = static_cast<std::uint64_t>(blocks * program.warps_per_block);
        CHECK(begun == warps);
        CHECK(ended == warps);
        const std::uint64_t first_block = result.counts[index(nodes.transition("b1_start").value())];
        CHECK(operations == first_block * program.bodies[0].size() * static_cast<std::uint64_t>(trips));
        for (std::size_t p = 0; p < net.places().size(); ++p) {
            const std::string& id = net.places()[p].id;
            const bool idle =
                id.find("_pc_") != std::string::npos || id.ends_with("_ready") || id.ends_with("_wait");
            if (idle) CHECK(result.marking[p] == 0);
            if (id.ends_with("_free") || id.ends_with("_load_1")) CHECK(result.marking[p] == 1);
        }
    }
}

TEST_CASE("the fast run of the net is the run of the reference executor in distribution") {
    netgen::KernelProfile kernel = arithmetic(20);
    kernel.threads = 96;
    kernel.loads.requests = 2;
    kernel.shared_loads = 2;
    kernel.barriers = 1;
    const Net net = netgen::sm_net(netgen::sm_program(netgen::SmDevice(), kernel), 2, 1);
    RunOptions keyed;
    keyed.keyed = true;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        keyed.seed = seed;
        const RunResult fast = run(compile(net), keyed);
        const RunResult reference = testing::reference_run(net, keyed);
        CHECK(fast.steps == reference.steps);
        CHECK(fast.marking == reference.marking);
    }
}

TEST_CASE("of long programs, too, whose hubs are what warps share") {
    netgen::KernelProfile kernel = arithmetic(300);
    kernel.threads = 160;
    kernel.loads.requests = 12;
    const Net net = netgen::sm_net(netgen::sm_program(netgen::SmDevice(), kernel), 4, 1);
    const CompiledNet compiled = compile(net);
    std::size_t hubs = 0;
    for (std::size_t p = 0; p < net.places().size(); ++p) {
        CAPTURE(net.places()[p].id);
        if (compiled.hub[p] == 0) continue;
        ++hubs;
        CHECK(net.places()[p].id.front() != 'w');
    }
    CHECK(hubs >= 5);
    RunOptions keyed;
    keyed.keyed = true;
    for (keyed.seed = 1; keyed.seed <= 3; ++keyed.seed) {
        const RunResult fast = run(compiled, keyed), reference = testing::reference_run(net, keyed);
        CHECK(fast.steps == reference.steps);
        CHECK(fast.marking == reference.marking);
    }
}

TEST_CASE("every block demands what the kernel says, rare classes and shares of levels included") {
    netgen::KernelProfile kernel = netgen::streaming_profile();
    kernel.name = "rare";
    kernel.blocks = 100;
    kernel.fp32 = 400;
    kernel.integer = 300;
    kernel.branches = 0.25;
    kernel.special = 0.1;
    kernel.loads.requests = 2.5;
    kernel.loads.dram_share = 0.4;
    kernel.barriers = 0.3;
    const netgen::SmDevice device;
    const double dram = netgen::dram_sectors_per_cycle(device, static_cast<double>(device.sms));
    for (const std::int64_t threads : {32, 96, 1024}) {
        CAPTURE(threads);
        kernel.threads = threads;
        const netgen::SmProgram program = netgen::sm_program(device, kernel);
        const auto warps = static_cast<std::size_t>(program.warps_per_block);
        for (std::size_t first = 0; first < program.bodies.size(); first += warps) {
            std::array<double, netgen::sm_credit_count> used = {};  // cycles of each rate
            double load_cycles = 0;
            for (std::size_t w = first; w < first + warps; ++w) {
                for (const netgen::SmOp& op : program.bodies[w]) {
                    CHECK(op.delay >= 1);
                    for (std::size_t c = 0; c < netgen::sm_credit_count; ++c)
                        used[c] += 8 * static_cast<double>(op.credits[c]) / netgen::sm_credit_units;
                    load_cycles += 8 * static_cast<double>(op.slot);
                }
            }
            const double all = static_cast<double>(warps) / static_cast<double>(program.trips);
            const auto demanded = [&](netgen::SmCredit credit, double cycles) {
                const double given = used[static_cast<std::size_t>(credit)] / all;
                CAPTURE(to_string(credit));
                CHECK(given >= cycles * (1 - 1e-9));
                CHECK(given == Approx(cycles).epsilon(0.02));
            };
            demanded(netgen::SmCredit::alu, 400 + 600);
            demanded(netgen::SmCredit::issue, kernel.instructions());
            demanded(netgen::SmCredit::sfu, 0.1 * 4);
            demanded(netgen::SmCredit::l2, 2.5 * 4 / netgen::l2_sectors_per_cycle(device, 1));
            demanded(netgen::SmCredit::dram, 2.5 * 4 * 0.4 / dram);
            const double latency = 0.4 * device.dram_latency + 0.6 * device.l2_latency;
            CHECK(load_cycles >= 2.5 * latency * all);
        }
    }
}

TEST_CASE("bandwidth of other SMs comes when no more blocks are left than the last wave has") {
    netgen::SmDevice device;
    device.sms = 80;
    device.limits.blocks = 4;
    netgen::KernelProfile kernel = arithmetic(1);
    kernel.loads.requests = 3;
    kernel.blocks = 80 * 4 + 10;
    const netgen::SmProgram program = netgen::sm_program(device, kernel);
    CHECK(program.last_blocks == 1);
    CHECK(program.last_refill[static_cast<std::size_t>(netgen::SmCredit::dram)] > 0);
    const Net net = netgen::sm_net(program, 5, 1);
    const NodeIndex nodes(net);
    const auto more = nodes.transition("refill_more_dram");
    const auto alive = nodes.place("alive");
    REQUIRE((more && alive));
    CHECK(std::any_of(net.arcs().begin(), net.arcs().end(), [&](const Arc& arc) {
        return arc.kind == ArcKind::inhibitor && arc.place == *alive && arc.transition == *more &&
               arc.weight == 2;
    }));
}

TEST_CASE("steps of 4, 8 and 16 cycles agree") {
    netgen::KernelProfile kernel = arithmetic(300);
    kernel.integer = 100;
    kernel.threads = 256;
    kernel.blocks = 24;
    kernel.loads.requests = 6;
    kernel.shared_loads = 20;
    std::vector<double> cycles;
    for (const std::int64_t q : {4, 8, 16}) {
        const netgen::SmProgram program =
            netgen::sm_program(netgen::SmDevice(), kernel, {.step_cycles = q, .max_body = 200});
        cycles.push_back(static_cast<double>(run_net(netgen::sm_net(program, 8, program.trips)).steps *
                                             static_cast<std::uint64_t>(q)));
    }
    CHECK(cycles[0] == Approx(cycles[1]).epsilon(0.05));
    CHECK(cycles[2] == Approx(cycles[1]).epsilon(0.05));
}

TEST_CASE("a kernel out of range is rejected with its name") {
    netgen::KernelProfile kernel = arithmetic(-1);
    CHECK_THROWS_WITH(netgen::sm_program(netgen::SmDevice(), kernel),
                      Catch::StartsWith("test: fp32 must lie in"));
    kernel = arithmetic(0);
    CHECK_THROWS_WITH(netgen::sm_program(netgen::SmDevice(), kernel),
                      Catch::Contains("at least one instruction"));
    kernel = arithmetic(std::nan(""));
    CHECK_THROWS_AS(netgen::sm_program(netgen::SmDevice(), kernel), InputError);
    kernel = arithmetic(1);
    kernel.threads = 2048;
    CHECK_THROWS_WITH(netgen::sm_program(netgen::SmDevice(), kernel), Catch::Contains("threads of a block"));
    netgen::KernelProfile fields;
    for (const std::string_view field : netgen::profile_fields())
        CHECK(netgen::set_profile_field(fields, field, 3));
    CHECK_FALSE(netgen::set_profile_field(fields, "speed", 3));
    CHECK(fields.blocks == 3);
    CHECK(fields.stores.dram_share == 3);
}

TEST_CASE("recognise_sm() reads from a net what it was made of, and nothing from others") {
    CounterRandom random(3, 0);
    for (int i = 0; i < 20; ++i) {
        const netgen::KernelProfile kernel = random_kernel(random);
        const netgen::SmProgram program = netgen::sm_program(round_device(), kernel);
        const std::int64_t blocks = program.resident_blocks() + random.below(3), trips = 1 + random.below(3);
        const Net net = netgen::sm_net(program, blocks, trips);
        const std::optional<netgen::SmNet> sm = netgen::recognise_sm(net);
        REQUIRE(sm);
        CHECK(sm->program.bodies == program.bodies);
        CHECK(sm->blocks == blocks);
        CHECK(sm->trips == trips);
        NetBuilder changed;
        for (const Place& place : net.places()) changed.add_place(place.id, place.initial);
        for (const Transition& transition : net.transitions())
            if (const TransitionId added = changed.add_transition(transition.id); transition.immediate)
                changed.set_immediate(added);
        const std::size_t odd = random.below(static_cast<std::uint32_t>(net.arcs().size()));
        for (std::size_t a = 0; a < net.arcs().size(); ++a) {
            const Arc& arc = net.arcs()[a];
            changed.add_arc(arc.kind, arc.place, arc.transition, arc.weight + (a == odd ? 1 : 0));
        }
        const Net other = changed.build();
        const std::optional<netgen::SmNet> read =
            netgen::recognise_sm(other);  // the arc can be the only source of a number
        CHECK((!read ||
               netgen::sm_net(read->program, read->blocks, read->trips).arcs()[odd] == other.arcs()[odd]));
    }
}

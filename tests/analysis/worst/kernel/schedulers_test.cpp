// SerialScheduler and MaximalStepScheduler, the two readings of a pseudo-precedence string.
#include "analysis/worst/kernel/schedulers.hpp"

#include "analysis/worst/kernel/annealing.hpp"
#include "analysis/worst/kernel/precedence_string.hpp"
#include "engine/net/error.hpp"
#include "netgen/kernel/kernel.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/plain_serial_schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::any_kernel;
using warpnet::testing::makespan;
using warpnet::testing::plain_serial_schedule;

namespace {

/// A cycle as the instructions that execute in it, without the positions of the warps in the string.
using Cells = std::vector<std::vector<int>>;  // [warp]: cycle of each instruction

Cells cells(const netgen::KernelInstance& instance, std::span<const worst::Warp> string,
            std::span<const std::uint32_t> cycles) {
    Cells of_warp(static_cast<std::size_t>(instance.warps));
    for (std::size_t p = 0; p < string.size(); ++p) of_warp[string[p]].push_back(static_cast<int>(cycles[p]));
    return of_warp;
}

template <typename Scheduler>
void check_windows_against_reset(const netgen::KernelInstance& instance, std::uint64_t seed) {
    constexpr worst::MoveWeights every_move{
        .exchange = 1, .exchange_near = 1, .shift = 1, .shift_near = 1, .gather = 2, .gang = 2};
    worst::Neighbourhood neighbourhood(every_move);
    Scheduler scheduler(instance);
    Scheduler whole(instance);
    scheduler.reset(worst::random_string(instance, seed, 0));
    for (std::uint64_t i = 0; i < 40; ++i) {
        CounterRandom random(seed, i);
        if (!neighbourhood.draw(scheduler.string(), random)) continue;
        worst::PrecedenceString candidate = scheduler.string();
        std::copy(neighbourhood.letters().begin(), neighbourhood.letters().end(),
                  candidate.begin() + static_cast<std::ptrdiff_t>(neighbourhood.first()));
        const int makespan_before = scheduler.makespan();
        const int value = scheduler.evaluate(neighbourhood.first(), neighbourhood.letters());
        CHECK(value == whole.reset(candidate));
        CHECK(scheduler.makespan() == makespan_before);
        if (random.below(2) == 0) continue;  // dropped: the next candidate must not see it
        scheduler.accept();
        REQUIRE(scheduler.string() == candidate);
        CHECK(scheduler.makespan() == value);
        const auto cycles = scheduler.cycles();
        const auto expected = whole.cycles();
        CHECK(std::equal(cycles.begin(), cycles.end(), expected.begin(), expected.end()));
    }
}

}  // namespace

TEST_CASE("the fast serial schedule is the paper's") {
    const std::uint64_t seed = GENERATE(range<std::uint64_t>(0, 150));
    CAPTURE(seed);
    // Capacities below and above the number of warps, and kernels of more than 64 cycles.
    const netgen::KernelInstance instance = netgen::normalise(
        any_kernel(seed, {.letters = 4, .length = 30, .warps = 12, .units = 9, .levels = false}));
    worst::SerialScheduler scheduler(instance);
    for (std::uint64_t stream = 0; stream < 10; ++stream) {
        const worst::PrecedenceString string = worst::random_string(instance, seed, stream);
        const std::vector<int> expected = plain_serial_schedule(instance, string);
        CHECK(scheduler.reset(string) == makespan(expected));
        const auto cycles = scheduler.cycles();
        CHECK(std::equal(expected.begin(), expected.end(), cycles.begin(), cycles.end(),
                         [](int a, std::uint32_t b) { return a == static_cast<int>(b); }));
    }
}

TEST_CASE("capacities of every size count right") {
    const int capacity = GENERATE(range(1, 70));
    CAPTURE(capacity);
    const netgen::KernelInstance instance{
        .warps = 70, .type = {0, 1, 0}, .capacity = {capacity, 2}, .schedulers = capacity + 1};
    const worst::PrecedenceString string = worst::random_string(instance, 1, 0);
    CHECK(worst::SerialScheduler(instance).reset(string) ==
          makespan(plain_serial_schedule(instance, string)));
}

TEST_CASE("a changed window gives what the whole string gives") {
    const std::uint64_t seed = GENERATE(range<std::uint64_t>(0, 60));
    CAPTURE(seed);
    const netgen::KernelInstance instance = netgen::normalise(
        any_kernel(seed, {.letters = 3, .length = 25, .warps = 9, .units = 4, .levels = true}));
    check_windows_against_reset<worst::SerialScheduler>(instance, seed);
    check_windows_against_reset<worst::MaximalStepScheduler>(instance, seed);
}

TEST_CASE("both readings give schedules of a work-conserving scheduler") {
    const std::uint64_t seed = GENERATE(range<std::uint64_t>(0, 200));
    CAPTURE(seed);
    const netgen::KernelInstance instance = netgen::normalise(
        any_kernel(seed, {.letters = 4, .length = 12, .warps = 6, .units = 3, .levels = true}));
    const worst::PrecedenceString string = worst::random_string(instance, seed, 1);
    const worst::KernelSchedule schedule = decode(instance, string, worst::StringReading::maximal_step);
    CHECK(check_schedule(instance, schedule) == "");
    CHECK(decode(instance, encode(instance, schedule), worst::StringReading::maximal_step) == schedule);
    if (instance.level.empty()) {
        const worst::KernelSchedule serial = decode(instance, string, worst::StringReading::serial);
        CHECK(check_schedule(instance, serial) == "");
        CHECK(decode(instance, encode(instance, serial), worst::StringReading::serial) == serial);
        CHECK(decode(instance, encode(instance, serial), worst::StringReading::maximal_step) == serial);
    } else {
        CHECK(worst::search_reading(instance) == worst::StringReading::maximal_step);
    }
}

TEST_CASE("serial strings and maximal steps reach the same schedules where instructions take one cycle") {
    // Every string of every instance with up to two types, W <= 3 and W*I <= 8, capacities 1 and 2, with and
    // without schedulers.
    const int warps = GENERATE(1, 2, 3);
    const int length = GENERATE(1, 2, 3, 4);
    if (warps * length > 8) return;
    for (unsigned letters = 0; letters < (1u << length); ++letters) {
        for (const std::vector<int>& capacity : {std::vector{1, 1}, {1, 2}, {2, 2}}) {
            for (const int schedulers : {0, 1, 2}) {
                netgen::KernelInstance instance{.warps = warps, .type = {}, .capacity = capacity};
                for (int i = 0; i < length; ++i)
                    instance.type.push_back(static_cast<std::uint8_t>(letters >> i & 1));
                if (schedulers > 0) instance.schedulers = schedulers;
                worst::SerialScheduler serial(instance);
                worst::MaximalStepScheduler maximal(instance);
                std::set<Cells> by_serial;
                std::set<Cells> by_maximal;
                worst::PrecedenceString string = worst::fixed_priority_string(instance);
                do {
                    serial.reset(string);
                    by_serial.insert(cells(instance, string, serial.cycles()));
                    maximal.reset(string);
                    by_maximal.insert(cells(instance, string, maximal.cycles()));
                } while (std::next_permutation(string.begin(), string.end()));
                CAPTURE(warps, length, letters, capacity, schedulers);
                CHECK(by_serial == by_maximal);
            }
        }
    }
}

namespace {

/// A small reference for instructions that occupy their unit for several cycles, with lambda = 1: the set of
/// makespans over all strings, serial or by maximal steps.
std::set<int> makespans_with_occupation(const std::string& kernel, const std::map<char, int>& duration,
                                        std::size_t warps, worst::StringReading reading) {
    std::set<int> makespans;
    std::vector<std::size_t> string;
    for (std::size_t w = 0; w < warps; ++w) string.insert(string.end(), kernel.size(), w);
    do {
        std::map<char, std::set<int>> taken;  // per unit: its busy cycles
        std::vector<std::size_t> next(warps, 0);
        std::vector<int> ready(warps, 0);
        std::vector<std::size_t> left = string;
        const auto fits = [&](std::size_t warp, int cycle) {
            const char unit = kernel[next[warp]];
            for (int i = 0; i < duration.at(unit); ++i)
                if (taken[unit].count(cycle + i) > 0) return false;
            return ready[warp] <= cycle;
        };
        const auto execute = [&](std::size_t warp, int cycle) {
            const char unit = kernel[next[warp]++];
            for (int i = 0; i < duration.at(unit); ++i) taken[unit].insert(cycle + i);
            ready[warp] = cycle + duration.at(unit);
        };
        if (reading == worst::StringReading::serial) {
            for (const std::size_t warp : string) {
                int cycle = 0;
                while (!fits(warp, cycle)) ++cycle;
                execute(warp, cycle);
            }
        } else {
            for (int cycle = 0; !left.empty(); ++cycle) {
                // The first remaining letter of each warp is its next instruction.
                std::set<std::size_t> seen;
                for (std::size_t p = 0; p < left.size();) {
                    const std::size_t warp = left[p];
                    if (seen.insert(warp).second && fits(warp, cycle)) {
                        execute(warp, cycle);
                        left.erase(left.begin() + static_cast<std::ptrdiff_t>(p));
                    } else {
                        ++p;
                    }
                }
            }
        }
        makespans.insert(*std::max_element(ready.begin(), ready.end()));
    } while (std::next_permutation(string.begin(), string.end()));
    return makespans;
}

}  // namespace

TEST_CASE("the readings differ where an instruction occupies its unit for two cycles") {
    // Serial: the second warp's C may precede the first warp's, which then starts only at cycle 3. By maximal
    // steps the first warp's C starts when it is ready.
    const std::map<char, int> duration{{'L', 1}, {'C', 2}};
    CHECK(makespans_with_occupation("LC", duration, 2, worst::StringReading::serial) == std::set<int>{5, 6});
    CHECK(makespans_with_occupation("LC", duration, 2, worst::StringReading::maximal_step) ==
          std::set<int>{5});
    // With one cycle each, the same small scheduler finds no difference.
    const std::map<char, int> unit_time{{'L', 1}, {'C', 1}};
    CHECK(makespans_with_occupation("LCL", unit_time, 3, worst::StringReading::serial) ==
          makespans_with_occupation("LCL", unit_time, 3, worst::StringReading::maximal_step));
}

TEST_CASE("the paper's LCL example: strings of Fig. 2 and Fig. 5") {
    const netgen::KernelInstance instance{.warps = 4, .type = {1, 0, 1}, .capacity = {1, 1}};
    worst::SerialScheduler scheduler(instance);
    CHECK(scheduler.reset({0, 0, 1, 1, 2, 2, 3, 0, 3, 1, 2, 3}) == 8);
    const auto fig_2 = scheduler.cycles();
    CHECK(std::vector<std::uint32_t>(fig_2.begin(), fig_2.end()) ==
          std::vector<std::uint32_t>{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7});  // its warp cycle string, less 1
    CHECK(scheduler.reset({0, 0, 1, 1, 2, 2, 0, 1, 2, 3, 3, 3}) == 9);
    const auto fig_5 = scheduler.cycles();
    scheduler.reset({0, 1, 0, 2, 1, 2, 0, 1, 2, 3, 3, 3});  // another string, the same schedule
    CHECK(cells(instance, scheduler.string(), scheduler.cycles()) ==
          cells(instance, worst::PrecedenceString{0, 0, 1, 1, 2, 2, 0, 1, 2, 3, 3, 3}, fig_5));
}

TEST_CASE("what is no instance or no string is refused") {
    const netgen::KernelInstance good{.warps = 2, .type = {0, 1}, .capacity = {1, 1}};
    CHECK_NOTHROW(worst::check_instance(good));
    const auto broken = [&](auto change) {
        netgen::KernelInstance instance = good;
        change(instance);
        return instance;
    };
    CHECK_THROWS_AS(worst::check_instance(broken([](auto& i) { i.warps = 0; })), InputError);
    CHECK_THROWS_AS(worst::check_instance(broken([](auto& i) { i.warps = worst::max_search_warps + 1; })),
                    InputError);
    CHECK_NOTHROW(worst::check_kernel(broken([](auto& i) { i.warps = worst::max_search_warps + 1; })));
    CHECK_THROWS_AS(worst::check_instance(broken([](auto& i) { i.type = {}; })), InputError);
    CHECK_THROWS_AS(worst::check_instance(broken([](auto& i) { i.type = {0, 2}; })), InputError);
    CHECK_THROWS_AS(worst::check_instance(broken([](auto& i) { i.capacity = {1, 0}; })), InputError);
    CHECK_THROWS_AS(worst::check_instance(broken([](auto& i) { i.schedulers = 0; })), InputError);
    CHECK_THROWS_AS(worst::check_instance(broken([](auto& i) { i.level = {1}; })), InputError);
    CHECK_THROWS_AS(decode(good, worst::PrecedenceString{0, 1, 0}, worst::StringReading::serial), InputError);
    CHECK_THROWS_AS(decode(good, worst::PrecedenceString{0, 1, 0, 2}, worst::StringReading::serial),
                    InputError);
}

TEST_CASE("identical warps are named in the order of their first occurrence") {
    CHECK(worst::canonical(worst::PrecedenceString{2, 0, 2, 1, 0}) == worst::PrecedenceString{0, 1, 0, 2, 1});
    CHECK(worst::canonical(worst::PrecedenceString{0, 1, 2}) == worst::PrecedenceString{0, 1, 2});
}

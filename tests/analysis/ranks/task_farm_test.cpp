#include "analysis/ranks/task_farm.hpp"

#include "engine/net/error.hpp"
#include "tests/support/team_of_threads.hpp"

#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::TeamOfThreads;

namespace {

/// 0 .. count-1, whose results are kept.
struct Numbers {
    int count;
    int next = 0;
    std::multiset<std::string> results = {};

    TaskSource source() {
        return {[this]() -> std::optional<std::string> {
                    return next < count ? std::optional(std::to_string(next++)) : std::nullopt;
                },
                [this](std::string_view result, double) { results.insert(std::string(result)); },
                {}};
    }
};

std::string squared(std::string_view task) {
    const int number = std::stoi(std::string(task));
    return std::to_string(number * number);
}

}  // namespace

TEST_CASE("every task is done once, by a team of any size, one time after the other") {
    const int size = GENERATE(1, 2, 4);
    const int count = GENERATE(0, 1, 3, 200);
    Numbers first{count}, second{count};
    TeamOfThreads::run(size, [&](Team& team) {
        FarmSignals signals;
        if (team.rank() > 0) {
            follow(team, squared, signals);
            return;
        }
        CHECK(lead(team, first.source(), squared, signals) == WorkEnd::complete);
        CHECK(lead(team, second.source(), squared, signals) == WorkEnd::complete);
    });
    std::multiset<std::string> expected;
    for (int i = 0; i < count; ++i) expected.insert(std::to_string(i * i));
    CHECK(first.results == expected);
    CHECK(second.results == expected);
}

TEST_CASE("a slow rank holds nobody up") {
    // Rank 1 ends its one task only when all others are done: a division in equal parts would wait for ever.
    Numbers numbers{20};
    std::atomic<int> done = 0;
    TeamOfThreads::run(3, [&](Team& team) {
        FarmSignals signals;
        const auto work = [&](std::string_view task) {
            while (team.rank() == 1 && done < 19) std::this_thread::yield();
            ++done;
            return squared(task);
        };
        if (team.rank() > 0) {
            follow(team, work, signals);
            return;
        }
        lead(team, numbers.source(), work, signals);
    });
    CHECK(numbers.results.size() == 20);
}

TEST_CASE("the progress of all ranks arrives at rank 0") {
    Numbers numbers{50};
    std::atomic<std::uint64_t> total = 0;
    TeamOfThreads::run(3, [&](Team& team) {
        std::atomic<std::uint64_t> mine = 0;
        FarmSignals signals;
        signals.done = team.rank() == 0 ? &total : &mine;
        const auto work = [&](std::string_view task) {
            *signals.done += 7;
            return squared(task);
        };
        if (team.rank() > 0) {
            follow(team, work, signals);
            return;
        }
        lead(team, numbers.source(), work, signals);
    });
    CHECK(total == 350);
}

TEST_CASE("an interrupt of one rank reaches the tasks of all, and their results are kept") {
    const int interrupted = GENERATE(0, 1);
    Numbers numbers{1000};
    std::atomic<bool> interrupt = false;
    std::atomic<int> busy = 0;
    TeamOfThreads::run(3, [&](Team& team) {
        FarmSignals signals;
        signals.patience = std::chrono::hours(1);
        if (team.rank() == interrupted) signals.limits.interrupt = &interrupt;
        const auto work = [&](std::string_view task) {
            if (++busy == 3) interrupt = true;
            while (!signals.stop) std::this_thread::yield();
            return std::string(task);
        };
        if (team.rank() > 0) {
            follow(team, work, signals);
            return;
        }
        CHECK(lead(team, numbers.source(), work, signals) == WorkEnd::interrupted);
    });
    CHECK(numbers.results.size() == 3);
}

TEST_CASE("a deadline ends the work") {
    Numbers numbers{1'000'000'000};
    TeamOfThreads::run(2, [&](Team& team) {
        FarmSignals signals;
        signals.limits.deadline = std::chrono::steady_clock::now();
        if (team.rank() > 0) {
            follow(team, squared, signals);
            return;
        }
        CHECK(lead(team, numbers.source(), squared, signals) == WorkEnd::time_limit);
    });
    CHECK(numbers.results.empty());
}

TEST_CASE("what a task throws on any rank is thrown on rank 0") {
    const int thrower = GENERATE(0, 1, 2);
    const bool input = GENERATE(true, false);
    Numbers numbers{1000};
    std::atomic<bool> thrown = false;
    const auto work_of = [&](Team& team) {
        FarmSignals signals;
        const auto work = [&](std::string_view task) {
            if (team.rank() != thrower) {
                while (!thrown) std::this_thread::yield();
                return squared(task);
            }
            thrown = true;
            if (input) throw InputError("bad net");
            throw std::runtime_error("broken");
        };
        if (team.rank() > 0) {
            follow(team, work, signals);
            return;
        }
        lead(team, numbers.source(), work, signals);
    };
    if (input) {
        CHECK_THROWS_AS(TeamOfThreads::run(3, work_of), InputError);
    } else {
        CHECK_THROWS_AS(TeamOfThreads::run(3, work_of), std::runtime_error);
    }
}

TEST_CASE("a rank that left is noticed") {
    Numbers numbers{1000};
    CHECK_THROWS_WITH(TeamOfThreads::run(2,
                                         [&](Team& team) {
                                             FarmSignals signals;
                                             const auto work = [&](std::string_view task) {
                                                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                                 return squared(task);
                                             };
                                             if (team.rank() == 0)
                                                 lead(team, numbers.source(), work, signals);
                                         }),
                      "rank 1: has left");
}

TEST_CASE("a text of rank 0 reaches all, and so does its absence") {
    std::atomic<int> read = 0, left = 0;
    TeamOfThreads::run(3, [&](Team& team) {
        if (broadcast(team, team.rank() == 0 ? "net" : "") == "net") ++read;
        if (team.rank() > 0 && !broadcast(team, "")) ++left;
    });
    CHECK(read == 3);
    CHECK(left == 2);
}

#include "analysis/ranks/command_session.hpp"

#include "analysis/ranks/task_farm.hpp"
#include "engine/net/error.hpp"
#include "tests/support/team_of_threads.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::TeamOfThreads;

namespace {

/// Gathers a text of each rank.
std::string names_of_all(std::string_view command, Collectives& ranks) {
    std::string names;
    for (const std::string& name : ranks.gather(std::string(command) + std::to_string(ranks.rank())))
        names += name;
    return names;
}

}  // namespace

TEST_CASE("commands are done by all ranks, between other uses of the team") {
    const int size = GENERATE(1, 2, 5);
    std::atomic<int> done = 0, tasks = 0;
    const TaskFunction count_task = [&](std::string_view) {
        ++tasks;
        return std::string();
    };
    const auto farm = [&](Team& team) {
        FarmSignals signals;
        if (team.rank() > 0) return follow(team, count_task, signals);
        int left = 20;
        const TaskSource source{[&]() -> std::optional<std::string> {
                                    return left-- > 0 ? std::optional<std::string>("task") : std::nullopt;
                                },
                                [](std::string_view, double) {}};
        lead(team, source, count_task, signals);
        dismiss(team);
        return true;
    };
    const auto commands = [&](Team& team) {
        if (team.rank() > 0) {
            return follow_commands(team, [&](std::string_view command, Collectives& ranks) {
                names_of_all(command, ranks);
                ++done;
            });
        }
        CommandSession session(team);
        CHECK(session.size() == size);
        for (const std::string command : {"a", "b", "c"}) {
            std::string expected;
            for (int rank = 0; rank < size; ++rank) expected += command + std::to_string(rank);
            CHECK(session.perform(
                      command, [&](Collectives& ranks) { return names_of_all(command, ranks); }) == expected);
        }
        session.end();
        return true;
    };
    std::atomic<int> went_on = 0;
    TeamOfThreads::run(size, [&](Team& team) {
        if (farm(team) && commands(team) && commands(team) && farm(team) && commands(team)) ++went_on;
    });
    CHECK(went_on == size);
    CHECK(done == 3 * 3 * (size - 1));
    CHECK(tasks == 40);
}

TEST_CASE("who follows commands hears that rank 0 has left, with or without a session") {
    const bool opened = GENERATE(false, true);
    std::atomic<int> heard = 0;
    TeamOfThreads::run(3, [&](Team& team) {
        if (team.rank() == 0) {
            if (opened) CommandSession session(team);
            return;
        }
        const auto nothing = [](std::string_view, Collectives&) {};
        if (opened && !follow_commands(team, nothing)) return;
        if (!follow_commands(team, nothing)) ++heard;
    });
    CHECK(heard == 2);
}

TEST_CASE("what one rank throws ends a command on all") {
    const int failing = GENERATE(0, 1, 2);
    std::atomic<int> threw = 0;
    const auto work = [&](Collectives& ranks) {
        if (ranks.rank() == failing) throw InputError("bad folder");
        for (;;) ranks.gather("more");
    };
    TeamOfThreads::run(3, [&](Team& team) {
        try {
            if (team.rank() == 0) {
                CommandSession session(team);
                session.perform("work", work);
            } else {
                follow_commands(team, [&](std::string_view, Collectives& ranks) { work(ranks); });
            }
        } catch (const InputError& error) {
            threw += error.what() == std::string("bad folder") ? 1 : 0;
        }
    });
    CHECK(threw == 3);
}

TEST_CASE("all go on only where all can") {
    std::atomic<int> same = 0;
    TeamOfThreads::run(3, [&](Team& team) {
        Collectives ranks(team);
        const WorkEnd own = team.rank() == 2 ? WorkEnd::memory_limit : WorkEnd::complete;
        same += end_of_any(&ranks, own) == WorkEnd::memory_limit ? 1 : 0;
        same += end_of_any(&ranks, WorkEnd::complete) == WorkEnd::complete ? 1 : 0;
    });
    CHECK(same == 6);
    CHECK(end_of_any(nullptr, WorkEnd::time_limit) == WorkEnd::time_limit);
}

#include "analysis/ranks/collectives.hpp"

#include "engine/net/error.hpp"
#include "tests/support/ranks.hpp"

#include <atomic>
#include <new>
#include <stdexcept>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

TEST_CASE("what ranks tell each other arrives, in its order and whole") {
    const int size = GENERATE(1, 2, 5);
    const std::size_t piece_bytes = GENERATE(1U, 4U, 1000U);
    std::atomic<int> right = 0;
    TeamOfThreads::run(size, [&](ranks::Team& team) {
        ranks::Collectives ranks(team, piece_bytes);
        const auto name = [](int from, int to) {
            return std::string(static_cast<std::size_t>(from + to), 'x') + std::to_string(from * 100 + to);
        };
        for (int round = 0; round < 20; ++round) {
            std::vector<std::string> to;
            for (int rank = 0; rank < size; ++rank) to.push_back(name(ranks.rank(), rank));
            const std::vector<std::string> from = ranks.exchange(to);
            bool all = from.size() == static_cast<std::size_t>(size);
            for (int rank = 0; rank < size; ++rank)
                all = all && from[static_cast<std::size_t>(rank)] == name(rank, ranks.rank());
            const std::vector<std::string> gathered = ranks.gather(std::to_string(ranks.rank()));
            for (int rank = 0; rank < size; ++rank)
                all = all && gathered[static_cast<std::size_t>(rank)] == std::to_string(rank);
            const int speaker = round % size;
            all = all && ranks.broadcast(speaker, name(ranks.rank(), 9)) == name(speaker, 9);
            all = all && ranks.broadcast(speaker, "").empty();
            if (size > 1 && ranks.rank() == 1) ranks.send(0, "only to you");
            if (size > 1 && ranks.rank() == 0) all = all && ranks.receive(1) == "only to you";
            right += all ? 1 : 0;
        }
    });
    CHECK(right == 20 * size);
}

TEST_CASE("a rank that cannot go on ends what the others wait for, as it ended itself") {
    const int failing = GENERATE(0, 1, 2);
    const int kind = GENERATE(0, 1, 2);
    std::atomic<int> same = 0;
    TeamOfThreads::run(3, [&](ranks::Team& team) {
        ranks::Collectives ranks(team);
        try {
            ranks::together(&ranks, [&] {
                if (team.rank() == failing && kind == 0) throw InputError("bad net");
                if (team.rank() == failing && kind == 1) throw std::bad_alloc();
                if (team.rank() == failing && kind == 2) throw std::runtime_error("broken");
                for (;;) ranks.gather("more");
            });
        } catch (const InputError& error) {
            same += kind == 0 && error.what() == std::string("bad net") ? 1 : 0;
        } catch (const std::bad_alloc&) {
            same += kind == 1 ? 1 : 0;
        } catch (const std::runtime_error& error) {
            same += kind == 2 && std::string(error.what()).ends_with("broken") ? 1 : 0;
        }
    });
    CHECK(same == 3);
}

TEST_CASE("a rank that leaves ends what the others wait for, with a message") {
    const int leaving = GENERATE(0, 1);
    std::atomic<int> heard = 0;
    TeamOfThreads::run(leaving == 0 ? 3 : 2, [&](ranks::Team& team) {
        if (team.rank() == leaving) return;
        ranks::Collectives ranks(team);
        try {
            ranks.receive(leaving);
        } catch (const std::runtime_error& error) {
            heard += error.what() == "rank " + std::to_string(leaving) + ": has left" ? 1 : 0;
        }
    });
    CHECK(heard == (leaving == 0 ? 2 : 1));
}

TEST_CASE("all ranks have the value of the first, which alone makes it") {
    const int size = GENERATE(1, 2, 5);
    std::atomic<int> made = 0;
    for (const int value : results_of_ranks<int>(size, [&](ranks::Collectives& ranks) {
             return ranks::value_of_first(&ranks, [&] { return ++made * 7 + ranks.rank(); });
         }))
        CHECK(value == 7);
    CHECK(made == 1);
    CHECK(ranks::value_of_first(nullptr, [] { return 3; }) == 3);
}

TEST_CASE("all ranks go on only if all can") {
    for (const int same : results_of_ranks<int>(3, [&](ranks::Collectives& ranks) {
             const WorkEnd own = ranks.rank() == 2 ? WorkEnd::memory_limit : WorkEnd::complete;
             return ranks::end_of_any(&ranks, own) == WorkEnd::memory_limit &&
                            ranks::end_of_any(&ranks, WorkEnd::complete) == WorkEnd::complete
                        ? 1
                        : 0;
         }))
        CHECK(same == 1);
    CHECK(ranks::end_of_any(nullptr, WorkEnd::time_limit) == WorkEnd::time_limit);
}

TEST_CASE("bytes are read as they were written") {
    ranks::ByteWriter writer;
    writer.put(std::uint8_t{7});
    writer.put_text("a text");
    writer.put_list(std::vector<std::int64_t>{-1, 2});
    writer.put_list(std::vector<std::int64_t>{});
    writer.put(true);
    const std::string bytes = std::move(writer).take();
    ranks::ByteReader reader(bytes);
    CHECK(reader.get<std::uint8_t>() == 7);
    CHECK(reader.get_text() == "a text");
    CHECK(reader.get_list<std::int64_t>() == std::vector<std::int64_t>{-1, 2});
    CHECK(reader.get_list<std::int64_t>().empty());
    CHECK_FALSE(reader.at_end());
    CHECK(reader.get<bool>());
    CHECK(reader.at_end());
}

#include "engine/net/id_table.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("ids are found under the number they were given first") {
    IdTable table;
    std::vector<std::string> ids;
    const auto id_of = [&ids](std::uint32_t number) -> std::string_view { return ids[number]; };
    CHECK_FALSE(table.find("0", id_of));
    for (std::uint32_t i = 0; i < 5000; ++i) {
        ids.push_back(std::to_string(i));
        REQUIRE_FALSE(table.insert(ids.back(), i, id_of));
    }
    for (std::uint32_t i = 0; i < 5000; ++i) {
        REQUIRE(table.find(std::to_string(i), id_of) == i);
        REQUIRE(table.insert(std::to_string(i), 7777, id_of) == i);
    }
    CHECK_FALSE(table.find("5000", id_of));
    for (std::uint32_t i = 0; i < 5000; ++i) {
        const std::uint32_t hash = IdTable::hash_of(ids[i]);
        table.prefetch(hash);
        REQUIRE(table.find(ids[i], hash, id_of) == i);
        REQUIRE(table.insert(ids[i], hash, 7777, id_of) == i);
    }
    table.reserve(100'000);
    CHECK(table.find("4999", id_of) == 4999);
    table.clear();
    CHECK_FALSE(table.find("4999", id_of));
}

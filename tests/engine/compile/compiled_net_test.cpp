#include "engine/compile/compiled_net.hpp"

#include "engine/net/net_builder.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

constexpr std::uint32_t nodes = 100;

/// So many places and transitions, with an arc of the kind between each pair; without a kind, no arcs.
std::size_t bytes_with(std::optional<ArcKind> kind) {
    NetBuilder net;
    std::vector<PlaceId> places;
    for (std::uint32_t i = 0; i < nodes; ++i) places.push_back(net.add_place("p" + std::to_string(i)));
    for (std::uint32_t i = 0; i < nodes; ++i) {
        const TransitionId transition = net.add_transition("t" + std::to_string(i));
        for (const PlaceId place : places) {
            if (kind == ArcKind::input) net.add_input(place, transition);
            if (kind == ArcKind::output) net.add_output(transition, place);
            if (kind == ArcKind::inhibitor) net.add_inhibitor(place, transition);
            if (kind == ArcKind::read) net.add_read(place, transition);
        }
    }
    return compiled_bytes(compile(net.build()));
}

}  // namespace

TEST_CASE("rows are the same however they are made") {
    Rows<int> rows;
    CHECK(rows == Rows<int>::sorted(0, [](auto) {}));
    CHECK(rows.bytes() == 0);
    CHECK(rows.open_row().empty());
    rows.append(7);
    rows.append(8);
    CHECK(rows.open_row().size() == 2);
    rows.close_row();
    rows.close_row();
    rows.append(9);
    rows.close_row();
    CHECK(rows == Rows<int>({7, 8, 9}, {0, 2, 2, 3}));
    CHECK(rows == Rows<int>::sorted(3, [](auto put) { put(2, 9), put(0, 7), put(0, 8); }));
    std::vector<std::pair<std::uint32_t, int>> visited;
    rows.for_each([&](std::uint32_t row, int item) { visited.emplace_back(row, item); });
    CHECK(visited == std::vector<std::pair<std::uint32_t, int>>{{0, 7}, {0, 8}, {2, 9}});
}

TEST_CASE("the bytes of a compiled net count arcs of every kind") {
    const std::size_t none = bytes_with({});
    for (const ArcKind kind : {ArcKind::input, ArcKind::output, ArcKind::inhibitor, ArcKind::read}) {
        CAPTURE(to_string(kind));
        // Once as an arc, and once as an effect or as a condition.
        CHECK(bytes_with(kind) - none >= 2 * nodes * nodes * sizeof(PlaceWeight));
    }
}

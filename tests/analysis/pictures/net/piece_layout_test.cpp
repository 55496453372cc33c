#include "analysis/pictures/net/piece_layout.hpp"

#include "analysis/pictures/net/draw.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/occurrences.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::occurrences;

namespace {

const std::string head = "digraph \"a net\" {\n  node [fontname=\"DejaVu Sans\"]\n";
const std::string piece =
    "  subgraph cluster_7 {\n"
    "    label=\"warp 7\"; color=\"#d0d7de\"\n"
    "    p3 [label=<<B>a [1]</B>>, xlabel=\"x\", id=\"w7_a\"]\n"
    "    t4 [label=\"] 5\\n6\"]\n"
    "    p3 -> t4\n"
    "    t4 -> p3 [headlabel=\"2\"]\n"
    "  }\n";

const pictures::PieceLayout::Coordinates* find(const pictures::PieceLayout& layout, std::size_t line,
                                               const std::string& attribute) {
    for (const auto& coordinates : layout.lines.at(line)) {
        if (coordinates.attribute == attribute) return &coordinates;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("pieces that differ in names, digits and filling have one form") {
    std::string other = piece;
    const auto replace = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = other.find(from); at != std::string::npos;
             at = other.find(from, at + to.size()))
            other.replace(at, from.size(), to);
    };
    SECTION("equal") {
        replace("p3", "p12");
        replace("t4", "t10");
        replace("warp 7", "warp 8");
        replace("cluster_7", "cluster_10");
        CHECK(pictures::piece_form(other) == pictures::piece_form(piece));
    }
    SECTION("a longer number") {
        replace("warp 7", "warp 10");
        CHECK(pictures::piece_form(other) != pictures::piece_form(piece));
    }
    SECTION("another arc") {
        replace("t4 -> p3", "p3 -> t4");
        CHECK(pictures::piece_form(other) != pictures::piece_form(piece));
    }
    CHECK(pictures::piece_form("    t1 [fillcolor=\"#a0b0c0\", id=\"x\"]\n") ==
          pictures::piece_form("    t9 [fillcolor=\"#ffffff\", id=\"x\"]\n"));
    CHECK(pictures::piece_form("    t1 [fillcolor=\"#a0b0c0\", id=\"x\"]\n") !=
          pictures::piece_form("    t1 [fillcolor=\"#a0b0c0\", id=\"y\"]\n"));
}

TEST_CASE("what Graphviz places is found again by its line") {
    const std::string text = pictures::lay_out_dot(
        head + pictures::with_line_numbers(piece) + "}\n" + head +
        pictures::with_line_numbers("    a [label=\"" + std::string(300, 'b') + "\", tooltip=\"" +
                                    std::string(300, 'b') + "\"]\n") +
        "}\n");
    const std::vector<pictures::PieceLayout> layouts = pictures::read_layouts(text);
    REQUIRE(layouts.size() == 2);
    const pictures::PieceLayout& first = layouts.front();
    CHECK(first.width > 50);
    CHECK(first.height > 100);
    REQUIRE(first.lines.size() == 6);
    REQUIRE(find(first, 1, "bb") != nullptr);
    CHECK(find(first, 1, "bb")->numbers.size() == 4);
    CHECK(find(first, 1, "lp") != nullptr);
    for (const std::size_t node : {std::size_t{2}, std::size_t{3}}) {
        REQUIRE(find(first, node, "pos") != nullptr);
        CHECK(find(first, node, "pos")->numbers.size() == 2);
    }
    CHECK(find(first, 2, "xlp") != nullptr);
    REQUIRE(find(first, 4, "pos") != nullptr);
    CHECK(find(first, 4, "pos")->before.front() == 'e');
    CHECK(find(first, 5, "head_lp") != nullptr);
    CHECK(layouts.back().width > 1000);
    REQUIRE(layouts.back().lines.size() == 1);

    SECTION("and drawn there") {
        const std::string placed = pictures::placed_piece(piece, first, 1000, 2000);
        CHECK(occurrences(placed, "\n") == occurrences(piece, "\n"));
        CHECK(occurrences(placed, "pos=\"e,") == 2);
        const pictures::PieceLayout moved =
            pictures::read_layouts(head + pictures::with_line_numbers(placed) + "}\n").front();
        CHECK(occurrences(placed, "; bb=\"1") == 1);
        for (std::size_t line = 2; line < first.lines.size(); ++line) {  // the cluster's own lines come first
            REQUIRE(moved.lines[line].size() == first.lines[line].size());
            for (std::size_t i = 0; i < first.lines[line].size(); ++i) {
                const auto &before = first.lines[line][i], &after = moved.lines[line][i];
                CHECK(after.attribute == before.attribute);
                CHECK(after.before == before.before);
                for (std::size_t n = 0; n < before.numbers.size(); ++n)
                    CHECK(after.numbers[n] == Approx(before.numbers[n] + (n % 2 == 0 ? 1000 : 2000)));
            }
        }
    }
}

TEST_CASE("a text that is no layout is refused") {
    for (const char* text :
         {"digraph {\n a [pos=\"1,2", "digraph {\n a [pos", "digraph {\n a [line=x]}",
          "a [line=1, pos=\"1,2\"]", "digraph {\n a [line=99999999]}", "digraph {\n a [b=<<"})
        CHECK_THROWS_AS(pictures::read_layouts(text), pictures::RenderError);
    CHECK(pictures::read_layouts("").empty());
}

// Reading in pieces gives the same result as reading the whole text, or nothing.

#include "pnml/dialect/read_in_pieces.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/write_pnml.hpp"
#include "tests/pnml/random_net.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/unknown_parts.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::optional<Net> in_pieces(std::string_view text, std::size_t piece_bytes,
                             const std::optional<std::string>& net_id = {}) {
    const pnml::xml::TextSource source = {text.size(), [&](std::size_t offset, std::size_t count) {
                                              return std::string(text.substr(offset, count));
                                          }};
    return pnml::xml::read_in_pieces(source, net_id, piece_bytes);
}

/// Whether the text was read in pieces. Then reading the whole text must give no warning and the same net.
bool is_read_alike(std::string_view text, std::size_t piece_bytes) {
    const auto net = in_pieces(text, piece_bytes);
    if (!net) return false;
    std::vector<std::string> warnings;
    pnml::PnmlReadOptions options;
    options.warnings = &warnings;
    CHECK(pnml::read_pnml(text, "whole", options) == *net);
    CHECK(warnings.empty());
    return true;
}

/// Places, transitions and all kinds of arcs; some with names and positions.
Net plain_net(std::uint64_t seed) {
    CounterRandom random(seed, 0);
    NetBuilder builder("net", seed % 3 == 0 ? "a name" : "");
    const std::uint32_t places = 1 + random.below(30), transitions = 1 + random.below(30);
    for (std::uint32_t p = 0; p < places; ++p) {
        const PlaceId place = builder.add_place("p" + std::to_string(p), random.below(3),
                                                random.below(4) == 0 ? "place & <" + std::to_string(p) : "");
        if (seed % 2 == 0) builder.set_position(place, {static_cast<double>(p), 2.5});
    }
    for (std::uint32_t t = 0; t < transitions; ++t) {
        const TransitionId transition = builder.add_transition("t" + std::to_string(t));
        if (seed % 2 == 0) builder.set_position(transition, {static_cast<double>(t), 7});
        for (std::uint32_t arcs = random.below(6); arcs > 0; --arcs)
            builder.add_arc(static_cast<ArcKind>(random.below(3)), PlaceId(random.below(places)), transition,
                            1 + random.below(3));
    }
    return builder.build();
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("plain nets are read in pieces") {
    for (std::uint64_t seed = 0; seed < case_count(300); ++seed) {
        CAPTURE(seed);
        CHECK(is_read_alike(pnml::write_pnml(plain_net(seed)), 64 + 50 * (seed % 40)));
    }
}

TEST_CASE("whatever nets are read in pieces, they are as if read whole") {
    rc::prop("any strings", [] {
        const Net net = random_net(Strings::any_bytes);
        const auto flavour = *rc::gen::element(pnml::PnmlFlavour::compat, pnml::PnmlFlavour::pipe);
        is_read_alike(pnml::write_pnml(net, flavour), *rc::gen::inRange<std::size_t>(64, 2000));
    });
}

TEST_CASE("documents with a change somewhere are read whole, or alike") {
    static const std::vector<std::string> changes = {
        "<!-- ",
        " -->",
        "<![CDATA[",
        "]]>",
        "<place id=\"p0\"/>",
        "<arc id=\"a1\" source=\"p0\" target=\"t0\"/>",
        "\"",
        "'",
        ">",
        "</page>",
        "<page id=\"p1\">",
        "<page id=\"second\"/>",
        "<graphics/>",
        "\n",
        "text",
        "<toolspecific tool=\"x\" version=\"1\"/>",
        "&amp;",
        "<referencePlace id=\"r\" ref=\"p0\"/>",
        "<transition id=\"t99\"><priority><text>2</text></priority></transition>"};
    std::size_t alike = 0;
    for (std::uint64_t seed = 0; seed < case_count(6000); ++seed) {
        CounterRandom random(seed, 1);
        std::string text = pnml::write_pnml(plain_net(seed % 50));
        for (int change = 0; change < 1 + static_cast<int>(seed % 2); ++change)
            text.insert(random.below(static_cast<std::uint32_t>(text.size())),
                        changes[random.below(static_cast<std::uint32_t>(changes.size()))]);
        CAPTURE(seed);
        if (is_read_alike(text, 64 + random.below(1000))) ++alike;
    }
    CHECK(alike >= least_count(200));
}

TEST_CASE("documents with an unknown part are read whole, or alike") {
    std::size_t whole = 0;
    for (std::uint64_t seed = 0; seed < case_count(1000); ++seed) {
        CounterRandom random(seed, 2);
        const UnknownPart part = insert_xml(pnml::write_pnml(plain_net(seed % 50)), random);
        CAPTURE(seed, part.name);
        if (!is_read_alike(part.text, 64 + random.below(1000))) ++whole;
    }
    CHECK(whole >= least_count(500));
}

TEST_CASE("a comment that hides nodes does not end in what is behind the last") {
    const std::string frame = "<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">";
    const std::string places =
        "<place id=\"p1\"/>\n<place id=\"p2\"/>\n<place id=\"p3\"/>\n<place id=\"p4\"/>\n";
    CHECK(is_read_alike(frame + places + "</page></net></pnml>", 64));
    CHECK_FALSE(in_pieces(frame + "<place id=\"p0\"/><!-- " + places + " -->" +
                              "<place id=\"p5\"/><!-- end --></page></net></pnml>",
                          64));
    CHECK_FALSE(in_pieces(frame + places + "<place id=\"p1\"/></page></net></pnml>", 64));
    CHECK_FALSE(in_pieces(frame + places + "</page></net></pnml>", 64, "other"));
}

TEST_CASE("published nets are read in pieces as whole") {
    const auto folder = shared_data("pnml");
    SKIP_WITHOUT(folder, "pnml");
    std::size_t read = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(*folder)) {
        if (file.path().extension() != ".pnml" || file.file_size() > 300'000) continue;
        CAPTURE(file.path().string());
        if (is_read_alike(text_of(file.path()), 5000)) ++read;
    }
    CHECK(read >= 20);
}

#include "pnml/write_pnml.hpp"

#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/read_pnml.hpp"
#include "tests/pnml/random_net.hpp"
#include "tests/support/shared_data.hpp"

#include <cstdlib>
#include <filesystem>
#include <limits>

#include <catch2/catch.hpp>

using namespace warpnet;
namespace fs = std::filesystem;

namespace {

/// A net with every kind of arc: p has two read arcs to t, which also takes from it; q inhibits t.
Net small_net() {
    NetBuilder builder("small", "A small net");
    const PlaceId p = builder.add_place("p", 3, "ready & waiting");
    const PlaceId q = builder.add_place("q");
    const TransitionId t = builder.add_transition("t", "go");
    const TransitionId u = builder.add_transition("u");
    builder.add_input(p, t);
    builder.add_read(p, t, 2);
    builder.add_inhibitor(q, t, 2);
    builder.add_output(t, q);
    builder.add_inhibitor(q, u);
    builder.set_position(p, {10, -2.5});
    return builder.build();
}

Net plain_net() {
    NetBuilder builder("plain");
    const PlaceId p = builder.add_place("1 place", 5'000'000'000);
    const TransitionId t = builder.add_transition("a0");
    builder.add_input(p, t, 2);
    builder.add_read(p, t, 3);
    builder.set_position(t, {1e-7, 1e21});
    return builder.build();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("compat PNML is spelled to be understood by the most tools") {
    CHECK(pnml::write_pnml(small_net()) == R"(<?xml version="1.0" encoding="UTF-8"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="small" type="http://www.pnml.org/version-2009/grammar/ptnet">
<name><text>A small net</text></name>
<page id="page">
<place id="p"><name><text>ready &amp; waiting</text></name><graphics><position x="10" y="-2.5"/></graphics><initialMarking><text>3</text></initialMarking></place>
<place id="q"><name><text>q</text></name></place>
<transition id="t"><name><text>go</text></name></transition>
<transition id="u"><name><text>u</text></name></transition>
<arc id="a0" source="t" target="q"/>
<arc id="a1" source="q" target="t" type="inhibitor"><inscription><text>2</text></inscription><type value="inhibitor"><text>inhibitor</text></type><arctype><text>inhibitor</text></arctype></arc>
<arc id="a2" source="p" target="t"><inscription><text>2</text></inscription></arc>
<arc id="a3" source="t" target="p"/>
<arc id="a4" source="q" target="u" type="inhibitor"><type value="inhibitor"><text>inhibitor</text></type><arctype><text>inhibitor</text></arctype></arc>
</page>
<toolspecific tool="warpnet" version="1">
<loop place="p" transition="t" read="2" input="1"/>
</toolspecific>
</net>
</pnml>
)");
}

TEST_CASE("PIPE's PNML has what PIPE cannot do without") {
    const std::string text = pnml::write_pnml(small_net(), pnml::PnmlFlavour::pipe);
    CHECK(count(text, "<page") == 0);
    CHECK(count(text, "xmlns") == 0);
    CHECK(count(text, "<text>") == 0);
    CHECK(count(text, "type=\"P/T net\"") == 1);
    CHECK(count(text, "<value>Default,3</value>") == 1);
    CHECK(count(text, "<token id=\"Default\"") == 1);
    CHECK(count(text, "<position") == 4);
    CHECK(count(text, "<type value=\"inhibitor\"/>") == 2);
    CHECK(count(text, "<type value=\"normal\"/>") == 3);
    CHECK(count(text, "<timed><value>false</value></timed>") == 2);
    // PIPE reads a toolspecific part of a transition or place as one of its own parts, and fails.
    CHECK(text.find("<toolspecific") > text.rfind("</arc>"));
}

TEST_CASE("a net of plain and immediate transitions is one in PIPE's labels as well") {
    NetBuilder builder;
    builder.add_transition("t");
    const TransitionId u = builder.add_transition("u");
    builder.set_immediate(u);
    builder.set_priority(u, 4);
    const Net net = builder.build();
    std::string text = pnml::write_pnml(net, pnml::PnmlFlavour::pipe);
    REQUIRE(pnml::read_pnml(text, "pipe") == net);

    // PIPE drops our part when it saves a net. The remaining parts express the same as far as PIPE can.
    const std::size_t begin = text.find("<toolspecific");
    const std::string end = "</toolspecific>";
    text.erase(begin, text.find(end) + end.size() - begin);
    const Net back = pnml::read_pnml(text, "pipe");
    CHECK_FALSE(back.transitions()[0].immediate);
    CHECK(back.transitions()[1].immediate);
}

TEST_CASE("ids become portable without clashes and come back") {
    NetBuilder builder("page");
    for (const char* id : {"a b", "a_b", "a.b", "a_b_2", "1", "a0", "a_7", "page_"}) builder.add_place(id);
    const Net net = builder.build();
    const std::string text = pnml::write_pnml(net);
    for (const char* id : {"a_b_3", "a_b", "a_b_4", "a_b_2", "_1", "a0", "a_7", "page_"}) {
        CAPTURE(id);
        CHECK(count(text, "<place id=\"" + std::string(id) + "\"") == 1);
    }
    CHECK(count(text, "<net id=\"page\"") == 1);
    CHECK(count(text, "<page id=\"page__\"") == 1);
    CHECK(pnml::read_pnml(text, "net") == net);
}

TEST_CASE("arc ids avoid the ids of nodes") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("a1");
    const TransitionId t = builder.add_transition("a_0");
    builder.add_input(p, t);
    const Net net = builder.build();
    CHECK(count(pnml::write_pnml(net), "<arc id=\"a__0\"") == 1);
    CHECK(pnml::read_pnml(pnml::write_pnml(net), "net") == net);
}

TEST_CASE("strict PNML refuses what it cannot say") {
    CHECK_THROWS_WITH(pnml::write_pnml(small_net(), pnml::PnmlFlavour::strict),
                      Catch::Contains("from place 'q' to transition 't'") && Catch::Contains("eliminated"));
    NetBuilder builder;
    builder.add_transition("t");
    builder.set_immediate(builder.add_transition("u"));
    CHECK_THROWS_WITH(pnml::write_pnml(builder.build(), pnml::PnmlFlavour::strict),
                      Catch::Contains("'u' fires before"));
    builder.add_transition("t");
    builder.set_priority(builder.add_transition("u"), 1);
    CHECK_THROWS_WITH(pnml::write_pnml(builder.build(), pnml::PnmlFlavour::strict),
                      Catch::Contains("'t' and 'u'"));
    builder.set_priority(builder.add_transition("t"), 1);
    const Net same_for_all = builder.build();
    CHECK(pnml::read_pnml(pnml::write_pnml(same_for_all, pnml::PnmlFlavour::strict), "net") == same_for_all);
}

TEST_CASE("a position that is no number is refused") {
    NetBuilder builder;
    builder.set_position(builder.add_place("p"), {std::numeric_limits<double>::infinity(), 0});
    CHECK_THROWS_WITH(pnml::write_pnml(builder.build()), Catch::Contains("'p'"));
}

TEST_CASE("strict PNML is valid by the official grammar") {
    const auto grammar = testing::shared_data("pnml_grammar/ptnet.pntd");
    SKIP_WITHOUT(grammar, "pnml_grammar");
    if (std::system("xmllint --version > /dev/null 2>&1") != 0) {
        WARN("skipped: xmllint is not installed");
        return;
    }
    const fs::path file =
        fs::temp_directory_path() / ("warpnet_strict_" + std::to_string(std::rand()) + ".pnml");
    pnml::write_pnml_file(plain_net(), file, pnml::PnmlFlavour::strict);
    const std::string command =
        "xmllint --noout --relaxng '" + grammar->string() + "' '" + file.string() + "' > /dev/null 2>&1";
    CHECK(std::system(command.c_str()) == 0);
    CHECK(pnml::read_pnml_file(file) == plain_net());
    fs::remove(file);
}

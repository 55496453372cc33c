#include "pnml/read_properties.hpp"

#include "tests/pnml/check_properties.hpp"
#include "tests/support/shared_data.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string document(const std::string& formula) {
    return "<property-set xmlns=\"http://mcc.lip6.fr/\"><property><id>a</id><formula>" + formula +
           "</formula></property></property-set>";
}

Property only(const std::string& formula) {
    const auto properties = pnml::read_properties(document(formula), "file.xml", net_of_properties());
    REQUIRE(properties.size() == 1);
    return properties.front();
}

std::string message(const std::string& text) {
    try {
        pnml::read_properties(text, "file.xml", net_of_properties());
    } catch (const pnml::PnmlError& error) {
        return error.what();
    }
    return "no error";
}

Formula parsed(const char* text) {
    return parse_formula(text, net_of_properties(), FormulaLanguage::temporal);
}

const std::string p = "<tokens-count><place>p</place></tokens-count>";
const std::string two = "<integer-constant>2</integer-constant>";
const std::string some = "<integer-le>" + p + two + "</integer-le>";
const std::string fireable = "<is-fireable><transition>t</transition></is-fireable>";

}  // namespace

TEST_CASE("the contest's formulas are those of the command line") {
    CHECK(only("<exists-path><finally>" + some + "</finally></exists-path>").formula == parsed("EF p <= 2"));
    CHECK(only("<all-paths><globally><negation>" + fireable + "</negation></globally></all-paths>").formula ==
          parsed("AG not enabled(t)"));
    CHECK(only("<exists-path><until><before>" + fireable +
               "</before><reach><deadlock/></reach></until>"
               "</exists-path>")
              .formula == parsed("E(enabled(t) U dead)"));
    CHECK(only("<all-paths><next><disjunction><true/>" + fireable + "</disjunction></next></all-paths>")
              .formula == parsed("AX (true or enabled(t))"));
    CHECK(only("<implication>" + fireable + some + "</implication>").formula ==
          parsed("enabled(t) -> p <= 2"));
    CHECK(only("<integer-gt><integer-sum>" + p + p + two + "</integer-sum><integer-difference>" + two + p +
               "</integer-difference></integer-gt>")
              .formula == parsed("2*p + 2 > 2 - p"));
    const Property bound = only("<place-bound><place>q</place> <place>p</place></place-bound>");
    CHECK(bound.kind == Property::Kind::maximum);
    CHECK(bound.sum == parse_sum("q + p", net_of_properties()));
}

TEST_CASE("an invalid property is reported with its place") {
    CHECK(message(document("<tokens-count/>")) ==
          "file.xml:1:72: <tokens-count> in <formula> in <property> in <property-set>: expected an element "
          "of a "
          "formula, found <tokens-count>");
    CHECK(message(document("<finally><true/></finally>")).find("LTL is not known") != std::string::npos);
    CHECK(message(document("<is-fireable><transition>p</transition></is-fireable>"))
              .find("expected the id of a transition of net 'n', found 'p'") != std::string::npos);
    CHECK(message(document("<is-fireable/>")).find("expected at least 1 element, found 0") !=
          std::string::npos);
    CHECK(message(document("<integer-le><tokens-count/><integer-constant>1</integer-constant></integer-le>"))
              .find("<tokens-count> in <integer-le>") != std::string::npos);
    CHECK(message("<property-set><property><id>a</id><id>b</id><formula><true/></formula></property>"
                  "</property-set>")
              .find("expected one <id>, <description> and one <formula>, found <id>") != std::string::npos);
    const std::string property = "<property><id>a</id><formula><true/></formula></property>";
    CHECK(message("<property-set>" + property + property + "</property-set>")
              .find("expected an <id> of its own, found 'a' twice") != std::string::npos);
    CHECK(message("<pnml/>").find("expected the element <property-set>") != std::string::npos);
    CHECK(message("<property-set/>").find("expected a property, found none") != std::string::npos);
    CHECK(message(document("")).find("expected 1 element, found 0") != std::string::npos);
    std::string deep = "<true/>";
    for (int i = 0; i < 1200; ++i) deep.insert(0, "<negation>").append("</negation>");
    CHECK(message(document(deep)).find("less deeply nested") != std::string::npos);
    std::string doubled = "<true/>";
    for (int i = 0; i < 40; ++i) doubled.insert(0, "<equivalence><deadlock/>").append("</equivalence>");
    CHECK(message(document(doubled)).find("expected at most 100000 operators") != std::string::npos);
}

TEST_CASE("every examination without a file is known") {
    const Net net = net_of_properties();
    for (const char* name : {"ReachabilityDeadlock", "OneSafe", "QuasiLiveness", "Liveness", "StableMarking"})
        CHECK(pnml::global_property(name, net).size() == 1);
    CHECK(pnml::global_property("Else", net).empty());
    CHECK(pnml::global_property("OneSafe", net)[0].formula == parsed("AG (p <= 1 and q <= 1)"));
}

// Findings of the fuzzer have no extension.
TEST_CASE("the seeds of properties can be used") {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_dir() / "tests/fuzz/corpus/read_properties")) {
        if (!entry.path().has_extension()) continue;
        std::ifstream file(entry.path());
        CAPTURE(entry.path().string());
        CHECK(check_properties(std::string(std::istreambuf_iterator<char>(file), {})));
        ++files;
    }
    CHECK(files == 3);
}

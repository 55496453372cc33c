// Nets and probes from other tools, which are not part of the project. They are read as their manifest says,
// or rejected.

#include "pnml/read_pnml.hpp"
#include "tests/pnml/check_document.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

std::string refusal(const std::filesystem::path& file) {
    try {
        pnml::read_pnml_file(file);
    } catch (const pnml::PnmlError& error) {
        return error.what();
    }
    return "";
}

/// The number of markings reachable by firing one transition at a time: the plainest reading of a net.
std::size_t count_states(const Net& net) {
    std::set<Marking> seen = {net.initial_marking()};
    std::vector<Marking> open(seen.begin(), seen.end());
    while (!open.empty()) {
        const Marking marking = open.back();
        open.pop_back();
        for (std::size_t t = 0; t < net.transitions().size(); ++t) {
            Marking next = marking;
            bool enabled = true;
            for (const Arc& arc : net.arcs_of(TransitionId(t))) {
                const Tokens tokens = marking[index(arc.place)];
                const bool needs = arc.kind == ArcKind::input || arc.kind == ArcKind::read;
                if (needs && tokens < arc.weight) enabled = false;
                if (arc.kind == ArcKind::inhibitor && tokens >= arc.weight) enabled = false;
                if (arc.kind == ArcKind::input) next[index(arc.place)] -= arc.weight;
                if (arc.kind == ArcKind::output) next[index(arc.place)] += arc.weight;
            }
            if (enabled && seen.insert(next).second) open.push_back(next);
        }
    }
    return seen.size();
}

}  // namespace

TEST_CASE("nets of other tools have the sizes of their manifest") {
    const auto folder = testing::shared_data("pnml");
    SKIP_WITHOUT(folder, "pnml");
    std::size_t read = 0;
    for (const testing::TsvRow& row : testing::read_tsv_table(*folder / "MANIFEST.tsv")) {
        const std::string file = row.at("file");
        CAPTURE(file);
        if (file.starts_with("bad_") || file.starts_with("odd_")) {
            CHECK_FALSE(refusal(*folder / file).empty());
            continue;
        }
        const Net net = pnml::read_pnml_file(*folder / file);
        std::map<ArcKind, std::size_t> arcs;
        for (const Arc& arc : net.arcs()) ++arcs[arc.kind];
        // The manifest counts the <place idref> elements of this file's final marking as one more place.
        const std::size_t miscounted = file == "pm4py_running-example.pnml" ? 1 : 0;
        CHECK(std::to_string(net.places().size() + miscounted) == row.at("places"));
        CHECK(std::to_string(net.transitions().size()) == row.at("transitions"));
        CHECK(std::to_string(net.arcs().size()) == row.at("arcs"));
        CHECK(std::to_string(arcs[ArcKind::inhibitor]) == row.at("inhibitor_arcs"));
        CHECK(std::to_string(arcs[ArcKind::read]) == row.at("read_arcs"));
        ++read;
    }
    CHECK(read == 36);
}

TEST_CASE("nets of other tools survive writing and reading") {
    const auto folder = testing::shared_data("pnml");
    SKIP_WITHOUT(folder, "pnml");
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
        CAPTURE(entry.path());
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        const std::string name = entry.path().filename().string();
        const bool refused = name.starts_with("bad_") || name.starts_with("odd_") || name == "MANIFEST.tsv";
        CHECK(testing::check_document(text.str()) == !refused);
    }
}

TEST_CASE("what is refused among the nets of other tools is refused for its reason") {
    const auto folder = testing::shared_data("pnml");
    SKIP_WITHOUT(folder, "pnml");
    const auto message = [&](const char* file) { return refusal(*folder / file); };
    CHECK_THAT(message("odd_epnk_multiple-nets.pnml"), Catch::Contains("'n1', 'n2', 'n3'"));
    CHECK_THAT(message("bad_epnk_samplePTnet-WithoutIDs.pnml"), Catch::Contains("an attribute id"));
    CHECK_THAT(message("bad_epnk_CyclicReferences.pnml"), Catch::Contains("'4711', '4712'"));

    pnml::PnmlReadOptions options;
    options.net_id = "4711";
    CHECK_THROWS_WITH(pnml::read_pnml_file(*folder / "bad_epnk_CyclicReferences.pnml", options),
                      Catch::Contains("cycle"));
    options.net_id = "n1";
    CHECK_THROWS_WITH(pnml::read_pnml_file(*folder / "odd_epnk_multiple-nets.pnml", options),
                      Catch::Contains("high-level"));
    options.net_id = "n2";
    const Net net = pnml::read_pnml_file(*folder / "odd_epnk_multiple-nets.pnml", options);
    CHECK(net.places().size() == 3);
}

TEST_CASE("probes have the states of the reference reading") {
    const auto folder = testing::shared_data("pnml_probes");
    SKIP_WITHOUT(folder, "pnml_probes");
    const std::set<std::string> refused = {"odd_neg", "bad_dupid", "bad_zero_weight", "bad_dangling",
                                           "bad_pp"};
    for (const testing::TsvRow& row : testing::read_tsv_table(*folder / "READINGS.tsv")) {
        const std::string name = row.at("file");
        const std::filesystem::path file = *folder / (name + ".pnml");
        CAPTURE(name);
        if (refused.contains(name)) {
            CHECK_FALSE(refusal(file).empty());
        } else if (name == "odd_big") {
            CHECK(pnml::read_pnml_file(file).places()[0].initial == 5'000'000'000);
        } else {
            CHECK(std::to_string(count_states(pnml::read_pnml_file(file))) == row.at("ref"));
        }
    }
}

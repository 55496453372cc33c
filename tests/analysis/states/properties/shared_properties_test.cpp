// Properties and nets of the Model Checking Contest, which are not part of the project. The expected answers
// are published by the contest.

#include "analysis/states/properties/ask.hpp"
#include "pnml/read_pnml.hpp"
#include "pnml/read_properties.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"

#include <map>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

const std::map<std::string, std::string> file_of = {{"RC", "ReachabilityCardinality"},
                                                    {"RF", "ReachabilityFireability"},
                                                    {"UB", "UpperBounds"},
                                                    {"CTLC", "CTLCardinality"},
                                                    {"CTLF", "CTLFireability"},
                                                    {"RD", "ReachabilityDeadlock"},
                                                    {"L", "Liveness"},
                                                    {"OS", "OneSafe"},
                                                    {"QL", "QuasiLiveness"},
                                                    {"SM", "StableMarking"}};

std::string text_of(const states::PropertyAnswer& answer) {
    if (answer.holds) return *answer.holds ? "TRUE" : "FALSE";
    return answer.exact ? std::to_string(*answer.value) : "?";
}

std::vector<states::PropertyAnswer> answers(const Net& net, const std::vector<Property>& properties,
                                            std::uint64_t max_states) {
    states::AskOptions options;
    options.explore.max_states = max_states;
    options.witnesses = false;
    return states::ask(net, properties, options).of;
}

}  // namespace

TEST_CASE("answers to the contest's properties are the published ones") {
    const auto folder = shared_data("pnml_properties");
    SKIP_WITHOUT(folder, "pnml_properties");
    std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>> questions;
    for (const TsvRow& row : read_tsv_table(*folder / "answers.tsv"))
        questions[{row.at("model"), row.at("examination")}][row.at("formula")] = row.at("answer");
    // Millions of states are for the benchmarks.
    const std::set<std::string> large = {"Kanban-PT-00005", "GPUForwardProgress-PT-08a"};
    std::size_t number = 0, asked = 0, known = 0;
    for (const auto& [question, expected] : questions) {
        const auto& [model, examination] = question;
        if (large.contains(model)) continue;
        if (number++ % (sanitized() ? 8 : 1) != 0) continue;  // sanitizers check an eighth of them
        CAPTURE(model, examination);
        const Net net = pnml::read_pnml_file(*shared_data("pnml") / ("mcc_" + model + ".pnml"));
        const std::string name = file_of.at(examination);
        std::vector<Property> properties = pnml::global_property(name, net);
        const bool global = !properties.empty();
        if (!global) properties = pnml::read_properties_file(*folder / model / (name + ".xml"), net);
        const auto found = answers(net, properties, 100'000);
        for (std::size_t i = 0; i < properties.size(); ++i) {
            CAPTURE(properties[i].id);
            ++asked;
            const std::string answer = text_of(found[i]);
            if (answer == "?") continue;
            ++known;
            CHECK(answer == (global ? expected.begin()->second : expected.at(properties[i].id)));
        }
    }
    if (sanitized()) return;
    CHECK(asked == 935);
    CHECK(known >= 880);
}

TEST_CASE("deadlocks of nets beyond exploration are decided as published") {
    const auto folder = shared_data("pnml_deadlock");
    SKIP_WITHOUT(folder, "pnml_deadlock");
    std::size_t number = 0, known = 0;
    for (const TsvRow& row : read_tsv_table(*folder / "answers.tsv")) {
        const std::string model = row.at("model");
        CAPTURE(model);
        if (number++ % (sanitized() ? 5 : 1) != 0) continue;
        const Net net = pnml::read_pnml_file(*folder / (model + ".pnml"));
        const auto found = answers(net, pnml::global_property("ReachabilityDeadlock", net), 100'000);
        if (!found.front().known()) continue;
        ++known;
        CHECK(text_of(found.front()) == row.at("deadlock"));
    }
    CHECK(known >= (sanitized() ? 2 : 12));
}

// Nets and probes from other tools, which are not part of the project. Their state spaces have the sizes in
// their manifest, which come from the Model Checking Contest and from a plain reference exploration.

#include "analysis/states/explore/explore.hpp"
#include "pnml/read_pnml.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

const std::uint64_t most_states = sanitized() ? 400'000 : 10'000'000;

states::Exploration explore_file(const std::filesystem::path& file, std::uint64_t max_states = 100'000'000) {
    const Net net = pnml::read_pnml_file(file);
    states::ExploreOptions options;
    options.max_states = max_states;
    return states::explore(compile(net), options);
}

Tokens most_in_a_place(const states::Exploration& explored) {
    return explored.bounds.empty() ? 0 : *std::ranges::max_element(explored.bounds);
}

/// "states=2 edges=1 dead=1 maxtok=1"
std::string measured(const states::Exploration& explored) {
    return "states=" + std::to_string(explored.space.size()) + " edges=" + std::to_string(explored.edges) +
           " dead=" + std::to_string(explored.deadlocks) +
           " maxtok=" + std::to_string(most_in_a_place(explored));
}

}  // namespace

TEST_CASE("nets of other tools have the state spaces of their manifest") {
    const auto folder = shared_data("pnml");
    SKIP_WITHOUT(folder, "pnml");
    std::size_t compared = 0;
    for (const TsvRow& row : read_tsv_table(*folder / "MANIFEST.tsv")) {
        const std::string file = row.at("file");
        CAPTURE(file);
        if (file.starts_with("bad_") || file.starts_with("odd_")) continue;
        const std::string reference = row.at("measured_by_naive_reference(interleaving,cap 3e6 states)");
        const bool unbounded = reference.find('+') != std::string::npos;
        const std::string states = row.at("mcc_states");
        const bool too_many = states.size() > 8 || (!states.empty() && std::stoull(states) > most_states);
        if (too_many || (unbounded && most_states < 3'000'001)) {
            CHECK(explore_file(*folder / file, 1000).stop == WorkEnd::state_limit);
            continue;
        }
        if (unbounded) {
            CHECK(explore_file(*folder / file, 500'000).stop == WorkEnd::state_limit);
            continue;
        }
        const states::Exploration explored = explore_file(*folder / file);
        CHECK(explored.complete());
        CHECK(measured(explored) == reference);
        if (!states.empty()) {
            CHECK(std::to_string(explored.space.size()) == row.at("mcc_states"));
            CHECK(std::to_string(explored.edges) == row.at("mcc_edges"));
            CHECK((explored.deadlocks > 0 ? "TRUE" : "FALSE") == row.at("mcc_deadlock"));
            CHECK(std::to_string(most_in_a_place(explored)) == row.at("mcc_max_token_in_place"));
        }
        ++compared;
    }
    CHECK(compared >= 29);
}

TEST_CASE("probes have the states of the reference reading, or are refused") {
    const auto folder = shared_data("pnml_probes");
    SKIP_WITHOUT(folder, "pnml_probes");
    const std::set<std::string> refused = {"odd_neg", "bad_dupid", "bad_zero_weight", "bad_dangling",
                                           "bad_pp"};
    for (const TsvRow& row : read_tsv_table(*folder / "READINGS.tsv")) {
        const std::string name = row.at("file");
        const std::filesystem::path file = *folder / (name + ".pnml");
        CAPTURE(name);
        if (refused.contains(name)) {
            CHECK_THROWS(explore_file(file));
        } else if (name == "odd_big") {
            CHECK(explore_file(file, 100'001).stop == WorkEnd::state_limit);
        } else {
            CHECK(std::to_string(explore_file(file).space.size()) == row.at("ref"));
        }
    }
}

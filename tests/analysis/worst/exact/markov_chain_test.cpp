// The exported chain of maximal steps: files that are read back and solved here give the distribution of an
// independent computation over the net.

#include "analysis/worst/exact/markov_chain.hpp"

#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// A chain as another tool reads it.
struct ReadChain {
    std::size_t states = 0;
    std::map<std::pair<std::size_t, std::size_t>, double> matrix;
    std::size_t start = 0;
    std::set<std::size_t> dead;
    std::map<std::size_t, double> reward;
};

ReadChain read_prism(const std::vector<worst::ChainFile>& files) {
    ReadChain chain;
    REQUIRE(files.size() == 4);
    std::istringstream transitions(files[0].text), labels(files[1].text), rewards(files[3].text);
    std::size_t count = 0, rewarded = 0, state = 0, states = 0;
    transitions >> chain.states >> count;
    std::size_t to = 0;
    for (double probability = 0; transitions >> state >> to >> probability; --count)
        chain.matrix[{state, to}] = probability;
    CHECK(count == 0);
    std::string line;
    std::getline(labels, line);
    CHECK(line == "0=\"init\" 1=\"deadlock\" 2=\"dead\"");
    while (std::getline(labels, line)) {
        std::istringstream words(line);
        char colon = 0;
        words >> state >> colon;
        for (int label = 0; words >> label;) {
            if (label == 0) chain.start = state;
            if (label == 2) chain.dead.insert(state);
        }
    }
    for (int comments = 0; comments < 2; ++comments) std::getline(rewards, line);
    rewards >> states >> rewarded;
    CHECK(states == chain.states);
    for (double reward = 0; rewards >> state >> reward; --rewarded) chain.reward[state] = reward;
    CHECK(rewarded == 0);
    return chain;
}

ReadChain read_storm(const std::string& text) {
    ReadChain chain;
    std::istringstream lines(text);
    std::string word;
    while (lines >> word && word != "@nr_states") {
    }
    lines >> chain.states;
    while (lines >> word && word != "@model") {
    }
    std::size_t state = 0;
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        words >> word;
        if (line.empty() || word == "action") continue;
        if (word == "state") {
            words >> state >> word;
            chain.reward[state] = std::stod(word.substr(1));
            while (words >> word) {
                if (word == "init") chain.start = state;
                if (word == "dead") chain.dead.insert(state);
            }
            if (chain.reward[state] == 0) chain.reward.erase(state);
        } else {
            const std::size_t to = std::stoul(word);
            double probability = 0;
            words >> word >> probability;
            chain.matrix[{state, to}] = probability;
        }
    }
    return chain;
}

/// Probabilities of ending after k steps, by repeated multiplication.
std::map<std::uint64_t, double> ends(const ReadChain& chain, std::uint64_t max_steps) {
    std::vector<double> now(chain.states, 0);
    now[chain.start] = 1;
    const auto multiply = [&] {
        std::vector<double> next(chain.states, 0);
        for (const auto& [edge, probability] : chain.matrix)
            next[edge.second] += now[edge.first] * probability;
        now = std::move(next);
    };
    // A start before immediate steps takes no step.
    if (!chain.dead.contains(chain.start) && !chain.reward.contains(chain.start)) multiply();
    std::map<std::uint64_t, double> result;
    for (std::uint64_t step = 0; step <= max_steps; ++step) {
        for (const std::size_t dead : chain.dead) {
            if (now[dead] > 0) result[step] += now[dead];
            now[dead] = 0;
        }
        multiply();
    }
    return result;
}

bool equal(const ReadChain& a, const ReadChain& b) {
    return a.states == b.states && a.matrix == b.matrix && a.start == b.start && a.dead == b.dead &&
           a.reward == b.reward;
}

}  // namespace

TEST_CASE("exported chains, read back and solved, give the distribution of an independent computation") {
    constexpr std::uint64_t max_steps = 30;
    RandomNetOptions options;
    options.places = 6;
    options.transitions = 7;
    options.gadgets = 1;
    options.sources = false;
    std::uint64_t compared = 0, between = 0;
    for (std::uint64_t seed = 1; compared < case_count(1'000); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed, options);
        const auto expected = ReferenceDistributions(net).compute(max_steps, 9, 400);
        if (!expected) continue;
        WorkLimits limits;
        limits.memory = 2'000'000;
        worst::MarkovChain chain;
        try {
            chain = worst::markov_chain(compile(net), limits);
        } catch (const InputError&) {
            continue;  // endless immediate transitions, or unbounded places
        }
        if (chain.stop != WorkEnd::complete) continue;
        ++compared;
        between += chain.starts_between ? 1U : 0U;
        const ReadChain prism = read_prism(worst::prism_files(net, chain));
        CHECK(equal(prism, read_storm(worst::storm_file(chain))));
        std::map<std::size_t, double> sums;
        for (const auto& [edge, probability] : prism.matrix) sums[edge.first] += probability;
        CHECK(sums.size() == prism.states);
        for (const auto& [state, sum] : sums) CHECK(std::abs(sum - 1) < 1e-9);
        std::map<std::uint64_t, double> difference = ends(prism, max_steps);
        for (const auto& [steps, probability] : expected->steps) difference[steps] -= probability;
        for (const auto& [steps, own] : difference) {
            CAPTURE(steps);
            CHECK(std::abs(own) < 1e-9);
        }
    }
    CHECK(between >= least_count(1));
}

TEST_CASE("places have names that PRISM can read, each a different one") {
    NetBuilder builder;
    for (const char* id : {"a", "a,b", "a.b", "max", "2x", "F"}) builder.add_place(id);
    const Net net = builder.build();
    const auto files = worst::prism_files(net, worst::markov_chain(compile(net)));
    const auto of = [&](const char* extension) {
        return std::ranges::find(files, extension, &worst::ChainFile::extension)->text;
    };
    CHECK(of(".sta") == "(a,a_b_1,a_b_2,max_3,_2x_4,F_5)\n0:(0,0,0,0,0,0)\n");
    CHECK(of(".srew") == "# Reward structure \"steps\"\n# State rewards\n1 0\n");
}

TEST_CASE("the chain of one warp: a state per step") {
    netgen::WarpsSpec spec;
    spec.warps = {{2, 0, 0}};
    const Net net = netgen::warps_net(spec);
    const worst::MarkovChain chain = worst::markov_chain(compile(net));
    // 4 steps per instruction and one to end, and the dead marking.
    CHECK(chain.markings.size() == 4 * 2 + 1 + 1);
    CHECK(chain.is_dead(static_cast<std::uint32_t>(chain.markings.size()) - 1));
}

// Questions about a state space that is divided among ranks, which are threads here, compared with the same
// questions to one process.

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/properties/ask.hpp"
#include "engine/net/error.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_formula.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/symmetric_net.hpp"

#include <algorithm>
#include <mutex>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Questions of all kinds that need no graph of all steps.
std::vector<Property> marking_questions(const Net& net, std::uint64_t seed) {
    std::vector<Property> properties = random_properties(net, seed, 0, 0);
    std::erase_if(properties, [](const Property& property) { return property.kind == Property::Kind::live; });
    if (seed % 2 == 0)
        std::erase_if(properties, [](const Property& property) {
            return property.kind == Property::Kind::stable || property.kind == Property::Kind::quasi_live;
        });
    return properties;
}

/// The complete answers, with the steps that prove them.
std::string text_of(const states::Answers& summary, bool with_steps) {
    std::string text = std::to_string(summary.states) + " " + std::to_string(summary.orbits) + " " +
                       (summary.stop ? std::string(to_string(*summary.stop)) : "-");
    for (const states::PropertyAnswer& answer : summary.of) {
        text += "\n" + std::string(answer.holds ? (*answer.holds ? "yes" : "no") : "?") + " " +
                (answer.value ? std::to_string(*answer.value) : "-") + (answer.exact ? " exact" : "") +
                (answer.shortest ? " shortest" : "") + (answer.witness ? " shown" : "");
        if (answer.known()) text += " by " + std::string(to_string(answer.by));
        for (const std::uint32_t node : answer.nodes) text += " " + std::to_string(node);
        if (!answer.witness || !with_steps) continue;
        for (const ScheduledStep& step : *answer.witness) {
            text += ";";
            for (const std::uint32_t t : step.transitions) text += " " + std::to_string(t);
        }
    }
    return text;
}

}  // namespace

TEST_CASE("divided among ranks, questions have the same answers, found by the same part, shown alike") {
    const Semantics semantics = GENERATE(Semantics::interleaving, Semantics::maximal);
    std::size_t explored = 0, reduced = 0, open = 0, shown = 0;
    for (std::uint64_t seed = 1; seed <= case_count(32); ++seed) {
        RandomNetOptions shape;
        shape.places = 6;
        shape.transitions = 8;
        shape.gadgets = 1;
        shape.immediates = shape.priorities = seed % 3 == 0;
        const Net net = seed % 4 == 0 ? SymmetricNet(seed).build() : random_net(seed, shape);
        const CompiledNet compiled = compile(net);
        const std::vector<Property> properties = marking_questions(net, seed);
        states::AskOptions options;
        options.explore.semantics = semantics;
        options.explore.max_states = seed % 5 == 0 ? 40 : 2000;
        options.first_states = seed % 7;
        options.random_runs = options.state_equation = seed % 8 < 2;
        options.guided_search = seed % 16 < 3;
        // Only rank 0 makes diagrams. For unbounded nets this takes a sanitizer too long.
        options.decision_diagrams = !sanitized() && seed % 16 < 3;
        options.diagram_effort = 100'000;
        if (seed % 2 == 0) options.reduced_states = 0;
        const states::Answers one = states::ask(net, properties, options);
        const int size = 2 + static_cast<int>(seed % 3);
        CAPTURE(seed, size);
        std::mutex mutex;
        std::vector<std::string> texts(static_cast<std::size_t>(size));
        TeamOfThreads::run(size, [&](ranks::Team& team) {
            ranks::Collectives ranks(team);
            states::AskOptions own = options;
            own.explore.ranks = &ranks;
            const states::Answers summary = states::ask(net, properties, own);
            const std::lock_guard lock(mutex);
            texts[static_cast<std::size_t>(team.rank())] = text_of(summary, team.rank() == 0);
        });
        REQUIRE(texts.front() == text_of(one, true));
        for (std::size_t rank = 1; rank < texts.size(); ++rank)
            REQUIRE(texts[rank].substr(0, texts[rank].find('\n')) ==
                    texts.front().substr(0, texts.front().find('\n')));
        for (const states::PropertyAnswer& answer : one.of) {
            open += answer.known() ? 0U : 1U;
            shown += answer.witness ? 1U : 0U;
            explored += answer.by == states::AnswerPart::exploration ? 1U : 0U;
            reduced += answer.by == states::AnswerPart::reductions ? 1U : 0U;
        }
    }
    CHECK(open >= least_count(4));
    CHECK(shown >= least_count(20));
    CHECK(explored >= least_count(20));
    if (semantics == Semantics::interleaving) CHECK(reduced >= least_count(4));
}

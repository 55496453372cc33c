#include "analysis/states/properties/ask.hpp"

#include "analysis/states/properties/conditions.hpp"
#include "analysis/states/properties/model_checker.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/properties/to_json.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_formula.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_ctl.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net small_net(std::uint64_t seed, Semantics semantics, bool timed = false) {
    RandomNetOptions options = small_net_options(semantics);
    options.immediates = options.priorities = !timed;
    return random_net(seed, options);
}

/// The states from which a marked state can be reached.
std::vector<bool> can_reach(const ReferenceSpace& space, std::vector<bool> marked) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t s = 0; s < marked.size(); ++s) {
            if (marked[s]) continue;
            marked[s] = std::ranges::any_of(space.edges[s], [&](const ReferenceEdge& edge) {
                return bool(marked[space.numbers.at(edge.after)]);
            });
            changed = changed || marked[s];
        }
    }
    return marked;
}

bool expected(const Net& net, const ReferenceSpace& space, const Property& property) {
    if (property.kind == Property::Kind::formula) return ReferenceCtl(net, space).states(property.formula)[0];
    if (property.kind == Property::Kind::stable) {
        for (std::size_t p = 0; p < net.places().size(); ++p)
            if (std::ranges::all_of(space.markings, [&](const Marking& marking) {
                    return marking[p] == space.markings[0][p];
                }))
                return true;
        return false;
    }
    return std::ranges::all_of(property.transitions, [&](std::uint32_t t) {
        std::vector<bool> fires(space.markings.size());
        for (std::size_t s = 0; s < fires.size(); ++s)
            fires[s] = std::ranges::any_of(space.edges[s],
                                           [&](const ReferenceEdge& edge) { return edge.firings[t] > 0; });
        const std::vector<bool> again = can_reach(space, fires);
        return property.kind == Property::Kind::live ? std::ranges::all_of(again, [](bool b) { return b; })
                                                     : bool(again[0]);
    });
}

Tokens extreme(const ReferenceSpace& space, const Property& property) {
    Tokens best = ReferenceCtl::value(property.sum, space.markings[0]);
    for (const Marking& marking : space.markings) {
        const Tokens value = ReferenceCtl::value(property.sum, marking);
        best = property.kind == Property::Kind::maximum ? std::max(best, value) : std::min(best, value);
    }
    return best;
}

/// After the first entries of the witness.
Marking marking_after(std::size_t entries, const Net& net, const CompiledNet& compiled, Semantics semantics,
                      const states::PropertyAnswer& answer) {
    const auto first = answer.witness->begin();
    return replay(compiled, net, Schedule(first, first + static_cast<std::ptrdiff_t>(entries)), semantics)
        .marking;
}

void check_witness(const Net& net, const CompiledNet& compiled, Semantics semantics,
                   const ReferenceSpace& space, const Property& property,
                   const states::PropertyAnswer& answer) {
    if (!answer.witness) return;
    const RunResult run = replay(compiled, net, *answer.witness, semantics);
    const std::size_t end = space.numbers.at(run.marking);
    if (property.kind == Property::Kind::maximum || property.kind == Property::Kind::minimum)
        REQUIRE(ReferenceCtl::value(property.sum, run.marking) == *answer.value);
    const Formula formula = states::simplified(property.formula);
    const auto after = [&](std::size_t steps) {
        return marking_after(steps, net, compiled, semantics, answer);
    };
    if (answer.repeats_from) REQUIRE(after(*answer.repeats_from) == run.marking);
    const bool finally = formula.kind == Formula::Kind::finally;
    if ((finally && formula.on_all_paths && answer.holds == false) ||
        (formula.kind == Formula::Kind::globally && !formula.on_all_paths && answer.holds == true)) {
        const auto now = ReferenceCtl(net, space).states(formula.operands[0]);
        for (std::size_t steps = 0; steps <= answer.witness->size(); ++steps)
            REQUIRE(now[space.numbers.at(after(steps))] != finally);
        if (!answer.repeats_from) REQUIRE(space.edges[end].empty());
    }
    const bool reach = formula.kind == Formula::Kind::finally && !formula.on_all_paths;
    const bool always = formula.kind == Formula::Kind::globally && formula.on_all_paths;
    if (property.kind != Property::Kind::formula || (!reach && !always)) return;
    const auto there = ReferenceCtl(net, space).states(formula.operands[0]);
    REQUIRE(there[end] == reach);
    if (!answer.shortest) return;
    for (std::size_t s = 0; s < there.size(); ++s)
        if (there[s] == reach) REQUIRE(space.distance[s] >= answer.witness->size());
}

/// Of a net whose entries of a schedule are steps, and of a question that no rule has changed.
void check_witness_of_next_or_until(const Net& net, const CompiledNet& compiled, const ReferenceSpace& space,
                                    const Formula& formula, const states::PropertyAnswer& answer) {
    const std::size_t size = answer.witness->size();
    const auto held_after = [&](const Formula& operand, std::size_t steps) -> bool {
        const Marking marking = marking_after(steps, net, compiled, Semantics::interleaving, answer);
        return ReferenceCtl(net, space).states(operand)[space.numbers.at(marking)];
    };
    if (formula.kind == Formula::Kind::next) {
        REQUIRE(size == 1);
        REQUIRE(held_after(formula.operands[0], 1) == answer.holds);
    }
    if (formula.kind == Formula::Kind::until && !formula.on_all_paths) {
        for (std::size_t steps = 0; steps < size; ++steps) REQUIRE(held_after(formula.operands[0], steps));
        REQUIRE(held_after(formula.operands[1], size));
    }
}

/// The number of answers of each part.
using Parts = std::map<states::AnswerPart, std::size_t>;

enum class Asked { everything, single_markings };

Parts compare(std::uint64_t seeds, Semantics semantics, const states::AskOptions& options_of_all,
              bool timed = false, Asked asked = Asked::everything) {
    Parts parts;
    for (std::uint64_t seed = 0; seed < case_count(seeds); ++seed) {
        CAPTURE(seed, semantics);
        const Net net = small_net(seed, semantics, timed);
        const auto space = reference_space(net, semantics, 500);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        states::AskOptions options = options_of_all;
        options.explore.semantics = semantics;
        std::vector<Property> properties = random_properties(net, seed, 6, 3);
        if (asked == Asked::single_markings) {
            properties.erase(properties.begin(), properties.begin() + 6);
            std::erase_if(properties, [](const Property& property) {
                return property.kind == Property::Kind::stable || property.kind == Property::Kind::live;
            });
        }
        const states::Answers summary = states::ask(net, properties, options);
        REQUIRE(summary.of.size() == properties.size());
        for (std::size_t i = 0; i < properties.size(); ++i) {
            CAPTURE(i, to_string(summary.of[i].by));
            const states::PropertyAnswer& answer = summary.of[i];
            REQUIRE(answer.known());
            const Property::Kind kind = properties[i].kind;
            if (kind == Property::Kind::maximum || kind == Property::Kind::minimum) {
                REQUIRE(answer.value == extreme(*space, properties[i]));
            } else {
                REQUIRE(answer.holds == expected(net, *space, properties[i]));
            }
            check_witness(net, compiled, semantics, *space, properties[i], answer);
            ++parts[answer.by];
        }
    }
    return parts;
}

}  // namespace

/// Only one part and, if it has no answer, the exploration.
states::AskOptions only(states::AnswerPart part) {
    states::AskOptions options;
    options.first_states = 1;
    options.random_runs = part == states::AnswerPart::random_runs;
    options.decision_diagrams = part == states::AnswerPart::decision_diagrams;
    options.state_equation = part == states::AnswerPart::state_equation;
    options.guided_search = part == states::AnswerPart::guided_search;
    options.reductions = part == states::AnswerPart::reductions;
    options.local_evaluation = part == states::AnswerPart::local_evaluation;
    options.partial_graph = part == states::AnswerPart::partial_graph;
    options.path_rules = part == states::AnswerPart::path_rules;
    return options;
}

TEST_CASE("answers are those of the definitions, under every semantics") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal, Semantics::multiset}) {
        Parts parts = compare(700, semantics, {});
        CHECK(parts[states::AnswerPart::first_exploration] >= least_count(500));
        CHECK(parts[states::AnswerPart::state_graph] >= least_count(300));
    }
}

TEST_CASE("answers do not depend on how much is explored first") {
    for (const std::uint64_t first : {1u, 5u, 40u})
        CHECK(compare(100, Semantics::interleaving, {.first_states = first}).size() > 3);
}

TEST_CASE("what random runs find is true") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal})
        CHECK(
            compare(150, semantics, only(states::AnswerPart::random_runs))[states::AnswerPart::random_runs] >=
            least_count(60));
}

TEST_CASE("what decision diagrams say is true") {
    CHECK(compare(1000, Semantics::interleaving, only(states::AnswerPart::decision_diagrams),
                  true)[states::AnswerPart::decision_diagrams] >= least_count(2000));
    states::AskOptions paths = only(states::AnswerPart::decision_diagrams);
    paths.witnesses = false;
    CHECK(compare(1000, Semantics::interleaving, paths, true)[states::AnswerPart::decision_diagrams] >=
          least_count(3500));
}

TEST_CASE("what the state equation refutes cannot be reached, under every semantics") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal, Semantics::multiset})
        CHECK(compare(1500, semantics,
                      only(states::AnswerPart::state_equation))[states::AnswerPart::state_equation] >=
              least_count(300));
}

TEST_CASE("the state equation tells nothing once its work must end") {
    NetBuilder builder;
    const PlaceId from = builder.add_place("from", 2), to = builder.add_place("to");
    const TransitionId move = builder.add_transition("move");
    builder.add_input(from, move);
    builder.add_output(move, to);
    const Net net = builder.build();
    const auto told = [&](const WorkLimits& limits) {
        states::Goals goals;
        goals.reach.push_back({.condition = parse_formula("to > 2", net, FormulaLanguage::of_markings)});
        goals.maxima.push_back({.sum = {.tokens = {{1, 1}}, .firings = {}, .constant = 0}});
        states::try_state_equation(net, {.limits = limits}, goals);
        return goals;
    };
    const states::Goals goals = told({});
    CHECK(goals.reach[0].reachable == false);
    CHECK(goals.maxima[0].at_most == 2);
    const std::atomic<bool> interrupted = true;
    const WorkLimits interrupt = {.interrupt = &interrupted},
                     past = {.deadline = std::chrono::steady_clock::time_point()};
    for (const WorkLimits& limits : {interrupt, past}) {
        const states::Goals open = told(limits);
        CHECK_FALSE(open.reach[0].reachable);
        CHECK_FALSE(open.maxima[0].at_most);
    }
}

TEST_CASE("what a guided search says is true, with stubborn sets and without") {
    states::AskOptions options = only(states::AnswerPart::guided_search);
    for (const bool stubborn : {false, true}) {
        options.stubborn_sets = stubborn;
        CHECK(compare(3000, Semantics::interleaving, options, true)[states::AnswerPart::guided_search] >=
              least_count(1000));
    }
}

TEST_CASE("what reduced nets say is true, question by question") {
    CHECK(compare(1000, Semantics::interleaving, only(states::AnswerPart::reductions),
                  true)[states::AnswerPart::reductions] >= least_count(1000));
}

TEST_CASE("what a reduced net says of all questions together is true") {
    states::AskOptions options = only(states::AnswerPart::reductions);
    options.reduced_states = 0;
    CHECK(compare(1000, Semantics::interleaving, options, true,
                  Asked::single_markings)[states::AnswerPart::reductions] >= least_count(1000));
}

TEST_CASE("a part of the graph decides only what the whole graph does, under every semantics") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal, Semantics::multiset}) {
        std::size_t decided = 0, held = 0, open = 0;
        for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
            CAPTURE(seed, semantics);
            const Net net = small_net(seed, semantics, seed % 3 == 0);  // depth-first if timed
            const auto space = reference_space(net, semantics, 500);
            if (!space || space->markings.size() < 3) continue;
            RandomFormulas formulas(net, seed);
            std::vector<Property> properties(8);
            for (Property& property : properties) property.formula = formulas.ctl(4);
            states::AskOptions options = only(states::AnswerPart::partial_graph);
            options.explore.semantics = semantics;
            options.explore.max_states = 1 + seed % (space->markings.size() - 1);  // never all states
            options.first_states = options.explore.max_states;
            options.symmetry = seed % 2 == 0;
            const states::Answers answers = states::ask(net, properties, options);
            for (std::size_t i = 0; i < properties.size(); ++i) {
                CAPTURE(i, to_string(answers.of[i].by));
                if (!answers.of[i].known()) {
                    ++open;
                    continue;
                }
                REQUIRE(answers.of[i].holds == expected(net, *space, properties[i]));
                if (answers.of[i].by != states::AnswerPart::partial_graph) continue;
                ++decided;
                held += *answers.of[i].holds ? 1u : 0u;
                check_witness(net, compile(net), semantics, *space, properties[i], answers.of[i]);
            }
        }
        CAPTURE(decided, held, open);
        CHECK(held >= least_count(150));
        CHECK(decided - held >= least_count(150));
        CHECK(open >= least_count(200));
    }
}

TEST_CASE("what the markings that a formula asks about say is true") {
    CHECK(compare(1500, Semantics::interleaving, only(states::AnswerPart::local_evaluation),
                  true)[states::AnswerPart::local_evaluation] >= least_count(1500));
}

TEST_CASE("the markings that decide a formula contain the path that shows it") {
    std::size_t shown = 0, only_decided = 0;
    for (std::uint64_t seed = 0; seed < case_count(3000); ++seed) {
        CAPTURE(seed);
        const Net net = small_net(seed, Semantics::interleaving, true);
        const auto space = reference_space(net, Semantics::interleaving, 300);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        RandomFormulas formulas(net, seed);
        for (std::size_t i = 0; i < 4; ++i) {
            const Property property{"p", Property::Kind::formula, states::simplified(formulas.ctl(4))};
            const auto answers = states::ask(net, {property}, only(states::AnswerPart::local_evaluation));
            const states::PropertyAnswer& answer = answers.of[0];
            if (answer.by != states::AnswerPart::local_evaluation ||
                !states::may_show_path(property.formula, *answer.holds))
                continue;
            check_witness(net, compiled, Semantics::interleaving, *space, property, answer);
            if (answer.witness)
                check_witness_of_next_or_until(net, compiled, *space, property.formula, answer);
            ++(answer.witness ? shown : only_decided);
        }
    }
    CAPTURE(shown, only_decided);
    CHECK(shown >= least_count(500));
    CHECK(10 * only_decided <= shown);  // by a search with stubborn sets
}

TEST_CASE("a formula is evaluated within any work or stays open") {
    std::size_t held = 0, failed = 0, open = 0;
    for (std::uint64_t seed = 0; seed < case_count(8000); ++seed) {
        CAPTURE(seed);
        const Net net = small_net(seed, Semantics::interleaving, true);
        const auto space = reference_space(net, Semantics::interleaving, 300);
        if (!space) continue;
        const CompiledNet compiled = compile(net);
        RandomFormulas formulas(net, seed);
        std::vector<states::PathQuestion> paths;
        for (std::size_t i = 0; i < 4; ++i) paths.push_back({i, formulas.ctl(4)});
        WorkLimits limits;
        limits.effort = std::uint64_t{16} << seed % 10;  // from a few markings to many
        states::try_local_evaluation(net, compiled, limits, paths);
        const ReferenceCtl judge(net, *space);
        for (const states::PathQuestion& path : paths) {
            CAPTURE(path.property);
            if (path.holds) REQUIRE(*path.holds == judge.states(path.formula)[0]);
            ++(!path.holds ? open : *path.holds ? held : failed);
        }
    }
    CAPTURE(held, failed, open);
    CHECK(held >= least_count(4000));
    CHECK(failed >= least_count(4000));
    CHECK(open >= least_count(1000));
}

TEST_CASE("few markings decide formulas about a net of 2^200 markings") {
    NetBuilder builder;  // switches that turn on and off
    for (int i = 0; i < 200; ++i) {
        const std::string number = std::to_string(i);
        const PlaceId off = builder.add_place("off" + number, 1), on = builder.add_place("on" + number);
        const TransitionId up = builder.add_transition("up" + number);
        const TransitionId down = builder.add_transition("down" + number);
        builder.add_input(off, up);
        builder.add_output(up, on);
        builder.add_input(on, down);
        builder.add_output(down, off);
    }
    const Net net = builder.build();
    const CompiledNet compiled = compile(net);
    const auto holds = [&](const char* formula) {
        std::vector<states::PathQuestion> paths = {
            {0, parse_formula(formula, net, FormulaLanguage::temporal)}};
        WorkLimits limits;
        limits.effort = 40'000'000;
        states::try_local_evaluation(net, compiled, limits, paths);
        return paths[0].holds;
    };
    CHECK(holds("EF EG (on199 = 1 and off3 = 1)") == true);
    CHECK(holds("EX EG EX AX EF enabled(down150)") == true);
    CHECK(holds("AF on7 = 1") == false);
    CHECK(holds("AG EF off5 = 1") == std::nullopt);  // all markings
}

TEST_CASE("a decision diagram decides formulas of a single question unless a path may show them") {
    NetBuilder builder;
    for (int i = 0; i < 64; ++i) {
        const PlaceId off = builder.add_place("off" + std::to_string(i), 1);
        const PlaceId on = builder.add_place("on" + std::to_string(i));
        const TransitionId turn = builder.add_transition("turn" + std::to_string(i));
        builder.add_input(off, turn);
        builder.add_output(turn, on);
    }
    const Net net = builder.build();
    states::AskOptions options = only(states::AnswerPart::decision_diagrams);
    options.engine = states::ExploreEngine::diagrams;
    options.explore.max_states = 1000;
    options.symmetry = false;
    std::vector<Property> properties(3);
    properties[0].formula = parse_formula("AG EF dead", net, FormulaLanguage::temporal);
    properties[1].formula = parse_formula("AG AF on3 = 1", net, FormulaLanguage::temporal);
    properties[2].formula = parse_formula("EG on3 = 0", net, FormulaLanguage::temporal);
    const states::Answers answers = states::ask(net, properties, options);
    CHECK(answers.of[0].holds == true);
    CHECK(answers.of[1].holds == true);
    CHECK(answers.of[2].holds == false);
    for (const states::PropertyAnswer& answer : answers.of)
        CHECK(answer.by == states::AnswerPart::decision_diagrams);
}

TEST_CASE("conditions that no marking has become constants in formulas about paths") {
    NetBuilder builder;  // a token that alternates between p and q, never in both
    const PlaceId p = builder.add_place("p", 1), q = builder.add_place("q"), r = builder.add_place("r");
    const TransitionId there = builder.add_transition("there"), back = builder.add_transition("back");
    builder.add_input(p, there);
    builder.add_output(there, q);
    builder.add_output(there, r);  // unbounded: no exploration ends
    builder.add_input(q, back);
    builder.add_output(back, p);
    const Net net = builder.build();
    std::vector<Property> properties(1);
    properties[0].formula = parse_formula("AG AF (p + q = 1 and r >= 0)", net, FormulaLanguage::temporal);
    states::AskOptions options = only(states::AnswerPart::state_equation);
    options.explore.max_states = 100;
    const states::Answers answers = states::ask(net, properties, options);
    CHECK(answers.of[0].holds == true);
    CHECK(answers.of[0].by == states::AnswerPart::state_equation);
    options.state_equation = false;
    CHECK_FALSE(states::ask(net, properties, options).of[0].known());
}

TEST_CASE("a net is reversible if its start can be reached from everywhere, under every semantics") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal, Semantics::multiset}) {
        std::size_t yes = 0, no = 0;
        for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
            CAPTURE(seed, semantics);
            const Net net = small_net(seed, semantics);
            const auto space = reference_space(net, semantics, 300);
            if (!space) continue;
            std::vector<bool> start(space->markings.size());
            start[0] = true;
            const bool reversible = std::ranges::all_of(can_reach(*space, start), [](bool b) { return b; });
            Property property;
            property.formula = states::reversible(net);
            states::AskOptions options;
            options.explore.semantics = semantics;
            const states::PropertyAnswer answer = states::ask(net, {property}, options).of.front();
            REQUIRE(answer.holds == reversible);
            check_witness(net, compile(net), semantics, *space, property, answer);
            ++(reversible ? yes : no);
        }
        CHECK(yes >= least_count(20));
        CHECK(no >= least_count(300));
    }
}

TEST_CASE("a simplified formula holds in the same states") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
        CAPTURE(seed);
        const Net net = small_net(seed, Semantics::interleaving);
        const auto space = reference_space(net, Semantics::interleaving, 100);
        if (!space) continue;
        RandomFormulas formulas(net, seed);
        const ReferenceCtl judge(net, *space);
        for (int i = 0; i < 10; ++i) {
            const Formula formula = formulas.ctl(4);
            REQUIRE(judge.states(states::simplified(formula)) == judge.states(formula));
            ++compared;
        }
    }
    CHECK(compared >= least_count(4000));
}

TEST_CASE("a limit leaves questions open, and what was found stays") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 1);
    const TransitionId grow = builder.add_transition("grow");
    builder.add_input(p, grow);
    builder.add_output(grow, p, 2);
    const TransitionId never = builder.add_transition("never");
    builder.add_input(p, never);
    builder.add_inhibitor(p, never);  // so that no pump proves that p grows forever
    const Net net = builder.build();
    std::vector<Property> properties(3);
    properties[0].formula = parse_formula("EF p > 10", net, FormulaLanguage::temporal);
    properties[1].formula = parse_formula("EF p > 100000", net, FormulaLanguage::temporal);
    properties[2].kind = Property::Kind::maximum;
    properties[2].sum = parse_sum("p", net);
    states::AskOptions options;
    options.explore.max_states = 1000;
    options.random_runs = options.decision_diagrams = options.state_equation = options.guided_search = false;
    const states::Answers summary = states::ask(net, properties, options);
    CHECK(summary.of[0].holds == true);
    CHECK(summary.of[0].witness->size() == 10);
    CHECK(summary.of[0].shortest);
    CHECK_FALSE(summary.of[1].known());
    CHECK_FALSE(summary.of[2].known());
    CHECK(summary.of[2].value == 1000);
    CHECK(summary.stop == WorkEnd::state_limit);
    CHECK(summary.states == 1000);
}

TEST_CASE("a number of states that no integer holds is null in JSON") {
    NetBuilder builder;
    for (int i = 0; i < 64; ++i) {
        const PlaceId off = builder.add_place("off" + std::to_string(i), 1);
        const PlaceId on = builder.add_place("on" + std::to_string(i));
        const TransitionId turn = builder.add_transition("turn" + std::to_string(i));
        builder.add_input(off, turn);
        builder.add_output(turn, on);
    }
    const Net net = builder.build();
    std::vector<Property> properties(1);
    properties[0].formula = parse_formula("EF dead", net, FormulaLanguage::temporal);
    states::AskOptions options = only(states::AnswerPart::decision_diagrams);
    options.witnesses = options.symmetry = false;
    const states::Answers answers = states::ask(net, properties, options);
    CHECK(answers.of[0].holds == true);
    const auto json = to_json(net, Semantics::interleaving, properties, answers, true);
    CHECK(json["answer"] == true);
    CHECK(json["states"].is_null());
}

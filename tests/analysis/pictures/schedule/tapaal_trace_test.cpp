#include "analysis/pictures/schedule/tapaal_trace.hpp"

#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"

#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// The marking after the transitions of a trace, each of which must be enabled, with as many tokens as it
/// takes.
Marking after_trace(const Net& net, const std::string& trace) {
    const CompiledNet compiled = compile(net);
    Marking marking = compiled.initial;
    std::istringstream lines(trace);
    for (std::string line; std::getline(lines, line);) {
        const std::string begin = "<transition id=\"TAPN1__";
        if (!line.starts_with(begin)) continue;
        const std::string id = line.substr(begin.size(), line.find('"', begin.size()) - begin.size());
        const auto found = std::ranges::find(net.transitions(), id,
                                             [](const Transition& transition) { return transition.id; });
        REQUIRE(found != net.transitions().end());
        const auto transition = static_cast<std::uint32_t>(found - net.transitions().begin());
        REQUIRE(enabled(compiled, marking, transition));
        Marking taken(marking.size(), 0);
        for (std::size_t at = 0; (at = line.find("<token place=\"TAPN1__", at)) != std::string::npos;) {
            at += std::string("<token place=\"TAPN1__").size();
            const std::string place = line.substr(at, line.find('"', at) - at);
            ++taken[static_cast<std::size_t>(
                std::ranges::find(net.places(), place, [](const Place& of) { return of.id; }) -
                net.places().begin())];
        }
        Marking expected(marking.size(), 0);
        for (const auto* arcs : {&compiled.inputs, &compiled.reads})
            for (const auto [place, weight] : (*arcs)[transition])
                expected[place] = std::max(expected[place], Tokens{weight});
        REQUIRE(taken == expected);
        take(compiled, marking, transition);
        REQUIRE(give(compiled, marking, transition));
    }
    return marking;
}

}  // namespace

TEST_CASE("a trace for TAPAAL fires one enabled transition after the other, to the marking of the run") {
    std::size_t written = 0;
    for (std::uint64_t seed = 0; seed < case_count(3000); ++seed) {
        CAPTURE(seed);
        const Net net = random_net(seed);
        RunOptions options;
        options.seed = seed;
        options.max_steps = 30;
        options.semantics = seed % 3 == 0 ? Semantics::interleaving : Semantics::maximal;
        ScheduleRecorder recorder;
        const RunResult result = run(compile(net), options, &recorder);
        std::string trace;
        try {
            trace = pictures::tapaal_trace(net, recorder.schedule());
        } catch (const InputError&) {  // a step without an order
            continue;
        }
        REQUIRE(after_trace(net, trace) == result.marking);
        ++written;
    }
    CHECK(written >= least_count(2900));
}

TEST_CASE("TAPAAL's names: the net, two underscores and the id, with no line that its reader drops") {
    NetBuilder builder("n", "my net");
    const PlaceId p = builder.add_place("p-1", 2), q = builder.add_place("q", 1);
    const TransitionId t = builder.add_transition("Trace<1>");
    builder.add_input(p, t, 2);
    builder.add_read(q, t);
    CHECK(pictures::tapaal_trace(builder.build(), {{false, {0}}}) ==
          "<trace>\n"
          "<transition id=\"my_space_net__&#84;race&lt;1&gt;\"><token place=\"my_space_net__p_dash_1\" "
          "age=\"0\"/>"
          "<token place=\"my_space_net__p_dash_1\" age=\"0\"/><token place=\"my_space_net__q\" age=\"0\"/>"
          "</transition>\n"
          "</trace>\n");
}

TEST_CASE("transitions of a step that disable each other have no trace") {
    NetBuilder builder("n");
    const PlaceId p = builder.add_place("p", 1), q = builder.add_place("q", 1);
    const PlaceId a = builder.add_place("a"), b = builder.add_place("b");
    const TransitionId t = builder.add_transition("t"), u = builder.add_transition("u");
    builder.add_input(p, t);
    builder.add_inhibitor(b, t);
    builder.add_output(t, a);
    builder.add_input(q, u);
    builder.add_inhibitor(a, u);
    builder.add_output(u, b);
    CHECK_THROWS_WITH(
        pictures::tapaal_trace(builder.build(), {{false, {0, 1}}}),
        "net 'n': found no order in which the transitions of step 1 can fire one after another, as "
        "TAPAAL fires them");
}

TEST_CASE("an order is found in which a transition enables another one again, and huge traces are refused") {
    NetBuilder builder("n");  // second and third disable first, first disables third, second enables it again
    const PlaceId r = builder.add_place("r", 1), z = builder.add_place("z");
    const TransitionId first = builder.add_transition("first"), second = builder.add_transition("second");
    const TransitionId third = builder.add_transition("third");
    builder.add_input(r, first);
    builder.add_inhibitor(z, first);
    builder.add_output(second, r);
    builder.add_output(second, z);
    builder.add_read(r, third);
    builder.add_output(third, z);
    const std::string trace = pictures::tapaal_trace(builder.build(), {{false, {2, 1, 0}}});
    CHECK(trace.find("first") < trace.find("second"));
    CHECK(trace.find("second") < trace.find("third"));

    NetBuilder heavy("n");
    heavy.add_input(heavy.add_place("p", 20'000'000), heavy.add_transition("t"), 20'000'000);
    CHECK_THROWS_WITH(pictures::tapaal_trace(heavy.build(), {{false, {0}}}),
                      "net 'n': a trace for TAPAAL lists every token, and there are more than 1000000");
}

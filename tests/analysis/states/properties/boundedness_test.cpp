#include "analysis/states/properties/ask.hpp"
#include "analysis/states/properties/parts.hpp"
#include "engine/net/net_builder.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/reference_exploration.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

Net small_random_net(std::uint64_t seed) {
    RandomNetOptions options;
    options.places = 4;
    options.transitions = 5;
    options.gadgets = 1;
    options.immediates = options.priorities = seed % 2 == 0;
    return random_net(seed, options);
}

/// A pump must be repeatable several times, and its places must grow each time.
void check_pump(const Net& net, const CompiledNet& compiled, Semantics semantics, const states::Pump& pump) {
    const auto& [first, repeated, growing] = pump;
    Schedule schedule = first;
    REQUIRE_FALSE(repeated.empty());
    REQUIRE_FALSE(growing.empty());
    Marking before = replay(compiled, net, schedule, semantics).marking;
    for (int round = 0; round < 4; ++round) {
        schedule.insert(schedule.end(), repeated.begin(), repeated.end());
        const Marking after = replay(compiled, net, schedule, semantics).marking;
        for (std::size_t p = 0; p < after.size(); ++p) {
            const bool grows = std::ranges::find(growing, p) != growing.end();
            REQUIRE((grows ? after[p] > before[p] : after[p] == before[p]));
        }
        before = after;
    }
}

}  // namespace

TEST_CASE("a verdict on bounds is true: all markings are few, or a pump can be repeated") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        std::size_t bounded = 0, unbounded = 0;
        for (std::uint64_t seed = 0; seed < case_count(1500); ++seed) {
            CAPTURE(seed, semantics);
            const Net net = small_random_net(seed);
            const CompiledNet compiled = compile(net);
            const states::BoundednessAnswer answer =
                states::decide_boundedness(net, compiled, {.semantics = semantics, .max_states = 2000}, 300);
            if (reference_space(net, semantics, 300)) REQUIRE(answer.bounded == true);
            if (answer.bounded == false) check_pump(net, compiled, semantics, answer.pump);
            bounded += answer.bounded == true ? 1U : 0U;
            unbounded += answer.bounded == false ? 1U : 0U;
        }
        CAPTURE(bounded, unbounded);
        CHECK(bounded >= least_count(300));
        CHECK(unbounded >= least_count(semantics == Semantics::interleaving ? 100 : 20));
    }
}

TEST_CASE("a net that grows only after a while is unbounded, and shown to be") {
    NetBuilder builder;
    const PlaceId p = builder.add_place("p", 2), q = builder.add_place("q"), r = builder.add_place("r");
    const TransitionId begin = builder.add_transition("begin");
    builder.add_input(p, begin, 2);
    builder.add_output(begin, q);
    const TransitionId grow = builder.add_transition("grow");
    builder.add_input(q, grow);
    builder.add_output(grow, q);
    builder.add_output(grow, r);
    const Net net = builder.build();
    const states::BoundednessAnswer answer = states::decide_boundedness(net, compile(net), {});
    CHECK(answer.bounded == false);
    CHECK(answer.pump.first.size() == 1);
    CHECK(answer.pump.repeated.size() == 1);
    CHECK(answer.pump.growing == std::vector<std::uint32_t>{2});

    const auto of = [](Property::Kind kind, LinearSum sum) {
        Property property;
        property.kind = kind;
        property.sum = std::move(sum);
        return property;
    };
    const LinearSum only_q = {{{1, 1}}, {}, 0}, p_minus_r = {{{0, 1}, {2, -1}}, {}, 0};
    const states::Answers answers =
        states::ask(net,
                    {of(Property::Kind::maximum, only_q), of(Property::Kind::maximum, p_minus_r),
                     of(Property::Kind::minimum, p_minus_r)},
                    {});
    CHECK(answers.of[0].value == 1);
    CHECK(answers.of[1].value == 2);
    CHECK_FALSE(answers.of[1].unbounded);
    CHECK(answers.of[2].unbounded);
    CHECK(answers.of[2].by == states::AnswerPart::pumping);
    CHECK_FALSE(answers.of[2].value);
    CHECK(answers.of[2].repeats_from == 1);
}

TEST_CASE("a pump of a sum makes it larger each time, and a sum with a maximum has none") {
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        std::size_t limited = 0, unlimited = 0;
        for (std::uint64_t seed = 0; seed < case_count(2000); ++seed) {
            CAPTURE(seed, semantics);
            const Net net = small_random_net(seed);
            const CompiledNet compiled = compile(net);
            const auto coefficient = [&](std::uint32_t place) {
                return std::int64_t{1} - static_cast<std::int64_t>((seed >> (2 * place)) % 3);
            };
            const auto places = static_cast<std::uint32_t>(net.places().size());
            LinearSum sum;
            for (std::uint32_t place = 0; place < places; ++place)
                if (coefficient(place) != 0) sum.tokens.push_back({place, coefficient(place)});
            const auto pump =
                states::find_pump(compiled, {.semantics = semantics, .max_states = 2000}, sum, 300);
            if (reference_space(net, semantics, 300)) REQUIRE_FALSE(pump);
            if (pump) {
                check_pump(net, compiled, semantics, *pump);
                const auto value_after = [&](int rounds) {
                    Schedule schedule = pump->first;
                    for (int round = 0; round < rounds; ++round)
                        schedule.insert(schedule.end(), pump->repeated.begin(), pump->repeated.end());
                    const Marking marking = replay(compiled, net, schedule, semantics).marking;
                    std::int64_t value = 0;
                    for (std::uint32_t place = 0; place < places; ++place)
                        value += coefficient(place) * marking[place];
                    return value;
                };
                for (int rounds = 0; rounds < 4; ++rounds)
                    REQUIRE(value_after(rounds + 1) > value_after(rounds));
            }
            limited += pump ? 0U : 1U;
            unlimited += pump ? 1U : 0U;
        }
        CAPTURE(limited, unlimited);
        CHECK(limited >= least_count(200));
        CHECK(unlimited >= least_count(semantics == Semantics::interleaving ? 60 : 8));
    }
}

// Facts about places and transitions that are found in advance hold in every marking of runs: exclusive
// places share one token, and sequences are as described.

#include "engine/executors/pivots/sequences.hpp"

#include "engine/net/net_builder.hpp"
#include "engine/plan.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/random_processes.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Calls a function with each marking of a run.
class MarkingObserver final : public Observer {
  public:
    using See = std::function<void(std::span<const Tokens>)>;
    explicit MarkingObserver(See see) : see_(std::move(see)) {}
    void step(std::uint64_t, bool, std::span<const Firing>, std::span<const Tokens> marking) override {
        see_(marking);
    }

  private:
    See see_;
};

/// Calls `see` with the markings of three random runs.
void see_markings(const Net& net, const Plan& planned, const MarkingObserver::See& see) {
    see(net.initial_marking());
    MarkingObserver observer(see);
    for (std::uint64_t run = 0; run < 3; ++run)
        warpnet::run(planned, {.seed = 7, .run = run, .max_steps = 60}, &observer);
}

Plan general_plan(const Net& net) { return plan(compile(net), {}, {.parts = in_one_piece, .pivots = false}); }

/// The input with the fewest consumers, per transition.
std::vector<std::uint32_t> rarest_inputs(const CompiledNet& net) {
    std::vector<std::uint32_t> consumers(net.place_count(), 0), pivots;
    for (const PlaceWeight input : net.inputs.all()) ++consumers[input.place];
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        pivots.push_back(no_index);
        for (const PlaceWeight input : net.inputs[t]) {
            std::uint32_t& pivot = pivots.back();
            if (pivot == no_index || consumers[input.place] < consumers[pivot]) pivot = input.place;
        }
    }
    return pivots;
}

/// The conditions that hold in a marking, by their definition.
std::vector<std::uint64_t> conditions_in(std::span<const Tokens> marking, const Sequences& sequences) {
    std::vector<std::uint64_t> holds(sequences.size, 0);
    for (const auto& [place, sequence, bit] : sequences.owned) {
        if (marking[place] > 0) holds[sequence] |= std::uint64_t{1} << bit;
    }
    for (std::size_t place = 0; place < marking.size(); ++place) {
        for (const auto& [sequence, threshold, bit] : sequences.external[place]) {
            if (meets(marking[place], threshold)) holds[sequence] |= std::uint64_t{1} << bit;
        }
    }
    return holds;
}

/// The tokens that a firing gives a sequence, by the definition.
struct Given {
    std::uint64_t begun = 0;
    std::uint32_t to = no_index;
};
Given given(std::span<const PlaceWeight> outputs, const Sequences& sequences, std::uint32_t sequence) {
    Given result;
    for (const PlaceWeight arc : outputs) {
        for (const Sequences::Owned& one : sequences.owned) {
            if (one.place == arc.place && one.sequence == sequence)
                result.begun |= std::uint64_t{1} << one.bit;
        }
        for (std::uint32_t i = 0; i < sequences.stations.size(); ++i) {
            const Sequences::Station& station = sequences.stations[i];
            if (station.place == arc.place && station.sequence == sequence) result.to = i;
        }
    }
    return result;
}

/// Checks the facts about delays and their starts. Returns the number of delays that belong to one sequence.
std::uint64_t check_delays(const CompiledNet& net, const Sequences& sequences) {
    std::uint64_t own = 0;
    REQUIRE(sequences.delays.size() == net.gadgets.size());
    for (std::uint32_t g = 0; g < net.gadgets.size(); ++g) {
        const Sequences::Delay& delay = sequences.delays[g];
        if (delay.sequence == no_index) continue;
        ++own;
        const auto outputs = net.outputs[net.gadgets[g].done];
        CHECK(net.initial[net.gadgets[g].wait] == 0);
        CHECK(std::all_of(outputs.begin(), outputs.end(), [&](PlaceWeight arc) {
            return arc.place == net.gadgets[g].timer || sequences.sequence_of[arc.place] == delay.sequence;
        }));
        const auto [begun, to] = given(outputs, sequences, delay.sequence);
        CHECK(delay.begun == begun);
        CHECK(delay.to == to);
    }
    for (const Sequences::Operation& one : sequences.operations) {
        std::vector<std::uint32_t> started;
        for (const PlaceWeight arc : net.outputs[one.transition]) {
            for (std::uint32_t g = 0; g < net.gadgets.size(); ++g) {
                if (net.gadgets[g].wait == arc.place && sequences.delays[g].sequence != no_index)
                    started.push_back(g);
            }
        }
        const auto starts = sequences.starts_of(one);
        CHECK(std::vector<std::uint32_t>(starts.begin(), starts.end()) == started);
    }
    return own;
}

bool is_enabled(const CompiledNet& net, std::uint32_t t, std::span<const Tokens> marking) {
    const auto meets_all = [&](std::span<const PlaceWeight> arcs, std::int32_t sign) {
        return std::all_of(arcs.begin(), arcs.end(),
                           [&](PlaceWeight arc) { return meets(marking[arc.place], sign * arc.weight); });
    };
    return meets_all(net.inputs[t], 1) && meets_all(net.reads[t], 1) && meets_all(net.inhibitors[t], -1);
}

}  // namespace

TEST_CASE("exclusive places: hold one token at most in every marking") {
    std::uint64_t shared = 0;
    for (const auto& any_net :
         {+[](std::uint64_t seed) { return random_net(seed); }, random_processes, small_sm}) {
        for (std::uint64_t seed = 0; seed < case_count(150); ++seed) {
            const Net net = any_net(seed);
            const Plan planned = general_plan(net);
            ExclusivePlaces exclusive(planned.net());
            std::vector<std::uint8_t> is_wait(net.places().size(), 0);
            for (const DelayGadget& gadget : planned.net().gadgets) is_wait[gadget.wait] = 1;
            std::vector<std::vector<std::uint32_t>> sets;
            for (std::uint32_t place = 0; place < net.places().size(); ++place) {
                sets.push_back(exclusive.around(place));
                CHECK((sets.back().empty() ||
                       std::binary_search(sets.back().begin(), sets.back().end(), place)));
                if (sets.back().size() > 1) ++shared;
            }
            bool holds = true;
            see_markings(net, planned, [&](std::span<const Tokens> marking) {
                for (const std::vector<std::uint32_t>& set : sets) {
                    Tokens sum = 0;
                    for (const std::uint32_t place : set)
                        sum += is_wait[place] != 0 ? std::min<Tokens>(marking[place], 1) : marking[place];
                    holds &= sum <= 1;
                }
            });
            CAPTURE(seed);
            CHECK(holds);
        }
    }
    CHECK(shared >= least_count(3000));
}

TEST_CASE("exclusive places: the program counters of a warp, not what it competes for") {
    NetBuilder builder;
    const PlaceId first = builder.add_place("first", 1), second = builder.add_place("second"),
                  hub = builder.add_place("hub", 1), done = builder.add_place("done");
    const TransitionId one = builder.add_transition("one"), two = builder.add_transition("two"),
                       three = builder.add_transition("three");
    builder.add_input(first, one);
    builder.add_output(one, second);
    builder.add_input(second, two);
    builder.add_input(hub, two);
    builder.add_output(two, first);
    builder.add_output(two, done);
    builder.add_input(hub, three);
    builder.add_output(three, hub, 2);
    const CompiledNet net = compile(builder.build());
    ExclusivePlaces exclusive(net);
    CHECK(exclusive.around(0) == std::vector<std::uint32_t>{0, 1});
    CHECK(exclusive.around(2).empty());
    CHECK(exclusive.around(3).empty());
}

TEST_CASE("sequences: one token among the stations, and conditions that decide which one is enabled") {
    std::uint64_t operations = 0, owned = 0, external = 0, delays = 0;
    for (const auto& any_net : {random_processes, small_sm}) {
        for (std::uint64_t seed = 0; seed < case_count(150); ++seed) {
            const Net net = any_net(seed);
            const Plan planned = general_plan(net);
            const CompiledNet& compiled = planned.net();
            const std::vector<std::uint32_t> hubs(net.places().size(), 0);
            const Sequences sequences = find_sequences(compiled, rarest_inputs(compiled), hubs);
            operations += sequences.operations.size();
            owned += sequences.owned.size();
            external += sequences.external.all().size();
            for (const Sequences::Owned& one : sequences.owned)
                CHECK(sequences.sequence_of[one.place] == one.sequence);
            for (const Sequences::Station& station : sequences.stations) {
                for (const Sequences::Operation& one : sequences.operations_at(station)) {
                    CHECK(one.sequence == station.sequence);
                    CHECK(&sequences.operations[sequences.operation_of[one.transition]] == &one);
                    std::uint64_t ended = 0;
                    for (const auto& [place, sequence, bit] : sequences.owned) {
                        if (sequence != one.sequence) continue;
                        for (const PlaceWeight arc : compiled.inputs[one.transition])
                            ended |= std::uint64_t{arc.place == place} << bit;
                    }
                    CHECK(sequences.rule_of(one).ended == ended);
                    const auto [begun, to] = given(compiled.outputs[one.transition], sequences, one.sequence);
                    CHECK(sequences.rule_of(one).begun == begun);
                    CHECK(one.to == to);
                }
            }
            delays += check_delays(compiled, sequences);
            bool alone = true, right = true;
            see_markings(net, planned, [&](std::span<const Tokens> marking) {
                const std::vector<std::uint64_t> holds = conditions_in(marking, sequences);
                std::vector<Tokens> tokens(sequences.size, 0);
                for (const Sequences::Station& station : sequences.stations) {
                    tokens[station.sequence] += marking[station.place];
                    for (const Sequences::Operation& one : sequences.operations_at(station)) {
                        const Sequences::Rule& rule = sequences.rule_of(one);
                        const bool met = (holds[one.sequence] & rule.asked) == rule.held;
                        right &= (met && marking[station.place] > 0) ==
                                 is_enabled(compiled, one.transition, marking);
                        right &= (rule.held & station.common) == station.common;
                    }
                }
                for (const Sequences::Owned& one : sequences.owned) alone &= marking[one.place] <= 1;
                for (const Tokens sum : tokens) alone &= sum <= 1;
            });
            CAPTURE(seed);
            CHECK(alone);
            CHECK(right);
        }
    }
    CHECK(operations >= least_count(1000));
    CHECK(owned >= least_count(200));
    CHECK(external >= least_count(200));
    CHECK(delays >= least_count(200));
}

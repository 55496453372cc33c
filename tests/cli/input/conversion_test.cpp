#include "cli/input/conversion.hpp"

#include "engine/base/random.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "pnml/rewrite.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/reference_exploration.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::cli;
using namespace warpnet::testing;

namespace {

/// A small net in which transitions have arcs of every combination of kinds at a place. Two of three are
/// conservative, so that the places have structural bounds.
Net net_of_all_arcs(std::uint64_t seed) {
    CounterRandom random(seed, 0);
    const auto chance = [&](std::uint32_t percent) { return random.below(100) < percent; };
    NetBuilder net;
    std::vector<PlaceId> places;
    for (std::uint32_t p = 2 + random.below(3); p > 0; --p)
        places.push_back(net.add_place("p" + std::to_string(p), random.below(3)));
    const auto any_place = [&] { return places[random.below(static_cast<std::uint32_t>(places.size()))]; };
    const bool conservative = chance(66), all_immediate = chance(3), ordered = chance(10);
    const std::uint32_t heaviest = 1 + random.below(3);
    for (std::uint32_t t = 1 + random.below(4); t > 0; --t) {
        const TransitionId transition = net.add_transition("t" + std::to_string(t));
        if (all_immediate || (ordered && chance(30))) net.set_immediate(transition);
        if (ordered) net.set_priority(transition, static_cast<std::int32_t>(random.below(2)));
        Tokens gain = 0;
        const auto add = [&](ArcKind kind, PlaceId place, Tokens weight) {
            net.add_arc(kind, place, transition, weight);
            if (kind == ArcKind::input) gain -= weight;
            if (kind == ArcKind::output) gain += weight;
        };
        for (std::uint32_t i = 1 + random.below(2); i > 0; --i) {
            const PlaceId place = any_place();
            for (const ArcKind kind : {ArcKind::input, ArcKind::output, ArcKind::inhibitor, ArcKind::read})
                if (chance(kind == ArcKind::input ? 60 : 35)) add(kind, place, 1 + random.below(heaviest));
        }
        if (conservative && gain > 0) add(ArcKind::input, any_place(), gain);
        if (conservative && gain < 0) add(ArcKind::output, any_place(), -gain);
    }
    return net.build();
}

/// The figures that must stay the same: all markings by their distance, all steps, and which steps take time.
using Figures = std::tuple<std::vector<std::size_t>, std::vector<std::size_t>, std::size_t>;

std::optional<Figures> figures_under_maximal_steps(const Net& net) {
    const auto space = reference_space(net, Semantics::maximal, 300);
    if (!space) return std::nullopt;
    std::vector<std::size_t> out_degrees;
    std::size_t immediate = 0;
    for (const auto& edges : space->edges) {
        out_degrees.push_back(edges.size());
        immediate += static_cast<std::size_t>(
            std::ranges::count_if(edges, [](const ReferenceEdge& edge) { return edge.immediate; }));
    }
    std::vector<std::size_t> distances = space->distance;
    std::ranges::sort(distances);
    std::ranges::sort(out_degrees);
    return Figures(distances, out_degrees, immediate);
}

bool has_read_beside_another(const Net& net) {
    return std::ranges::any_of(net.arcs(), [&](const Arc& read) {
        return read.kind == ArcKind::read &&
               std::ranges::any_of(net.arcs_of(read.transition), [&](const Arc& other) {
                   return other.place == read.place &&
                          (other.kind == ArcKind::input || other.kind == ArcKind::output);
               });
    });
}

struct Counts {
    std::uint64_t claimed = 0;      // and it was true
    std::uint64_t with_reads = 0;   // among these: nets with read arcs next to further arcs at one place
    std::uint64_t rewritten = 0;    // among these: nets with different arcs than before
    std::uint64_t not_claimed = 0;  // and it would have been false
};

}  // namespace

TEST_CASE("a conversion that claims to keep maximal steps keeps them") {
    const std::vector<std::pair<std::string, ConversionOptions>> conversions = {
        {"compat", {}},
        {"strict", {.flavour = pnml::PnmlFlavour::strict}},
        {"pipe", {.flavour = pnml::PnmlFlavour::pipe}},
        {"compat, plain, loops", {.plain = true, .loops = true}},
        {"compat, ordinary", {.ordinary = true}},
        {"compat, timed only", {.timed_only = true}},
        {"LoLA", {.to = pnml::NetFormat::lola}},
        {"Tina", {.to = pnml::NetFormat::tina}},
        {"Tina, ordinary", {.to = pnml::NetFormat::tina, .ordinary = true}},
        {"Aldebaran", {.to = pnml::NetFormat::aut}}};
    std::vector<Counts> counts(conversions.size());
    for (std::uint64_t seed = 0; seed < case_count(400); ++seed) {
        const Net net = net_of_all_arcs(seed);
        const auto before = figures_under_maximal_steps(net);
        if (!before) continue;
        for (std::size_t i = 0; i < conversions.size(); ++i) {
            const auto& [name, options] = conversions[i];
            CAPTURE(seed, name);
            ConversionOptions with = options;
            with.explore.max_states = 1000;
            std::optional<Conversion> done;
            try {
                done = convert_net(net, with);
            } catch (const InputError&) {  // no bound, or not expressible
                continue;
            } catch (const LimitReached&) {
                continue;
            }
            const Net copy = pnml::parse_net(with.to, done->text, "copy");
            const auto after = figures_under_maximal_steps(copy);
            if (!done->keeps_maximal_steps) {
                counts[i].not_claimed += after != before ? 1U : 0U;
                continue;
            }
            if (!after) continue;  // complement places that contain too much for the reference
            CHECK(*after == *before);
            ++counts[i].claimed;
            counts[i].with_reads += has_read_beside_another(net) ? 1U : 0U;
            counts[i].rewritten += std::ranges::equal(net.arcs(), copy.arcs()) ? 0U : 1U;
        }
    }
    for (std::size_t i = 0; i < conversions.size(); ++i) {
        const auto& [name, options] = conversions[i];
        INFO(name << ": " << counts[i].claimed << " claimed and kept, " << counts[i].with_reads
                  << " with reads next to other arcs, " << counts[i].rewritten << " rewritten; "
                  << counts[i].not_claimed << " not claimed and not kept");
        if (case_factor() > 1)
            WARN(name << ": " << counts[i].claimed << " " << counts[i].with_reads << " "
                      << counts[i].rewritten << " " << counts[i].not_claimed);
        if (options.to == pnml::NetFormat::aut) {
            CHECK(counts[i].not_claimed >= least_count(20));
            continue;
        }
        CHECK(counts[i].claimed >= least_count(60));
        CHECK(counts[i].with_reads >= least_count(20));
        if (options.to == pnml::NetFormat::lola || options.flavour == pnml::PnmlFlavour::strict)
            CHECK(counts[i].rewritten >= least_count(10));
    }
}

TEST_CASE("a net of immediate transitions alone does not stay the same in a format without them") {
    NetBuilder builder;
    const PlaceId place = builder.add_place("p", 1);
    const TransitionId transition = builder.add_transition("t");
    builder.add_input(place, transition);
    builder.set_immediate(transition);
    const Net net = builder.build();
    CHECK_FALSE(convert_net(net, {.to = pnml::NetFormat::tina}).keeps_maximal_steps);
    CHECK_FALSE(convert_net(net, {.to = pnml::NetFormat::lola}).keeps_maximal_steps);
    CHECK(convert_net(net, {}).keeps_maximal_steps);
}

namespace {

/// All markings that single firings reach while each place has at most its capacity; nothing if there are
/// more than 3,000.
std::optional<std::set<Marking>> reachable(const Net& net, const std::vector<Tokens>& capacities) {
    std::set<Marking> seen = {net.initial_marking()};
    std::vector<Marking> open = {net.initial_marking()};
    while (!open.empty()) {
        const Marking marking = std::move(open.back());
        open.pop_back();
        for (std::size_t t = 0; t < net.transitions().size(); ++t) {
            Marking next = marking;
            bool fires = true;
            for (const Arc& arc : net.arcs_of(TransitionId{static_cast<std::uint32_t>(t)})) {
                const Tokens tokens = marking[index(arc.place)];
                fires &= arc.kind == ArcKind::output ||
                         (arc.kind == ArcKind::inhibitor ? tokens < arc.weight : tokens >= arc.weight);
                if (arc.kind == ArcKind::input) next[index(arc.place)] -= arc.weight;
                if (arc.kind == ArcKind::output) next[index(arc.place)] += arc.weight;
            }
            for (std::size_t p = 0; p < capacities.size(); ++p) fires &= next[p] <= capacities[p];
            if (!fires || !seen.insert(next).second) continue;
            if (seen.size() > 3000) return {};
            open.push_back(std::move(next));
        }
    }
    return seen;
}

}  // namespace

TEST_CASE("complement places say what capacities say") {
    std::size_t compared = 0, full = 0;
    for (std::uint64_t seed = 1; seed <= case_count(600); ++seed) {
        CAPTURE(seed);
        const Net net = net_of_all_arcs(seed);
        const auto transitions = net.transitions();
        if (std::any_of(transitions.begin(), transitions.end(),
                        [](const Transition& one) { return one.immediate || one.priority != 0; }))
            continue;
        std::map<std::string, Tokens> capacities;
        std::vector<Tokens> most;
        for (const Place& place : net.places()) {
            capacities[place.id] = place.initial + static_cast<Tokens>(seed % 3);
            most.push_back(capacities[place.id]);
        }
        const auto expected = reachable(net, most);
        const Net made = pnml::with_capacities(net, capacities).net;
        const auto found = reachable(made, {});
        REQUIRE(found.has_value() == expected.has_value());
        if (!found) continue;
        std::set<Marking> markings;
        for (const Marking& marking : *found) {
            const Marking& own =
                *markings.emplace(marking.begin(), marking.begin() + std::ptrdiff_t(most.size())).first;
            for (std::size_t p = 0; p < most.size(); ++p) {
                REQUIRE(marking[most.size() + p] == most[p] - own[p]);
                full += own[p] == most[p];
            }
        }
        REQUIRE(markings == *expected);
        ++compared;
    }
    CHECK(compared >= least_count(300));
    CHECK(full >= least_count(300));
    CHECK_THROWS_AS(pnml::with_capacities(net_of_all_arcs(1), {{"p1", -1}}), InputError);
}

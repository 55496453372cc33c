#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/repack.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/random_net.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/sample_nets.hpp"
#include "tests/support/symmetric_net.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

constexpr Semantics all_semantics[] = {Semantics::interleaving, Semantics::maximal, Semantics::multiset};
constexpr states::StateSpace::Form both_forms[] = {states::StateSpace::Form::packed,
                                                   states::StateSpace::Form::trees};

/// The net next to places whose tokens take nearly a word each. The remaining places fill the gaps, so that
/// the markings of a small net are spread over ten words.
Net widened(const Net& net) {
    NetBuilder wide;
    for (Tokens i = 0; i < 10; ++i) wide.add_place("wide" + std::to_string(i), (Tokens{1} << 59) + i);
    return net_union({wide.build(), net}, false);
}

/// Equal in everything except the storage of markings.
void check_equal(const CompiledNet& net, const states::ExploreOptions& options,
                 const states::Exploration& packed, const states::Exploration& trees) {
    REQUIRE_FALSE(packed.space.in_trees());
    REQUIRE(trees.space.in_trees());
    REQUIRE(packed.stop == trees.stop);
    REQUIRE(packed.markings == trees.markings);
    REQUIRE(packed.edges == trees.edges);
    REQUIRE(packed.space_edges == trees.space_edges);
    REQUIRE(packed.deadlocks == trees.deadlocks);
    REQUIRE(packed.depth == trees.depth);
    REQUIRE(packed.bounds == trees.bounds);
    REQUIRE(packed.most_tokens == trees.most_tokens);
    REQUIRE(packed.fired == trees.fired);
    REQUIRE(packed.deadlock == trees.deadlock);
    REQUIRE(packed.initial == trees.initial);
    for (std::uint32_t s = 0; s < states::StateSpace::shard_count; ++s) {
        REQUIRE(packed.space.shard(s).size() == trees.space.shard(s).size());
        for (std::uint32_t i = 0; i < packed.space.shard(s).size(); ++i) {
            const states::StateId state = states::StateSpace::id(s, i);
            REQUIRE(packed.space.marking(state) == trees.space.marking(state));
            REQUIRE(packed.space.parent(state) == trees.space.parent(state));
            if (i % 5 == 0) REQUIRE(trees.space.find(packed.space.marking(state)) == state);
        }
    }
    if (packed.deadlock) {
        const auto path = [&](const states::Exploration& explored) {
            return states::path_to(net, options.semantics, explored.space, *explored.deadlock,
                                   options.symmetry);
        };
        REQUIRE(path(packed) == path(trees));
    }
    if (!packed.complete()) return;
    const auto graph = states::step_graph(net, options, packed);
    const auto same = states::step_graph(net, options, trees);
    REQUIRE((graph && same));
    REQUIRE(graph->edges() == same->edges());
    for (std::uint32_t state = 0; state < graph->size(); ++state)
        REQUIRE(std::ranges::equal(graph->targets(state), same->targets(state)));
    if (options.symmetry != nullptr) return;
    REQUIRE(states::liveness(net, options.semantics, packed, *graph).live ==
            states::liveness(net, options.semantics, trees, *same).live);
}

void compare_forms(const Net& net, states::ExploreOptions options) {
    const CompiledNet compiled = compile(net);
    std::vector<states::Exploration> found;
    for (const states::StateSpace::Form form : both_forms) {
        options.form = form;
        found.push_back(states::explore(compiled, options));
    }
    check_equal(compiled, options, found[0], found[1]);
}

}  // namespace

TEST_CASE("markings kept as trees give the answers of packed ones") {
    for (const Semantics semantics : all_semantics) {
        for (std::uint64_t seed = 1; seed <= case_count(160); ++seed) {
            CAPTURE(semantics, seed);
            RandomNetOptions options;
            options.sources = semantics != Semantics::multiset;
            compare_forms(widened(random_net(seed, options)), {.semantics = semantics, .max_states = 300});
        }
    }
}

TEST_CASE("representatives kept as trees give the answers of packed ones") {
    std::size_t symmetric = 0;
    for (std::uint64_t seed = 1; seed <= case_count(100); ++seed) {
        CAPTURE(seed);
        const Net net = widened(SymmetricNet(seed).build());
        const states::NetSymmetry symmetry = states::find_symmetry(net);
        if (symmetry.trivial()) continue;
        ++symmetric;
        compare_forms(net, {.semantics = all_semantics[seed % 3], .max_states = 300, .symmetry = &symmetry});
    }
    CHECK(symmetric >= least_count(50));
}

TEST_CASE("trees are packed again when fields grow, from few words to many too") {
    NetBuilder builder;  // a lottery that few runs win; then forty places grow
    const PlaceId start = builder.add_place("start", 1), won = builder.add_place("won");
    const TransitionId grow = builder.add_transition("grow");
    builder.add_read(won, grow);
    for (int i = 0; i < 40; ++i)
        builder.add_output(grow, builder.add_place("p" + std::to_string(i), i % 3), 1 + i % 2);
    for (int i = 0; i < 200; ++i) {
        const TransitionId draw = builder.add_transition("draw" + std::to_string(i));
        builder.add_input(start, draw);
        if (i == 77) builder.add_output(draw, won);
    }
    const Net net = builder.build();
    for (const Net& some : {net, widened(net)}) {
        const states::ExploreOptions options{.max_states = 500};
        const CompiledNet compiled = compile(some);
        const std::size_t before = states::first_layout(compiled, options.semantics, nullptr).words();
        CHECK((before <= states::most_fixed_words) == (some.places().size() == net.places().size()));
        CHECK(states::explore(compiled, options).space.layout().words() >
              std::max(before, states::most_fixed_words));
        compare_forms(some, options);
    }
}

TEST_CASE("wide markings become trees where that takes half the memory, and only there") {
    netgen::WarpsSpec spec;  // many warps, far more than 256 places
    spec.schedulers = 2;
    spec.warps.assign(60, {2, 1, 1});
    const CompiledNet net = compile(netgen::warps_net(spec));
    const states::ExploreOptions options{.max_states = 8000, .limits = {.memory = 6u << 20}};
    const states::Exploration packed = states::explore(net, {.max_states = options.max_states});
    CHECK_FALSE(packed.space.in_trees());  // there is room for them
    for (const int threads : {1, 2, 5}) {
        const states::Exploration trees = on_threads(threads, [&] { return states::explore(net, options); });
        CHECK(trees.stop == WorkEnd::state_limit);
        CHECK(trees.space.bytes() < packed.space.bytes() / 4);
        check_equal(net, options, packed, trees);
    }
}

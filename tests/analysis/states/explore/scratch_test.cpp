#include "analysis/ranks/scratch.hpp"

#include "analysis/states/explore/explore.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/net/error.hpp"
#include "engine/net/net_builder.hpp"
#include "netgen/warps/warps.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/sample_nets.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <csignal>

#include <catch2/catch.hpp>
#include <sys/resource.h>
#include <tbb/parallel_for.h>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Limits the size of the files of this process while the object lives, like a full disk.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit less{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &less);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, ignored_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit before_ = {};
    void (*ignored_)(int);
};

/// Two warps next to places that widen each marking to ten words.
CompiledNet wide_warps() {
    NetBuilder wide;
    for (Tokens i = 0; i < 10; ++i) wide.add_place("wide" + std::to_string(i), (Tokens{1} << 59) + i);
    netgen::WarpsSpec spec;
    spec.warps.assign(2, {3, 3, 3});
    spec.global_latency = 4;
    return compile(net_union({wide.build(), netgen::warps_net(spec)}, false));
}

}  // namespace

TEST_CASE("scratch memory is distinct, zero at first, and has no name") {
    const ScratchFolder folder;
    ranks::ScratchMemory memory(folder.path());
    std::vector<std::uint64_t*> parts(300);
    const auto size = [](std::size_t i) { return std::size_t{1} + i * i % 5000; };  // words
    on_threads(4, [&] {
        tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
            parts[i] = static_cast<std::uint64_t*>(memory.allocate(8 * size(i) - i % 8));
            if (std::any_of(parts[i], parts[i] + size(i), [](std::uint64_t word) { return word != 0; }))
                return;
            std::fill_n(parts[i], size(i), i + 1);
        });
    });
    for (std::size_t i = 0; i < parts.size(); ++i)
        REQUIRE(std::all_of(parts[i], parts[i] + size(i), [&](std::uint64_t word) { return word == i + 1; }));
    CHECK(memory.bytes() > std::size_t{2} << 20);
    CHECK(folder.empty());
    CHECK_THROWS_AS(ranks::ScratchMemory(folder.path() + "/missing"), InputError);
}

TEST_CASE("a full disk is an error before anything is written") {
    const ScratchFolder folder;
    const FullDisk full(3u << 20);
    ranks::ScratchMemory memory(folder.path());
    memory.allocate(1u << 20);
    memory.allocate(1u << 20);
    CHECK_THROWS_WITH(memory.allocate(2u << 20), Catch::Contains("the scratch folder '" + folder.path() +
                                                                 "' has no room for 2 MiB more"));
    for (const states::StateSpace::Form form :
         {states::StateSpace::Form::packed, states::StateSpace::Form::trees}) {
        CHECK_THROWS_AS(
            states::explore(wide_warps(), {.max_states = 60'000, .form = form, .scratch = folder.path()}),
            InputError);
    }
}

TEST_CASE("what memory has no room for is explored with a scratch folder, and is the same") {
    const ScratchFolder folder;
    const CompiledNet net = wide_warps();
    for (const Semantics semantics : {Semantics::interleaving, Semantics::maximal}) {
        states::ExploreOptions options{
            .semantics = semantics, .max_states = 60'000, .form = states::StateSpace::Form::packed};
        const states::Exploration all = states::explore(net, options);
        options.limits.memory = 5u << 20;
        const states::Exploration less = states::explore(net, options);
        for (const states::StateSpace::Form form :
             {states::StateSpace::Form::packed, states::StateSpace::Form::trees}) {
            CAPTURE(semantics, form);
            options.form = form;
            options.scratch = folder.path();
            const states::Exploration found = states::explore(net, options);
            CHECK(folder.empty());
            CHECK(found.stop == all.stop);
            CHECK(found.markings == all.markings);
            CHECK(found.edges == all.edges);
            CHECK(found.bounds == all.bounds);
            REQUIRE(found.space.size() == all.space.size());
            CHECK(found.space.bytes() < options.limits.memory);
            CHECK(found.space.bytes() < found.space.all_bytes());
            for (std::uint32_t s = 0; s < states::StateSpace::shard_count; s += 9) {
                for (std::uint32_t i = 0; i < all.space.shard(s).size(); i += 5) {
                    const states::StateId state = states::StateSpace::id(s, i);
                    REQUIRE(found.space.marking(state) == all.space.marking(state));
                    REQUIRE(found.space.parent(state) == all.space.parent(state));
                }
            }
        }
        if (semantics == Semantics::interleaving) {
            CHECK(less.stop == WorkEnd::memory_limit);
            CHECK(less.space.size() < all.space.size());
        }
    }
}

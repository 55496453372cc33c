#include "analysis/worst/kernel/layer_store.hpp"

#include "analysis/worst/kernel/dense_makespan.hpp"
#include "analysis/worst/kernel/layered_search.hpp"
#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "tests/support/kernel_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace warpnet;
using namespace warpnet::testing;
namespace fs = std::filesystem;

namespace {

std::vector<worst::LayerStore::Word> words_of(const worst::LayerStore& store, std::size_t layer) {
    std::vector<worst::LayerStore::Word> words;
    store.for_each_block(layer, [&](std::span<const worst::LayerStore::Word> block) {
        words.insert(words.end(), block.begin(), block.end());
        return true;
    });
    return words;
}

/// A layer by definition: for each value above the low bits the smallest word.
using SlowLayer = std::map<worst::LayerStore::Word, worst::LayerStore::Word>;

std::vector<worst::LayerStore::Word> words_of(const SlowLayer& layer) {
    std::vector<worst::LayerStore::Word> words;
    for (const auto& [high, word] : layer) words.push_back(word);
    return words;
}

}  // namespace

TEST_CASE("a scratch file is read as it was written, and has no name") {
    const ScratchFolder folder;
    ranks::ScratchFile file(folder.path());
    CHECK(folder.empty());
    file.append(std::vector<std::uint64_t>{1, 2, 3});
    file.append({});
    file.append(std::vector<std::uint64_t>{4, 5});
    REQUIRE(file.size() == 5);
    std::vector<std::uint64_t> words(3);
    file.read(1, words);
    CHECK(words == std::vector<std::uint64_t>{2, 3, 4});
    const ranks::ScratchFile moved = std::move(file);
    moved.read(2, words);
    CHECK(words == std::vector<std::uint64_t>{3, 4, 5});
    CHECK(folder.empty());
    CHECK_THROWS_AS(moved.read(4, words), std::system_error);
    CHECK_THROWS_AS(ranks::ScratchFile(folder.path() + "/none"), InputError);
}

TEST_CASE("layers are sorted and free of repetitions wherever they lie") {
    constexpr int low_bits = 3;
    constexpr std::size_t layers = 6;
    const ScratchFolder folder;
    // Words of 20 bits: many are equal above the lowest three bits.
    for (const std::uint64_t memory : {1'000U, 50'000U, 10'000'000U}) {
        for (const std::string& scratch : {std::string(), folder.path()}) {
            CAPTURE(memory, scratch);
            worst::LayerStore store(layers, low_bits, memory, scratch);
            std::vector<SlowLayer> slow(layers);
            CounterRandom random(memory, 0);
            for (std::size_t layer = 0; layer < layers; ++layer) {
                for (int part = 0; part < 20; ++part) {
                    const std::size_t to = layer + random.below(static_cast<std::uint32_t>(layers - layer));
                    std::vector<worst::LayerStore::Word> words(random.below(2000));
                    for (worst::LayerStore::Word& word : words) {
                        word = random.below(1U << 20U);
                        const auto at = slow[to].try_emplace(word >> low_bits, word).first;
                        at->second = std::min(at->second, word);
                    }
                    store.add(to, words);
                    store.make_room();
                    if (part % 7 == 0) store.compact(to);
                }
                store.finish(layer);
                CHECK(store.size(layer) == slow[layer].size());
                CHECK(words_of(store, layer) == words_of(slow[layer]));
            }
            store.make_room();
            for (std::size_t layer = 0; layer < layers; ++layer)
                CHECK(words_of(store, layer) == words_of(slow[layer]));
            if (!scratch.empty()) CHECK(store.held() <= memory / 3 + memory / 16);
        }
    }
    CHECK(folder.empty());
}

TEST_CASE("a visit ends on request, and may move what it looks at") {
    const ScratchFolder folder;
    worst::LayerStore store(2, 0, 1'000, folder.path());
    std::vector<worst::LayerStore::Word> words(400'000);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i;
    store.add(0, words);
    store.finish(0);
    REQUIRE(store.held() >= words.size() * sizeof(words[0]));
    std::vector<worst::LayerStore::Word> seen;
    store.for_each_block(0, [&](std::span<const worst::LayerStore::Word> block) {
        store.make_room();
        seen.insert(seen.end(), block.begin(), block.end());
        return true;
    });
    CHECK(store.held() == 0);
    CHECK(seen == words);
    int blocks = 0;
    store.for_each_block(0, [&](std::span<const worst::LayerStore::Word>) { return ++blocks < 2; });
    CHECK(blocks == 2);
}

TEST_CASE("layered search: the same answer from a scratch folder as from memory") {
    const WorkLimits roomy{.memory = 50'000'000};
    const ScratchFolder folder;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const netgen::KernelInstance instance =
            netgen::normalise(any_kernel(seed, {.letters = 3, .length = 8, .warps = 5}));
        for (const worst::Objective objective : {worst::Objective::longest, worst::Objective::shortest}) {
            const int best = worst::dense_makespan(instance, objective, roomy)->makespan;
            const auto bound = worst::SegmentBound::create(
                instance, worst::slack_per_class(instance, worst::whole_runs(instance)), objective, roomy);
            for (const int target : {best - 1, best, best + 1}) {
                const worst::LayeredResult expected = worst::layered_search(instance, *bound, target, roomy);
                const worst::LayeredResult found =
                    worst::layered_search(instance, *bound, target, {.memory = 2'000}, folder.path());
                CHECK(found.end == WorkEnd::complete);
                CHECK(found.schedule == expected.schedule);
                CHECK(found.states == expected.states);
            }
        }
    }
    CHECK(folder.empty());
}

TEST_CASE("layered search: what memory has no room for is found with a scratch folder") {
    const ScratchFolder folder;
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    const auto bound =
        worst::SegmentBound::create(instance, worst::whole_runs(instance), worst::Objective::longest, {});
    const WorkLimits limits{.memory = 100'000};
    CHECK(worst::layered_search(instance, *bound, 86, limits).end == WorkEnd::memory_limit);
    const worst::LayeredResult found = worst::layered_search(instance, *bound, 86, limits, folder.path());
    CHECK(found.end == WorkEnd::complete);
    CHECK(found.schedule == worst::layered_search(instance, *bound, 86, {}).schedule);
}

TEST_CASE("layered search: an interruption and a folder that is none leave nothing behind") {
    const ScratchFolder folder;
    const netgen::KernelInstance instance = netgen::normalise(voronoi(7, 4));
    const auto bound =
        worst::SegmentBound::create(instance, worst::whole_runs(instance), worst::Objective::longest, {});
    const std::atomic<bool> interrupt = true;
    WorkLimits limits{.memory = 100'000};
    CHECK_THROWS_AS(worst::layered_search(instance, *bound, 86, limits, folder.path() + "/none"), InputError);
    limits.interrupt = &interrupt;
    CHECK(worst::layered_search(instance, *bound, 86, limits, folder.path()).end == WorkEnd::interrupted);
    CHECK(folder.empty());
}

#include "analysis/worst/kernel/annealing.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"
#include "tests/support/kernel_vectors.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;
using warpnet::testing::voronoi;

namespace {

worst::AnnealingState half_way(const worst::AnnealingSearchOptions& options) {
    worst::AnnealingState state =
        worst::begin_search<worst::KernelStrings>(netgen::normalise(voronoi(6, 4)), options);
    std::atomic<bool> interrupt = false;
    int calls = 0;
    worst::continue_search(state,
                           {.work = {.interrupt = &interrupt},
                            .checkpoint = [&](const worst::AnnealingState&) { interrupt = ++calls == 4; }});
    return state;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// The same with the checksum of the new content.
std::string forged(const std::string& text, const std::string& from, const std::string& to) {
    auto json = nlohmann::json::parse(replaced(text, from, to));
    json.erase("checksum");
    return sealed_json(json);
}

}  // namespace

TEST_CASE("a search written and read back goes on to the answer of an uninterrupted one") {
    const auto method = GENERATE(worst::AnnealingMethod::paper, worst::AnnealingMethod::portfolio,
                                 worst::AnnealingMethod::tempering);
    const worst::AnnealingSearchOptions options{
        .annealing = {.method = method, .iterations = 25'000, .temperature = 0.3, .seed = 11}, .chains = 3};
    const worst::AnnealingState state = half_way(options);
    const std::string text = worst::write_checkpoint(state);
    worst::AnnealingState again = worst::read_checkpoint(text);
    CHECK(again.instance == state.instance);
    CHECK(again.options == state.options);
    CHECK(worst::write_checkpoint(again) == text);

    CHECK(worst::continue_search(again) == WorkEnd::complete);
    const worst::AnnealingResult resumed = worst::annealing_result(again, WorkEnd::complete);
    const worst::AnnealingResult whole = worst::annealing_search(state.instance, options);
    CHECK(resumed.found == whole.found);
    CHECK(resumed.string == whole.string);
    CHECK(resumed.iterations == whole.iterations);
}

TEST_CASE("options and levels survive a checkpoint") {
    const netgen::KernelInstance instance{.warps = 2, .type = {0, 1}, .capacity = {1, 1}, .level = {-1, 2}};
    const worst::AnnealingState state = worst::begin_search<worst::KernelStrings>(
        instance, {.annealing = {.objective = worst::Objective::shortest, .seed = ~std::uint64_t{0}},
                   .chains = 1,
                   .start = worst::SearchStart::most_pending,
                   .target = 1});
    const worst::AnnealingState again = worst::read_checkpoint(worst::write_checkpoint(state));
    CHECK(again.instance == instance);
    CHECK(again.options == state.options);
}

TEST_CASE("what is no checkpoint is refused") {
    const std::string good =
        worst::write_checkpoint(half_way({.annealing = {.iterations = 25'000}, .chains = 2}));
    CHECK_THROWS_AS(worst::read_checkpoint(""), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint("{}"), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(good.substr(0, good.size() / 2)), InputError);
    CHECK_THROWS_AS(
        worst::read_checkpoint(forged(good, "\"warpnet_checkpoint\":5", "\"warpnet_checkpoint\":4")),
        InputError);
    CHECK_NOTHROW(worst::read_checkpoint(forged(good, "\"seconds\":", "\"seconds\":1")));
    CHECK_THROWS_WITH(worst::read_checkpoint(replaced(good, "\"seconds\":", "\"seconds\":1")),
                      "checkpoint: damaged: the checksum is not that of its content");
    CHECK_THROWS_AS(worst::read_checkpoint(forged(good, "\"best_value\":", "\"best_value\":1")), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(forged(good, "\"string\":[", "\"string\":[0,")), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(forged(good, "portfolio", "guessing")), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(forged(good, "\"warps\":6", "\"warps\":0")), InputError);
    CHECK_THROWS_AS(worst::read_checkpoint(forged(good, "\"chains\":2", "\"chains\":3")), InputError);
}

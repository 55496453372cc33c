#include "analysis/worst/search/annealing_chains.hpp"

#include <atomic>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

enum class Begin : std::uint8_t { at_random };

/// Searches the numbers from 0 to 99 for the one with the highest value, one neighbour at a time.
struct Numbers : worst::SimpleProblem<Numbers> {
    struct Instance {
        std::atomic<bool>* interrupt = nullptr;  ///< set when a cooling begins
    };
    using Candidate = int;
    using Value = std::int64_t;
    using Start = Begin;
    static constexpr Start restart = Begin::at_random;
    static constexpr std::size_t mixtures = 2;
    static constexpr std::uint64_t check_interval = 1000;

    static Candidate begin(const Instance& instance, const worst::AnnealingOptions&, Start,
                           std::uint64_t stream, const WorkLimits& limits) {
        if (instance.interrupt != nullptr) *instance.interrupt = true;
        return limits.must_end() ? 0 : static_cast<int>(stream % 100);
    }

    struct Worker;
};

struct Numbers::Worker {
    using Evaluator = worst::EvaluatedAtOnce;

    explicit Worker(const Instance&) {}

    Value reset(Candidate candidate) { return value_of(current_ = candidate); }
    void use_moves(worst::AnnealingMethod, std::size_t) {}
    bool draw(CounterRandom& random) {
        proposed_ = (current_ + (random.below(2) == 0 ? 1 : 99)) % 100;
        return true;
    }
    Value value() const { return value_of(current_); }
    Value candidate_value() const { return value_of(proposed_); }
    Candidate current() const { return current_; }
    void accept() { current_ = proposed_; }
    void reject() {}
    static StopReason end() { return StopReason::dead; }

    Evaluator evaluator;

  private:
    static Value value_of(Candidate candidate) { return candidate * 37 % 101; }

    Candidate current_ = 0;
    Candidate proposed_ = 0;
};

void advance(worst::ChainOf<Numbers>& chain, const worst::AnnealingOptions& options,
             std::atomic<bool>* interrupt) {
    worst::ChainHooksOf<Numbers> hooks;
    hooks.work.interrupt = interrupt;
    const worst::ChainStretchOf<Numbers> stretch{&chain, options.iterations};
    worst::annealing::advance_with<Numbers, Numbers::Worker>({interrupt}, options, hooks, {&stretch, 1});
}

}  // namespace

TEST_CASE("a chain that is ended where a cooling begins goes on from there as if it had not been") {
    const worst::AnnealingOptions options{.iterations = 40'000};
    const auto chain = worst::annealing::chain_at<Numbers>({}, options, 3, Begin::at_random, 50);
    worst::ChainOf<Numbers> whole = chain;
    advance(whole, options, nullptr);
    REQUIRE(whole.iteration == options.iterations);

    worst::ChainOf<Numbers> left = chain;
    std::atomic<bool> interrupt = false;
    advance(left, options, &interrupt);
    CHECK(left.iteration == worst::annealing::first_cooling);
    CHECK(left.cooling_value != 0);
    advance(left, options, nullptr);
    CHECK(left.iteration == whole.iteration);
    CHECK(left.current == whole.current);
    CHECK(left.best == whole.best);
    CHECK(left.cooling_value == whole.cooling_value);
    CHECK(left.mixture_value == whole.mixture_value);
}

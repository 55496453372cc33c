#include "netgen/blocks.hpp"

#include "engine/compiled_net.hpp"
#include "engine/run.hpp"
#include "tests/support/block_vectors.hpp"
#include "tests/support/shared_data.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

/// Per operation the steps at which its done place got tokens, one entry a job.
class Completions : public Observer {
  public:
    explicit Completions(const BlocksNet& blocks) : blocks_(blocks), times(blocks.done.size()) {}

    void step(std::uint64_t number, bool, std::span<const Firing>, std::span<const Tokens> marking) override {
        for (std::size_t i = 0; i < times.size(); ++i)
            while (static_cast<Tokens>(times[i].size()) < marking[index(blocks_.done[i])])
                times[i].push_back(static_cast<Time>(number));
    }

  private:
    const BlocksNet& blocks_;

  public:
    std::vector<std::vector<Time>> times;
};

/// All completions in launch order, and the steps to the dead marking.
std::pair<std::vector<Time>, Time> completions(const TaskSet& tasks, const BlocksNetOptions& options,
                                               bool watch) {
    const BlocksNet blocks = blocks_net(tasks, options);
    const CompiledNet net = compile(blocks.net, {1000000});
    Completions seen(blocks);
    const RunResult result = run(net, {}, watch ? &seen : nullptr);
    REQUIRE(result.reason == StopReason::dead);
    for (std::size_t i = 0; i < blocks.done.size(); ++i)
        REQUIRE(result.marking[index(blocks.done[i])] == blocks.jobs[i]);
    std::vector<Time> in_order;
    if (watch)
        for (const Job& job : jobs_before(tasks, options.horizon.value_or(release_horizon(tasks))))
            in_order.push_back(seen.times[job.operation][static_cast<std::size_t>(job.index)]);
    return {in_order, static_cast<Time>(result.steps)};
}

}  // namespace

TEST_CASE("blocks net: completes every reference case at the expected steps") {
    const auto file = shared_data("vectors/blocks.json");
    SKIP_WITHOUT(file, "vectors/blocks.json");
    for (const BlockCase& test : block_cases(*file)) {
        CAPTURE(test.id);
        for (const auto& [policy, name] : {std::pair(SmPolicy::first_fit, "policy_first"),
                                           std::pair(SmPolicy::most_free, "policy_free")}) {
            CAPTURE(name);
            BlocksNetOptions options;
            options.policy = policy;
            if (test.expected.contains("horizon")) options.horizon = test.expected["horizon"].get<Time>();
            const auto& expected = test.expected.contains("ops") ? test.expected[name] : test.expected;
            const auto times = expected["completion"].get<std::vector<Time>>();
            const Time makespan = *std::max_element(times.begin(), times.end());
            CHECK(completions(test.tasks, options, false).second == makespan);
            if (makespan < 2000) CHECK(completions(test.tasks, options, true) == std::pair(times, makespan));
        }
    }
}

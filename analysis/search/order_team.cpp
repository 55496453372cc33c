#include "analysis/search/order_team.hpp"

#include "analysis/search/order_checkpoint.hpp"
#include "analysis/team/chain_farm.hpp"

#include <algorithm>

#include <oneapi/tbb/task_arena.h>

namespace warpnet {

namespace {

constexpr std::uint64_t shortest_stretch = 64;  // iterations, each a run of the net

/// What every rank does with chains.
AdvanceChains advance_by(int threads, const Net& net, const CompiledNet& compiled,
                         const OrderSearchOptions& options, const OrderSearchLimits& limits,
                         FarmSignals& signals) {
    signals.interrupt = limits.interrupt;
    signals.deadline = limits.deadline;
    signals.done = limits.iterations;
    return [&, threads](std::string_view text, std::uint64_t until) {
        std::vector<OrderChain> chains = read_order_chains(net, text);
        const OrderSearchLimits mine{{}, &signals.stop, limits.iterations, until};
        oneapi::tbb::task_arena(threads).execute(
            [&] { continue_order_search(compiled, options, chains, mine); });
        return write_order_chains(net, chains);
    };
}

}  // namespace

OrderSearchStop lead_order_search(Team& team, int threads, const Net& net, const CompiledNet& compiled,
                                  const OrderSearchOptions& options, std::vector<OrderChain>& chains,
                                  const OrderSearchLimits& limits, const std::function<void()>& save) {
    FarmSignals signals;
    const AdvanceChains advance = advance_by(threads, net, compiled, options, limits, signals);
    const FarmedChains farmed{
        .count = chains.size(),
        .until = std::min(options.iterations, limits.until),
        .shortest_stretch = shortest_stretch,
        .iteration =
            [&](std::size_t chain) {
                return chains[chain].endless ? ~std::uint64_t{0} : chains[chain].iteration;
            },
        .write =
            [&](std::size_t begin, std::size_t end) {
                return write_order_chains(net, {chains.data() + begin, end - begin});
            },
        .read =
            [&](std::size_t begin, std::string_view text) {
                std::vector<OrderChain> advanced = read_order_chains(net, text);
                std::move(advanced.begin(), advanced.end(),
                          chains.begin() + static_cast<std::ptrdiff_t>(begin));
            },
        .save = save,
    };
    lead_chains(team, threads, farmed, advance, signals);
    return order_search_stop(options, chains, limits);
}

void follow_order_search(Team& team, int threads, const Net& net, const CompiledNet& compiled,
                         const OrderSearchOptions& options, const OrderSearchLimits& limits) {
    FarmSignals signals;
    follow_chains(team, advance_by(threads, net, compiled, options, limits, signals), signals);
}

}  // namespace warpnet

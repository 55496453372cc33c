// The run of a grid, composed of one run of its block. All SMs repeat the run of the block in parallel, round
// by round. One step between two rounds dispatches the next blocks. A bound for the block becomes one for the
// grid in the same way (netgen::grid_steps()). Memory: the firings of all blocks.

#include "analysis/worst/bounds/grid_schedule.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace warpnet::worst {

namespace {

std::uint64_t blocks_of(const netgen::WarpsSpec& spec) {
    return spec.blocks == 0 ? spec.sms : static_cast<std::uint64_t>(spec.blocks);
}

}  // namespace

Schedule grid_schedule(const netgen::WarpsSpec& spec, const Net& grid, const Net& one_block,
                       const Schedule& block) {
    const NodeIndex index(grid);
    const std::size_t sms = std::min<std::size_t>(spec.sms, blocks_of(spec));
    // Per SM: the transitions of the grid that correspond to those of a block, and its dispatch.
    std::vector<std::vector<std::uint32_t>> of_sm(sms);
    std::vector<std::uint32_t> dispatch(sms);
    for (std::size_t sm = 0; sm < sms; ++sm) {
        const std::string prefix = spec.sms == 1 ? "" : "sm" + std::to_string(sm + 1) + "_";
        for (const Transition& transition : one_block.transitions())
            of_sm[sm].push_back(
                static_cast<std::uint32_t>(warpnet::index(*index.transition(prefix + transition.id))));
        if (const auto found = index.transition(prefix + "dispatch"))
            dispatch[sm] = static_cast<std::uint32_t>(warpnet::index(*found));
    }
    Schedule schedule;
    for (std::uint64_t left = blocks_of(spec); left > 0;) {
        const auto busy = static_cast<std::size_t>(std::min<std::uint64_t>(left, sms));
        left -= busy;
        for (const ScheduledStep& step : block) {
            ScheduledStep& all = schedule.emplace_back();
            all.immediate = step.immediate;
            for (std::size_t sm = 0; sm < busy; ++sm) {
                for (const std::uint32_t transition : step.transitions)
                    all.transitions.push_back(of_sm[sm][transition]);
            }
            std::sort(all.transitions.begin(), all.transitions.end());
        }
        if (left == 0) break;
        ScheduledStep& next = schedule.emplace_back();
        next.transitions.assign(dispatch.begin(), dispatch.begin() + static_cast<std::ptrdiff_t>(
                                                                         std::min<std::uint64_t>(left, sms)));
        std::sort(next.transitions.begin(), next.transitions.end());
    }
    return schedule;
}

std::uint64_t grid_firings(const netgen::WarpsSpec& spec, const Schedule& block) {
    std::uint64_t firings = 1;  // plus a dispatch
    for (const ScheduledStep& step : block) firings += step.transitions.size();
    return firings * blocks_of(spec);
}

StepBound grid_bound(const netgen::WarpsSpec& spec, const StepBound& of_block) {
    const std::uint64_t blocks = blocks_of(spec);
    const std::uint64_t rounds = (spec.blocks == 0 ? 0 : (blocks - 1) / spec.sms) + 1;
    return {static_cast<std::uint64_t>(netgen::grid_steps(spec, static_cast<Tokens>(of_block.steps))),
            fmt::format("one block: {}; {} on {} take {}, with a step for each dispatch, "
                        "whatever their order",
                        of_block.argument, plural(blocks, "block"), plural(spec.sms, "SM"),
                        plural(rounds, "round"))};
}

}  // namespace warpnet::worst

#include "netgen/code/ptx/warps.hpp"

#include "engine/base/capped.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpnet {

namespace {

/// The area of the union of [0, first) x [0, second).
std::int64_t area(std::vector<std::pair<std::int64_t, std::int64_t>> rectangles) {
    std::sort(rectangles.rbegin(), rectangles.rend());
    std::int64_t sum = 0;
    std::int64_t highest = 0;
    for (std::size_t i = 0; i < rectangles.size(); ++i) {
        highest = std::max(highest, rectangles[i].second);
        const std::int64_t next = i + 1 < rectangles.size() ? rectangles[i + 1].first : 0;
        sum = capped_sum(sum, capped_product(rectangles[i].first - next, highest));
    }
    return sum;
}

}  // namespace

PtxWarpCounter::PtxWarpCounter(const PtxStructure& plan)
    : plan_(plan), around_(plan.flow.blocks.size()), counts_(plan.flow.blocks.size(), false) {
    const std::size_t loops = plan.loops.size();
    enum : std::uint8_t { body = 1, last = 2 };
    std::vector<std::uint8_t> block_is(plan.flow.blocks.size(), 0);
    std::vector<std::uint8_t> loop_is(loops, 0);
    const auto mark = [&](const PtxPass& pass, std::uint8_t as) {
        for (const PtxItem& item : pass) (item.is_loop ? loop_is : block_is)[item.number] |= as;
    };
    mark(plan.whole, body);
    for (const PtxLoopStructure& loop : plan.loops) {
        mark(loop.body, body);
        mark(loop.last, last);
    }
    for (std::uint32_t b = 0; b < around_.size(); ++b) {
        std::uint8_t is = block_is[b];
        counts_[b] = is != 0;
        for (auto l = plan.flow.loop_of[b]; l; l = plan.flow.loops[*l].parent) {
            around_[b].push_back({*l, (is & body) != 0, (is & last) != 0});
            is = loop_is[*l];
            if (is == 0) counts_[b] = false;
        }
    }
}

std::int64_t PtxWarpCounter::trips(const PtxPath& path, std::uint32_t loop, bool fewest) const {
    const PtxLoopStructure& own = plan_.loops[loop];
    const auto& proved = path.trips[loop];
    if (!proved) return own.counted_trips();
    return std::min(fewest ? proved->low : proved->high, own.given.value_or(proved->high));
}

PtxWarpExecutions PtxWarpCounter::executions(const PtxWarpClass& warps, bool fewest) const {
    const std::vector<PtxPath>& paths = plan_.threads->paths;
    PtxWarpExecutions result;
    result.blocks.assign(around_.size(), 0);
    for (const std::uint32_t path : warps.paths) result.exact &= paths[path].exact;
    std::vector<std::vector<std::int64_t>> boxes;
    for (std::uint32_t b = 0; b < around_.size(); ++b) {
        if (!counts_[b]) continue;
        boxes.clear();
        for (const std::uint32_t path : warps.paths) {
            if (!paths[path].reached[b]) continue;
            std::vector<std::int64_t>& box = boxes.emplace_back();
            for (const Around& around : around_[b]) {
                const std::int64_t times = around.in_body ? trips(paths[path], around.loop, fewest) : 0;
                box.push_back(capped_sum(times, around.in_last ? 1 : 0));
            }
        }
        if (boxes.empty()) continue;
        std::int64_t& times = result.blocks[b] = 1;
        std::vector<std::size_t> differ;
        for (std::size_t d = 0; d < boxes[0].size(); ++d) {
            const bool same = std::all_of(boxes.begin(), boxes.end(),
                                          [&](const auto& box) { return box[d] == boxes[0][d]; });
            if (same) {
                times = capped_product(times, boxes[0][d]);
            } else {
                differ.push_back(d);
            }
        }
        if (differ.size() == 2) {
            std::vector<std::pair<std::int64_t, std::int64_t>> rectangles;
            rectangles.reserve(boxes.size());
            for (const auto& box : boxes) rectangles.emplace_back(box[differ[0]], box[differ[1]]);
            times = capped_product(times, area(std::move(rectangles)));
            continue;
        }
        result.exact &= differ.size() < 2;
        for (const std::size_t d : differ) {
            std::int64_t most = 0;
            for (const auto& box : boxes) most = std::max(most, box[d]);
            times = capped_product(times, most);
        }
    }
    return result;
}

double PtxWarpCounter::most(std::uint32_t block) const {
    double times = counts_[block] ? 1 : 0;
    for (const Around& around : around_[block])
        times *= (around.in_body ? static_cast<double>(plan_.loops[around.loop].counted_trips()) : 0) +
                 (around.in_last ? 1 : 0);
    return times;
}

std::vector<double> mean_shares(const PtxStructure& plan) {
    const std::size_t count = plan.flow.blocks.size();
    const PtxWarpCounter counter(plan);
    std::vector<double> mean(count, 0);
    double warps = 0;
    for (const PtxWarpClass& own : plan.threads->classes) {
        const auto weight = static_cast<double>(own.warps);
        warps += weight;
        const std::vector<std::int64_t> most = counter.executions(own).blocks;
        const std::vector<std::int64_t> fewest = counter.executions(own, true).blocks;
        for (std::size_t b = 0; b < count; ++b)
            mean[b] += weight * (static_cast<double>(most[b]) + static_cast<double>(fewest[b])) / 2;
    }
    std::vector<double> shares(count, 1);
    for (std::uint32_t b = 0; b < count; ++b) {
        const double most = counter.most(b);
        shares[b] = most > 0 ? mean[b] / warps / most : 0;
    }
    return shares;
}

}  // namespace warpnet

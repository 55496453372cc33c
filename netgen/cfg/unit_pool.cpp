// Simulates the pool by events in order of time. Ends of blocks at the same time are handled first, because
// they return units. Then the first waiting branch in program order decides, and the new ends of that time
// are handled again. A heap of events gives O(blocks log blocks). Returned units are kept in a queue, so the
// unit that has been free longest is reused first. The hand-over of each unit is recorded for the fixed
// hand-over.

#include "netgen/cfg/unit_pool.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

namespace warpnet::netgen {

UnitPool::UnitPool(const StructuredCfg& cfg)
    : cfg_(cfg), places_(places_of(cfg)), mode_(cfg.size(), Mode::serial) {}

const PoolRun& UnitPool::run(const SplitSet& splits, Units units) {
    tree_ = {};
    return run_from(cfg_.root().front(), splits, units);
}

const PoolRun& UnitPool::run(BlockId tree, const SplitSet& splits, Units units) {
    tree_ = tree;
    return run_from(tree, splits, units);
}

const PoolRun& UnitPool::run_from(BlockId first, const SplitSet& splits, Units units) {
    result_ = {0, 1, SplitSet(cfg_.size(), false), {}};
    events_.clear();
    unused_ = units - 1;
    returned_.clear();
    first_returned_ = 0;
    in_use_ = 1;
    begin(first, 0);
    const auto order = cfg_.program_order();
    while (!events_.empty()) {
        std::pop_heap(events_.begin(), events_.end(), std::greater<>());
        const Event event = events_.back();
        events_.pop_back();
        const BlockId block = order[event.position];
        if (event.decides) {
            decide(block, splits[index(block)], event.time);
        } else if (!cfg_[block].is_branch()) {
            finish(block, event.time);
        } else {
            events_.push_back({event.time, true, event.position});
            std::push_heap(events_.begin(), events_.end(), std::greater<>());
        }
    }
    return result_;
}

void UnitPool::begin(BlockId block, std::int64_t time) {
    events_.push_back({time + cfg_[block].time, false, places_[index(block)].position});
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

// Continues after the end of a block and everything nested in it.
void UnitPool::finish(BlockId block, std::int64_t time) {
    while (true) {
        const CfgPlace& place = places_[index(block)];
        if (tree_ != block && place.next) return begin(*place.next, time);
        if (tree_ == block || !place.inside) {
            result_.wcet = time;
            return;
        }
        const CfgSide side = *place.inside;
        if (!end_side(side, time)) return;
        block = side.branch;
    }
}

// Ends a side. Returns whether its branch has ended, too.
bool UnitPool::end_side(CfgSide side, std::int64_t time) {
    Mode& mode = mode_[index(side.branch)];
    if (mode == Mode::serial) {
        const auto& second = cfg_[side.branch].false_side;
        if (!side.true_side || second.empty()) return true;
        begin(second.front(), time);
        return false;
    }
    if (mode == Mode::one_runs) return true;
    mode = Mode::one_runs;
    returned_.push_back(side);
    --in_use_;
    return false;
}

void UnitPool::decide(BlockId branch, bool splits, std::int64_t time) {
    const CfgBlock& block = cfg_[branch];
    const bool reused = unused_ == 0 && first_returned_ < returned_.size();
    if (!splits || (unused_ == 0 && !reused)) {
        mode_[index(branch)] = Mode::serial;
        begin(block.true_side.empty() ? block.false_side.front() : block.true_side.front(), time);
        return;
    }
    // The unit that has been free for the longest time.
    HandOver& hand_over = result_.hand_overs.emplace_back(HandOver{branch});
    if (reused) {
        hand_over.from = returned_[first_returned_++];
    } else {
        --unused_;
    }
    result_.taken[index(branch)] = true;
    result_.peak = std::max(result_.peak, ++in_use_);
    mode_[index(branch)] = Mode::both_run;
    for (const bool true_side : {true, false}) {
        const auto& sequence = true_side ? block.true_side : block.false_side;
        if (sequence.empty()) {
            end_side({branch, true_side}, time);
        } else {
            begin(sequence.front(), time);
        }
    }
}

namespace {

void check_pool(const StructuredCfg& cfg, const SplitSet& splits, Units units) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    if (splits.size() != cfg.size()) {
        throw InputError("a set of splits over " + std::to_string(splits.size()) + " blocks for a graph of " +
                         std::to_string(cfg.size()));
    }
}

}  // namespace

PoolRun run_pool(const StructuredCfg& cfg, const SplitSet& splits, Units units) {
    check_pool(cfg, splits, units);
    return UnitPool(cfg).run(splits, units);
}

Units pool_demand(const StructuredCfg& cfg, const SplitSet& splits) {
    return run_pool(cfg, splits, std::numeric_limits<Units>::max()).peak;
}

}  // namespace warpnet::netgen

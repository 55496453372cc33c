#include "netgen/cfg/annotation.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <string>

namespace warpnet {

namespace {

Units demand_of(std::span<const BlockId> sequence, const std::vector<Units>& demands) {
    Units most = 1;
    for (const BlockId block : sequence) most = std::max(most, demands[index(block)]);
    return most;
}

void check_size(const StructuredCfg& cfg, std::size_t entries) {
    if (entries != cfg.size()) {
        throw InputError("an annotation of " + std::to_string(entries) + " blocks for a graph of " +
                         std::to_string(cfg.size()));
    }
}

}  // namespace

const char* to_string(UnitSharing sharing) {
    switch (sharing) {
        case UnitSharing::allotted:
            return "static";
        case UnitSharing::first_come:
            return "first-come";
        case UnitSharing::fixed_hand_over:
            return "fixed";
    }
    return "";
}

SplitSet CfgAnnotation::splits() const {
    SplitSet result(blocks.size());
    std::transform(blocks.begin(), blocks.end(), result.begin(),
                   [](const BlockAnnotation& b) { return b.split; });
    return result;
}

std::vector<Units> first_units(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    std::vector<Units> first(cfg.size(), 1);
    for (const BlockId at : cfg.program_order()) {
        const BlockAnnotation& own = annotation.blocks[index(at)];
        const Units of_true_side = first[index(at)];
        const Units of_false_side = own.split ? of_true_side + own.true_units : of_true_side;
        for (const BlockId inner : cfg[at].true_side) first[index(inner)] = of_true_side;
        for (const BlockId inner : cfg[at].false_side) first[index(inner)] = of_false_side;
    }
    return first;
}

std::vector<Units> unit_demands(const StructuredCfg& cfg, const SplitSet& splits) {
    check_size(cfg, splits.size());
    std::vector<Units> demands(cfg.size(), 1);
    const std::span<const BlockId> order = cfg.program_order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        const CfgBlock& block = cfg[*at];
        if (!block.is_branch()) continue;
        const Units left = demand_of(block.true_side, demands);
        const Units right = demand_of(block.false_side, demands);
        demands[index(*at)] = splits[index(*at)] ? left + right : std::max(left, right);
    }
    return demands;
}

Units unit_demand(const StructuredCfg& cfg, const SplitSet& splits) {
    return demand_of(cfg.root(), unit_demands(cfg, splits));
}

CfgAnnotation annotate(const StructuredCfg& cfg, const SplitSet& splits, Units units) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    const std::vector<Units> demands = unit_demands(cfg, splits);
    const Units needed = demand_of(cfg.root(), demands);
    if (needed > units) {
        throw InputError("allotting units to these splits takes " + std::to_string(needed) + ", only " +
                         std::to_string(units) + " are there");
    }
    CfgAnnotation result{units, std::vector<BlockAnnotation>(cfg.size())};
    for (const BlockId block : cfg.root()) result.blocks[index(block)].units = units;
    for (const BlockId at : cfg.program_order()) {
        const CfgBlock& block = cfg[at];
        if (!block.is_branch()) continue;
        BlockAnnotation& own = result.blocks[index(at)];
        own.split = splits[index(at)];
        own.true_units = own.split ? demand_of(block.true_side, demands) : own.units;
        own.false_units = own.split ? demand_of(block.false_side, demands) : own.units;
        for (const BlockId child : block.true_side) result.blocks[index(child)].units = own.true_units;
        for (const BlockId child : block.false_side) result.blocks[index(child)].units = own.false_units;
    }
    return result;
}

CfgAnnotation annotate_pooled(const StructuredCfg& cfg, const SplitSet& splits, Units units,
                              UnitSharing sharing) {
    check_size(cfg, splits.size());
    CfgAnnotation result{units, std::vector<BlockAnnotation>(cfg.size()), sharing};
    for (std::size_t i = 0; i < splits.size(); ++i) result.blocks[i].split = splits[i];
    check_annotation(cfg, result);
    return result;
}

void check_annotation(const StructuredCfg& cfg, const CfgAnnotation& annotation) {
    check_size(cfg, annotation.blocks.size());
    const auto require = [](bool holds, const std::string& where, Units got, Units limit) {
        if (holds) return;
        throw InputError(where + " holds " + std::to_string(got) +
                         " units, expected at least 1 and at most " + std::to_string(limit));
    };
    if (annotation.units < 1)
        throw InputError("got " + std::to_string(annotation.units) + " units, expected 1 or more");
    const auto require_sequence = [&](std::span<const BlockId> sequence, Units limit) {
        for (const BlockId block : sequence) {
            const Units units = annotation.blocks[index(block)].units;
            require(units >= 1 && units <= limit, "block '" + cfg[block].id + "'", units, limit);
        }
    };
    if (annotation.sharing == UnitSharing::allotted) require_sequence(cfg.root(), annotation.units);
    for (const BlockId at : cfg.program_order()) {
        const CfgBlock& block = cfg[at];
        const BlockAnnotation& own = annotation.blocks[index(at)];
        if (own.split && !block.is_branch())
            throw InputError("cannot split at '" + block.id + "': the block is no branch");
        if (!block.is_branch() || annotation.sharing != UnitSharing::allotted) continue;
        const std::string where = "a side of '" + block.id + "'";
        require(own.true_units >= 1 && own.true_units <= own.units, where, own.true_units, own.units);
        const Units rest = own.split ? own.units - own.true_units : own.units;
        require(own.false_units >= 1 && own.false_units <= rest, where, own.false_units, rest);
        require_sequence(block.true_side, own.true_units);
        require_sequence(block.false_side, own.false_units);
    }
}

}  // namespace warpnet

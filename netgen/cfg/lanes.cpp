// Branches with known behaviour of lanes. The else of an `if` is laid out as a second one-sided branch behind
// the first one. Both become one branch with two sides. A uniform branch is no branch for splits, so its
// longer side is put in line. Both conversions need only the order of siblings, so each block is visited
// once, without recursion. A uniform branch takes e(b) + max(t(l, u), t(r, u)), which has no form in a
// structured graph unless both sides are constants.

#include "netgen/cfg/lanes.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace warpnet::netgen {

namespace {

bool one_sided(const CfgBlock& block) { return block.true_side.empty() != block.false_side.empty(); }

/// Pairs the branches of one sequence. `is_else(block)`: whether a branch may be the second of a pair.
template <class IsElse>
void pair_branches(std::vector<CfgBlock>& blocks, std::span<const BlockId> sequence, IsElse is_else) {
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
        CfgBlock& branch = blocks[index(sequence[i])];
        CfgBlock& flow = blocks[index(sequence[i + 1])];
        if (!one_sided(branch) || !one_sided(flow) || !is_else(sequence[i + 1])) continue;
        std::vector<BlockId>& empty = branch.true_side.empty() ? branch.true_side : branch.false_side;
        std::vector<BlockId>& other = flow.true_side.empty() ? flow.false_side : flow.true_side;
        empty.swap(other);
        ++i;
    }
}

template <class IsElse>
StructuredCfg paired(const StructuredCfg& cfg, IsElse is_else) {
    std::vector<CfgBlock> blocks(cfg.blocks().begin(), cfg.blocks().end());
    pair_branches(blocks, cfg.root(), is_else);
    // The original sides suffice, since a pair exchanges whole sequences.
    for (const CfgBlock& block : cfg.blocks()) {
        pair_branches(blocks, block.true_side, is_else);
        pair_branches(blocks, block.false_side, is_else);
    }
    return StructuredCfg(std::move(blocks), {cfg.root().begin(), cfg.root().end()});
}

/// Puts the longer sides of uniform branches in line.
class UniformBranches {
  public:
    UniformBranches(const StructuredCfg& cfg, const std::vector<bool>& uniform)
        : cfg_(cfg), in_line_(cfg.size(), false), time_(cfg.size(), 0) {
        const auto order = cfg.program_order();
        for (auto b = order.rbegin(); b != order.rend(); ++b) {
            const CfgBlock& block = cfg[*b];
            const bool straight = is_straight(block.true_side) && is_straight(block.false_side);
            in_line_[index(*b)] = straight && (!block.is_branch() || uniform[index(*b)]);
            time_[index(*b)] = block.time + std::max(time_of(block.true_side), time_of(block.false_side));
        }
    }

    StructuredCfg result() {
        std::vector<BlockId> root;
        pending_.push_back({cfg_.root(), 0, &root});
        sides_.resize(cfg_.size());
        while (!pending_.empty()) {
            Rest& rest = pending_.back();
            if (rest.next == rest.sequence.size()) {
                pending_.pop_back();
                continue;
            }
            take(rest.sequence[rest.next++], *rest.to);
        }
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            blocks_[b].true_side = std::move(sides_[b][0]);
            blocks_[b].false_side = std::move(sides_[b][1]);
        }
        return StructuredCfg(std::move(blocks_), std::move(root));
    }

  private:
    /// The rest of a sequence, and the sequence that receives its blocks.
    struct Rest {
        std::span<const BlockId> sequence;
        std::size_t next;
        std::vector<BlockId>* to;
    };

    bool is_straight(const std::vector<BlockId>& side) const {
        return std::all_of(side.begin(), side.end(), [&](BlockId b) { return in_line_[index(b)]; });
    }
    std::int64_t time_of(const std::vector<BlockId>& side) const {
        std::int64_t sum = 0;
        for (const BlockId b : side) sum += time_[index(b)];
        return sum;
    }

    void take(BlockId id, std::vector<BlockId>& to) {
        const CfgBlock& block = cfg_[id];
        const std::size_t number = blocks_.size();
        to.push_back(BlockId{static_cast<std::uint32_t>(number)});
        blocks_.push_back({block.id, block.time});
        if (!block.is_branch()) return;
        if (in_line_[index(id)]) {
            const bool first = time_of(block.true_side) >= time_of(block.false_side);
            pending_.push_back({first ? block.true_side : block.false_side, 0, &to});
            return;
        }
        pending_.push_back({block.false_side, 0, &sides_[number][1]});
        pending_.push_back({block.true_side, 0, &sides_[number][0]});
    }

    const StructuredCfg& cfg_;
    std::vector<bool> in_line_;       // it contains no branch that may part
    std::vector<std::int64_t> time_;  // of such a block with all blocks nested in it
    std::vector<Rest> pending_;
    std::vector<CfgBlock> blocks_;
    std::vector<std::array<std::vector<BlockId>, 2>> sides_;
};

}  // namespace

std::string_view to_string(CfgLanes lanes) {
    constexpr std::array<std::string_view, 4> names = {"", "uniform", "divergent", "else"};
    return names[static_cast<std::size_t>(lanes)];
}

StructuredCfg with_else_sides(const StructuredCfg& cfg) {
    return paired(cfg, [](BlockId) { return true; });
}

StructuredCfg with_lanes(const StructuredCfg& cfg, std::span<const CfgLanes> lanes) {
    const auto is = [&](BlockId b, CfgLanes which) {
        return index(b) < lanes.size() && lanes[index(b)] == which;
    };
    StructuredCfg two_sided = paired(cfg, [&](BlockId b) { return is(b, CfgLanes::others); });
    std::vector<bool> uniform(cfg.size(), false);
    for (std::uint32_t b = 0; b < cfg.size(); ++b) uniform[b] = is(BlockId{b}, CfgLanes::uniform);
    if (std::find(uniform.begin(), uniform.end(), true) == uniform.end()) return two_sided;
    return UniformBranches(two_sided, uniform).result();
}

}  // namespace warpnet::netgen

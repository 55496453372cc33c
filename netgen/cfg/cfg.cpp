// Structured graphs as an array of blocks with sequences of indices. Everything is iterative, since generated
// graphs nest thousands of branches. Program order is a preorder; its reverse visits inner blocks first, and
// most algorithms on graphs are one loop over it.
//
// Checks find blocks in two places first. A block outside all sequences is missing. If each block is in one
// sequence, those that the root does not reach are inside themselves. The function report_cycle() then walks
// to parents for as many steps as there are blocks, which ends on the cycle. All of it is O(blocks), and
// find() is a linear search for single questions.

#include "netgen/cfg/cfg.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace warpnet::netgen {

namespace {

void check_block(const CfgBlock& block, std::size_t position) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (block.id.empty()) throw InputError("block number " + std::to_string(position + 1) + " has no id");
    if (std::any_of(block.id.begin(), block.id.end(), is_control)) {
        throw InputError("the id of block number " + std::to_string(position + 1) +
                         " holds a control character");
    }
    if (block.time < 0) {
        throw InputError("block '" + block.id + "' has time " + std::to_string(block.time) +
                         ", expected 0 or more");
    }
}

void check_ids_and_times(std::span<const CfgBlock> blocks) {
    if (blocks.empty()) throw InputError("a control-flow graph without blocks, expected at least one");
    if (blocks.size() > std::numeric_limits<std::uint32_t>::max())
        throw InputError("a control-flow graph of more than 4294967295 blocks");
    std::unordered_map<std::string_view, std::size_t> ids;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        check_block(blocks[i], i);
        if (!ids.emplace(blocks[i].id, i).second)
            throw InputError("block id '" + blocks[i].id + "' is used twice");
        if (blocks[i].time > std::numeric_limits<std::int64_t>::max() - sum) {
            throw InputError("the times of the blocks up to '" + blocks[i].id + "' add up to more than " +
                             std::to_string(std::numeric_limits<std::int64_t>::max()));
        }
        sum += blocks[i].time;
    }
}

// Checks that every block is in exactly one sequence. A block that is then not reachable from the root is on
// a cycle of nested blocks.
class Placement {
  public:
    explicit Placement(std::span<const CfgBlock> blocks)
        : blocks_(blocks), parent_(blocks.size()), placed_(blocks.size(), false) {}

    void place(std::span<const BlockId> sequence, std::optional<BlockId> parent) {
        for (const BlockId child : sequence) {
            if (index(child) >= blocks_.size()) {
                throw InputError(where(parent) + " names block index " + std::to_string(index(child)) +
                                 " of " + std::to_string(blocks_.size()));
            }
            if (placed_[index(child)]) {
                throw InputError("block '" + id(child) + "' is in two places: " +
                                 where(parent_[index(child)]) + " and " + where(parent));
            }
            placed_[index(child)] = true;
            parent_[index(child)] = parent;
        }
    }

    void require_all() const {
        const auto missing = std::find(placed_.begin(), placed_.end(), false);
        if (missing == placed_.end()) return;
        throw InputError("block '" + blocks_[static_cast<std::size_t>(missing - placed_.begin())].id +
                         "' is in no sequence, expected it in 'root' or in a side of a branch");
    }

    [[noreturn]] void report_cycle(std::span<const BlockId> reached) const {
        std::vector<bool> outside(blocks_.size(), true);
        for (const BlockId block : reached) outside[index(block)] = false;
        std::size_t at =
            static_cast<std::size_t>(std::find(outside.begin(), outside.end(), true) - outside.begin());
        // Every unreached block has an unreached parent, so the walk is on a cycle after as many steps as
        // there are blocks.
        for (std::size_t step = 0; step < blocks_.size(); ++step) at = index(*parent_[at]);
        std::string text = "'" + blocks_[at].id + "'";
        std::size_t shown = 0;
        for (std::size_t up = index(*parent_[at]); up != at; up = index(*parent_[up])) {
            if (++shown > 8) {
                text += " in …";
                break;
            }
            text += " in '" + blocks_[up].id + "'";
        }
        throw InputError("blocks inside themselves (a cycle): " + text + " in '" + blocks_[at].id + "'");
    }

  private:
    const std::string& id(BlockId block) const { return blocks_[index(block)].id; }
    std::string where(std::optional<BlockId> parent) const {
        return parent ? "a side of '" + id(*parent) + "'" : "the root sequence";
    }

    std::span<const CfgBlock> blocks_;
    std::vector<std::optional<BlockId>> parent_;
    std::vector<bool> placed_;
};

std::vector<BlockId> preorder(std::span<const CfgBlock> blocks, std::span<const BlockId> root) {
    std::vector<BlockId> order;
    order.reserve(blocks.size());
    std::vector<BlockId> pending(root.rbegin(), root.rend());
    while (!pending.empty()) {
        const BlockId at = pending.back();
        pending.pop_back();
        order.push_back(at);
        const CfgBlock& block = blocks[index(at)];
        pending.insert(pending.end(), block.false_side.rbegin(), block.false_side.rend());
        pending.insert(pending.end(), block.true_side.rbegin(), block.true_side.rend());
    }
    return order;
}

}  // namespace

StructuredCfg::StructuredCfg(std::vector<CfgBlock> blocks, std::vector<BlockId> root)
    : blocks_(std::move(blocks)), root_(std::move(root)) {
    check_ids_and_times(blocks_);
    Placement placement(blocks_);
    placement.place(root_, std::nullopt);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        placement.place(blocks_[i].true_side, BlockId(i));
        placement.place(blocks_[i].false_side, BlockId(i));
    }
    placement.require_all();
    program_order_ = preorder(blocks_, root_);
    if (program_order_.size() < blocks_.size()) placement.report_cycle(program_order_);
}

std::vector<BlockId> StructuredCfg::branches() const {
    std::vector<BlockId> result;
    for (const BlockId block : program_order_) {
        if ((*this)[block].is_branch()) result.push_back(block);
    }
    return result;
}

std::size_t StructuredCfg::nesting_depth() const {
    std::vector<std::size_t> depth(size(), 0);
    std::size_t deepest = 0;
    for (const BlockId at : program_order_) {
        const CfgBlock& block = (*this)[at];
        for (const auto* side : {&block.true_side, &block.false_side}) {
            for (const BlockId child : *side) depth[index(child)] = depth[index(at)] + 1;
        }
        deepest = std::max(deepest, depth[index(at)]);
    }
    return deepest;
}

std::optional<BlockId> StructuredCfg::find(std::string_view id) const {
    const auto found =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const CfgBlock& block) { return block.id == id; });
    if (found == blocks_.end()) return std::nullopt;
    return BlockId(static_cast<std::size_t>(found - blocks_.begin()));
}

std::vector<CfgPlace> places_of(const StructuredCfg& cfg) {
    std::vector<CfgPlace> places(cfg.size());
    const auto place = [&](std::span<const BlockId> sequence, std::optional<CfgSide> side) {
        for (std::size_t i = 0; i < sequence.size(); ++i) {
            CfgPlace& own = places[index(sequence[i])];
            if (i + 1 < sequence.size()) own.next = sequence[i + 1];
            own.inside = side;
            own.behind = own.next || !side ? own.next : places[index(side->branch)].behind;
        }
    };
    place(cfg.root(), {});
    std::uint32_t position = 0;
    for (const BlockId block : cfg.program_order()) {
        places[index(block)].position = position++;
        place(cfg[block].true_side, CfgSide{block, true});
        place(cfg[block].false_side, CfgSide{block, false});
    }
    return places;
}

SplitSet split_set(const StructuredCfg& cfg, std::span<const std::string> ids) {
    SplitSet splits(cfg.size(), false);
    for (const std::string& id : ids) {
        const std::optional<BlockId> block = cfg.find(id);
        if (!block) throw InputError("cannot split at '" + id + "': the graph has no such block");
        if (!cfg[*block].is_branch())
            throw InputError("cannot split at '" + id + "': the block is no branch");
        splits[index(*block)] = true;
    }
    return splits;
}

std::vector<std::string> split_ids(const StructuredCfg& cfg, const SplitSet& splits) {
    std::vector<std::string> ids;
    for (const BlockId block : cfg.program_order()) {
        if (splits.at(index(block))) ids.push_back(cfg[block].id);
    }
    return ids;
}

}  // namespace warpnet::netgen

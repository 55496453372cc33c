#pragma once

#include "netgen/cfg/cfg.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// Builds graphs of the tests from nested lists, numbering the blocks b1, b2, … in the order they are made.
class CfgSketch {
  public:
    using Sequence = std::vector<BlockId>;

    BlockId block(std::int64_t time) {
        blocks_.push_back({std::string("b").append(std::to_string(blocks_.size() + 1)), time});
        return BlockId(blocks_.size() - 1);
    }
    BlockId branch(std::int64_t time, Sequence true_side, Sequence false_side) {
        const BlockId made = block(time);
        set_sides(made, std::move(true_side), std::move(false_side));
        return made;
    }
    void set_sides(BlockId branch, Sequence true_side, Sequence false_side) {
        blocks_[index(branch)].true_side = std::move(true_side);
        blocks_[index(branch)].false_side = std::move(false_side);
    }
    StructuredCfg build(Sequence root) const { return {blocks_, std::move(root)}; }

  private:
    std::vector<CfgBlock> blocks_;
};

/// [Klashtorny24] figure 2: b1 {b2 | b3}, b4 {b5 | b6 {b7 | b8}, b9}, b10.
inline StructuredCfg figure_2() {
    CfgSketch sketch;
    std::vector<BlockId> b(1);
    for (const int time : {1, 3, 2, 1, 2, 1, 3, 5, 1, 1}) b.push_back(sketch.block(time));
    sketch.set_sides(b[1], {b[2]}, {b[3]});
    sketch.set_sides(b[4], {b[5]}, {b[6], b[9]});
    sketch.set_sides(b[6], {b[7]}, {b[8]});
    return sketch.build({b[1], b[4], b[10]});
}

/// `depth` branches one inside the other, alternately in the true and the false side; every branch has a
/// block beside the inner one and a plain other side. 3 * depth + 1 blocks.
inline StructuredCfg nest(std::size_t depth) {
    CfgSketch sketch;
    BlockId inner = sketch.block(1);
    for (std::size_t i = 0; i < depth; ++i) {
        const auto time = static_cast<std::int64_t>(i % 7);
        const std::vector<BlockId> deep = {inner, sketch.block(time)};
        const std::vector<BlockId> plain = {sketch.block(3 * time)};
        inner = i % 2 == 0 ? sketch.branch(1, deep, plain) : sketch.branch(1, plain, deep);
    }
    return sketch.build({inner});
}

/// `count` branches in a row, each with one block on either side. 3 * count blocks.
inline StructuredCfg row(std::size_t count) {
    CfgSketch sketch;
    std::vector<BlockId> root;
    for (std::size_t i = 0; i < count; ++i) {
        const auto time = static_cast<std::int64_t>(i % 5);
        const BlockId left = sketch.block(time);
        const BlockId right = sketch.block(4 - time);
        root.push_back(sketch.branch(1, {left}, {right}));
    }
    return sketch.build(root);
}

/// A full binary nest: every side of every branch is one branch, down to `levels`. 2^(levels + 1) - 1 blocks.
inline StructuredCfg full_tree(int levels) {
    CfgSketch sketch;
    std::vector<BlockId> level;
    for (int i = 0; i < (1 << levels); ++i) level.push_back(sketch.block(i % 11));
    while (level.size() > 1) {
        std::vector<BlockId> above;
        for (std::size_t i = 0; i < level.size(); i += 2)
            above.push_back(sketch.branch(1, {level[i]}, {level[i + 1]}));
        level = std::move(above);
    }
    return sketch.build(level);
}

}  // namespace warpnet::testing

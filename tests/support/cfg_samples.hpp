#pragma once

#include "engine/base/random.hpp"
#include "engine/net/net.hpp"
#include "netgen/cfg/cfg.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// Builds graphs of the tests from nested lists, numbering the blocks b1, b2, … in the order they are made.
class CfgSketch {
  public:
    using Sequence = std::vector<netgen::BlockId>;

    netgen::BlockId block(std::int64_t time) {
        blocks_.push_back({std::string("b").append(std::to_string(blocks_.size() + 1)), time});
        return netgen::BlockId(blocks_.size() - 1);
    }
    netgen::BlockId branch(std::int64_t time, Sequence true_side, Sequence false_side) {
        const netgen::BlockId made = block(time);
        set_sides(made, std::move(true_side), std::move(false_side));
        return made;
    }
    void set_sides(netgen::BlockId branch, Sequence true_side, Sequence false_side) {
        blocks_[index(branch)].true_side = std::move(true_side);
        blocks_[index(branch)].false_side = std::move(false_side);
    }
    netgen::StructuredCfg build(Sequence root) const { return {blocks_, std::move(root)}; }

  private:
    std::vector<netgen::CfgBlock> blocks_;
};

/// [Klashtorny24] figure 2: b1 {b2 | b3}, b4 {b5 | b6 {b7 | b8}, b9}, b10.
inline netgen::StructuredCfg figure_2() {
    CfgSketch sketch;
    std::vector<netgen::BlockId> b(1);
    for (const int time : {1, 3, 2, 1, 2, 1, 3, 5, 1, 1}) b.push_back(sketch.block(time));
    sketch.set_sides(b[1], {b[2]}, {b[3]});
    sketch.set_sides(b[4], {b[5]}, {b[6], b[9]});
    sketch.set_sides(b[6], {b[7]}, {b[8]});
    return sketch.build({b[1], b[4], b[10]});
}

/// `depth` branches one inside the other, alternately in the true and the false side. Every branch has a
/// block next to the inner one, and a plain block on its second side. 3 * depth + 1 blocks.
inline netgen::StructuredCfg nest(std::size_t depth) {
    CfgSketch sketch;
    netgen::BlockId inner = sketch.block(1);
    for (std::size_t i = 0; i < depth; ++i) {
        const auto time = static_cast<std::int64_t>(i % 7);
        const std::vector<netgen::BlockId> deep = {inner, sketch.block(time)};
        const std::vector<netgen::BlockId> plain = {sketch.block(3 * time)};
        inner = i % 2 == 0 ? sketch.branch(1, deep, plain) : sketch.branch(1, plain, deep);
    }
    return sketch.build({inner});
}

/// `count` branches in a row, each with one block on either side. 3 * count blocks.
inline netgen::StructuredCfg row(std::size_t count) {
    CfgSketch sketch;
    std::vector<netgen::BlockId> root;
    for (std::size_t i = 0; i < count; ++i) {
        const auto time = static_cast<std::int64_t>(i % 5);
        const netgen::BlockId left = sketch.block(time);
        const netgen::BlockId right = sketch.block(4 - time);
        root.push_back(sketch.branch(1, {left}, {right}));
    }
    return sketch.build(root);
}

/// A full binary nest: every side of every branch is one branch, down to `levels`. 2^(levels + 1) - 1 blocks.
inline netgen::StructuredCfg full_tree(int levels) {
    CfgSketch sketch;
    std::vector<netgen::BlockId> level;
    for (int i = 0; i < (1 << levels); ++i) level.push_back(sketch.block(i % 11));
    while (level.size() > 1) {
        std::vector<netgen::BlockId> above;
        for (std::size_t i = 0; i < level.size(); i += 2)
            above.push_back(sketch.branch(1, {level[i]}, {level[i + 1]}));
        level = std::move(above);
    }
    return sketch.build(level);
}

/// Any small structured graph: every shape with at most `max_branches` branches can occur, also with empty
/// sides and times of 0. It is not the program's generator, so the tests do not depend on the habits of that
/// generator.
class RandomCfg {
  public:
    RandomCfg(std::uint64_t seed, std::uint32_t max_branches)
        : random_(seed, 0),
          branches_(random_.below(max_branches + 1)),
          most_time_(1 + random_.below(100)),
          bushy_(random_.below(2) == 0) {}

    netgen::StructuredCfg build() {
        std::vector<netgen::BlockId> root = sequence(branches_);
        if (root.empty()) root.push_back(plain());
        return sketch_.build(root);
    }

  private:
    netgen::BlockId plain() { return sketch_.block(time()); }

    // Most blocks are short, a few are long.
    std::int64_t time() { return random_.below(random_.below(3) == 0 ? most_time_ : 3); }

    // A sequence that contains so many branches, including nested ones.
    std::vector<netgen::BlockId> sequence(std::uint32_t branches) {
        std::vector<netgen::BlockId> result;
        while (branches > 0) {
            const std::uint32_t nested = bushy_ ? branches - 1 : random_.below(branches);
            const std::uint32_t left = bushy_ ? nested / 2 : random_.below(nested + 1);
            if (random_.below(2) == 0) result.push_back(plain());
            const std::vector<netgen::BlockId> true_side = sequence(left);
            const std::vector<netgen::BlockId> false_side = sequence(nested - left);
            result.push_back(sketch_.branch(time(), true_side, false_side));
            branches -= nested + 1;
        }
        if (bushy_ ? result.empty() : random_.below(2) == 0) result.push_back(plain());
        return result;
    }

    CounterRandom random_;
    std::uint32_t branches_;
    std::uint32_t most_time_;
    bool bushy_;  // branches divided evenly between non-empty sides, for which the rules differ most often
    CfgSketch sketch_;
};

inline netgen::StructuredCfg random_cfg(std::uint64_t seed, std::uint32_t max_branches) {
    return RandomCfg(seed, max_branches).build();
}

struct StepCount {
    std::uint64_t steps = 0;  ///< timed steps to the dead marking
    Marking marking;          ///< the dead marking
};

/// Runs a net without conflicts (each place has tokens for all its enabled consumers) to its dead marking,
/// with input and output arcs only. It fires all enabled transitions, immediate ones first. Nothing if two
/// transitions do compete. After a step it checks only nodes that the step touched, so that long delays stay
/// cheap.
inline std::optional<StepCount> count_steps(const Net& net) {
    std::vector<std::vector<TransitionId>> consumers(net.places().size());
    for (const Arc& arc : net.arcs()) {
        if (arc.kind != ArcKind::input && arc.kind != ArcKind::output) return std::nullopt;
        if (arc.kind == ArcKind::input) consumers[index(arc.place)].push_back(arc.transition);
    }
    StepCount result{0, net.initial_marking()};
    Marking& marking = result.marking;
    const auto enabled = [&](TransitionId t) {
        const auto arcs = net.arcs_of(t);
        return std::all_of(arcs.begin(), arcs.end(), [&](const Arc& arc) {
            return arc.kind != ArcKind::input || marking[index(arc.place)] >= arc.weight;
        });
    };
    std::set<TransitionId> active;
    for (std::size_t t = 0; t < net.transitions().size(); ++t) active.insert(TransitionId(t));
    while (true) {
        std::erase_if(active, [&](TransitionId t) { return !enabled(t); });
        if (active.empty()) return result;
        std::vector<TransitionId> firing;
        for (const TransitionId t : active)
            if (net[t].immediate) firing.push_back(t);
        if (firing.empty()) {
            firing.assign(active.begin(), active.end());
            ++result.steps;
        }
        for (const TransitionId t : firing) {
            for (const Arc& arc : net.arcs_of(t)) {
                if (arc.kind != ArcKind::input) continue;
                if ((marking[index(arc.place)] -= arc.weight) < 0) return std::nullopt;
            }
        }
        for (const TransitionId t : firing) {
            for (const Arc& arc : net.arcs_of(t)) {
                if (arc.kind == ArcKind::output) marking[index(arc.place)] += arc.weight;
                active.insert(consumers[index(arc.place)].begin(), consumers[index(arc.place)].end());
            }
        }
    }
}

}  // namespace warpnet::testing

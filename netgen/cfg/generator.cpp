#include "netgen/cfg/generator.hpp"

#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace warpnet::netgen {

namespace {

constexpr int most_levels = 12;
constexpr int most_branches = 12;

void require_range(const char* what, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return;
    throw InputError(std::string(what) + " is " + std::to_string(value) + ", expected " +
                     std::to_string(least) + " to " + std::to_string(most));
}

class Generator {
  public:
    explicit Generator(const CfgShape& shape) : shape_(shape), random_(shape.seed, 0) {}

    StructuredCfg run() {
        std::vector<BlockId> root = branching_sequence(shape_.depth, true);
        return {std::move(blocks_), std::move(root)};
    }

  private:
    bool one_in(std::uint32_t n) { return random_.below(n) == 0; }
    bool nests() { return random_.below(100) < static_cast<std::uint32_t>(shape_.divergence); }

    BlockId block(std::int64_t max_time) {
        if (blocks_.size() == max_generated_blocks) {
            throw InputError("the graph would have more than " + std::to_string(max_generated_blocks) +
                             " blocks; use a smaller depth, fewer branches in sequence or another seed");
        }
        const auto bound = static_cast<std::uint32_t>(std::max<std::int64_t>(max_time, 1));
        std::string id = "b";
        id += std::to_string(blocks_.size() + 1);
        blocks_.push_back({std::move(id), 1 + static_cast<std::int64_t>(random_.below(bound))});
        return BlockId(blocks_.size() - 1);
    }

    // `levels` of nesting are left. If the sequence must reach the depth, one branch uses all of them.
    std::vector<BlockId> branching_sequence(int levels, bool reaches_depth) {
        const std::uint32_t branches =
            1 + random_.below(static_cast<std::uint32_t>(shape_.branches_in_sequence));
        const std::uint32_t deep = reaches_depth ? random_.below(branches) : branches;
        std::vector<BlockId> sequence;
        for (std::uint32_t i = 0; i < branches; ++i) {
            if (one_in(2)) sequence.push_back(block(shape_.max_time));
            sequence.push_back(branch(levels, i == deep));
        }
        if (one_in(2)) sequence.push_back(block(shape_.max_time));
        return sequence;
    }

    BlockId branch(int levels, bool reaches_depth) {
        const BlockId made = block(shape_.max_time / 10);
        const bool deep_is_true = one_in(2);
        std::vector<BlockId> true_side = side(levels - 1, reaches_depth && deep_is_true, true);
        std::vector<BlockId> false_side =
            side(levels - 1, reaches_depth && !deep_is_true, !true_side.empty());
        blocks_[index(made)].true_side = std::move(true_side);
        blocks_[index(made)].false_side = std::move(false_side);
        return made;
    }

    std::vector<BlockId> side(int levels, bool reaches_depth, bool may_be_empty) {
        if (levels > 0 && (reaches_depth || nests())) return branching_sequence(levels, reaches_depth);
        if (may_be_empty && !reaches_depth && one_in(8)) return {};
        return {block(shape_.max_time)};
    }

    const CfgShape& shape_;
    CounterRandom random_;
    std::vector<CfgBlock> blocks_;
};

}  // namespace

StructuredCfg generate_cfg(const CfgShape& shape) {
    require_range("the nesting depth", shape.depth, 1, most_levels);
    require_range("the number of branches in sequence", shape.branches_in_sequence, 1, most_branches);
    require_range("the divergence in per cent", shape.divergence, 0, 100);
    require_range("the largest block time", shape.max_time, 1, std::numeric_limits<std::int32_t>::max());
    return Generator(shape).run();
}

std::string shape_label(int depth, int branches_in_sequence) {
    std::string label = std::to_string(depth);
    label += static_cast<char>('a' + branches_in_sequence - branches_of_label_a);
    return label;
}

CfgShape parse_shape_label(const std::string& text) {
    const std::size_t letter = text.empty() ? 0 : text.size() - 1;
    const auto depth = parse_number<std::int64_t>(std::string_view(text).substr(0, letter));
    if (!depth || *depth < 1 || *depth > 12 || text[letter] < 'a' || text[letter] > 'k')
        throw UsageError(
            "--synthetic",
            "expected a nesting depth from 1 to 12 and a letter from a to k, such as 4c, found '" + text +
                "'");
    CfgShape shape;
    shape.depth = static_cast<int>(*depth);
    shape.branches_in_sequence = text[letter] - 'a' + branches_of_label_a;
    return shape;
}

}  // namespace warpnet::netgen

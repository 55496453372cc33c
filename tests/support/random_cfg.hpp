#pragma once

#include "engine/base/random.hpp"
#include "tests/support/cfg_samples.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::testing {

/// Any small structured graph: every shape with at most `max_branches` branches can occur, empty sides and
/// times of 0 among them. Not the generator of the program, so that its habits are not those of the tests.
class RandomCfg {
  public:
    RandomCfg(std::uint64_t seed, std::uint32_t max_branches)
        : random_(seed, 0),
          branches_(random_.below(max_branches + 1)),
          most_time_(1 + random_.below(100)),
          bushy_(random_.below(2) == 0) {}

    StructuredCfg build() {
        std::vector<BlockId> root = sequence(branches_);
        if (root.empty()) root.push_back(plain());
        return sketch_.build(root);
    }

  private:
    BlockId plain() { return sketch_.block(time()); }

    // Uneven: most blocks are short, a few long.
    std::int64_t time() { return random_.below(random_.below(3) == 0 ? most_time_ : 3); }

    // A sequence with so many branches in it, nested ones included.
    std::vector<BlockId> sequence(std::uint32_t branches) {
        std::vector<BlockId> result;
        while (branches > 0) {
            const std::uint32_t nested = bushy_ ? branches - 1 : random_.below(branches);
            const std::uint32_t left = bushy_ ? nested / 2 : random_.below(nested + 1);
            if (random_.below(2) == 0) result.push_back(plain());
            const std::vector<BlockId> true_side = sequence(left);
            const std::vector<BlockId> false_side = sequence(nested - left);
            result.push_back(sketch_.branch(time(), true_side, false_side));
            branches -= nested + 1;
        }
        if (bushy_ ? result.empty() : random_.below(2) == 0) result.push_back(plain());
        return result;
    }

    CounterRandom random_;
    std::uint32_t branches_;
    std::uint32_t most_time_;
    bool bushy_;  // branches evenly divided between non-empty sides: there the rules differ most often
    CfgSketch sketch_;
};

inline StructuredCfg random_cfg(std::uint64_t seed, std::uint32_t max_branches) {
    return RandomCfg(seed, max_branches).build();
}

}  // namespace warpnet::testing

#pragma once

#include "netgen/code/ptx/flow.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace warpnet {

/// Where lanes that part at a branch come together again, and with different values.
class PtxDivergence {
  public:
    explicit PtxDivergence(const PtxFlow& flow);  ///< `flow` must outlive this

    /// The block that immediately dominates it; the entry's is itself.
    std::uint32_t dominator(std::uint32_t block) const { return dominator_[block]; }

    /// Whether lanes that part at one of these branches (by block) meet again in `use` with and without what
    /// block `from` wrote. Inside a loop all lanes are in the same iteration; behind it they left it in
    /// different ones. `differ`: there are other values; else only loops matter. True where the function is
    /// too large to be looked at.
    bool splits(const std::vector<bool>& divergent, std::uint32_t from, std::uint32_t use, bool differ);

  private:
    using Reach = std::array<std::vector<bool>, 2>;
    const Reach& reach(std::uint32_t branch);

    const PtxFlow& flow_;
    std::vector<std::uint32_t> dominator_;
    std::vector<std::uint32_t> postdominator_;  // by block; the number of blocks: the end of the function
    std::map<std::uint32_t, Reach> reach_;      // by block: what each side comes to before they meet
};

}  // namespace warpnet

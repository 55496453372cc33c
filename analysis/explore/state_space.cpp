#include "analysis/explore/state_space.hpp"

#include <numeric>

namespace warpnet {

std::uint64_t StateSpace::size() const noexcept {
    std::uint64_t size = 0;
    for (const StateShard& shard : shards_) size += shard.size();
    return size;
}

std::size_t StateSpace::bytes() const noexcept {
    std::size_t bytes = 0;
    for (const StateShard& shard : shards_) bytes += shard.bytes();
    return bytes;
}

Marking StateSpace::marking(StateId state) const {
    Marking marking(layout_.places());
    layout_.unpack((*this)[state], marking);
    return marking;
}

}  // namespace warpnet

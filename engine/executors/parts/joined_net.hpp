#pragma once

#include "engine/executors/parts/divided_net.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace warpnet {

/// The whole net, equal to the net that was divided. One exception: if that net was compiled as a part of a
/// larger net (NetArcs::fed), the delay gadgets are those of an independent net. O(n log n) in arcs, as
/// compile().
CompiledNet join_parts(const DividedNet& divided);

/// The whole net of a divided net, joined at the first request and kept. Safe for concurrent use.
class JoinedNet {
  public:
    explicit JoinedNet(std::shared_ptr<const DividedNet> divided) : divided_(std::move(divided)) {}

    const CompiledNet& net() const;

  private:
    std::shared_ptr<const DividedNet> divided_;
    mutable std::once_flag joined_;
    mutable std::unique_ptr<const CompiledNet> net_;
};

}  // namespace warpnet

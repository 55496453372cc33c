#pragma once

#include "engine/executors/parts/divided_net.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace warpnet {

/// The whole net, equal to the one that was divided, unless that was compiled as a part of a larger net
/// (NetArcs::fed): its delay gadgets are then those of a net of its own. O(n log n) in arcs, as compile().
CompiledNet join_parts(const DividedNet& divided);

/// The whole of a divided net, joined when it is asked for first and kept from then on. For all threads.
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

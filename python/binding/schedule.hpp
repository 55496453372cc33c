#pragma once

#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"

#include <memory>

namespace warpnet::python {

/// A schedule and the net whose transitions it names.
struct NetSchedule {
    std::shared_ptr<const Net> net;
    Schedule steps;
};

}  // namespace warpnet::python

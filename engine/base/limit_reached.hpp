#pragma once

#include "engine/base/work_limits.hpp"

#include <stdexcept>
#include <string>

namespace warpnet {

/// Thrown deep within a computation at one of its WorkLimits. A library call whose result has a WorkEnd
/// catches it and puts why() there; where a call throws it instead, its comment says so.
class LimitReached : public std::runtime_error {
  public:
    explicit LimitReached(WorkEnd why) : LimitReached(why, std::string(to_string(why))) {}
    LimitReached(WorkEnd why, const std::string& what) : std::runtime_error(what), why_(why) {}
    WorkEnd why() const noexcept { return why_; }

  private:
    WorkEnd why_;
};

}  // namespace warpnet

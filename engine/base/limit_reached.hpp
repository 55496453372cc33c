#pragma once

#include "engine/base/work_limits.hpp"

#include <stdexcept>
#include <string>

namespace warpnet {

/// Thrown deep within a computation at one of its WorkLimits. A library function whose result has a WorkEnd
/// catches it and stores why() there. The comments of functions that throw it state this.
class LimitReached : public std::runtime_error {
  public:
    explicit LimitReached(WorkEnd why) : LimitReached(why, std::string(to_string(why))) {}
    LimitReached(WorkEnd why, const std::string& what) : std::runtime_error(what), why_(why) {}
    WorkEnd why() const noexcept { return why_; }

  private:
    WorkEnd why_;
};

}  // namespace warpnet

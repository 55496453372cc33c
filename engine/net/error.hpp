#pragma once

#include <stdexcept>

namespace warpnet {

/// Input that cannot be used: a malformed file, an impossible net, or a parameter out of range. The message
/// states the place, the expected value and the found one. The program ends with exit code 3.
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace warpnet

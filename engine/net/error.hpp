#pragma once

#include <stdexcept>

namespace warpnet {

/// What a person gave us cannot be used: a malformed file, an impossible net, a parameter out of range. The
/// message says where, what was expected and what stood there. The program ends with exit code 3.
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace warpnet

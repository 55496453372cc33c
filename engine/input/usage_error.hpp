#pragma once

#include <stdexcept>
#include <string>

namespace warpnet {

/// The command line is invalid, whatever the files contain: exit code 2. The message begins with the flag.
class UsageError : public std::runtime_error {
  public:
    /// The message reads "FLAG: MESSAGE".
    UsageError(const std::string& flag, const std::string& message)
        : std::runtime_error(flag + ": " + message) {}
    explicit UsageError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace warpnet

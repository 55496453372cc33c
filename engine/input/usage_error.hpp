#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpnet {

/// The command line is invalid, whatever the files contain: exit code 2. The message begins with the flag.
class UsageError : public std::runtime_error {
  public:
    /// The message reads "FLAG: MESSAGE".
    UsageError(const std::string& flag, const std::string& message)
        : std::runtime_error(flag + ": " + message) {}
    explicit UsageError(const std::string& message) : std::runtime_error(message) {}
};

/// Calls use(std::string) for every item of a list in a flag: "a=1,b=2".
template <class Use>
void each_item(std::string_view text, Use use) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        use(std::string(text.substr(begin, end - begin)));
        begin = end + 1;
    }
}

}  // namespace warpnet

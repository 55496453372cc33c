#pragma once

#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace warpnet::python {

/// While it exists, keeps the messages that commands write to std::cerr. Only one exists at a time; further
/// threads wait.
class Messages {
  public:
    Messages();
    ~Messages();
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    /// The messages so far, without the name of the program.
    std::vector<std::string> lines() const;

  private:
    std::unique_lock<std::mutex> lock_;
    std::ostringstream text_;
    std::streambuf* former_;
};

}  // namespace warpnet::python

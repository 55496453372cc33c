#pragma once

#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace warpnet::python {

/// While it exists, what the code of commands writes to std::cerr for people is kept instead. One at a time:
/// others wait.
class Messages {
  public:
    Messages();
    ~Messages();
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    /// What was written so far, without the name of the program.
    std::vector<std::string> lines() const;

  private:
    std::unique_lock<std::mutex> lock_;
    std::ostringstream text_;
    std::streambuf* former_;
};

}  // namespace warpnet::python

#pragma once

#include <atomic>

namespace warpnet::cli {

/// While one of these exists, the first SIGINT (Ctrl-C) or SIGTERM sets a flag instead of ending the program,
/// so that a long computation can stop and print what it knows. A second one ends the program at once.
/// At most one at a time.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    const std::atomic<bool>& flag() const noexcept;
    bool requested() const noexcept { return flag().load(); }
};

}  // namespace warpnet::cli

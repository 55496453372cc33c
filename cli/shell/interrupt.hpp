#pragma once

#include <atomic>

namespace warpnet::cli {

/// While one of these exists, the first SIGINT (Ctrl-C) or SIGTERM sets a flag instead of ending the program,
/// so that a long computation can stop and print what it knows. A second one ends the program at once.
/// At most one at a time.
class Interrupt {
  public:
    Interrupt();
    /// Signals are looked after by somebody else, who sets this flag. As many as you like.
    explicit Interrupt(const std::atomic<bool>& set_elsewhere) noexcept : set_elsewhere_(&set_elsewhere) {}
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    const std::atomic<bool>& flag() const noexcept;
    bool requested() const noexcept { return flag().load(); }

  private:
    const std::atomic<bool>* set_elsewhere_ = nullptr;
};

}  // namespace warpnet::cli

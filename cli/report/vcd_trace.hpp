#pragma once

#include "engine/net/net.hpp"
#include "engine/run/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::cli {

/// Writes down a run as a value change dump (VCD, IEEE 1364-2001 section 18), which waveform viewers such as
/// GTKWave show: in scope `places` a vector of just enough bits for each place, in scope `transitions` an
/// event for each firing transition of a step. A time unit is a timed step; immediate steps happen at the
/// time of the step before them. Memory: the text, and only what changes is written.
class VcdTrace : public Observer {
  public:
    explicit VcdTrace(const Net& net);

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override;

    /// The whole text; ends the trace.
    std::string finish();

  private:
    void move_to(std::uint64_t time);
    void add_value(std::size_t place);

    const Net& net_;
    std::vector<std::vector<std::uint32_t>> changed_by_;  // per transition: the places that it may change
    Marking marking_;
    Marking highest_;  // per place
    std::uint64_t time_ = 0;
    std::string changes_;
};

/// Identifiers that VCD readers take, one for each id, all different: other characters than letters, digits
/// and underscores become underscores, and a number is added where two would be the same.
std::vector<std::string> vcd_names(const std::vector<std::string>& ids);

}  // namespace warpnet::cli

#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::cli {

/// The quick upper bound on every run of maximal steps (run_bounds()), shown with pictures and results;
/// nothing if it is not proved at once, or if a run is endless. `worst` proves more. Kernels have no quick
/// bound: their proofs take time. Cost: some tenths of a second at most, and compile().
std::optional<std::uint64_t> certified_bound(const Net& net);

/// How a run of so many timed steps stands to that bound, for a picture; empty: there is no bound, or the
/// steps are others.
std::string note_on_bound(std::uint64_t steps, std::optional<std::uint64_t> bound);

}  // namespace warpnet::cli

#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::cli {

/// What no run of maximal steps exceeds, endless ones included (then there is none), as far as it can be
/// proved at once (run_bounds()): for a picture or a number beside which it stands. `worst` proves more; of
/// kernels so much more, and in its own time, that nothing is said of them here. Some tenths of a second at
/// most, and compile().
std::optional<std::uint64_t> certified_bound(const Net& net);

/// How a run of so many timed steps stands to that bound, for a picture; empty: there is no bound, or the
/// steps are others.
std::string note_on_bound(std::uint64_t steps, std::optional<std::uint64_t> bound);

}  // namespace warpnet::cli

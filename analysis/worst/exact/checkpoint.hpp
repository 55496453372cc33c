#pragma once

#include "analysis/worst/exact/extremes.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/compile/compiled_net.hpp"

#include <string>
#include <string_view>

namespace warpnet::worst {

/// The progress of an exact search of a net, as JSON text. O(firings of the schedule).
std::string write_checkpoint(const CompiledNet& net, Objective objective, const ExactProgress& progress);

/// Throws InputError for a text that is no checkpoint of such a search of this net, or a damaged one. Its
/// schedule is replayed. `names` is the net, for messages.
ExactProgress read_exact_checkpoint(const CompiledNet& net, const Net& names, Objective objective,
                                    std::string_view text);

/// Whether a text begins like such a checkpoint, and not like that of another search.
bool is_exact_checkpoint(std::string_view text);

}  // namespace warpnet::worst

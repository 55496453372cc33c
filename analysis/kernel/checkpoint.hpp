#pragma once

#include "analysis/kernel/annealing_search.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// A search as JSON text, one object: the instance, the options, and every chain with its string, its best
/// string and its log. Numbers survive exactly, so that a search read back goes on as the one written would
/// have. About 10 bytes a letter, two strings a chain.
std::string write_checkpoint(const AnnealingState& state);

/// The search that was written. Throws InputError, saying where, for what is no checkpoint of this version or
/// contradicts itself: a string that is not one of the instance, a best value that its string does not have.
AnnealingState read_checkpoint(std::string_view text);

/// Some chains alone, for another rank of the same program: not checked.
std::string write_chains(std::span<const Chain> chains);
std::vector<Chain> read_chains(std::string_view text);

}  // namespace warpnet

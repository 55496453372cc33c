#pragma once

#include "engine/net/net.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// A marking as JSON: {place id: tokens, ...}, places left out being empty; or what `run --json --marking`
/// prints, of which the first result is taken. Throws InputError (source: ...) for anything else.
Marking read_marking_json(std::string_view text, const std::string& source, const Net& net);

/// Firings per transition as JSON: {transition id: firings, ...}, those left out being 0; or what
/// `run --json --counts` prints, of which the mean over the results is taken. Throws InputError.
std::vector<double> read_firings_json(std::string_view text, const std::string& source, const Net& net);

}  // namespace warpnet::studies

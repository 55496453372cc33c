#pragma once

#include "engine/net/net.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpnet::studies {

/// A marking as JSON: {place id: tokens, ...}, in which omitted places are empty; or the first result of the
/// output of `run --json --marking`. Throws InputError (source: ...) for anything else.
Marking read_marking_json(std::string_view text, const std::string& source, const Net& net);

/// Firings per transition as JSON: {transition id: firings, ...}, in which omitted transitions are 0; or the
/// mean over the results of the output of `run --json --counts`. Throws InputError.
std::vector<double> read_firings_json(std::string_view text, const std::string& source, const Net& net);

}  // namespace warpnet::studies

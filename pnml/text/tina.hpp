#pragma once

#include "engine/net/net.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// A net in Tina's .net format: `net`, `tr`, `pl` and `lb` lines, arcs p, p*w, p?w (read) and p?-w
/// (inhibitor). Time intervals other than [0,w[, stopwatch arcs and priorities are refused: they change what
/// can happen. Throws InputError ("source:line: ...").
Net read_tina(std::string_view text, const std::string& source);

/// Ids keep every character, in braces where needed; names become labels. Throws InputError for immediate
/// transitions and priorities that make a difference.
std::string write_tina(const Net& net);

}  // namespace warpnet

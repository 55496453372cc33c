#pragma once

#include "engine/net/net.hpp"

#include <string>
#include <string_view>

namespace warpnet::pnml {

/// A net in Tina's .net format: `net`, `tr`, `pl` and `lb` lines, arcs p, p*w, p?w (read) and p?-w
/// (inhibitor). Time intervals other than [0,w[, stopwatch arcs and priorities are rejected, because they
/// change the behaviour. Throws InputError ("source:line: ...").
Net read_tina(std::string_view text, const std::string& source);

/// Writes Tina's .net format. Ids are kept, in braces if needed, and names become labels. Throws InputError
/// for immediate transitions and priorities with an effect.
std::string write_tina(const Net& net);

}  // namespace warpnet::pnml

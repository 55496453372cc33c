#pragma once

#include "netgen/cfg/cfg.hpp"

#include <string>
#include <string_view>

namespace warpnet {

/// Reads a structured graph from JSON (netgen/cfg/README.md):
/// `{"blocks":[{"id":"b1","time":3,"true":["b2"],"false":["b3"]},…],"root":["b1",…]}`.
/// `source` names the text in errors.
///
/// Throws InputError: with line and column where the text is no JSON; with the path of the value
/// (`blocks[3].time`) where a member is missing, unknown, given twice, of a wrong type or out of range, or a
/// block id is unknown; and as StructuredCfg does. O(text).
StructuredCfg read_cfg_json(std::string_view text, const std::string& source);

/// The same format, one block a line. Reading it again gives an equal graph.
std::string write_cfg_json(const StructuredCfg& cfg);

}  // namespace warpnet

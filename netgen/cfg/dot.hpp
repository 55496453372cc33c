#pragma once

#include "netgen/cfg/annotation.hpp"
#include "netgen/cfg/cfg.hpp"

#include <string>

namespace warpnet {

/// The graph as Graphviz text: blocks with their times, branches as diamonds, sides marked T and F.
/// O(blocks).
std::string cfg_dot(const StructuredCfg& cfg);

/// The same with its annotation: split branches are filled and their sides carry the units they hold; a point
/// marks where their wavefronts merge. Throws InputError as check_annotation does.
std::string cfg_dot(const StructuredCfg& cfg, const CfgAnnotation& annotation);

}  // namespace warpnet

#pragma once

#include "pnml/xml/xml_document.hpp"

#include <string>
#include <vector>

namespace warpnet::pnml::xml {

/// Checks every part of a net that no reader uses. Unknown parts of arcs are rejected, and so are guards,
/// times, capacities and tokens under unknown names. Parts known to have no effect (pictures, tool-specific
/// parts, rates) are ignored. `warnings`, unless null, receives one line per other kind of part: the first
/// place, the number of places and the consequence. Throws PnmlError. O(size of the net).
void check_net_parts(const Document& document, pugi::xml_node net, std::vector<std::string>* warnings);

/// The same for the content of a document outside its nets.
void check_root_parts(const Document& document, std::vector<std::string>* warnings);

}  // namespace warpnet::pnml::xml

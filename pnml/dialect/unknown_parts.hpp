#pragma once

#include "pnml/xml/xml_document.hpp"

#include <string>
#include <vector>

namespace warpnet::xml {

/// Judges every part of a net that no reader looks at. An unknown part of an arc is rejected, and so are
/// guards, times, capacities and tokens under names that are not ours. Parts that are known to be without
/// effect (pictures, tool-specific parts, rates) are left alone. `warnings`, unless null, gets one line for
/// each other kind of part: the first place, the number of places and what follows. Throws PnmlError.
/// O(size of the net).
void check_net_parts(const Document& document, pugi::xml_node net, std::vector<std::string>* warnings);

/// The same for what is around the nets of a document.
void check_root_parts(const Document& document, std::vector<std::string>* warnings);

}  // namespace warpnet::xml

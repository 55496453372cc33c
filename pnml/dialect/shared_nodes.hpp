#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

#include <string>
#include <vector>

namespace warpnet::xml {

/// Whether an element of the document says what its nets have in common, as TAPAAL writes it.
bool is_shared_node(const Document& document, pugi::xml_node element);

/// The nets of a TAPAAL file as the one net that they are together. Places with the name of a <shared-place>
/// are one place, `Shared_NAME`. Transitions with the name of a <shared-transition> fire together, one of
/// each net that has some: `Shared_NAME`, and with numbers where there are several choices; their arcs are
/// put together, those between the same nodes added up. All other nodes are called `NET_NAME`, as TAPAAL
/// calls them. Nets that are not active are left out. Throws PnmlError.
Net read_composed(const Document& document, std::vector<std::string>* warnings);

}  // namespace warpnet::xml

#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

#include <string>
#include <vector>

namespace warpnet::pnml::xml {

/// Whether an element declares a node that several nets share, as TAPAAL writes it.
bool is_shared_node(const Document& document, pugi::xml_node element);

/// The composition of the nets of a TAPAAL file. Places with the name of a <shared-place> become one place,
/// `Shared_NAME`. Transitions with the name of a <shared-transition> fire together, one from each net that
/// has some. The result is `Shared_NAME`, numbered if there are several combinations; its arcs are combined,
/// and the weights of arcs between the same nodes are added. All other nodes are named `NET_NAME`, as in
/// TAPAAL. Nets that are not active are left out. Throws PnmlError.
Net read_composed(const Document& document, std::vector<std::string>* warnings);

}  // namespace warpnet::pnml::xml

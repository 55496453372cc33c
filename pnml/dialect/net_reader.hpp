#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

namespace warpnet::xml {

/// Turns one <net> into a Net: finds its nodes and arcs on all pages, then reads the nodes in the order of
/// the document, then the references, then the arcs. Throws PnmlError.
Net read_net(const Document& document, pugi::xml_node net);

}  // namespace warpnet::xml

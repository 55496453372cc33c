#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

#include <string>
#include <vector>

namespace warpnet::xml {

/// Turns one <net> into a Net: finds its nodes and arcs on all pages, then reads the nodes in the order of
/// the document, then the references, then the arcs. Throws PnmlError; gives `warnings`, unless null, what
/// was read but is probably a mistake.
Net read_net(const Document& document, pugi::xml_node net, std::vector<std::string>* warnings);

}  // namespace warpnet::xml

#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

#include <map>
#include <string>
#include <vector>

namespace warpnet::pnml::xml {

/// Converts one <net> into a Net. Collects the nodes and arcs of all pages, then reads the nodes in the order
/// of the document, then the references, then the arcs. Throws PnmlError. `warnings`, unless null, receives
/// suspicious parts that were read, and `capacities` those of places, which are rejected otherwise.
Net read_net(const Document& document, pugi::xml_node net, std::vector<std::string>* warnings,
             std::map<std::string, Tokens>* capacities = nullptr);

}  // namespace warpnet::pnml::xml

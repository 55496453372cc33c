#pragma once

#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// The properties of a file of the Model Checking Contest (mcc.lip6.fr; `<property-set>`: reachability and
/// CTL over cardinality and fireability, upper bounds, deadlocks) about the nodes of a net, in their order.
/// Throws PnmlError, also for a place or transition that the net does not have and for LTL. O(size).
std::vector<Property> read_properties(std::string_view text, const std::string& source_name, const Net& net);

/// As read_properties. Throws InputError where the file cannot be read.
std::vector<Property> read_properties_file(const std::filesystem::path& file, const Net& net);

/// What the contest asks about every net without a file: "ReachabilityDeadlock", "OneSafe", "QuasiLiveness",
/// "Liveness", "StableMarking"; nothing for another name.
std::vector<Property> global_property(std::string_view examination, const Net& net);

}  // namespace warpnet

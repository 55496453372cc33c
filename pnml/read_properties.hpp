#pragma once

#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"
#include "pnml/xml/pnml_error.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::pnml {

/// The properties in a file of the Model Checking Contest (mcc.lip6.fr; `<property-set>`: reachability and
/// CTL over cardinality and fireability, upper bounds, deadlocks) for a net, in the order of the file. Throws
/// PnmlError, also for nodes that the net does not have and for LTL. O(size).
std::vector<Property> read_properties(std::string_view text, const std::string& source_name, const Net& net);

/// Like read_properties(). Throws InputError if the file cannot be read.
std::vector<Property> read_properties_file(const std::filesystem::path& file, const Net& net);

/// The properties of an examination that the contest applies to every net without a file:
/// "ReachabilityDeadlock", "OneSafe", "QuasiLiveness", "Liveness", "StableMarking". Empty for other names.
std::vector<Property> global_property(std::string_view examination, const Net& net);

}  // namespace warpnet::pnml

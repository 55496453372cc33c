#pragma once

#include "analysis/worst/worst_case.hpp"

#include <nlohmann/json_fwd.hpp>

namespace warpnet::worst {

/// A worst case of a net. With its schedule if that is wanted: null if there is none.
nlohmann::ordered_json to_json(const Net& net, const WorstCase& worst, bool with_schedule = false);

nlohmann::ordered_json to_json(const Machine& machine);

}  // namespace warpnet::worst

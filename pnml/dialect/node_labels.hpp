#pragma once

#include "engine/net/net.hpp"
#include "pnml/dialect/labels.hpp"
#include "pnml/dialect/timing_labels.hpp"

#include <optional>
#include <string_view>

namespace warpnet::xml {

/// What a place or transition says about itself, beside its id and its timing.
struct NodeLabels {
    std::string_view name;
    std::optional<Position> position;
    Tokens initial = 0;     ///< places only
    bool has_sort = false;  ///< places only: their sort is said, and is dot
};

/// What a node is called beside its id; empty where that is the same.
inline std::string_view node_name(const NodeLabels& labels, std::string_view id) {
    return labels.name == id ? std::string_view() : labels.name;
}

/// Reads a <place>: labels, or the attributes that TAPAAL writes instead. Throws PnmlError for a capacity, an
/// age limit, sorts other than dot and numbers that are none.
NodeLabels read_place_labels(Labels& labels, const TimingLabels& timing, pugi::xml_node place);

/// Reads a <transition>; its timing goes to `timing`. Throws PnmlError for a guard or a delay.
NodeLabels read_transition_labels(const Labels& labels, TimingLabels& timing, pugi::xml_node transition);

}  // namespace warpnet::xml

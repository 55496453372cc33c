#pragma once

#include "engine/net/net.hpp"
#include "pnml/dialect/labels.hpp"

namespace warpnet::pnml::xml {

/// The content of an <arc>.
struct ArcLabels {
    enum class Kind { ordinary, inhibitor, read };
    Kind kind = Kind::ordinary;
    Tokens weight = 1;
    bool says_weight = false;
    pugi::xml_attribute source, target;  ///< its ends; null if missing
};

/// The kind of an arc of the net. Only ordinary arcs lead to places.
inline ArcKind arc_kind(ArcLabels::Kind kind, bool from_place) {
    if (kind == ArcLabels::Kind::inhibitor) return ArcKind::inhibitor;
    if (kind == ArcLabels::Kind::read) return ArcKind::read;
    return from_place ? ArcKind::input : ArcKind::output;
}

/// Whether an element with this name is an arc, supported or not: <arc>, <inhibitorArc> ...
bool is_arc(pugi::xml_node element, std::string_view local_name);

/// Reads every spelling of docs/reference/pnml.md, "Arcs". Throws PnmlError for unsupported kinds,
/// contradictory spellings, weights below 1, time constraints, and parts that may change the meaning.
ArcLabels read_arc_labels(Labels& labels, pugi::xml_node arc);

}  // namespace warpnet::pnml::xml

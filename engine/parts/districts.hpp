#pragma once

#include "engine/parts/net_part.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpnet {

/// What firing a transition does to a place of another district.
struct Export {
    std::uint32_t neighbour;  ///< position in District::neighbours
    std::uint32_t place;      ///< of the other district
    std::int32_t delta;
};

/// A part of a net in which all conflicts of its transitions are settled. It has a copy of every place that
/// these take from or test.
struct District {
    NetPart part;
    CompiledNet net;                        ///< without outputs and inhibitors: no run looks at them
    Rows<Export> exports;                   ///< per transition
    std::vector<std::uint32_t> neighbours;  ///< districts that it exports to, ascending
};

/// A large net divided so that a step can be made district by district: who fires in one depends on nothing
/// that another does in the same step. What crosses the borders arrives after the step.
struct Districts {
    std::vector<District> districts;  ///< all transitions and places stand in one of them at least
};

/// Divides a net of one piece into districts of like size between which few arcs lead; null where that cannot
/// be done: where conflicts reach across the net, or most of what fires would have to be told to others.
/// Needs is_timed(). About linear in arcs, plus compile() of every district.
std::shared_ptr<const Districts> find_districts(const CompiledNet& net, const CompileOptions& options);

}  // namespace warpnet

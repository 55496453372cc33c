#pragma once

#include "analysis/pictures/net/piece_layout.hpp"

#include <string>
#include <string_view>

namespace warpnet::pictures {

/// The piece with an invisible loop at each node that has a name next to it: the layered layout leaves room
/// for loops and routes no arc through them. O(piece).
std::string with_room_for_names(std::string_view piece, double font_size);

/// Sets the positions of the names next to nodes (xlp) and of the weights of arcs (lp, head_lp, tail_lp) of a
/// piece. If there is room, they cover no node, no arc and no other text. Deterministic; time about linear in
/// the length of all arcs.
void place_labels(std::string_view piece, double font_size, PieceLayout& layout);

}  // namespace warpnet::pictures

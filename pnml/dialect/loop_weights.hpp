#pragma once

#include "engine/net/net.hpp"

#include <algorithm>

namespace warpnet::xml {

/// The weights of two ordinary arcs that stand for a read arc and the ordinary arcs between the same nodes,
/// as PNML has no portable read arc. An output of 0 means that no such arc is needed.
struct LoopWeights {
    Tokens input;
    Tokens output;
};

/// Together the two need, take and give what the three arcs do. A sum that leaves the range is cut to
/// max_tokens: firing overflows the place in either net. `input` and `output` are 0 where there is no such
/// arc.
inline LoopWeights loop_weights(Tokens read, Tokens input, Tokens output) {
    const Tokens needed = std::max(read, input);
    const Tokens back = needed - input;
    return {needed, output > max_tokens - back ? max_tokens : output + back};
}

}  // namespace warpnet::xml

#pragma once

#include "engine/executors/general/net.hpp"
#include "engine/executors/parts/net_part.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpnet {

/// What firing a transition does to a place of another part.
struct SentEffect {
    std::uint32_t neighbour;  ///< position in BorderedPart::neighbours
    std::uint32_t place;      ///< of the other part
    std::int32_t delta;
};

/// A part of a net in which all conflicts of its transitions are settled. It has a copy of every place that
/// these take from or test.
struct BorderedPart {
    NetPart nodes;
    CompiledNet net;  ///< without outputs, which no run looks at
    GeneralNet general;
    Rows<SentEffect> sent;                  ///< per transition
    std::vector<std::uint32_t> neighbours;  ///< parts that it sends to, ascending
};

/// A large net divided so that a step can be made part by part: who fires in one depends on nothing that
/// another does in the same step. What crosses the borders arrives after the step. All of the net is in it:
/// who has the parts need not keep the whole.
struct DividedNet {
    std::vector<BorderedPart> parts;          ///< all transitions and places stand in one of them at least
    std::size_t places = 0, transitions = 0;  ///< of the whole
    std::int32_t priority = 0;                ///< of all transitions; the parts leave it out
    CompileOptions options;                   ///< that the whole was compiled with
};

/// Divides a net of one piece into parts of like size between which few arcs lead; null where that cannot be
/// done: where conflicts reach across the net, or most of what fires would have to be told to others.
/// `arrays` is for the parts. Needs is_timed(). About linear in arcs, plus compile() of
/// every part.
std::shared_ptr<const DividedNet> divide_net(const CompiledNet& net, const PartOptions& options,
                                             const CompileOptions& arrays);
/// The same where nobody else needs the net: it is empty afterwards, and was given up on the way, unless the
/// result is null. At most about 1.5 times what it took, and not it and all of its parts at a time.
std::shared_ptr<const DividedNet> divide_net(CompiledNet&& net, const PartOptions& options,
                                             const CompileOptions& arrays);

/// The memory that it takes.
std::size_t divided_bytes(const DividedNet& divided);

}  // namespace warpnet

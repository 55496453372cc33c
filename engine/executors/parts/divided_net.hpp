#pragma once

#include "engine/executors/general/net.hpp"
#include "engine/executors/parts/net_part.hpp"
#include "engine/run/executor.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace warpnet {

/// The effect of a firing on a place of another part.
struct SentEffect {
    std::uint32_t neighbour;  ///< position in BorderedPart::neighbours
    std::uint32_t place;      ///< of the other part
    std::int32_t delta;
};

/// A part of a net that settles all conflicts of its transitions. It has a copy of every place that these
/// take from or test.
struct BorderedPart {
    NetPart nodes;
    CompiledNet net;  ///< without outputs, which runs do not use
    GeneralNet general;
    Rows<SentEffect> sent;                  ///< per transition
    std::vector<std::uint32_t> neighbours;  ///< the parts to which it sends messages, ascending
};

/// A large net, divided so that a step can be made part by part. The firings of a part do not depend on those
/// of other parts in the same step, and effects across borders arrive after the step. The parts contain the
/// whole net, so the owner of the parts need not keep it.
struct DividedNet {
    std::vector<BorderedPart> parts;          ///< every transition and place is in at least one of them
    std::size_t places = 0, transitions = 0;  ///< of the whole net
    std::int32_t priority = 0;                ///< of all transitions; the parts leave it out
    CompileOptions options;                   ///< those of the whole net
};

/// Divides a net of one piece into parts of similar size with few arcs between them. Returns null if
/// conflicts reach across the net, or if most effects would cross borders. `arrays` are the options for the
/// parts. REQUIRES: is_timed(). About linear in arcs, plus compile() of every part.
std::shared_ptr<const DividedNet> divide_net(const CompiledNet& net, const PartOptions& options,
                                             const CompileOptions& arrays);
/// The same for a net that its owner no longer needs. It is empty afterwards, unless the result is null. Its
/// memory is released on the way, so that the peak is about 1.5 times that of the net, rather than the net
/// and all its parts.
std::shared_ptr<const DividedNet> divide_net(CompiledNet&& net, const PartOptions& options,
                                             const CompileOptions& arrays);

/// The memory of the parts.
std::size_t divided_bytes(const DividedNet& divided);

/// The whole net, equal to the net that was divided. One exception: if that net was compiled as a part of a
/// larger net (NetArcs::fed), the delay gadgets are those of an independent net. O(n log n) in arcs, as
/// compile().
CompiledNet join_parts(const DividedNet& divided);

/// The whole net of a divided net, joined at the first request and kept. Safe for concurrent use.
class JoinedNet {
  public:
    explicit JoinedNet(std::shared_ptr<const DividedNet> divided) : divided_(std::move(divided)) {}

    const CompiledNet& net() const;

  private:
    std::shared_ptr<const DividedNet> divided_;
    mutable std::once_flag joined_;
    mutable std::unique_ptr<const CompiledNet> net_;
};

/// Makes each step of one net on all cores of the current arena, part by part. REQUIRES: maximal steps, no
/// stop condition and a policy other than replayed. Part i draws from seed hash_bits(seed, i). A step costs
/// the parts in which something changes, at the speed of the general executor, and the effects across
/// borders. Parts without changes sleep. `whole`: the net that was divided, if the run is observed.
std::unique_ptr<RunInProgress> begin_divided_run(const DividedNet& divided, const CompiledNet* whole,
                                                 const RunOptions& options, Observer* observer);

}  // namespace warpnet

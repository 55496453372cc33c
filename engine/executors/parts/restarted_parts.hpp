#pragma once

#include "engine/executors/modules/net.hpp"
#include "engine/executors/parts/net_part.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpnet {

/// What equal restarted parts have in common: a net of modules each of which ends with a transition of its
/// own, after which nothing of the part can fire.
struct BlockRun {
    CompiledNet net;  ///< of the part
    std::shared_ptr<const ModuleNet> modules;
    std::vector<std::uint32_t> last;  ///< the transitions that end a module, and count that
    Marking end;  ///< when all modules have ended; what the dispatcher gives leads back to net.initial
};

/// A part of a net that is run from its initial marking to its end again and again: an SM, to which a
/// dispatcher gives one block after the other.
struct RestartedPart {
    NetPart nodes;             ///< without the dispatcher and the counter
    std::uint32_t dispatcher;  ///< takes the whole counter and a token of the stock, and starts a block run
    std::uint32_t counter;     ///< the place that counts the modules that have ended
    std::shared_ptr<const BlockRun> block_run;
};

/// A net that falls into restarted parts once what they wait for is taken out.
struct RestartedParts {
    std::uint32_t stock;  ///< a place whose tokens are block runs still to be made, by whichever part
    std::vector<RestartedPart> parts;  ///< all transitions stand in one of them
    std::size_t kinds = 0;             ///< different ones
};

/// The restarted parts of a net; null where it does not consist of such alone. `arrays`: how the parts are
/// compiled. O(n log n) in arcs, plus find_modules() once a kind.
std::shared_ptr<const RestartedParts> find_restarted_parts(const CompiledNet& net,
                                                           const CompileOptions& arrays);

}  // namespace warpnet

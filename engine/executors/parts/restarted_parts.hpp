#pragma once

#include "engine/executors/modules/net.hpp"
#include "engine/executors/parts/net_part.hpp"
#include "engine/run/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpnet {

/// The common structure of equal restarted parts: a net of modules, each of which ends with a transition of
/// its own. When all modules have ended, no transition of the part can fire.
struct BlockRun {
    CompiledNet net;  ///< of the part
    std::shared_ptr<const ModuleNet> modules;
    std::vector<std::uint32_t> last;  ///< the transitions that end a module and count it
    Marking end;  ///< the marking when all modules have ended; the dispatcher then restores net.initial
};

/// A part of a net that runs from its initial marking to its end again and again, such as an SM that gets one
/// block after the other from a dispatcher.
struct RestartedPart {
    NetPart nodes;  ///< without the dispatcher and the counter
    std::uint32_t
        dispatcher;  ///< takes all tokens of the counter and a token of the stock, and starts a block run
    std::uint32_t counter;  ///< counts the modules that have ended
    std::shared_ptr<const BlockRun> block_run;
};

/// A net that consists of restarted parts once the stock is removed.
struct RestartedParts {
    std::uint32_t stock;               ///< a place whose tokens are the remaining block runs, for any part
    std::vector<RestartedPart> parts;  ///< every transition is in one of them
    std::size_t kinds = 0;             ///< distinct ones
};

/// The restarted parts of a net. Null if the net does not consist of such parts only. `arrays`: the options
/// for compiling the parts. O(n log n) in arcs, plus find_modules() once per kind.
std::shared_ptr<const RestartedParts> find_restarted_parts(const CompiledNet& net,
                                                           const CompileOptions& arrays);

/// Runs restarted parts block run by block run, on all cores of the current arena. Each block run is executed
/// by the module executor. The requirements are those of begin_module_run(). Block run k of part i draws from
/// seed hash_bits(hash_bits(seed, i), k), unless the draws are `keyed`. It costs the block runs, and at most
/// one unused block run per part.
std::unique_ptr<RunInProgress> begin_restarted_run(const CompiledNet& net, const RestartedParts& parts,
                                                   const RunOptions& options, Observer* observer);

}  // namespace warpnet

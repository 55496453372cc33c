#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/run/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpnet {

/// The tables of the general executor for a net.
struct GeneralNet {
    /// Per place: the row of rival_groups with the demand classes of its consumers. Row 0 is empty and
    /// belongs to hubs and to places without rivals. The whole table is empty for nets without hubs.
    std::vector<std::uint32_t> rivals;
    Rows<std::uint32_t> rival_groups;
};

/// O(n log n) in arcs.
GeneralNet prepare_general(const CompiledNet& net);

/// The memory of these tables.
std::size_t general_bytes(const GeneralNet& net);

/// The general executor, for every net, semantics, policy and observer. See ExecutorKind for its cost. Calls
/// prepare_general() if `general` is null.
std::unique_ptr<RunInProgress> begin_general_run(const CompiledNet& net,
                                                 std::shared_ptr<const GeneralNet> general,
                                                 const RunOptions& options, Observer* observer);

}  // namespace warpnet

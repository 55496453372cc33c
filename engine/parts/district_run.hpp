#pragma once

#include "engine/run/execution.hpp"

namespace warpnet {

/// Makes each step of one net on all cores of the present arena, district by district. Needs
/// CompiledNet::districts, maximal steps, no stop condition and a policy other than replayed. District i
/// draws from seed hash_bits(seed, i). Cost of a step: that of the districts in which something changes, by
/// the general executor, and of what crosses their borders; districts in which nothing changes sleep.
std::unique_ptr<Execution> begin_district_run(const CompiledNet& net, const RunOptions& options,
                                              Observer* observer);

}  // namespace warpnet

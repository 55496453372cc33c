#pragma once

#include "analysis/studies/compare/measurement.hpp"

#include <array>
#include <optional>

namespace warpnet {

/// What one warp of a kernel executes in the classes of the family `warps`: arithmetic, shared, global.
std::array<double, 3> warp_classes(const KernelProfile& kernel);

/// Steps that the family `warps` needs for a measurement: of its counts on one SM or, where it has a profile,
/// of the blocks of the busiest SM, resident ones together and one set after the other. Warps of more than
/// 2000 instructions are run with fewer and the steps scaled, since they grow in proportion. One run, with
/// the draws of predict.seed. Nothing where it was interrupted. Throws InputError where the measurement has
/// neither counts nor a profile.
std::optional<double> warps_steps(const Measurement& measurement, const CompareOptions& options);

}  // namespace warpnet

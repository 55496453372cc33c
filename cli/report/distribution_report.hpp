#pragma once

#include "analysis/studies/runs/distribution_json.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpnet::cli {

std::string distribution_text(const Net& net, const StepDistribution& distribution);

/// done if the distribution is complete and every run ends.
ExitCode exit_code_of(const StepDistribution& distribution);

/// `bound`: no run takes more steps, whatever the policy; absent: none is known.
std::string tail_text(const TailEstimate& tail, const std::optional<QuickBound>& bound);

}  // namespace warpnet::cli

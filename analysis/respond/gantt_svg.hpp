#pragma once

#include "analysis/respond/respond.hpp"
#include "netgen/blocks/task_set.hpp"

#include <string>

namespace warpnet {

/// The kept block groups over time as a self-contained SVG: one band an SM, and one for the copy engine where
/// it was used; a block is as high as its share of the SM's threads, one colour an operation. Says in the
/// picture where groups were not kept.
std::string gantt_svg(const TaskSet& tasks, const RespondResult& result);

}  // namespace warpnet

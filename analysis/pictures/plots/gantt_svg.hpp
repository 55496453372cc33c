#pragma once

#include "analysis/pictures/picture_style.hpp"
#include "analysis/studies/respond/respond.hpp"
#include "netgen/blocks/task_set.hpp"

#include <string>

namespace warpnet::pictures {

/// The kept block groups over time as a self-contained SVG: one band per SM, one for the copy engine and each
/// core if they were used. Neighbouring SMs with equal blocks at equal times share a band. The height of a
/// block is its share of the SM's threads; each operation has a colour. A lane for each operation shows
/// releases, deadlines, completions and misses of its judged jobs. The axis is in the unit of the set or a
/// thousand of it (ns, us, ms, s). The picture notes if some groups were not kept.
std::string gantt_svg(const netgen::TaskSet& tasks, const studies::RespondResult& result,
                      const PictureStyle& style = {});

}  // namespace warpnet::pictures

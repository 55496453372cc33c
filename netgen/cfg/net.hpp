#pragma once

#include "engine/net/net.hpp"
#include "netgen/cfg/annotation.hpp"

namespace warpnet {

/// The net of an annotated graph: the steps to its dead marking are the worst-case
/// execution time of the annotation, where every branch diverges.
///
/// Block b of e(b) >= 1 steps is the delay gadget `b_run` (waits), `b_timer` (e - 1 tokens), `b_tick`,
/// `b_done`; of 0 steps, `b_run` and an immediate `b_done`. An unsplit branch runs its true, then its false
/// side. A split one goes on through `b_ready` and the immediate transitions `b_fork` and `b_join`; each side
/// ends in `b_true_end` or `b_false_end`. The token of the running wavefront is one unit; what a part of the
/// graph holds beyond that are tokens of `units` (top level), `b_true_units` and `b_false_units`: a fork
/// takes them from the part the branch stands in, the join gives them back. A finished run has one token in
/// `end` and the spare units in `units`.
///
/// Throws InputError as check_annotation does. O(blocks) nodes and time.
Net cfg_net(const StructuredCfg& cfg, const CfgAnnotation& annotation);

}  // namespace warpnet

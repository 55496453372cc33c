#pragma once

#include "analysis/studies/files/measured_table.hpp"
#include "analysis/studies/files/table.hpp"

namespace warpnet::studies {

/// A table of counts: the columns kernel, time_us or cycles, and warps, arith, shared, global, or blocks,
/// threads and the names of profile_fields(). Throws InputError (source:line: …).
MeasuredTable read_plain_table(Table& rows, const MeasuredOptions& options);

}  // namespace warpnet::studies

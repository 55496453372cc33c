#include "cli/commands/certified_bound.hpp"

#include "analysis/worst/bounds/run_bounds.hpp"
#include "cli/commands/worst.hpp"
#include "netgen/kernel/kernel.hpp"
#include "netgen/warps/warps.hpp"

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

std::optional<std::uint64_t> bound_of(const Net& net) {
    const RunBounds bounds = run_bounds(net, plan(compile(net)));
    if (bounds.upper.empty()) return {};
    return bounds.upper.front().steps;
}

}  // namespace

std::optional<std::uint64_t> certified_bound(const Net& net) {
    if (recognise_kernel(net)) return {};
    const std::optional<WarpsSpec> grid = recognise_grid(net);
    if (!grid) return bound_of(net);
    const std::optional<std::uint64_t> block = bound_of(warps_net(one_block(*grid)));
    if (!block) return {};
    return static_cast<std::uint64_t>(grid_steps(*grid, static_cast<Tokens>(*block)));
}

std::string note_on_bound(std::uint64_t steps, std::optional<std::uint64_t> bound) {
    if (!bound || steps > *bound) return "";
    return steps == *bound ? "no run of this net is longer (certified)"
                           : fmt::format("quick bound of this net: {} (certified)", *bound);
}

}  // namespace warpnet::cli

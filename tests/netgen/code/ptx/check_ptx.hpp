#pragma once

#include "engine/net/error.hpp"
#include "netgen/cfg/text.hpp"
#include "netgen/code/ptx/kernel.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx_input.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpnet::testing {

inline void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

/// Instructions of all blocks times their executions; nothing if that is more than 2^63 - 1.
inline std::optional<std::int64_t> instructions_of_blocks(const netgen::PtxReport& report) {
    std::int64_t sum = 0;
    for (const netgen::PtxBlockReport& block : report.blocks) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(block.instructions, block.executions, &product) ||
            __builtin_add_overflow(sum, product, &sum))
            return std::nullopt;
    }
    return sum;
}

/// The check for every accepted kernel: classes, blocks, letters and the times of the structured graph count
/// the same instructions.
inline void check_ptx_kernel(const netgen::PtxModule& module, const std::string& kernel,
                             netgen::PtxOptions options) {
    const netgen::PtxReport all = netgen::analyse_ptx(module, kernel, options);
    require(instructions_of_blocks(all) == all.profile.counts.total(), "blocks and classes differ");
    options.paths = netgen::PtxPaths::longest;
    const netgen::PtxReport longest = netgen::analyse_ptx(module, kernel, options);
    require(longest.profile.counts.total() <= all.profile.counts.total(), "a path longer than all sides");
    require(instructions_of_blocks(longest) == longest.profile.counts.total(),
            "blocks and classes of the path differ");
    options.paths = netgen::PtxPaths::all_sides;
    if (!all.complete()) return;
    const netgen::WarpCounts warps = netgen::ptx_warp_counts(all.profile.counts);
    require(warps.arith + warps.shared + warps.global == all.profile.counts.total(), "a class got lost");
    try {
        const std::string letters = netgen::expand_ptx_string(module, kernel, options, 100'000);
        for (const char letter : {'C', 'L', 'S', 'D'}) {
            std::int64_t expected = 0;
            for (std::size_t c = 0; c < netgen::ptx_class_count; ++c)
                if (netgen::ptx_letter(netgen::PtxClass(c)) == letter)
                    expected += all.profile.counts.by_class[c];
            require(std::count(letters.begin(), letters.end(), letter) == expected,
                    "letters and classes differ");
        }
    } catch (const InputError&) {
    }
    const netgen::ControlFlowGraph graph = netgen::ptx_control_flow(module, kernel, options);
    require(netgen::read_cfg_text(netgen::write_cfg_text(graph), "graph") == graph,
            "a graph changes when written and read");
    try {
        const netgen::StructuredCfg cfg = netgen::structure(graph);
        std::int64_t time = 0;
        for (const netgen::CfgBlock& block : cfg.blocks()) time += block.time;
        // The shorter side of a branch whose lanes do not part is not executed.
        const bool shortened = std::ranges::any_of(
            graph.nodes, [](const netgen::CfgNode& node) { return node.lanes == netgen::CfgLanes::uniform; });
        require(shortened ? time <= all.profile.counts.total() : time == all.profile.counts.total(),
                "the structured graph takes another time");
    } catch (const InputError&) {
    }
}

/// Any bytes, PTX or machine code of NVIDIA or AMD, are rejected with an InputError or make a module whose
/// kernels pass the check above. Returns whether they make a module.
inline bool check_ptx(std::string_view bytes) {
    netgen::PtxModule module;
    try {
        module = netgen::read_code(bytes, "text");
    } catch (const InputError&) {
        return false;
    }
    for (const std::string& kernel : module.kernels()) {
        for (const std::int64_t trips : {-1, 0, 3}) {
            netgen::PtxOptions options;
            for (int loop = 1; trips >= 0 && loop <= 20; ++loop)
                options.trips["#" + std::to_string(loop)] = trips;
            try {
                check_ptx_kernel(module, kernel, options);
            } catch (const InputError&) {
            }
            options.launch = {.params = {}, .grid = {3, 1, 1}, .block = {40, 2, 1}};
            try {
                const netgen::PtxReport report = netgen::analyse_ptx(module, kernel, options);
                for (const netgen::PtxWarpGroup& group : report.groups)
                    require(group.counts.total() <= report.profile.counts.total(), "a warp of more than all");
            } catch (const InputError&) {
            }
        }
    }
    return true;
}

}  // namespace warpnet::testing

// Times of basic blocks from measurements between instrumented instructions: branches, instructions that
// restore EXEC, and the end of the kernel. Between two of them control only continues into the next block.
// The shares of blocks in a measurement are unknown, so each gets the whole time, and a path through them is
// never too short. A block with an instrumented instruction inside has several parts, whose times add up. The
// longest measurement of each part counts.

#include "netgen/code/gcn/gem5_times.hpp"

#include "engine/base/text.hpp"
#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/values/flow.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

struct Measurement {
    std::uint64_t kernel = 0, start = 0, end = 0;
    std::int64_t ticks = 0;
};

/// The numbers after "| Measure |"; nothing for a malformed line.
std::optional<Measurement> parse(std::string_view fields) {
    std::array<std::int64_t, 5> numbers = {};
    for (std::int64_t& number : numbers) {
        const std::size_t end = fields.find('|');
        if (end == std::string_view::npos) return std::nullopt;
        const auto value = parse_number<std::int64_t>(trimmed(fields.substr(0, end)));
        if (!value || *value < 0) return std::nullopt;
        number = *value;
        fields.remove_prefix(end + 1);
    }
    return Measurement{static_cast<std::uint64_t>(numbers[0]), static_cast<std::uint64_t>(numbers[1]),
                       static_cast<std::uint64_t>(numbers[2]), numbers[4]};
}

class Timer {
  public:
    Timer(const PtxModule& module, const PtxFunction& function)
        : function_(function), flow_(ptx_flow(module, function)), parts_(flow_.blocks.size()) {}

    /// False if control cannot reach the second one without an instrumented instruction in between.
    bool add(const Measurement& measured) {
        bool found = false;
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
            const PtxBlock& own = flow_.blocks[b];
            for (std::uint32_t i = own.first; i < own.last; ++i) {
                const PtxInstruction& at = function_.instructions[i];
                if (at.address != measured.start) continue;
                if (at.ptx_class != PtxClass::branch) found |= follow(b, i, measured);
                if (at.ptx_class != PtxClass::branch) continue;
                for (const std::uint32_t next : own.successors)
                    found |= follow(next, flow_.blocks[next].first, measured);
            }
        }
        return found;
    }

    std::size_t size() const { return parts_.size(); }
    bool is_timed(std::uint32_t block) const { return !parts_[block].empty(); }
    std::int64_t ticks(std::uint32_t block) const {
        std::int64_t sum = 0;
        for (const auto& [first, ticks] : parts_[block]) sum += ticks;
        return sum;
    }

  private:
    /// Walks from an instruction to the end of the measurement, and records its time.
    bool follow(std::uint32_t block, std::uint32_t first, const Measurement& measured) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;  // block, its first instruction
        for (std::size_t steps = 0; steps <= flow_.blocks.size(); ++steps) {
            const PtxBlock& own = flow_.blocks[block];
            const auto ends = [&](const PtxInstruction& i) { return i.address == measured.end; };
            const auto begin = function_.instructions.begin();
            const auto end = std::find_if(begin + first, begin + own.last, ends);
            const bool here = end != begin + own.last;
            // An instruction that restores EXEC belongs to the following part, and a branch to the preceding
            // one.
            const bool empty = here && end == begin + first && !is_last(*end);
            if (!empty) parts.emplace_back(block, first);
            if (here) {
                for (const auto& [b, i] : parts) {
                    std::int64_t& ticks = parts_[b][i];
                    ticks = std::max(ticks, measured.ticks);
                }
                return true;
            }
            if (own.first == own.last || is_last(function_.instructions[own.last - 1]) ||
                own.successors.size() != 1)
                return false;
            block = own.successors.front();
            first = flow_.blocks[block].first;
        }
        return false;
    }

    static bool is_last(const PtxInstruction& i) {
        return i.ptx_class == PtxClass::branch || i.ptx_class == PtxClass::leave;
    }

    const PtxFunction& function_;
    PtxFlow flow_;
    std::vector<std::map<std::uint32_t, std::int64_t>> parts_;  // by block, then by first instruction
};

}  // namespace

std::vector<std::string> add_gem5_times(ControlFlowGraph& graph, const PtxModule& module,
                                        std::string_view kernel, std::string_view log,
                                        const std::string& source) {
    if (module.version != "GCN")
        throw InputError(
            fmt::format("{}: times of gem5 are for AMD GPU assembly, and {} is none", source, module.source));
    const std::vector<std::string> kernels = module.kernels();
    const auto number =
        static_cast<std::uint64_t>(std::find(kernels.begin(), kernels.end(), kernel) - kernels.begin());
    Timer timer(module, module.functions[*module.find(kernel)]);
    constexpr std::string_view sign = "| Measure |";
    std::size_t lines = 0;
    each_line(log, [&](std::size_t line, std::string_view text) {
        const std::size_t at = text.find(sign);
        if (at == std::string_view::npos) return;
        const auto measured = parse(text.substr(at + sign.size()));
        if (!measured)
            throw InputError(
                fmt::format("{}:{}: expected | Measure | kernel | start | end | count | ticks |, found '{}'",
                            source, line, visible(std::string(trimmed(text.substr(at))))));
        if (measured->kernel != number) return;
        ++lines;
        if (!timer.add(*measured))
            throw InputError(
                fmt::format("{}:{}: expected a way from byte {} to byte {} of kernel '{}' without a branch, "
                            "found none: the log is of other code",
                            source, line, measured->start, measured->end, visible(std::string(kernel))));
    });
    if (lines == 0)
        throw InputError(fmt::format("{}: expected lines '| Measure | {} | …' of kernel '{}', found none",
                                     source, number, visible(std::string(kernel))));
    std::vector<std::string> unmeasured;
    for (std::uint32_t b = 0; b < timer.size(); ++b) {
        CfgNode& node = graph.nodes[b];
        if (timer.is_timed(b)) {
            if (node.time > 0) node.time = timer.ticks(b);
        } else if (node.time > 0) {
            unmeasured.push_back(node.id);
        }
    }
    return unmeasured;
}

}  // namespace warpnet::netgen

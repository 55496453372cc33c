// Loops that nvcc unrolled. It writes `for (i = 0; i < n; ++i)` as a loop of U iterations per trip and one of
// n mod U trips before or behind it. The counters of both identify them: the remainder counts down to 0 from
// x & (U - 1), or x rem U, one at a time, and the counter of the main loop changes by U. Two neighbouring
// loops with these counters count as one loop of the source. Labels and the pragma "nounroll" were rejected
// as evidence, because nvcc 13 sets the pragma for either loop, or for neither.

#include "netgen/code/ptx/values/unrolled.hpp"

#include "netgen/code/ptx/values/trips.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace warpnet::netgen {

namespace {

class UnrolledFinder {
  public:
    UnrolledFinder(const PtxFunction& function, const PtxFlow& flow, const PtxConstants& constants)
        : function_(function), flow_(flow), constants_(constants) {}

    std::vector<PtxUnrolledLoop> find() const {
        std::vector<std::uint32_t> order(flow_.loops.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, {}, [&](std::uint32_t l) { return flow_.loops[l].place; });
        std::vector<PtxUnrolledLoop> pairs;
        for (const std::uint32_t l : order) {
            const auto factor = left_over_of(l);
            if (!factor) continue;
            for (const std::uint32_t other : {neighbour(order, l, -1), neighbour(order, l, 1)}) {
                if (other == l || unrolled_loop_of(pairs, other) || !changes_by(other, *factor)) continue;
                pairs.push_back({other, l, *factor});
                break;
            }
        }
        std::ranges::sort(pairs, {}, [&](const PtxUnrolledLoop& pair) {
            return std::min(flow_.loops[pair.main].place, flow_.loops[pair.remainder].place);
        });
        return pairs;
    }

  private:
    std::optional<PtxCounter> counter_of(std::uint32_t loop) const {
        if (flow_.loops[loop].exits.size() != 1) return std::nullopt;
        const auto test =
            PtxExitTest::of(function_, flow_, constants_, loop, flow_.loops[loop].exits.front());
        return test ? test->counter(constants_.launch()) : std::nullopt;
    }

    /// U, if the loop counts down from a number modulo U.
    std::optional<std::int64_t> left_over_of(std::uint32_t loop) const {
        const auto counter = counter_of(loop);
        if (!counter || counter->by != -1) return std::nullopt;
        std::optional<std::int64_t> factor;
        for (const std::uint32_t at : constants_.definitions(counter->reg)) {
            if (flow_.is_inside(constants_.block_of(at), loop)) continue;
            if (factor) return std::nullopt;
            factor = modulus_of(function_.instructions[at]);
            if (!factor) return std::nullopt;
        }
        return factor;
    }

    std::optional<std::int64_t> modulus_of(const PtxInstruction& instruction) const {
        const auto operation = ptx_operation(instruction.opcode);
        const auto operands = function_.operands_of(instruction);
        if (!operation || instruction.guard || operands.size() != 3 ||
            operands[2].kind != PtxOperand::Kind::integer)
            return std::nullopt;
        const std::int64_t number = operands[2].value;
        if (operation->op == PtxOperator::remainder && number > 1) return number;
        if (operation->op != PtxOperator::bit_and || number < 1) return std::nullopt;
        const auto factor = static_cast<std::uint64_t>(number) + 1;
        return std::has_single_bit(factor) ? std::optional(static_cast<std::int64_t>(factor)) : std::nullopt;
    }

    bool changes_by(std::uint32_t loop, std::int64_t factor) const {
        const auto counter = counter_of(loop);
        return counter && (counter->by == factor || counter->by == -factor);
    }

    /// The next loop in the text with the same loop around it; itself if there is none.
    std::uint32_t neighbour(const std::vector<std::uint32_t>& order, std::uint32_t loop, int way) const {
        auto at = std::ranges::find(order, loop) - order.begin();
        for (at += way; at >= 0 && at < std::ssize(order); at += way) {
            const std::uint32_t other = order[static_cast<std::size_t>(at)];
            if (flow_.loops[other].parent == flow_.loops[loop].parent) return other;
        }
        return loop;
    }

    const PtxFunction& function_;
    const PtxFlow& flow_;
    const PtxConstants& constants_;
};

}  // namespace

std::vector<PtxUnrolledLoop> find_unrolled_loops(const PtxFunction& function, const PtxFlow& flow,
                                                 const PtxConstants& constants) {
    return UnrolledFinder(function, flow, constants).find();
}

std::optional<PtxUnrolledLoop> unrolled_loop_of(const std::vector<PtxUnrolledLoop>& pairs,
                                                std::uint32_t loop) {
    for (const PtxUnrolledLoop& pair : pairs)
        if (pair.main == loop || pair.remainder == loop) return pair;
    return std::nullopt;
}

std::vector<std::size_t> ptx_source_places(const PtxFlow& flow, const std::vector<PtxUnrolledLoop>& pairs) {
    std::vector<std::size_t> first(flow.loops.size());  // the place of the loop, or of the first of its pair
    for (std::uint32_t l = 0; l < flow.loops.size(); ++l) {
        const auto pair = unrolled_loop_of(pairs, l);
        first[l] = !pair ? flow.loops[l].place
                         : std::min(flow.loops[pair->main].place, flow.loops[pair->remainder].place);
    }
    std::vector<std::size_t> sorted = first;
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::vector<std::size_t> places;
    places.reserve(first.size());
    for (const std::size_t place : first)
        places.push_back(static_cast<std::size_t>(std::ranges::lower_bound(sorted, place) - sorted.begin()) +
                         1);
    return places;
}

}  // namespace warpnet::netgen

// Trips of a loop from its exit tests. The instructions of an iteration on which a test depends are
// collected. A counter that changes by a constant is solved from its distance to the bound in O(1), with care
// for counters that would wrap. Any other arithmetic is run iteration by iteration, up to max_proved_trips,
// and a repeated state proves an endless loop [Brent80].
//
// Cost: collecting takes O(s log s) for the s <= longest_slice instructions of a test. Running it takes O(s)
// per iteration, limited by most_work instructions per loop. Only one earlier state is kept for comparison,
// at powers of two, so memory does not grow with the trips.
//
// No trips are proved from a slice with a guarded instruction or a load from memory. Nor are they if the
// block of the test does not run in every iteration, because its count is then not that of the iterations.
// For intervals of start values a test for inequality gives no upper bound, because some thread might step
// over the bound.

#include "netgen/code/ptx/values/trips.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace warpnet::netgen {
namespace {

constexpr std::size_t longest_slice = 1000;     // instructions; also bounds trips * instructions below
constexpr std::uint64_t most_work = 1'000'000;  // instructions computed for one loop

}  // namespace

class PtxExitTest::Builder {
  public:
    Builder(const PtxFunction& function, const PtxFlow& flow, const PtxConstants& constants,
            std::uint32_t loop, std::uint32_t exit)
        : function_(function), flow_(flow), constants_(constants), loop_(loop), exit_(exit) {}

    std::optional<PtxExitTest> build() {
        const PtxBlock& block = flow_.blocks[exit_];
        if (block.first == block.last) return std::nullopt;
        const PtxInstruction& branch = function_.instructions[block.last - 1];
        const bool decides = branch.ptx_class == PtxClass::branch || branch.ptx_class == PtxClass::leave;
        if (!decides || !branch.guard || branch.target_count > 1 || block.successors.size() != 2 ||
            !runs_in_every_iteration(exit_))
            return std::nullopt;
        const bool taken_leaves = !flow_.is_inside(block.successors[0], loop_);
        if (taken_leaves == !flow_.is_inside(block.successors[1], loop_)) return std::nullopt;
        const auto predicate = slot_of(branch.guard->reg, block.last - 1);
        if (!predicate) return std::nullopt;
        test_.predicate_ = *predicate;
        test_.leaves_on_ = taken_leaves != branch.guard->negated;
        if (!collect()) return std::nullopt;
        return std::move(test_);
    }

  private:
    bool runs_in_every_iteration(std::uint32_t block) const {
        const std::vector<std::uint32_t>& latches = flow_.loops[loop_].latches;
        return flow_.loop_of[block] == loop_ &&
               std::all_of(latches.begin(), latches.end(),
                           [&](std::uint32_t latch) { return flow_.dominates(block, latch); });
    }

    /// The definitions of a register inside the loop.
    std::vector<std::uint32_t> definitions_inside(PtxRegister reg) const {
        const auto all = constants_.definitions(reg);
        const PtxFlowLoop& loop = flow_.loops[loop_];
        std::vector<std::uint32_t> inside;
        for (auto at = std::lower_bound(all.begin(), all.end(), loop.first);
             at != all.end() && *at < loop.last; ++at)
            if (flow_.is_inside(constants_.block_of(*at), loop_)) inside.push_back(*at);
        return inside;
    }

    /// The slot of a register that an instruction reads. If definitions that do not run in every iteration
    /// also write it (an inner loop), it is the slot of its last definition before in the same block. Only
    /// this definition reaches the instruction. Nothing if there is none.
    std::optional<std::size_t> slot_of(PtxRegister reg, std::uint32_t use) {
        const auto add = [&](std::uint32_t only) {
            const auto [found, is_new] = slots_.emplace(std::pair(index(reg), only), test_.registers_.size());
            if (is_new) test_.registers_.push_back(reg);
            if (is_new) only_definition_.push_back(only);
            return found->second;
        };
        if (const auto whole = slots_.find(std::pair(index(reg), any)); whole != slots_.end())
            return whole->second;
        const std::vector<std::uint32_t> inside = definitions_inside(reg);
        if (std::all_of(inside.begin(), inside.end(),
                        [&](std::uint32_t at) { return runs_in_every_iteration(constants_.block_of(at)); }))
            return add(any);
        const auto behind = std::lower_bound(inside.begin(), inside.end(), use);
        if (behind == inside.begin() || constants_.block_of(*(behind - 1)) != constants_.block_of(use))
            return std::nullopt;
        return add(*(behind - 1));
    }

    // The definitions inside the loop of all registers needed.
    bool collect() {
        for (std::size_t slot = 0; slot < test_.registers_.size(); ++slot) {
            const std::uint32_t only = only_definition_[slot];
            if (only != any) {
                if (!runs_in_every_iteration(constants_.block_of(only)) || !add_step(only, slot))
                    return false;
                continue;
            }
            for (const std::uint32_t at : definitions_inside(test_.registers_[slot]))
                if (!add_step(at, slot)) return false;
        }
        // Blocks that run in every iteration dominate one another, in the order of their execution.
        std::vector<Step>& steps = test_.steps_;
        std::sort(steps.begin(), steps.end(), [&](const Step& a, const Step& b) {
            const std::uint32_t x = constants_.block_of(a.instruction);
            const std::uint32_t y = constants_.block_of(b.instruction);
            return x == y ? a.instruction < b.instruction : flow_.dominates(x, y);
        });
        const auto behind = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
            const std::uint32_t block = constants_.block_of(step.instruction);
            return block != exit_ && flow_.dominates(exit_, block);
        });
        test_.behind_test_ = static_cast<std::size_t>(behind - steps.begin());
        return true;
    }

    bool add_step(std::uint32_t at, std::size_t slot) {
        const PtxInstruction& instruction = function_.instructions[at];
        if (test_.steps_.size() == longest_slice || instruction.guard) return false;
        if (!ptx_destination(function_, instruction)) return false;
        const std::string_view param = ptx_loaded_param(function_, instruction);
        if (!param.empty()) {  // the same in every iteration
            const auto value = constants_.launch().param(function_, param);
            if (!value) return false;
            const PtxOperation move = {PtxOperator::move, 1, 64, false, 64};
            test_.steps_.push_back({at, move, slot, {{PtxSource::Kind::constant, *value}}});
            return true;
        }
        const auto operation = ptx_operation(instruction.opcode);
        auto sources = operation ? ptx_sources(function_, instruction) : std::nullopt;
        if (!sources || sources->size() != operation->sources || sources->size() > 3) return false;
        for (PtxSource& source : *sources) {
            if (source.kind == PtxSource::Kind::unknown) return false;
            if (source.kind != PtxSource::Kind::reg) continue;
            const auto read = slot_of(source.reg, at);
            if (!read) return false;
            source.slot = *read;
        }
        test_.steps_.push_back({at, *operation, slot, std::move(*sources)});
        return true;
    }

    const PtxFunction& function_;
    const PtxFlow& flow_;
    const PtxConstants& constants_;
    std::uint32_t loop_;
    std::uint32_t exit_;
    static constexpr std::uint32_t any = 0xFFFFFFFF;  // every definition inside the loop
    std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> slots_;
    std::vector<std::uint32_t> only_definition_;  // by slot
    PtxExitTest test_;
};

std::optional<PtxExitTest> PtxExitTest::of(const PtxFunction& function, const PtxFlow& flow,
                                           const PtxConstants& constants, std::uint32_t loop,
                                           std::uint32_t exit) {
    return Builder(function, flow, constants, loop, exit).build();
}

class PtxExitTest::Run {
  public:
    Run(const PtxExitTest& test, std::span<const PtxRange> at_entry, const PtxPart& part,
        const PtxLaunch& launch)
        : test_(test), part_(part), launch_(launch), values_(at_entry.begin(), at_entry.end()) {}

    // A counter that changes by the same number in each iteration and is compared with a constant number. The
    // number of passes follows from the distance.
    std::optional<PtxTripCount> solve() const {
        const auto counted = compared_counter();
        if (!counted) return std::nullopt;
        const auto [test, counter, step, by] = *counted;
        PtxOperator relation = test->operation.op;
        if (counter == 1) relation = mirrored(relation);
        if (test_.leaves_on_) relation = opposite(relation);
        return distance(relation, test->operation, values_[test->sources[counter].slot],
                        value(test->sources[1 - counter]), by, step < test);
    }

    std::optional<PtxCounter> counter() const {
        const auto counted = compared_counter();
        if (!counted) return std::nullopt;
        return PtxCounter{test_.registers_[counted->test->sources[counted->counter].slot], counted->by};
    }

    std::optional<PtxTripCount> simulate(bool to_the_end, std::uint64_t& work) {
        std::optional<PtxTripCount> result;  // once some threads have exited
        std::uint64_t done = 0;
        for (std::int64_t passed = 0; passed <= max_proved_trips; ++passed) {
            for (std::size_t s = 0; s < test_.behind_test_; ++s) execute(test_.steps_[s]);
            const PtxRange& condition = values_[test_.predicate_];
            if (condition.is_exact() && (condition.low != 0) == test_.leaves_on_) {
                if (!result) return PtxTripCount{passed, passed};
                result->high = passed;
                return result;
            }
            if (!condition.is_exact()) {
                if ((condition.of & PtxRange::unknown) != 0) return std::nullopt;
                if (!result) result = PtxTripCount{passed, PtxTripCount::no_most, false, condition.of};
                if (!to_the_end) return result;
            }
            for (std::size_t s = test_.behind_test_; s < test_.steps_.size(); ++s) execute(test_.steps_[s]);
            done += test_.steps_.size();
            work += test_.steps_.size();
            if (done > most_work || never_ends(passed)) return std::nullopt;
        }
        return std::nullopt;
    }

  private:
    // A comparison, the index of the source that is a counter, the step that changes it, and the change.
    struct ComparedCounter {
        const Step* test;
        std::size_t counter;
        const Step* step;
        std::int64_t by;
    };

    std::optional<ComparedCounter> compared_counter() const {
        const Step* test = only_step_of(test_.predicate_, test_.behind_test_);
        if (test == nullptr || test->sources.size() != 2 || test->operation.bits < 32) return std::nullopt;
        for (std::size_t counter = 0; counter < 2; ++counter) {
            const PtxSource& own = test->sources[counter];
            const Step* step =
                own.kind == PtxSource::Kind::reg ? only_step_of(own.slot, test_.steps_.size()) : nullptr;
            if (step == nullptr || !stays(test->sources[1 - counter])) continue;
            const auto by = increment(*step, own.slot);
            if (!by || *by == 0 || step->operation.bits != test->operation.bits) continue;
            return ComparedCounter{test, counter, step, *by};
        }
        return std::nullopt;
    }

    // The step that writes a register, if there is only one, and it is one of the first `end`.
    const Step* only_step_of(std::size_t slot, std::size_t end) const {
        const Step* found = nullptr;
        for (const Step& step : test_.steps_) {
            if (step.destination != slot) continue;
            if (found != nullptr) return nullptr;
            found = &step;
        }
        return found != nullptr && found < test_.steps_.data() + end ? found : nullptr;
    }

    bool stays(const PtxSource& source) const {
        return source.kind != PtxSource::Kind::reg ||
               std::none_of(test_.steps_.begin(), test_.steps_.end(),
                            [&](const Step& step) { return step.destination == source.slot; });
    }

    std::optional<std::int64_t> increment(const Step& step, std::size_t slot) const {
        const bool adds = step.operation.op == PtxOperator::add;
        if (!adds && step.operation.op != PtxOperator::subtract) return std::nullopt;
        const auto is_counter = [&](const PtxSource& source) {
            return source.kind == PtxSource::Kind::reg && source.slot == slot;
        };
        const std::size_t own = is_counter(step.sources[0]) ? 0 : 1;
        const PtxSource& by = step.sources[1 - own];
        if (!is_counter(step.sources[own]) || (!adds && own == 1) || !stays(by)) return std::nullopt;
        const PtxRange amount = value(by);
        if (!amount.is_exact()) return std::nullopt;
        const std::int64_t number = as_signed(static_cast<std::uint64_t>(amount.low), step.operation.bits);
        constexpr std::int64_t most = std::int64_t{1} << 40U;
        if (number > most || number < -most) return std::nullopt;
        return adds ? number : -number;
    }

    static PtxOperator mirrored(PtxOperator relation) {
        switch (relation) {
            case PtxOperator::less:
                return PtxOperator::greater;
            case PtxOperator::less_equal:
                return PtxOperator::greater_equal;
            case PtxOperator::greater:
                return PtxOperator::less;
            case PtxOperator::greater_equal:
                return PtxOperator::less_equal;
            default:
                return relation;
        }
    }
    static PtxOperator opposite(PtxOperator relation) {
        switch (relation) {
            case PtxOperator::less:
                return PtxOperator::greater_equal;
            case PtxOperator::less_equal:
                return PtxOperator::greater;
            case PtxOperator::greater:
                return PtxOperator::less_equal;
            case PtxOperator::greater_equal:
                return PtxOperator::less;
            case PtxOperator::equal:
                return PtxOperator::not_equal;
            default:
                return PtxOperator::equal;
        }
    }

    // The number of terms of `start`, start + by, … that satisfy a relation to `bound` before one does not.
    static std::optional<PtxTripCount> distance(PtxOperator relation, const PtxOperation& type,
                                                const PtxRange& start, const PtxRange& bound, std::int64_t by,
                                                bool grows_first) {
        constexpr std::int64_t farthest = std::int64_t{1} << 62U;
        if (start.low < -farthest || start.high > farthest) return std::nullopt;
        PtxRange first = start;
        if (grows_first) first.low += by, first.high += by;
        const auto x = range_as(first, type.bits, type.is_signed);
        const auto y = range_as(bound, type.bits, type.is_signed);
        const std::array both = {start, bound};
        std::uint8_t of = 0;
        for (const PtxRange& range : both)
            if (!range.is_exact()) of |= range.of;
        if (!x || !y || (of & PtxRange::unknown) != 0) return std::nullopt;
        // Falling numbers are negated, so that all numbers rise to a bound above them.
        const bool grows = by > 0;
        const bool strict = relation == (grows ? PtxOperator::less : PtxOperator::greater);
        if (!strict && relation != (grows ? PtxOperator::less_equal : PtxOperator::greater_equal)) {
            if (relation != PtxOperator::not_equal) return std::nullopt;
            // For an interval it is never certain that all threads have reached their ends.
            if (of != 0) return PtxTripCount{0, PtxTripCount::no_most, false, of};
        }
        __extension__ using Wide = __int128;
        const Wide step = grows ? Wide{by} : -Wide{by};
        // From the nearest possible number to the bound, and from the farthest.
        const Wide near = grows ? Wide{(*y)[0]} - (*x)[1] : Wide{(*x)[0]} - (*y)[1];
        const Wide far = grows ? Wide{(*y)[1]} - (*x)[0] : Wide{(*x)[1]} - (*y)[0];
        const auto passes = [&](Wide way) -> Wide {
            if (relation == PtxOperator::not_equal)
                return way >= 0 && way % step == 0 ? way / step : Wide{-1};
            if (strict) return way <= 0 ? Wide{0} : (way + step - 1) / step;
            return way < 0 ? Wide{0} : way / step + 1;
        };
        const Wide low = passes(near);
        const Wide high = passes(far);
        if (low < 0 || high > std::numeric_limits<std::int64_t>::max() / 4) return std::nullopt;
        // The counter must not wrap around before it has passed the bound.
        Wide last = Wide{(*x)[0]} + high * Wide{by};
        if (of != 0) {
            const Wide behind = Wide{(*y)[grows ? 1 : 0]} + by;  // a number before the bound, and a step
            last = grows ? std::max(Wide{(*x)[1]}, behind - (strict ? 1 : 0))
                         : std::min(Wide{(*x)[0]}, behind + (strict ? 1 : 0));
        }
        const Wide size = Wide{1} << type.bits;
        const Wide least = type.is_signed ? -size / 2 : Wide{0};
        if (last < least || last >= least + size) return std::nullopt;
        return PtxTripCount{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), false, of};
    }

    PtxRange value(const PtxSource& source) const { return range_of(source, values_, part_, launch_); }

    void execute(const Step& step) {
        std::array<PtxRange, 3> sources;
        for (std::size_t i = 0; i < step.sources.size(); ++i) sources[i] = value(step.sources[i]);
        values_[step.destination] =
            evaluate_range(step.operation, std::span(sources).first(step.sources.size()));
    }

    // A state that repeats once repeats forever ([Brent80]).
    bool never_ends(std::int64_t passed) {
        if (values_ == remembered_) return true;
        if (std::has_single_bit(static_cast<std::uint64_t>(passed) + 1)) remembered_ = values_;
        return false;
    }

    const PtxExitTest& test_;
    const PtxPart& part_;
    const PtxLaunch& launch_;
    std::vector<PtxRange> values_;  // by slot
    std::vector<PtxRange> remembered_;
};

std::optional<PtxTripCount> PtxExitTest::passes(std::span<const PtxRange> at_entry, const PtxPart& part,
                                                const PtxLaunch& launch, bool to_the_end,
                                                std::uint64_t& work) const {
    Run run(*this, at_entry, part, launch);
    ++work;
    if (const auto solved = run.solve()) return solved;
    return run.simulate(to_the_end, work);
}

std::optional<PtxCounter> PtxExitTest::counter(const PtxLaunch& launch) const {
    const std::vector<PtxRange> unknown(registers_.size());
    return Run(*this, unknown, PtxPart::whole(launch), launch).counter();
}

std::optional<PtxTripCount> trips_of_passes(const PtxFlowLoop& loop,
                                            std::span<const std::optional<PtxTripCount>> passes) {
    std::optional<PtxTripCount> fewest;
    for (const auto& passed : passes) {
        if (!passed) continue;
        PtxTripCount trips = *passed;
        // Behind a test in the middle of the loop, the body is cut short; before it, the body is complete.
        if (!loop.leaves_early) {
            ++trips.low;
            if (trips.high != PtxTripCount::no_most) ++trips.high;
        }
        if (fewest) {
            trips.low = std::min(trips.low, fewest->low);
            trips.high = std::min(trips.high, fewest->high);
            trips.of |= fewest->of;
        }
        fewest = trips;
    }
    if (fewest) fewest->other_exits = loop.exits.size() != 1;
    return fewest;
}

std::vector<PtxRange> constants_before(const PtxFlow& flow, PtxConstants& constants, std::uint32_t loop,
                                       std::span<const PtxRegister> registers) {
    std::vector<PtxRange> values(registers.size());
    const std::uint32_t header = flow.loops[loop].header;
    if (header == 0) return values;
    for (std::size_t i = 0; i < registers.size(); ++i) {
        std::optional<std::uint64_t> value;
        bool agree = true;
        for (const std::uint32_t before : flow.blocks[header].predecessors) {
            if (flow.is_inside(before, loop)) continue;
            const auto one = constants.at_end(before, registers[i]);
            agree &= one && (!value || *value == *one);
            value = one;
        }
        if (agree && value) values[i] = PtxRange::exact(static_cast<std::int64_t>(*value));
    }
    return values;
}

std::optional<PtxTripCount> prove_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                            PtxConstants& constants, std::uint32_t loop) {
    const PtxFlowLoop& own = flow.loops[loop];
    const PtxLaunch& launch = constants.launch();
    std::uint64_t work = 0;
    std::vector<std::optional<PtxTripCount>> passes;
    for (const std::uint32_t exit : own.exits) {
        const auto test = PtxExitTest::of(function, flow, constants, loop, exit);
        passes.emplace_back();
        if (!test) continue;
        const auto passed = test->passes(constants_before(flow, constants, loop, test->registers()),
                                         PtxPart::whole(launch), launch, false, work);
        if (passed && passed->low == passed->high) passes.back() = passed;
    }
    return trips_of_passes(own, passes);
}

std::vector<std::string> missing_for_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                               PtxConstants& constants, std::uint32_t loop) {
    std::vector<std::string> missing;
    for (const std::uint32_t exit : flow.loops[loop].exits) {
        const PtxBlock& block = flow.blocks[exit];
        if (block.first == block.last) continue;
        const PtxInstruction& branch = function.instructions[block.last - 1];
        if (!branch.guard) continue;
        for (std::string& origin : constants.origins(exit, branch.guard->reg))
            missing.push_back(std::move(origin));
    }
    // The test depends on no value that could be given.
    if (missing.empty()) missing.emplace_back("arithmetic that is not followed");
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    return missing;
}

namespace {

// Loops that nvcc unrolled. It writes `for (i = 0; i < n; ++i)` as a loop of U iterations per trip and one of
// n mod U trips before or behind it. The counters of both identify them: the remainder counts down to 0 from
// x & (U - 1), or x rem U, one at a time, and the counter of the main loop changes by U. Two neighbouring
// loops with these counters count as one loop of the source. Labels and the pragma "nounroll" were rejected
// as evidence, because nvcc 13 sets the pragma for either loop, or for neither.

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

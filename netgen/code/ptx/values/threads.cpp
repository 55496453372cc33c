// Divides the threads of a launch into boxes with the same paths [Cousot77]. A function is interpreted once
// per box with intervals (ranges.cpp). If a condition is undecided and depends on a coordinate, the box is
// halved along that axis, blocks before threads and large boxes first. Boxes with the same path are one
// class. Work is limited by most_thread_work instructions; boxes that are then undecided take both ways,
// which is sound. Each thread on its own is no alternative, because a launch may have 2^41 threads.
//
// An interpretation takes O(steps + blocks), and `work` counts it. A condition that compares a coordinate
// with a number is decided after about log2(extent) halvings, because only the box across the border is
// halved again. Memory is a range per register, and per block one for each register with several definitions.
// Registers with one definition have the same value in all blocks behind it, so they are not copied from
// block to block.

#include "netgen/code/ptx/values/threads.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>

namespace warpnet::netgen {

namespace {

constexpr std::uint64_t most_thread_work = 4'000'000;  // instructions interpreted, under a second
constexpr std::uint32_t no_slot = 0xFFFFFFFF;

/// The conditions of a function and the instructions that they depend on, to be interpreted for parts of a
/// launch.
class ThreadProgram {
  public:
    ThreadProgram(const PtxFunction& function, const PtxFlow& flow, PtxConstants& constants)
        : function_(function),
          flow_(flow),
          constants_(constants),
          slot_of_(function.registers, no_slot),
          guarded_(guarded_ptx_units(function, flow)) {
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
            if (const auto* guard = guard_of(b)) slot_of(guard->reg);
        add_checks();
        for (std::size_t slot = 0; slot < registers_.size(); ++slot)
            for (const std::uint32_t at : constants.definitions(registers_[slot])) add_step(at, slot);
        sort_steps();
        find_tests();
        find_order();
        for (const Step& step : steps_)
            if (!step.is_check()) ++written_[step.destination];
        for (std::size_t slot = 0; slot < registers_.size(); ++slot)
            if (written_[slot] > 1) varying_.push_back(slot);
        find_killed();
        at_begin_.resize(flow.blocks.size());
    }

    struct Result {
        PtxPath path;
        std::uint8_t open = 0;  ///< coordinates on which undecided tests depend
    };

    const std::vector<std::uint32_t>& guarded() const { return guarded_; }

    /// The aim of an interpretation: whether the part has to be divided, or, if it is not divided, all that
    /// the remaining work can decide.
    enum class Effort : std::uint8_t { probe, all, little };
    /// Interprets the function once for all threads of a part.
    Result interpret(const PtxPart& part, Effort effort, std::uint64_t& work) {
        Result result;
        PtxPath& path = result.path;
        path.reached.assign(flow_.blocks.size(), false);
        path.guards.assign(guarded_.size(), false);
        path.ways.assign(flow_.blocks.size(), 0);
        path.trips.resize(flow_.loops.size());
        if (flow_.blocks.empty()) return result;
        path.reached[0] = true;
        values_.assign(registers_.size(), PtxRange{});
        at_begin_[0].assign(varying_.size(), PtxRange{});
        constexpr std::uint64_t own_work = 30;  // for any function
        work += flow_.blocks.size() / 4 + own_work;
        for (const std::uint32_t b : order_) {
            if (!path.reached[b]) continue;
            for (std::size_t i = 0; i < varying_.size(); ++i) values_[varying_[i]] = at_begin_[b][i];
            const auto loop = flow_.loop_of[b];
            if (loop && flow_.loops[*loop].header == b) {
                path.trips[*loop] = trips(*loop, part, effort == Effort::all, work);
                if (effort != Effort::probe && path.trips[*loop] &&
                    path.trips[*loop]->high == PtxTripCount::no_most)
                    path.trips[*loop].reset();
                if (!path.trips[*loop] || !path.trips[*loop]->is_exact()) path.exact = false;
                if (path.trips[*loop] && path.trips[*loop]->low < path.trips[*loop]->high)
                    result.open |= path.trips[*loop]->of;
                for (const std::size_t slot : killed_[*loop]) values_[slot] = PtxRange{};
            }
            for (std::size_t s = first_step_[b]; s < first_step_[b + 1]; ++s) {
                if (steps_[s].is_check()) {
                    check(steps_[s], result);
                } else {
                    execute(steps_[s], part);
                }
            }
            work += first_step_[b + 1] - first_step_[b];
            leave(b, result);
        }
        return result;
    }

  private:
    /// An instruction, or the check of the guard of one.
    struct Step {
        std::uint32_t instruction = 0;
        std::size_t destination = 0;
        std::optional<PtxOperation> operation = {};  // nothing: writes an unknown value
        std::vector<PtxSource> sources = {};
        std::size_t guard = no_slot;
        bool guard_negated = false;
        std::uint32_t checked = 0;  // position in guarded_

        bool is_check() const { return destination == no_slot; }
    };
    struct Test {
        PtxExitTest test;
        std::vector<std::size_t> slots;   // of its registers
        std::vector<PtxRange> constants;  // their values before the loop, if equal for all
    };

    /// The condition that decides between the two ways out of a block.
    const PtxGuard* guard_of(std::uint32_t b) const {
        const PtxBlock& block = flow_.blocks[b];
        if (block.first == block.last || block.successors.size() != 2) return nullptr;
        const PtxInstruction& end = function_.instructions[block.last - 1];
        const bool decides =
            end.ptx_class == PtxClass::leave || (end.ptx_class == PtxClass::branch && end.target_count == 1);
        return decides && end.guard ? &*end.guard : nullptr;
    }

    std::size_t slot_of(PtxRegister reg) {
        std::uint32_t& slot = slot_of_[index(reg)];
        if (slot == no_slot) {
            slot = static_cast<std::uint32_t>(registers_.size());
            registers_.push_back(reg);
        }
        return slot;
    }

    void add_checks() {
        for (const std::uint32_t i : guarded_) {
            const PtxGuard& guard = *function_.instructions[i].guard;
            Step step{i, no_slot};
            step.guard = slot_of(guard.reg);
            step.guard_negated = guard.negated;
            step.checked = static_cast<std::uint32_t>(steps_.size());
            steps_.push_back(std::move(step));
        }
    }

    void add_step(std::uint32_t at, std::size_t slot) {
        const PtxInstruction& instruction = function_.instructions[at];
        Step step{at, slot};
        if (instruction.guard) {
            step.guard = slot_of(instruction.guard->reg);
            step.guard_negated = instruction.guard->negated;
        }
        const std::string_view param = ptx_loaded_param(function_, instruction);
        const auto value = param.empty() ? std::nullopt : constants_.launch().param(function_, param);
        if (value && ptx_operation_of_param(instruction)) {
            step.operation = ptx_operation_of_param(instruction);
            step.sources.push_back({PtxSource::Kind::constant, *value});
        } else if (ptx_destination(function_, instruction) && instruction.ptx_class != PtxClass::param_load) {
            step.operation = ptx_operation(instruction.opcode);
            auto sources = step.operation ? ptx_sources(function_, instruction) : std::nullopt;
            if (sources) step.sources = std::move(*sources);
            for (PtxSource& source : step.sources)
                if (source.kind == PtxSource::Kind::reg) source.slot = slot_of(source.reg);
        }
        if (step.operation && step.sources.size() != step.operation->sources) step.operation.reset();
        steps_.push_back(std::move(step));
    }

    /// A parameter is cut to the loaded bits.
    static std::optional<PtxOperation> ptx_operation_of_param(const PtxInstruction& instruction) {
        const std::size_t dot = instruction.opcode.rfind('.');
        return ptx_operation("cvt.u64" + std::string(instruction.opcode.substr(dot)));
    }

    void sort_steps() {
        // Checks were added first: a guard holds before its instruction.
        std::stable_sort(steps_.begin(), steps_.end(),
                         [](const Step& a, const Step& b) { return a.instruction < b.instruction; });
        first_step_.assign(flow_.blocks.size() + 1, steps_.size());
        std::size_t s = 0;
        for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
            first_step_[b] = s;
            while (s < steps_.size() && steps_[s].instruction < flow_.blocks[b].last) ++s;
        }
        written_.assign(registers_.size(), 0);
    }

    void find_tests() {
        tests_.resize(flow_.loops.size());
        for (std::uint32_t l = 0; l < flow_.loops.size(); ++l) {
            for (const std::uint32_t exit : flow_.loops[l].exits) {
                std::optional<Test>& own = tests_[l].emplace_back();
                auto test = PtxExitTest::of(function_, flow_, constants_, l, exit);
                if (!test) continue;
                own.emplace(Test{std::move(*test), {}, {}});
                for (const PtxRegister reg : own->test.registers())
                    own->slots.push_back(slot_of_[index(reg)]);
                own->constants = constants_before(flow_, constants_, l, own->test.registers());
            }
        }
    }

    bool jumps_back(std::uint32_t from, std::uint32_t to) const {
        const auto loop = flow_.loop_of[to];
        return loop && flow_.loops[*loop].header == to && flow_.is_inside(from, *loop);
    }

    /// A topological order of the blocks without jumps back.
    void find_order() {
        std::vector<bool> seen(flow_.blocks.size(), false);
        std::vector<std::pair<std::uint32_t, std::size_t>> stack;
        if (!flow_.blocks.empty()) stack.emplace_back(0, 0), seen[0] = true;
        while (!stack.empty()) {
            auto& [at, next] = stack.back();
            const std::vector<std::uint32_t>& successors = flow_.blocks[at].successors;
            if (next == successors.size()) {
                order_.push_back(at);
                stack.pop_back();
                continue;
            }
            const std::uint32_t to = successors[next++];
            if (seen[to] || jumps_back(at, to)) continue;
            seen[to] = true;
            stack.emplace_back(to, 0);
        }
        std::reverse(order_.begin(), order_.end());
    }

    /// Per loop, the varying registers that it writes: an iteration may read the value of an earlier one.
    void find_killed() {
        killed_.resize(flow_.loops.size());
        std::vector<bool> varies(registers_.size(), false);
        for (const std::size_t slot : varying_) varies[slot] = true;
        for (const Step& step : steps_) {
            if (step.is_check() || !varies[step.destination]) continue;
            for (auto l = flow_.loop_of[constants_.block_of(step.instruction)]; l; l = flow_.loops[*l].parent)
                if (killed_[*l].empty() || killed_[*l].back() != step.destination)
                    killed_[*l].push_back(step.destination);
        }
    }

    std::optional<PtxTripCount> trips(std::uint32_t loop, const PtxPart& part, bool to_the_end,
                                      std::uint64_t& work) {
        std::vector<std::optional<PtxTripCount>> passes;
        for (const std::optional<Test>& own : tests_[loop]) {
            passes.emplace_back();
            if (!own) continue;
            entry_.clear();
            for (std::size_t i = 0; i < own->slots.size(); ++i) {
                const PtxRange& here = values_[own->slots[i]];
                entry_.push_back(own->constants[i].known ? own->constants[i] : here);
            }
            passes.back() = own->test.passes(entry_, part, constants_.launch(), to_the_end, work);
        }
        return trips_of_passes(flow_.loops[loop], passes);
    }

    /// Whether the guard of a step holds; nothing if that is undecided.
    std::optional<bool> holds(const Step& step) const {
        if (step.guard == no_slot) return true;
        const PtxRange& guard = values_[step.guard];
        return guard.is_exact() ? std::optional((guard.low != 0) != step.guard_negated) : std::nullopt;
    }

    void check(const Step& step, Result& result) const {
        const std::optional<bool> certain = holds(step);
        result.path.guards[step.checked] = certain.value_or(true);
        if (certain) return;
        result.path.exact = false;
        if (const std::uint8_t of = values_[step.guard].of; (of & PtxRange::unknown) == 0) result.open |= of;
    }

    void execute(const Step& step, const PtxPart& part) {
        PtxRange& target = values_[step.destination];
        const std::optional<bool> certain = holds(step);
        const std::uint8_t of = step.guard == no_slot ? std::uint8_t{0} : values_[step.guard].of;
        if (certain && !*certain) return;
        PtxRange value;
        if (step.operation) {
            sources_.clear();
            for (const PtxSource& source : step.sources)
                sources_.push_back(range_of(source, values_, part, constants_.launch()));
            value = evaluate_range(*step.operation, sources_);
        }
        if (certain) {
            target = value;
            return;
        }
        const bool both_known = target.known && value.known;
        const auto parts = static_cast<std::uint8_t>(target.of | value.of | of);
        target = either(target, value);
        if (both_known && !target.is_exact()) target.of = parts;
    }

    /// Continues with the successors of a block.
    void leave(std::uint32_t b, Result& result) {
        const std::vector<std::uint32_t>& successors = flow_.blocks[b].successors;
        const PtxGuard* guard = guard_of(b);
        std::optional<std::size_t> way;
        if (guard != nullptr) {
            const PtxRange& condition = values_[slot_of_[index(guard->reg)]];
            if (condition.is_exact()) {
                way = (condition.low != 0) != guard->negated ? 0 : 1;
            } else if ((condition.of & PtxRange::unknown) == 0) {
                result.open |= condition.of;
            }
        }
        if (!way && successors.size() > 1 && !ends_proved_loop(b, result.path)) result.path.exact = false;
        if (guard != nullptr)
            result.path.ways[b] = way ? static_cast<std::uint8_t>(1U << *way) : std::uint8_t{3};
        for (std::size_t i = 0; i < successors.size(); ++i) {
            if ((way && *way != i) || jumps_back(b, successors[i])) continue;
            std::vector<PtxRange>& there = at_begin_[successors[i]];
            if (!result.path.reached[successors[i]]) {
                result.path.reached[successors[i]] = true;
                there.resize(varying_.size());
                for (std::size_t v = 0; v < varying_.size(); ++v) there[v] = values_[varying_[v]];
            } else {
                for (std::size_t v = 0; v < varying_.size(); ++v)
                    there[v] = either(there[v], values_[varying_[v]]);
            }
        }
    }

    /// Whether the trips of its loop determine the result of a test.
    bool ends_proved_loop(std::uint32_t b, const PtxPath& path) const {
        const auto loop = flow_.loop_of[b];
        return loop && path.trips[*loop] && !path.trips[*loop]->other_exits &&
               flow_.loops[*loop].exits.front() == b;
    }

    const PtxFunction& function_;
    const PtxFlow& flow_;
    PtxConstants& constants_;
    std::vector<std::uint32_t> slot_of_;  // by register
    std::vector<PtxRegister> registers_;  // by slot
    std::vector<std::uint32_t> guarded_;  // instructions
    std::vector<Step> steps_;             // in the order of the text
    std::vector<std::size_t> first_step_;
    std::vector<std::size_t> written_;  // by slot: instructions that write it
    std::vector<std::size_t> varying_;  // slots that several instructions write
    std::vector<std::vector<std::size_t>> killed_;
    std::vector<std::vector<std::optional<Test>>> tests_;  // by loop, by exit
    std::vector<std::uint32_t> order_;
    std::vector<PtxRange> values_;                 // by slot, at the current position
    std::vector<std::vector<PtxRange>> at_begin_;  // by block, of the varying slots
    std::vector<PtxRange> sources_, entry_;
};

std::int64_t checked_product(const PtxModule& module, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result))
        throw InputError(module.source + ": expected a launch of at most 2^63 - 1 warps");
    return result;
}

class Divider {
  public:
    Divider(const PtxModule& module, const PtxLaunch& launch, ThreadProgram& program)
        : launch_(launch), program_(program) {
        threads_ = launch.block[0] > 0 ? launch.block[0] * launch.block[1] * launch.block[2] : 0;
        warps_ = std::max<std::int64_t>(1, (threads_ + 31) / 32);
        // The whole launch is counted once, so that no part of it can overflow.
        std::int64_t all = warps_;
        for (const std::int64_t size : launch.grid)
            all = checked_product(module, all, std::max<std::int64_t>(1, size));
    }

    PtxThreads divide() {
        result_.guarded = program_.guarded();
        std::deque<PtxPart> pending = {PtxPart::whole(launch_)};
        while (!pending.empty()) {
            const PtxPart blocks = pending.front();
            pending.pop_front();
            if (const auto axis = divide_block(blocks)) {
                add_halves(blocks, *axis, pending);
            } else {
                settle(blocks);
            }
        }
        for (auto& [paths, own] : classes_) {
            own.paths = paths;
            result_.classes.push_back(std::move(own));
        }
        return std::move(result_);
    }

  private:
    struct Leaf {
        PtxPart part;
        std::uint32_t path;
    };

    template <class Parts>
    static void add_halves(const PtxPart& part, std::size_t axis, Parts& parts) {
        const std::int64_t middle = part.first[axis] + (part.extent(axis) - 1) / 2;
        PtxPart half = part;
        half.last[axis] = middle;
        parts.push_back(half);
        half = part;
        half.first[axis] = middle + 1;
        parts.push_back(half);
    }

    /// The longest of the axes from `begin` to `end` that matter and can be divided.
    static std::optional<std::size_t> axis_to_halve(const PtxPart& part, std::uint8_t open, std::size_t begin,
                                                    std::size_t end) {
        std::optional<std::size_t> longest;
        for (std::size_t axis = begin; axis < end; ++axis) {
            if (((open >> axis) & 1U) == 0 || part.extent(axis) < 2) continue;
            if (!longest || part.extent(axis) >= part.extent(*longest)) longest = axis;
        }
        return longest;
    }

    /// Divides the threads of a block, equally for all these blocks. Returns the axis along which the blocks
    /// have to be divided first.
    std::optional<std::size_t> divide_block(const PtxPart& blocks) {
        const bool may_halve = work_ < most_thread_work;
        leaves_.clear();
        std::vector<PtxPart> parts = {blocks};
        while (!parts.empty()) {
            const PtxPart part = parts.back();
            parts.pop_back();
            ThreadProgram::Result found = program_.interpret(part, ThreadProgram::Effort::probe, work_);
            const auto block_axis = axis_to_halve(part, found.open, 3, 6);
            if (block_axis && may_halve) return block_axis;
            const auto thread_axis = block_axis || work_ > 2 * most_thread_work
                                         ? std::nullopt
                                         : axis_to_halve(part, found.open, 0, 3);
            if (thread_axis) {
                if (const auto busiest = busiest_lane(part)) {
                    result_.lanes_alike = false;
                    leaves_.push_back({part, number_of(*busiest)});
                } else {
                    add_halves(part, *thread_axis, parts);
                }
                continue;
            }
            if (found.open != 0) {
                const auto effort =
                    work_ < 3 * most_thread_work ? ThreadProgram::Effort::all : ThreadProgram::Effort::little;
                found = program_.interpret(part, effort, work_);
            }
            leaves_.push_back({part, number_of(std::move(found.path))});
        }
        return std::nullopt;
    }

    /// The path of the first or the last of the lanes of one warp, if no lane executes more: the warp then
    /// executes the path of that lane.
    std::optional<PtxPath> busiest_lane(const PtxPart& part) {
        const auto number = [&](const std::array<std::int64_t, 6>& at) {
            return at[0] + launch_.block[0] * (at[1] + launch_.block[1] * at[2]);
        };
        if (number(part.first) / 32 != number(part.last) / 32) return std::nullopt;
        const PtxPath all = program_.interpret(part, ThreadProgram::Effort::little, work_).path;
        for (const auto& at : {part.last, part.first}) {
            PtxPart lane = part;
            std::copy_n(at.begin(), 3, lane.first.begin());
            std::copy_n(at.begin(), 3, lane.last.begin());
            PtxPath one = program_.interpret(lane, ThreadProgram::Effort::all, work_).path;
            const bool as_much =
                one.exact && one.reached == all.reached && one.guards == all.guards &&
                std::equal(one.trips.begin(), one.trips.end(), all.trips.begin(), all.trips.end(),
                           [](const auto& a, const auto& b) {
                               return a.has_value() == b.has_value() && (!a || a->high == b->high);
                           });
            if (as_much) return one;
        }
        return std::nullopt;
    }

    std::uint32_t number_of(PtxPath path) {
        const auto [found, is_new] =
            numbers_.emplace(std::move(path), static_cast<std::uint32_t>(result_.paths.size()));
        if (is_new) result_.paths.push_back(found->first);
        return found->second;
    }

    void settle(const PtxPart& blocks) {
        std::int64_t count = 1;
        for (std::size_t axis = 3; axis < 6; ++axis)
            if (launch_.grid[axis - 3] > 0) count *= blocks.extent(axis);
        std::vector<std::vector<std::uint32_t>> paths(static_cast<std::size_t>(warps_));
        for (const Leaf& leaf : leaves_) {
            if (threads_ == 0 || leaves_.size() == 1) {
                for (auto& own : paths) own.push_back(leaf.path);
                continue;
            }
            const auto& [first, last] = leaf.part;
            for (std::int64_t z = first[2]; z <= last[2]; ++z)
                for (std::int64_t y = first[1]; y <= last[1]; ++y) {
                    const std::int64_t row = launch_.block[0] * (y + launch_.block[1] * z);
                    for (std::int64_t w = (row + first[0]) / 32; w <= (row + last[0]) / 32; ++w)
                        paths[static_cast<std::size_t>(w)].push_back(leaf.path);
                }
        }
        for (std::uint32_t w = 0; w < paths.size(); ++w) {
            std::sort(paths[w].begin(), paths[w].end());
            paths[w].erase(std::unique(paths[w].begin(), paths[w].end()), paths[w].end());
            PtxWarpClass& own = classes_[paths[w]];
            own.warps += count;
            own.numbers |= std::uint32_t{1} << w;
        }
    }

    const PtxLaunch& launch_;
    ThreadProgram& program_;
    std::int64_t threads_ = 0;  // of a block; 0: unknown
    std::int64_t warps_ = 1;
    std::uint64_t work_ = 0;
    std::vector<Leaf> leaves_;
    std::map<PtxPath, std::uint32_t> numbers_;
    std::map<std::vector<std::uint32_t>, PtxWarpClass> classes_;
    PtxThreads result_;
};

}  // namespace

bool PtxPath::operator<(const PtxPath& other) const {
    const auto key = [](const std::optional<PtxTripCount>& count) {
        return count ? std::tuple(true, count->low, count->high, count->other_exits)
                     : std::tuple(false, std::int64_t{0}, std::int64_t{0}, false);
    };
    if (exact != other.exact) return exact < other.exact;
    if (reached != other.reached) return reached < other.reached;
    if (guards != other.guards) return guards < other.guards;
    if (ways != other.ways) return ways < other.ways;
    return std::lexicographical_compare(trips.begin(), trips.end(), other.trips.begin(), other.trips.end(),
                                        [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

std::array<std::size_t, 2> PtxThreads::guarded_in(const PtxBlock& block) const {
    const auto position = [&](std::uint32_t instruction) {
        return static_cast<std::size_t>(std::lower_bound(guarded.begin(), guarded.end(), instruction) -
                                        guarded.begin());
    };
    return {position(block.first), position(block.last)};
}

std::vector<std::uint32_t> guarded_ptx_units(const PtxFunction& function, const PtxFlow& flow) {
    std::vector<std::uint32_t> guarded;
    for (const PtxBlock& block : flow.blocks)
        for (std::uint32_t i = block.first; i < block.last; ++i)
            if (function.instructions[i].guard && ptx_has_unit(function.instructions[i].ptx_class))
                guarded.push_back(i);
    return guarded;
}

PtxLoopTrips ptx_loop_trips(const PtxThreads& threads, const PtxFlow& flow, std::uint32_t loop) {
    PtxLoopTrips result;
    const std::uint32_t header = flow.loops[loop].header;
    std::optional<std::int64_t> least;
    for (const PtxWarpClass& own : threads.classes) {
        std::optional<std::int64_t> of_warp;
        for (const std::uint32_t number : own.paths) {
            const PtxPath& path = threads.paths[number];
            if (!path.reached[header]) continue;
            result.reached = true;
            const auto& trips = path.trips[loop];
            result.proved &= trips.has_value();
            if (!trips) continue;
            result.exact &= trips->is_exact();
            result.most = std::max(result.most, trips->high);
            if (!trips->other_exits) result.surely = std::max(result.surely, trips->low);
            of_warp = std::max(of_warp.value_or(0), trips->low);
        }
        if (of_warp) least = std::min(least.value_or(*of_warp), *of_warp);
    }
    result.least = least.value_or(0);
    return result;
}

PtxThreads follow_ptx_threads(const PtxModule& module, const PtxFunction& function, const PtxFlow& flow,
                              PtxConstants& constants) {
    const PtxLaunch& launch = constants.launch();
    constexpr std::int64_t most = 1024;
    std::int64_t threads = 1;
    for (const std::int64_t size : launch.block) {
        threads *= std::max<std::int64_t>(1, std::min(size, most + 1));
        if (threads > most) throw InputError(module.source + ": expected a block of at most 1024 threads");
    }
    ThreadProgram program(function, flow, constants);
    return Divider(module, launch, program).divide();
}

}  // namespace warpnet::netgen

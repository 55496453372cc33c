#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

/// W identical warps that each run one instruction string in order, every instruction one cycle on a unit of
/// its type ([Berezovskyi13] sections II and III). In every cycle a maximal set of ready warps
/// executes, at most `capacity[type]` of each type and, where given, at most `schedulers` in all; a warp
/// executes at most one instruction a cycle. The number of cycles until all warps have finished is the
/// makespan.
struct KernelInstance {
    int warps = 1;                   ///< W, at least 1
    std::vector<std::uint8_t> type;  ///< of each instruction: index into `capacity`
    std::vector<int> capacity;       ///< per type: instructions a cycle, at least 1
    std::optional<int> schedulers =
        {};  ///< sigma: instructions a cycle over all types; absent: no such limit
    /// Per instruction its fairness level ([Raravi10]: the sub-block), or empty: none. A ready instruction of
    /// a lower level goes before one of a higher level within the cycle.
    std::vector<int> level = {};
    /// The type of the cycles in which a warp waits for what it issued, written out in `type` behind the
    /// instruction: nothing limits them, neither units (its capacity is W or more) nor schedulers, so that a
    /// warp always takes the next one. A warp has finished once its last wait is over. Absent: nobody waits.
    std::optional<std::uint8_t> waiting = {};

    /// Whether a warp at this position of the string waits, not executes.
    bool waits_at(std::size_t position) const noexcept { return waiting && type[position] == *waiting; }
    /// Instructions of a warp: the positions of the string at which it does not wait.
    std::size_t instructions() const noexcept {
        std::size_t count = 0;
        for (std::size_t i = 0; i < type.size(); ++i)
            if (!waits_at(i)) ++count;
        return count;
    }

    bool operator==(const KernelInstance&) const = default;
};

/// How many warps may execute an instruction of one type in the same cycle: units of that type divided by the
/// warp size ([Berezovskyi13] equation 1). At least one of the two numbers is 1.
struct UnitsPerWarp {
    int numerator = 1;
    int denominator = 1;
    bool operator==(const UnitsPerWarp&) const = default;
};

/// Reads "4", "0.5" or "1/2". Throws InputError unless the value is a whole number or one divided by one.
UnitsPerWarp parse_units_per_warp(std::string_view text);

/// A kernel as its author gives it ([Berezovskyi13] section III).
struct KernelSpec {
    std::string string = {};  ///< instructions: C CUDA core, L load/store, S special, D double
    int warps = 1;            ///< W
    std::map<char, UnitsPerWarp> units =
        {};                              ///< lambda of every letter that the string uses; others are ignored
    std::optional<int> schedulers = {};  ///< sigma; absent: only the units limit a cycle
    std::map<char, int> latency = {};    ///< cycles an instruction of this letter takes; absent: 1
    /// Per letter of the string its fairness level, lower first ([Raravi10]: the sub-block); empty: none.
    std::vector<int> level = {};
    /// Cycles a warp waits after an instruction of this letter, holding nothing, before its next one: memory
    /// latency. Absent: 0.
    std::map<char, int> wait = {};
    int sms = 1;  ///< equal SMs, each with units, schedulers and W warps of its own
    bool operator==(const KernelSpec&) const = default;
};

/// The instance in which every instruction takes one cycle: a letter with lambda < 1 or a latency of x cycles
/// is repeated (1/lambda)*x times, then at lambda = 1 where it was below ([Berezovskyi13] section III-E).
/// That is pessimistic where something is repeated: the repetitions of one instruction may be spaced apart.
/// Types are numbered in the order C L S D, those only that the string uses, and behind them the type of the
/// waits, if there are any; levels that are all 0 are dropped. Of several SMs it is one. Throws InputError
/// for anything out of range.
KernelInstance normalise(const KernelSpec& spec);

/// The same kernel with pipelined units of these letters: a unit is free again once it has taken the
/// instruction (1 / lambda cycles), and the rest of its latency is a wait of the warp.
KernelSpec with_pipelines(KernelSpec spec, std::string_view letters);

/// The letter of each type of `normalise(spec)`, but for the type of the waits.
std::string unit_letters(const KernelSpec& spec);

/// How an instruction of more than one cycle becomes a part of the net.
enum class MultiCycle : std::uint8_t {
    repeated,        ///< as normalise() does: pessimistic, and the net is that of the instance
    non_preemptive,  ///< exact: a delay gadget holds the unit and the scheduler for all its cycles
};

/// The net of a kernel, in which a maximal step is a cycle and the steps to the dead marking are the
/// makespan.
///
/// Places `unit_C` ... (lambda tokens), `schedulers` (sigma tokens, where given), and per warp `w1_pc_0` ...
/// `w1_pc_I`; transitions `w1_i1_L` ... take the warp from one to the next and borrow unit and scheduler for
/// the step. A fairness level k becomes the priority -k. A non-preemptive instruction of d > 1 cycles has the
/// places `w1_i1_busy` and `w1_i1_timer` and the transitions `w1_i1_tick` and `w1_i1_done` as well. A wait is
/// a delay gadget behind the instruction: places `w1_i1_wait`, `w1_i1_wait_timer`, transitions
/// `w1_i1_wait_tick`, `w1_i1_wait_done`. Of several SMs the nodes begin with `s1_`, `s2_`, ....
Net kernel_net(const KernelSpec& spec, MultiCycle multi_cycle = MultiCycle::repeated);

/// What stands for what in the net of a kernel.
struct KernelNet {
    KernelInstance instance;
    std::vector<PlaceId> unit;  ///< of each type but that of the waits
    /// Of (warp, position in the string) at warp * I + position; of a wait of d cycles d - 1 times its tick.
    std::vector<TransitionId> transition;
    std::vector<std::vector<TransitionId>> other_sms;  ///< the same of each further SM, all equal

    TransitionId at(int warp, int instruction) const {
        return transition[static_cast<std::size_t>(warp) * instance.type.size() +
                          static_cast<std::size_t>(instruction)];
    }
};

/// Finds the instance that a net with the structure of kernel_net() stands for, whatever its nodes are called
/// and in whatever order they come; nothing if it has any other structure (instructions that hold their unit
/// for several cycles included). Parts that share nothing are SMs, and all must stand for the same instance.
/// Types and warps are numbered in the order of their places. Only where all instructions have one type do
/// names matter: of the two places borrowed by all, the one called `schedulers` (or else the later one) is
/// sigma. O(size of the net).
std::optional<KernelNet> recognise_kernel(const Net& net);

/// What "an instruction of sub-block k goes before one of sub-block k+1" means for the instructions outside
/// the repeated sub-block ([Raravi10] leaves it open).
enum class FermiFairness : std::uint8_t {
    none,        ///< any work-conserving scheduler
    sub_blocks,  ///< the prelude counts to the first sub-block, the store to the last one
    own_levels,  ///< prelude and store are levels of their own, before the first and after the last sub-block
};

inline constexpr int fermi_warp_threads = 16;

/// The template C (L L C)^repeat L of [Raravi10] on one SM: the last L is a store, 2 CUDA-core and 1
/// load/store instruction a cycle, warps of 16 threads.
struct FermiSpec {
    int threads = 16;  ///< on this SM, at least 1
    int repeat = 1;    ///< how often the sub-block LLC appears, at least 1
    FermiFairness fairness = FermiFairness::sub_blocks;
    /// The paper's text says that one or two warps are selected a cycle, its Fig. 3a executes three.
    std::optional<int> schedulers = {};
};

/// The template as a kernel. Throws InputError for numbers out of range.
KernelSpec fermi_kernel(const FermiSpec& spec);

/// The conjectured bound FT = 3 w + 2 + 2 w (repeat - 1) with w = ceil(threads / 16) warps, in cycles (seed
/// 003, section III). It is *not* a bound in general: it fails for w = 1 with repeat > 1, without fairness
/// and with two schedulers. Throws InputError for numbers below 1.
std::int64_t fermi_bound(std::int64_t threads, std::int64_t repeat);

/// The kernel's conjectured bound: the largest FT over the SMs, given the threads on each.
std::int64_t fermi_kernel_bound(std::span<const std::int64_t> threads_per_sm, std::int64_t repeat);

}  // namespace warpnet

#pragma once

#include "engine/net/net.hpp"
#include "netgen/kernel/instance.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet {

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

}  // namespace warpnet

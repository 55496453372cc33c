#pragma once

#include "engine/net/net.hpp"
#include "netgen/warps/assignment.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// W identical warps that run one instruction string in order; every instruction takes one cycle on a unit of
/// its type ([Berezovskyi13] sections II and III). In every cycle a maximal set of ready warps executes, at
/// most `capacity[type]` per type and, if given, at most `schedulers` in total. A warp executes at most one
/// instruction per cycle. The makespan is the number of cycles until all warps have finished.
struct KernelInstance {
    int warps = 1;                   ///< W, at least 1
    std::vector<std::uint8_t> type;  ///< per instruction: index into `capacity`
    std::vector<int> capacity;       ///< per type: instructions per cycle, at least 1
    std::optional<int> schedulers =
        {};  ///< sigma: instructions per cycle over all types; empty: no such limit
    /// Per instruction its fairness level ([Raravi10]: the sub-block); empty: no levels. Within a cycle,
    /// ready instructions of lower levels are served first.
    std::vector<int> level = {};
    /// The type of the cycles in which a warp waits after an instruction; `type` contains them after the
    /// instruction. Nothing limits them, neither units (the capacity is at least W) nor schedulers, so a warp
    /// always makes the next one. A warp has finished after its last wait. Empty: there are no waits.
    std::optional<std::uint8_t> waiting = {};

    /// Whether a warp waits at this position of the string, rather than executes.
    bool waits_at(std::size_t position) const noexcept { return waiting && type[position] == *waiting; }
    /// The instructions of a warp: the positions of the string without waits.
    std::size_t instructions() const noexcept {
        std::size_t count = 0;
        for (std::size_t i = 0; i < type.size(); ++i)
            if (!waits_at(i)) ++count;
        return count;
    }

    bool operator==(const KernelInstance&) const = default;
};

/// The number of warps that may execute an instruction of one type in the same cycle: the units of that type
/// divided by the warp size ([Berezovskyi13] equation 1). At least one of the two numbers is 1.
struct UnitsPerWarp {
    int numerator = 1;
    int denominator = 1;
    bool operator==(const UnitsPerWarp&) const = default;
};

/// Reads "4", "0.5" or "1/2". Throws InputError unless the value or its reciprocal is a whole number.
UnitsPerWarp parse_units_per_warp(std::string_view text);

/// A kernel as specified by its author ([Berezovskyi13] section III).
struct KernelSpec {
    std::string string = {};  ///< instructions: C CUDA core, L load/store, S special, D double
    int warps = 1;            ///< W
    std::map<char, UnitsPerWarp> units =
        {};                              ///< lambda of every letter in the string; other letters are ignored
    std::optional<int> schedulers = {};  ///< sigma; empty: only the units limit a cycle
    std::map<char, int> latency = {};    ///< cycles of an instruction with this letter; default: 1
    /// Per letter of the string its fairness level, lower levels first ([Raravi10]: the sub-block); empty: no
    /// levels.
    std::vector<int> level = {};
    /// The memory latency: the cycles for which a warp waits after an instruction with this letter without
    /// holding anything. Default: 0.
    std::map<char, int> wait = {};
    int sms = 1;  ///< equal SMs, each with its own units, schedulers and W warps
    /// Per letter the number of instructions per cycle over all SMs, in addition to `units`: the accesses
    /// that the memory of the device takes. Letters that the string does not have are ignored. Default: no
    /// limit.
    std::map<char, int> chip_units = {};
    /// Of warps to the schedulers. The warps are equal, so `any` is `fixed`.
    Assignment assignment = Assignment::shared;
    Tokens dispatch_units =
        1;  ///< instructions per cycle of a scheduler with its own warps; 1 if they are shared
    /// Letters whose units belong to a scheduler with its own warps: `units` then counts those of one
    /// scheduler. All other units are shared by the SM. Letters that the string does not have are ignored.
    std::string own_units = {};
    bool operator==(const KernelSpec&) const = default;
};

/// The instance in which every instruction takes one cycle. A letter with lambda < 1 or a latency of x cycles
/// is repeated (1/lambda)*x times, and then has lambda = 1 if it was below ([Berezovskyi13] section III-E).
/// Repetitions are pessimistic, since those of one instruction may be spaced apart. Types are numbered in the
/// order C L S D, without unused ones, followed by the type of the waits, if any. Levels that are all 0 are
/// dropped. Of several SMs it is the instance of one. Throws InputError for anything out of range, and if
/// warps are fixed to schedulers or several SMs share units that can run short.
KernelInstance normalise(const KernelSpec& spec);

/// The same kernel with pipelined units for these letters. A unit is free again after it has accepted the
/// instruction (1 / lambda cycles), and the rest of its latency is a wait of the warp.
KernelSpec with_pipelines(KernelSpec spec, std::string_view letters);

/// The letter of each type of `normalise(spec)`, without the type of the waits.
std::string unit_letters(const KernelSpec& spec);

/// The representation of an instruction of more than one cycle in the net.
enum class MultiCycle : std::uint8_t {
    repeated,        ///< as in normalise(): pessimistic, and the net is that of the instance
    non_preemptive,  ///< exact: a delay gadget holds the unit and the scheduler for all its cycles
};

/// The net of a kernel. A maximal step is a cycle, and the number of steps to the dead marking is the
/// makespan.
///
/// The places are `unit_C` ... (lambda tokens; or `unit_C_1` ... for each scheduler that has its own units),
/// `schedulers` (sigma tokens, if given; or `schedulers_1` ... for each scheduler that has its own warps,
/// with its dispatch units), and per warp `w1_pc_0` ... `w1_pc_I`. The transitions `w1_i1_L` ... move the
/// warp from one of these to the next, and borrow a unit and a scheduler during the step. A fairness level k
/// becomes the priority -k. A non-preemptive instruction of d > 1 cycles also has the places `w1_i1_busy` and
/// `w1_i1_timer` and the transitions `w1_i1_tick` and `w1_i1_done`. A wait is a delay gadget after the
/// instruction, with the places `w1_i1_wait` and `w1_i1_wait_timer` and the transitions `w1_i1_wait_tick` and
/// `w1_i1_wait_done`. With several SMs the ids have the prefixes `s1_`, `s2_`, .... The places `chip_L` ...
/// have the tokens of `chip_units`, which every instruction of that letter borrows. A limit that the units of
/// the SMs imply has no place. With one SM it limits the tokens of `unit_L`, and a scheduler's own units need
/// a place.
Net kernel_net(const KernelSpec& spec, MultiCycle multi_cycle = MultiCycle::repeated);

/// The meaning of the nodes in the net of a kernel.
struct KernelNet {
    KernelInstance instance;
    std::vector<PlaceId> unit;  ///< per type, without the type of the waits
    /// For (warp, position in the string) at warp * I + position. A wait of d cycles has d - 1 entries for
    /// its tick.
    std::vector<TransitionId> transition;

    TransitionId at(int warp, int instruction) const {
        return transition[static_cast<std::size_t>(warp) * instance.type.size() +
                          static_cast<std::size_t>(instruction)];
    }
};

/// Finds the instance of a net with the structure of kernel_net(), whatever the names and the order of its
/// nodes. Returns nothing for any other structure, such as instructions that hold their unit for several
/// cycles. Returns nothing for nets of several SMs, because these share nothing and each is a kernel. Types
/// and warps are numbered in the order of their places. Names matter only if all instructions have one type:
/// of the two places that all of them borrow, the one named `schedulers` (or otherwise the later one) is
/// sigma. O(size of the net).
std::optional<KernelNet> recognise_kernel(const Net& net);

/// The meaning of "an instruction of sub-block k goes before one of sub-block k+1" for the instructions
/// outside the repeated sub-block. [Raravi10] leaves it open.
enum class FermiFairness : std::uint8_t {
    none,        ///< any work-conserving scheduler
    sub_blocks,  ///< the prelude belongs to the first sub-block, the store to the last one
    own_levels,  ///< prelude and store have their own levels, before the first and after the last sub-block
};

inline constexpr int fermi_warp_threads = 16;

/// The template C (L L C)^repeat L of [Raravi10] on one SM. The last L is a store. There are 2 CUDA-core
/// instructions and 1 load/store instruction per cycle, and warps of 16 threads.
struct FermiSpec {
    int threads = 16;  ///< on this SM, at least 1
    int repeat = 1;    ///< the number of sub-blocks LLC, at least 1
    FermiFairness fairness = FermiFairness::sub_blocks;
    /// The text of the paper states one or two warps per cycle, but its Fig. 3a executes three.
    std::optional<int> schedulers = {};
};

/// The template as a kernel. Throws InputError for numbers out of range.
KernelSpec fermi_kernel(const FermiSpec& spec);

/// The bound conjectured by [Raravi10] section III: FT = 3 w + 2 + 2 w (repeat - 1) cycles with
/// w = ceil(threads / 16) warps. Under fairness it holds for w > 1 and is reached (proof:
/// docs/explanation/kernel-makespan.md). It fails for w = 1 with repeat > 1, without fairness, and with two
/// schedulers, for which the same page has a closed form. Throws InputError for numbers below 1.
std::int64_t fermi_bound(std::int64_t threads, std::int64_t repeat);

/// The threads on each SM that has any. The blocks of a grid go to the SMs in turn, and all blocks of an SM
/// run at the same time. A block takes whole warps of 16 threads. Throws InputError for numbers below 1 or
/// more than 2^31 - 1 threads on an SM.
std::vector<std::int64_t> fermi_threads_per_sm(std::int64_t blocks, std::int64_t block_threads,
                                               std::int64_t sms);

/// The kernel's bound in the same sense: the largest FT over the SMs, given the threads on each.
std::int64_t fermi_kernel_bound(std::span<const std::int64_t> threads_per_sm, std::int64_t repeat);

}  // namespace warpnet::netgen

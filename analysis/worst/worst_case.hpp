#pragma once

#include "analysis/worst/bounds/machine.hpp"
#include "analysis/worst/bounds/step_bound.hpp"
#include "analysis/worst/kernel/schedule.hpp"
#include "analysis/worst/search/annealing.hpp"
#include "engine/base/progress_hook.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/net/net.hpp"
#include "engine/run/replay.hpp"
#include "engine/run/run.hpp"
#include "netgen/kernel/kernel.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {
struct WarpsSpec;
}  // namespace warpnet::netgen

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::worst {

/// A text that a caller keeps, and its name in messages.
struct NamedText {
    std::string name;
    std::string text;
};

struct WorstCaseOptions {
    Objective objective = Objective::longest;
    bool search = true;  ///< false: certify a bound, without the search by annealing
    bool exact = false;  ///< continue until the value is proved or a limit is met
    /// gto or lrr: the policy fixes the service order, and the search decides the choices of each part.
    /// Absent: any service order.
    std::optional<Policy> policy = {};
    std::uint64_t max_steps = 10'000'000;  ///< a longer run counts as endless
    /// Memory is for proofs. With a deadline the answer depends on the machine; a search and the proof after
    /// it share the time.
    WorkLimits limits = {};
    std::string scratch = {};  ///< a folder for proofs of a kernel that exceed the memory; empty: none
    int threads = 0;           ///< 0: those of the caller's arena. The answer does not depend on them
    /// Ranks that all call worst_case() with equal arguments; null: one process. Memory, `order`, `saved` and
    /// `save` may differ; of the last three those of rank 0 count.
    ranks::Collectives* ranks = nullptr;

    // The search. Absent values have a default for each kind of net.
    AnnealingMethod method = AnnealingMethod::portfolio;
    std::optional<std::uint32_t> chains = {};
    std::optional<std::uint64_t> iterations = {};  ///< candidates that each chain tries
    std::optional<double> temperature = {};        ///< at the start of the annealing, in steps
    SearchStart start = SearchStart::mixed;
    std::uint64_t seed = 1;
    std::optional<NamedText> order = {};  ///< instead of `start` (order_csv.hpp)
    bool wants_order = false;             ///< fill WorstCase::order even if no search is needed

    ProgressHook progress = {};  ///< of the bounds, searches and proofs, on rank 0
    /// The last text that `save` received, to continue from; absent: start anew.
    std::optional<NamedText> saved = {};
    /// Called now and then, with a function that makes the text of the search, and at its end, with `last`.
    /// With `exact` the exact search is saved if there is one.
    std::function<void(const std::function<std::string()>& text, bool last)> save = {};
};

/// The runs of a net that are certainly endless.
enum class EndlessRuns : std::uint8_t {
    none_known,
    one,   ///< at least one
    some,  ///< and some runs end
    every,
};

/// One improvement of a search.
struct WorstCaseImprovement {
    double seconds;
    std::uint32_t chain;
    std::uint64_t iteration;
    std::uint64_t value;
};

/// The knowledge about the longest (shortest) run. `found` is at most (at least) the true value and `bound`
/// at least (at most).
struct WorstCase {
    Objective objective = Objective::longest;
    std::optional<std::uint64_t> found;  ///< steps of the witness; nothing: no run ends, or none is known
    std::optional<std::uint64_t> bound;  ///< certified: no run takes more (shortest: fewer) steps
    bool exact = false;                  ///< the two are equal, or `endless` is known
    std::vector<StepBound> bounds;       ///< all that were proved, the best first
    std::vector<std::string> arguments;  ///< the proof of `bound`, in words
    std::string no_bound;                ///< if there is none: why
    Machine machine;                     ///< for which all this is valid
    std::string covers;                  ///< the runs that the result is about; empty: all runs of the net
    std::optional<Policy> policy;        ///< that fixes the service order
    bool policy_decides = true;          ///< false: no parts_to_order()
    /// The witness, replayed by the plain rules before it is returned: steps of the net, or, of an instance
    /// of a kernel, `instructions`.
    Schedule schedule;
    KernelSchedule instructions;
    bool witness_of_part = false;  ///< the schedule of a block was replayed; that of its grid is too large
    bool replayed = true;          ///< false: a limit of time or memory was met before that

    EndlessRuns endless = EndlessRuns::none_known;  ///< with any but none_known there is no upper bound
    bool time_stands_still = false;  ///< immediate transitions fire forever, as far as observed
    Schedule cycle_prefix, cycle;    ///< an endless run: the path to a marking, and from there back to it

    std::string method;
    std::vector<std::string> limits_hit;  ///< proofs and searches that were skipped or not finished
    bool bound_only = false;              ///< nothing was searched
    bool limit_reached = false;           ///< before the requested answer
    bool interrupted = false;

    // Of the search, if there was one.
    std::uint32_t chains = 0;
    std::uint64_t iterations = 0;  ///< of all chains
    double seconds = 0;
    std::map<std::string, std::uint64_t> start_values;  ///< the best value of each kind of start
    std::vector<WorstCaseImprovement> log;
    std::string order;  ///< the candidate behind `found` (order_csv.hpp); empty: none

    // The caller's knowledge about the kernel of the net.
    std::vector<std::string> leaves_out;      ///< effects on a GPU that the bound does not count
    std::optional<std::int64_t> closed_form;  ///< a formula of the literature

    /// Whether `schedule` is the run behind `found`: a limit may have been met before it was made.
    bool has_schedule() const { return found && !witness_of_part && (!schedule.empty() || *found == 0); }
};

/// The longest (shortest) run of a net under maximal steps: found with a witness, and bounded with a proof.
/// The net of a kernel is reduced to its instance, a grid of equal blocks to one block. All other nets are
/// bounded by their structure, searched exactly, explored and annealed, as far as each pays. Proofs that were
/// not requested get a fixed effort.
///
/// Without a deadline the answer is the same on any machine and any number of threads and ranks. The defaults
/// take seconds for nets of some hundred nodes. Ranks other than the first return an empty value.
/// Throws UsageError for the paper's method if the net is not one of a kernel, and InputError for texts that
/// do not belong to the net.
WorstCase worst_case(const Net& net, const WorstCaseOptions& options = {});
/// The same for instruction strings; the witness is WorstCase::instructions.
WorstCase worst_case(const netgen::KernelInstance& instance, const WorstCaseOptions& options = {});
/// The same for warps_net(): of one SM, or of a grid of blocks, whose schedule is one of its net.
WorstCase worst_case(const netgen::WarpsSpec& spec, const WorstCaseOptions& options = {});

/// A bound and the machine that it is for.
struct QuickBound {
    std::uint64_t steps = 0;
    Machine machine;
};

/// An upper bound on every run of maximal steps, certified at once (run_bounds()); nothing if that proves
/// none. worst_case() proves more. Kernels have no quick bound: their proofs take time. Cost: some tenths of
/// a second at most, and compile().
std::optional<QuickBound> quick_bound(const Net& net);

/// The comparison of a run of this number of timed steps with that bound, for a picture; empty: there is no
/// bound, or the steps are of another kind.
std::string note_on_bound(std::uint64_t steps, const std::optional<QuickBound>& bound);

/// "no finite worst case: …", or that there is no shortest run; empty if neither is known.
std::string no_worst_case(const WorstCase& worst);

}  // namespace warpnet::worst

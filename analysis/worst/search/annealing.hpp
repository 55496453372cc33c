#pragma once

#include "analysis/worst/search/objective.hpp"
#include "engine/base/random.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/run/run.hpp"

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpnet::ranks {
class Collectives;
}  // namespace warpnet::ranks

namespace warpnet::worst {

// One search for all problems whose candidates can be changed a little and evaluated: chains of simulated
// annealing with temperatures, restarts, exchanges and limits. The search space is an AnnealingProblem. The
// functions below are defined in annealing_rounds.hpp and annealing_text.hpp, and instantiated with the
// problem.
//
// Budgets count candidates, never seconds, and random numbers are keyed by (seed, chain, iteration). So the
// same seed gives the same answer on any number of threads and ranks. A run found exists and is replayed; it
// is no bound.

/// The common properties of most problems: every instance is valid, Problem::Worker handles all of them, and
/// a candidate is evaluated at once, so that interleaved chains gain nothing.
template <class Problem>
struct SimpleProblem {
    static constexpr std::size_t chains_together = 1;

    template <class Instance>
    static void check(const Instance&) {}
    template <class Instance, class Function>
    static void with_worker(const Instance&, Function&& function) {
        function.template operator()<typename Problem::Worker>();
    }
};

/// The Evaluator of a Worker that evaluates its proposal in draw().
struct EvaluatedAtOnce {
    static void advance(std::span<EvaluatedAtOnce* const>) noexcept {}
    static bool evaluated() noexcept { return true; }
};

/// The method of a chain.
enum class AnnealingMethod : std::uint8_t {
    /// Berezovskyi, Bletsas, Petters, section V, exactly: one cooling T = T0 (1 - iteration / iterations); a
    /// candidate that is worse by d is accepted with probability min(1, T / d). Only for instruction strings,
    /// by exchanging two positions.
    paper,
    /// A series of coolings of growing length, each from its own start and with one of several mixtures of
    /// moves. T falls geometrically from T0, and a candidate worse by d is accepted with probability exp(-d /
    /// T). The mixture that worked best in a chain so far is used most.
    portfolio,
    /// Parallel tempering: each chain has a temperature on a ladder that falls geometrically from T0.
    /// Neighbours on the ladder exchange their temperatures now and then, so that good candidates move to the
    /// cold end and are refined there. A candidate worse by d is accepted with probability exp(-d / T).
    tempering,
};

std::string_view to_string(AnnealingMethod method);

/// The method, the effort and the initial temperature of annealing. The value of a candidate is its number of
/// steps.
struct AnnealingOptions {
    AnnealingMethod method = AnnealingMethod::portfolio;
    Objective objective = Objective::longest;
    std::uint64_t iterations = 2'000'000;  ///< candidates per chain
    double temperature = 0.6;              ///< T0, in units of the value, at least 0; the paper uses 0.3
    std::uint64_t seed = 1;
    bool operator==(const AnnealingOptions&) const = default;
};

/// The search space.
template <class Problem>
concept AnnealingProblem = std::integral<typename Problem::Value> &&
    std::is_enum_v<typename Problem::Start> &&
    requires(const typename Problem::Instance& instance, const AnnealingOptions& options,
             typename Problem::Start start, std::uint64_t number, const WorkLimits& limits) {
    Problem::check(instance);  // throws InputError
    // The starts of chains, in the order in which chains use them.
    { Problem::starts[0] } -> std::convertible_to<typename Problem::Start>;
    // The start of all coolings of a portfolio except the first.
    { Problem::restart } -> std::convertible_to<typename Problem::Start>;
    // The first candidate of a chain or a cooling, by random numbers of stream `number`; if the limits are
    // met, any candidate.
    { Problem::begin(instance, options, start, number, limits) } -> std::same_as<typename Problem::Candidate>;
    // The number of mixtures of moves.
    { Problem::mixtures } -> std::convertible_to<std::size_t>;
    // Iterations between two checks whether to stop, for short candidates.
    { Problem::check_interval } -> std::convertible_to<std::uint64_t>;
    // Iterations that justify a round with a target, and a message to another rank.
    { Problem::shortest_round } -> std::convertible_to<std::uint64_t>;
    { Problem::shortest_stretch } -> std::convertible_to<std::uint64_t>;
    // Chains per thread, more than one if that makes them faster.
    { Problem::chains_together } -> std::convertible_to<std::size_t>;
    // For checkpoints, see annealing_text.hpp.
    { Problem::candidate_name } -> std::convertible_to<const char*>;
    { Problem::name_of(start) } -> std::same_as<std::string_view>;
    // And with_worker(instance, f), which calls f.operator()<Worker>() with an AnnealingWorker.
};

/// The workspace of a chain: made from an instance, it has a current candidate and perhaps a proposed one.
template <class Worker, class Problem>
concept AnnealingWorker = std::constructible_from<Worker, const typename Problem::Instance&> &&
    requires(Worker& worker, const Worker& unchanged, typename Problem::Candidate candidate,
             CounterRandom& random, AnnealingMethod method, std::size_t mixture,
             std::span<typename Worker::Evaluator* const> evaluators) {
    { worker.reset(candidate) } -> std::same_as<typename Problem::Value>;  // makes it the current one
    worker.use_moves(method, mixture);
    { worker.draw(random) } -> std::same_as<bool>;  // proposes a neighbour; false: no change
    // Continues to evaluate the proposals of several chains together.
    Worker::Evaluator::advance(evaluators);
    { worker.evaluator.evaluated() } -> std::same_as<bool>;
    { unchanged.value() } -> std::same_as<typename Problem::Value>;
    { unchanged.candidate_value() } -> std::same_as<typename Problem::Value>;
    { unchanged.current() } -> std::convertible_to<const typename Problem::Candidate&>;
    worker.accept();
    worker.reject();
    // The end of the run of the last evaluated candidate. With any reason except `dead` it is not accepted.
    // The search for a longest run ends there too; that for a shortest one continues unless the run was long
    // (long_run) or time stopped.
    { unchanged.end() } -> std::same_as<StopReason>;
};

/// The iteration after which a chain's best value became `value`, counted from 1; 0: its start.
template <class Value>
struct ImprovementOf {
    std::uint64_t iteration = 0;
    Value value = 0;
    double seconds = 0;  ///< since the start; the only field that differs between equal searches
};

/// A chain between two of its iterations: everything that its future depends on, in addition to the instance
/// and the options.
template <class Problem>
struct ChainOf {
    using Value = typename Problem::Value;

    std::uint32_t number = 0;  ///< its random numbers are keyed by (seed, number, iteration)
    typename Problem::Start start = Problem::restart;
    std::uint64_t iteration = 0;    ///< candidates drawn so far
    std::uint64_t evaluations = 0;  ///< of these, the evaluated ones: they differ from the current one
    typename Problem::Candidate current = {};
    typename Problem::Candidate best = {};
    Value value = 0;                        ///< of `current`
    Value best_value = 0;                   ///< of `best`
    Value cooling_value = 0;                ///< best since the current cooling began
    std::vector<Value> mixture_value = {};  ///< best per mixture of moves over its finished coolings
    double temperature = 0;                 ///< its current one, of AnnealingMethod::tempering
    /// Not `dead`: it met an endless run, for this reason, and stops.
    StopReason ended = StopReason::dead;
    std::vector<ImprovementOf<Value>> log = {};
};

/// The hooks of a chain while it advances; each function may be empty.
template <class Problem>
struct ChainHooksOf {
    std::function<bool(const ChainOf<Problem>&)> stop = {};  ///< called now and then, see check_interval
    std::function<double()> seconds = {};                    ///< the time for the log
    WorkLimits work = {};                                    ///< of time, while a cooling begins
};

/// The end of an advance of a chain: iteration `until` or its last.
template <class Problem>
struct ChainStretchOf {
    ChainOf<Problem>* chain = nullptr;
    std::uint64_t until = 0;
};

/// A search: several independent chains, and the best of them counts. AnnealingMethod::tempering also
/// exchanges temperatures. The same options give the same answer on any number of threads and ranks.
template <class Problem>
struct SearchOptionsOf {
    AnnealingOptions annealing = {};
    std::uint32_t chains = 8;
    /// The starts of chains; absent: all starts in turn.
    std::optional<typename Problem::Start> start = {};
    bool candidate_given = false;  ///< chains begin at a given candidate: begin_search_at()
    /// A value that suffices, such as a certified bound: the search ends when a chain reaches it. Not for
    /// AnnealingMethod::tempering.
    std::optional<typename Problem::Value> target = {};

    typename Problem::Start start_of(std::uint32_t chain) const {
        return start.value_or(Problem::starts[chain % Problem::starts.size()]);
    }
    bool operator==(const SearchOptionsOf&) const = default;
};

/// A search between two of its iterations, as a value: the content of a checkpoint. The chains may have
/// advanced to different iterations.
template <class Problem>
struct SearchStateOf {
    static_assert(AnnealingProblem<Problem>);

    typename Problem::Instance instance;
    SearchOptionsOf<Problem> options;
    std::vector<ChainOf<Problem>> chains;
    std::uint64_t exchanges = 0;  ///< rounds of exchanges made (tempering)
    double seconds = 0;           ///< spent so far, wall clock
    /// False: a time limit was met while it began or was read. Then some chains are missing, perhaps all. Its
    /// results are true, but it differs from a complete start with the same options and must not be saved.
    bool begun = true;
};

namespace annealing {

/// Without the chains whose first run a limit of time cut: their log is empty.
template <class Problem>
void drop_cut_chains(SearchStateOf<Problem>& state) {
    std::erase_if(state.chains, [](const auto& chain) { return chain.log.empty(); });
    state.begun = state.begun && state.chains.size() == state.options.chains;
}

}  // namespace annealing

template <class Problem>
struct SearchLimitsOf {
    WorkLimits work = {};  ///< of time: with a deadline another run may find another value
    /// Called now and then, one call at a time, from any thread, with a state from which the search can
    /// continue: to be saved. It is called often (about 256 times per chain) so that little is lost; it
    /// should skip calls.
    std::function<void(const SearchStateOf<Problem>&)> checkpoint = {};
    // For a progress line; both change now and then.
    std::atomic<std::uint64_t>* iterations = nullptr;      ///< counts up
    std::atomic<typename Problem::Value>* best = nullptr;  ///< the best value so far
};

/// The best value found so far, which exists, with its candidate; not a bound.
template <class Problem>
struct SearchResultOf {
    using Value = typename Problem::Value;
    /// One improvement of the best value of a chain.
    struct LogEntry {
        double seconds = 0;
        std::uint32_t chain = 0;
        std::uint64_t iteration = 0;
        Value value = 0;
    };
    struct StartValue {
        typename Problem::Start start;
        Value value;  ///< the best of the starts of this kind, before any iteration
    };

    Value found = 0;
    typename Problem::Candidate best = {};
    std::vector<StartValue> start_values = {};  ///< empty if a candidate was given
    std::uint32_t chains = 0;
    std::uint64_t iterations = 0;  ///< of all chains together
    double seconds = 0;
    std::vector<LogEntry> log = {};  ///< by iteration, then chain
    WorkEnd stop = WorkEnd::complete;
    StopReason ended = StopReason::dead;  ///< of the first chain that has a reason to stop early
};

/// A chain at its start. Throws InputError for an invalid instance or invalid options.
template <class Problem>
ChainOf<Problem> begin_chain_of(const typename Problem::Instance& instance, const AnnealingOptions& options,
                                std::uint32_t number, typename Problem::Start start,
                                const WorkLimits& limits = {});

/// Advances chains over their stretches, or until they are stopped. The result depends neither on which
/// chains advance together nor on the number of stretches.
template <class Problem>
void advance_chains_of(const typename Problem::Instance& instance, const AnnealingOptions& options,
                       const ChainHooksOf<Problem>& hooks,
                       std::span<const ChainStretchOf<Problem>> stretches);

/// All chains at their starts, or those that began before a time limit was met: SearchStateOf::begun. Throws
/// InputError for an invalid instance or invalid options.
template <class Problem>
SearchStateOf<Problem> begin_search(const typename Problem::Instance& instance,
                                    const SearchOptionsOf<Problem>& options, const WorkLimits& limits = {});

/// All chains at one candidate, with SearchOptionsOf::candidate_given. Throws InputError as begin_search()
/// does; `candidate` must be one of the instance.
template <class Problem>
SearchStateOf<Problem> begin_search_at(const typename Problem::Instance& instance,
                                       SearchOptionsOf<Problem> options,
                                       const typename Problem::Candidate& candidate,
                                       const WorkLimits& limits = {});

/// Advances all given chains of a search to iteration `until` or to their last, without exchanges. Uses the
/// threads of the caller's task arena.
template <class Problem>
WorkEnd advance_search(SearchStateOf<Problem>& state, std::uint64_t until,
                       const SearchLimitsOf<Problem>& limits);

/// Continues until the search ends. A search that a limit stopped can be continued; the result is then that
/// of an uninterrupted search.
template <class Problem>
WorkEnd continue_search(SearchStateOf<Problem>& state, const SearchLimitsOf<Problem>& limits = {});

/// The same with the chains divided among ranks, which all call it with equal states; the state is then equal
/// on all of them. A limit of one rank ends the search of all.
template <class Problem>
WorkEnd continue_search(SearchStateOf<Problem>& state, const SearchLimitsOf<Problem>& limits,
                        ranks::Collectives& ranks);

/// The state of rank 0 on all ranks. Each rank has its own instance and options.
template <class Problem>
void share_search(SearchStateOf<Problem>& state, ranks::Collectives& ranks);

template <class Problem>
SearchResultOf<Problem> search_result(const SearchStateOf<Problem>& state, WorkEnd stop);

/// Some chains as text, for another rank of the same program: not validated.
template <class Problem>
std::string write_chains_of(const typename Problem::Instance& instance,
                            std::span<const ChainOf<Problem>> chains);
template <class Problem>
std::vector<ChainOf<Problem>> read_chains_of(const typename Problem::Instance& instance,
                                             std::string_view text);

/// An AnnealingWorker that changes a copy of its current candidate and evaluates it at once. Own is derived
/// from it and has
///
///   change(candidate, random)  a neighbour, perhaps the same
///   evaluate(candidate)        its value
template <class Own, class Problem>
class CopyingWorker {
  public:
    using Evaluator = EvaluatedAtOnce;
    using Candidate = typename Problem::Candidate;
    using Value = typename Problem::Value;

    Value reset(Candidate candidate) {
        current_ = std::move(candidate);
        return value_ = own().evaluate(current_);
    }
    static void use_moves(AnnealingMethod, std::size_t) noexcept {}
    bool draw(CounterRandom& random) {
        candidate_ = current_;
        own().change(candidate_, random);
        if (candidate_ == current_) return false;
        candidate_value_ = own().evaluate(candidate_);
        return true;
    }
    Value value() const { return value_; }
    Value candidate_value() const { return candidate_value_; }
    void accept() {
        current_.swap(candidate_);
        value_ = candidate_value_;
    }
    static void reject() noexcept {}
    const Candidate& current() const { return current_; }

    Evaluator evaluator;

  private:
    Own& own() { return static_cast<Own&>(*this); }

    Candidate current_, candidate_;
    Value value_ = 0, candidate_value_ = 0;
};

}  // namespace warpnet::worst

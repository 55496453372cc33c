#include "analysis/worst/kernel/annealing.hpp"

#include "analysis/worst/kernel/decode.hpp"
#include "analysis/worst/kernel/maximal_step_scheduler.hpp"
#include "analysis/worst/kernel/moves.hpp"
#include "analysis/worst/kernel/serial_scheduler.hpp"
#include "analysis/worst/search/annealing_farm.hpp"

namespace warpnet {
namespace {

constexpr MoveWeights paper_mixture{.exchange = 1};

/// Which moves win depends on the instance. Where capacities bind one type at a time, bad schedules are even,
/// and moves that bunch the letters of a warp lead away from them. Where instructions of one type can take
/// all schedulers, bad schedules drive gangs of warps through the kernel in phases, which single letters
/// cannot assemble.
constexpr std::array<MoveWeights, KernelStrings::mixtures> portfolio_mixtures{
    {{.exchange = 1, .shift = 1},
     {.exchange_near = 10, .shift = 5, .shift_near = 5, .gather = 35, .gang = 45}}};

/// What a chain works with, see analysis/worst/search/annealing.hpp.
template <class Scheduler>
class StringWorker {
  public:
    using Evaluator = Scheduler;

    explicit StringWorker(const KernelInstance& instance) : evaluator(instance) {}

    int reset(const PrecedenceString& string) { return evaluator.reset(string); }
    void use_moves(AnnealingMethod method, std::size_t mixture) {
        neighbourhood_ =
            Neighbourhood(method == AnnealingMethod::paper ? paper_mixture : portfolio_mixtures[mixture]);
    }
    bool draw(CounterRandom& random) {
        if (!neighbourhood_.draw(evaluator.string(), random)) return false;
        evaluator.propose(neighbourhood_.first(), neighbourhood_.letters());
        return true;
    }
    int value() const { return evaluator.makespan(); }
    int candidate_value() const { return evaluator.candidate_makespan(); }
    void accept() { evaluator.accept(); }
    static void reject() noexcept {}
    const PrecedenceString& current() const { return evaluator.string(); }
    static StopReason end() noexcept { return StopReason::dead; }

    Scheduler evaluator;

  private:
    Neighbourhood neighbourhood_{paper_mixture};
};

}  // namespace

template <class Function>
void KernelStrings::with_worker(const KernelInstance& instance, Function&& function) {
    if (search_reading(instance) == StringReading::serial) {
        function.template operator()<StringWorker<SerialScheduler>>();
    } else {
        function.template operator()<StringWorker<MaximalStepScheduler>>();
    }
}

AnnealingResult annealing_result(const AnnealingState& state, WorkEnd stop) {
    AnnealingResult result{search_result(state, stop), {}, {}};
    result.string = canonical(result.best);
    result.schedule = decode(state.instance, result.string, search_reading(state.instance));
    return result;
}

AnnealingResult annealing_search(const KernelInstance& instance, const AnnealingSearchOptions& options,
                                 const AnnealingLimits& limits) {
    AnnealingState state = begin_search(instance, options, limits.work);
    const WorkEnd stop = continue_search(state, limits);
    return annealing_result(state, stop);
}

template Chain begin_chain_of<KernelStrings>(const KernelInstance&, const AnnealingOptions&, std::uint32_t,
                                             Start, const WorkLimits&);
template void advance_chains_of<KernelStrings>(const KernelInstance&, const AnnealingOptions&,
                                               const ChainHooks&, std::span<const ChainStretch>);
template AnnealingState begin_search(const KernelInstance&, const AnnealingSearchOptions&, const WorkLimits&);
template AnnealingState begin_search_at(const KernelInstance&, AnnealingSearchOptions,
                                        const PrecedenceString&, const WorkLimits&);
template WorkEnd advance_search(AnnealingState&, std::uint64_t, const AnnealingLimits&);
template WorkEnd continue_search(AnnealingState&, const AnnealingLimits&);
template WorkEnd continue_search_by(AnnealingState&, const AdvanceOf<KernelStrings>&);
template SearchResultOf<KernelStrings> search_result(const AnnealingState&, WorkEnd);
template WorkEnd lead_search(Team&, int, AnnealingState&, const AnnealingLimits&);
template bool follow_search<KernelStrings>(Team&, int, const KernelInstance&, const AnnealingSearchOptions&,
                                           const AnnealingLimits&);

}  // namespace warpnet

// Annealing over pseudo-precedence strings [Berezovskyi13]. A candidate changes a few entries of the current
// string. The incremental schedulers evaluate it from the last state before the change, at about the cost of
// the changed part. With the serial scheduler four chains share a thread. The file also has the JSON text of
// a search.

#include "analysis/worst/kernel/annealing.hpp"

#include "analysis/worst/kernel/moves.hpp"
#include "analysis/worst/kernel/precedence_string.hpp"
#include "analysis/worst/kernel/schedulers.hpp"
#include "analysis/worst/search/annealing_rounds.hpp"
#include "analysis/worst/search/annealing_text.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/json.hpp"
#include "engine/input/parse_json.hpp"

namespace warpnet::worst {

namespace {

constexpr MoveWeights paper_mixture{.exchange = 1};

/// The best moves depend on the instance. If capacities bind one type at a time, bad schedules are even, and
/// moves that bunch the entries of a warp lead away from them. If instructions of one type can take all
/// schedulers, bad schedules drive gangs of warps through the kernel in phases, which moves of single entries
/// cannot assemble.
constexpr std::array<MoveWeights, KernelStrings::mixtures> portfolio_mixtures{
    {{.exchange = 1, .shift = 1},
     {.exchange_near = 10, .shift = 5, .shift_near = 5, .gather = 35, .gang = 45}}};

/// The Worker of a chain, see analysis/worst/search/annealing.hpp.
template <class Scheduler>
class StringWorker {
  public:
    using Evaluator = Scheduler;

    explicit StringWorker(const netgen::KernelInstance& instance) : evaluator(instance) {}

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
void KernelStrings::with_worker(const netgen::KernelInstance& instance, Function&& function) {
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

AnnealingResult annealing_search(const netgen::KernelInstance& instance,
                                 const AnnealingSearchOptions& options, const AnnealingLimits& limits) {
    AnnealingState state = begin_search(instance, options, limits.work);
    const WorkEnd stop = continue_search(state, limits);
    return annealing_result(state, stop);
}

template Chain begin_chain_of<KernelStrings>(const netgen::KernelInstance&, const AnnealingOptions&,
                                             std::uint32_t, SearchStart, const WorkLimits&);
template void advance_chains_of<KernelStrings>(const netgen::KernelInstance&, const AnnealingOptions&,
                                               const ChainHooks&, std::span<const ChainStretch>);
template AnnealingState begin_search(const netgen::KernelInstance&, const AnnealingSearchOptions&,
                                     const WorkLimits&);
template AnnealingState begin_search_at(const netgen::KernelInstance&, AnnealingSearchOptions,
                                        const PrecedenceString&, const WorkLimits&);
template WorkEnd advance_search(AnnealingState&, std::uint64_t, const AnnealingLimits&);
template WorkEnd continue_search(AnnealingState&, const AnnealingLimits&);
template WorkEnd continue_search(AnnealingState&, const AnnealingLimits&, ranks::Collectives&);
template void share_search(AnnealingState&, ranks::Collectives&);
template SearchResultOf<KernelStrings> search_result(const AnnealingState&, WorkEnd);

template <>
struct annealing::CandidateText<KernelStrings> {
    static Json write(const netgen::KernelInstance&, const PrecedenceString& string) { return string; }
    static PrecedenceString read(const netgen::KernelInstance&, const Json& json) {
        return json.get<PrecedenceString>();
    }
};

namespace {

using Json = annealing::Json;

constexpr int version = 5;

Json to_json(const netgen::KernelInstance& instance) {
    Json json = {{"warps", instance.warps},
                 {"type", instance.type},
                 {"capacity", instance.capacity},
                 {"schedulers", instance.schedulers ? Json(*instance.schedulers) : Json()},
                 {"level", instance.level}};
    if (instance.waiting) json["waiting"] = *instance.waiting;
    return json;
}

netgen::KernelInstance instance_from(const Json& json) {
    netgen::KernelInstance instance{.warps = json.at("warps"),
                                    .type = json.at("type").get<std::vector<std::uint8_t>>(),
                                    .capacity = json.at("capacity").get<std::vector<int>>(),
                                    .schedulers = {},
                                    .level = json.at("level").get<std::vector<int>>()};
    if (json.contains("waiting")) instance.waiting = json.at("waiting").get<std::uint8_t>();
    if (!json.at("schedulers").is_null()) instance.schedulers = json.at("schedulers").get<int>();
    return instance;
}

}  // namespace

std::string write_checkpoint(const AnnealingState& state) {
    Json json = annealing::state_to_json(state);
    json["warpnet_checkpoint"] = version;
    json["instance"] = to_json(state.instance);
    return sealed_json(std::move(json));
}

AnnealingState read_checkpoint(std::string_view text) {
    AnnealingState state{.instance = {}, .options = {}, .chains = {}};
    try {
        const Json json = read_sealed_json(text, "checkpoint", "warpnet_checkpoint", version);
        state = annealing::state_from_json<KernelStrings>(instance_from(json.at("instance")), json);
    } catch (const Json::exception& error) {
        throw InputError(fmt::format("checkpoint: {}", json_fault(error)));
    }
    const StringReading reading = search_reading(state.instance);
    annealing::check_state(state, [&](const PrecedenceString& string) {
        check_precedence_string(state.instance, string);
        return static_cast<int>(decode(state.instance, string, reading).size());
    });
    return state;
}

template std::string write_chains_of<KernelStrings>(const netgen::KernelInstance&, std::span<const Chain>);
template std::vector<Chain> read_chains_of<KernelStrings>(const netgen::KernelInstance&, std::string_view);

}  // namespace warpnet::worst

#pragma once

// Searches as JSON text, for any Problem (annealing.hpp). Included by the files that define a problem's
// checkpoint.

#include "analysis/worst/search/annealing.hpp"
#include "engine/base/to_json.hpp"
#include "engine/net/error.hpp"

#include <array>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::worst {

namespace annealing {

using Json = nlohmann::json;

/// To be specialised for a Problem: static write(instance, candidate) -> Json and read(instance, json) ->
/// candidate, which throws InputError or Json::exception.
template <class Problem>
struct CandidateText;

inline constexpr std::array methods{AnnealingMethod::paper, AnnealingMethod::portfolio,
                                    AnnealingMethod::tempering};
inline constexpr std::array objectives{Objective::longest, Objective::shortest};

inline std::string_view name_of(AnnealingMethod method) { return to_string(method); }
inline std::string_view name_of(Objective objective) {
    return objective == Objective::longest ? "longest" : "shortest";
}

template <class Values, class Name>
auto value_of(const Values& values, const std::string& text, Name&& name) {
    for (const auto value : values)
        if (text == name(value)) return value;
    throw InputError(fmt::format("checkpoint: unknown name '{}'", text));
}

template <class Problem>
typename Problem::Start start_from(const Json& json) {
    return value_of(Problem::starts, json.get<std::string>(),
                    [](typename Problem::Start start) { return Problem::name_of(start); });
}

inline StopReason end_from(const Json& json) {
    constexpr std::array ends{StopReason::dead, StopReason::step_limit, StopReason::overflow,
                              StopReason::immediate_loop};
    return value_of(ends, json.get<std::string>(), [](StopReason end) { return to_string(end); });
}

template <class Problem>
Json options_to_json(const SearchOptionsOf<Problem>& options) {
    const AnnealingOptions& annealing = options.annealing;
    return {{"method", name_of(annealing.method)},
            {"objective", name_of(annealing.objective)},
            {"iterations", annealing.iterations},
            {"temperature", annealing.temperature},
            {"seed", annealing.seed},
            {"chains", options.chains},
            {"start", options.start ? Json(Problem::name_of(*options.start)) : Json()},
            {"candidate_given", options.candidate_given},
            {"target", options.target ? Json(*options.target) : Json()}};
}

template <class Problem>
SearchOptionsOf<Problem> options_from_json(const Json& json) {
    const auto named = [](auto value) { return name_of(value); };
    SearchOptionsOf<Problem> options;
    options.annealing = {.method = value_of(methods, json.at("method"), named),
                         .objective = value_of(objectives, json.at("objective"), named),
                         .iterations = json.at("iterations"),
                         .temperature = json.at("temperature"),
                         .seed = json.at("seed")};
    options.chains = json.at("chains");
    if (!json.at("start").is_null()) options.start = start_from<Problem>(json.at("start"));
    options.candidate_given = json.value("candidate_given", false);
    if (!json.at("target").is_null()) options.target = json.at("target").get<typename Problem::Value>();
    return options;
}

template <class Problem>
Json chains_to_json(const typename Problem::Instance& instance, std::span<const ChainOf<Problem>> chains) {
    Json all = Json::array();
    for (const auto& chain : chains) {
        Json log = Json::array();
        for (const auto& i : chain.log) log.push_back({i.iteration, i.value, i.seconds});
        all.push_back({{"number", chain.number},
                       {"start", Problem::name_of(chain.start)},
                       {"iteration", chain.iteration},
                       {"evaluations", chain.evaluations},
                       {Problem::candidate_name, CandidateText<Problem>::write(instance, chain.current)},
                       {"best", CandidateText<Problem>::write(instance, chain.best)},
                       {"value", chain.value},
                       {"best_value", chain.best_value},
                       {"cooling_value", chain.cooling_value},
                       {"mixture_value", chain.mixture_value},
                       {"temperature", chain.temperature},
                       {"ended", to_string(chain.ended)},
                       {"log", log}});
    }
    return all;
}

template <class Problem>
std::vector<ChainOf<Problem>> chains_from_json(const typename Problem::Instance& instance, const Json& json) {
    using Value = typename Problem::Value;
    std::vector<ChainOf<Problem>> chains;
    for (const Json& from : json) {
        ChainOf<Problem>& chain = chains.emplace_back();
        chain.number = from.at("number");
        chain.start = start_from<Problem>(from.at("start"));
        chain.iteration = from.at("iteration");
        chain.evaluations = from.at("evaluations");
        chain.current = CandidateText<Problem>::read(instance, from.at(Problem::candidate_name));
        chain.best = CandidateText<Problem>::read(instance, from.at("best"));
        chain.value = from.at("value");
        chain.best_value = from.at("best_value");
        chain.cooling_value = from.at("cooling_value");
        chain.mixture_value = from.at("mixture_value").get<std::vector<Value>>();
        chain.temperature = from.at("temperature");
        chain.ended = end_from(from.at("ended"));
        for (const Json& entry : from.at("log"))
            chain.log.push_back(
                {entry.at(0).get<std::uint64_t>(), entry.at(1).get<Value>(), entry.at(2).get<double>()});
    }
    return chains;
}

/// A state without its instance.
template <class Problem>
Json state_to_json(const SearchStateOf<Problem>& state) {
    return {{"options", options_to_json(state.options)},
            {"exchanges", state.exchanges},
            {"seconds", state.seconds},
            {"chains", chains_to_json<Problem>(state.instance, state.chains)}};
}

/// Throws InputError or Json::exception.
template <class Problem>
SearchStateOf<Problem> state_from_json(const typename Problem::Instance& instance, const Json& json) {
    SearchStateOf<Problem> state{instance, options_from_json<Problem>(json.at("options")), {}, 0, 0};
    state.exchanges = json.at("exchanges");
    state.seconds = json.at("seconds");
    state.chains = chains_from_json<Problem>(instance, json.at("chains"));
    return state;
}

/// Throws InputError with the position for a contradictory state. `value_of(candidate)` throws InputError if
/// the candidate does not belong to the instance; it is nothing if a limit of time cut its run, and the chain
/// is then left out.
template <class Problem, class ValueOf>
void check_state(SearchStateOf<Problem>& state, ValueOf&& value_of) {
    using Value = typename Problem::Value;
    Problem::check(state.instance);
    const SearchOptionsOf<Problem>& options = state.options;
    const bool portfolio = options.annealing.method == AnnealingMethod::portfolio;
    if (state.chains.size() != options.chains || state.chains.empty())
        throw InputError(
            fmt::format("checkpoint: {} chains; its options say {}", state.chains.size(), options.chains));
    for (std::size_t c = 0; c < state.chains.size(); ++c) {
        auto& chain = state.chains[c];
        const auto require = [&](bool holds, const char* what) {
            if (!holds) throw InputError(fmt::format("checkpoint: chain {}: {}", c, what));
        };
        require(chain.number == c && chain.start == options.start_of(chain.number), "out of order");
        require(chain.iteration <= options.annealing.iterations, "more iterations than its options say");
        require(chain.mixture_value.size() == (portfolio ? Problem::mixtures : 0),
                "malformed mixture values");
        require(!chain.log.empty() && chain.log.back().value == chain.best_value, "malformed log");
        const std::optional<Value> current = value_of(chain.current), best = value_of(chain.best);
        require(current.value_or(chain.value) == chain.value, "its string does not have its value");
        require(chain.temperature > 0 || options.annealing.method != AnnealingMethod::tempering,
                "no temperature");
        require(best.value_or(chain.best_value) == chain.best_value,
                "the best string does not have the best value");
        if (!current || !best) chain.log.clear();
    }
    drop_cut_chains(state);
}

}  // namespace annealing

template <class Problem>
std::string write_chains_of(const typename Problem::Instance& instance,
                            std::span<const ChainOf<Problem>> chains) {
    return json_text(annealing::chains_to_json<Problem>(instance, chains));
}

template <class Problem>
std::vector<ChainOf<Problem>> read_chains_of(const typename Problem::Instance& instance,
                                             std::string_view text) {
    return annealing::chains_from_json<Problem>(instance, annealing::Json::parse(text));
}

}  // namespace warpnet::worst

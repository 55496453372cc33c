#include "analysis/kernel/checkpoint.hpp"

#include "engine/net/error.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet {
namespace {

using Json = nlohmann::json;

constexpr int version = 2;

constexpr std::array methods{std::pair{AnnealingMethod::paper, "paper"},
                             std::pair{AnnealingMethod::portfolio, "portfolio"},
                             std::pair{AnnealingMethod::tempering, "tempering"}};
constexpr std::array objectives{std::pair{Objective::longest, "longest"},
                                std::pair{Objective::shortest, "shortest"}};
constexpr std::array starts{
    std::pair{Start::round_robin, "round-robin"}, std::pair{Start::fixed_priority, "fixed-priority"},
    std::pair{Start::most_pending, "most-pending"}, std::pair{Start::random, "random"}};

template <typename Names, typename Value>
const char* name_of(const Names& names, Value value) {
    for (const auto& [known, name] : names)
        if (known == value) return name;
    return "";
}

template <typename Names>
auto value_of(const Names& names, const std::string& text) {
    for (const auto& [known, name] : names)
        if (text == name) return known;
    throw InputError(fmt::format("checkpoint: unknown name '{}'", text));
}

template <typename T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

template <typename T>
std::optional<T> optional_at(const Json& object, const char* key) {
    const Json& value = object.at(key);
    return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

Json to_json(const KernelInstance& instance) {
    return {{"warps", instance.warps},
            {"type", instance.type},
            {"capacity", instance.capacity},
            {"schedulers", or_null(instance.schedulers)},
            {"level", instance.level}};
}

KernelInstance instance_from(const Json& json) {
    return {.warps = json.at("warps"),
            .type = json.at("type").get<std::vector<std::uint8_t>>(),
            .capacity = json.at("capacity").get<std::vector<int>>(),
            .schedulers = optional_at<int>(json, "schedulers"),
            .level = json.at("level").get<std::vector<int>>()};
}

Json to_json(const AnnealingSearchOptions& options) {
    const AnnealingOptions& annealing = options.annealing;
    return {{"method", name_of(methods, annealing.method)},
            {"objective", name_of(objectives, annealing.objective)},
            {"iterations", annealing.iterations},
            {"temperature", annealing.temperature},
            {"seed", annealing.seed},
            {"chains", options.chains},
            {"start", options.start ? Json(name_of(starts, *options.start)) : Json()},
            {"target", or_null(options.target)}};
}

AnnealingSearchOptions options_from(const Json& json) {
    AnnealingSearchOptions options{.annealing = {.method = value_of(methods, json.at("method")),
                                                 .objective = value_of(objectives, json.at("objective")),
                                                 .iterations = json.at("iterations"),
                                                 .temperature = json.at("temperature"),
                                                 .seed = json.at("seed")},
                                   .chains = json.at("chains"),
                                   .start = {},
                                   .target = optional_at<int>(json, "target")};
    if (const auto start = optional_at<std::string>(json, "start")) options.start = value_of(starts, *start);
    return options;
}

Json to_json(const Chain& chain) {
    Json log = Json::array();
    for (const Improvement& i : chain.log) log.push_back({i.iteration, i.value, i.seconds});
    return {{"number", chain.number},
            {"start", name_of(starts, chain.start)},
            {"iteration", chain.iteration},
            {"evaluations", chain.evaluations},
            {"string", chain.string},
            {"best", chain.best},
            {"value", chain.value},
            {"best_value", chain.best_value},
            {"cooling_value", chain.cooling_value},
            {"mixture_value", chain.mixture_value},
            {"temperature", chain.temperature},
            {"log", log}};
}

Json to_json(std::span<const Chain> chains) {
    Json json = Json::array();
    for (const Chain& chain : chains) json.push_back(to_json(chain));
    return json;
}

Chain chain_from(const Json& json) {
    Chain chain{.number = json.at("number"),
                .start = value_of(starts, json.at("start")),
                .iteration = json.at("iteration"),
                .evaluations = json.at("evaluations"),
                .string = json.at("string").get<PrecedenceString>(),
                .best = json.at("best").get<PrecedenceString>(),
                .value = json.at("value"),
                .best_value = json.at("best_value"),
                .cooling_value = json.at("cooling_value"),
                .mixture_value = json.at("mixture_value").get<std::vector<int>>(),
                .temperature = json.at("temperature")};
    for (const Json& entry : json.at("log"))
        chain.log.push_back(
            {entry.at(0).get<std::uint64_t>(), entry.at(1).get<int>(), entry.at(2).get<double>()});
    return chain;
}

std::vector<Chain> chains_from(const Json& json) {
    std::vector<Chain> chains;
    for (const Json& chain : json) chains.push_back(chain_from(chain));
    return chains;
}

void check_consistent(const AnnealingState& state) {
    const StringReading reading = search_reading(state.instance);
    // A fresh search has what every state of it must have: so many chains, so many mixtures of moves.
    const AnnealingState fresh = begin_annealing(state.instance, state.options);
    if (state.chains.size() != fresh.chains.size())
        throw InputError(fmt::format("checkpoint: {} chains; its options say {}", state.chains.size(),
                                     fresh.chains.size()));
    for (std::size_t c = 0; c < state.chains.size(); ++c) {
        const Chain& chain = state.chains[c];
        const auto require = [&](bool holds, const char* what) {
            if (!holds) throw InputError(fmt::format("checkpoint: chain {}: {}", c, what));
        };
        require(chain.number == c && chain.start == fresh.chains[c].start, "out of order");
        require(chain.iteration <= state.options.annealing.iterations,
                "more iterations than its options say");
        require(chain.mixture_value.size() == fresh.chains[c].mixture_value.size(),
                "malformed mixture values");
        require(!chain.log.empty() && chain.log.back().value == chain.best_value, "malformed log");
        check_precedence_string(state.instance, chain.string);
        require(static_cast<int>(decode(state.instance, chain.string, reading).size()) == chain.value,
                "its string does not have its value");
        require(chain.temperature > 0 || state.options.annealing.method != AnnealingMethod::tempering,
                "no temperature");
        require(static_cast<int>(decode(state.instance, chain.best, reading).size()) == chain.best_value,
                "the best string does not have the best value");
    }
}

}  // namespace

std::string write_checkpoint(const AnnealingState& state) {
    return Json{{"warpnet_checkpoint", version},     {"instance", to_json(state.instance)},
                {"options", to_json(state.options)}, {"exchanges", state.exchanges},
                {"seconds", state.seconds},          {"chains", to_json(state.chains)}}
        .dump();
}

std::string write_chains(std::span<const Chain> chains) { return to_json(chains).dump(); }

std::vector<Chain> read_chains(std::string_view text) { return chains_from(Json::parse(text)); }

AnnealingState read_checkpoint(std::string_view text) {
    AnnealingState state{.instance = {}, .options = {}, .chains = {}};
    try {
        const Json json = Json::parse(text);
        if (json.at("warpnet_checkpoint") != version)
            throw InputError(fmt::format("checkpoint: version {}; expected {}",
                                         json.at("warpnet_checkpoint").dump(), version));
        state.instance = instance_from(json.at("instance"));
        state.options = options_from(json.at("options"));
        state.exchanges = json.at("exchanges");
        state.seconds = json.at("seconds");
        state.chains = chains_from(json.at("chains"));
    } catch (const Json::exception& error) {
        throw InputError(fmt::format("checkpoint: {}", error.what()));
    }
    check_consistent(state);
    return state;
}

}  // namespace warpnet

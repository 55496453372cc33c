// Searches over pseudo-precedence strings as text.

#include "analysis/worst/kernel/annealing.hpp"
#include "analysis/worst/kernel/decode.hpp"
#include "analysis/worst/search/annealing_text.hpp"
#include "engine/input/json.hpp"
#include "engine/input/parse_json.hpp"

namespace warpnet {

template <>
struct annealing::CandidateText<KernelStrings> {
    static Json write(const KernelInstance&, const PrecedenceString& string) { return string; }
    static PrecedenceString read(const KernelInstance&, const Json& json) {
        return json.get<PrecedenceString>();
    }
};

namespace {

using Json = annealing::Json;

constexpr int version = 4;

Json to_json(const KernelInstance& instance) {
    Json json = {{"warps", instance.warps},
                 {"type", instance.type},
                 {"capacity", instance.capacity},
                 {"schedulers", instance.schedulers ? Json(*instance.schedulers) : Json()},
                 {"level", instance.level}};
    if (instance.waiting) json["waiting"] = *instance.waiting;
    return json;
}

KernelInstance instance_from(const Json& json) {
    KernelInstance instance{.warps = json.at("warps"),
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
    return json.dump();
}

AnnealingState read_checkpoint(std::string_view text) {
    AnnealingState state{.instance = {}, .options = {}, .chains = {}};
    try {
        const Json json = parse_json(text, "checkpoint");
        if (json.at("warpnet_checkpoint") != version)
            throw InputError(fmt::format("checkpoint: version {}; expected {}",
                                         json.at("warpnet_checkpoint").dump(), version));
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

template std::string write_chains_of<KernelStrings>(const KernelInstance&, std::span<const Chain>);
template std::vector<Chain> read_chains_of<KernelStrings>(const KernelInstance&, std::string_view);

}  // namespace warpnet

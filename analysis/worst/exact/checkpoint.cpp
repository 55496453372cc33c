// A checkpoint identifies its net by a hash of arcs and tokens, because transitions are stored by number.
// Reading it checks the version, the checksum, the net, the objective and, by a replay, the schedule. Only
// the checksum protects the bound and the progress.

#include "analysis/worst/exact/checkpoint.hpp"

#include "engine/base/random.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/json.hpp"
#include "engine/input/parse_json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>

namespace warpnet::worst {

namespace {

using CheckpointJson = nlohmann::ordered_json;

constexpr int exact_checkpoint_version = 2;
constexpr const char* checkpoint_key = "warpnet_exact_search";

/// The options and facts on which the numbers of transitions and the search depend.
std::uint64_t fingerprint_of(const CompiledNet& net) {
    std::uint64_t hash = hash_bits(net.place_count(), net.transition_count());
    for (const Tokens tokens : net.initial) hash = hash_bits(hash, static_cast<std::uint64_t>(tokens));
    for (const Rows<PlaceWeight>* rows : {&net.inputs, &net.outputs, &net.reads, &net.inhibitors}) {
        rows->for_each([&](std::uint32_t transition, PlaceWeight arc) {
            hash = hash_bits(hash ^ transition,
                             (std::uint64_t{arc.place} << 32) ^ static_cast<std::uint64_t>(arc.weight));
        });
        hash = hash_bits(hash, 0);
    }
    return hash;
}

void check_schedule_of(const CompiledNet& net, const Net& names, const ExactProgress& progress) {
    if (!progress.found) return;
    const RunResult run = replay(net, names, progress.schedule, Semantics::maximal);
    if (run.reason != StopReason::dead || run.steps != *progress.found)
        throw InputError("checkpoint: its schedule is not a whole run of as many steps as were found");
}

std::optional<std::uint64_t> number_of(const CheckpointJson& json) {
    if (json.is_null()) return std::nullopt;
    return json.get<std::uint64_t>();
}

}  // namespace

std::string write_checkpoint(const CompiledNet& net, Objective objective, const ExactProgress& progress) {
    CheckpointJson json = {{checkpoint_key, exact_checkpoint_version},
                           {"net", fingerprint_of(net)},
                           {"longest", objective == Objective::longest},
                           {"part", progress.part},
                           {"refutations", progress.refutations},
                           {"stride", progress.stride},
                           {"found", or_null(progress.found)},
                           {"bound", or_null(progress.bound)},
                           {"exact", progress.exact},
                           {"out_of_memory", progress.stop == WorkEnd::memory_limit},
                           {"states", progress.states},
                           {"effort", progress.effort},
                           {"bytes", progress.bytes}};
    CheckpointJson steps = CheckpointJson::array();
    for (const ScheduledStep& step : progress.schedule) steps.push_back(step.transitions);
    json["schedule"] = std::move(steps);
    return sealed_json(std::move(json));
}

ExactProgress read_exact_checkpoint(const CompiledNet& net, const Net& names, Objective objective,
                                    std::string_view text) {
    try {
        const auto json =
            read_sealed_json<CheckpointJson>(text, "checkpoint", checkpoint_key, exact_checkpoint_version);
        if (json.at("net") != fingerprint_of(net))
            throw InputError("checkpoint: this is a search of another net");
        if (json.at("longest") != (objective == Objective::longest))
            throw InputError("checkpoint: this is a search for the other extreme (--best)");
        ExactProgress progress;
        progress.part = json.at("part");
        progress.refutations = json.at("refutations");
        progress.stride = json.at("stride");
        progress.found = number_of(json.at("found"));
        progress.bound = number_of(json.at("bound"));
        progress.exact = json.at("exact");
        if (json.at("out_of_memory").get<bool>()) progress.stop = WorkEnd::memory_limit;
        progress.states = json.at("states");
        progress.effort = json.at("effort");
        progress.bytes = json.at("bytes");
        for (const CheckpointJson& step : json.at("schedule")) {
            ScheduledStep& added = progress.schedule.emplace_back();
            added.transitions = step.get<std::vector<std::uint32_t>>();
            if (std::ranges::any_of(added.transitions,
                                    [&](std::uint32_t t) { return t >= net.transition_count(); }))
                throw InputError("checkpoint: a transition that the net does not have");
        }
        check_schedule_of(net, names, progress);
        return progress;
    } catch (const CheckpointJson::exception& error) {
        throw InputError(std::string("checkpoint: ") + json_fault(error));
    }
}

bool is_exact_checkpoint(std::string_view text) {
    return text.starts_with(std::string("{\"") + checkpoint_key + "\"");
}

}  // namespace warpnet::worst

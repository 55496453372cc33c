#include "analysis/search/order_checkpoint.hpp"

#include "engine/net/error.hpp"

#include <nlohmann/json.hpp>

namespace warpnet {

namespace {

using Json = nlohmann::json;

constexpr int version = 2;

Json ids_of(const Net& net, const std::vector<std::uint32_t>& order) {
    Json ids = Json::array();
    for (const std::uint32_t t : order) ids.push_back(net.transitions()[t].id);
    return ids;
}

std::vector<std::uint32_t> order_of(const NodeIndex& nodes, const Json& ids) {
    std::vector<std::uint32_t> order;
    for (const std::string id : ids) {
        const auto transition = nodes.transition(id);
        if (!transition) throw InputError("checkpoint: transition '" + id + "' is not in the net");
        order.push_back(static_cast<std::uint32_t>(index(*transition)));
    }
    return order;
}

Json to_json(const OrderSearchOptions& options) {
    return {{"objective", options.objective == Objective::longest ? "max" : "min"},
            {"seed", options.seed},
            {"iterations", options.iterations},
            {"temperature", options.temperature},
            {"start", options.start ? Json(to_string(*options.start)) : Json()},
            {"max_steps", options.max_steps}};
}

OrderSearchOptions options_from(const Json& json) {
    OrderSearchOptions options;
    options.objective = json.at("objective") == "max" ? Objective::longest : Objective::shortest;
    options.seed = json.at("seed");
    options.iterations = json.at("iterations");
    options.temperature = json.at("temperature");
    options.max_steps = json.at("max_steps");
    for (const OrderStart start : {OrderStart::round_robin, OrderStart::fixed_priority, OrderStart::random}) {
        if (json.at("start") == to_string(start)) options.start = start;
    }
    return options;
}

Json to_json(const Net& net, const OrderChain& chain) {
    Json log = Json::array();
    for (const OrderImprovement& entry : chain.log) {
        log.push_back({entry.seconds, entry.chain, entry.iteration, entry.steps});
    }
    return {{"number", chain.number},
            {"iteration", chain.iteration},
            {"steps", chain.steps},
            {"best_steps", chain.best_steps},
            {"start_steps", chain.start_steps},
            {"endless", chain.endless},
            {"order", ids_of(net, chain.order)},
            {"best_order", ids_of(net, chain.best_order)},
            {"log", log}};
}

OrderChain chain_from(const NodeIndex& nodes, const Json& json) {
    OrderChain chain;
    chain.number = json.at("number");
    chain.iteration = json.at("iteration");
    chain.steps = json.at("steps");
    chain.best_steps = json.at("best_steps");
    chain.start_steps = json.at("start_steps");
    chain.endless = json.at("endless");
    chain.order = order_of(nodes, json.at("order"));
    chain.best_order = order_of(nodes, json.at("best_order"));
    for (const Json& entry : json.at("log"))
        chain.log.push_back({entry.at(0), entry.at(1), entry.at(2), entry.at(3)});
    return chain;
}

Json to_json(const Net& net, std::span<const OrderChain> chains) {
    Json json = Json::array();
    for (const OrderChain& chain : chains) json.push_back(to_json(net, chain));
    return json;
}

std::vector<OrderChain> chains_from(const Net& net, const Json& json) {
    const NodeIndex nodes(net);
    std::vector<OrderChain> chains;
    for (const Json& chain : json) chains.push_back(chain_from(nodes, chain));
    return chains;
}

}  // namespace

std::string write_order_checkpoint(const Net& net, const OrderCheckpoint& checkpoint) {
    const Json json = {{"warpnet_order_search", version},
                       {"options", to_json(checkpoint.options)},
                       {"chains", to_json(net, checkpoint.chains)}};
    return json.dump() + "\n";
}

OrderCheckpoint read_order_checkpoint(const Net& net, std::string_view text) {
    try {
        const Json json = Json::parse(text);
        if (json.at("warpnet_order_search") != version) throw InputError("checkpoint: of another version");
        OrderCheckpoint checkpoint;
        checkpoint.options = options_from(json.at("options"));
        checkpoint.chains = chains_from(net, json.at("chains"));
        if (checkpoint.chains.empty()) throw InputError("checkpoint: without chains");
        for (std::size_t i = 0; i < checkpoint.chains.size(); ++i)
            if (checkpoint.chains[i].number != i) throw InputError("checkpoint: chains out of order");
        checkpoint.options.chains = static_cast<std::uint32_t>(checkpoint.chains.size());
        return checkpoint;
    } catch (const Json::exception& error) {
        throw InputError(std::string("checkpoint: ") + error.what());
    }
}

std::string write_order_chains(const Net& net, std::span<const OrderChain> chains) {
    return to_json(net, chains).dump();
}

std::vector<OrderChain> read_order_chains(const Net& net, std::string_view text) {
    return chains_from(net, Json::parse(text));
}

}  // namespace warpnet

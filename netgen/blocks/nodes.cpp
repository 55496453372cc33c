// Ids and nodes of the family `blocks`. Names become letters, digits and underscores. If an id then begins
// like another one up to an underscore, all underscores become hyphens, so ids made by appending stay
// distinct. Transitions over the arbiter fire one at a time, in the order of their layers. A limit on nodes
// stops generation before memory does.

#include "netgen/blocks/nodes.hpp"

#include "engine/net/error.hpp"
#include "netgen/delay/delay_gadget.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace warpnet::netgen {

std::vector<std::string> readable_ids(const std::vector<std::string>& names) {
    std::vector<std::string> ids;
    std::set<std::string> taken;
    for (const std::string& name : names) {
        std::string id;
        for (const char c : name) {
            const bool plain = c >= 0 && std::isalnum(static_cast<unsigned char>(c)) != 0;
            id.push_back(plain ? c : '_');
        }
        if (std::isalpha(static_cast<unsigned char>(id.front())) == 0) id = fmt::format("k{}", id);
        const std::string base = id;
        for (int copy = 2; !taken.insert(id).second; ++copy) id = fmt::format("{}_{}", base, copy);
        ids.push_back(id);
    }
    const bool ambiguous = std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
        const auto next = taken.lower_bound(id + '_');
        return next != taken.end() && next->compare(0, id.size() + 1, id + '_') == 0;
    });
    if (ambiguous)
        for (std::string& id : ids) std::replace(id.begin(), id.end(), '_', '-');
    return ids;
}

BlocksNodes::BlocksNodes(const std::string& id, std::size_t max_nodes)
    : NetBuilder(id), max_nodes_(max_nodes), arbiter_(place("arbiter", 1)) {}

PlaceId BlocksNodes::place(const std::string& id, Tokens tokens) {
    count_node();
    return add_place(id, tokens);
}

TransitionId BlocksNodes::timed(const std::string& id) {
    count_node();
    return add_transition(id);
}

TransitionId BlocksNodes::immediate(const std::string& id) {
    const TransitionId transition = timed(id);
    set_immediate(transition);
    return transition;
}

TransitionId BlocksNodes::arbitrated(const std::string& id, std::int32_t layer) {
    const TransitionId transition = immediate(id);
    set_priority(transition, layer);
    add_input(arbiter_, transition);
    add_output(transition, arbiter_);
    return transition;
}

TransitionId BlocksNodes::add_delay(const std::string& id, PlaceId wait, Tokens length) {
    for (int nodes = length > 1 ? 3 : 1; nodes > 0; --nodes) count_node();
    return warpnet::netgen::add_delay(*this, wait, length, {id + "_end", id + "_timer", id + "_tick"});
}

void BlocksNodes::count_node() {
    if (++nodes_ > max_nodes_)
        throw InputError(
            fmt::format("the net would have more than {} places and transitions; fewer jobs, streams or "
                        "SMs make it smaller",
                        max_nodes_));
}

}  // namespace warpnet::netgen

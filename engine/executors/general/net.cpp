// A place that several demand classes take from needs no conflict of its own if all of them are drawn anyway.
// So the classes of its consumers are listed once per place, and equal lists are stored once.

#include "engine/executors/general/net.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace warpnet {

namespace {

/// Fills GeneralNet::rivals and rival_groups.
void find_rivals(const CompiledNet& net, GeneralNet& result) {
    if (std::count(net.hub.begin(), net.hub.end(), 1) == 0) return;
    std::map<std::uint32_t, std::vector<std::uint32_t>> groups_of;  // by place
    for (std::uint32_t g = 0; g < net.groups.size(); ++g) {
        for (const std::uint32_t t : net.groups[g].members) {
            for (const PlaceWeight input : net.shared_inputs(t)) {
                if (net.hub[input.place] != 0) continue;
                std::vector<std::uint32_t>& groups = groups_of[input.place];
                if (groups.empty() || groups.back() != g) groups.push_back(g);
            }
        }
    }
    if (groups_of.empty()) return;
    std::map<std::vector<std::uint32_t>, std::uint32_t> known = {{{}, 0}};
    result.rival_groups.close_row();
    result.rivals.assign(net.place_count(), 0);
    for (const auto& [place, groups] : groups_of) {
        const auto [row, is_new] = known.emplace(groups, static_cast<std::uint32_t>(known.size()));
        result.rivals[place] = row->second;
        if (!is_new) continue;
        for (const std::uint32_t group : groups) result.rival_groups.append(group);
        result.rival_groups.close_row();
    }
}

}  // namespace

GeneralNet prepare_general(const CompiledNet& net) {
    GeneralNet result;
    find_rivals(net, result);
    return result;
}

std::size_t general_bytes(const GeneralNet& net) {
    return net.rival_groups.bytes() + net.rivals.capacity() * sizeof(net.rivals[0]);
}

}  // namespace warpnet

// Finds nodes by their ids as written in files. Control characters in ids are written visibly, so such ids
// have a second spelling. An exact id goes before a spelling. Only ids whose spelling differs are stored.

#include "engine/input/written_ids.hpp"

#include "engine/base/text.hpp"

namespace warpnet {

namespace {

template <class Id, class Nodes>
void add_other_spellings(const Nodes& nodes, std::map<std::string, Id, std::less<>>& found) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::string written = visible(nodes[i].id);
        if (written != nodes[i].id) found.emplace(std::move(written), Id(static_cast<std::uint32_t>(i)));
    }
}

template <class Id>
std::optional<Id> find(const std::map<std::string, Id, std::less<>>& spellings, std::string_view id) {
    const auto found = spellings.find(id);
    return found == spellings.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

WrittenIds::WrittenIds(const Net& net) : exact_(net) {
    add_other_spellings(net.places(), places_);
    add_other_spellings(net.transitions(), transitions_);
}

std::optional<PlaceId> WrittenIds::place(std::string_view id) const {
    const auto exact = exact_.place(id);
    return exact ? exact : find(places_, id);
}

std::optional<TransitionId> WrittenIds::transition(std::string_view id) const {
    const auto exact = exact_.transition(id);
    return exact ? exact : find(transitions_, id);
}

}  // namespace warpnet

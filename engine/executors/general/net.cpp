// Tables for the general executor. Most places hold at most one token, and a firing that changes such a place
// between 0 and 1 changes the same conditions every time. So the changes of unmet conditions are summed up
// once per transition, over all its binary effects, and a firing applies one sum per dependent transition.
// Changes that cancel, as in a transfer of a token between two places that the same transition tests,
// disappear from the table. A counter update is packed into four bytes, which matters for nets of 10⁶
// transitions.

#include "engine/executors/general/net.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace warpnet {

namespace {

/// Adds up the counter updates of the binary effects of each transition.
class UpdateFinder {
  public:
    UpdateFinder(const CompiledNet& net, std::vector<std::uint8_t> binary, GeneralNet& result)
        : net_(net), binary_places_(std::move(binary)), result_(result), change_(net.transition_count(), 0) {}

    void find() {
        const auto transitions = static_cast<std::uint32_t>(net_.transition_count());
        result_.binary_effects.assign(transitions, 0);
        result_.updates.reserve(transitions, 0);
        for (std::uint32_t t = 0; t < transitions; ++t) {
            add_updates(t);
            result_.updates.close_row();
        }
        result_.updates.shrink_to_fit();
    }

  private:
    /// Sums up the updates of one transition. If a sum or a count does not fit its field, the transition gets
    /// none, and its firings update place by place.
    void add_updates(std::uint32_t t) {
        constexpr std::size_t most_binary = 255;
        const std::span<const Effect> effects = net_.effects[t];
        const auto end = std::find_if(effects.begin(), effects.end(),
                                      [&](Effect effect) { return binary_places_[effect.place] == 0; });
        const auto binary_effects = effects.first(static_cast<std::size_t>(end - effects.begin()));
        touched_.clear();
        for (const Effect binary : binary_effects) {
            for (const Watch watch : net_.watches[binary.place]) {
                touched_.push_back(watch.transition);
                change_[watch.transition] += (watch.threshold > 0) == (binary.delta > 0) ? -1 : 1;
            }
        }
        std::sort(touched_.begin(), touched_.end());
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
        const bool fits = net_.transition_count() <= CounterUpdate::most_transitions &&
                          binary_effects.size() <= most_binary &&
                          std::all_of(touched_.begin(), touched_.end(), [&](std::uint32_t other) {
                              return std::abs(change_[other]) <= CounterUpdate::most_change;
                          });
        if (fits) result_.binary_effects[t] = static_cast<std::uint8_t>(binary_effects.size());
        for (const std::uint32_t other : touched_) {
            if (fits && change_[other] != 0) result_.updates.append({other, change_[other]});
            change_[other] = 0;
        }
    }

    const CompiledNet& net_;
    std::vector<std::uint8_t> binary_places_;
    GeneralNet& result_;
    std::vector<std::int32_t> change_;    // per transition; 0 between calls
    std::vector<std::uint32_t> touched_;  // transitions with a change other than 0
};

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
    UpdateFinder(net, binary_places(net), result).find();
    find_rivals(net, result);
    return result;
}

std::size_t general_bytes(const GeneralNet& net) {
    const auto of = [](const auto& items) { return items.capacity() * sizeof(items[0]); };
    return of(net.binary_effects) + net.updates.bytes() + net.rival_groups.bytes() + of(net.rivals);
}

}  // namespace warpnet

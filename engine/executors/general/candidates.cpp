// Sets up the candidates of a net; the header has the algorithm. Each transition starts with all its
// conditions unmet, and the executor then counts them down. Places that are listed as over may be served
// meanwhile and are dropped when the list is read, which makes changes cheap.

#include "engine/executors/general/candidates.hpp"

namespace warpnet {

Candidates::Candidates(const CompiledNet& net, const Tokens* marking, std::span<const std::uint32_t> rows,
                       std::size_t row_count)
    : net_(net),
      marking_(marking),
      slots_(net.slots.data()),
      inputs_(net.inputs.all().data()),
      first_input_(net.inputs.firsts().data()),
      shared_(net.shared.data()),
      unmet_(net.transition_count(), 0),
      sets_(net),
      demand_(net.place_count(), 0),
      contest_(net.place_count(), 0),
      rows_(rows),
      over_(row_count) {
    for (const Watch& watch : net.watches.all()) ++unmet_[watch.transition];
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        for (const PlaceWeight input : net.shared_inputs(t)) {
            if (net.hub[input.place] == 0) contest_[input.place] = contestable;
        }
    }
}

/// Removes the places that are no longer over.
void Candidates::drop_served(std::vector<std::uint32_t>& places) {
    std::erase_if(places, [&](std::uint32_t place) {
        if (is_over(place)) return false;
        contest_[place] &= static_cast<std::uint8_t>(~listed);
        return true;
    });
}

}  // namespace warpnet

#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/net/net.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A net without inhibitor arcs, and what a person should know about it.
struct PlainNet {
    Net net;
    std::size_t added_places = 0;
    bool keeps_maximal_steps = true;
    std::vector<std::string> notes;
};

/// Replaces inhibitor arcs by complement places. Bounds are `given` for all places, or found out. Throws
/// InputError where one is not known.
PlainNet plain_net(const Net& net, const ExploreOptions& options, std::optional<Tokens> given = {});

/// The same for `--pnml strict`, which does not request it: notes go to stderr, and a net without inhibitor
/// arcs is returned unchanged.
Net strict_net(const Net& net);

/// What a person should know of a net with immediate transitions that other tools are to read: none is known
/// that reads ours as such. Nothing where there are none.
std::optional<std::string> note_of_immediates(const Net& net);

}  // namespace warpnet::cli

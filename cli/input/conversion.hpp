#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/net/net.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/write_pnml.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

struct ConversionOptions {
    NetFormat to = NetFormat::pnml;
    PnmlFlavour flavour = PnmlFlavour::compat;
    bool plain = false;                ///< without inhibitor arcs; LoLA and strict PNML imply it
    bool loops = false;                ///< without read arcs; LoLA implies it
    bool ordinary = false;             ///< without weights above 1
    bool timed_only = false;           ///< without immediate transitions
    std::optional<Tokens> bound = {};  ///< of each inhibiting place, not checked
    ExploreOptions explore = {};       ///< of explorations for bounds, and for a state graph

    bool removes_inhibitors() const {
        return plain || to == NetFormat::lola || (to == NetFormat::pnml && flavour == PnmlFlavour::strict);
    }
};

/// A net in another format, and what the net that is read from there has in common with the old one.
struct Conversion {
    std::string text;
    Net net;  ///< that was written
    std::vector<std::string> notes;
    /// Reachable markings, the steps between them and whether these take time are the same under maximal
    /// steps. False: they may differ.
    bool keeps_maximal_steps = true;
    bool keeps_unstable = true;  ///< markings in which immediate transitions are enabled
};

/// Throws InputError where the format has no word for something in the net, or a bound is missing;
/// LimitReached where a state graph is wanted and `explore` has too narrow limits.
Conversion convert_net(Net net, const ConversionOptions& options);

}  // namespace warpnet::cli

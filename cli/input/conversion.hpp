#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/net/net.hpp"
#include "pnml/rewrite.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/write_pnml.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpnet::cli {

/// A net without inhibitor arcs, and notes for the user.
struct PlainNet {
    Net net;
    std::size_t added_places = 0;
    bool keeps_maximal_steps = true;
    std::vector<std::string> notes;
    std::string note_on_steps;  ///< whether maximal steps stay the same
};

/// Replaces inhibitor arcs by complement places. The bound of each place is `given`, or computed. Throws
/// InputError if a bound is unknown.
PlainNet plain_net(const Net& net, const states::ExploreOptions& options, std::optional<Tokens> given = {});

/// The same for `--pnml strict`, which implies it: notes go to stderr, and a net without inhibitor arcs is
/// returned unchanged.
Net strict_net(const Net& net);

/// The note for a net with immediate transitions that is written for other tools: no known tool reads our
/// immediate transitions. Nothing if the net has none.
std::optional<std::string> note_of_immediates(const Net& net);

/// A note if an inhibitor arc and an ordinary arc lead from the same place to the same transition.
std::optional<std::string> note_of_double_arcs(const Net& net);

/// The steps of a conversion. convert_net() has their order.
struct ConversionOptions {
    pnml::NetFormat to = pnml::NetFormat::pnml;
    pnml::PnmlFlavour flavour = pnml::PnmlFlavour::compat;
    bool plain = false;                             ///< without inhibitor arcs; LoLA and strict PNML imply it
    bool loops = false;                             ///< without read arcs; LoLA implies it
    std::map<std::string, Tokens> capacities = {};  ///< of places, which get complement places
    bool ordinary = false;                          ///< without weights above 1
    bool timed_only = false;                        ///< without immediate transitions
    std::string reduced_for = {};  ///< a CTL formula whose answer stays the same; empty: none
    /// With the steps of this semantics, maximal or multiset, as sequences of single firings.
    std::optional<Semantics> sequential = {};
    bool count_steps = false;             ///< with `sequential`: a place for the timed steps
    std::optional<Tokens> bound = {};     ///< of each inhibiting place, not checked
    states::ExploreOptions explore = {};  ///< limits of explorations for bounds, and of a state graph

    bool removes_inhibitors() const {
        return plain || to == pnml::NetFormat::lola ||
               (to == pnml::NetFormat::pnml && flavour == pnml::PnmlFlavour::strict);
    }
};

/// A net in another format, and the properties that it shares with the original net.
struct Conversion {
    std::string text;
    Net net;  ///< as written
    std::vector<std::string> notes;
    /// The reachable markings, the steps between them and whether a step takes time stay the same under
    /// maximal steps. False: they may differ.
    bool keeps_maximal_steps = true;
    bool keeps_unstable = true;  ///< markings in which immediate transitions are enabled
    std::optional<pnml::SequentialNet> sequential =
        {};                ///< without its net: the places that show the progress within a step
    bool reduced = false;  ///< only the answer to the question stays the same
    struct GraphSize {
        std::uint64_t states = 0, edges = 0;
    };
    std::optional<GraphSize> graph = {};  ///< if the text is a state graph
};

/// Throws InputError if the format cannot express a part of the net, or a bound is missing. Throws
/// LimitReached if the limits of `explore` are too low for a state graph.
Conversion convert_net(Net net, const ConversionOptions& options);

}  // namespace warpnet::cli

#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/net/net.hpp"
#include "pnml/sequential.hpp"
#include "pnml/text/net_file.hpp"
#include "pnml/write_pnml.hpp"

#include <map>
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
    std::string note_on_steps;  ///< whether maximal steps stay the same
};

/// Replaces inhibitor arcs by complement places. Bounds are `given` for all places, or found out. Throws
/// InputError where one is not known.
PlainNet plain_net(const Net& net, const states::ExploreOptions& options, std::optional<Tokens> given = {});

/// The same for `--pnml strict`, which does not request it: notes go to stderr, and a net without inhibitor
/// arcs is returned unchanged.
Net strict_net(const Net& net);

/// What a person should know of a net with immediate transitions that other tools are to read: none is known
/// that reads ours as such. Nothing if there are none.
std::optional<std::string> note_of_immediates(const Net& net);

/// What a person should know if an inhibitor arc and an ordinary one lead from the same place to the same
/// transition.
std::optional<std::string> note_of_double_arcs(const Net& net);

struct ConversionOptions {
    pnml::NetFormat to = pnml::NetFormat::pnml;
    pnml::PnmlFlavour flavour = pnml::PnmlFlavour::compat;
    bool plain = false;                             ///< without inhibitor arcs; LoLA and strict PNML imply it
    bool loops = false;                             ///< without read arcs; LoLA implies it
    std::map<std::string, Tokens> capacities = {};  ///< of places, to become complement places
    bool ordinary = false;                          ///< without weights above 1
    bool timed_only = false;                        ///< without immediate transitions
    std::string reduced_for = {};  ///< a CTL formula whose answer stays the same; empty: none
    /// With the steps of this semantics, maximal or multiset, as sequences of single firings.
    std::optional<Semantics> sequential = {};
    bool count_steps = false;             ///< with `sequential`: a place for the timed steps
    std::optional<Tokens> bound = {};     ///< of each inhibiting place, not checked
    states::ExploreOptions explore = {};  ///< of explorations for bounds, and for a state graph

    bool removes_inhibitors() const {
        return plain || to == pnml::NetFormat::lola ||
               (to == pnml::NetFormat::pnml && flavour == pnml::PnmlFlavour::strict);
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
    std::optional<pnml::SequentialNet> sequential =
        {};                ///< without its net: the places that say where a step is
    bool reduced = false;  ///< nothing stays the same but the answer to a question
};

/// Throws InputError if the format has no word for something in the net, or a bound is missing;
/// LimitReached where a state graph is wanted and `explore` has too narrow limits.
Conversion convert_net(Net net, const ConversionOptions& options);

}  // namespace warpnet::cli

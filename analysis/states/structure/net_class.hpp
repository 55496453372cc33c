#pragma once

#include "analysis/states/linear/invariants.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace warpnet::states {

/// The effect of every transition on a weighting of places.
enum class WeightedSum : std::uint8_t {
    stays,       ///< y C = 0: the net is conservative
    never_grows  ///< y C <= 0: the net is structurally bounded
};

/// Whether some weights y >= 1 of all places have that property; C is the incidence matrix. Weights 1 are
/// tried first, then a linear program is solved. Its answer is verified in whole numbers: weights prove yes,
/// and firing counts with an effect that is nowhere negative and somewhere positive prove no (Stiemke's
/// lemma). Nothing if neither is found.
std::optional<bool> has_weighting(const Net& net, WeightedSum sum, const WorkLimits& limits = {});

/// The classes of ordinary nets (all weights 1, no inhibitor or read arcs), the narrowest first (Murata,
/// Proc. IEEE 77, 1989, section VI).
enum class NetClass {
    state_machine,         ///< each transition has one input and one output place
    marked_graph,          ///< each place has one input and one output transition
    free_choice,           ///< a place with several consumers is the only input of each of them
    extended_free_choice,  ///< places that share a consumer share all
    asymmetric_choice,     ///< of two places with a common consumer, one has all consumers of the other place
    ordinary,              ///< none of these
    general,               ///< weights, inhibitor or read arcs
};

std::string_view to_string(NetClass net_class);

/// The narrowest class of a net; a state machine that is also a marked graph counts as a state machine.
NetClass class_of(const Net& net);

/// Transitions that share input places, directly or through other transitions: the conflict clusters, each of
/// which resolves its conflicts by itself, largest first. A transition without input places is a cluster of
/// its own.
std::vector<std::vector<TransitionId>> conflict_clusters(const Net& net);

/// The implications of weightings of places for the tokens of a net, for any initial marking.
struct Boundedness {
    /// Some positive weighting of all places never changes. Nothing: a limit was reached before the answer.
    std::optional<bool> conservative;
    /// Some positive weighting of all places never grows, so no initial marking leads to unboundedly many
    /// tokens.
    std::optional<bool> structurally_bounded;
};

/// From all P-invariants of the net and, if these do not decide, from its subinvariants. If those explode,
/// from has_weighting().
Boundedness boundedness(const Net& net, const Invariants& p_invariants, const InvariantOptions& options = {},
                        const WorkLimits& limits = {});

}  // namespace warpnet::states

#pragma once

#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpnet {

/// Permutations of the nodes of a net that leave it and its initial marking as they are, as a product of
/// groups each of which permutes other places: interchangeable parts, whose symmetries among themselves are
/// known in turn, or a group of few elements.
///
/// Two markings are equivalent where a permutation leads from one to the other: what is reachable from one is
/// reachable, permuted, from the other.
class NetSymmetry {
  public:
    /// One factor, by positions relative to where it begins.
    struct Factor {
        std::uint32_t begin = 0;         ///< relative to the part that it belongs to
        std::uint32_t length = 0;        ///< positions of one part; of a group: all of them
        std::uint32_t parts = 1;         ///< 2 or more that lie one after the other; 1: a group
        std::vector<Factor> inner = {};  ///< of each part
        /// Of a group: all elements but the identity; per position the one whose tokens come there.
        std::vector<std::vector<std::uint32_t>> images = {};
    };

    NetSymmetry() = default;

    bool trivial() const noexcept { return factors_.empty(); }
    /// The places that are moved, in the order of positions.
    std::span<const std::uint32_t> places() const noexcept { return places_; }
    std::span<const Factor> factors() const noexcept { return factors_; }
    /// Per place and per transition the least one that it can be moved to.
    std::span<const std::uint32_t> place_orbits() const noexcept { return place_orbits_; }
    std::span<const std::uint32_t> transition_orbits() const noexcept { return transition_orbits_; }

    /// The number of permutations of places; 2^64-1: so many or more.
    std::uint64_t order() const noexcept;
    /// "4 equal parts of 15 places"
    std::string description() const;

    /// Replaces the tokens of places(), given by position, by those of the representative of their class, the
    /// same for all that are equivalent. O(places x log parts), times the elements of a group at worst.
    void make_canonical(std::span<Tokens> by_position) const;
    /// The same of a whole marking.
    void make_canonical(Marking& marking) const;
    /// The number of equivalent markings; 2^64-1: so many or more. REQUIRES: canonical.
    std::uint64_t orbit_size(std::span<const Tokens> canonical_by_position) const;

  private:
    friend class SymmetryFinder;

    std::vector<std::uint32_t> places_;
    std::vector<Factor> factors_;
    std::vector<std::uint32_t> place_orbits_, transition_orbits_;
};

/// What has to stay as it is beside the net: conditions on one marking and sums, each by itself, and
/// transitions that are to be told apart.
struct SymmetryLimits {
    std::vector<Formula> conditions = {};
    std::vector<LinearSum> sums = {};
    std::vector<std::uint32_t> transitions = {};
    std::uint32_t most_elements = 10'000;           ///< of a group that is kept element by element
    std::uint64_t effort = std::uint64_t{1} << 29;  ///< elementary operations, about
};

/// The symmetries of a net: all of them where its parts are interchangeable or its groups small, else a
/// subgroup. Colour refinement tells the nodes apart; what is left falls into connected components when the
/// nodes that nothing moves are taken away, and isomorphic components can be exchanged freely. Takes
/// no longer than some seconds; the result does not depend on the clock.
NetSymmetry find_symmetry(const Net& net, const SymmetryLimits& limits = {});

}  // namespace warpnet

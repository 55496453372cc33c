#pragma once

#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpnet::states {

/// Permutations of the nodes of a net that preserve it and its initial marking, as a product of groups that
/// permute disjoint sets of places. A group is that of interchangeable parts, which have their own symmetries
/// in turn, or one with few elements.
///
/// Two markings are equivalent if a permutation leads from one to the other. The markings reachable from the
/// second are then those reachable from the first, permuted.
class NetSymmetry {
  public:
    /// One factor, by positions relative to its beginning.
    struct Factor {
        std::uint32_t begin = 0;         ///< relative to the part that it belongs to
        std::uint32_t length = 0;        ///< positions of one part; of a group: all of them
        std::uint32_t parts = 1;         ///< 2 or more successive ones; 1: a group
        std::vector<Factor> inner = {};  ///< of each part
        /// Of a group: all elements but the identity; per position the position whose tokens move there.
        std::vector<std::vector<std::uint32_t>> images = {};
    };

    NetSymmetry() = default;

    bool trivial() const noexcept { return factors_.empty(); }
    /// The places that are moved, in the order of positions.
    std::span<const std::uint32_t> places() const noexcept { return places_; }
    std::span<const Factor> factors() const noexcept { return factors_; }
    /// Per place and per transition the least one to which it can be moved.
    std::span<const std::uint32_t> place_orbits() const noexcept { return place_orbits_; }
    std::span<const std::uint32_t> transition_orbits() const noexcept { return transition_orbits_; }

    /// The number of permutations of places; 2^64-1: that many or more.
    std::uint64_t order() const noexcept;
    /// The elements of the listed groups that make_canonical() goes through.
    std::uint64_t listed_elements() const noexcept;
    /// "4 equal parts of 15 places"
    std::string description() const;

    /// Replaces the tokens of places(), given by position, by those of the representative of their class, the
    /// same for all equivalent markings. O(places x log parts), times the elements of a group at worst.
    void make_canonical(std::span<Tokens> by_position) const;
    /// The same for a whole marking.
    void make_canonical(Marking& marking) const;
    /// The number of equivalent markings; 2^64-1: that many or more. REQUIRES: canonical.
    std::uint64_t orbit_size(std::span<const Tokens> canonical_by_position) const;

  private:
    friend class SymmetryFinder;

    std::vector<std::uint32_t> places_;
    std::vector<Factor> factors_;
    std::vector<std::uint32_t> place_orbits_, transition_orbits_;
};

/// The objects to preserve in addition to the net: conditions on one marking and sums, each individually, and
/// transitions that must stay distinguishable.
struct SymmetryLimits {
    std::vector<Formula> conditions = {};
    std::vector<LinearSum> sums = {};
    std::vector<std::uint32_t> transitions = {};
    std::uint32_t most_elements = 10'000;           ///< of a group that is kept element by element
    std::uint64_t effort = std::uint64_t{1} << 29;  ///< elementary operations, about
};

/// The symmetries of a net: all of them if its parts are interchangeable or its groups small, otherwise a
/// subgroup. find_symmetry.cpp describes the search. Takes some seconds at most; the result does not depend
/// on the clock.
NetSymmetry find_symmetry(const Net& net, const SymmetryLimits& limits = {});

}  // namespace warpnet::states

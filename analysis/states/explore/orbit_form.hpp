#pragma once

#include "analysis/states/explore/packed_layout.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The symmetries of a net on markings packed in one layout. Equivalent places must have fields of equal
/// width: equalise() sees to it. Usable by many threads at once.
class OrbitForm {
  public:
    /// `symmetry` must outlive it.
    OrbitForm(const NetSymmetry& symmetry, const PackedLayout& layout);

    /// Replaces a marking by the representative of all that are equivalent to it.
    void make_canonical(Word* packed) const;
    /// The number of markings that one stands for; 2^64-1: so many or more. REQUIRES: canonical.
    std::uint64_t orbit_size(const Word* canonical) const;

    /// Raises each width to the largest one of an equivalent place.
    static void equalise(const NetSymmetry& symmetry, std::span<std::uint8_t> bits);

  private:
    std::span<Tokens> gathered(const Word* packed) const;

    const NetSymmetry& symmetry_;
    std::vector<PackedField> fields_;  // by position
    struct Cleared {
        std::uint32_t word;
        Word kept;
    };
    std::vector<Cleared> cleared_;  // per word that has moved fields: all others
};

}  // namespace warpnet

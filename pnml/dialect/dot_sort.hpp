#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace warpnet::xml {

/// Reads what high-level nets say where their only sort is `dot`: the sort of ordinary tokens, so that a
/// multiset is a number (ISO/IEC 15909-2, pt-hlpng.pntd and dots.rng). Everything else is refused with its
/// name and place.
class DotSort {
  public:
    /// Knows the names of `dot` that the document declares, wherever it does; looks for them when one is
    /// used.
    explicit DotSort(const Document& document) : document_(document) {}

    /// A <type> label of a place: <dot/>, or the name of such a sort.
    void check_type(pugi::xml_node label) const;

    /// The number that a label <hlinitialMarking> or <hlinscription> says: constants, <numberof>, <all>,
    /// <empty>, <add> and <scalarproduct> of dots; nothing where nothing is said.
    std::optional<Tokens> count(pugi::xml_node label, Tokens least) const;

    /// A <condition> of a transition, which must be true.
    void check_condition(pugi::xml_node label) const;

  private:
    pugi::xml_node structure(pugi::xml_node label) const;
    pugi::xml_node only_part(pugi::xml_node element) const;
    Tokens multiset(pugi::xml_node term, int depth) const;
    Tokens number(pugi::xml_node term) const;
    Tokens product(pugi::xml_node term, int depth) const;
    void check_dot(pugi::xml_node sort) const;
    void find_names() const;
    void find_names(pugi::xml_node declaration) const;

    const Document& document_;
    mutable std::set<std::string, std::less<>> names_;  // empty: not looked for
};

}  // namespace warpnet::xml

#pragma once

#include "engine/net/net.hpp"
#include "pnml/xml/xml_document.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace warpnet::pnml::xml {

/// Reads the labels of high-level nets whose only sort is `dot`, the sort of ordinary tokens. A multiset is
/// then a number (ISO/IEC 15909-2, pt-hlpng.pntd and dots.rng). Everything else is rejected with its name and
/// place.
class DotSort {
  public:
    /// Supports all names that the document declares for `dot`, wherever the declaration is. They are
    /// collected at the first use of a name.
    explicit DotSort(const Document& document) : document_(document) {}

    /// A <type> label of a place: <dot/>, or the name of such a sort.
    void check_type(pugi::xml_node label) const;

    /// The number in a label <hlinitialMarking> or <hlinscription>: constants, <numberof>, <all>, <empty>,
    /// <add> and <scalarproduct> of dots. Empty if the label is empty.
    std::optional<Tokens> count(pugi::xml_node label, Tokens least) const;

    /// Checks a <condition> of a transition, which must be true.
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
    mutable std::set<std::string, std::less<>> names_;  // empty: not collected yet
};

}  // namespace warpnet::pnml::xml

#pragma once

#include "engine/net/net_builder.hpp"
#include "pnml/dialect/read_exact.hpp"

#include <cstdint>
#include <vector>

namespace warpnet::xml {

/// The pairs of arcs in a document that stand for a read arc (pnml/dialect/loop_weights.hpp).
class FileLoops {
  public:
    /// One such pair. REQUIRES: `exact` outlives this.
    void expect(PlaceId place, TransitionId transition, const ExactPart::Loop& exact);

    /// No more pairs are expected. Throws PnmlError where one was expected twice.
    void finish(const Document& document);

    /// Whether an ordinary arc is part of a pair; then it is remembered and must not become an arc of the
    /// net.
    bool take(const Document& document, pugi::xml_node arc, PlaceId place, TransitionId transition,
              bool out_of_place, Tokens weight);

    /// Adds the arcs that the pairs stand for. Throws PnmlError where their weights are not those we wrote.
    void add_to(NetBuilder& builder, const Document& document) const;

  private:
    struct Loop {
        PlaceId place;
        TransitionId transition;
        const ExactPart::Loop* exact;
        Tokens input = 0;   // as the document has it
        Tokens output = 0;  // likewise
    };
    static bool before(const Loop& a, const Loop& b);

    std::vector<Loop> loops_;  // sorted by (transition, place)
};

}  // namespace warpnet::xml

// CTL on all reachable markings at once [Clarke86]: fixpoints backwards over firings. `all paths` is not
// `some path` of the opposite, as in properties/model_checker.cpp.

#include "analysis/states/diagrams/marking_diagram.hpp"

namespace warpnet {

DiagramNode MarkingDiagram::temporal(const Formula& formula) {
    const bool all = formula.on_all_paths;
    const DiagramNode last = select(reachable_, formula.operands.back());
    switch (formula.kind) {
        case Formula::Kind::next:
            return all ? complement(some_next(reachable_, complement(last))) : some_next(reachable_, last);
        case Formula::Kind::finally:
            return all ? complement(some_globally(complement(last))) : some_until(reachable_, last);
        case Formula::Kind::globally:
            return all ? complement(some_until(reachable_, complement(last))) : some_globally(last);
        default: {
            const DiagramNode first = select(reachable_, formula.operands.front());
            if (!all) return some_until(first, last);
            // Not: never the second, or neither before the second.
            const DiagramNode without = complement(last);
            const DiagramNode neither = nodes_.subtract(without, first);
            return complement(nodes_.unite(some_until(without, neither), some_globally(without)));
        }
    }
}

/// Those of a set from which one firing leads into another.
DiagramNode MarkingDiagram::some_next(DiagramNode markings, DiagramNode targets) {
    DiagramNode before = DiagramNodes::none;
    for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
        before = nodes_.unite(before, firing_.before_firing(t, markings, targets));
    return before;
}

/// Transition by transition, what one has added being used by the next: far fewer rounds than step by step.
DiagramNode MarkingDiagram::some_until(DiagramNode hold, DiagramNode reached) {
    DiagramNode open = nodes_.subtract(hold, reached);
    for (bool grown = true; grown && open != DiagramNodes::none;) {
        grown = false;
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            const DiagramNode more = firing_.before_firing(t, open, reached);
            if (more == DiagramNodes::none) continue;
            reached = nodes_.unite(reached, more);
            open = nodes_.subtract(open, more);
            grown = true;
        }
    }
    return reached;
}

/// Takes away markings from which every firing leads out, until there is none.
DiagramNode MarkingDiagram::some_globally(DiagramNode hold) {
    const DiagramNode ends = dead(hold);
    for (;;) {
        const DiagramNode left = nodes_.unite(ends, some_next(hold, hold));
        if (left == hold) return hold;
        hold = left;
    }
}

}  // namespace warpnet

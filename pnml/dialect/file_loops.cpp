#include "pnml/dialect/file_loops.hpp"

#include "pnml/dialect/loop_weights.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace warpnet::xml {

bool FileLoops::before(const Loop& a, const Loop& b) {
    return std::pair(a.transition, a.place) < std::pair(b.transition, b.place);
}

void FileLoops::expect(PlaceId place, TransitionId transition, const ExactPart::Loop& exact) {
    loops_.push_back({place, transition, &exact});
}

void FileLoops::finish(const Document& document) {
    std::sort(loops_.begin(), loops_.end(), before);
    const auto twice = std::adjacent_find(loops_.begin(), loops_.end(),
                                          [](const Loop& a, const Loop& b) { return !before(a, b); });
    if (twice != loops_.end()) {
        document.fail((twice + 1)->exact->element, "each pair of nodes once", "the same pair again");
    }
}

bool FileLoops::take(const Document& document, pugi::xml_node arc, PlaceId place, TransitionId transition,
                     bool out_of_place, Tokens weight) {
    const Loop wanted{place, transition, nullptr};
    const auto loop = std::lower_bound(loops_.begin(), loops_.end(), wanted, before);
    if (loop == loops_.end() || before(wanted, *loop)) return false;
    Tokens& sum = out_of_place ? loop->input : loop->output;
    if (sum > max_tokens - weight) {
        document.fail(arc, "weights that add up to at most " + std::to_string(max_tokens), "more");
    }
    sum += weight;
    return true;
}

void FileLoops::add_to(NetBuilder& builder, const Document& document) const {
    for (const Loop& loop : loops_) {
        const ExactPart::Loop& exact = *loop.exact;
        const LoopWeights weights = loop_weights(exact.read, exact.input, exact.output);
        if (loop.input != weights.input || loop.output != weights.output) {
            document.fail(exact.element,
                          "arcs of weight " + std::to_string(weights.input) + " to the transition and " +
                              std::to_string(weights.output) + " back",
                          std::to_string(loop.input) + " and " + std::to_string(loop.output) +
                              " (the net was changed by another tool)");
        }
        builder.add_read(loop.place, loop.transition, exact.read);
        if (exact.input > 0) builder.add_input(loop.place, loop.transition, exact.input);
        if (exact.output > 0) builder.add_output(loop.transition, loop.place, exact.output);
    }
}

}  // namespace warpnet::xml

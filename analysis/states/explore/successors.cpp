#include "analysis/states/explore/successors.hpp"

#include "analysis/states/steps/possible_steps.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

Successors::Successors(const CompiledNet& net, Semantics semantics, const PackedLayout& layout,
                       const PackedFiring& firing, std::function<bool()> must_end)
    : net_(net),
      semantics_(semantics),
      layout_(layout),
      firing_(firing),
      must_end_(std::move(must_end)),
      next_(layout.words()),
      wanted_bits_(layout.bits().begin(), layout.bits().end()) {}

void Successors::for_each_step(const Word* packed, const StepVisit& visit) {
    Marking before(layout_.places());
    layout_.unpack(packed, before);
    Marking after;
    const auto take_step = [&](const ScheduledStep& step) {
        after = before;
        if (!fire_step(net_, step, after)) {
            overflow_ = true;
            return false;
        }
        if (layout_.pack(after, next_.data())) return visit(next_.data(), step.transitions);
        note_misfit(after);
        return true;
    };
    for_each_possible_step(net_, before, semantics_, take_step, must_end_);
}

void Successors::note_misfit(const Word* packed, std::uint32_t transition) {
    Marking after(layout_.places());
    layout_.unpack(packed, after);
    if (!fire_step(net_, {false, {transition}}, after)) {
        overflow_ = true;
    } else {
        note_misfit(after);
    }
}

void Successors::note_misfit(const Marking& marking) {
    misfit_ = true;
    for (std::size_t place = 0; place < marking.size(); ++place)
        wanted_bits_[place] = std::max(wanted_bits_[place], field_bits(marking[place]));
}

}  // namespace warpnet

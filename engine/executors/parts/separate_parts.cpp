// The unconnected parts of a net are the components of its places and transitions. Parts with few transitions
// are bundled up to 1,024 transitions, since each part has a cost per meeting. Equal parts, compared by their
// arcs, share one plan (KnownParts).
//
// The parts run in parallel. They share no place, so each of them can make any number of steps independently.
// They meet every 1024 steps to check the clock and to show their steps to an observer. A part that overflows
// ends the whole run at this step, so the other parts must be brought back to it. They are run again from the
// beginning, which is rare and keeps the usual case free of copies.

#include "engine/executors/parts/separate_parts.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/no_index.hpp"
#include "engine/executors/parts/meeting_run.hpp"
#include "engine/executors/parts/net_part.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet {

namespace {
constexpr std::size_t bundle_size = 1024;  // transitions

/// Joins nodes that are connected by an arc. Places are numbered first, then transitions.
DisjointSets connect(const CompiledNet& net) {
    const auto places = static_cast<std::uint32_t>(net.place_count());
    DisjointSets forest(net.place_count() + net.transition_count());
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        for (const auto& row : {net.inputs[t], net.outputs[t], net.inhibitors[t], net.reads[t]}) {
            for (const auto [place, weight] : row) forest.join(place, places + t);
        }
    }
    return forest;
}

std::vector<NetPart> parts_of(const CompiledNet& net, std::size_t small_part) {
    DisjointSets forest = connect(net);
    const auto places = static_cast<std::uint32_t>(net.place_count());
    const auto transitions = static_cast<std::uint32_t>(net.transition_count());
    std::vector<std::uint32_t> size(places + transitions, 0);  // of roots, in transitions
    for (std::uint32_t t = 0; t < transitions; ++t) ++size[forest.root(places + t)];

    std::vector<NetPart> parts;
    std::vector<std::uint32_t> part_of(places + transitions, no_index);  // of roots
    std::uint32_t bundle = no_index;
    std::size_t room = 0;  // left in the current bundle
    const auto choose_part = [&](std::size_t wanted) {
        const bool small = wanted < small_part;
        if (small && wanted <= room) {
            room -= wanted;
            return bundle;
        }
        parts.emplace_back();
        const auto part = static_cast<std::uint32_t>(parts.size() - 1);
        if (small) {
            bundle = part;
            room = bundle_size - wanted;
        }
        return part;
    };
    for (std::uint32_t t = 0; t < transitions; ++t) {
        const std::uint32_t root = forest.root(places + t);
        if (part_of[root] == no_index) part_of[root] = choose_part(size[root]);
        parts[part_of[root]].transitions.push_back(t);
    }
    for (std::uint32_t place = 0; place < places; ++place) {
        const std::uint32_t part = part_of[forest.root(place)];
        if (part != no_index) parts[part].places.push_back(place);
    }
    return parts;
}

}  // namespace

std::shared_ptr<const SeparateParts> find_separate_parts(const CompiledNet& net, const PartOptions& options,
                                                         const PlanPart& plan_part) {
    if (!is_timed(net)) return nullptr;
    std::vector<NetPart> parts = parts_of(net, options.small_part);
    if (parts.size() < 2) return nullptr;
    auto result = std::make_shared<SeparateParts>();
    PartCutter cutter(net);
    KnownParts<Executor> known;
    for (NetPart& part : parts) {
        NetArcs arcs = cutter.cut(part);
        result->parts.push_back({std::move(part), known.find_or_make(std::move(arcs), plan_part)});
    }
    result->kinds = known.size();
    return result;
}

namespace {

class SeparateRun final : public MeetingRun {
  public:
    SeparateRun(const CompiledNet& net, const SeparateParts& parts, const RunOptions& options,
                Observer* observer)
        : MeetingRun(net, options, observer, steps_between_meetings),
          parts_(parts.parts),
          recorders_(observer == nullptr ? 0 : parts_.size()),
          reasons_(parts_.size(), StopReason::step_limit) {
        begin();
    }

    bool endless() const override {
        return std::all_of(going_.begin(), going_.end(),
                           [&](std::uint32_t i) { return executions_[i]->endless(); });
    }

    void collect(RunResult& result) override {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const NetPart& nodes = parts_[i].nodes;
            const RunResult part = executions_[i]->finish();
            result.firings += part.firings;
            for (std::size_t p = 0; p < nodes.places.size(); ++p)
                result.marking[nodes.places[p]] = part.marking[p];
            for (std::size_t t = 0; t < part.counts.size(); ++t)
                result.counts[nodes.transitions[t]] = part.counts[t];
        }
    }

  private:
    static constexpr std::uint64_t steps_between_meetings = 1024;

    void begin() {
        executions_.clear();
        going_.clear();
        for (std::uint32_t i = 0; i < parts_.size(); ++i) {
            RunOptions options = options_of_part(options_, i, parts_[i].nodes);
            options.limits = {};
            executions_.push_back(
                parts_[i].executor->begin(options, observer_ == nullptr ? nullptr : &recorders_[i]));
            going_.push_back(i);
        }
    }

    StopReason advance_parts(std::uint64_t until) override {
        tbb::parallel_for(std::size_t{0}, going_.size(), [&](std::size_t i) {
            reasons_[going_[i]] = executions_[going_[i]]->advance(until);
        });
        std::uint64_t last = now_;  // the last step of the dead parts
        std::optional<std::uint64_t> overflow;
        for (const std::uint32_t i : going_) {
            const std::uint64_t steps = executions_[i]->steps();
            if (reasons_[i] == StopReason::dead) last = std::max(last, steps);
            if (reasons_[i] == StopReason::overflow) overflow = std::min(overflow.value_or(steps), steps);
        }
        if (overflow) return stop_at_overflow(*overflow);
        std::erase_if(going_, [&](std::uint32_t i) { return reasons_[i] == StopReason::dead; });
        const std::uint64_t reached = going_.empty() ? last : until;
        show(reached);
        now_ = reached;
        return going_.empty() ? StopReason::dead : StopReason::step_limit;
    }

    /// A part cannot make the step, but other parts have passed it. They must be brought back.
    StopReason stop_at_overflow(std::uint64_t step) {
        show(step - 1);
        observer_ = nullptr;
        begin();
        for (const std::uint32_t i : going_) executions_[i]->advance(step);
        now_ = step;
        return StopReason::overflow;
    }

    /// Shows the steps after now_ one by one.
    void show(std::uint64_t until) {
        if (observer_ == nullptr) return;
        for (std::uint64_t step = now_ + 1; step <= until; ++step) {
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                for (const auto [transition, times] : recorders_[i].firings_of(step))
                    display_.firings().push_back({parts_[i].nodes.transitions[transition], times});
            }
            display_.show(step);
        }
        for (StepRecorder& recorder : recorders_) recorder.clear();
    }

    const std::vector<SeparatePart>& parts_;
    std::vector<StepRecorder> recorders_;  // per part: its steps since the last meeting
    std::vector<std::unique_ptr<RunInProgress>> executions_;
    std::vector<StopReason> reasons_;
    std::vector<std::uint32_t> going_;  // the parts that are not dead
};

}  // namespace

std::unique_ptr<RunInProgress> begin_separate_run(const CompiledNet& net, const SeparateParts& parts,
                                                  const RunOptions& options, Observer* observer) {
    return std::make_unique<SeparateRun>(net, parts, options, observer);
}

}  // namespace warpnet

#include "engine/executors/parts/restarted_run.hpp"

#include "engine/base/random.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/modules/run.hpp"
#include "engine/executors/parts/meeting_run.hpp"
#include "engine/executors/parts/restarted_parts.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

/// A part from one dispatch to the next.
struct StartedLap {
    std::uint64_t begin = 0;  ///< steps of the whole before it
    std::unique_ptr<StepRecorder> recorder;
    std::unique_ptr<RunInProgress> run;
    std::optional<RunResult> result;  ///< once it has ended

    std::uint64_t end() const { return begin + result->steps; }
};

struct RunningPart {
    std::uint64_t laps = 0;  ///< begun, without a prepared one
    StartedLap lap;
    StartedLap prepared;  ///< the one after it, begun beforehand; without a run where there is none
    std::vector<StartedLap> to_show;
};

class RestartedRun final : public MeetingRun {
  public:
    RestartedRun(const CompiledNet& net, const RestartedParts& parts, const RunOptions& options,
                 Observer* observer)
        : MeetingRun(net, options, observer, steps_between_meetings),
          parts_(parts.parts),
          stock_place_(parts.stock),
          stock_(net.initial[parts.stock]),
          order_(options, net.transition_count()),
          running_(parts_.size()) {
        for (std::uint32_t i = 0; i < parts_.size(); ++i) {
            running_[i].lap = begin_lap(i, 0);
            busy_.push_back(i);
        }
    }

    bool endless() const override {
        return waiting_.empty() && std::all_of(running_.begin(), running_.end(), [](const RunningPart& part) {
                   return part.lap.result || part.lap.run->endless();
               });
    }

    void collect(RunResult& result) override {
        result.marking[stock_place_] = stock_;
        for (std::uint32_t i = 0; i < parts_.size(); ++i) {
            StartedLap& lap = running_[i].lap;
            if (!lap.result) lap.result = lap.run->finish();
            count(i, *lap.result);
            const Marking& marking = lap.result->marking;
            const auto& places = parts_[i].nodes.places;
            for (std::size_t p = 0; p < places.size(); ++p) result.marking[places[p]] = marking[p];
            result.marking[parts_[i].counter] = modules_at_end(*parts_[i].lap, marking);
        }
    }

  private:
    static constexpr std::uint64_t steps_between_meetings = 16384;

    StartedLap begin_lap(std::uint32_t i, std::uint64_t begin) {
        StartedLap lap;
        lap.begin = begin;
        RunOptions options = options_of_part(options_, i, parts_[i].nodes);
        options.seed = hash_bits(options.seed, running_[i].laps++);
        if (options_.keyed) options.seed = options_.seed;
        options.steps_before = options_.steps_before + begin;
        options.limits = {};
        if (observer_ != nullptr) lap.recorder = std::make_unique<StepRecorder>();
        const Lap& of = *parts_[i].lap;
        lap.run = begin_module_run(of.net, *of.modules, options, lap.recorder.get());
        return lap;
    }

    /// Goes on to step `until` of the whole, or to the end of the lap.
    static void advance_lap(StartedLap& lap, std::uint64_t until) {
        if (!lap.result && lap.run->advance(until - lap.begin) == StopReason::dead)
            lap.result = lap.run->finish();
    }

    StopReason advance_parts(std::uint64_t until) override {
        do {
            const std::size_t prepared = prepare(until);
            tbb::parallel_for(std::size_t{0}, busy_.size() + prepared, [&](std::size_t i) {
                if (i < busy_.size()) return advance_lap(running_[busy_[i]].lap, until);
                advance_lap(running_[prepared_[i - busy_.size()]].prepared, until);
            });
            std::erase_if(busy_, [&](std::uint32_t i) { return enter_queue(i); });
        } while (dispatch(until));
        const bool is_dead = busy_.empty() && waiting_.empty();
        if (is_dead) {
            until = now_;
            for (const RunningPart& part : running_) until = std::max(until, part.lap.end());
        }
        show(until);
        now_ = until;
        return is_dead ? StopReason::dead : StopReason::step_limit;
    }

    /// Begins the next laps of those who can hope for one and have none, those first who have waited longest.
    std::size_t prepare(std::uint64_t until) {
        prepared_.clear();
        auto left = stock_;
        for (auto at = waiting_.begin(); at != waiting_.end() && left > 0 && at->first <= until;
             ++at, --left) {
            RunningPart& part = running_[at->second];
            if (part.prepared.run != nullptr) continue;
            part.prepared = begin_lap(at->second, at->first);
            prepared_.push_back(at->second);
        }
        return prepared_.size();
    }

    /// Whether the lap of a part has ended. The part waits for the next one where all its modules have.
    bool enter_queue(std::uint32_t i) {
        const StartedLap& lap = running_[i].lap;
        if (!lap.result) return false;
        if (stock_ > 0 && lap.result->marking == parts_[i].lap->end) waiting_.emplace(lap.end() + 1, i);
        return true;
    }

    /// Starts the laps of those who wait, in the order in which they have come to, up to step `until`.
    /// Returns whether it had to stop at one who was started and has not been run.
    bool dispatch(std::uint64_t until) {
        while (!waiting_.empty() && waiting_.begin()->first <= until) {
            const std::uint64_t step = waiting_.begin()->first;
            std::vector<std::uint32_t> dispatchers;
            std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;  // (dispatcher, part)
            for (auto at = waiting_.begin(); at != waiting_.end() && at->first == step; ++at) {
                dispatchers.push_back(parts_[at->second].dispatcher);
                parts.emplace_back(dispatchers.back(), at->second);
            }
            if (std::cmp_greater(dispatchers.size(), stock_)) {
                std::sort(dispatchers.begin(), dispatchers.end());
                order_.go_to_round(step);
                order_.arrange(dispatchers);
                dispatchers.resize(static_cast<std::size_t>(stock_));
            }
            bool all_run = true;
            for (const auto& [dispatcher, part] : parts) {
                const bool wins =
                    std::find(dispatchers.begin(), dispatchers.end(), dispatcher) != dispatchers.end();
                if (wins) all_run = start(part, step) && all_run;
            }
            if (stock_ == 0) waiting_.clear();
            if (!all_run) return true;
        }
        return false;
    }

    /// Starts the next lap of a part. Returns whether it was prepared, and has been run.
    bool start(std::uint32_t i, std::uint64_t step) {
        RunningPart& part = running_[i];
        waiting_.erase({step, i});
        --stock_;
        ++result_.firings;
        if (options_.count_firings) ++result_.counts[parts_[i].dispatcher];
        count(i, *part.lap.result);
        if (observer_ != nullptr) {
            dispatched_.emplace(step, parts_[i].dispatcher);
            part.to_show.push_back(std::move(part.lap));
        }
        const bool was_prepared = part.prepared.run != nullptr;
        part.lap = was_prepared ? std::exchange(part.prepared, {}) : begin_lap(i, step);
        if (!was_prepared || !enter_queue(i)) busy_.push_back(i);
        return was_prepared;
    }

    void count(std::uint32_t i, const RunResult& lap) {
        result_.firings += lap.firings;
        for (std::size_t t = 0; t < lap.counts.size(); ++t)
            result_.counts[parts_[i].nodes.transitions[t]] += lap.counts[t];
    }

    static Tokens modules_at_end(const Lap& lap, const Marking& marking) {
        Tokens ended = 0;
        for (std::uint32_t module = 0; module < lap.modules->size(); ++module) {
            const auto places = lap.modules->places[module];
            ended += std::all_of(places.begin(), places.end(),
                                 [&](std::uint32_t place) { return marking[place] == lap.end[place]; })
                         ? 1
                         : 0;
        }
        return ended;
    }

    /// Shows the steps after now_ one by one.
    void show(std::uint64_t until) {
        if (observer_ == nullptr) return;
        auto dispatched = dispatched_.begin();
        for (std::uint64_t step = now_ + 1; step <= until; ++step) {
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                for (const StartedLap& lap : running_[i].to_show) show(i, lap, step);
                show(i, running_[i].lap, step);
            }
            for (; dispatched != dispatched_.end() && dispatched->first == step; ++dispatched)
                display_.firings().push_back({dispatched->second, 1});
            display_.show(step);
        }
        dispatched_.clear();
        for (RunningPart& part : running_) {
            part.to_show.clear();
            part.lap.recorder->clear();
        }
    }

    void show(std::size_t i, const StartedLap& lap, std::uint64_t step) {
        if (step <= lap.begin) return;
        for (const auto [transition, times] : lap.recorder->firings_of(step - lap.begin))
            display_.firings().push_back({parts_[i].nodes.transitions[transition], times});
    }

    const std::vector<RestartedPart>& parts_;
    std::uint32_t stock_place_;
    Tokens stock_;
    ConflictOrder order_;
    std::vector<RunningPart> running_;
    std::vector<std::uint32_t> busy_;                            // parts whose laps go on
    std::set<std::pair<std::uint64_t, std::uint32_t>> waiting_;  // (step in which it could be served, part)
    std::vector<std::uint32_t> prepared_;                        // just now
    std::set<std::pair<std::uint64_t, std::uint32_t>> dispatched_;  // (step, dispatcher), not yet shown
};

}  // namespace

std::unique_ptr<RunInProgress> begin_restarted_run(const CompiledNet& net, const RestartedParts& parts,
                                                   const RunOptions& options, Observer* observer) {
    return std::make_unique<RestartedRun>(net, parts, options, observer);
}

}  // namespace warpnet
